#include "ert/ceilings/fit_classic.h"

#include "ert/ceilings/evidence.h"
#include "ert/ceilings/extras.h"
#include "ert/stats/bands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels closer than this are one: in ERT's C sources, and in those in C++. */
static const double merge_c = 1.25, merge = 1.15;

/* Sets this close to a level's rate stand on its plateau: ERT's own width. */
static const double plateau_width = 1.05;

/* The measured points of one kernel, flop count and thread count or launch: ascending sets. */
struct series {
    const struct ert_point **points;
    size_t n;
    double *set_bytes, *rates; /* byte/s; n of each */
    double weight;
};

static bool is_classic(const struct ert_point *point)
{
    return point->section == ERT_SECTION_CLASSIC;
}

bool ert_fit_is_classic(const struct ert_device_samples *samples)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (is_classic(&samples->points[i]))
            return true;
    return false;
}

static bool is_measured(const struct ert_point *point)
{
    return is_classic(point) && point->status == ERT_POINT_MEASURED && point->n_samples > 0;
}

static int compare_times(const void *a, const void *b)
{
    double x = ((const struct ert_sample *)a)->time_s,
           y = ((const struct ert_sample *)b)->time_s;
    return (x > y) - (x < y);
}

/* ERT's median over its experiments: of an even number the slower of the middle two. */
static double rate_of(const struct ert_point *point, ert_rate rate)
{
    struct ert_sample *sorted = malloc(point->n_samples * sizeof *sorted);
    if (!sorted)
        return 0;
    memcpy(sorted, point->samples, point->n_samples * sizeof *sorted);
    qsort(sorted, point->n_samples, sizeof *sorted, compare_times);
    double result = rate(point, &sorted[point->n_samples / 2]);
    free(sorted);
    return result;
}

/* Whether two points are of one series: the plan has a series' points one after the other. */
static bool is_same_series(const struct ert_point *a, const struct ert_point *b)
{
    return a->case_.kernel == b->case_.kernel &&
           a->case_.flops_per_element == b->case_.flops_per_element &&
           a->case_.variant == b->case_.variant &&
           a->case_.concurrency == b->case_.concurrency &&
           a->case_.blocks == b->case_.blocks &&
           a->case_.block_threads == b->case_.block_threads;
}

/* The series of the kernel from point `from` on; n 0 when there is none. False without memory. */
static bool next_series(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                        size_t *from, struct series *series)
{
    const struct ert_point *first = NULL;
    series->n = 0;
    for (; *from < samples->n_points; (*from)++) {
        const struct ert_point *point = &samples->points[*from];
        if (!is_measured(point) || point->case_.kernel != kernel)
            continue;
        if (first && !is_same_series(first, point))
            break;
        first = first ? first : point;
        series->points[series->n] = point;
        series->set_bytes[series->n] = (double)point->work.working_set_bytes;
        series->rates[series->n] = rate_of(point, ert_point_bandwidth);
        if (!(series->rates[series->n++] > 0))
            return false;
    }
    series->weight = ert_bands_weight(series->set_bytes, series->rates, series->n);
    return true;
}

static bool open_series(struct series *series, size_t n)
{
    *series = (struct series){.points = calloc(n + 1, sizeof *series->points),
                              .set_bytes = calloc(n + 1, sizeof *series->set_bytes),
                              .rates = calloc(n + 1, sizeof *series->rates)};
    return series->points && series->set_bytes && series->rates;
}

static void close_series(struct series *series)
{
    free(series->rates);
    free(series->set_bytes);
    free(series->points);
}

/* What a plateau's points say: interval, best, sets; its value is ERT's mean. */
static void describe_plateau(const struct series *series,
                             struct ert_memory_ceiling *ceiling)
{
    struct ert_ceiling *common = &ceiling->common;
    for (size_t i = 0; i < series->n; i++) {
        double rate = series->rates[i], set = series->set_bytes[i];
        if (rate < common->value / plateau_width || rate > common->value * plateau_width)
            continue;
        bool is_first = common->n_samples == 0;
        common->low = is_first ? rate : fmin(common->low, rate);
        common->high = fmax(common->high, rate);
        ceiling->plateau_bytes[0] = is_first ? set : ceiling->plateau_bytes[0];
        ceiling->plateau_bytes[1] = set;
        common->n_samples += (uint32_t)series->points[i]->n_samples;
    }
    if (common->n_samples == 0)
        common->low = common->high = common->value;
    common->best = common->high;
    ceiling->working_set_bytes = ceiling->plateau_bytes[1];
}

static void add_level(const struct series *series, const char *label, double rate,
                      struct ert_device_ceilings *out)
{
    if (out->n_memory == ERT_MAX_MEMORY)
        return;
    struct ert_memory_ceiling *ceiling = &out->memory[out->n_memory++];
    const struct ert_point *point = series->points[0];
    struct ert_ceiling *common = &ceiling->common;
    *ceiling = (struct ert_memory_ceiling){.roof = true};
    snprintf(ceiling->level, sizeof ceiling->level, "%s", label);
    snprintf(ceiling->pattern, sizeof ceiling->pattern, "update");
    snprintf(common->name, sizeof common->name, "%s-update", label);
    snprintf(common->kernel, sizeof common->kernel, "%s",
             ert_kernel_row(point->case_.kernel)->name);
    common->value = rate;
    common->launch = point->variant;
    common->blocks = point->work.blocks;
    describe_plateau(series, ceiling);
    ert_evidence_doubt(common, ERT_CONFIDENCE_LOW,
                       strstr(point->variant.name, "2 passes at once")
                           ? "ERT's label and its count of bytes: its compiler does two "
                             "passes at once, so that half of them move"
                           : "ERT's label, which counts plateaus from the fastest");
}

/* Counts from the fastest; the last is DRAM. More than a device can have: the slowest caches go. */
static void add_levels(const struct series *series, struct ert_device_ceilings *out)
{
    double bands[ERT_MAX_BANDS];
    bool is_c = series->points[0]->case_.kernel == ERT_KERNEL_ert_c_fp64;
    size_t n = ert_bands_of(series->rates, series->n, is_c ? merge_c : merge, bands);
    for (size_t i = 0; i < n; i++) {
        char label[16];
        bool is_last = i + 1 == n;
        if (!is_last && i + 1 >= ERT_MAX_LEVELS)
            continue;
        snprintf(label, sizeof label, "L%u", (unsigned)(i + 1));
        add_level(series, is_last ? "DRAM" : label, bands[i], out);
    }
}

static bool add_peak(const struct ert_point *point, struct ert_device_ceilings *out)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    if (out->n_compute == ERT_MAX_COMPUTE)
        return true;
    struct ert_compute_ceiling *ceiling = &out->compute[out->n_compute];
    *ceiling = (struct ert_compute_ceiling){.roof = true};
    if (!ert_evidence_fill(&ceiling->common, &point, 1, 0, ert_point_performance))
        return false;
    ceiling->common.value = rate_of(point, ert_point_performance);
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
                       struct series *series, struct series *heaviest,
                       struct ert_device_ceilings *out)
{
    const struct ert_point *peak = NULL;
    double best = 0;
    bool found = false;
    for (size_t from = 0; from < samples->n_points;) {
        if (!next_series(samples, kernel, &from, series))
            return false;
        for (size_t i = 0; i < series->n; i++) {
            double rate = rate_of(series->points[i], ert_point_performance);
            peak = rate > best ? series->points[i] : peak;
            best = fmax(best, rate);
        }
        if (series->n > 0 && (!found || series->weight > heaviest->weight)) {
            struct series kept = *heaviest;
            *heaviest = *series;
            *series = kept;
            found = true;
        }
    }
    if (found && out->n_memory == 0)
        add_levels(heaviest, out);
    return !peak || add_peak(peak, out);
}

/* What was planned and has no sample says why, once per kernel. */
static void say_absent(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       struct ert_device_ceilings *out)
{
    const char *name = ert_kernel_row(kernel)->name;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (!is_classic(point) || point->case_.kernel != kernel || is_measured(point))
            continue;
        ert_extras_absent(out, name, *point->reason ? point->reason : "not measured");
        return;
    }
}

bool ert_fit_classic(const struct ert_device_samples *samples,
                     struct ert_device_ceilings *out)
{
    struct series series, heaviest;
    bool done = open_series(&series, samples->n_points);
    done = open_series(&heaviest, samples->n_points) && done;
    for (int k = 0; k < ERT_N_KERNELS && done; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_CLASSIC) {
            done = fit_kernel(samples, (enum ert_kernel_id)k, &series, &heaviest, out);
            say_absent(samples, (enum ert_kernel_id)k, out);
        }
    close_series(&heaviest);
    close_series(&series);
    return done;
}

void ert_fit_classic_levels(const struct ert_device_ceilings *ceilings,
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
