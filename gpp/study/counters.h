/*
 * counters: what Nsight Compute counted of the versions: this program run under it, and its table read
 * by kernels' names. It times nothing: a profiler's times are not used.
 */
#ifndef GPP_STUDY_COUNTERS_H
#define GPP_STUDY_COUNTERS_H

#include "gpp/study/study.h"

struct gpp_ncu {
    char path[256];
    char metrics[4096]; /* those that it knows here, joined by commas */
};

/*
 * Finds ncu (`given`: a path; NULL: on the PATH and in NVIDIA's folders) and asks which metrics it
 * knows. ERT_UNAVAILABLE when it is nowhere.
 */
enum ert_status gpp_ncu_open(const char *given, struct gpp_ncu *ncu,
                             struct ert_error *error);

/*
 * Runs this program under ncu: `words`, NULL-terminated, are a subcommand and its options. *csv (malloc,
 * the caller's): what ncu printed. Clocks stay as they are, as in the timed runs.
 *
 * is_cold: caches are emptied before each replay pass. A run as large as the timed one is profiled with
 * the caches as the pass before left them, for the timed runs follow one another as well; a smaller
 * stand-in could find in L2 what the large one has to fetch, so it starts cold.
 *
 * ERT_UNAVAILABLE with ncu's words when it counted nothing.
 */
enum ert_status gpp_ncu_run(const struct gpp_ncu *ncu, const char *const *words,
                            bool is_cold, char **csv, struct ert_error *error);

/*
 * Reads what a file has of a version with nw energies into *counted, which was new. The texts are kept
 * by the strings. iterations: of the profiled problem and of the study's: all counts are scaled by their
 * ratio. Launches that make no whole number of runs are a doubt in counted->reason. ERT_UNAVAILABLE when
 * no launch of it is there, ERT_USAGE for a damaged file.
 */
enum ert_status gpp_counted_read(const char *file, const struct gpp_version *version,
                                 size_t nw, double launches, double profiled_iterations,
                                 double iterations, struct rfl_strings *strings,
                                 struct gpp_counted *counted, struct ert_error *error);

#endif
