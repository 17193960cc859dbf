/* SPDX-License-Identifier: BSD-3-Clause */
/* nccl: plans NCCL's measurements, and names their results. */
#include "ert/ext/net/nccl.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <stdio.h>

const char *const ert_nccl_words[ERT_NCCL_N_OPERATIONS + 1] = {"all-reduce", "send-recv",
                                                               NULL};

static double nccl_bus_bytes(const struct ert_nccl_round *round)
{
    const double n = round->n_gpus, size = (double)round->size_bytes;
    return round->operation == ERT_NCCL_SEND_RECV ? size : 2 * (n - 1) / n * size;
}

void ert_nccl_version(uint32_t code, char text[24])
{
    uint32_t major = code < 10000 ? 1000 : 10000;
    snprintf(text, 24, "%u.%u.%u", code / major, code % major / 100, code % 100);
}

const char *ert_nccl_values(const struct ert_nccl_result *result,
                            double values[ERT_NCCL_SAMPLES])
{
    const bool is_time = result->round.is_latency;
    for (int i = 0; i < ERT_NCCL_SAMPLES; i++)
        values[i] = is_time ? result->times_s[i]
                            : nccl_bus_bytes(&result->round) / result->times_s[i];
    return is_time ? "s" : "byte/s";
}

void ert_nccl_name(const struct ert_nccl_round *round, const char *to, char name[32])
{
    char size[ERT_UNITS_TEXT], *end = size;
    const struct ert_text text = ert_units_capacity(round->size_bytes);
    for (const char *at = text.text; *at; at++)
        if (*at != ' ')
            *end++ = *at;
    *end = '\0';
    if (round->operation == ERT_NCCL_SEND_RECV)
        snprintf(name, 32, "send-recv-to-%.10s-%.7s", to, size);
    else
        snprintf(name, 32, "%.14s-%ugpus-%.7s", ert_nccl_words[round->operation],
                 round->n_gpus, size);
}

/* Adds rounds of 8 B times powers of `factor`, and of the largest size: *n more. */
static void add_sizes(struct ert_nccl_result *results, struct ert_nccl_round round,
                      uint64_t factor, uint64_t max_bytes, size_t *n)
{
    for (uint64_t size = 8; size < max_bytes * factor; size *= factor) {
        round.size_bytes = size < max_bytes ? size : max_bytes;
        round.is_latency = size == 8;
        results[(*n)++].round = round;
    }
}

struct ert_nccl_result *ert_nccl_plan_results(const struct ert_nccl_plan *plan, size_t *n)
{
    enum { MOST_SIZES = 16 }; /* 8 to 8^11 bytes, and the largest; of pairs two */
    struct ert_nccl_result *results =
        ert_xcalloc(MOST_SIZES + 2 * (size_t)plan->n_gpus * plan->n_gpus, sizeof *results);
    struct ert_nccl_round round = {.n_gpus = plan->n_gpus};
    *n = 0;
    add_sizes(results, round, 8, plan->max_bytes, n);
    round.operation = ERT_NCCL_SEND_RECV;
    for (round.from = 0; round.from < plan->n_gpus; round.from++)
        for (round.to = 0; round.to < plan->n_gpus; round.to++)
            if (round.to != round.from)
                add_sizes(results, round, plan->max_bytes / 8, plan->max_bytes, n);
    return results;
}
