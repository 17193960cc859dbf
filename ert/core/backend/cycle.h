/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cycle: random cycles through the lines of a set, for latency kernels: node k is followed by node k + 1,
 * the last one by the first, and a keyed permutation of 0..n-1 gives node k's line. So any thread can compute
 * any link of the chain, and the end of a walk of any length, without walking. A Sattolo shuffle gives the
 * same kind of cycle, but needs the whole permutation in the host's memory and 0.2 s per GiB of set for every
 * preparation.
 *
 * The permutation is a Feistel network of four rounds (Luby and Rackoff, SIAM J. Comput. 17 (1988),
 * doi:10.1137/0217022) on the least even number of bits that holds n, applied again until the
 * result is below n ("cycle walking": Black and Rogaway, CT-RSA 2002, doi:10.1007/3-540-45760-7_9).
 */
#ifndef ERT_BACKEND_CYCLE_H
#define ERT_BACKEND_CYCLE_H

#include "ert/core/base/random.h"

#include <stdint.h>

struct ert_cycle {
    uint64_t n; /* nodes, at least 1 */
    /*
     * The walk visits all of a window of this many neighbouring lines before the next window; n: no windows.
     */
    uint64_t window;
    uint64_t seed;
};

/* The image of x under a permutation of 0..n-1; each seed gives another one. */
ERT_INLINE uint64_t ert_cycle_permute(uint64_t n, uint64_t seed, uint64_t x)
{
    uint32_t half = 1; /* bits of each half */
    while (half < 32 && (n - 1) >> (2 * half))
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t mixed = left ^ (ert_random_u64(seed + round, right) & mask);
            left = right;
            right = mixed;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

/* The line of the k-th node of the walk, k of any size. */
ERT_INLINE uint64_t ert_cycle_line(const struct ert_cycle *cycle, uint64_t k)
{
    uint64_t node = k % cycle->n, begin = node / cycle->window * cycle->window;
    uint64_t left = cycle->n - begin;
    return begin + ert_cycle_permute(left < cycle->window ? left : cycle->window,
                                     cycle->seed + 4 * begin, node - begin);
}

#endif
