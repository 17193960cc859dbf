/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache: a core's way to memory: up to three levels of set-associative caches with LRU, write-allocate and
 * write-back; the last can be shared with other cores. It knows neither hardware prefetchers, which move
 * the same lines earlier, nor coherence between cores: a line that two cores write is in both.
 */
#ifndef RFL_VALGRIND_CACHE_H
#define RFL_VALGRIND_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { RFL_MAX_CACHES = 3 };

struct rfl_cache_shape {
    uint64_t size_bytes; /* 0: there is none */
    uint32_t ways, line_bytes;
};

/* An entry is a line's number and its state; a set's newest comes first. */
enum { RFL_DIRTY = 1, RFL_THERE = 2, RFL_STATE_BITS = 2 };
struct rfl_cache {
    uint64_t *lines;     /* sets x ways, zeroed, the caller's */
    uint64_t sets, mask; /* mask: sets - 1 of a power of two, else 0 */
    uint32_t ways;
};

struct rfl_core {
    unsigned n, line_bits; /* caches; all have lines of one size */
    struct rfl_cache *caches[RFL_MAX_CACHES];
};

/* Bytes between cache i and what is behind it, since these counts began. */
struct rfl_moved {
    uint64_t read[RFL_MAX_CACHES];    /* fetched, for loads and for stores */
    uint64_t written[RFL_MAX_CACHES]; /* written back, or past the caches */
    /* Dirty bytes that are in cache i more than in the beginning: modulo 2^64, so it can be negative. */
    uint64_t left[RFL_MAX_CACHES];
};

/* Sets of a shape; 0: a size that is no whole number of sets. */
uint64_t rfl_cache_sets(const struct rfl_cache_shape *shape);

/* A load or store of bytes from `address` on. */
void rfl_core_access(struct rfl_core *core, uint64_t address, uint64_t bytes, bool is_store,
                     struct rfl_moved *moved);

/*
 * Whether an access changes nothing: all of it is in its set's newest line of the first cache, which is dirty
 * already where it stores. Most are so. The cache is a copy, for the caller's loop to have it in registers.
 */
static inline bool rfl_cache_is_newest(const struct rfl_cache cache, unsigned line_bits,
                                       uint64_t address, uint64_t bytes, bool is_store)
{
    uint64_t line = address >> line_bits,
             newest = cache.lines[(line & cache.mask) * cache.ways];
    return cache.mask && (address + bytes - 1) >> line_bits == line &&
           (newest | !is_store) == (line << RFL_STATE_BITS | RFL_THERE | RFL_DIRTY);
}

/* A non-temporal store: to memory, and out of the caches. */
void rfl_core_stream(struct rfl_core *core, uint64_t address, uint64_t bytes,
                     struct rfl_moved *moved);

#endif
