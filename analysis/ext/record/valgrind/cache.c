/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/valgrind/cache.h"

/* What a level receives: a load, a store, or a whole line from the level above. */
enum visit { LOAD, STORE, WRITE_BACK };

uint64_t rfl_cache_sets(const struct rfl_cache_shape *shape)
{
    uint64_t way_bytes = (uint64_t)shape->ways * shape->line_bytes;
    return way_bytes == 0 || shape->size_bytes % way_bytes ? 0
                                                           : shape->size_bytes / way_bytes;
}

/*
 * The last level of real machines is spread over slices by a hash of the address, and pages are scattered in
 * memory: lines at a distance of a power of two do not meet in one set. Each piece of 2^11 lines is still
 * spread evenly, as XOR with a constant permutes it.
 */
static uint64_t *set_of(const struct rfl_cache *cache, uint64_t line)
{
    if (cache->is_hashed)
        line ^= line >> 11 ^ line >> 22;
    uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;
    return cache->lines + set * cache->ways;
}

static void cache_visit(struct rfl_core *core, unsigned level, uint64_t line,
                        enum visit kind, struct rfl_moved *moved)
{
    if (level == core->n) {
        if (kind != WRITE_BACK && core->touch && core->touch(line))
            moved->first_touched += 1ull << core->line_bits;
        return;
    }
    struct rfl_cache *cache = core->caches[level];
    uint64_t dirty = kind == LOAD ? 0 : RFL_DIRTY, bytes = 1ull << core->line_bits;
    uint64_t *set = set_of(cache, line),
             oldest = line << RFL_STATE_BITS | RFL_THERE | dirty;
    const uint64_t sought = oldest | RFL_DIRTY;
    /* Moves the line to the front and newer ones back; on a miss the oldest is evicted. */
    for (uint32_t way = 0; way < cache->ways; way++) {
        uint64_t here = set[way];
        set[way] = oldest;
        if ((here | RFL_DIRTY) == sought) {
            set[0] |= here;
            moved->left[level] += dirty & ~here ? bytes : 0;
            return;
        }
        oldest = here;
    }
    moved->left[level] += dirty ? bytes : 0;
    if (oldest & RFL_DIRTY) {
        moved->left[level] -= bytes;
        moved->written[level] += bytes;
        cache_visit(core, level + 1, oldest >> RFL_STATE_BITS, WRITE_BACK, moved);
    }
    if (kind != WRITE_BACK) {
        moved->read[level] += bytes;
        cache_visit(core, level + 1, line, LOAD, moved);
    }
}

void rfl_core_access(struct rfl_core *core, uint64_t address, uint64_t bytes, bool is_store,
                     struct rfl_moved *moved)
{
    uint64_t line = address >> core->line_bits,
             last = (address + bytes - 1) >> core->line_bits;
    for (; line <= last; line++)
        cache_visit(core, 0, line, is_store ? STORE : LOAD, moved);
}

/* Removes a line from a cache; if it is dirty, it is written to memory. */
static void drop(struct rfl_core *core, unsigned level, uint64_t line,
                 struct rfl_moved *moved)
{
    struct rfl_cache *cache = core->caches[level];
    uint64_t *set = set_of(cache, line), entry = line << RFL_STATE_BITS | RFL_THERE;
    uint64_t bytes = 1ull << core->line_bits;
    for (uint32_t way = 0; way < cache->ways; way++) {
        if ((set[way] & ~(uint64_t)RFL_DIRTY) != entry)
            continue;
        if (set[way] & RFL_DIRTY) {
            moved->left[level] -= bytes;
            for (unsigned below = level; below < core->n; below++)
                moved->written[below] += bytes;
        }
        for (; way + 1 < cache->ways; way++)
            set[way] = set[way + 1];
        set[way] = 0;
        return;
    }
}

void rfl_core_stream(struct rfl_core *core, uint64_t address, uint64_t bytes,
                     struct rfl_moved *moved)
{
    uint64_t line = address >> core->line_bits,
             last = (address + bytes - 1) >> core->line_bits;
    for (; line <= last; line++) {
        if (core->touch && core->touch(line))
            moved->first_touched += 1ull << core->line_bits;
        for (unsigned level = 0; level < core->n; level++)
            drop(core, level, line, moved);
    }
    moved->written[core->n - 1] += bytes;
}
