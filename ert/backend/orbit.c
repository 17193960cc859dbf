#include "ert/backend/orbit.h"

#include "ert/base/random.h"

#include <math.h>

/*
 * Why the orbits settle at once: starts lie in [1.25, 1.5) and even steps lead into [2, 4), where
 * the spacing of floating-point numbers is twice as wide. Going back multiplies by less than 1, so
 * the odd step's rounding error, at most half a spacing of [1, 2), comes forward again as less than
 * a whole one there (a < 2), that is half of one in [2, 4): the even value is hit again exactly.
 */
static const uint64_t start_seed = 0x6f72626974; /* "orbit" */
static const double factor = 1.6872348762348763; /* a: any mantissa with bits all over */
static const double fma_offset = 0.6180339887498949;
static const double add_offset = 1.1180339887498949;

/* One operation of the kernel in its own type, rounded once. */
static double step(enum ert_kernel_id kernel, double x, double scale, double offset)
{
    switch (kernel) {
    case ERT_KERNEL_fma_fp64:
        return fma(scale, x, offset);
    case ERT_KERNEL_add_fp64:
        return x + offset;
    case ERT_KERNEL_mul_fp64:
        return scale * x;
    case ERT_KERNEL_fma_fp32:
        return fmaf((float)scale, (float)x, (float)offset);
    case ERT_KERNEL_add_fp32:
        return (float)x + (float)offset;
    case ERT_KERNEL_mul_fp32:
        return (float)scale * (float)x;
    default:
        return NAN; /* not a compute kernel: no result can match */
    }
}

static double in_type(enum ert_kernel_id kernel, double value)
{
    return ert_kernel_row(kernel)->type == ERT_FP32 ? (float)value : value;
}

struct ert_orbit ert_orbit_constants(enum ert_kernel_id kernel)
{
    int is_add = kernel == ERT_KERNEL_add_fp64 || kernel == ERT_KERNEL_add_fp32;
    struct ert_orbit orbit = {.a = in_type(kernel, factor),
                              .b = in_type(kernel, is_add ? add_offset : fma_offset)};
    orbit.c = in_type(kernel, 1 / orbit.a);
    orbit.d = in_type(kernel, is_add ? -orbit.b : -orbit.b / orbit.a);
    return orbit;
}

double ert_orbit_start(enum ert_kernel_id kernel, uint64_t index)
{
    return in_type(kernel,
                   1.25 + 0.25 * ert_random_unit(start_seed, index) * (1 - 0x1p-20));
}

double ert_orbit_after(enum ert_kernel_id kernel, double start, uint64_t steps)
{
    struct ert_orbit orbit = ert_orbit_constants(kernel);
    /* From ERT_ORBIT_SETTLE steps on only the parity matters. */
    uint64_t left = steps <= ERT_ORBIT_SETTLE ? steps : ERT_ORBIT_SETTLE + steps % 2;
    double x = start;
    for (uint64_t i = 0; i < left; i++)
        x = i % 2 == 0 ? step(kernel, x, orbit.a, orbit.b)
                       : step(kernel, x, orbit.c, orbit.d);
    return x;
}
