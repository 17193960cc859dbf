/*
 * steps: from one version to the next: what moved and why, in numbers. Sentences come from rules in a
 * table over the differences of two rows, never from knowing a version. Pure.
 *
 * time = operations / rate, and rate = peak for the mix x share of it, where the peak goes with
 * (1 + f) / 2 of a share f of FMA (analysis/model.h). So a speed-up is a product, t0 / t1 = (o0 / o1)
 * (1 + f1) / (1 + f0) (share1 / share0), and its logarithm a sum: how much of a step is fewer operations,
 * how much the mix, and how much a higher share of the roof for it. Needs no ceilings.
 */
#ifndef GPP_STUDY_STEPS_H
#define GPP_STUDY_STEPS_H

#include "gpp/study/study.h"

struct gpp_step {
    const struct gpp_study *study; /* the caller's, as the rows */
    const struct gpp_study_row *before, *after;
    double speedup;    /* t0 / t1 */
    double operations; /* o0 / o1: the speed-up if the rate had stayed */
    double rate;       /* r1 / r0: the speed-up if the operations had stayed */
    double mix, use;   /* rate = mix x use: of the FMA share, of the share of the roof */
    /*
     * log(operations) / log(speedup): the share of the step that is fewer operations, 1 all of it. Above
     * 1 or below 0 the two work against each other; NaN where the time did not change.
     */
    double operations_share;
    bool
        is_counted; /* operations and bytes of both rows are counted; else of both from formulas */
    bool is_significant; /* the intervals of the two times do not overlap */
};

/* Fills *step from two measured rows. */
void gpp_step_make(const struct gpp_study *study, const struct gpp_study_row *before,
                   const struct gpp_study_row *after, struct gpp_step *step);

/* Operations, FMA share and bytes of one of the step's rows: of both from the same source. */
double gpp_step_flops(const struct gpp_step *step, const struct gpp_study_row *row);
double gpp_step_fma_share(const struct gpp_step *step, const struct gpp_study_row *row);
double gpp_step_bytes(const struct gpp_step *step, const struct gpp_study_row *row,
                      enum gpp_level level);

enum { GPP_MAX_SENTENCES = 24, GPP_SENTENCE = 512 };

struct gpp_sentences {
    size_t n;
    char texts[GPP_MAX_SENTENCES][GPP_SENTENCE];
};

/* What there is to say of a step, most important first; each rule says one sentence or none. */
void gpp_step_explain(const struct gpp_step *step, struct gpp_sentences *sentences);

/*
 * What the counters of one row say of the formulas of counts.def: how far apart the operations are, and
 * in which kinds. One sentence, "" without counters.
 */
void gpp_row_explain(const struct gpp_study *study, const struct gpp_study_row *row,
                     char text[GPP_SENTENCE]);

#endif
