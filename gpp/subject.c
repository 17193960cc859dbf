#include "gpp/subject.h"

#include <string.h>

/* From so many iterations on the reference, 10 ns each, takes longer than what it is for. */
static const double full_iterations = 3e8;

const char *const gpp_reference_words[] = {"auto", "full", "sample", "none", NULL};

enum ert_status gpp_subject_prepare(struct gpp_subject *subject, const char *reference,
                                    struct ert_error *error)
{
    const struct gpp_problem *problem = &subject->problem;
    const struct gpp_sizes *s = &problem->sizes;
    const bool is_auto = strcmp(reference, "auto") == 0;
    gpp_shares_count(problem, 2e7, &subject->shares, NULL);
    if (strcmp(reference, "none") == 0)
        return ERT_OK;
    subject->checked = problem;
    if (s->ngpown > GPP_SAMPLED_ROWS &&
        ((is_auto && gpp_sizes_iterations(s) > full_iterations) ||
         strcmp(reference, "sample") == 0)) {
        ERT_TRY(gpp_problem_rows(problem, 0, (s->ngpown - 1) / (GPP_SAMPLED_ROWS - 1),
                                 GPP_SAMPLED_ROWS, &subject->part, error));
        subject->checked = &subject->part;
    }
    return gpp_reference_compute(subject->checked, &subject->reference, error);
}

enum ert_status gpp_subject_compare(const struct gpp_subject *subject,
                                    const struct gpp_measurement *measurement,
                                    double *worst, struct ert_error *error)
{
    struct gpp_measurement part = *measurement;
    *worst = -1;
    if (!subject->checked)
        return ERT_OK;
    if (subject->checked != &subject->problem)
        ERT_TRY(
            gpp_measure(part.version, subject->checked, &part.options, 1, &part, error));
    *worst = gpp_result_error(&part.result, &subject->reference.result,
                              subject->problem.sizes.nw);
    return ERT_OK;
}

void gpp_subject_free(struct gpp_subject *subject)
{
    if (!subject)
        return;
    gpp_problem_free(&subject->problem);
    gpp_problem_free(&subject->part);
}
