/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planted.h"

#include <stdio.h>
#include <stdlib.h>

const char *const planted_names[PLANTED_COUNT] = {
    "h200",   "xeon",     "both",      "nasty", "decades",
    "single", "no-flats", "no-levels", "none",  "kinds"};

/* One row per ceiling: level and pattern, or type and op. Rates in byte/s or flop/s. */
struct level_row {
    const char *level, *pattern;
    double rate, theory, size_bytes; /* size of the whole device's level; 0: memory */
    enum ert_path path;
};

struct peak_row {
    const char *type, *op, *unit;
    double rate, theory;
};

struct plan {
    const char *id, *name;
    enum ert_device_kind kind;
    double held_hz;
    const struct level_row *levels;
    const struct peak_row *peaks;
};

static const struct level_row h200_levels[] = {
    {"L1",      "load", 33.3e12, 33.45e12, 25e6, ERT_PATH_CACHED},
    {"shared",  "load", 33.0e12, 33.45e12, 30e6, ERT_PATH_SHARED},
    {"L2",     "load", 8.9e12, 0, 60e6, ERT_PATH_BYPASS_L1},
    {"HBM",         "load", 4.62e12, 4.814e12, 0, ERT_PATH_BYPASS_L1},
    {"HBM",  "copy", 4.28e12, 4.814e12, 0, ERT_PATH_BYPASS_L1},
    {0}
};
static const struct peak_row h200_peaks[] = {
    {"fp64",    "fma", "core", 33.3e12, 33.45e12},
    {"fp64",   "add", "core", 16.7e12, 16.73e12},
    {"fp64", "mul", "core", 16.6e12, 16.73e12},
    {"fp32",    "fma", "core", 65.2e12, 66.9e12},
    {"fp32",   "add", "core", 33.4e12, 33.45e12},
    {0}
};

static const struct level_row xeon_levels[] = {
    {"L1",        "add", 950e9, 1075e9, 96 * 1024., ERT_PATH_CACHED},
    {"L1",      "load", 700e9, 716e9, 96 * 1024., ERT_PATH_CACHED},
    {"L2", "load", 250e9, 0, 4 * 1048576., ERT_PATH_CACHED},
    {"L3",           "load", 48e9, 0, 300 * 1048576., ERT_PATH_CACHED},
    {"DRAM","update", 49e9, 0, 0, ERT_PATH_CACHED},
    {0     }
};
static const struct peak_row xeon_peaks[] = {
    {"fp64",    "fma", "avx512", 167e9, 179e9},
    {"fp64", "add", "avx512", 86e9, 90e9},
    {"fp32",    "fma", "avx512", 330e9, 358e9},
    {"fp32",    "add", "avx512", 165e9, 179e9},
    {0}
};

static const struct level_row nasty_levels[] = {
    {"L1",             "load", 100e9, 98e9, 1e5, ERT_PATH_CACHED},
    {"L2",           "load", 100e9, 0, 1e6, ERT_PATH_CACHED},
    {"L3",             "copy", 97e9, 0, 1e7, ERT_PATH_CACHED},
    {"L4",                "add", 90e9, 0, 1e8, ERT_PATH_CACHED},
    {"MCDRAM<&>","store-nt", 80e9, 0, 0, ERT_PATH_CACHED},
    {"DRAM",               "load", 74e9, 0, 0, ERT_PATH_CACHED},
    {0}
};
static const struct peak_row nasty_peaks[] = {
    {"fp64",    "fma", "core", 100e9, 0},
    {"fp64",   "add", "core", 95e9, 0},
    {"fp64",        "mma", "tensor", 90e9, 0},
    {"fp32",    "fma", "core", 85e9, 0},
    {"fp32",   "add", "core", 80e9, 0},
    {"fp16",        "fma", "core", 75e9, 0},
    {"fp16",    "add", "core", 70e9, 0},
    {0}
};

static const struct level_row decades_levels[] = {
    {"L1",  "load", 1e15, 0, 1e5, ERT_PATH_CACHED},
    {"DRAM", "load", 1e3, 0, 0, ERT_PATH_CACHED},
    {0 }
};
static const struct peak_row decades_peaks[] = {
    {"fp64",  "fma", "core", 1e15, 0},
    {"fp64", "add", "core", 1e3, 0},
    {0     }
};
static const struct level_row single_levels[] = {
    {"DRAM", "triad", 20e9, 25.6e9, 0, ERT_PATH_CACHED},
    {0 }
};
static const struct peak_row single_peaks[] = {
    {"fp64",  "fma", "sse2", 8e9, 0},
    {0}
};
static const struct level_row no_levels[] = {{0}};
static const struct peak_row no_peaks[] = {{0}};

#define XEON_NAME "Intel Xeon Processor (SapphireRapids)"
#define NASTY_NAME                                                                         \
    "Very Long <b>Machine</b> & \"Sons\" \xc3\xa9\xe6\xa0\xaa Extended Edition with Ten "  \
    "Words Too Many, Rev. B"

/* In the order of enum planted; PLANTED_BOTH is made of the first two. */
static const struct plan plans[PLANTED_COUNT] = {
    {"gpu0", "NVIDIA H200", ERT_DEVICE_GPU, 1.98e9, h200_levels,    h200_peaks   },
    {"cpu",  XEON_NAME,     ERT_DEVICE_CPU, 2.8e9,  xeon_levels,    xeon_peaks   },
    {NULL,   NULL,          ERT_DEVICE_CPU, 0,      NULL,           NULL         },
    {"cpu",  NASTY_NAME,    ERT_DEVICE_CPU, 0,      nasty_levels,   nasty_peaks  },
    {"cpu",  "Decades",     ERT_DEVICE_CPU, 1e9,    decades_levels, decades_peaks},
    {"cpu",  "Single",      ERT_DEVICE_CPU, 1e9,    single_levels,  single_peaks },
    {"cpu",  "No flats",    ERT_DEVICE_CPU, 1e9,    xeon_levels,    no_peaks     },
    {"cpu",  "No levels",   ERT_DEVICE_CPU, 1e9,    no_levels,      xeon_peaks   },
    {"cpu",  "None",        ERT_DEVICE_CPU, 1e9,    no_levels,      no_peaks     },
    {"cpu",  "Kinds",       ERT_DEVICE_CPU, 1e9,    single_levels,  single_peaks },
};

static void *make(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

static struct ert_ceiling *add(struct ert_device_ceilings *to, enum ert_ceiling_kind kind,
                               double rate, double theory, double clock_hz)
{
    struct ert_ceiling *ceiling = ert_ceiling_add(to, kind);
    if (!ceiling)
        abort();
    ceiling->unit = kind == ERT_CEILING_MEMORY ? ERT_UNIT_BYTE_PER_S : ERT_UNIT_FLOP_PER_S;
    ceiling->value = rate;
    ceiling->low = rate * 0.99;
    ceiling->high = rate * 1.005;
    ceiling->theory = theory;
    ceiling->fraction_of_theory = theory > 0 ? rate / theory : 0;
    *ceiling->evidence = (struct ert_evidence){
        .best = rate * 1.01,
        .n_samples = 21,
        .clock_hz = clock_hz,
        .clock_low_hz = clock_hz * 0.98,
        .power_w = 512.5,
        .launch = {.name = "132x1024", .threads = 1024, .blocks = 2},
        .blocks = 264,
    };
    return ceiling;
}

static void add_level(struct ert_device *device, struct ert_device_ceilings *to,
                      const struct level_row *row, double clock_hz)
{
    struct ert_ceiling *ceiling =
        add(to, ERT_CEILING_MEMORY, row->rate, row->theory, clock_hz);
    snprintf(ceiling->name, sizeof ceiling->name, "%s-%s", row->level, row->pattern);
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "%s", row->pattern);
    snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", row->level);
    snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "%s", row->pattern);
    ceiling->evidence->actual_bytes = row->size_bytes > 0 ? row->size_bytes / 2 : 4e9;
    ceiling->evidence->capacity_measured_bytes = row->size_bytes * 0.9;
    ceiling->is_roof = !ert_device_level(device, row->level);
    if (!ceiling->is_roof)
        return; /* a further pattern of a level that is there */
    struct ert_level *level = &device->levels[device->n_levels++];
    snprintf(level->name, sizeof level->name, "%s", row->level);
    level->kind = row->size_bytes > 0 ? ERT_LEVEL_CACHE : ERT_LEVEL_MEMORY;
    level->path = row->path;
    level->size_bytes = (uint64_t)row->size_bytes;
    level->count = 1;
}

static void add_peak(struct ert_device_ceilings *to, const struct peak_row *row,
                     double clock_hz)
{
    struct ert_ceiling *ceiling =
        add(to, ERT_CEILING_COMPUTE, row->rate, row->theory, clock_hz);
    snprintf(ceiling->name, sizeof ceiling->name, "%s-%s", row->type, row->op);
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "%s_%s", row->op, row->type);
    snprintf(ceiling->key.type, sizeof ceiling->key.type, "%s", row->type);
    snprintf(ceiling->key.op, sizeof ceiling->key.op, "%s", row->op);
    snprintf(ceiling->key.unit, sizeof ceiling->key.unit, "%s", row->unit);
}

/* A ceiling of a kind, named by its word. */
static void add_other(struct ert_device_ceilings *to, enum ert_ceiling_kind kind)
{
    struct ert_ceiling_key *key;
    struct ert_ceiling *ceiling = add(to, kind, 1e9, 0, to->held_hz);
    key = &ceiling->key;
    snprintf(ceiling->name, sizeof ceiling->name, "%s", ert_ceiling_kind_words[kind]);
    snprintf(key->level, sizeof key->level, "%s",
             kind == ERT_CEILING_LATENCY ? "DRAM" : "");
    snprintf(key->from, sizeof key->from, "host");
    snprintf(key->to, sizeof key->to, "host");
    snprintf(key->of, sizeof key->of, "load");
    snprintf(key->axis, sizeof key->axis, "threads");
    key->count = 2;
}

/* The nasty machine's own: warnings, an unattributed plateau, ceilings not measured, an unknown peak. */
static void add_trouble(struct ert_device_ceilings *to)
{
    to->valid = false;
    snprintf(to->warnings, sizeof to->warnings,
             "the clock fell to 0.8 GHz & <nobody> knows why");
    struct ert_ceiling *memory = ert_ceilings_of(to, ERT_CEILING_MEMORY).at;
    memory[0].confidence = memory[2].confidence = ERT_CONFIDENCE_LOW;
    snprintf(memory[0].evidence->warning, sizeof memory[0].evidence->warning,
             "above its theoretical peak, check both");
    snprintf(memory[2].evidence->warning, sizeof memory[2].evidence->warning,
             "interval is 12 %% wide");
    to->not_measured = make(2, sizeof *to->not_measured);
    to->unattributed = make(1, sizeof *to->unattributed);
    to->peaks = make(2, sizeof *to->peaks);
    for (const char *const *name = (const char *const[]){"L5-load", "L5-copy", NULL}; *name;
         name++) {
        struct ert_not_measured *row = &to->not_measured[to->n_not_measured++];
        snprintf(row->name, sizeof row->name, "%s", *name);
        snprintf(row->reason, sizeof row->reason, "no plateau where the topology has L5");
    }
    to->unattributed[to->n_unattributed++] = (struct ert_unattributed_plateau){
        "load", "cached", {2e6, 3e6},
          98.5e9, "between L2 and L3"
    };
    to->peaks[to->n_peaks++] =
        (struct ert_peak){"fp64-fma", "boost", ERT_PEAK_FLOP_PER_S,          0, 0,
                          "",         "",      "cc 99.9 is not in the table"};
    to->peaks[to->n_peaks++] =
        (struct ert_peak){"DRAM",       "memory", ERT_PEAK_BYTE_PER_S,
                          32,           76.8e9,   "4 channels x 8 B x 2.4 GHz",
                          "data sheet", ""};
}

static void add_device(struct ert_ceilings *ceilings, enum planted which)
{
    const struct plan *plan = &plans[which];
    struct ert_device *device = &ceilings->machine->devices[ceilings->machine->n_devices++];
    struct ert_device_ceilings *to = &ceilings->devices[ceilings->n_devices++];
    snprintf(device->id, sizeof device->id, "%s", plan->id);
    snprintf(device->backend, sizeof device->backend, "fake");
    snprintf(device->name, sizeof device->name, "%s", plan->name);
    device->kind = plan->kind;
    snprintf(to->device, sizeof to->device, "%s", plan->id);
    to->held_hz = plan->held_hz;
    to->valid = true;
    for (const struct level_row *row = plan->levels; row->level; row++)
        add_level(device, to, row, plan->held_hz);
    for (const struct peak_row *row = plan->peaks; row->type; row++)
        add_peak(to, row, plan->held_hz);
    if (which == PLANTED_NASTY)
        add_trouble(to);
    for (int k = ERT_CEILING_LATENCY; which == PLANTED_KINDS && k < ERT_N_CEILING_KINDS;
         k++)
        add_other(to, (enum ert_ceiling_kind)k);
}

struct ert_ceilings planted_make(enum planted which)
{
    struct ert_ceilings ceilings = {.created = "2026-11-21T03:10:00Z",
                                    .status = "complete"};
    struct ert_provenance *provenance;
    ceilings.machine = make(1, sizeof *ceilings.machine);
    ceilings.devices = make(2, sizeof *ceilings.devices);
    provenance = &ceilings.machine->provenance;
    snprintf(provenance->host, sizeof provenance->host, "planted");
    snprintf(provenance->tool_version, sizeof provenance->tool_version, "2.0.0");
    if (which != PLANTED_BOTH) {
        add_device(&ceilings, which);
    } else {
        add_device(&ceilings, PLANTED_H200);
        add_device(&ceilings, PLANTED_XEON);
    }
    return ceilings;
}
