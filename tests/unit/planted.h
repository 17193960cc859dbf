/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted: ceilings of three synthetic machines for the tests of what reads, draws and lists them:
 * an H200-like GPU, a two-core Xeon, and one with everything that makes a chart ugly.
 */
#ifndef ERT_TESTS_UNIT_PLANTED_H
#define ERT_TESTS_UNIT_PLANTED_H

#include "ert/core/ceilings/ceilings.h"

enum planted {
    PLANTED_H200,
    PLANTED_XEON,
    PLANTED_BOTH, /* the H200 and the Xeon in one machine */
    PLANTED_NASTY, /* coinciding roofs, a long name with <>&, warnings, ceilings not measured */
    PLANTED_DECADES, /* roofs 12 orders of magnitude apart */
    PLANTED_SINGLE,  /* one level, one type */
    PLANTED_NO_FLATS,
    PLANTED_NO_LEVELS,
    PLANTED_NONE,  /* a device without any ceiling */
    PLANTED_KINDS, /* a single level and type, and a ceiling of each other kind */
    PLANTED_COUNT
};

/* "h200", "xeon", ... */
extern const char *const planted_names[PLANTED_COUNT];

/* Makes them; the caller frees with ert_ceilings_free(). Aborts when memory runs out. */
struct ert_ceilings planted_make(enum planted which);

#endif
