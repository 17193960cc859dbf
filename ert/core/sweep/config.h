/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config: what a run measures (devices, sections, kernels) and for how long. Read from JSON
 * ("ert-config/2", configs/README.md), or the defaults.
 */
#ifndef ERT_SWEEP_CONFIG_H
#define ERT_SWEEP_CONFIG_H

#include "ert/core/base/error.h"
#include "ert/core/base/json.h"
#include "ert/core/kernels/kernel.h"
#include "ert/core/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum ert_section {
#define ERT_SECTION_ROW(id, name) ERT_SECTION_##id,
#include "ert/core/sweep/sections.def"
    ERT_N_SECTIONS
};

enum { ERT_MAX_REMARKS = 48, ERT_REMARK_BYTES = 256 };

struct ert_mode; /* mode.h */

struct ert_config {
    char name[64];                       /* the file's "name", or "default" */
    char device[16];                     /* "all", "cpu", "gpu", "gpu0", "fake" */
    bool kernels[ERT_N_KERNELS];         /* rows of kernels.def to run */
    bool mixed_flops[ERT_N_MIXED_FLOPS]; /* which of ERT_MIXED_FLOPS */
    bool sections[ERT_N_SECTIONS];
    char isa[16]; /* CPU: only this instruction set; "" for the best */
    char dram_bandwidth[ERT_DRAM_TEXT]; /* as the user states it (dram.h), or "" */
    uint64_t threads;                   /* CPU: 0 for one per usable core */
    double points_per_octave;           /* of working-set size */
    uint64_t working_set_min_bytes;     /* 0: a sixteenth of the first level */
    uint64_t working_set_max_bytes;     /* 0: large enough for the memory level */
    uint64_t memory_max_bytes;          /* host buffers; 0: half of the free memory */
    double region_s;                    /* minimum length of a timed region */
    uint64_t rounds;                    /* over all points */
    uint64_t candidate_rounds;          /* further rounds over the candidates */
    uint64_t candidates;                /* fastest points per ceiling */
    double sustained_s; /* duration of each sustained measurement; 0: none */
    bool sustained_all; /* for all ceilings, not only those that a power limit may lower */
    bool libraries;     /* what libraries attain, too (ERT_LIBRARY) */
    double budget_s;    /* per device; 0: no limit */
    double timeout_s;   /* a longer region counts as a hang */
    uint64_t seed;
    uint64_t mode_options[120]; /* the mode's own business; all 0: its defaults */
    uint32_t n_remarks; /* settings of an ERT config that do not apply here, and why */
    char remarks[ERT_MAX_REMARKS][ERT_REMARK_BYTES];
    bool tensor_zeros; /* GPU tensor kernels multiply zeros instead of random data */
};

/* The default run: at most 28 s per device. */
void ert_config_default(struct ert_config *config);

/* Makes the sweep coarser and shorter: at most 25 s per device. */
void ert_config_quick(struct ert_config *config);

/* Selects all sections but those of modes, and sustained rates of all ceilings; at most 170 s per device. */
void ert_config_full(struct ert_config *config);

/* "levels", "compute" ..., NULL: indexed by enum ert_section. */
extern const char *const ert_section_words[ERT_N_SECTIONS + 1];

/* The rows of sections (section.h), indexed by enum ert_section. */
extern const struct ert_section_row *const ert_sections[ERT_N_SECTIONS];

/* The mode of a config, of a kernel, and the one with a title; NULL: none, ert's own way. */
const struct ert_mode *ert_config_mode(const struct ert_config *config);
const struct ert_mode *ert_mode_of_kernel(enum ert_kernel_id kernel);
const struct ert_mode *ert_mode_titled(const char *title);

/* Applies an option of `ert run` that a mode knows. ERT_UNAVAILABLE: no mode of this build does. */
enum ert_status ert_mode_option(const char *name, struct ert_config *config,
                                struct ert_error *error);

/* Reads a file; keys that it lacks keep their values. ERT_USAGE names file, key, value and limit. */
enum ert_status ert_config_read(const char *file, struct ert_config *config,
                                struct ert_error *error);

/* The context (machine.h) in which the config runs a device. ERT_USAGE for too many threads. */
enum ert_status ert_config_context(const struct ert_config *config,
                                   const struct ert_device *device,
                                   struct ert_context *context, struct ert_error *error);

/* Converts to JSON, for the samples file (without memory: fields.h), and back. */
cJSON *ert_config_to_json(const struct ert_config *config);
enum ert_status ert_config_from_json(struct ert_json at, struct ert_config *config,
                                     struct ert_error *error);

#endif
