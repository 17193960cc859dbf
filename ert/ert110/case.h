/*
 * ert110_case: from a ceiling of ERT's mode (fit_ert110.h) back to the case that gave it. Its launch, flop
 * count and set stand in the ceiling, the memory that all share in the file. Pure.
 */
#ifndef ERT_ERT110_CASE_H
#define ERT_ERT110_CASE_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/config.h"

/* Whether the ceiling is one of ERT's mode that says its flop count; those of version 2.0.0 do not. */
bool ert110_is(const struct ert_ceiling *ceiling);

/* Keeps of a config what the cases of a file share. */
void ert110_keep(const struct ert_config *config, struct ert_ceilings *ceilings);

/* A config for measuring the ceilings of a file in ERT's mode again. */
void ert110_config_of(const struct ert_ceilings *ceilings, struct ert_config *config);

/* Path, set, flop count and launch of a ceiling in ERT's mode; kernel and variant are the caller's. */
void ert110_case(const struct ert_ceiling *ceiling, enum ert_device_kind kind,
                 struct ert_case *case_);

#endif
