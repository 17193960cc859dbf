/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/ert110.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"
#include "ert/core/sweep/device_run.h"
#include "ert/core/sweep/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets this close to a level's rate stand on its plateau: ERT's own width. */
static const double plateau_width = 1.05;

static bool is_measured(const struct ert_point *point)
{
    return point->section == ERT_SECTION_ert110 && point->status == ERT_POINT_MEASURED &&
           point->n_samples > 0;
}

/* ERT's median over its experiments: of an even number the slower of the middle two. */
static double ert110_fit_rate_of(const struct ert_point *point, ert_rate rate)
{
    double *rates = ert_xcalloc(point->n_samples, sizeof *rates);
    for (size_t i = 0; i < point->n_samples; i++)
        rates[i] = rate(point, &point->samples[i]);
    double result =
        ert_stats_order(rates, point->n_samples, 1, NAN, (point->n_samples - 1) / 2);
    free(rates);
    return result;
}

/* Fills the series with the kernel's next from point *from on, which moves behind it; n 0: there is none. */
static void next_series(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                        size_t *from, struct ert110_series *series)
{
    const struct ert_point *first = NULL;
    series->n = 0;
    for (; *from < samples->n_points; (*from)++) {
        const struct ert_point *point = &samples->points[*from];
        if (!is_measured(point) || point->spec.kernel != kernel)
            continue;
        if (first && !ert_device_run_is_neighbour(first, point))
            break; /* the plan has a series' points one after the other */
        first = first ? first : point;
        series->points[series->n] = point;
        series->set_bytes[series->n] = (double)point->work.actual_bytes;
        series->rates[series->n++] = ert110_fit_rate_of(point, ert_point_bandwidth);
    }
    series->weight = ert_bands_weight(series->set_bytes, series->rates, series->n);
}

static void open_series(struct ert110_series *series, size_t n)
{
    *series = (struct ert110_series){.points = ert_xcalloc(n, sizeof *series->points),
                                     .set_bytes = ert_xcalloc(n, sizeof *series->set_bytes),
                                     .rates = ert_xcalloc(n, sizeof *series->rates)};
}

static void close_series(struct ert110_series *series)
{
    free(series->rates);
    free(series->set_bytes);
    free(series->points);
}

/* Where the rising flank has come to the top. */
static size_t find_top(const struct ert110_series *series)
{
    double most = 0;
    size_t top = 0;
    for (size_t i = 0; i < series->n; i++)
        most = fmax(most, series->rates[i]);
    while (top < series->n && series->rates[top] < most / plateau_width)
        top++;
    return top;
}

struct ert110_plateau ert110_series_plateau(const struct ert110_series *series, double rate)
{
    const size_t top = find_top(series);
    struct ert110_plateau plateau = {.low = rate, .high = rate, .nearest = top};
    for (size_t i = top; i < series->n; i++) {
        double here = series->rates[i];
        if (fabs(here - rate) < fabs(series->rates[plateau.nearest] - rate))
            plateau.nearest = i;
        if (here < rate / plateau_width || here > rate * plateau_width)
            continue;
        bool is_first = plateau.n_samples == 0;
        plateau.low = is_first ? here : fmin(plateau.low, here);
        plateau.high = is_first ? here : fmax(plateau.high, here);
        plateau.n_samples += (uint32_t)series->points[i]->n_samples;
    }
    return plateau;
}

/* Levels closer than this are one: ERT's own. */
static const double merge = 1.15;

/* What is needed to measure the point again. */
static void keep_launch(const struct ert_point *point, struct ert_ceiling *common)
{
    common->evidence->launch = point->variant;
    common->evidence->blocks = point->spec.blocks;
    common->evidence->requested_bytes = (double)point->spec.requested_bytes;
    common->evidence->flops_per_element = point->spec.flops_per_element;
    common->evidence->most_passes = (double)point->most_passes;
}

static void ert110_fit_add_level(const struct ert110_series *series, const char *label,
                                 double rate, struct ert_device_ceilings *out)
{
    struct ert_ceiling *ceiling = ert_extras_add(out, ERT_CEILING_MEMORY);
    const struct ert_point *point = series->points[0];
    ceiling->unit = ERT_UNIT_BYTE_PER_S;
    snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", label);
    snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "update");
    snprintf(ceiling->name, sizeof ceiling->name, "%s-update", label);
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "%s",
             ert_kernel_row(point->spec.kernel)->name);
    struct ert110_plateau plateau = ert110_series_plateau(series, rate);
    ceiling->value = rate; /* ERT's mean */
    ceiling->low = plateau.low;
    ceiling->high = ceiling->evidence->best = plateau.high;
    ceiling->evidence->n_samples = plateau.n_samples;
    ceiling->evidence->actual_bytes = series->set_bytes[plateau.nearest];
    keep_launch(series->points[plateau.nearest], ceiling);
    ert_evidence_warn(ceiling, ERT_CONFIDENCE_LOW,
                      strstr(point->variant.name, "2 passes at once")
                          ? "ERT's label and its count of bytes: its compiler merges two "
                            "passes, so that half of them move"
                          : "ERT's label, which numbers plateaus from the fastest");
}

/* Counts from the fastest; the last is DRAM. More than a device can have: the slowest caches go. */
static void ert110_fit_add_levels(const struct ert110_series *series,
                                  struct ert_device_ceilings *out)
{
    double bands[ERT_MAX_BANDS];
    size_t n = ert_bands_of(series->rates, series->n, merge, bands);
    for (size_t i = 0; i < n; i++) {
        char label[16];
        bool is_last = i + 1 == n;
        snprintf(label, sizeof label, "L%u", (unsigned)(i + 1));
        if (!is_last && i + 1 >= ERT_MAX_LEVELS) {
            ert_extras_not_measured(
                out, label, "measured, but not kept: more levels than a device has");
            continue;
        }
        ert110_fit_add_level(series, is_last ? "DRAM" : label, bands[i], out);
    }
}

/* The fastest set of all, and the plateau of its series. */
struct peak {
    const struct ert_point *point; /* NULL: none */
    double rate;                   /* flop/s */
    struct ert110_plateau plateau;
};

static void raise_peak(const struct ert110_series *series, struct peak *peak)
{
    const struct ert_point *before = peak->point;
    for (size_t i = 0; i < series->n; i++) {
        double rate = ert110_fit_rate_of(series->points[i], ert_point_performance);
        peak->point = rate > peak->rate ? series->points[i] : peak->point;
        peak->rate = fmax(peak->rate, rate);
    }
    if (peak->point != before)
        peak->plateau = ert110_series_plateau(
            series, ert110_fit_rate_of(peak->point, ert_point_bandwidth));
}

/* The best of all sets is luck too: the sets of its plateau are its interval. */
static void ert110_fit_add_peak(const struct peak *peak, const struct ert_device *device,
                                struct ert_device_ceilings *out)
{
    const struct ert_point *point = peak->point;
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    struct ert_ceiling *ceiling = ert_extras_add(out, ERT_CEILING_COMPUTE);
    ert_evidence_fill(ceiling, device, &point, 1, 0, ert_point_performance);
    ceiling->value = peak->rate;
    ceiling->evidence->n_rounds = 0; /* not of one point's rounds */
    ceiling->low =
        peak->rate * peak->plateau.low / ert110_fit_rate_of(point, ert_point_bandwidth);
    ceiling->high = peak->rate;
    ceiling->evidence->n_samples = peak->plateau.n_samples;
    keep_launch(point, ceiling);
    snprintf(ceiling->name, sizeof ceiling->name, "%s-fma", ert_type_name(row->type));
    snprintf(ceiling->key.type, sizeof ceiling->key.type, "%s", ert_type_name(row->type));
    snprintf(ceiling->key.op, sizeof ceiling->key.op, "fma");
    ceiling->unit = ert_unit_of_type(ceiling->key.type);
    snprintf(ceiling->key.unit, sizeof ceiling->key.unit, "%s",
             *point->variant.isa ? point->variant.isa : "core");
    ert_evidence_warn(ceiling, ERT_CONFIDENCE_MEDIUM,
                      "ERT's chain of dependent operations, %u per element",
                      point->spec.flops_per_element);
}

/* Peak of a kernel, and levels where none are there yet: ERT takes those of the widest type. */
static void fit_kernel(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       struct ert110_series *series, struct ert110_series *heaviest,
                       struct ert_device_ceilings *out)
{
    struct peak peak = {.point = NULL};
    bool found = false;
    for (size_t from = 0; from < samples->n_points;) {
        next_series(samples, kernel, &from, series);
        raise_peak(series, &peak);
        if (series->n > 0 && (!found || series->weight > heaviest->weight)) {
            struct ert110_series kept = *heaviest;
            *heaviest = *series;
            *series = kept;
            found = true;
        }
    }
    if (found && ert_ceilings_of(out, ERT_CEILING_MEMORY).n == 0)
        ert110_fit_add_levels(heaviest, out);
    if (peak.point)
        ert110_fit_add_peak(&peak, &samples->context.device, out);
}

/* What was planned and has no sample says why, once per kernel. */
static void say_not_measured(const struct ert_device_samples *samples,
                             enum ert_kernel_id kernel, struct ert_device_ceilings *out)
{
    const char *name = ert_kernel_row(kernel)->name;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (point->section != ERT_SECTION_ert110 || point->spec.kernel != kernel ||
            is_measured(point))
            continue;
        ert_extras_not_measured(out, name, *point->reason ? point->reason : "not measured");
        return;
    }
}

static void name_levels(const struct ert_device_ceilings *ceilings,
                        struct ert_device *device)
{
    device->n_levels = 0;
    const struct ert_ceiling_span memory = ert_ceilings_of(ceilings, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n && device->n_levels < ERT_MAX_LEVELS; i++) {
        struct ert_level *level = &device->levels[device->n_levels++];
        const char *label = memory.at[i].key.level;
        *level = (struct ert_level){.kind = strcmp(label, "DRAM") == 0 ? ERT_LEVEL_MEMORY
                                                                       : ERT_LEVEL_CACHE};
        snprintf(level->name, sizeof level->name, "%s", label);
        snprintf(level->source, sizeof level->source, "ERT's label");
    }
}

void ert110_fit(const struct ert_samples *samples, size_t device,
                struct ert_ceilings *ceilings)
{
    const struct ert_device_samples *of = &samples->devices[device];
    struct ert_device_ceilings *out = &ceilings->devices[device];
    struct ert110_series series, heaviest;
    open_series(&series, of->n_points);
    open_series(&heaviest, of->n_points);
    for (const enum ert_kernel_id *k = ert_mode_ert110.kernels; *k != ERT_N_KERNELS; k++) {
        fit_kernel(of, *k, &series, &heaviest, out);
        say_not_measured(of, *k, out);
    }
    close_series(&heaviest);
    close_series(&series);
    const struct ert110_options own = ert110_options_of(&samples->config);
    ert110_memory_write(&own.memory, ceilings->mode_data, sizeof ceilings->mode_data);
    for (uint32_t d = 0; d < ceilings->machine->n_devices; d++)
        if (strcmp(ceilings->machine->devices[d].id, of->device) == 0)
            name_levels(out, &ceilings->machine->devices[d]);
}

enum ert_status ert110_recall(const struct ert_ceiling *ceiling,
                              const struct ert_device *device,
                              const struct ert_session_options *options,
                              struct ert_point *point, struct ert_error *error)
{
    struct ert_spec *spec = &point->spec;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    point->section = ERT_SECTION_ert110;
    point->most_passes = (uint64_t)ceiling->evidence->most_passes;
    *spec =
        (struct ert_spec){.kernel = spec->kernel,
                          .path = ERT_PATH_CACHED, /* ERT's labels are not levels */
                          .requested_bytes = (uint64_t)ceiling->evidence->requested_bytes,
                          .flops_per_element = ceiling->evidence->flops_per_element,
                          .concurrency = is_cpu ? ceiling->evidence->launch.threads : 0,
                          .blocks = is_cpu ? 0 : ceiling->evidence->blocks,
                          .block_threads = is_cpu ? 0 : ceiling->evidence->launch.threads};
    return ert_plan_variant(device, options, ceiling->evidence->launch.name, spec,
                            &point->variant, error);
}
