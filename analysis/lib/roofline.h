/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline: the measured ceilings of a machine for other programs: read a ceilings.json, list its
 * roofs, ask what they allow at an intensity, and whether the file was made on this machine. SI
 * units: flop/s, byte/s, flop/byte. Nothing is printed; nothing is measured.
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

/* A ceiling. Texts are "" where they do not apply. */
struct roofline_roof {
    char name[32]; /* "HBM-load", "fp64-fma" */
    enum roofline_kind kind;
    char level[16], pattern[16];    /* of a bandwidth: "HBM", "load" */
    char type[8], op[16], unit[16]; /* of a peak: "fp64", "fma", "core" */
    double value, low,
        high;      /* byte/s or flop/s: median and interval of what was measured */
    double theory; /* the theoretical peak, 0 unknown */
    int is_best;   /* the best pattern of its level, or unit of its type and operation */
};

enum roofline_origin {
    ROOFLINE_OTHER_MACHINE = 0,
    ROOFLINE_THIS_MACHINE = 1,
    ROOFLINE_CANNOT_TELL = 2
};

/*
 * Opens the file that `ert run` wrote. On success *roofline is the caller's (roofline_close); else
 * it is NULL and why[size] says what is wrong with which file (why may be NULL).
 */
enum roofline_status roofline_open(const char *file, struct roofline **roofline, char *why,
                                   size_t size);

/* NULL is fine. */
void roofline_close(struct roofline *roofline);

/* The index-th device that has ceilings ("cpu", "gpu0"), and its model; NULL past the last. */
const char *roofline_device(const struct roofline *roofline, size_t index);
const char *roofline_device_name(const struct roofline *roofline, size_t index);

/*
 * The index-th roof of a device in *roof; bandwidths first. Returns 1, or 0 past the last and where
 * there is no such device.
 */
int roofline_roof(const struct roofline *roofline, const char *device, size_t index,
                  struct roofline_roof *roof);

/* The bandwidth (byte/s) of a level's best pattern; 0 where there is none. */
double roofline_bandwidth(const struct roofline *roofline, const char *device,
                          const char *level);

/*
 * The peak (flop/s) for operations of a type on a unit ("" the cores, "tensor") of which a share of
 * the instructions, 0 to 1, is FMA (1 for matrix units); 0 where there is none.
 */
double roofline_peak(const struct roofline *roofline, const char *device, const char *type,
                     const char *unit, double fma_share);

/*
 * What the device can attain (flop/s) in FMA of a type at an intensity (flop/byte) that a level
 * sees: min(peak, bandwidth * intensity), Williams et al., doi:10.1145/1498765.1498785. 0 where
 * either roof is missing; NaN for an intensity that is negative or NaN.
 */
double roofline_attainable(const struct roofline *roofline, const char *device,
                           const char *type, const char *level,
                           double intensity_flop_per_byte);

/*
 * Whether the file was made on this machine: model and core count of the CPU, UUIDs of the GPUs.
 * why (may be NULL) gets what differs or cannot be seen from here.
 */
enum roofline_origin roofline_origin(const struct roofline *roofline, char *why,
                                     size_t size);

#ifdef __cplusplus
}
#endif
#endif
