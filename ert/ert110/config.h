/*
 * config: configs of the ert110 mode: its preset, its options as keys of ours, and ERT's own
 * configuration files as a run of ours. Those are read as ERT's Python/ert_core.py and ert_utils.py do
 * (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): a key and words per line, '#' in the first
 * column for comments, the last of several lines of a key counts. What applies is honoured; what does
 * not is a remark with its reason. Files with a key of ERT's C++ sources (ERT_PRECISION, ERT_WSS_MULT)
 * get their kernel, all others that of its C sources (ert/backend/ert110.h).
 */
#ifndef ERT_ERT110_CONFIG_H
#define ERT_ERT110_CONFIG_H

#include "ert/sweep/config.h"

/*
 * Makes *config a run in this mode and nothing else: `ert run --ert-compatible`. No limit of time; a
 * region ends at 2 ms where ERT's would be longer (its smallest sets: the rate is the same).
 */
void ert110_preset(struct ert_config *config);

/* The options as keys of a config (hook.h). */
extern const char *const ert110_config_keys[];
bool ert110_config_write(const struct ert110_options *options, cJSON *root);
enum ert_status ert110_config_read(struct ert_json at, struct ert110_options *options,
                                   struct ert_error *error);

/* Whether the head of a file is ERT's own configuration: its first line with words begins with ERT_. */
bool ert110_file_recognizes(const char *head);

/*
 * Makes *config a run in this mode (ert110_preset) as the file says. ERT_USAGE names file, line, key,
 * value and limit; ERT_UNAVAILABLE where it asks for HIP, OpenCL or SYCL.
 */
enum ert_status ert110_file_read(const char *name, struct ert_config *config,
                                 struct ert_error *error);

#endif
