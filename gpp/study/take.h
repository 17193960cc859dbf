/*
 * take: the stages of a study: rows are measured and kept, one by one, so that nothing is lost; then those
 * of one nw and contraction are counted and placed. A row that fails says why, and the next one goes on.
 */
#ifndef GPP_STUDY_TAKE_H
#define GPP_STUDY_TAKE_H

#include "gpp/study/counters.h"
#include "gpp/study/study.h"
#include "gpp/subject.h"

#include "ert/ceilings/ceilings.h"

/* Who counts. */
struct gpp_counting {
    bool is_on;         /* with ncu, else from the files */
    struct gpp_ncu ncu; /* open; path "": files */
    /* ncu's tables, with FMA and without; NULL none: written by ncu, or given. */
    const char *files[2];
    struct gpp_sizes sizes; /* profiled; nbands 0: the study's own */
};

struct gpp_study_plan {
    const struct gpp_version *const *versions;
    size_t n_versions;
    bool energies[GPP_MAX_NW + 1]; /* by nw */
    bool contractions[2];          /* with FMA, without */
    size_t repeat;
    const char *reference;  /* one of gpp_reference_words */
    struct gpp_options how; /* no_fma is the row's */
    struct gpp_counting counting;
    const struct ert_ceilings *ceilings; /* NULL: nothing is placed */
    const char *file;                    /* study.json, written after each row; NULL: not */
    /* Told of each row when it is measured, and again when it is counted; NULL: nobody. */
    void (*done)(const struct gpp_study *study, const struct gpp_study_row *row);
};

/*
 * Fills the study, whose system, sizes, seed and device are there, with all rows of the plan: nw outside,
 * then contraction, then versions. Fails only where no row could: inputs or reference without memory,
 * study.json that cannot be written.
 */
enum ert_status gpp_study_take(const struct gpp_study_plan *plan, struct gpp_study *study,
                               struct ert_error *error);

/*
 * The same for a study that was read: its rows are counted (where counting is on) and placed again, not
 * measured.
 */
enum ert_status gpp_study_retake(const struct gpp_study_plan *plan, struct gpp_study *study,
                                 struct ert_error *error);

#endif
