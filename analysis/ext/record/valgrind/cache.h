/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache: simulates a core's path to memory: up to three levels of set-associative caches with LRU,
 * write-allocate and write-back; the last can be shared with other cores. There are no hardware prefetchers,
 * which move the same lines earlier, and no coherence: a line that two cores write is in both.
 */
#ifndef RFL_VALGRIND_CACHE_H
#define RFL_VALGRIND_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { RFL_MAX_CACHES = 3 };

struct rfl_cache_shape {
    uint64_t size_bytes; /* 0: no cache */
    uint32_t ways, line_bytes;
};

/* An entry has a line's number and state; the newest of a set comes first. */
enum { RFL_DIRTY = 1, RFL_THERE = 2, RFL_STATE_BITS = 2 };
struct rfl_cache {
    uint64_t *lines;     /* sets x ways, zeroed; owned by the caller */
    uint64_t sets, mask; /* mask: sets - 1 for a power of two, else 0 */
    uint32_t ways;
    bool is_hashed; /* the set is from all bits of the line's number */
};

struct rfl_core {
    unsigned n, line_bits; /* n: caches; line size (log2), the same in all */
    struct rfl_cache *caches[RFL_MAX_CACHES];
    bool (*touch)(uint64_t line); /* whether it is asked for the first time; or NULL */
};

/* Bytes between cache i and the next level. */
struct rfl_moved {
    uint64_t read[RFL_MAX_CACHES];    /* fetched, for loads and for stores */
    uint64_t written[RFL_MAX_CACHES]; /* written back, or bypassing the caches */
    /* Change in the dirty bytes of cache i, modulo 2^64, so that it can be negative. */
    uint64_t left[RFL_MAX_CACHES];
    uint64_t first_touched; /* bytes of lines that no core had asked memory for before */
};

/* Number of sets; 0 if the size is not a multiple of a way's. */
uint64_t rfl_cache_sets(const struct rfl_cache_shape *shape);

/* Simulates a load or store of bytes from `address` on. */
void rfl_core_access(struct rfl_core *core, uint64_t address, uint64_t bytes, bool is_store,
                     struct rfl_moved *moved);

/*
 * Whether an access changes nothing, as most: all of it is in the newest line of its set in the first cache,
 * and for a store that line is already dirty. The cache is passed by value, so that a loop keeps it in
 * registers.
 */
static inline bool rfl_cache_is_newest(const struct rfl_cache cache, unsigned line_bits,
                                       uint64_t address, uint64_t bytes, bool is_store)
{
    uint64_t line = address >> line_bits,
             newest = cache.lines[(line & cache.mask) * cache.ways];
    return cache.mask && (address + bytes - 1) >> line_bits == line &&
           (newest | !is_store) == (line << RFL_STATE_BITS | RFL_THERE | RFL_DIRTY);
}

/* A non-temporal store: written to memory, and evicted from the caches. */
void rfl_core_stream(struct rfl_core *core, uint64_t address, uint64_t bytes,
                     struct rfl_moved *moved);

#endif
