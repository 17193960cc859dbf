/*
 * model: the roofline model itself. Pure arithmetic; it knows no machine and draws nothing.
 * Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
 * Architectures", CACM 52(4), 2009, doi:10.1145/1498765.1498785.
 */
#ifndef RFL_MODEL_H
#define RFL_MODEL_H

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

#endif
