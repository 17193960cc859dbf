/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/theory.h"

#include "ert/core/base/units.h"
#include "ert/core/kernels/kernel.h"
#include "ert/core/machine/dram.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct core;

/* The peaks written so far, and the clocks at which each of them is needed. */
struct ert_peak_list {
    struct ert_peak *peaks, one_too_many;
    size_t n;
    struct clock {
        const char *name;
        double hz;
    } clocks[3];
    size_t n_clocks;
    /* CPU: common to its compute and cache peaks. */
    const struct core *core; /* NULL: not in the table */
    const struct ert_isa *isa;
    uint32_t n_cores; /* in use */
    char source[160];
    char reason[160]; /* why there is no core */
};

/*
 * The compute peaks: name, element size, flop per lane and clock. EITHER: additions on some units and as many
 * multiplications or FMAs on the others at the same time.
 */
struct peak_op {
    const char *name;
    uint32_t element_bits;
    double flops;
    enum {
        OP_FMA,
        OP_ADD,
        OP_MUL,
        OP_EITHER,
        N_UNITS, /* ops with units; the others share a divider */
        OP_DIV64 = N_UNITS,
        OP_SQRT64,
        OP_DIV32,
        OP_SQRT32,
        N_OPS
    } op;
};

static const struct peak_op peak_ops[] = {
    {"fp64-fma",    64, 2,   OP_FMA   },
    {"fp64-add",    64, 1,   OP_ADD   },
    {"fp64-mul",    64, 1,   OP_MUL   },
    {"fp64-addmul", 64, 1,   OP_EITHER},
    {"fp64-fmaadd", 64, 1.5, OP_EITHER},
    {"fp32-fma",    32, 2,   OP_FMA   },
    {"fp32-add",    32, 1,   OP_ADD   },
    {"fp32-mul",    32, 1,   OP_MUL   },
    {"fp32-addmul", 32, 1,   OP_EITHER},
    {"fp32-fmaadd", 32, 1.5, OP_EITHER},
    {"fp64-div",    64, 1,   OP_DIV64 },
    {"fp64-sqrt",   64, 1,   OP_SQRT64},
    {"fp32-div",    32, 1,   OP_DIV32 },
    {"fp32-sqrt",   32, 1,   OP_SQRT32},
 /* Halves use the pipes of the other types, with twice as many lanes as FP32. */
    {"fp16-fma",    16, 2,   OP_FMA   },
    {"fp16-add",    16, 1,   OP_ADD   },
    {"fp16-mul",    16, 1,   OP_MUL   },
};

static struct ert_peak *next_row(struct ert_peak_list *list, const char *name,
                                 enum ert_peak_unit unit)
{
    struct ert_peak *peak =
        list->n < ERT_MAX_PEAKS ? &list->peaks[list->n++] : &list->one_too_many;
    *peak = (struct ert_peak){.unit = unit};
    snprintf(peak->name, sizeof peak->name, "%s", name);
    return peak;
}

void ert_peaks_unknown(struct ert_peak_list *list, const char *name,
                       enum ert_peak_unit unit, const char *reason)
{
    struct ert_peak *peak = next_row(list, name, unit);
    snprintf(peak->unknown, sizeof peak->unknown, "%.*s", (int)sizeof peak->unknown - 1,
             reason);
}

static const char *theory_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Without a clock the peak is unknown, but per_clock is kept. */
void ert_peaks_add(struct ert_peak_list *list, const char *name, enum ert_peak_unit unit,
                   double per_clock, const char *source, const char *format, ...)
{
    char formula[120];
    ERT_FORMAT(formula, sizeof formula, format);
    for (size_t i = 0; i == 0 || i < list->n_clocks; i++) {
        const struct clock *clock = list->n_clocks ? &list->clocks[i] : NULL;
        struct ert_peak *peak = next_row(list, name, unit);
        peak->per_clock = per_clock;
        snprintf(peak->formula, sizeof peak->formula, "%s x %s", formula,
                 clock ? ert_units_frequency(clock->hz).text : "clock");
        snprintf(peak->source, sizeof peak->source, "%s", source);
        snprintf(peak->clock, sizeof peak->clock, "%s", clock ? clock->name : "");
        snprintf(peak->unknown, sizeof peak->unknown, "%s",
                 clock ? "" : "no clock is known");
        peak->value = clock ? per_clock * clock->hz : 0;
    }
}

static void theory_add_memory(struct ert_peak_list *list, const char *name,
                              double per_clock, double value, const char *formula,
                              const char *source)
{
    struct ert_peak *peak = next_row(list, name, ERT_PEAK_BYTE_PER_S);
    peak->per_clock = per_clock;
    peak->value = value;
    snprintf(peak->clock, sizeof peak->clock, "memory");
    snprintf(peak->formula, sizeof peak->formula, "%s", formula);
    snprintf(peak->source, sizeof peak->source, "%s", source);
}

enum { CORE_WIDTHS = 3, CORE_MODELS = 6, UNITS_DIFFER = -1 };

/* The throughput of a core per clock with vectors of one width. Bytes: 0 unknown. */
struct core_width {
    uint32_t bits;                    /* 0: no such width */
    int units[N_UNITS];               /* pipes per op; UNITS_DIFFER if models differ */
    uint32_t load_bytes, store_bytes; /* L1, either alone */
    uint32_t total_bytes;             /* L1, loads and stores together */
};

struct core {
    const char *name;
    struct core_width widths[CORE_WIDTHS]; /* widest first */
    uint32_t l2_bytes;                     /* L2 to L1 per clock; 0 not published */
    uint32_t issue;                        /* instructions per clock */
    /* From one vector's division to the next, of 512, 256, and 128 bits or scalar; 0 unknown. */
    double divider_clocks[CORE_WIDTHS][N_OPS - N_UNITS];
    const char *source;
    const char *vendor; /* of the models that have it; NULL: not found by model number */
    uint32_t family;
    struct {
        uint32_t first, last; /* inclusive; 0 ends the list */
    } models[CORE_MODELS];
};

/* A peak of an extension: units * lanes * ops per `clocks` clocks and core. */
struct core_extension {
    uint32_t core;    /* the core's number in theory_cores.def */
    const char *name; /* the ceiling's */
    size_t flag;      /* offset in struct ert_isa of the feature that it needs */
    uint32_t units, lanes, ops, clocks;
    const char *source;
};

/* theory_cores.def is read three times: the cores' numbers, the cores, extensions. */
enum core_id {
#define ERT_CORE(id, ...) CORE_##id,
#define ERT_EXTENSION(...)
#include "ert/core/machine/theory_cores.def"
    N_CORES
};

static const char divider_source[] =
    "OSACA's measured tables (github.com/RRZE-HPC/OSACA, osaca/data)";

static const char units_unknown[] =
    "this model comes with one or two 512-bit FMA units, and its name does not say";

static const struct core cores[N_CORES] = {
#define ERT_WIDTH(bits, fma, add, mul, either, load, store, total)                         \
    {                                                                                      \
        bits, {fma, add, mul, either}, load, store, total                                  \
    }
#define WIDTHS(...)             .widths = {__VA_ARGS__}
#define MODELS(of, number, ...) .vendor = of, .family = number, .models = {__VA_ARGS__}
#define DIVIDER(...)            .divider_clocks = {__VA_ARGS__}
#define ERT_CORE(id, title, l2, width, from, ...)                                          \
    {.name = title, .l2_bytes = l2, .issue = width, .source = from, __VA_ARGS__},
#define ERT_EXTENSION(...)
#include "ert/core/machine/theory_cores.def"
};

static const struct core_extension extensions[] = {
#define ERT_CORE(...)
#define ERT_EXTENSION(core, name, feature, ...)                                            \
    {CORE_##core, name, offsetof(struct ert_isa, feature), __VA_ARGS__},
#include "ert/core/machine/theory_cores.def"
};

/*
 * 512-bit FMA units of model 0x55 by name: ark.intel.com, "# of AVX-512 FMA Units". Longer names precede
 * their prefixes. Xeon D and Gold 53xx exist with either number and are not listed.
 */
static const struct {
    const char *name;
    enum core_id core;
} skylake_names[] = {
    {"Platinum 8", CORE_SKYLAKE_SP_2},
    {"Platinum 9", CORE_SKYLAKE_SP_2},
    {"Gold 6",     CORE_SKYLAKE_SP_2},
    {"Gold 5122",  CORE_SKYLAKE_SP_2},
    {"Gold 5222",  CORE_SKYLAKE_SP_2},
    {"Gold 51",    CORE_SKYLAKE_SP_1},
    {"Gold 52",    CORE_SKYLAKE_SP_1},
    {"Silver 4",   CORE_SKYLAKE_SP_1},
    {"Bronze 3",   CORE_SKYLAKE_SP_1},
    {"W-21",       CORE_SKYLAKE_SP_2},
    {"W-22",       CORE_SKYLAKE_SP_2},
    {"W-31",       CORE_SKYLAKE_SP_2},
    {"W-32",       CORE_SKYLAKE_SP_2},
};

static enum core_id by_name(const char *name)
{
    for (size_t i = 0; i < ERT_LENGTH(skylake_names); i++)
        if (strstr(name, skylake_names[i].name))
            return skylake_names[i].core;
    return CORE_SKYLAKE_SP;
}

/* The core by vendor, family and model; N_CORES when it is not in the table. */
static enum core_id by_model(const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    for (int i = 0; i < N_CORES; i++)
        for (size_t m = 0; m < CORE_MODELS && cores[i].models[m].last > 0; m++)
            if (strcmp(cores[i].vendor, cpu->vendor) == 0 &&
                cores[i].family == cpu->family && cores[i].models[m].first <= cpu->model &&
                cpu->model <= cores[i].models[m].last)
                return i == CORE_SKYLAKE_SP ? by_name(device->name) : (enum core_id)i;
    return N_CORES;
}

/*
 * Hypervisors may report another model, but they cannot invent features: AMX came with the Golden Cove server
 * core, so a processor with AMX has that core or a later one.
 */
static bool is_disguised(const struct ert_cpu *cpu, enum core_id core)
{
    bool has_amx_by_model = core == CORE_GOLDEN_COVE_SP || core == CORE_REDWOOD_COVE_SP;
    return strcmp(cpu->vendor, "GenuineIntel") == 0 && cpu->isa.amx_tile &&
           !has_amx_by_model && (core != N_CORES || cpu->hypervisor[0]);
}

/* Sets the list's core and its source, or the reason why it is unknown. */
static void find_core(const struct ert_device *device, struct ert_peak_list *list)
{
    const struct ert_cpu *cpu = &device->cpu;
    enum core_id core = by_model(device);
    char note[64] = "";
    if (ert_cpu_is_hybrid(cpu)) {
        snprintf(list->reason, sizeof list->reason, "cores of several types: %s, %s",
                 cpu->core_kinds[0].name, cpu->core_kinds[1].name);
        return;
    }
    if (is_disguised(cpu, core)) {
        snprintf(note, sizeof note, "by AMX, which model 0x%x lacks: ", cpu->model);
        core = CORE_GOLDEN_COVE_SP;
    }
    if (core != N_CORES) {
        list->core = &cores[core];
        snprintf(list->source, sizeof list->source, "%s%s", note, list->core->source);
    } else if (cpu->vendor[0]) {
        snprintf(list->reason, sizeof list->reason,
                 "%s family 0x%x model 0x%x is not in the table", cpu->vendor, cpu->family,
                 cpu->model);
    } else {
        snprintf(list->reason, sizeof list->reason,
                 "the processor's vendor and model are not known");
    }
}

static bool is_isa_known(const struct ert_isa *isa)
{
    return isa->sse2 || isa->neon;
}

/* Whether programs may use vectors of this width; if features are unknown, all of the core's. */
static bool theory_is_usable(const struct ert_isa *isa, uint32_t bits)
{
    if (!is_isa_known(isa))
        return bits > 0;
    if (bits == 512)
        return isa->avx512f || isa->sve;
    if (bits == 256)
        return isa->avx || isa->sve;
    return bits == 128;
}

/* Narrower vectors use the pipes of the narrowest width that holds them. */
static const struct core_width *holding(const struct core *core, uint32_t bits)
{
    const struct core_width *found = NULL;
    for (int i = 0; i < CORE_WIDTHS; i++)
        if (core->widths[i].bits > 0 && core->widths[i].bits >= bits)
            found = &core->widths[i];
    return found;
}

/* Vectors per clock; 0: none, or unknown; negative if the units are unknown. */
static double core_rate(const struct core *core, uint32_t bits, const struct peak_op *op)
{
    const struct core_width *width = holding(core, bits);
    if (op->op < N_UNITS)
        return width ? width->units[op->op] : 0;
    double clocks = core->divider_clocks[bits == 512   ? 0
                                         : bits == 256 ? 1
                                                       : 2][op->op - N_UNITS];
    return clocks > 0 ? 1 / clocks : 0;
}

/*
 * Finds the vectors, among those that the features allow, with which a core reaches the most flop per clock
 * for an op; returns that number, 0 without such vectors, negative if the units are unknown.
 */
static double best_width(const struct core *core, const struct ert_isa *isa,
                         const struct peak_op *op, const struct core_width **best)
{
    double best_flops = 0;
    *best = NULL;
    if (op->flops > 1 && is_isa_known(isa) && !isa->fma)
        return 0;
    for (int i = 0; i < CORE_WIDTHS; i++) {
        const struct core_width *width = &core->widths[i];
        if (width->bits == 0 || !theory_is_usable(isa, width->bits))
            continue;
        double rate = core_rate(core, width->bits, op);
        if (rate < 0) {
            *best = NULL;
            return -1;
        }
        double flops = rate * (width->bits / op->element_bits) * op->flops;
        if (flops > best_flops) {
            best_flops = flops;
            *best = width;
        }
    }
    return best_flops;
}

/* Adds the peak of all cores with vectors of `bits` (0: scalars). */
static void add_op_of(struct ert_peak_list *list, const char *name, uint32_t bits,
                      const struct peak_op *op)
{
    double rate = core_rate(list->core, bits, op);
    uint32_t units = (uint32_t)rate, lanes = bits ? bits / op->element_bits : 1;
    if (op->op >= N_UNITS)
        ert_peaks_add(list, name, ERT_PEAK_FLOP_PER_S, list->n_cores * rate * lanes,
                      divider_source, "%u core%s x %u lane%s / %g clocks", list->n_cores,
                      theory_plural(list->n_cores), lanes, theory_plural(lanes), 1 / rate);
    else
        ert_peaks_add(list, name, ERT_PEAK_FLOP_PER_S,
                      (double)list->n_cores * units * lanes * op->flops, list->source,
                      "%u core%s x %u unit%s x %u lane%s x %g flop", list->n_cores,
                      theory_plural(list->n_cores), units, theory_plural(units), lanes,
                      theory_plural(lanes), op->flops);
}

static void add_op(struct ert_peak_list *list, const struct peak_op *op)
{
    const struct core_width *width = NULL;
    double flops = list->core ? best_width(list->core, list->isa, op, &width) : 0;
    if (width)
        add_op_of(list, op->name, width->bits, op);
    else if (op->op < N_UNITS)
        ert_peaks_unknown(list, op->name, ERT_PEAK_FLOP_PER_S,
                          !list->core ? list->reason
                          : op->element_bits == 16
                              ? "the core's FP16 units are not in the table"
                          : flops < 0     ? units_unknown
                          : op->flops > 1 ? "no FMA instruction here"
                                          : "no vector unit is known for it");
}

/*
 * Bytes per clock of a pattern: a step takes as many clocks as the slowest of the load path, the store path
 * and both together. 0 when one of them is unknown.
 */
static double pattern_bytes(const struct core_width *width, uint32_t loads, uint32_t stores)
{
    bool is_mixed = loads > 0 && stores > 0;
    if ((loads > 0 && !width->load_bytes) || (stores > 0 && !width->store_bytes) ||
        (is_mixed && !width->total_bytes))
        return 0;
    double clocks = 0;
    if (loads > 0)
        clocks = (double)loads / width->load_bytes;
    if (stores > 0 && (double)stores / width->store_bytes > clocks)
        clocks = (double)stores / width->store_bytes;
    if (is_mixed && (double)(loads + stores) / width->total_bytes > clocks)
        clocks = (double)(loads + stores) / width->total_bytes;
    return (loads + stores) / clocks;
}

/* Of each memory kernel that measures caches. */
static void add_l1(struct ert_peak_list *list)
{
    for (int id = 0; id < ERT_N_KERNELS; id++) {
        const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)id);
        double bytes = 0;
        char name[32];
        if (row->kind != ERT_KIND_MEMORY || (row->limits & ERT_MEMORY_ONLY))
            continue;
        snprintf(name, sizeof name, "L1-%s", row->op);
        for (int i = 0; i < CORE_WIDTHS && list->core; i++) {
            const struct core_width *width = &list->core->widths[i];
            double own = theory_is_usable(list->isa, width->bits)
                             ? pattern_bytes(width, row->loads, row->stores)
                             : 0;
            bytes = own > bytes ? own : bytes;
        }
        if (bytes > 0)
            ert_peaks_add(list, name, ERT_PEAK_BYTE_PER_S, list->n_cores * bytes,
                          list->source, "%u core%s x %.4g B", list->n_cores,
                          theory_plural(list->n_cores), bytes);
        else
            ert_peaks_unknown(list, name, ERT_PEAK_BYTE_PER_S,
                              list->core ? "the core's L1 bandwidth is not in the table"
                                         : list->reason);
    }
}

/*
 * The sum of the nodes' bandwidths by the platform's tables (ACPI HMAT), or 0 unless they have all nodes of
 * the kind. *n: the number of nodes.
 */
static double platform_bandwidth(const struct ert_device *device,
                                 const struct ert_level *level, uint32_t *n)
{
    double sum = 0;
    uint32_t n_known = 0;
    *n = 0;
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        if (!ert_level_has_node(level, node))
            continue;
        ++*n;
        n_known += node->bandwidth_bytes_per_s > 0;
        sum += node->bandwidth_bytes_per_s;
    }
    return n_known == *n ? sum : 0;
}

/* The user's statement takes precedence over the platform's. */
static void add_stated(const struct ert_device *device, double platform_bytes_per_s,
                       struct ert_peak_list *list)
{
    const char *stated = device->cpu.dram_stated;
    struct ert_dram dram;
    struct ert_error error;
    char formula[128], source[160];
    if (ert_dram_parse("dram_stated", stated, &dram, &error) != ERT_OK) {
        ert_peaks_unknown(list, "DRAM", ERT_PEAK_BYTE_PER_S, error.text);
        return;
    }
    snprintf(formula, sizeof formula, "as stated: %s", dram.formula);
    snprintf(source, sizeof source, "stated by the user (%s)", stated);
    if (platform_bytes_per_s > 0)
        snprintf(source, sizeof source,
                 "stated by the user (%s), in place of the platform's %s (ACPI HMAT)",
                 stated, ert_units_bandwidth(platform_bytes_per_s).text);
    theory_add_memory(list, "DRAM", 0, dram.rate_bytes_per_s, formula, source);
}

static void add_cpu_memory(const struct ert_device *device, const struct ert_level *level,
                           struct ert_peak_list *list)
{
    uint32_t n;
    double sum = platform_bandwidth(device, level, &n);
    char formula[128];
    if (ert_dram_is_stated(device, level->name)) {
        add_stated(device, sum, list);
        return;
    }
    if (!(sum > 0)) {
        ert_peaks_unknown(list, level->name, ERT_PEAK_BYTE_PER_S,
                          "the platform does not state the memory's bandwidth");
        return;
    }
    snprintf(formula, sizeof formula, "%u node%s x %.6g MiB/s%s", n, theory_plural(n),
             sum / n / 1048576, n == 1 ? "" : " (mean)");
    theory_add_memory(list, level->name, 0, sum, formula,
                      "hwloc memory attributes (ACPI HMAT): the firmware's own claim");
}

/* Adds rows for levels beyond L1: memories, and L2 where a document gives its number. */
static void theory_add_levels(const struct ert_device *device, struct ert_peak_list *list)
{
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const char *name = device->levels[i].name;
        uint32_t l2_bytes = list->core ? list->core->l2_bytes : 0;
        if (strcmp(name, "L1") == 0)
            continue;
        if (device->levels[i].kind == ERT_LEVEL_MEMORY)
            add_cpu_memory(device, &device->levels[i], list);
        else if (l2_bytes > 0 && strcmp(name, "L2") == 0)
            ert_peaks_add(list, "L2-load", ERT_PEAK_BYTE_PER_S,
                          (double)list->n_cores * l2_bytes, list->source,
                          "%u core%s x %u B", list->n_cores, theory_plural(list->n_cores),
                          l2_bytes);
    }
}

/* Instruction sets with narrower vectors (bits 0: scalar), and the features that they need. */
static const struct lesser {
    const char *name;
    uint32_t bits;
    size_t flag;
    bool fused;
} lessers[] = {
    {"avx2",   256, offsetof(struct ert_isa, avx2), true },
    {"sse2",   128, offsetof(struct ert_isa, sse2), false},
    {"neon",   128, offsetof(struct ert_isa, neon), true },
    {"scalar", 0,   offsetof(struct ert_isa, sse2), true },
    {"scalar", 0,   offsetof(struct ert_isa, neon), true },
};

static bool theory_has(const struct ert_isa *isa, size_t flag)
{
    return *((const bool *)isa + flag);
}

/* The formula's unit is that of the operations: "op" for integers. */
static void add_extension(struct ert_peak_list *list, const struct core_extension *row)
{
    char clocks[32] = "";
    if (row->clocks > 1)
        snprintf(clocks, sizeof clocks, " / %u clocks", row->clocks);
    ert_peaks_add(list, row->name, ERT_PEAK_FLOP_PER_S,
                  (double)list->n_cores * row->units * row->lanes * row->ops / row->clocks,
                  row->source, "%u core%s x %u unit%s x %u lanes x %u %s%s", list->n_cores,
                  theory_plural(list->n_cores), row->units, theory_plural(row->units),
                  row->lanes, row->ops, strncmp(row->name, "int", 3) == 0 ? "op" : "flop",
                  clocks);
}

static void add_extensions(struct ert_peak_list *list)
{
    for (size_t k = 0; k < ERT_LENGTH(extensions); k++)
        if (&cores[extensions[k].core] == list->core &&
            theory_has(list->isa, extensions[k].flag))
            add_extension(list, &extensions[k]);
}

static void add_lesser(struct ert_peak_list *list, const struct lesser *lesser)
{
    char name[32];
    for (size_t i = 0; i < ERT_LENGTH(peak_ops); i++) {
        const struct peak_op *op = &peak_ops[i];
        const struct core_width *best;
        if (op->element_bits == 16 || best_width(list->core, list->isa, op, &best) <= 0 ||
            best->bits <= lesser->bits || core_rate(list->core, lesser->bits, op) <= 0 ||
            (op->flops > 1 && !(lesser->fused && list->isa->fma)))
            continue;
        snprintf(name, sizeof name, "%s-%s", op->name, lesser->name);
        add_op_of(list, name, lesser->bits, op);
    }
}

/* Only at one clock, the last: three would add a page to `ert info` that hardly anyone needs. */
static void add_lessers(struct ert_peak_list *list)
{
    struct ert_peak_list last = *list;
    if (list->n_clocks > 1) {
        last.clocks[0] = list->clocks[list->n_clocks - 1];
        last.n_clocks = 1;
    }
    for (size_t i = 0; i < ERT_LENGTH(lessers); i++)
        if (theory_has(list->isa, lessers[i].flag))
            add_lesser(&last, &lessers[i]);
    list->n = last.n;
}

static void theory_add_cpu(const struct ert_device *device, uint32_t n_cores,
                           struct ert_peak_list *list)
{
    const struct ert_cpu *cpu = &device->cpu;
    bool has_halves = cpu->isa.avx512fp16 || cpu->isa.neonfp16;
    find_core(device, list);
    list->isa = &cpu->isa;
    list->n_cores = n_cores               ? n_cores
                    : cpu->n_cores_usable ? cpu->n_cores_usable
                                          : cpu->n_cores;
    for (size_t i = 0; i < ERT_LENGTH(peak_ops); i++)
        if (peak_ops[i].element_bits > 16 || (has_halves && list->core))
            add_op(list, &peak_ops[i]);
    if (list->core) {
        ert_peaks_add(list, "inst-issue", ERT_PEAK_FLOP_PER_S,
                      (double)list->n_cores * list->core->issue, list->source,
                      "%u core%s x %u inst", list->n_cores, theory_plural(list->n_cores),
                      list->core->issue);
        add_extensions(list);
        add_lessers(list);
    }
    add_l1(list);
    theory_add_levels(device, list);
}

/* DDR: two transfers per clock as the driver reports it, for both HBM and GDDR. */
static void add_gpu_memory(const struct ert_device *device, struct ert_peak_list *list)
{
    const struct ert_gpu *gpu = &device->gpu;
    const char *name = "DRAM";
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_MEMORY)
            name = device->levels[i].name;
    if (!(gpu->memory_clock_hz > 0) || gpu->bus_width_bits == 0) {
        ert_peaks_unknown(list, name, ERT_PEAK_BYTE_PER_S,
                          "the memory clock or the bus width is not known");
        return;
    }
    char formula[96];
    double per_clock = 2.0 * gpu->bus_width_bits / 8;
    snprintf(formula, sizeof formula, "2 transfers x %u bit / 8 x %s", gpu->bus_width_bits,
             ert_units_frequency(gpu->memory_clock_hz).text);
    theory_add_memory(list, name, per_clock, per_clock * gpu->memory_clock_hz, formula,
                      "memory clock and bus width as the driver reports them");
}

void ert_theory_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                      ert_peaks_of own, struct ert_peak peaks[ERT_MAX_PEAKS],
                      size_t *n_peaks)
{
    struct ert_peak_list list = {.peaks = peaks};
    const struct clock clocks[] = {
        {"base",  device->base_hz },
        {"boost", device->boost_hz},
        {"held",  held_hz         }
    };
    for (size_t i = 0; i < ERT_LENGTH(clocks); i++)
        if (clocks[i].hz > 0)
            list.clocks[list.n_clocks++] = clocks[i];
    if (device->kind == ERT_DEVICE_CPU)
        theory_add_cpu(device, n_cores, &list);
    if (own)
        own(device, &list);
    if (device->kind == ERT_DEVICE_GPU)
        add_gpu_memory(device, &list);
    *n_peaks = list.n;
}

/* The precedence of a peak's clock: the highest wins. */
static int clock_rank(const struct ert_peak *peak)
{
    static const char *const order[] = {"base", "boost", "held", "memory"};
    for (int i = 0; i < (int)(ERT_LENGTH(order)); i++)
        if (strcmp(peak->clock, order[i]) == 0)
            return i;
    return -1;
}

static const struct ert_peak *theory_find_name(const struct ert_peak *peaks, size_t n_peaks,
                                               const char *name, size_t length)
{
    const struct ert_peak *best = NULL;
    for (size_t i = 0; i < n_peaks; i++) {
        const struct ert_peak *peak = &peaks[i];
        if (strlen(peak->name) != length || strncmp(peak->name, name, length) != 0 ||
            !(peak->value > 0))
            continue;
        if (!best || clock_rank(peak) > clock_rank(best))
            best = peak;
    }
    return best;
}

const struct ert_peak *ert_theory_find(const struct ert_peak *peaks, size_t n_peaks,
                                       const char *name)
{
    /* From the full name down to the level's: "L1-store-nt", "L1-store", "L1". */
    size_t length = strlen(name);
    const struct ert_peak *peak = theory_find_name(peaks, n_peaks, name, length);
    while (!peak && length > 0)
        if (name[--length] == '-')
            peak = theory_find_name(peaks, n_peaks, name, length);
    return peak;
}
