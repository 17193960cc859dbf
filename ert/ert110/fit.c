#include "ert/ert110/fit.h"

#include "ert/ceilings/evidence.h"
#include "ert/ceilings/extras.h"
#include "ert/ert110/series.h"
#include "ert/stats/bands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Levels closer than this are one: in ERT's C sources, and in those in C++. */
static const double merge_c = 1.25, merge = 1.15;

bool ert110_is_planned(const struct ert_device_samples *samples)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (samples->points[i].section == ERT_SECTION_ERT110)
            return true;
    return false;
}

/* What is needed to measure the point again (ert110_case.h). */
static void keep_launch(const struct ert_point *point, struct ert_ceiling *common)
{
    common->launch = point->variant;
    common->blocks = point->case_.blocks;
    common->asked_bytes = (double)point->case_.working_set_bytes;
    common->flops_per_element = point->case_.flops_per_element;
    common->trials = (double)point->trials;
}

static void add_level(const struct ert110_series *series, const char *label, double rate,
                      struct ert_device_ceilings *out)
{
    if (out->n_memory == ERT_MAX_MEMORY) {
        ert_extras_full(out, label, ERT_MAX_MEMORY);
        return;
    }
    struct ert_memory_ceiling *ceiling = &out->memory[out->n_memory++];
    const struct ert_point *point = series->points[0];
    struct ert_ceiling *common = &ceiling->common;
    *ceiling = (struct ert_memory_ceiling){.roof = true};
    snprintf(ceiling->level, sizeof ceiling->level, "%s", label);
    snprintf(ceiling->pattern, sizeof ceiling->pattern, "update");
    snprintf(common->name, sizeof common->name, "%s-update", label);
    snprintf(common->kernel, sizeof common->kernel, "%s",
             ert_kernel_row(point->case_.kernel)->name);
    struct ert110_plateau plateau = ert110_series_plateau(series, rate);
    common->value = rate; /* ERT's mean */
    common->low = plateau.low;
    common->high = common->best = plateau.high;
    common->n_samples = plateau.n_samples;
    memcpy(ceiling->plateau_bytes, plateau.bytes, sizeof plateau.bytes);
    ceiling->working_set_bytes = series->set_bytes[plateau.nearest];
    keep_launch(series->points[plateau.nearest], common);
    ert_evidence_doubt(common, ERT_CONFIDENCE_LOW,
                       strstr(point->variant.name, "2 passes at once")
                           ? "ERT's label and its count of bytes: its compiler does two "
                             "passes at once, so that half of them move"
                           : "ERT's label, which counts plateaus from the fastest");
}

/* Counts from the fastest; the last is DRAM. More than a device can have: the slowest caches go. */
static void add_levels(const struct ert110_series *series, struct ert_device_ceilings *out)
{
    double bands[ERT_MAX_BANDS];
    bool is_c = series->points[0]->case_.kernel == ERT_KERNEL_ert_c_fp64;
    size_t n = ert_bands_of(series->rates, series->n, is_c ? merge_c : merge, bands);
    for (size_t i = 0; i < n; i++) {
        char label[16];
        bool is_last = i + 1 == n;
        snprintf(label, sizeof label, "L%u", (unsigned)(i + 1));
        if (!is_last && i + 1 >= ERT_MAX_LEVELS) {
            ert_extras_full(out, label, ERT_MAX_LEVELS);
            continue;
        }
        add_level(series, is_last ? "DRAM" : label, bands[i], out);
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
        double rate = ert110_rate(series->points[i], ert_point_performance);
        peak->point = rate > peak->rate ? series->points[i] : peak->point;
        peak->rate = fmax(peak->rate, rate);
    }
    if (peak->point != before)
        peak->plateau =
            ert110_series_plateau(series, ert110_rate(peak->point, ert_point_bandwidth));
}

/* The best of all sets is luck too: the sets of its plateau are its interval. */
static bool add_peak(const struct peak *peak, struct ert_device_ceilings *out)
{
    const struct ert_point *point = peak->point;
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    if (out->n_compute == ERT_MAX_COMPUTE) {
        ert_extras_full(out, row->name, ERT_MAX_COMPUTE);
        return true;
    }
    struct ert_compute_ceiling *ceiling = &out->compute[out->n_compute];
    *ceiling = (struct ert_compute_ceiling){.roof = true};
    if (!ert_evidence_fill(&ceiling->common, &point, 1, 0, ert_point_performance))
        return false;
    ceiling->common.value = peak->rate;
    ceiling->common.n_rounds = 0; /* not of one point's rounds */
    ceiling->common.low =
        peak->rate * peak->plateau.low / ert110_rate(point, ert_point_bandwidth);
    ceiling->common.high = peak->rate;
    ceiling->common.n_samples = peak->plateau.n_samples;
    keep_launch(point, &ceiling->common);
    snprintf(ceiling->common.name, sizeof ceiling->common.name, "%s-fma%s",
             ert_type_name(row->type),
             point->case_.kernel == ERT_KERNEL_ert_c_fp64 && out->n_compute ? "-c" : "");
    snprintf(ceiling->type, sizeof ceiling->type, "%s", ert_type_name(row->type));
    snprintf(ceiling->op, sizeof ceiling->op, "fma");
    snprintf(ceiling->unit, sizeof ceiling->unit, "%s",
             *point->variant.isa ? point->variant.isa : "core");
    ert_evidence_doubt(&ceiling->common, ERT_CONFIDENCE_MEDIUM,
                       "ERT's chain of dependent operations, %u per element",
                       point->case_.flops_per_element);
    out->n_compute++;
    return true;
}

/* Peak of a kernel, and levels where none are there yet: ERT takes those of the widest type. */
static bool fit_kernel(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       struct ert110_series *series, struct ert110_series *heaviest,
                       struct ert_device_ceilings *out)
{
    struct peak peak = {.point = NULL};
    bool found = false;
    for (size_t from = 0; from < samples->n_points;) {
        if (!ert110_series_next(samples, kernel, &from, series))
            return false;
        raise_peak(series, &peak);
        if (series->n > 0 && (!found || series->weight > heaviest->weight)) {
            struct ert110_series kept = *heaviest;
            *heaviest = *series;
            *series = kept;
            found = true;
        }
    }
    if (found && out->n_memory == 0)
        add_levels(heaviest, out);
    return !peak.point || add_peak(&peak, out);
}

/* What was planned and has no sample says why, once per kernel. */
static void say_absent(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       struct ert_device_ceilings *out)
{
    const char *name = ert_kernel_row(kernel)->name;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (point->section != ERT_SECTION_ERT110 || point->case_.kernel != kernel ||
            ert110_is_measured(point))
            continue;
        ert_extras_absent(out, name, *point->reason ? point->reason : "not measured");
        return;
    }
}

bool ert110_fit(const struct ert_device_samples *samples, struct ert_device_ceilings *out)
{
    struct ert110_series series, heaviest;
    bool done = ert110_series_open(&series, samples->n_points);
    done = ert110_series_open(&heaviest, samples->n_points) && done;
    for (int k = 0; k < ERT_N_KERNELS && done; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_ERT110) {
            done = fit_kernel(samples, (enum ert_kernel_id)k, &series, &heaviest, out);
            say_absent(samples, (enum ert_kernel_id)k, out);
        }
    ert110_series_close(&heaviest);
    ert110_series_close(&series);
    return done;
}

void ert110_fit_levels(const struct ert_device_ceilings *ceilings,
                       struct ert_device *device)
{
    device->n_levels = 0;
    for (size_t i = 0; i < ceilings->n_memory && device->n_levels < ERT_MAX_LEVELS; i++) {
        struct ert_level *level = &device->levels[device->n_levels++];
        const char *label = ceilings->memory[i].level;
        *level = (struct ert_level){.kind = strcmp(label, "DRAM") == 0 ? ERT_LEVEL_MEMORY
                                                                       : ERT_LEVEL_CACHE};
        snprintf(level->name, sizeof level->name, "%s", label);
        snprintf(level->source, sizeof level->source, "ERT's label");
    }
}
