/* SPDX-License-Identifier: BSD-3-Clause */
/* units: those of numbers that profilers print. */
#ifndef ERT_EXT_NCU_UNITS_H
#define ERT_EXT_NCU_UNITS_H

#include <stdbool.h>

/* What a unit measures. */
enum ert_measure {
    ERT_IN_SECONDS,
    ERT_IN_BYTES,
    ERT_IN_BYTES_PER_S,
    ERT_IN_HZ,
    ERT_IN_PERCENT,
    ERT_IN_COUNTS
};

/*
 * Reads a unit as profilers print it ("Mbyte", "GBytes/s", "usecond", "cycle/nsecond", "inst", ""): what
 * it measures, and what a number in it is multiplied by. K is 1000, Ki 1024: ncu prints 64 KiB of shared
 * memory as 65.54 Kbyte. False for any other unit.
 */
bool ert_units_read(const char *unit, enum ert_measure *measure, double *factor);

#endif
