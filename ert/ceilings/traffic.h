/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traffic: what a memory pattern reads and writes, and what its level moves besides. Derived from the
 * kernel's row (loads, stores, arrays) and the device; nothing is stored in the file.
 *
 * A store that misses a write-back cache of a CPU reads its line first (write-allocate), unless the
 * code itself has read the line, the level is the first cache, or the store is non-temporal. So a copy
 * of 16 useful bytes moves 24. GPUs' L2 keeps a mask of written bytes and reads nothing first.
 */
#ifndef ERT_CEILINGS_TRAFFIC_H
#define ERT_CEILINGS_TRAFFIC_H

#include "ert/ceilings/ceilings.h"

struct ert_traffic {
    double reads;     /* share of the useful bytes, those that the code asks for, 0 to 1 */
    double allocated; /* read besides, for stores: bytes per useful byte, by the rule */
    double actual;    /* bytes that move per useful byte: counted, else 1 + allocated */
    double actual_reads; /* of the bytes that move: (reads + allocated) / (1 + allocated) */
    bool is_counted;     /* `ert validate` counted the level's bytes */
    bool is_streaming;   /* non-temporal stores: comparable with code that streams only */
    bool is_upper;       /* the device may move less: its cores can evade write-allocates */
    const char *rule;    /* why so many */
};

/*
 * The traffic of a ceiling's pattern at its level. False when neither its kernel nor its pattern is
 * one of ours: its reads and writes are unknown. device may be NULL: then a CPU.
 */
bool ert_traffic_of(const struct ert_device *device,
                    const struct ert_memory_ceiling *ceiling, struct ert_traffic *traffic);

#endif
