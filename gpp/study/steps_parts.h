/*
 * steps_parts: what the rules of steps share. A rule appends one sentence to an empty text, or nothing.
 * Private to steps.
 */
#ifndef GPP_STUDY_STEPS_PARTS_H
#define GPP_STUDY_STEPS_PARTS_H

#include "gpp/study/steps.h"

/* Below this a factor is not worth a word. */
#define GPP_SMALL_CHANGE 0.05

/* Appends a formatted text. */
void gpp_say(char text[GPP_SENTENCE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ", " or what a list in a sentence begins with. */
const char *gpp_joint(const char *text, const char *first);

/* Whether two known numbers above 0 are more than GPP_SMALL_CHANGE apart. */
bool gpp_differs(double before, double after);

/* A count of a run per (n, igp, ig, iw). */
double gpp_per_iteration(const struct gpp_step *step, const struct gpp_study_row *row,
                         double count);

/* A quantity of a row; NaN not known. */
typedef double gpp_quantity(const struct gpp_step *step, const struct gpp_study_row *row);

gpp_quantity gpp_flops_of, gpp_registers_of, gpp_warps_of, gpp_threads_of, gpp_l1_of,
    gpp_shared_of, gpp_l2_of, gpp_memory_of, gpp_slots_of, gpp_lanes_of;

/* The rules over counters. */
void gpp_rule_causes(const struct gpp_step *step, char text[GPP_SENTENCE]);
void gpp_rule_hits(const struct gpp_step *step, char text[GPP_SENTENCE]);
void gpp_rule_instructions(const struct gpp_step *step, char text[GPP_SENTENCE]);
void gpp_rule_pipe(const struct gpp_step *step, char text[GPP_SENTENCE]);
void gpp_rule_stalls(const struct gpp_step *step, char text[GPP_SENTENCE]);
void gpp_rule_divergence(const struct gpp_step *step, char text[GPP_SENTENCE]);

#endif
