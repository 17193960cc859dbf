/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hook: what sweep and ceilings ask the ert110 mode, which measures as the Empirical Roofline Toolkit
 * 1.1.0 does (ert110.h). The mode stands above both and fills the table; they include no more of it
 * than this and options.h.
 */
#ifndef ERT_ERT110_HOOK_H
#define ERT_ERT110_HOOK_H

#include "ert/core/base/json.h"
#include "ert/ext/ert110/options.h"

struct ert_device_run;
struct ert_spec;
struct ert_ceiling;
struct ert_ceilings;
struct ert_config;
struct ert_device;
struct ert_device_ceilings;
struct ert_device_samples;
struct ert_planner;
struct ert_point;
struct ert_sample;
struct ert_samples;
struct ert_session_options;
struct ert_variant;
struct ert_work;

struct ert110_hook {
    /* What ERT's example configurations say: 1 GiB, sets by 1.1 from one element on. */
    struct ert110_options defaults;

    /* The options as keys of a config, NULL-terminated; writing; reading: ERT_USAGE for a bad value. */
    const char *const *keys;
    void (*write)(const struct ert110_options *options, cJSON *root);
    enum ert_status (*read)(struct ert_json at, struct ert110_options *options,
                            struct ert_error *error);

    /* Whether the head of a file is a configuration of ERT's own; makes *config a run of it. */
    bool (*recognizes)(const char *head);
    enum ert_status (*read_file)(const char *name, struct ert_config *config,
                                 struct ert_error *error);

    /* What the session needs; the section's points; seconds that one sample of a point should take. */
    void (*set_options)(const struct ert_config *config, const struct ert_device *device,
                        struct ert_session_options *options);
    enum ert_status (*plan)(struct ert_planner *planner);
    double (*sample_s)(const struct ert_config *config, const struct ert_device *device,
                       const struct ert_point *point);

    /* One sample of the prepared point; *passes: of the last one, 0 none, and then of this one. */
    enum ert_status (*time)(struct ert_device_run *run, const struct ert_point *point,
                            const struct ert_work *work, uint64_t *passes,
                            struct ert_sample *sample, struct ert_error *error);

    /*
     * Adds the ceilings of a device that ran in this mode. Then of all: what the file says of the mode,
     * and levels as ERT names them.
     */
    void (*fit)(const struct ert_device_samples *samples, struct ert_device_ceilings *out);
    void (*finish)(const struct ert_samples *samples, struct ert_ceilings *ceilings);

    /*
     * To measure a ceiling again: whether it is of this mode; the config of its file; path, set, flop
     * count and launch of its case (kernel and variant are the caller's); and the launch put behind
     * the variant's name and into its threads: CPUs "avx2, 2 passes at once, 8 threads", GPUs "640 x 256".
     */
    bool (*is_of)(const struct ert_ceiling *ceiling);
    void (*config_of)(const struct ert_ceilings *ceilings, struct ert_config *config);
    void (*spec_of)(const struct ert_ceiling *ceiling, const struct ert_device *device,
                    struct ert_spec *spec);
    void (*name)(const struct ert_spec *spec, struct ert_variant *variant);
};

extern const struct ert110_hook ert110_hook;

#endif
