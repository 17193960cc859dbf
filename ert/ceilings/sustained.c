/* Sustained rates: they take the place of what short regions showed, which stays beside them. */
#include "ert/ceilings/conditions.h"
#include "ert/ceilings/evidence.h"
#include "ert/stats/estimate.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <stdio.h>

/* Rates that differ by less are one: a roof serves short and long kernels alike. */
static const double same_rate = 0.01;

/* Passes per second as the rate of a sample. */
static double rate_at(const struct ert_point *point, ert_rate rate, double passes_per_s)
{
    const struct ert_sample sample = {.rate_per_s = passes_per_s};
    return rate(point, &sample);
}

/* When the first part begins whose rate is nearer to the sustained one; of the first its middle. */
static double falls_after(const struct ert_point *point, ert_rate rate, double burst,
                          double sustained)
{
    const struct ert_sustained *run = &point->sustained;
    if (!(sustained < (1 - same_rate) * burst))
        return 0;
    for (uint32_t i = 0; i < run->n_parts; i++)
        if (rate_at(point, rate, run->parts[i].rate_per_s) < (burst + sustained) / 2)
            return i > 0 ? run->parts[i - 1].end_s : run->parts[0].end_s / 2;
    return run->parts[run->n_parts - 1].end_s;
}

/* Whether its rate is another than that of short regions, and not by disturbance. */
static bool takes_the_place(const struct ert_ceiling *ceiling,
                            const struct ert_point *point)
{
    const bool is_gpu = point->work.blocks > 0;
    const struct ert_sustained *run = &point->sustained;
    return is_gpu ||
           (run->clock_hz > 0 && run->clock_hz < (1 - same_rate) * ceiling->clock_hz);
}

static void replace_rate(struct ert_ceiling *ceiling, const struct ert_point *point,
                         ert_rate rate)
{
    const struct ert_sustained *run = &point->sustained;
    double rates[ERT_MAX_PARTS];
    size_t n = 0;
    ceiling->burst = ceiling->value;
    ceiling->burst_low = ceiling->low;
    ceiling->burst_high = ceiling->high;
    ceiling->best = 0;
    for (uint32_t i = run->n_settling; i < run->n_parts; i++) {
        rates[n] = rate_at(point, rate, run->parts[i].rate_per_s);
        ceiling->best = fmax(ceiling->best, rates[n++]);
    }
    if (point->work.blocks > 0) {
        ceiling->value = rate_at(point, rate, run->rate_per_s);
        ert_stats_interval(rates, n, &ceiling->low, &ceiling->high);
    } else { /* a CPU's parts are disturbed one by one, as short regions are */
        struct ert_estimate estimate = ert_estimate_make(rates, n, ERT_BETTER_HIGH);
        ceiling->value = estimate.value;
        ceiling->low = estimate.low;
        ceiling->high = estimate.high;
    }
    ceiling->n_samples = (uint32_t)n;
    ceiling->sustained_s = run->time_s;
    ceiling->falls_after_s = falls_after(point, rate, ceiling->burst, ceiling->value);
    if (run->clock_hz > 0) {
        ceiling->clock_hz = run->clock_hz;
        ceiling->clock_low_hz = run->clock_low_hz;
    }
    ert_throttle_names(run->throttle, ceiling->held_by, sizeof ceiling->held_by);
}

void ert_evidence_sustain(struct ert_ceiling *ceiling, const struct ert_point *point,
                          ert_rate rate)
{
    const struct ert_sustained *run = &point->sustained;
    if (run->n_parts <= run->n_settling)
        return;
    if (takes_the_place(ceiling, point))
        replace_rate(ceiling, point, rate);
    ceiling->power_w = run->power_w;
    if (run->power_w > 0)
        ceiling->per_joule = rate_at(point, rate, run->rate_per_s) / run->power_w;
    snprintf(ceiling->power_source, sizeof ceiling->power_source, "%s", run->source);
}
