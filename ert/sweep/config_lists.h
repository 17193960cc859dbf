/*
 * config_lists: the parts of a config that are lists: sections, kernels, flop counts, ERT's threads and
 * launches, remarks. Internal to sweep.
 */
#ifndef ERT_SWEEP_CONFIG_LISTS_H
#define ERT_SWEEP_CONFIG_LISTS_H

#include "ert/sweep/config.h"

/* Adds them to root; reads those that are there, ERT_USAGE for a bad element. */
void ert_config_lists_to_json(const struct ert_config *config, cJSON *root);
enum ert_status ert_config_lists_from_json(struct ert_json at, struct ert_config *config,
                                           struct ert_error *error);

#endif
