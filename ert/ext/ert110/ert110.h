/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: the mode that measures as the Empirical Roofline Toolkit 1.1.0 does: its working sets, how
 * often it goes over each, its thread counts and launch shapes, and its way from samples to ceilings.
 * From ERT's own sources (https://bitbucket.org/berkeleylab/cs-roofline-toolkit: Drivers,
 * Python/ert_core.py); ert/ert-1.1.0.md says what it is. The core asks for all of it through ert_mode_ert110.
 */
#ifndef ERT_ERT110_ERT110_H
#define ERT_ERT110_ERT110_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/kernels/kernel.h"
#include "ert/core/machine/machine.h"
#include "ert/core/sweep/config.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/samples.h"
#include "ert/ext/ert110/kernels.h"

#include <stddef.h>
#include <stdint.h>

extern const struct ert_mode ert_mode_ert110;

enum { ERT110_MAX_LIST = 64 };

/* What ERT 1.1.0 would measure: config.mode_options. By default as its examples: 1 GiB, sets by 1.1. */
struct ert110_options {
    struct ert110_memory memory;
    uint64_t set_min;    /* ERT_WORKING_SET_MIN: elements of a thread, of a GPU in all */
    uint64_t trials_min; /* ERT_TRIALS_MIN */
    uint32_t at_once; /* CPU: passes at once that the compiler makes of ERT's loops: 1, 2 */
    /*
     * CPU: without blocks; none: one thread per usable core. GPU: blocks of so many threads; none: all
     * threads that it holds, in blocks of 64 to 1024.
     */
    uint32_t n_launches;
    struct ert110_launch {
        uint32_t blocks, threads;
    } launches[ERT110_MAX_LIST];
    double growth; /* ERT_WSS_MULT: from one set to the next */
} __attribute__((may_alias));

/* The options of a config: a copy, and what can be changed. */
struct ert110_options ert110_options_of(const struct ert_config *config);
struct ert110_options *ert110_own_options(struct ert_config *config);

/* One working set: elements per thread, and the passes of the region that ERT reports. */
struct ert110_set {
    uint64_t elements, trials;
};

/*
 * The sets of a kernel with so many threads (GPU: 1), ascending, at most `max`; returns how many.
 * ERT goes over each 1, 2, 4 ... times and keeps the last, which is at least trials_min times.
 */
size_t ert110_sets(const struct ert110_options *options, enum ert_kernel_id kernel,
                   uint32_t n_threads, struct ert110_set *sets, size_t max);

/*
 * config.c: configs of the mode: its preset, and its options as keys of ours. ERT's own configuration files
 * become such a config by the Python package (ert_config.py).
 */

/*
 * Makes *config a run in this mode and nothing else: `ert run --ert-compatible`. No limit of time; a
 * region ends at 2 ms where ERT's would be longer (its smallest sets: the rate is the same).
 */
enum ert_status ert110_preset(struct ert_config *config,
                              const struct ert_ceilings *recorded, struct ert_error *error);

/* The other functions of a mode (mode.h). */
extern const char *const ert110_config_keys[];
void ert110_config_write(const struct ert_config *config, cJSON *root);
enum ert_status ert110_config_read(struct ert_json at, struct ert_config *config,
                                   struct ert_error *error);

/* What a file of ceilings keeps of the memory, as text in JSON. */
void ert110_memory_write(const struct ert110_memory *memory, char *text, size_t size);

/*
 * bands.c: how ERT 1.1.0 derives levels from a bandwidth curve (Scripts/summary.py), so that both give the
 * same levels for the same curve. Pure arithmetic; plateau.h is the project's own method.
 *
 * Sets smaller than the fastest one are dropped. For each of 10000 rates from 0 to the fastest, the sets
 * within 5 % of it are counted. Consecutive rates with more than 6 such sets form a run; the rate with the
 * most sets becomes a level, at the mean of its sets, unless that is less than a given factor below the
 * previous level, which then absorbs the sets. The first level starts as 1000 copies of the fastest set.
 */

enum { ERT_MAX_BANDS = 64 };

/*
 * Writes the rates of the levels to bands[], fastest first; returns how many, at least 1 if n is above 0.
 * rates[n]: above 0, in the order of ascending sets. merge: the factor, 1.25 in ERT's C sources and 1.15
 * in its C++ sources.
 */
size_t ert_bands_of(const double *rates, size_t n, double merge,
                    double bands[ERT_MAX_BANDS]);

/*
 * The area under the curve over the logarithm of the set: ERT takes the levels of the run with the largest.
 */
double ert_bands_weight(const double *set_bytes, const double *rates, size_t n);

/*
 * fit.c: samples -> ceilings as ERT 1.1.0 derives them: of each series (one kernel, flop count and thread
 * count or launch) a curve; the peak is the fastest set of any; the levels are those of the one series
 * with the largest weight (ert_bands_weight), named as ERT does: L1, L2 ... from the fastest, the last
 * DRAM. And from such a ceiling back to the spec that gave it. Pure.
 */

/* What ceilings.mode says of a file with such ceilings. */
#define ERT110_MODE "ert-1.1.0 compatible"

/* The measured points of one kernel, flop count and thread count or launch: ascending sets. */
struct ert110_series {
    const struct ert_point **points; /* n, the samples' */
    size_t n;
    double *set_bytes, *rates; /* byte/s; n of each */
    double weight;             /* ert_bands_weight() */
};

/* The sets of a series that stand on a plateau. */
struct ert110_plateau {
    double low, high; /* byte/s */
    uint32_t n_samples;
    size_t nearest; /* index of the set whose rate is next to the plateau's */
};

/*
 * The sets whose rates are within ERT's own width of a plateau's, `rate`. Where sets are too small for the
 * machine the curve rises through all rates: those before its top do not count. A plateau without a set has
 * its rate as low and high, n_samples 0.
 */
struct ert110_plateau ert110_series_plateau(const struct ert110_series *series,
                                            double rate);

/* A mode's fit() and recall() (mode.h). */
void ert110_fit(const struct ert_samples *samples, size_t device,
                struct ert_ceilings *ceilings);
enum ert_status ert110_recall(const struct ert_ceiling *ceiling,
                              const struct ert_device *device,
                              const struct ert_session_options *options,
                              struct ert_point *point, struct ert_error *error);

/*
 * Puts the launch of a spec behind a variant's name and into its threads: CPUs "avx2, 2 passes at once,
 * 8 threads", GPUs "640 x 256".
 */
void ert110_name_launch(const struct ert_spec *spec, struct ert_variant *variant);

#endif
