#include "ert/base/units.h"
#include "ert/machine/dram.h"
#include "ert/machine/theory_tables.h"

#include <stdio.h>
#include <string.h>

/* The L1 patterns: vectors loaded and stored per step. */
static const struct {
    const char *name;
    uint32_t loads, stores;
} patterns[] = {
    {"L1-load",   1, 0},
    {"L1-store",  0, 1},
    {"L1-copy",   1, 1},
    {"L1-update", 1, 1},
    {"L1-triad",  2, 1},
    {"L1-2:1",    2, 1},
};
enum { N_PATTERNS = sizeof patterns / sizeof patterns[0] };

static bool is_isa_known(const struct ert_isa *isa)
{
    return isa->sse2 || isa->neon;
}

/* Whether programs may use vectors of this width; with features unknown, those of the core. */
static bool is_usable(const struct ert_isa *isa, uint32_t bits)
{
    if (!is_isa_known(isa))
        return bits > 0;
    if (bits == 512)
        return isa->avx512f || isa->sve;
    if (bits == 256)
        return isa->avx || isa->sve;
    return bits == 128;
}

double ert_theory_best_width(const struct ert_core *core, const struct ert_isa *isa,
                             const struct ert_peak_op *op,
                             const struct ert_core_width **best)
{
    double best_flops = 0;
    *best = NULL;
    if (op->flops > 1 && is_isa_known(isa) && !isa->fma)
        return 0;
    for (int i = 0; i < ERT_CORE_WIDTHS; i++) {
        const struct ert_core_width *width = &core->widths[i];
        if (width->bits == 0 || !is_usable(isa, width->bits))
            continue;
        if (width->units[op->op] == ERT_UNITS_UNKNOWN)
            return -1;
        double flops =
            (double)width->units[op->op] * (width->bits / op->element_bits) * op->flops;
        if (flops > best_flops) {
            best_flops = flops;
            *best = width;
        }
    }
    return best_flops;
}

void ert_theory_add_op(const char *name, const struct ert_core_width *width,
                       const struct ert_peak_op *op, uint32_t lanes, uint32_t n_cores,
                       const char *source, struct ert_peak_list *list)
{
    char formula[128];
    int units = width->units[op->op];
    snprintf(formula, sizeof formula, "%u core%s x %d unit%s x %u lane%s x %g flop",
             n_cores, n_cores == 1 ? "" : "s", units, units == 1 ? "" : "s", lanes,
             lanes == 1 ? "" : "s", op->flops);
    ert_peak_add(list, name, ERT_PEAK_FLOP_PER_S,
                 (double)n_cores * units * lanes * op->flops, formula, source);
}

static void add_op(const struct ert_core *core, const struct ert_isa *isa,
                   const struct ert_peak_op *op, uint32_t n_cores, const char *source,
                   struct ert_peak_list *list)
{
    const struct ert_core_width *width;
    double flops = ert_theory_best_width(core, isa, op, &width);
    if (flops < 0) {
        ert_peak_add_unknown(list, op->name, ERT_PEAK_FLOP_PER_S, core->units_unknown);
        return;
    }
    if (!width) {
        ert_peak_add_unknown(list, op->name, ERT_PEAK_FLOP_PER_S,
                             op->flops > 1 ? "no FMA instruction here"
                                           : "no vector unit is known for it");
        return;
    }
    ert_theory_add_op(op->name, width, op, width->bits / op->element_bits, n_cores, source,
                      list);
}

/*
 * Bytes per clock of a pattern: a step needs as many clocks as the slowest of the load path, the
 * store path and both together. 0 when one of them is not known.
 */
static double pattern_bytes(const struct ert_core_width *width, uint32_t loads,
                            uint32_t stores)
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

static void add_l1(const struct ert_core *core, const struct ert_isa *isa, uint32_t n_cores,
                   const char *source, struct ert_peak_list *list)
{
    char formula[128];
    for (int p = 0; p < N_PATTERNS; p++) {
        double bytes = 0;
        for (int i = 0; i < ERT_CORE_WIDTHS; i++) {
            double own =
                is_usable(isa, core->widths[i].bits)
                    ? pattern_bytes(&core->widths[i], patterns[p].loads, patterns[p].stores)
                    : 0;
            bytes = own > bytes ? own : bytes;
        }
        if (!(bytes > 0)) {
            ert_peak_add_unknown(list, patterns[p].name, ERT_PEAK_BYTE_PER_S,
                                 "the core's L1 bandwidth is not in the table");
            continue;
        }
        snprintf(formula, sizeof formula, "%u core%s x %.4g B", n_cores,
                 n_cores == 1 ? "" : "s", bytes);
        ert_peak_add(list, patterns[p].name, ERT_PEAK_BYTE_PER_S, n_cores * bytes, formula,
                     source);
    }
}

/*
 * What the platform's tables (ACPI HMAT) state that nodes deliver: all nodes of a kind must, or it is 0.
 * n: how many nodes there are.
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

/* The user's word, also where the platform has another. */
static void add_stated(const struct ert_device *device, double platform_bytes_per_s,
                       struct ert_peak_list *list)
{
    const char *stated = device->cpu.dram_stated;
    struct ert_dram dram;
    struct ert_error error;
    char formula[128], source[160], text[ERT_UNITS_TEXT];
    if (ert_dram_parse("dram_stated", stated, &dram, &error) != ERT_OK) {
        ert_peak_add_unknown(list, "DRAM", ERT_PEAK_BYTE_PER_S, error.text);
        return;
    }
    snprintf(formula, sizeof formula, "as stated: %s", dram.formula);
    snprintf(source, sizeof source, "stated by the user (%s)", stated);
    if (platform_bytes_per_s > 0)
        snprintf(source, sizeof source,
                 "stated by the user (%s), in place of the platform's %s (ACPI HMAT)",
                 stated, ert_units_bandwidth(platform_bytes_per_s, text));
    ert_peak_add_memory(list, "DRAM", 0, 0, dram.rate_bytes_per_s, formula, source);
}

static void add_memory(const struct ert_device *device, const struct ert_level *level,
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
        ert_peak_add_unknown(list, level->name, ERT_PEAK_BYTE_PER_S,
                             "the platform does not state the memory's bandwidth");
        return;
    }
    snprintf(formula, sizeof formula, "%u node%s x %.6g MiB/s%s", n, n == 1 ? "" : "s",
             sum / n / 1048576, n == 1 ? "" : " (mean)");
    ert_peak_add_memory(list, level->name, 0, 0, sum, formula,
                        "hwloc memory attributes (ACPI HMAT): the firmware's own claim");
}

/* Levels below L1: a row each, mostly to say that nobody publishes the number. */
static void add_levels(const struct ert_device *device, const struct ert_core *core,
                       uint32_t n_cores, const char *source, struct ert_peak_list *list)
{
    char formula[128];
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const char *name = device->levels[i].name;
        if (strcmp(name, "L1") == 0)
            continue;
        if (device->levels[i].kind == ERT_LEVEL_MEMORY) {
            add_memory(device, &device->levels[i], list);
        } else if (core && core->l2_bytes > 0 && strcmp(name, "L2") == 0) {
            snprintf(formula, sizeof formula, "%u core%s x %u B", n_cores,
                     n_cores == 1 ? "" : "s", core->l2_bytes);
            ert_peak_add(list, "L2-load", ERT_PEAK_BYTE_PER_S,
                         (double)n_cores * core->l2_bytes, formula, source);
        } else {
            ert_peak_add_unknown(list, name, ERT_PEAK_BYTE_PER_S,
                                 "no bandwidth is published for this cache");
        }
    }
}

void ert_theory_cpu(const struct ert_device *device, uint32_t n_cores,
                    struct ert_peak_list *list)
{
    const struct ert_cpu *cpu = &device->cpu;
    char note[64], reason[160], source[160] = "";
    const struct ert_core *core =
        ert_theory_core(device, note, sizeof note, reason, sizeof reason);
    if (n_cores == 0)
        n_cores = cpu->n_cores_usable ? cpu->n_cores_usable : cpu->n_cores;
    if (core)
        snprintf(source, sizeof source, "%s%s", note, core->source);
    for (int i = 0; i < ERT_N_PEAK_OPS; i++) {
        if (core)
            add_op(core, &cpu->isa, &ert_peak_ops[i], n_cores, source, list);
        else
            ert_peak_add_unknown(list, ert_peak_ops[i].name, ERT_PEAK_FLOP_PER_S, reason);
    }
    if (core) {
        ert_theory_cpu_more(core, &cpu->isa, n_cores, source, list);
        add_l1(core, &cpu->isa, n_cores, source, list);
    }
    for (int p = 0; !core && p < N_PATTERNS; p++)
        ert_peak_add_unknown(list, patterns[p].name, ERT_PEAK_BYTE_PER_S, reason);
    add_levels(device, core, n_cores, source, list);
}
