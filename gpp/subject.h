/*
 * subject: a problem as versions are tried on it: its inputs, its shares, and the reference that their
 * results are compared with. It measures nothing: measure.h does.
 */
#ifndef GPP_SUBJECT_H
#define GPP_SUBJECT_H

#include "gpp/measure.h"

/* First, middle and last row of a sampled reference, with all bands and columns. */
enum { GPP_SAMPLED_ROWS = 3 };

struct gpp_subject {
    struct gpp_problem problem, part;  /* part: the sampled rows */
    const struct gpp_problem *checked; /* problem, part or NULL: nothing is compared */
    struct gpp_reference reference;    /* of *checked */
    struct gpp_shares shares;
};

/* "auto", "full", "sample", "none", NULL-terminated. */
extern const char *const gpp_reference_words[];

/*
 * Counts the shares and computes the reference of subject->problem, which is filled: of all (full), of
 * sampled rows that a version then runs once more (sample), of none, or (auto) of all up to 3e8
 * iterations and else sampled. ERT_FAILED without memory.
 */
enum ert_status gpp_subject_prepare(struct gpp_subject *subject, const char *reference,
                                    struct ert_error *error);

/*
 * The error of a measured version (reference.h) in *worst: of its timed run, or of one on the sampled
 * rows; -1 without a reference. Errors as the engine's.
 */
enum ert_status gpp_subject_compare(const struct gpp_subject *subject,
                                    const struct gpp_measurement *measurement,
                                    double *worst, struct ert_error *error);

/* Frees all; all zero or NULL is fine. */
void gpp_subject_free(struct gpp_subject *subject);

#endif
