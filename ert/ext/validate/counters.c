/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/counters.h"

#include "ert/ext/validate/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ratio_tolerance = 0.01;
static const double most_deeper = 0.02;

void ert_counters_missing(struct ert_proof *proof, const char *reason)
{
    ert_verdict_set(&proof->counters, ERT_NOT_THERE, "%s", reason);
    proof->bytes_ratio = proof->flops_ratio = proof->deeper_share = proof->hit_rate = 0;
}

/* 0 where either is unknown. */
static double ratio(double counted, double ours)
{
    return isfinite(counted) && ours > 0 ? counted / ours : 0;
}

static void validate_counters_add(struct ert_proof *proof, const char *what, double value,
                                  const char *limit)
{
    char *text = proof->counters.text;
    ert_append(text, sizeof proof->counters.text, "%s%s %.4g, must be %s",
               *text ? "; " : "", what, value, limit);
}

void ert_counters_judge(const struct ert_counters *counters,
                        const struct ert_region_totals *totals, enum ert_kernel_id kernel,
                        const char *profiler, struct ert_proof *proof)
{
    enum ert_kernel_kind kind = ert_kernel_row(kernel)->kind;
    bool streams = kind == ERT_KIND_MEMORY;
    bool has_deeper = streams && isfinite(counters->deeper_bytes);
    double of_level =
        isfinite(counters->level_bytes) ? counters->level_bytes : totals->bytes;
    snprintf(proof->profiler, sizeof proof->profiler, "%s", profiler);
    proof->counters.text[0] = '\0';
    proof->bytes_ratio = streams ? ratio(counters->level_bytes, totals->bytes) : 0;
    proof->flops_ratio = ratio(counters->flops, totals->flops);
    proof->deeper_share = has_deeper ? ratio(counters->deeper_bytes, of_level) : 0;
    proof->hit_rate = isfinite(counters->hit_rate) ? counters->hit_rate : 0;
    /* On an H200 Nsight Compute shows hits for half of the loads that take an L2 hit's 291 clocks. */
    if (kind == ERT_KIND_LATENCY) {
        ert_counters_missing(
            proof, "between the profiler's passes the caches lose the data that one thread "
                   "reads");
        return;
    }
    if (proof->bytes_ratio == 0 && proof->flops_ratio == 0 && !has_deeper) {
        ert_counters_missing(proof, "no counter of this device counts this kernel's work");
        return;
    }
    if (proof->bytes_ratio > 0 && fabs(proof->bytes_ratio - 1) > ratio_tolerance)
        validate_counters_add(proof, "counted bytes / ours", proof->bytes_ratio,
                              "0.99 to 1.01");
    if (proof->flops_ratio > 0 && fabs(proof->flops_ratio - 1) > ratio_tolerance)
        validate_counters_add(proof, "counted operations / ours", proof->flops_ratio,
                              "0.99 to 1.01");
    if (proof->deeper_share > most_deeper)
        validate_counters_add(proof, "share of the deeper level", proof->deeper_share,
                              "at most 0.02");
    snprintf(proof->counters.word, sizeof proof->counters.word, "%s",
             proof->counters.text[0] ? ERT_DIFFERS : ERT_AGREES);
}
