/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * samples: what a run is to measure and what it measured: the plan's points, each with all its
 * samples, and the file format "ert-samples/4", where samples stand as one array per quantity. The fit
 * needs nothing else.
 */
#ifndef ERT_SWEEP_SAMPLES_H
#define ERT_SWEEP_SAMPLES_H

#include "ert/backend/backend.h"
#include "ert/base/error.h"
#include "ert/machine/activity.h"
#include "ert/machine/context.h"
#include "ert/sweep/config.h"

#include <stddef.h>
#include <stdint.h>

/* Working sets of a kernel on a path, each with all of the kernel's variants. The fit holds as many. */
enum { ERT_MAX_SETS = 256, ERT_MAX_SWEEP = ERT_MAX_SETS * ERT_MAX_VARIANTS };

/*
 * So many samples of a point say what its rate is: where they agree it gets no more, and it is compared with
 * points that needed more of them.
 */
enum { ERT_ENOUGH_SAMPLES = 8 };

enum ert_point_status {
    ERT_POINT_PLANNED, /* not measured: interrupted, out of budget, or not yet */
    ERT_POINT_MEASURED,
    ERT_POINT_SKIPPED, /* cannot be measured here: the reason says why */
    ERT_POINT_FAILED   /* went wrong: the reason says how; its samples do not count */
};

struct ert_point {
    enum ert_section section; /* what it is measured for */
    uint32_t at_once;         /* section multi_gpu: devices that ran it at once; 1: alone */
    struct ert_spec spec;
    struct ert_variant variant;
    struct ert_work work;
    enum ert_point_status status;
    char reason[256];
    uint64_t passes;        /* calibrated, of one region */
    double check_s;         /* what checking its results took; in no file */
    uint64_t ert110_trials; /* of ERT's region; ours has at most so many; else 0 */
    size_t n_samples, capacity;
    struct ert_sample *samples;     /* malloc, owned */
    struct ert_sustained sustained; /* all 0 when not measured */
};

enum { ERT_MAX_KERNELS_NOT_MEASURED = 256 };

struct ert_device_samples {
    char device[16];            /* id in machine */
    struct ert_context context; /* of machine and config, by the plan and the reader */
    char status[16]; /* "complete", "interrupted", "budget", "failed", "planned" */
    char reason[256];
    char notes[512];                    /* limitations that the backend named */
    double elapsed_s;                   /* that the device took, opening included */
    struct ert_observation observation; /* n_cpus 0: none; cpus is malloc, owned */
    struct ert_activity activity;       /* of the host's CPUs in that time */
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

/* Whether the device was measured as ERT 1.1.0 does: the points of that section stand alone. */
bool ert_samples_of_ert110(const struct ert_device_samples *samples);

/* Passes per second of all threads together: what the backend says, else passes by time. */
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

/* Work per second of passes per second: byte/s, or flop/s where no bytes are moved; the fastest sample's. */
double ert_point_rate(const struct ert_point *point, double passes_per_s);
double ert_point_fastest(const struct ert_point *point);

/* "triad, cached, 64 KiB, avx512": what a message calls a point. */
struct ert_point_text {
    char text[128];
};
struct ert_point_text ert_point_describe(const struct ert_point *point);

/* Writes atomically; reads back all of it. ERT_USAGE for bad content or a newer major version. */
enum ert_status ert_samples_write(const char *file, const struct ert_samples *samples,
                                  struct ert_error *error);
enum ert_status ert_samples_read(const char *file, struct ert_samples *samples,
                                 struct ert_error *error);

/* Frees what the points own; all zero is fine. */
void ert_samples_free(struct ert_samples *samples);

#endif
