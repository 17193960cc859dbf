/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/kernels.h"

#include <math.h>

struct ert110_rule ert110_rule(enum ert_kernel_id kernel)
{
    if (kernel == ERT_KERNEL_ert_c_fp64)
        return (struct ert110_rule){
            .start = 1, .first = 0.8, .addend = 0.5, .decay = 1 - 1e-8};
    return (struct ert110_rule){
        .start = -1, .first = 1, .addend = 2, .decay = 1, .negates = true};
}

/* The product is rounded on its own: volatile keeps the compiler from fusing. */
static double multiply_add(double a, double b, double c, bool is_fused)
{
    if (is_fused)
        return fma(a, b, c);
    volatile double product = a * b;
    return product + c;
}

double ert110_after(enum ert_kernel_id kernel, uint32_t flops, double value,
                    uint64_t passes, bool is_fused)
{
    struct ert110_rule rule = ert110_rule(kernel);
    double addend = rule.addend;
    for (uint64_t pass = 0; pass < passes && !isinf(value); pass++) {
        double x = flops == 1 ? value + addend : rule.first;
        for (uint32_t i = 0; i < flops / 2; i++)
            x = multiply_add(x, value, addend, is_fused);
        if (rule.negates && x == -value) /* and so for ever */
            return value;
        value = rule.negates ? -x : x;
        addend *= rule.decay;
    }
    return value;
}
