/*
 * nvprof_kernels: kernels as nvprof counts them: per kernel and metric an average over so many
 * invocations; times come from runs of their own, in other files or other tables of the same.
 *
 * Metrics: https://docs.nvidia.com/cuda/archive/11.0/profiler-users-guide/ ("Metrics Reference").
 */
#ifndef RFL_IMPORT_NVPROF_KERNELS_H
#define RFL_IMPORT_NVPROF_KERNELS_H

#include "analysis/import/import.h"
#include "analysis/import/kernels.h"

enum { RFL_NVPROF_METRICS = 27 };

struct rfl_nvprof_kernel {
    const char *name, *device; /* kept */
    double time_s, calls;      /* from the tables of times */
    double invocations;        /* of the metrics; the most of any */
    /* Averages; NaN: not there, or not a number. */
    double values[RFL_NVPROF_METRICS];
    size_t rows[RFL_NVPROF_METRICS]; /* 0: not in the file */
};

struct rfl_nvprof {
    const struct ert_lines *lines;
    const struct rfl_import_options *options;
    struct rfl_points *points;
    struct rfl_kernel_index index;
    struct rfl_nvprof_kernel *kernels; /* malloc */
    size_t room;
    bool is_forbidden;
};

/* Adds an average over `invocations` launches; metrics that are not needed are skipped. */
enum ert_status rfl_nvprof_metric(struct rfl_nvprof *nvprof, const char *kernel,
                                  const char *device, const char *metric,
                                  const char *invocations, const char *average,
                                  struct ert_error *error);

/* Adds the time of `calls` launches together; `unit` is s, ms, us or ns. */
enum ert_status rfl_nvprof_time(struct rfl_nvprof *nvprof, const char *kernel,
                                const char *device, const char *time, const char *unit,
                                double calls, struct ert_error *error);

/* Notes what a line that is no row says: whether counters were forbidden. */
void rfl_nvprof_remark(struct rfl_nvprof *nvprof, const char *line);

/* Makes the points. */
enum ert_status rfl_nvprof_finish(struct rfl_nvprof *nvprof, struct ert_error *error);

/* Adds the time of one point to another that has only counts, or the other way round. */
enum ert_status rfl_nvprof_join(struct rfl_points *points, struct rfl_point *earlier,
                                const struct rfl_point *later, bool *joined,
                                struct ert_error *error);

void rfl_nvprof_free(struct rfl_nvprof *nvprof);

#endif
