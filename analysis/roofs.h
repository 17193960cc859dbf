/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofs: the ceilings of one device as the roofline model uses them: bandwidths per level, peaks per
 * type and unit, the issue rate; for the clock and the concurrency that a code really had. Pure; it
 * places no points (place.h) and draws nothing.
 */
#ifndef RFL_ROOFS_H
#define RFL_ROOFS_H

#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

/* Which clock a roof follows: that of the cores or SMs, that of the memory, or its own. */
enum rfl_clock { RFL_CLOCK_CORE, RFL_CLOCK_MEMORY, RFL_CLOCK_OWN };

/* What a bandwidth and a peak have in common. */
struct rfl_rate {
    char name[32]; /* "L2-triad", "fp64-fma" */
    bool is_roof;  /* the best pattern of its level, or unit of its type and operation */
    bool is_line;  /* as is_roof, but of a level rfl_is_line() */
    double value, low, high; /* byte/s or flop/s, and its interval */
    double measured;         /* before clock and concurrency were taken into account */
    double theory;           /* 0 unknown */
    double share;            /* of itself that the concurrency leaves; 1: all */
    double per_joule;        /* byte or flop per joule while it was measured; 0 unknown */
    double burst, burst_s;   /* of codes that end within burst_s; both 0: the same */
    double clock_hz;         /* that the value (in theory the theory) is for; 0 unknown */
    char warning[160];       /* "" none */
};

struct rfl_bandwidth {
    struct rfl_rate rate;
    char level[16];   /* "L2" */
    char pattern[16]; /* "triad" */
    /* What the pattern reads and writes (ert/ceilings/traffic.h); read_share NaN: unknown. */
    double read_share;        /* of the useful bytes */
    double actual_read_share; /* of the bytes that move, write-allocates included */
    double actual;            /* those, per useful byte */
    bool is_streaming;        /* non-temporal stores */
    bool is_transfer;         /* between memories: no level of the device's own */
    enum rfl_clock clock;
};

struct rfl_peak {
    struct rfl_rate rate;
    char type[8];  /* "fp64" */
    char op[16];   /* "fma", "add", "mma", "wgmma" ... */
    char unit[16]; /* "core", "tensor", "avx512" ... */
};

/* One of theory, two of the cores' clock, one of the memory's, two of the concurrency. */
enum { RFL_MAX_ROOFS_NOTES = 6 };
/* Bandwidths of the levels "host", between a GPU and the host's memory, and "NET", between hosts. */
enum { RFL_MAX_TRANSFERS = 5 };

struct rfl_roofs {
    char device[16], name[128]; /* "gpu0", "NVIDIA H200" */
    enum ert_device_kind kind;
    double clock_hz; /* that the values are for; 0 unknown */
    double held_hz;  /* that the sweep held; 0 unknown */
    size_t n_bandwidths, n_peaks;
    struct rfl_bandwidth bandwidths[ERT_MAX_MEMORY + RFL_MAX_TRANSFERS];
    struct rfl_peak peaks[ERT_MAX_COMPUTE];
    double instructions_per_s; /* issue rate (warp instructions on a GPU); 0 unknown */
    /* What was scaled and by what; what could not be. */
    char notes[RFL_MAX_ROOFS_NOTES][256];
    size_t n_notes;
};

struct rfl_roofs_options {
    bool theory;            /* theoretical peaks where there are such, not the measured */
    double clock_hz;        /* that the code ran at; 0: as the sweep held */
    double memory_clock_hz; /* 0: as in the sweep */
    double warps_per_sm;    /* GPU: that the code had; 0: any */
    double threads;         /* CPU: that the code had; 0: any */
};

/* The index of a device ("gpu0") in *index; ERT_USAGE lists those that the ceilings have. */
enum ert_status rfl_find_device(const struct ert_ceilings *ceilings, const char *id,
                                size_t *index, struct ert_error *error);

/*
 * Fills *roofs. Peaks, and the bandwidths of L1 and shared memory, on CPUs of L1 and L2, go with the
 * core clock; memory with its own; the other levels have clocks of their own, which no counter shows,
 * and stay (a note says so). Fewer warps or threads: linear between the counts that were measured
 * (ceilings.extra, kind concurrency); a roof for which none was stays, with a note.
 * ERT_UNAVAILABLE when the device has no ceiling.
 */
enum ert_status rfl_roofs_make(const struct ert_ceilings *ceilings, size_t device,
                               const struct rfl_roofs_options *options,
                               struct rfl_roofs *roofs, struct ert_error *error);

/*
 * Whether a ceiling is the one that stands for its level where only one can (a chart's line, an
 * export's number): load, which every code does; where it was not measured the one marked as roof, else
 * the fastest.
 */
bool rfl_is_line(const struct ert_device_ceilings *from,
                 const struct ert_memory_ceiling *ceiling);

/* "host" and "NET", then NULL. */
extern const char *const rfl_transfer_levels[];

/*
 * The ceiling that stands for such a level in a chart, and its pattern; NULL: it was not measured, or the
 * level is another one.
 */
const struct ert_ceiling *rfl_transfer(const struct ert_device_ceilings *from,
                                       const char *level, const char **pattern);

/*
 * Where a level stands from the cores outwards: its place in lists, levels of other names last; and on
 * the way to memory: 1 the first, RFL_DEPTH_MEMORY any memory, 0 beside it ("shared") or not known.
 */
enum { RFL_N_LEVELS = 9, RFL_DEPTH_MEMORY = 9 };
int rfl_level_rank(const char *level);
int rfl_level_depth(const char *level);

/* "flop/s", "op/s" or "inst/s" of a type; whether a unit does nothing but products of matrices. */
const char *rfl_rate_unit(const char *type);
bool rfl_is_matrix_unit(const char *unit);

/* Ceilings of all kinds as one: RFL_EXTRA + enum ert_extra_kind are the extras. */
enum { RFL_COMPUTE, RFL_MEMORY, RFL_EXTRA, RFL_N_KINDS = RFL_EXTRA + ERT_N_EXTRA_KINDS };

struct rfl_ceiling {
    const struct ert_ceiling *common;
    const char *kind; /* "compute", "memory", "latency" ... */
    /* Type, operation, unit; level, pattern, ""; of extras level or from, pattern or ceiling, to. */
    const char *of, *how, *on;
    const char *unit;                        /* "flop/s", "byte/s", "s" */
    bool is_roof;                            /* of memory: rfl_is_line; of extras always */
    const struct ert_memory_ceiling *memory; /* NULL: of another kind */
};

/* The i-th of a kind; false behind the last. Its texts are the device's. */
bool rfl_ceiling_at(const struct ert_device_ceilings *device, int kind, size_t i,
                    struct rfl_ceiling *ceiling);

/*
 * The bandwidth of a level: of a pattern, or (NULL) the one that stands for it where only one can: its
 * loads, where those were not measured its best (curve.h has the roof for reads and writes). "HBM",
 * "DRAM", "MCDRAM" and "memory" name the same where the device has only one of them. NULL: none.
 */
const struct rfl_bandwidth *rfl_roofs_level(const struct rfl_roofs *roofs,
                                            const char *level, const char *pattern);

/*
 * The peak for operations of a type on a unit with a share of FMA (model.h, rfl_model_units), or NaN
 * unknown: then of the fastest share. unit "" is the cores' best; "tensor" the best of mma and wgmma.
 * *peak: the ceiling that it is taken from. 0 when there is none.
 */
double rfl_roofs_peak(const struct rfl_roofs *roofs, const char *type, const char *unit,
                      double fma_share, const struct rfl_peak **peak);

/*
 * As rfl_roofs_peak, if each FMA reads three different registers: the ceiling of the operation
 * "fma-3reg". Of a share f of FMA the time of an instruction is the mean of both kinds (model.h,
 * rfl_model_operands). 0 where it was not measured, for matrix units and without FMA.
 */
double rfl_roofs_operand_peak(const struct rfl_roofs *roofs, const char *type,
                              const char *unit, double fma_share);

#endif
