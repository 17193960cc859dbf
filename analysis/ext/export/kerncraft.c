/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kerncraft: a machine file of Kerncraft (https://github.com/RRZE-HPC/kerncraft, kerncraft/machinemodel.py
 * and examples/machine-files/) for a CPU. What ceilings do not have (ports, counters, sets and ways,
 * duplexity) is written as INFORMATION_REQUIRED, Kerncraft's own word.
 *
 * Only the unit prefixes k and G are used, as powers of 1000 ("T" is 1e13 in kerncraft/prefixedunit.py).
 * Bandwidths count the bytes that the code requests: Kerncraft adds write-allocation itself (get_bandwidth).
 * Its kernel "triad" has three loads; ours is STREAM's with two, so it is written as "stream", as
 * likwid-bench calls it. The lists have one number of cores, that of the ceilings.
 */
#include "analysis/ext/export/export.h"

#include <math.h>
#include <string.h>

#define UNKNOWN "INFORMATION_REQUIRED"

/* The version of the file format: the one with 'loads' and 'stores' in counters. */
#define FORMAT_VERSION "0.8.11.dev0"

static const struct kernel {
    const char *pattern, *name; /* ours, in the file */
    int flops, reads, updates, writes;
} kernels[] = {
    {"load",   "load",   0, 1, 0, 0},
    {"copy",   "copy",   0, 1, 0, 1},
    {"update", "update", 2, 1, 1, 1},
    {"triad",  "stream", 2, 2, 0, 1},
};
enum { N_KERNELS = ERT_LENGTH(kernels) };

/* A number with its unit; 0 is unknown. */
static void kerncraft_write_number(FILE *out, const char *key, double number, int decimals,
                                   const char *unit)
{
    if (number > 0)
        fprintf(out, "%s: %.*f%s\n", key, decimals, number, unit);
    else
        fprintf(out, "%s: " UNKNOWN "\n", key);
}

static void write_count(FILE *out, const char *key, uint32_t count)
{
    kerncraft_write_number(out, key, count, 0, "");
}

/* A quotient of numbers of the topology; 0 unknown. */
static uint32_t per(uint32_t all, uint32_t parts)
{
    return parts ? all / parts : 0;
}

static uint32_t nodes_with_cores(const struct ert_cpu *cpu)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cpu->n_numa && i < ERT_MAX_NUMA; i++)
        n += cpu->numa[i].n_cores > 0;
    return n;
}

static void write_topology(FILE *out, const struct rfl_export_device *device)
{
    const struct ert_cpu *cpu = &device->machine->cpu;
    uint32_t nodes = nodes_with_cores(cpu);
    write_count(out, "sockets", cpu->n_packages);
    write_count(out, "cores per socket", per(cpu->n_cores, cpu->n_packages));
    write_count(out, "threads per core", per(cpu->n_pus, cpu->n_cores));
    write_count(out, "NUMA domains per socket", per(nodes, cpu->n_packages));
    write_count(out, "cores per NUMA domain", per(cpu->n_cores, nodes));
    double clock_hz = device->ceilings->held_hz;
    kerncraft_write_number(out, "clock",
                           (clock_hz > 0 ? clock_hz : device->machine->base_hz) / 1e9, 4,
                           " GHz");
    kerncraft_write_number(
        out, "cacheline size",
        device->machine->n_levels ? device->machine->levels[0].line_bytes : 0, 0, " B");
    fprintf(out, "isa: %s\n", cpu->isa.sse2 ? "x86" : cpu->isa.neon ? "aarch64" : UNKNOWN);
}

/* Operations per cycle and core: theoretical if known, else measured; 0 unknown. */
static double per_cycle(const struct rfl_export_device *device, const char *type,
                        const char *op)
{
    const struct ert_ceiling *peak = rfl_export_compute(device, type, op);
    if (!peak || !peak->evidence->launch.threads)
        return 0;
    const struct ert_device_ceilings *ceilings = device->ceilings;
    for (size_t i = 0; i < ceilings->n_peaks; i++)
        if (strcmp(ceilings->peaks[i].name, peak->evidence->theory_name) == 0 &&
            ceilings->peaks[i].per_clock > 0)
            return ceilings->peaks[i].per_clock / peak->evidence->launch.threads;
    return peak->evidence->clock_hz > 0
               ? peak->value / peak->evidence->clock_hz / peak->evidence->launch.threads
               : 0;
}

static void write_rate(FILE *out, const char *key, double flops, const char *end)
{
    if (flops > 0)
        fprintf(out, "%s: %.4g%s", key, flops, end);
    else
        fprintf(out, "%s: " UNKNOWN "%s", key, end);
}

/* "total" is the most flops per cycle; FMA is instructions times lanes, half of its flops. */
static void write_flops(FILE *out, const struct rfl_export_device *device)
{
    static const char *const names[] = {"SP", "DP"}, *const types[] = {"fp32", "fp64"};
    static const char *const keys[] = {"FMA", "ADD", "MUL"};
    static const char *const ops[] = {"fma", "add", "mul"};
    fputs("FLOPs per cycle:\n", out);
    for (size_t t = 0; t < 2; t++) {
        double total = 0;
        fprintf(out, "  %s: {", names[t]);
        for (size_t k = 0; k < 3; k++) {
            double flops = per_cycle(device, types[t], ops[k]);
            total = fmax(total, flops);
            write_rate(out, keys[k], k == 0 ? flops / 2 : flops, ", ");
        }
        write_rate(out, "total", total, "}\n");
    }
}

/* In-core models, compilers, ports and counters, which the ceilings do not have. */
static void write_unknown(FILE *out)
{
    fputs("in-core model: !!omap\n- OSACA: " UNKNOWN "\n- LLVM-MCA: " UNKNOWN "\n"
          "compiler: !!omap\n- gcc: " UNKNOWN "\n- clang: " UNKNOWN "\n"
          "overlapping model:\n  ports: " UNKNOWN "\n"
          "  performance counter metric: " UNKNOWN "\n"
          "non-overlapping model:\n  ports: " UNKNOWN "\n"
          "  performance counter metric: " UNKNOWN "\n",
          out);
}

/* The levels that the file can have: caches L1, L2 ... and the nearest memory. */
static size_t levels_of(const struct rfl_export_device *device,
                        const struct ert_level *levels[ERT_MAX_LEVELS])
{
    size_t n = 0;
    bool memory = false;
    for (uint32_t i = 0; i < device->machine->n_levels && i < ERT_MAX_LEVELS; i++) {
        const struct ert_level *level = &device->machine->levels[i];
        if (level->kind == ERT_LEVEL_CACHE || (level->kind == ERT_LEVEL_MEMORY && !memory))
            levels[n++] = level;
        memory |= level->kind == ERT_LEVEL_MEMORY;
    }
    return n;
}

static const char *kerncraft_name_of(const struct ert_level *level)
{
    return level->kind == ERT_LEVEL_MEMORY ? "MEM" : level->name;
}

static void write_level(FILE *out, const struct ert_cpu *cpu, const struct ert_level *level,
                        const struct ert_level *next, bool first)
{
    bool memory = level->kind == ERT_LEVEL_MEMORY;
    uint32_t groups = memory ? cpu->n_packages : level->count;
    uint32_t cores = memory ? per(cpu->n_cores, groups) : per(cpu->n_cores_usable, groups);
    ert_text_print(out, ERT_TEXT_QUOTED, "- level: \"%s\"\n", kerncraft_name_of(level));
    if (!memory) {
        const uint64_t set_bytes = (uint64_t)level->ways * level->line_bytes;
        fputs("  cache per group:\n", out);
        write_count(out, "    sets",
                    set_bytes ? (uint32_t)(level->size_bytes / set_bytes) : 0);
        write_count(out, "    ways", level->ways);
        write_count(out, "    cl_size", level->line_bytes);
        /* Kerncraft's layer conditions are of LRU; x86 CPUs allocate and write back what they store. */
        fprintf(out,
                "    replacement_policy: %s\n    write_allocate: %s\n    write_back: %s\n",
                level->ways ? "LRU # assumed: no CPU says" : UNKNOWN,
                cpu->isa.sse2 ? "true" : UNKNOWN, cpu->isa.sse2 ? "true" : UNKNOWN);
        if (next && next->kind == ERT_LEVEL_CACHE)
            ert_text_print(out, ERT_TEXT_QUOTED,
                           "    load_from: \"%s\"\n    store_to: \"%s\"\n", next->name,
                           next->name);
    }
    if (memory)
        fputs("  size per group:\n", out);
    else
        fprintf(out, "  size per group: %.3f kB\n", (double)level->size_bytes / 1e3);
    write_count(out, "  groups", groups);
    write_count(out, "  cores per group", cores);
    write_count(out, "  threads per group", cores * per(cpu->n_pus, cpu->n_cores));
    fprintf(out, "  upstream throughput: [%s, " UNKNOWN "]\n",
            memory  ? "full socket memory bandwidth"
            : first ? "architecture code analyzer"
                    : UNKNOWN);
    fputs("  transfers overlap: " UNKNOWN "\n  performance counter metrics:\n"
          "    loads: " UNKNOWN "\n    stores: " UNKNOWN "\n",
          out);
    if (!memory)
        fputs("    misses: " UNKNOWN "\n    evicts: " UNKNOWN "\n", out);
}

static void write_kernels(FILE *out)
{
    fputs("benchmarks:\n  kernels:\n", out);
    for (size_t i = 0; i < N_KERNELS; i++) {
        const struct kernel *row = &kernels[i];
        fprintf(out,
                "    %s:\n      FLOPs per iteration: %d\n"
                "      read streams: {bytes: %d.00 B, streams: %d}\n"
                "      read+write streams: {bytes: %d.00 B, streams: %d}\n"
                "      write streams: {bytes: %d.00 B, streams: %d}\n",
                row->name, row->flops, 8 * row->reads, row->reads, 8 * row->updates,
                row->updates, 8 * row->writes, row->writes);
    }
}

/* What a level's kernels attained with the number of threads of its load. */
static void write_measurement(FILE *out, const struct rfl_export_device *device,
                              const struct ert_level *level)
{
    const struct ert_ceiling *load = rfl_export_level(device, level->name, "load");
    if (!load || !load->evidence->launch.threads) {
        ert_text_print(out, ERT_TEXT_QUOTED, "    \"%s\": " UNKNOWN "\n",
                       kerncraft_name_of(level));
        return;
    }
    ert_text_print(out, ERT_TEXT_QUOTED, "    \"%s\":\n", kerncraft_name_of(level));
    fprintf(
        out,
        "      1:\n        threads per core: 1\n        cores: [%u]\n        results:\n",
        load->evidence->launch.threads);
    for (size_t i = 0; i < N_KERNELS; i++) {
        const struct ert_ceiling *ceiling =
            rfl_export_level(device, level->name, kernels[i].pattern);
        if (ceiling && ceiling->evidence->launch.threads == load->evidence->launch.threads)
            fprintf(out, "          %s: [%.2f GB/s]\n", kernels[i].name,
                    ceiling->value / 1e9);
        else
            fprintf(out, "          %s: [" UNKNOWN "]\n", kernels[i].name);
    }
    double threads = load->evidence->launch.threads;
    fprintf(out,
            "        size per core: [%.3f kB]\n        size per thread: [%.3f kB]\n"
            "        total size: [%.3f kB]\n        threads: [%.0f]\n",
            load->evidence->actual_bytes / threads / 1e3,
            load->evidence->actual_bytes / threads / 1e3,
            load->evidence->actual_bytes / 1e3, threads);
}

static enum ert_status kerncraft_write(const struct rfl_export *export,
                                       struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    const struct ert_ceilings *ceilings = export->ceilings;
    const struct ert_level *levels[ERT_MAX_LEVELS];
    FILE *out = export->out;
    size_t n = levels_of(device, levels);
    if (!n || ert_ceilings_of(device->ceilings, ERT_CEILING_MEMORY).n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no memory ceiling",
                        device->ceilings->device);
    ert_text_print(out, ERT_TEXT_QUOTED,
                   "# Ceilings measured %s by ert %s; a machine file to be completed.\n",
                   ceilings->created, ceilings->machine->provenance.tool_version);
    fputs("kerncraft version: " FORMAT_VERSION "\n", out);
    ert_text_print(out, ERT_TEXT_QUOTED, "model name: \"%s%s\"\n", device->machine->name,
                   rfl_export_mark(device));
    fputs("model type: " UNKNOWN "\n", out);
    write_topology(out, device);
    write_flops(out, device);
    write_unknown(out);
    fputs("memory hierarchy:\n", out);
    for (size_t i = 0; i < n; i++)
        write_level(out, &device->machine->cpu, levels[i], i + 1 < n ? levels[i + 1] : NULL,
                    i == 0);
    write_kernels(out);
    fputs("  measurements:\n", out);
    for (size_t i = 0; i < n; i++)
        write_measurement(out, device, levels[i]);
    fputs("machine state: " UNKNOWN "\n", out);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_kerncraft = {
    .name = "kerncraft",
    .summary = "Kerncraft's machine file of a CPU, to be completed",
    .extension = ".yml",
    .devices = RFL_EXPORT_ONE_CPU,
    .write = kerncraft_write,
};
