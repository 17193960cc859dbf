/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: the roofline model itself. Pure arithmetic; it knows no machine and draws nothing.
 * Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
 * Architectures", CACM 52(4), 2009, doi:10.1145/1498765.1498785.
 */
#ifndef RFL_MODEL_H
#define RFL_MODEL_H

/*
 * The attainable performance (flop/s) at an intensity (flop/byte): min(peak, bandwidth * intensity), the
 * paper's formula. NaN when an input is NaN or negative.
 */
double rfl_model_attainable(double intensity_flop_per_byte, double bandwidth_bytes_per_s,
                            double peak_flop_per_s);

/*
 * The intensity (flop/byte) of the ridge point, where the two roofs meet: peak / bandwidth. NaN
 * when the bandwidth or the peak is not above 0.
 */
double rfl_model_ridge(double bandwidth_bytes_per_s, double peak_flop_per_s);

/*
 * The peak (flop/s) for a share f of FMA among the arithmetic instructions, the rest being additions and
 * multiplications at the same issue rate: fma_peak * (2 f + (1 - f)) / 2. Yang, "8 Steps to 3.7 TFLOP/s on
 * NVIDIA V100 GPU", arXiv:2008.11326, section II. NaN when f is outside 0..1.
 */
double rfl_model_mix(double fma_peak_flop_per_s, double fma_share);

/*
 * The same for cores with separate add units (AMD Zen), from three measured peaks: of FMA alone, of FMA with
 * as many additions (fma_add), and of additions and multiplications without FMA. The time per instruction is
 * linear between the shares 1, 1/2 and 0, as it is if each kind has its own units. A peak that is 0, or below
 * rfl_model_mix(), is ignored.
 */
double rfl_model_units(double fma_peak_flop_per_s, double fma_add_peak_flop_per_s,
                       double no_fma_peak_flop_per_s, double fma_share);

/*
 * The peak (flop/s) for a share f of FMA if reading its operands takes each FMA longer than an issue slot:
 * with FMA alone, fma_peak is reached without that delay and operand_peak (lower) with it. The times of the
 * instructions add up: (1 + f) / 2 * fma_peak / (f * fma_peak / operand_peak + 1 - f). NaN as above, or when
 * a peak is not above 0.
 */
double rfl_model_operands(double fma_peak_flop_per_s, double operand_peak_flop_per_s,
                          double fma_share);

#endif
