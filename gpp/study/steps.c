#include "gpp/study/steps.h"

#include <math.h>

double gpp_step_flops(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return step->is_counted ? row->counted.flops
                            : row->counts.flops * gpp_row_iterations(step->study, row);
}

double gpp_step_fma_share(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return step->is_counted ? row->counted.fma_share : row->counts.fma_share;
}

double gpp_step_bytes(const struct gpp_step *step, const struct gpp_study_row *row,
                      enum gpp_level level)
{
    if (step->is_counted)
        return row->counted.bytes[level];
    return level == GPP_MEMORY ? row->counts.bytes : NAN;
}

void gpp_step_make(const struct gpp_study *study, const struct gpp_study_row *before,
                   const struct gpp_study_row *after, struct gpp_step *step)
{
    *step = (struct gpp_step){.study = study, .before = before, .after = after};
    step->is_counted = before->counted.flops > 0 && after->counted.flops > 0;
    step->speedup = before->m.time_s / after->m.time_s;
    step->operations = gpp_step_flops(step, before) / gpp_step_flops(step, after);
    step->rate = step->speedup / step->operations;
    step->mix =
        (1 + gpp_step_fma_share(step, after)) / (1 + gpp_step_fma_share(step, before));
    step->use = step->rate / step->mix;
    step->is_significant =
        after->m.high_s < before->m.low_s || before->m.high_s < after->m.low_s;
    step->operations_share =
        step->speedup == 1 ? NAN : log(step->operations) / log(step->speedup);
}
