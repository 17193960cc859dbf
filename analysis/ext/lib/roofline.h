/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline: gives other programs the measured ceilings of a machine: reads a ceilings.json, lists its roofs,
 * and computes the attainable rate at an intensity. SI units: flop/s, byte/s, flop/byte. It prints and
 * measures nothing.
 *
 * Link with `pkg-config --cflags --libs libroofline`. Thread-safe: an open file is only read.
 */
#ifndef ROOFLINE_H
#define ROOFLINE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The open ceilings of a file. */
struct roofline;

enum roofline_status {
    ROOFLINE_OK = 0,
    ROOFLINE_FAILED = 1,     /* memory ran out */
    ROOFLINE_BAD_INPUT = 2,  /* no such file, not ceilings, a newer major version */
    ROOFLINE_UNAVAILABLE = 3 /* no device in it has a ceiling */
};

enum roofline_kind { ROOFLINE_BANDWIDTH, ROOFLINE_PEAK };

/* A ceiling. Texts that do not apply are "". */
struct roofline_roof {
    char name[32]; /* "HBM-load", "fp64-fma" */
    enum roofline_kind kind;
    char level[16], pattern[16];    /* for a bandwidth: "HBM", "load" */
    char type[8], op[16], unit[16]; /* for a peak: "fp64", "fma", "core" */
    double value, low, high;        /* byte/s or flop/s; 90 % of runs lie between */
    double theory;                  /* the theoretical peak, 0 unknown */
    int is_best; /* the best pattern of its level, or unit of its type and operation */
};

/*
 * Opens a file that `ert run` wrote. On success the caller owns *roofline (roofline_close); else it is NULL,
 * and why[size] (why may be NULL) tells what is wrong with which file.
 */
enum roofline_status roofline_open(const char *file, struct roofline **roofline, char *why,
                                   size_t size);

/* Accepts NULL. */
void roofline_close(struct roofline *roofline);

/* The index-th device that has ceilings ("cpu", "gpu0"), and its model; NULL past the last. */
const char *roofline_device(const struct roofline *roofline, size_t index);
const char *roofline_device_name(const struct roofline *roofline, size_t index);

/* Copies a device's index-th roof to *roof, bandwidths first. Returns 1; 0: after the last, no device. */
int roofline_roof(const struct roofline *roofline, const char *device, size_t index,
                  struct roofline_roof *roof);

/*
 * The roof (byte/s) of a level, for code of whose reads and writes nothing is known: that of the fastest
 * pattern with ordinary stores, which has is_best; 0 if there is none.
 */
double roofline_bandwidth(const struct roofline *roofline, const char *device,
                          const char *level);

/*
 * The peak (flop/s) for operations of a type on a unit ("" the cores, "tensor") if a share of the
 * instructions, 0 to 1, is FMA (1 for matrix units); 0 if there is none; NaN for any other share.
 */
double roofline_peak(const struct roofline *roofline, const char *device, const char *type,
                     const char *unit, double fma_share);

/*
 * The attainable rate (flop/s) for FMA of a type at an intensity (flop/byte) measured at a level: min(peak,
 * bandwidth * intensity), Williams et al., doi:10.1145/1498765.1498785. 0 if either roof is missing; NaN for
 * an intensity that is negative or NaN.
 */
double roofline_attainable(const struct roofline *roofline, const char *device,
                           const char *type, const char *level,
                           double intensity_flop_per_byte);

#ifdef __cplusplus
}
#endif
#endif
