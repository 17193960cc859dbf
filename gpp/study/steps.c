#include "gpp/study/steps.h"

#include <math.h>

void gpp_step_make(const struct gpp_study *study, const struct gpp_study_row *before,
                   const struct gpp_study_row *after, struct gpp_step *step)
{
    *step = (struct gpp_step){.study = study, .before = before, .after = after};
    step->speedup = before->m.time_s / after->m.time_s;
    step->operations = gpp_row_flops(study, before) / gpp_row_flops(study, after);
    step->rate = gpp_row_rate(study, after) / gpp_row_rate(study, before);
    step->mix = (1 + gpp_row_fma_share(after)) / (1 + gpp_row_fma_share(before));
    step->use = step->rate / step->mix;
    step->is_significant =
        after->m.high_s < before->m.low_s || before->m.high_s < after->m.low_s;
    step->operations_share =
        step->speedup == 1 ? NAN : log(step->operations) / log(step->speedup);
}
