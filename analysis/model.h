/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: the roofline model itself. Pure arithmetic; it knows no machine and draws nothing.
 * Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
 * Architectures", CACM 52(4), 2009, doi:10.1145/1498765.1498785.
 */
#ifndef RFL_MODEL_H
#define RFL_MODEL_H

#include <stddef.h>

/*
 * The performance (flop/s) that the roofs allow at an intensity (flop/byte):
 * min(peak, bandwidth * intensity), the paper's formula. NaN when an input is NaN or
 * negative.
 */
double rfl_model_attainable(double intensity_flop_per_byte, double bandwidth_bytes_per_s,
                            double peak_flop_per_s);

/*
 * The intensity (flop/byte) of the ridge point, where the two roofs meet: peak / bandwidth. NaN
 * when the bandwidth or the peak is not above 0.
 */
double rfl_model_ridge(double bandwidth_bytes_per_s, double peak_flop_per_s);

/*
 * The peak (flop/s) of a code of whose arithmetic instructions a share f is FMA, the rest additions
 * and multiplications at the same issue rate: fma_peak * (2 f + (1 - f)) / 2. Yang, "8 Steps to 3.7
 * TFLOP/s on NVIDIA V100 GPU", arXiv:2008.11326, section II. NaN when f is outside 0..1.
 */
double rfl_model_mix(double fma_peak_flop_per_s, double fma_share);

/*
 * The same for cores whose adders are units of their own (AMD Zen), by three measured peaks: of FMA, of
 * as many additions beside them (fma_add), and of additions and multiplications without FMA. The time
 * of an instruction is linear between the shares 1, 1/2 and 0, as it is where each kind has its units.
 * A peak of 0, or below what rfl_model_mix gives, is not there.
 */
double rfl_model_units(double fma_peak_flop_per_s, double fma_add_peak_flop_per_s,
                       double no_fma_peak_flop_per_s, double fma_share);

/*
 * The peak (flop/s) of a share f of FMA of which each takes longer than its issue slot, since its
 * operands take as long to read: fma_peak where they do not, operand_peak (lower) where all do. The
 * times of the instructions add up: (1 + f) / 2 * fma_peak / (f * fma_peak / operand_peak + 1 - f).
 * NaN as above, or when a peak is not above 0.
 */
double rfl_model_operands(double fma_peak_flop_per_s, double operand_peak_flop_per_s,
                          double fma_share);

/*
 * The energy roofline: flop/J at an intensity, from the energy of a flop and of a byte and the power
 * (W) that is drawn all the time: 1 / (e_flop + e_byte / I + constant_w / perf). Choi, Bedard, Fowler,
 * Vuduc, "A Roofline Model of Energy", IPDPS 2013, doi:10.1109/IPDPS.2013.77, eq. 5, with perf the
 * attainable flop/s. NaN when an input is negative or NaN.
 */
double rfl_model_energy(double intensity_flop_per_byte, double flop_j, double byte_j,
                        double constant_w, double perf_flop_per_s);

#endif
