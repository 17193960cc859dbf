/*
 * ert110_series: the measured points of ERT's mode as curves of rate over working set, and which sets of a
 * curve stand on a plateau. Pure.
 */
#ifndef ERT_ERT110_SERIES_H
#define ERT_ERT110_SERIES_H

#include "ert/ceilings/evidence.h"
#include "ert/sweep/samples.h"

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

/* Whether the point is of ERT's mode and has a sample. */
bool ert110_is_measured(const struct ert_point *point);

/* ERT's median over its experiments: of an even number the slower of the middle two. 0 without memory. */
double ert110_rate(const struct ert_point *point, ert_rate rate);

/* Room for n points. False when memory runs out; close() is fine then too. */
bool ert110_series_open(struct ert110_series *series, size_t n);
void ert110_series_close(struct ert110_series *series);

/*
 * Fills the series with the kernel's next one from point *from on, which moves behind it; n 0 when there is
 * none. False when memory runs out.
 */
bool ert110_series_next(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                        size_t *from, struct ert110_series *series);

/*
 * The sets whose rates are within ERT's own width of a plateau's, `rate`. Where sets are too small for the
 * machine the curve rises through all rates: those before its top do not count. A plateau without a set has
 * its rate as low and high, n_samples 0.
 */
struct ert110_plateau ert110_series_plateau(const struct ert110_series *series,
                                            double rate);

#endif
