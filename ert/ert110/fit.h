/*
 * fit: samples of the ert110 mode -> ceilings as ERT 1.1.0 derives them: of each series (one kernel,
 * flop count and thread count or launch) a curve; the peak is the fastest set of any; the levels are
 * those of the one series with the largest weight (ert/stats/bands.h), named as ERT does: L1, L2 ...
 * from the fastest, the last DRAM. And from such a ceiling back to the case that gave it. Pure.
 */
#ifndef ERT_ERT110_FIT_H
#define ERT_ERT110_FIT_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* What ceilings.mode says of a file with such ceilings. */
#define ERT110_MODE "ert-1.1.0 compatible"

/* The measured points of one kernel, flop count and thread count or launch: ascending sets. */
struct ert110_series {
    const struct ert_point **points; /* n, the samples' */
    size_t n;
    double *set_bytes, *rates; /* byte/s; n of each */
    double weight;             /* ert/stats/bands.h */
};

/* The sets of a series that stand on a plateau. */
struct ert110_plateau {
    double low, high; /* byte/s */
    double bytes[2];  /* smallest and largest set */
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

/* The hook's functions of the same names (hook.h). */
void ert110_fit(const struct ert_device_samples *samples, struct ert_device_ceilings *out);
void ert110_fit_finish(const struct ert_samples *samples, struct ert_ceilings *ceilings);
bool ert110_is(const struct ert_ceiling *ceiling);
void ert110_config_of(const struct ert_ceilings *ceilings, struct ert_config *config);
void ert110_spec_of(const struct ert_ceiling *ceiling, const struct ert_device *device,
                    struct ert_spec *spec);

#endif
