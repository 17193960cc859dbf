/*
 * theory_tables: what one core or one SM does per clock, as rows with their sources, and the list
 * that theory.c, theory_cpu.c and theory_gpu.c fill. Private to the machine room.
 */
#ifndef ERT_MACHINE_THEORY_TABLES_H
#define ERT_MACHINE_THEORY_TABLES_H

#include "ert/machine/theory.h"

/* The peaks written so far, and the clocks that each of them is wanted at. */
struct ert_peak_list {
    struct ert_peak *peaks;
    size_t n;
    struct {
        const char *name;
        double hz;
        const char
            *source; /* of the clock, NULL: the device's own; then of vector FLOPs alone */
    } clocks[4];
    size_t n_clocks;
};

/*
 * Adds a peak at every clock: per_clock flop or byte of the whole device; formula: how per_clock
 * comes about, without the clock. Without a clock the peak is unknown, but per_clock is kept.
 */
void ert_peak_add(struct ert_peak_list *list, const char *name, enum ert_peak_unit unit,
                  double per_clock, const char *formula, const char *source);

/* Adds one peak that needs no core clock, such as a memory's. */
void ert_peak_add_memory(struct ert_peak_list *list, const char *name, double clock_hz,
                         double per_clock, double value, const char *formula,
                         const char *source);

/* Adds one row that says why a peak is unknown. */
void ert_peak_add_unknown(struct ert_peak_list *list, const char *name,
                          enum ert_peak_unit unit, const char *reason);

/*
 * The compute peaks' names: type and op, flop per lane and clock. EITHER: additions on the units that
 * take them, and, on the others at once, as many multiplications or FMAs.
 */
struct ert_peak_op {
    const char *name;
    uint32_t element_bits;
    double flops;
    enum { ERT_OP_FMA, ERT_OP_ADD, ERT_OP_MUL, ERT_OP_EITHER, ERT_N_OPS } op;
};
enum { ERT_N_PEAK_OPS = 10 };
extern const struct ert_peak_op ert_peak_ops[ERT_N_PEAK_OPS];

/* One compute capability: results per clock and SM; 0 where not published or parts differ. */
struct ert_sm {
    uint32_t cc_major, cc_minor;
    uint32_t fp64_lanes, fp32_lanes; /* FMA, add or mul alike */
    uint32_t fp16_lanes;             /* as half2: each counts 2 */
    uint32_t bf16_lanes, int32_lanes;
    uint32_t issue;                  /* warp instructions */
    uint32_t l1_bytes, shared_bytes; /* loaded per clock; 0 unknown */
    const char *lanes_source, *l1_source, *shared_source;
};

/* Tensor cores of a compute capability: multiply-adds per clock and SM, dense; 0 none or unknown. */
struct ert_sm_tensor {
    uint32_t cc_major, cc_minor;
    uint32_t fp64, tf32, bf16, fp16, fp16_acc16, fp8, int8;
    int has_wgmma;
    const char *source;
};

enum { ERT_CORE_WIDTHS = 3, ERT_UNITS_UNKNOWN = -1 };

/* What a core does per clock with vectors of one width. Bytes: 0 unknown. */
struct ert_core_width {
    uint32_t bits;        /* 0: no such width */
    int units[ERT_N_OPS]; /* pipes per op; ERT_UNITS_UNKNOWN where parts differ */
    uint32_t load_bytes, store_bytes; /* L1, either alone */
    uint32_t total_bytes;             /* L1, loads and stores together */
};

struct ert_core {
    const char *name;
    struct ert_core_width widths[ERT_CORE_WIDTHS]; /* widest first */
    uint32_t l2_bytes;                             /* L2 to L1 per clock; 0 not published */
    const char *source;
    const char *units_unknown; /* why units are unknown, where they are */
};

/* The core of a device, or NULL with the reason; note says how it was found when not by model. */
const struct ert_core *ert_theory_core(const struct ert_device *device, char *note,
                                       size_t note_size, char *reason, size_t reason_size);

/*
 * The clock to which a core falls under dense 512-bit arithmetic, in Hz, with its source; 0 where
 * the core keeps its clock or no document gives a number.
 */
double ert_theory_avx_hz(const struct ert_device *device, const char **source);

/* A peak of an extension: units * lanes * ops per `clocks` clocks and core. */
struct ert_core_extension {
    uint32_t core;    /* the core's number in theory_cores.def */
    const char *name; /* the ceiling's */
    size_t flag;      /* offset in struct ert_isa of the feature that it needs */
    uint32_t units, lanes, ops, clocks;
    const char *source;
};

/* Extension i = 0, 1 ... of a core; NULL after the last. */
const struct ert_core_extension *ert_theory_extension(const struct ert_core *core,
                                                      size_t i);

/*
 * The vectors with which a core reaches the most flop per clock of an op, of those that the features
 * allow, into *best, and that number; 0 without such vectors, negative where the units are unknown.
 */
double ert_theory_best_width(const struct ert_core *core, const struct ert_isa *isa,
                             const struct ert_peak_op *op,
                             const struct ert_core_width **best);

/* Adds the peak of n_cores cores with vectors of `width` at a number of lanes each. */
void ert_theory_add_op(const char *name, const struct ert_core_width *width,
                       const struct ert_peak_op *op, uint32_t lanes, uint32_t n_cores,
                       const char *source, struct ert_peak_list *list);

/*
 * Adds what theory_cpu.c's ops leave: FP16, extensions, divisions and square roots, and lesser
 * instruction sets. source: of the core's units.
 */
void ert_theory_cpu_more(const struct ert_core *core, const struct ert_isa *isa,
                         uint32_t n_cores, const char *source, struct ert_peak_list *list);

void ert_theory_cpu(const struct ert_device *device, uint32_t n_cores,
                    struct ert_peak_list *list);
void ert_theory_gpu(const struct ert_device *device, struct ert_peak_list *list);

#endif
