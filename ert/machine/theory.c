#include "ert/machine/theory_tables.h"

#include "ert/base/units.h"

#include <stdio.h>
#include <string.h>

const struct ert_peak_op ert_peak_ops[ERT_N_PEAK_OPS] = {
    {"fp64-fma",    64, 2,   ERT_OP_FMA   },
    {"fp64-add",    64, 1,   ERT_OP_ADD   },
    {"fp64-mul",    64, 1,   ERT_OP_MUL   },
    {"fp64-addmul", 64, 1,   ERT_OP_EITHER},
    {"fp64-fmaadd", 64, 1.5, ERT_OP_EITHER},
    {"fp32-fma",    32, 2,   ERT_OP_FMA   },
    {"fp32-add",    32, 1,   ERT_OP_ADD   },
    {"fp32-mul",    32, 1,   ERT_OP_MUL   },
    {"fp32-addmul", 32, 1,   ERT_OP_EITHER},
    {"fp32-fmaadd", 32, 1.5, ERT_OP_EITHER},
};

/* The next free row, zeroed and named; NULL when the list is full. */
static struct ert_peak *next_row(struct ert_peak_list *list, const char *name,
                                 enum ert_peak_unit unit)
{
    if (list->n == ERT_MAX_PEAKS)
        return NULL;
    struct ert_peak *peak = &list->peaks[list->n++];
    *peak = (struct ert_peak){.unit = unit};
    snprintf(peak->name, sizeof peak->name, "%s", name);
    return peak;
}

void ert_peak_add_unknown(struct ert_peak_list *list, const char *name,
                          enum ert_peak_unit unit, const char *reason)
{
    struct ert_peak *peak = next_row(list, name, unit);
    if (peak)
        snprintf(peak->unknown, sizeof peak->unknown, "%s", reason);
}

void ert_peak_add(struct ert_peak_list *list, const char *name, enum ert_peak_unit unit,
                  double per_clock, const char *formula, const char *source)
{
    char text[ERT_UNITS_TEXT];
    for (size_t i = 0; i < list->n_clocks; i++) {
        const char *clock_source = list->clocks[i].source;
        if (clock_source && unit != ERT_PEAK_FLOP_PER_S)
            continue;
        struct ert_peak *peak = next_row(list, name, unit);
        if (!peak)
            return;
        snprintf(peak->clock, sizeof peak->clock, "%s", list->clocks[i].name);
        snprintf(peak->formula, sizeof peak->formula, "%s x %s", formula,
                 ert_units_frequency(list->clocks[i].hz, text));
        snprintf(peak->source, sizeof peak->source, "%s%s%s", source,
                 clock_source ? "; " : "", clock_source ? clock_source : "");
        peak->clock_hz = list->clocks[i].hz;
        peak->per_clock = per_clock;
        peak->value = per_clock * peak->clock_hz;
    }
    if (list->n_clocks > 0)
        return;
    struct ert_peak *peak = next_row(list, name, unit);
    if (!peak)
        return;
    peak->per_clock = per_clock;
    snprintf(peak->formula, sizeof peak->formula, "%s x clock", formula);
    snprintf(peak->source, sizeof peak->source, "%s", source);
    snprintf(peak->unknown, sizeof peak->unknown, "no clock is known");
}

void ert_peak_add_memory(struct ert_peak_list *list, const char *name, double clock_hz,
                         double per_clock, double value, const char *formula,
                         const char *source)
{
    struct ert_peak *peak = next_row(list, name, ERT_PEAK_BYTE_PER_S);
    if (!peak)
        return;
    peak->clock_hz = clock_hz;
    peak->per_clock = per_clock;
    peak->value = value;
    snprintf(peak->clock, sizeof peak->clock, "memory");
    snprintf(peak->formula, sizeof peak->formula, "%s", formula);
    snprintf(peak->source, sizeof peak->source, "%s", source);
}

static void want_clock(struct ert_peak_list *list, const char *name, double clock_hz,
                       const char *source)
{
    if (!(clock_hz > 0))
        return;
    list->clocks[list->n_clocks].name = name;
    list->clocks[list->n_clocks].source = source;
    list->clocks[list->n_clocks++].hz = clock_hz;
}

void ert_theory_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                      struct ert_peak peaks[ERT_MAX_PEAKS], size_t *n_peaks)
{
    struct ert_peak_list list = {.peaks = peaks};
    const char *avx_source;
    double avx_hz = ert_theory_avx_hz(device, &avx_source);
    want_clock(&list, "avx", avx_hz, avx_source);
    want_clock(&list, "base", device->base_hz, NULL);
    want_clock(&list, "boost", device->boost_hz, NULL);
    want_clock(&list, "held", held_hz, NULL);
    if (device->kind == ERT_DEVICE_CPU)
        ert_theory_cpu(device, n_cores, &list);
    else
        ert_theory_gpu(device, &list);
    *n_peaks = list.n;
}

/* How much a peak's clock counts: the higher wins. */
static int clock_rank(const struct ert_peak *peak)
{
    static const char *const order[] = {"base", "boost", "avx", "held", "memory"};
    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++)
        if (strcmp(peak->clock, order[i]) == 0)
            return i;
    return -1;
}

static const struct ert_peak *find_name(const struct ert_peak *peaks, size_t n_peaks,
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
    /* From the full name down to the level's: "L1-2:1-copy", "L1-2:1", "L1". */
    size_t length = strlen(name);
    const struct ert_peak *peak = find_name(peaks, n_peaks, name, length);
    while (!peak && length > 0)
        if (name[--length] == '-')
            peak = find_name(peaks, n_peaks, name, length);
    return peak;
}
