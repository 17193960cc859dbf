/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config: what a run is asked to do: which devices and kernels, how long. Read from JSON
 * ("ert-config/2", configs/README.md), or the defaults. Pure.
 */
#ifndef ERT_SWEEP_CONFIG_H
#define ERT_SWEEP_CONFIG_H

#include "ert/base/error.h"
#include "ert/base/json.h"
#include "ert/ert110/options.h"
#include "ert/kernels/kernel.h"
#include "ert/machine/context.h"

#include <stdbool.h>
#include <stdint.h>

/* The parts of a run. */
enum ert_section {
    ERT_SECTION_LEVELS,      /* working-set sweeps: a bandwidth per level and pattern */
    ERT_SECTION_COMPUTE,     /* operations per second of every type and unit */
    ERT_SECTION_MIXED,       /* ERT's kernel: the roofline itself */
    ERT_SECTION_LATENCY,     /* pointer chases per level */
    ERT_SECTION_ACCESS,      /* strides and access sizes per level */
    ERT_SECTION_CONCURRENCY, /* ceilings against threads, warps per SM */
    ERT_SECTION_LINKS,       /* host link, GPU to GPU */
    ERT_SECTION_NUMA,        /* each NUMA node from each package */
    ERT_SECTION_CORE_KINDS,  /* each kind of core of a hybrid CPU */
    ERT_SECTION_MULTI_GPU,   /* all GPUs at once */
    ERT_SECTION_ERT110,      /* what LBNL's ERT 1.1.0 measures, as it does */
    ERT_N_SECTIONS
};

enum { ERT_MAX_REMARKS = 48, ERT_REMARK_BYTES = 256 };

struct ert_config {
    char name[64];                       /* the file's "name", or "default" */
    char device[16];                     /* "all", "cpu", "gpu", "gpu0", "fake" */
    bool kernels[ERT_N_KERNELS];         /* which rows to run */
    bool mixed_flops[ERT_N_MIXED_FLOPS]; /* which of ERT_MIXED_FLOPS */
    bool sections[ERT_N_SECTIONS];       /* which parts to run */
    char isa[16];                        /* CPU: only this one; "" for the best */
    char dram_bandwidth[ERT_DRAM_TEXT];  /* as the user states it (dram.h), or "" */
    uint64_t threads;                    /* CPU: 0 for one per usable core */
    double points_per_octave;            /* of working-set size */
    uint64_t working_set_min_bytes;      /* 0: a sixteenth of the first level */
    uint64_t working_set_max_bytes;      /* 0: what proves the memory level */
    uint64_t memory_max_bytes;           /* buffers on the host; 0: half of what is free */
    double region_s;                     /* least length of a timed region */
    uint64_t rounds;                     /* over all points */
    uint64_t leader_rounds;              /* more, over the points that decide a ceiling */
    uint64_t leaders;                    /* points per ceiling that get them */
    double sustained_s; /* how long each sustained rate is measured; 0: none is */
    bool sustained_all; /* of all ceilings; else of those that a power limit may hold */
    double budget_s;    /* per device; 0 for none */
    double timeout_s;   /* a region longer than this is a hang */
    uint64_t seed;
    struct ert110_options ert110;
    uint32_t n_remarks; /* what of a foreign config does not apply here, and why */
    char remarks[ERT_MAX_REMARKS][ERT_REMARK_BYTES];
    bool tensor_zeros; /* the GPU's tensor kernels multiply zeros, not random data */
};

/* The default run: 20 s on a GPU, 60 s on CPUs at most. */
void ert_config_default(struct ert_config *config);

/* The same sweep, coarser and shorter: at most 25 s a device. */
void ert_config_quick(struct ert_config *config);

/* Everything: all sections, every ceiling metered; at most 180 s a device. */
void ert_config_full(struct ert_config *config);

/* "levels", "compute" ..., NULL: of enum ert_section. */
extern const char *const ert_section_words[ERT_N_SECTIONS + 1];

/* Reads a file over the defaults. ERT_USAGE names file, key, value and limit. */
enum ert_status ert_config_read(const char *file, struct ert_config *config,
                                struct ert_error *error);

/* What a device's run uses under the config (context.h). ERT_USAGE for too many threads. */
enum ert_status ert_config_context(const struct ert_config *config,
                                   const struct ert_device *device,
                                   struct ert_context *context, struct ert_error *error);

/* As JSON, for the samples file (fields.h says of memory that runs out); and back. */
cJSON *ert_config_to_json(const struct ert_config *config);
enum ert_status ert_config_from_json(struct ert_json at, struct ert_config *config,
                                     struct ert_error *error);

#endif
