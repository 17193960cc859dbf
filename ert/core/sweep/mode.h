/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mode: another way of measuring than ert's own: a section with kernels, cases, regions and ceilings of its
 * own, which runs alone. A mode is an extension: it fills the struct and has a section (section.h). The
 * core keeps a mode's data for it and does not look into them.
 */
#ifndef ERT_SWEEP_MODE_H
#define ERT_SWEEP_MODE_H

#include "ert/core/base/json.h"
#include "ert/core/kernels/kernel.h"

struct ert_ceiling;
struct ert_ceilings;
struct ert_config;
struct ert_device;
struct ert_device_run;
struct ert_planner;
struct ert_point;
struct ert_sample;
struct ert_samples;
struct ert_session_options;
struct ert_spec;
struct ert_variant;
struct ert_work;

struct ert_mode {
    const char *name;                  /* of its section */
    const char *title;                 /* ert_ceilings.mode */
    const enum ert_kernel_id *kernels; /* ended by ERT_N_KERNELS */

    /* Its options in a config: their keys, NULL-terminated; reading: ERT_USAGE for a bad value; writing. */
    const char *const *keys;
    enum ert_status (*read)(struct ert_json at, struct ert_config *config,
                            struct ert_error *error);
    void (*write)(const struct ert_config *config, cJSON *root);

    const char *option; /* of `ert run`: asks for the preset */
    /* Makes *config a run in this mode; with `recorded` one that can measure these ceilings again. */
    enum ert_status (*preset)(struct ert_config *config,
                              const struct ert_ceilings *recorded, struct ert_error *error);

    /*
     * How the first line of another program's configurations for it begins, after '#' lines (NULL: none), and
     * for the error what such a file is, and what makes a preset of it.
     */
    const char *file_begins, *file_is;

    /* What the session needs; for one spec, if it is not NULL, whatever its set and threads. */
    void (*set_options)(const struct ert_config *config, const struct ert_device *device,
                        const struct ert_spec *spec, struct ert_session_options *options);
    /* Adds its points, with region_s. */
    enum ert_status (*plan)(struct ert_planner *planner);
    /* Takes a sample of the prepared point; *passes: of the last one, 0 none, and then of this one. */
    enum ert_status (*time)(struct ert_device_run *run, const struct ert_point *point,
                            const struct ert_work *work, uint64_t *passes,
                            struct ert_sample *sample, struct ert_error *error);

    /* Adds the ceilings of a device that ran in this mode, and what the file says of the mode. */
    void (*fit)(const struct ert_samples *samples, size_t device,
                struct ert_ceilings *ceilings);
    /* The point of a kernel's ceiling: its spec and variant. ERT_UNAVAILABLE: there is no such variant. */
    enum ert_status (*recall)(const struct ert_ceiling *ceiling,
                              const struct ert_device *device,
                              const struct ert_session_options *options,
                              struct ert_point *point, struct ert_error *error);
    /* Puts the launch of a spec behind a variant's name and into its threads. */
    void (*name_launch)(const struct ert_spec *spec, struct ert_variant *variant);
};

#endif
