/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * samples: the points of a plan, each with all its samples, and the file format "ert-samples/4", which
 * stores samples as one array per quantity. The fit needs nothing else.
 */
#ifndef ERT_SWEEP_SAMPLES_H
#define ERT_SWEEP_SAMPLES_H

#include "ert/core/backend/backend.h"
#include "ert/core/base/error.h"
#include "ert/core/machine/activity.h"
#include "ert/core/sweep/config.h"

#include <stddef.h>
#include <stdint.h>

/* Most working sets of a kernel on a path; the same, each with all of the kernel's variants. */
enum { ERT_MAX_SETS = 256, ERT_MAX_SWEEP = ERT_MAX_SETS * ERT_MAX_VARIANTS };

/* Enough samples of a point: if they agree, it gets no more, and is compared with points that do. */
enum { ERT_ENOUGH_SAMPLES = 8 };

enum ert_point_status {
    ERT_POINT_PLANNED, /* not measured: interrupted, out of budget, or not yet */
    ERT_POINT_MEASURED,
    ERT_POINT_SKIPPED, /* not measured on purpose: see the reason */
    ERT_POINT_FAILED   /* see the reason; its samples do not count */
};

struct ert_point {
    enum ert_section section; /* what it is measured for */
    uint32_t at_once;         /* multi_gpu: devices that ran it at once; 1: alone; else 0 */
    struct ert_spec spec;
    struct ert_variant variant;
    struct ert_work work;
    enum ert_point_status status;
    char reason[256];
    uint64_t passes;      /* per region, calibrated; 0: not yet */
    double check_s;       /* time to verify its results; not written to files */
    uint64_t most_passes; /* of a region, where its mode sets it; else 0 */
    double region_s; /* estimated time of a sample; 0: the config's. Not written to files */
    double sustain_s; /* of its sustained run, whoever wins; 0: by schedule. Not in files */
    size_t n_samples, capacity;
    struct ert_sample *samples;     /* malloc, owned */
    struct ert_sustained sustained; /* all 0 when not measured */
};

enum { ERT_MAX_KERNELS_NOT_MEASURED = 256 };

struct ert_device_samples {
    char device[16];            /* id in machine */
    struct ert_context context; /* derived from machine and config; not in the file */
    char status[16]; /* "complete", "interrupted", "budget", "failed", "planned" */
    char reason[256];
    char notes[512];                    /* limitations that the backend named */
    double elapsed_s;                   /* of the device's run, opening included */
    struct ert_observation observation; /* n_cpus 0: none; cpus is malloc, owned */
    struct ert_activity activity;       /* of the host's CPUs during elapsed_s */
    size_t n_points;
    struct ert_point *points; /* malloc, owned */
    size_t n_not_measured;    /* kernels that the device cannot run, with the reason */
    struct ert_kernel_not_measured {
        char name[32], reason[192];
    } not_measured[ERT_MAX_KERNELS_NOT_MEASURED];
};

struct ert_samples {
    char created[32];
    char status[16]; /* the worst of the devices' */
    struct ert_config config;
    struct ert_machine machine;
    size_t n_devices;
    struct ert_device_samples devices[ERT_MAX_DEVICES];
};

/* The mode (mode.h) in which the device was measured: then all points are of its section. NULL: ert's own. */
const struct ert_mode *ert_samples_mode(const struct ert_device_samples *samples);

/* Estimated time in s of all regions of one sample. */
double ert_point_region_s(const struct ert_config *config, const struct ert_point *point);

/* Passes per second of all threads together: rate_per_s if the backend set it, else passes / time_s. */
double ert_sample_rate(const struct ert_sample *sample);

/* Appends a copy of a sample to a point. ERT_FAILED when memory runs out. */
enum ert_status ert_point_add(struct ert_point *point, const struct ert_sample *sample,
                              struct ert_error *error);

/* Seconds per dependent load of one sample of a latency point; 0 for other kernels. */
double ert_point_latency(const struct ert_point *point, const struct ert_sample *sample);

/* Rates of one sample of a point: byte/s and flop/s; 0 when its kernel has none. */
double ert_point_bandwidth(const struct ert_point *point, const struct ert_sample *sample);
double ert_point_performance(const struct ert_point *point,
                             const struct ert_sample *sample);

/* The work rate at passes_per_s: byte/s, or flop/s for a point that moves no bytes. */
double ert_point_rate(const struct ert_point *point, double passes_per_s);

/* A point's name in messages: "triad, cached, 64 KiB, avx512". */
struct ert_point_text {
    char text[128];
};
struct ert_point_text ert_point_describe(const struct ert_point *point);

/* Writes atomically; reads it back. ERT_USAGE for bad content or another version of the format. */
enum ert_status ert_samples_write(const char *file, const struct ert_samples *samples,
                                  struct ert_error *error);
enum ert_status ert_samples_read(const char *file, struct ert_samples *samples,
                                 struct ert_error *error);

/* Frees what the points own; accepts an all-zero struct. */
void ert_samples_free(struct ert_samples *samples);

#endif
