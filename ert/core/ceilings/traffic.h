/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traffic: how many bytes a memory pattern reads and writes, and how many its level moves in addition.
 * Derived from the kernel's row (loads, stores, arrays) and the device; nothing is stored in the file.
 *
 * A store that misses a CPU's write-back cache reads its line first (write-allocate), unless the code itself
 * has read the line, the level is the first cache, or the store is non-temporal. So a copy of 16 useful
 * bytes moves 24. A GPU's L2 keeps a mask of written bytes and reads nothing first.
 */
#ifndef ERT_CEILINGS_TRAFFIC_H
#define ERT_CEILINGS_TRAFFIC_H

#include "ert/core/ceilings/ceilings.h"

struct ert_traffic {
    double reads; /* share of reads in the useful bytes (those the code requests), 0 to 1 */
    double allocated;    /* write-allocate reads per useful byte, by the rule */
    double actual;       /* bytes moved per useful byte: counted, else 1 + allocated */
    double actual_reads; /* reads in bytes moved: (reads + allocated) / (1 + allocated) */
    bool is_counted;     /* `ert validate` counted the level's bytes */
    bool is_streaming;   /* non-temporal stores: comparable only with code that uses them */
    bool is_upper;       /* the device may move less: its cores can avoid write-allocates */
    const char *rule;    /* why these bytes move */
};

/*
 * The traffic of a ceiling's pattern at its level. False when neither its kernel nor its pattern is known,
 * and so its reads and writes are not. device NULL: a CPU.
 */
bool ert_traffic_of(const struct ert_device *device, const struct ert_ceiling *ceiling,
                    struct ert_traffic *traffic);

#endif
