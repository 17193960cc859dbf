#include "ert/sweep/samples.h"

#include "ert/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ert_sample_rate(const struct ert_sample *sample)
{
    return sample->rate_per_s > 0 ? sample->rate_per_s
                                  : (double)sample->passes / sample->time_s;
}

enum ert_status ert_point_add(struct ert_point *point, const struct ert_sample *sample,
                              struct ert_error *error)
{
    if (point->n_samples == point->capacity) {
        size_t capacity = point->capacity ? 2 * point->capacity : 8;
        struct ert_sample *grown = realloc(point->samples, capacity * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu samples", capacity);
        point->samples = grown;
        point->capacity = capacity;
    }
    struct ert_sample copy = *sample;
    copy.rate_per_s = ert_sample_rate(sample);
    if (!(copy.lockstep_per_s > 0))
        copy.lockstep_per_s = copy.rate_per_s;
    if (copy.n_threads > 0) {
        copy.thread_passes = malloc(copy.n_threads * sizeof *copy.thread_passes);
        if (!copy.thread_passes)
            return ert_fail(error, ERT_FAILED, "no memory for %u threads", copy.n_threads);
        memcpy(copy.thread_passes, sample->thread_passes,
               copy.n_threads * sizeof *copy.thread_passes);
    }
    point->samples[point->n_samples++] = copy;
    return ERT_OK;
}

double ert_point_bandwidth(const struct ert_point *point, const struct ert_sample *sample)
{
    return point->work.bytes_per_pass * ert_sample_rate(sample);
}

double ert_point_performance(const struct ert_point *point, const struct ert_sample *sample)
{
    return point->work.flops_per_pass * ert_sample_rate(sample);
}

double ert_point_latency(const struct ert_point *point, const struct ert_sample *sample)
{
    double loads_per_s = point->work.loads_per_pass * ert_sample_rate(sample);
    return loads_per_s > 0 ? 1 / loads_per_s : 0;
}

const char *ert_point_describe(const struct ert_point *point, char *text, size_t size)
{
    const struct ert_kernel *kernel = ert_kernel_row(point->case_.kernel);
    char set[ERT_UNITS_TEXT] = "", flops[32] = "", more[64] = "";
    if (kernel->class_ == ERT_CLASS_MIXED || kernel->class_ == ERT_CLASS_ERT110)
        snprintf(flops, sizeof flops, " %u flop/element", point->case_.flops_per_element);
    if (kernel->class_ != ERT_CLASS_COMPUTE)
        ert_units_capacity(point->work.working_set_bytes ? point->work.working_set_bytes
                                                         : point->case_.working_set_bytes,
                           set);
    if (point->case_.stride_bytes)
        snprintf(more, sizeof more, ", stride %u B", point->case_.stride_bytes);
    if (point->case_.concurrency)
        snprintf(more, sizeof more, ", %u at once", point->case_.concurrency);
    snprintf(text, size, "%s%s, %s%s%s, %s%s", kernel->name, flops,
             ert_path_name(point->case_.path), *set ? ", " : "", set, point->variant.name,
             more);
    return text;
}

static void free_samples(struct ert_point *point)
{
    for (size_t i = 0; i < point->n_samples; i++)
        free(point->samples[i].thread_passes);
    free(point->samples);
}

void ert_samples_free(struct ert_samples *samples)
{
    if (!samples)
        return;
    for (size_t d = 0; d < samples->n_devices; d++) {
        struct ert_device_samples *device = &samples->devices[d];
        for (size_t i = 0; i < device->n_points; i++)
            free_samples(&device->points[i]);
        free(device->points);
        free((void *)device->observation.cpus);
        *device = (struct ert_device_samples){0};
    }
    samples->n_devices = 0;
}
