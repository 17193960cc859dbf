/* SPDX-License-Identifier: BSD-3-Clause */
/* views: defines rfl_views (analysis/core/place/views.h); and the model of its energy. */
#ifndef RFL_EXT_VIEWS_H
#define RFL_EXT_VIEWS_H

/*
 * The energy roofline: flop/J at an intensity, from the energy (J) per flop and per byte and the constant
 * power (W): 1 / (e_flop + e_byte / I + constant_w / perf). Choi, Bedard, Fowler, Vuduc, "A Roofline Model of
 * Energy", IPDPS 2013, doi:10.1109/IPDPS.2013.77, eq. 5, with perf the attainable flop/s. NaN when an input
 * is negative or NaN.
 */
double rfl_views_energy(double intensity_flop_per_byte, double flop_j, double byte_j,
                        double constant_w, double perf_flop_per_s);

#endif
