#include "analysis/model.h"

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
