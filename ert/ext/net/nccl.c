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

/* In the order of measurement. */
struct rounds {
    struct ert_nccl_round *list; /* malloc */
    size_t n, capacity;
};

static void rounds_add(struct rounds *rounds, struct ert_nccl_round round,
                       uint64_t size_bytes)
{
    round.size_bytes = size_bytes;
    round.is_latency = size_bytes == 8;
    rounds->list =
        ert_xgrow(rounds->list, rounds->n, &rounds->capacity, sizeof *rounds->list);
    rounds->list[rounds->n++] = round;
}

/* Adds rounds of 8 B times powers of `factor`, and of the largest size. */
static void rounds_add_sizes(struct rounds *rounds, struct ert_nccl_round round,
                             uint64_t factor, uint64_t max_bytes)
{
    for (uint64_t size = 8; size < max_bytes; size *= factor)
        rounds_add(rounds, round, size);
    rounds_add(rounds, round, max_bytes);
}

struct ert_nccl_round *ert_nccl_rounds(const struct ert_nccl_plan *plan, size_t *n)
{
    struct rounds rounds = {0};
    struct ert_nccl_round round = {.n_gpus = plan->n_gpus};
    rounds_add_sizes(&rounds, round, 8, plan->max_bytes);
    round.operation = ERT_NCCL_SEND_RECV;
    for (round.from = 0; round.from < plan->n_gpus; round.from++)
        for (round.to = 0; round.to < plan->n_gpus; round.to++)
            if (round.to != round.from)
                rounds_add_sizes(&rounds, round, plan->max_bytes / 8, plan->max_bytes);
    *n = rounds.n;
    return rounds.list;
}
