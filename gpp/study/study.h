/*
 * study: what was measured of the versions on one machine, as plain data: a row per version, number of
 * energies and contraction. study_json.h keeps it; tables, steps and pages are made from it alone.
 */
#ifndef GPP_STUDY_STUDY_H
#define GPP_STUDY_STUDY_H

#include "gpp/measure.h"

#include "analysis/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the launches of a run become one value. */
enum gpp_fold { GPP_SUM, GPP_MEAN /* weighted by time */, GPP_MAX };

/* Metrics of the GPU's counters: GPP_M_DADD ... */
enum gpp_metric {
#define METRIC(id, ...) GPP_M_##id
#include "gpp/study/metrics.def"
#undef METRIC
    GPP_N_METRICS
};

struct gpp_metric_row {
    const char *key; /* in study.json */
    bool is_certain; /* on every GPU that ncu sees */
    enum gpp_fold fold;
    double factor;
    const char *name; /* ncu's */
};

extern const struct gpp_metric_row gpp_metrics[GPP_N_METRICS];

/* Levels of memory as they are counted; the last is called HBM on GPUs and DRAM on CPUs. */
enum gpp_level { GPP_L1, GPP_SHARED, GPP_L2, GPP_MEMORY, GPP_N_LEVELS };

/* What a profiler counted in one run, all its launches, on the study's own sizes. */
struct gpp_counted {
    bool is_there;
    char reason[256]; /* why not, or a doubt; "" none */
    char sizes
        [64]; /* "200x693x5537" when counted there and scaled by iterations; "" not scaled */
    double runs;             /* in the profile; the counts are those of one */
    double flops, fma_share; /* of the run; NaN not counted, as all here */
    double bytes[GPP_N_LEVELS];
    const char *flops_recipe, *bytes_recipes[GPP_N_LEVELS]; /* "" none; kept by the study */
    double values[GPP_N_METRICS];
};

/* Where the roofs of a ceilings.json put a row. */
struct gpp_placed {
    bool is_there;
    char reason[256]; /* why not */
    double mix_flop_per_s,
        mix_fraction; /* the peak for the row's own FMA mix; its share of it */
    double level_fractions[GPP_N_LEVELS]; /* rate / bandwidth; NaN without roof or bytes */
    char bound[48];  /* the roof that binds: "L1", "FP64 FMA 58 %", "issue" */
    double fraction; /* of it */
    double attainable_flop_per_s;
};

struct gpp_study_row {
    struct gpp_measurement m; /* without its result */
    size_t nw;
    char failed[256];         /* why nothing was measured, "" it was */
    double error;             /* against the reference; NaN not compared */
    struct gpp_counts counts; /* from the formulas; recipes kept by the study */
    struct gpp_counted counted;
    struct gpp_placed placed;
};

struct gpp_study {
    char created[32], host[128], os[128], tool[96], compiler[160], command[512];
    char system[128];       /* "si214", or sizes */
    struct gpp_sizes sizes; /* nw: that of the tables and charts of versions */
    uint64_t seed;
    struct gpp_shares shares;    /* of the nw of sizes */
    char reference[96];          /* "3 sampled rows, run apart", "none" */
    char device[16], model[128]; /* "gpu0", "NVIDIA H200" */
    char counters[256];          /* who counted: "Nsight Compute"; or why nobody did */
    bool has_counters;
    char ceilings[1024]; /* the file as it was given; "" none */
    char roofs[256];     /* of which machine, measured when */
    size_t n_rows, room;
    struct gpp_study_row *rows; /* malloc, owned */
    struct rfl_strings strings; /* texts of the rows */
};

/*
 * Appends a row in which all that is not known is NaN or "". The pointer is valid until the next one is
 * added. ERT_FAILED when memory runs out.
 */
enum ert_status gpp_study_add(struct gpp_study *study, const struct gpp_version *version,
                              size_t nw, bool no_fma, struct gpp_study_row **row,
                              struct ert_error *error);

/* Nothing known: NaN and "". */
void gpp_counted_clear(struct gpp_counted *counted);
void gpp_placed_clear(struct gpp_placed *placed);

/* Whether a row was measured; those that were not say why in `failed`. */
bool gpp_row_is_measured(const struct gpp_study_row *row);

/* (n, igp, ig, iw) of a row's problem. */
double gpp_row_iterations(const struct gpp_study *study, const struct gpp_study_row *row);

/* Operations and bytes of a row's run: counted where they were, else from the formulas. */
double gpp_row_flops(const struct gpp_study *study, const struct gpp_study_row *row);
double gpp_row_fma_share(const struct gpp_study_row *row);
double gpp_row_rate(const struct gpp_study *study, const struct gpp_study_row *row);

/* NaN where nobody counted them; of memory, without counters, the least that has to cross. */
double gpp_row_bytes(const struct gpp_study_row *row, enum gpp_level level);
double gpp_row_intensity(const struct gpp_study *study, const struct gpp_study_row *row,
                         enum gpp_level level);

/* How busy the FP64 pipe was: its active cycles, else the instructions that it took, of the most. */
double gpp_row_fp64_pipe(const struct gpp_study_row *row);

/* (counted - formulas) / formulas of the operations; NaN without counters. */
double gpp_row_difference(const struct gpp_study *study, const struct gpp_study_row *row);

/* "L1", "shared", "L2", and "HBM" or "DRAM" by the study's device. */
const char *gpp_level_name(const struct gpp_study *study, enum gpp_level level);

/* The row of a version, nw and contraction, or NULL. */
const struct gpp_study_row *gpp_study_find(const struct gpp_study *study,
                                           const struct gpp_version *version, size_t nw,
                                           bool no_fma);

/* The measured rows of one nw and contraction in their order; returns how many (at most n). */
size_t gpp_study_rows(const struct gpp_study *study, size_t nw, bool no_fma,
                      const struct gpp_study_row **rows, size_t n);

/* The contraction of the tables and charts of versions: with FMA where any row was measured so. */
bool gpp_study_no_fma(const struct gpp_study *study);

/* Whether rows differ in nw or contraction. */
bool gpp_study_has_energies(const struct gpp_study *study);

/* Frees all; all zero or NULL is fine. */
void gpp_study_free(struct gpp_study *study);

#endif
