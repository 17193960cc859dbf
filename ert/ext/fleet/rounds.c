/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/links.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/random.h"

#include <stdlib.h>

/* 0 to n - 1, shuffled by the seed (Fisher-Yates; the modulo's bias is below n / 2^64). */
static uint32_t *shuffled(uint32_t n, uint64_t seed)
{
    uint32_t *order = ert_xcalloc(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)(ert_random_u64(seed, i) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

/* The places on the circle: the hosts, and a bye if their number is odd. */
static uint32_t places(uint32_t n_hosts)
{
    return n_hosts + (n_hosts & 1);
}

uint32_t ert_pair_rounds_all(uint32_t n_hosts)
{
    return n_hosts < 2 ? 0 : places(n_hosts) - 1;
}

uint32_t ert_pair_rounds_default(uint32_t n_hosts)
{
    return n_hosts <= ERT_PAIR_ALL ? ert_pair_rounds_all(n_hosts) : ERT_PAIR_MATCHINGS;
}

void ert_pair_rounds_make(uint32_t n_hosts, uint32_t n_rounds, uint64_t seed,
                          struct ert_pair_rounds *rounds)
{
    uint32_t all = ert_pair_rounds_all(n_hosts);
    rounds->n_hosts = n_hosts;
    rounds->n_rounds = n_rounds < all ? n_rounds : all;
    rounds->hosts = shuffled(places(n_hosts), ert_random_u64(seed, 0));
    rounds->sequence = shuffled(all, ert_random_u64(seed, 1));
}

/*
 * The last place pairs with place `step`, any other place x with 2 * step - x modulo the number of rotating
 * places, which is odd.
 */
void ert_pair_rounds_partners(const struct ert_pair_rounds *rounds, uint32_t round,
                              uint32_t *partner)
{
    uint32_t turning = ert_pair_rounds_all(rounds->n_hosts), step = rounds->sequence[round];
    for (uint32_t x = 0; x <= turning; x++) {
        uint64_t other = (2 * (uint64_t)step + turning - x) % turning;
        uint32_t y = x == turning ? step : x == step ? turning : (uint32_t)other;
        uint32_t host = rounds->hosts[x], peer = rounds->hosts[y];
        if (host < rounds->n_hosts)
            partner[host] = peer < rounds->n_hosts ? peer : ERT_PAIR_NONE;
    }
}

void ert_pair_rounds_free(struct ert_pair_rounds *rounds)
{
    free(rounds->hosts);
    free(rounds->sequence);
    *rounds = (struct ert_pair_rounds){0};
}
