/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofs: the ceilings of one device as the roofline model uses them: bandwidths per level, peaks per type and
 * unit, the issue rate, each for the clock and the concurrency that a code had. Pure; it neither places
 * points (place.h) nor draws.
 */
#ifndef RFL_ROOFS_H
#define RFL_ROOFS_H

#include "ert/core/base/error.h"
#include "ert/core/ceilings/ceilings.h"

/* The clock that a roof follows: that of cores or SMs, of the memory, or its own. */
enum rfl_clock { RFL_CLOCK_CORE, RFL_CLOCK_MEMORY, RFL_CLOCK_OWN };

/* The common part of a bandwidth and a peak. */
struct rfl_rate {
    char name[32]; /* "L2-triad", "fp64-fma" */
    bool is_roof;  /* the best pattern of its level, or unit of its type and operation */
    double value, low, high; /* byte/s or flop/s, and its interval */
    double measured;         /* before adjustment for clock and concurrency */
    double theory;           /* 0 unknown */
    double share;            /* factor by which the concurrency lowers it; 1: not */
    double threads;          /* CPU: that it was measured with; 0 unknown */
    double per_joule;        /* byte or flop per joule while it was measured; 0 unknown */
    double burst, burst_s;   /* rate of codes that end within burst_s; both 0: the same */
    double clock_hz;         /* of value; 0 unknown */
    char warning[160];       /* "" none */
};

struct rfl_bandwidth {
    struct rfl_rate rate;
    char level[16];   /* "L2" */
    char pattern[16]; /* "triad" */
    /* The pattern's reads and writes (ert/core/ceilings/traffic.h); read_share NaN: unknown. */
    double read_share;        /* in the useful bytes */
    double actual_read_share; /* in the bytes that move, write-allocates included */
    double actual;            /* bytes that move per useful byte */
    bool is_streaming;        /* non-temporal stores */
    bool is_transfer; /* between memories ("host", "NET"), not a level of the device */
    enum rfl_clock clock;
};

struct rfl_peak {
    struct rfl_rate rate;
    char type[8];  /* "fp64" */
    char op[16];   /* "fma", "add", "mma", "wgmma" ... */
    char unit[16]; /* "core", "tensor", "avx512" ... */
};

/* Of a device; rfl_roofs_make() refuses a file with more. */
enum { RFL_MAX_BANDWIDTHS = 128, RFL_MAX_PEAKS = 160 };
/* Two on the cores' clock, one on the memory's, four on the concurrency. */
enum { RFL_MAX_ROOFS_NOTES = 7 };
/* Most bandwidths of the levels "host" (GPU to host memory) and "NET" (between hosts). */
enum { RFL_MAX_TRANSFERS = 4 };

struct rfl_roofs {
    const struct ert_device_ceilings *from; /* what they are of; the caller's */
    char device[16], name[128];             /* "gpu0", "NVIDIA H200" */
    enum ert_device_kind kind;
    double clock_hz; /* of the values; 0 unknown */
    double held_hz;  /* of the sweep; 0 unknown */
    size_t n_bandwidths, n_peaks;
    struct rfl_bandwidth bandwidths[RFL_MAX_BANDWIDTHS + RFL_MAX_TRANSFERS];
    struct rfl_peak peaks[RFL_MAX_PEAKS];
    struct ert_level last_cache; /* of no size: unknown */
    double instructions_per_s;   /* issue rate (warp instructions on a GPU); 0 unknown */
    double threads, all_threads; /* CPU: that they are for; that could work; 0 unknown */
    /* What was scaled, and by how much; what could not be scaled. */
    char notes[RFL_MAX_ROOFS_NOTES][256];
    size_t n_notes;
};

struct rfl_roofs_options {
    double clock_hz;        /* of the code; 0: the sweep's */
    double memory_clock_hz; /* of the code; 0: the sweep's */
    double warps_per_sm;    /* GPU: of the code; 0: any number */
    double threads;         /* CPU: of the code; 0: any number */
};

/* Finds the index of a device ("gpu0"); ERT_USAGE lists the devices of the ceilings. */
enum ert_status rfl_find_device(const struct ert_ceilings *ceilings, const char *id,
                                size_t *index, struct ert_error *error);

/*
 * Fills *roofs. Peaks and the bandwidths of L1 and shared memory, on CPUs of L1 and L2, scale with the core
 * clock, memory with its own; other levels have clocks that no counter shows, and are not scaled (a note says
 * so). For fewer warps or threads, roofs are interpolated linearly between the measured counts (ceilings of
 * the kind concurrency). Without such counts a GPU's roof is unchanged. On a CPU the units and the caches of
 * each core are proportional to the threads; of what cores share a thread has at least its part and at most
 * all, so that the interval reaches from one to the other. A note says which it was. ERT_UNAVAILABLE when the
 * device has no ceiling, ERT_USAGE when it has more than there is room for.
 */
enum ert_status rfl_roofs_make(const struct ert_ceilings *ceilings, size_t device,
                               const struct rfl_roofs_options *options,
                               struct rfl_roofs *roofs, struct ert_error *error);

/* Whether a unit only multiplies matrices. */
bool rfl_is_matrix_unit(const char *unit);

/*
 * The bandwidth of a level for a pattern, or (NULL) its roof: that of the fastest pattern with ordinary
 * stores (ert_ceilings_mark_roofs), as for accesses of which nothing is known; curve.c has the roof for reads
 * and writes. "HBM", "DRAM", "MCDRAM" and "memory" are synonyms if the device has only one of them. NULL:
 * none.
 */
const struct rfl_bandwidth *rfl_roofs_level(const struct rfl_roofs *roofs,
                                            const char *level, const char *pattern);

/*
 * The peak for operations of a type on a unit with a share of FMA (model.h, rfl_model_units); share NaN
 * (unknown): of the fastest share. unit "": the cores' best; "tensor": the best of mma, wgmma and
 * tcgen05. *peak: the ceiling that it is derived from. 0 when there is none.
 */
double rfl_roofs_peak(const struct rfl_roofs *roofs, const char *type, const char *unit,
                      double fma_share, const struct rfl_peak **peak);

/*
 * As rfl_roofs_peak, if each FMA reads three different registers: the ceiling of the operation "fma-3reg",
 * combined with other instructions by the share of FMA (model.h, rfl_model_operands). 0 if it was not
 * measured, for matrix units and without FMA.
 */
double rfl_roofs_operand_peak(const struct rfl_roofs *roofs, const char *type,
                              const char *unit, double fma_share);

#endif
