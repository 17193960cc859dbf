/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/model.h"

#include <math.h>

double rfl_model_attainable(double intensity_flop_per_byte, double bandwidth_bytes_per_s,
                            double peak_flop_per_s)
{
    if (!(intensity_flop_per_byte >= 0 && bandwidth_bytes_per_s >= 0 &&
          peak_flop_per_s >= 0))
        return NAN;
    double by_memory = intensity_flop_per_byte * bandwidth_bytes_per_s;
    return by_memory < peak_flop_per_s ? by_memory : peak_flop_per_s;
}

double rfl_model_ridge(double bandwidth_bytes_per_s, double peak_flop_per_s)
{
    if (!(bandwidth_bytes_per_s > 0 && peak_flop_per_s > 0))
        return NAN;
    return peak_flop_per_s / bandwidth_bytes_per_s;
}

double rfl_model_mix(double fma_peak_flop_per_s, double fma_share)
{
    if (!(fma_peak_flop_per_s >= 0 && fma_share >= 0 && fma_share <= 1))
        return NAN;
    return fma_peak_flop_per_s * (2 * fma_share + (1 - fma_share)) / 2;
}

double rfl_model_units(double fma_peak_flop_per_s, double fma_add_peak_flop_per_s,
                       double no_fma_peak_flop_per_s, double fma_share)
{
    if (isnan(rfl_model_mix(fma_peak_flop_per_s, fma_share)) ||
        (!(fma_add_peak_flop_per_s > rfl_model_mix(fma_peak_flop_per_s, 0.5)) &&
         !(no_fma_peak_flop_per_s > rfl_model_mix(fma_peak_flop_per_s, 0))))
        return rfl_model_mix(fma_peak_flop_per_s, fma_share);
    /* Seconds per instruction: an FMA is two operations, and an FMA with an addition three. */
    double all_s = 2 / fma_peak_flop_per_s;
    double none_s = fmin(all_s, 1 / no_fma_peak_flop_per_s);
    double half_s = fmin((all_s + none_s) / 2, 1.5 / fma_add_peak_flop_per_s);
    double mean_s = fma_share < 0.5 ? none_s + 2 * fma_share * (half_s - none_s)
                                    : half_s + (2 * fma_share - 1) * (all_s - half_s);
    return (1 + fma_share) / mean_s;
}

double rfl_model_operands(double fma_peak_flop_per_s, double operand_peak_flop_per_s,
                          double fma_share)
{
    if (!(operand_peak_flop_per_s > 0) || !(fma_peak_flop_per_s > 0))
        return NAN;
    double slots =
        fma_share * fma_peak_flop_per_s / operand_peak_flop_per_s + 1 - fma_share;
    return rfl_model_mix(fma_peak_flop_per_s, fma_share) / slots;
}
