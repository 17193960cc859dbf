/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/samples.h"

#include "ert/core/base/fields.h"
#include "ert/core/base/units.h"
#include "ert/core/machine/machine_json.h"
#include "ert/core/sweep/section.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ert-samples/4"

const struct ert_mode *ert_samples_mode(const struct ert_device_samples *samples)
{
    return samples->n_points ? ert_sections[samples->points[0].section]->mode : NULL;
}

double ert_point_region_s(const struct ert_config *config, const struct ert_point *point)
{
    return point->region_s > 0 ? point->region_s : config->region_s;
}

double ert_sample_rate(const struct ert_sample *sample)
{
    return sample->rate_per_s > 0 ? sample->rate_per_s
                                  : (double)sample->passes / sample->time_s;
}

/* Fills rates that the backend left out: passes / time_s. */
static void samples_complete(struct ert_sample *sample)
{
    sample->rate_per_s = ert_sample_rate(sample);
    if (!(sample->lockstep_per_s > 0))
        sample->lockstep_per_s = sample->rate_per_s;
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
    samples_complete(&copy);
    copy.thread_passes = NULL; /* the backend's */
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
    if (sample->n_threads > 0) /* the first one has the chain */
        loads_per_s =
            point->work.loads_per_pass * sample->thread_passes[0] / sample->time_s;
    return loads_per_s > 0 ? 1 / loads_per_s : 0;
}

double ert_point_rate(const struct ert_point *point, double passes_per_s)
{
    return passes_per_s * (point->work.bytes_per_pass > 0 ? point->work.bytes_per_pass
                                                          : point->work.flops_per_pass);
}

struct ert_point_text ert_point_describe(const struct ert_point *point)
{
    struct ert_point_text text;
    const struct ert_kernel *kernel = ert_kernel_row(point->spec.kernel);
    struct ert_text set = {""};
    char flops[32] = "", more[64] = "";
    if (kernel->kind == ERT_KIND_MODE)
        snprintf(flops, sizeof flops, " %u flop/element", point->spec.flops_per_element);
    if (ert_kernel_has_set(point->spec.kernel))
        set = ert_units_capacity(point->work.actual_bytes ? point->work.actual_bytes
                                                          : point->spec.requested_bytes);
    if (point->spec.concurrency)
        snprintf(more, sizeof more, ", %u at once", point->spec.concurrency);
    snprintf(text.text, sizeof text.text, "%s%s, %s%s%s, %s%s", kernel->name, flops,
             ert_path_name(point->spec.path), *set.text ? ", " : "", set.text,
             point->variant.name, more);
    return text;
}

void ert_samples_free(struct ert_samples *samples)
{
    if (!samples)
        return;
    for (size_t d = 0; d < samples->n_devices; d++) {
        struct ert_device_samples *device = &samples->devices[d];
        for (size_t i = 0; i < device->n_points; i++) {
            struct ert_point *point = &device->points[i];
            for (size_t k = 0; k < point->n_samples; k++)
                free(point->samples[k].thread_passes);
            free(point->samples);
        }
        free(device->points);
        free((void *)device->observation.cpus);
        *device = (struct ert_device_samples){0};
    }
    samples->n_devices = 0;
}

static const char *const point_statuses[] = {"planned", "measured", "skipped", "failed",
                                             NULL};
static const char *const sharing_words[] = {"unknown", "none", "neighbours", "halves",
                                            NULL};

/* The members of a point; its kernel and its lists are written separately. */
static const struct ert_field point_rows[] = {
#define ROW(group, key, kind, member, zero)                                                \
    ERT_ROW(struct ert_point, group, key, kind, member, zero)
    ERT_ROW_WORD(struct ert_point, "section", ert_section_words, section),
    ERT_ROW_WORD(struct ert_point, "path", ert_path_words, spec.path),
    ROW(NULL, "flops_per_element", COUNT, spec.flops_per_element, VALUE),
    ROW(NULL, "requested_bytes", U64, spec.requested_bytes, VALUE),
    ROW(NULL, "variant_index", COUNT, spec.variant, VALUE),
    ROW(NULL, "at_once", COUNT, at_once, LEFT_OUT),
    ROW(NULL, "concurrency", COUNT, spec.concurrency, LEFT_OUT),
    ROW(NULL, "from", COUNT, spec.from, LEFT_OUT),
    ROW(NULL, "to", COUNT, spec.to, LEFT_OUT),
    ROW(NULL, "blocks", COUNT, spec.blocks, LEFT_OUT),
    ROW(NULL, "block_threads", COUNT, spec.block_threads, LEFT_OUT),
    ERT_ROW_TEXT(struct ert_point, "variant", "name", variant.name, false),
    ERT_ROW_TEXT(struct ert_point, "variant", "isa", variant.isa, false),
    ROW("variant", "threads", COUNT, variant.threads, VALUE),
    ROW("variant", "blocks", COUNT, variant.blocks, VALUE),
    ROW("work", "actual_bytes", U64, work.actual_bytes, VALUE),
    ROW("work", "bytes_per_pass", SIZE, work.bytes_per_pass, VALUE),
    ROW("work", "flops_per_pass", SIZE, work.flops_per_pass, VALUE),
    ROW("work", "loads_per_pass", SIZE, work.loads_per_pass, LEFT_OUT),
    ROW("work", "blocks", COUNT, work.blocks, VALUE),
    ROW("work", "threads", COUNT, work.threads, VALUE),
    ERT_ROW_WORD(struct ert_point, "status", point_statuses, status),
    ERT_ROW_TEXT(struct ert_point, NULL, "reason", reason, false),
    ROW(NULL, "passes", U64, passes, VALUE),
    ROW(NULL, "trials", U64, most_passes, LEFT_OUT),
#undef ROW
};

/* Files from before ert 2.0.0 have no rates; then they are passes / time_s. */
static const struct ert_field sample_columns[] = {
#define ROW(key, kind, zero) ERT_ROW(struct ert_sample, NULL, #key, kind, key, zero)
    ERT_ROW_WITHIN(struct ert_sample, "time_s", NUMBER, time_s, VALUE, 1e-12, 0x1p63),
    ROW(passes, U64, VALUE),
    ROW(clock_hz, NUMBER, VALUE),
    ROW(memory_clock_hz, NUMBER, VALUE),
    ROW(power_w, NUMBER, VALUE),
    ROW(throttle, U64, VALUE),
    ROW(rate_per_s, NUMBER, OPTIONAL),
    ROW(lockstep_per_s, NUMBER, OPTIONAL),
    ROW(waited, NUMBER, OPTIONAL),
    ROW(steal, NUMBER, OPTIONAL),
#undef ROW
};

static const struct ert_field sustained_rows[] = {
#define ROW(key, kind, zero, min, max)                                                     \
    ERT_ROW_WITHIN(struct ert_sustained, #key, kind, key, zero, min, max)
    ROW(began_unix_s, NUMBER, OPTIONAL, 0, 1e11),
    ROW(time_s, NUMBER, VALUE, 1e-12, 1e6),
    ROW(rate_per_s, NUMBER, VALUE, 1e-12, 1e18),
    ROW(power_w, NUMBER, VALUE, 0, 1e6),
    ROW(clock_hz, NUMBER, VALUE, 0, 1e12),
    ROW(clock_low_hz, NUMBER, VALUE, 0, 1e12),
    ROW(throttle, U64, VALUE, 0, 0x1p62),
    ERT_ROW_TEXT(struct ert_sustained, NULL, "source", source, false),
    ERT_ROW_TEXT(struct ert_sustained, NULL, "no_power", no_power, false),
    ROW(n_settling, COUNT, VALUE, 0, ERT_MAX_PARTS),
#undef ROW
};

static const struct ert_field part_columns[] = {
    ERT_ROW_EXACT(struct ert_part, "part_end_s", NUMBER, end_s),
    ERT_ROW_EXACT(struct ert_part, "part_rate_per_s", NUMBER, rate_per_s),
    ERT_ROW_EXACT(struct ert_part, "part_clock_hz", NUMBER, clock_hz),
    ERT_ROW_EXACT(struct ert_part, "part_power_w", NUMBER, power_w),
    ERT_ROW_EXACT(struct ert_part, "part_throttle", U64, throttle),
};

static const struct ert_field observation_rows[] = {
#define ROW(key) ERT_ROW_WITHIN(struct ert_observation, #key, NUMBER, key, VALUE, 0, 1e6)
    ROW(time_s),
    ROW(longest_gap_s),
    ROW(lost),
    ROW(gap_least_s),
    ROW(sharing_ratio),
#undef ROW
    ERT_ROW_EXACT(struct ert_observation, "gap_cpu", COUNT, gap_cpu),
    ERT_ROW_WORD(struct ert_observation, "sharing", sharing_words, sharing),
};

static const struct ert_field activity_rows[] = {
#define ROW(key, member, max)                                                              \
    ERT_ROW_WITHIN(struct ert_activity, key, NUMBER, member, VALUE, 0, max)
    ROW("elapsed_s", elapsed_s, 1e9),
    ERT_ROW_EXACT(struct ert_activity, "n_cpus", COUNT, n_cpus),
    ROW("own_share", own, 1),
    ROW("foreign_share", foreign, 1),
    ROW("steal_share", steal, 1),
    ERT_ROW_TEXT(struct ert_activity, NULL, "other_runs", other_runs, false),
#undef ROW
};

static const struct ert_field not_measured_rows[] = {
    ERT_ROW_TEXT(struct ert_kernel_not_measured, NULL, "name", name, false),
    ERT_ROW_TEXT(struct ert_kernel_not_measured, NULL, "reason", reason, false),
};

static const struct ert_field device_rows[] = {
    ERT_ROW_TEXT(struct ert_device_samples, NULL, "device", device, false),
    ERT_ROW_TEXT(struct ert_device_samples, NULL, "status", status, false),
    ERT_ROW_TEXT(struct ert_device_samples, NULL, "reason", reason, false),
    ERT_ROW_TEXT(struct ert_device_samples, NULL, "notes", notes, false),
    ERT_ROW_WITHIN(struct ert_device_samples, "elapsed_s", NUMBER, elapsed_s, VALUE, 0,
                   1e9),
};

static const struct ert_field file_rows[] = {
    ERT_ROW_TIME(struct ert_samples, "created", created, OPTIONAL),
    ERT_ROW_TEXT(struct ert_samples, NULL, "status", status, false),
};

static void samples_add_threads(cJSON *object, const struct ert_point *point)
{
    cJSON *list = cJSON_AddArrayToObject(object, "thread_passes");
    for (size_t i = 0; i < point->n_samples; i++) {
        const struct ert_sample *sample = &point->samples[i];
        cJSON *row = cJSON_CreateArray();
        for (uint32_t t = 0; t < sample->n_threads; t++)
            cJSON_AddItemToArray(
                row, cJSON_CreateNumber(rint(1e3 * sample->thread_passes[t]) / 1e3));
        cJSON_AddItemToArray(list, row);
    }
}

static void samples_add_point(cJSON *object, const struct ert_point *point)
{
    const struct ert_sustained *sustained = &point->sustained;
    cJSON_AddStringToObject(object, "kernel", ert_kernel_row(point->spec.kernel)->name);
    ert_fields_write(object, ERT_ROWS(point_rows), point);
    if (sustained->n_parts) {
        cJSON *own = cJSON_AddObjectToObject(object, "sustained");
        ert_fields_write(own, ERT_ROWS(sustained_rows), sustained);
        ert_fields_write_columns(own, ERT_ROWS(part_columns), sustained->parts,
                                 sizeof sustained->parts[0], sustained->n_parts);
    }
    cJSON *samples = cJSON_AddObjectToObject(object, "samples");
    if (point->n_samples > 0 && point->samples[0].n_threads > 0)
        samples_add_threads(samples, point);
    ert_fields_write_columns(samples, ERT_ROWS(sample_columns), point->samples,
                             sizeof point->samples[0], point->n_samples);
}

static void samples_add_device(cJSON *object, const struct ert_device_samples *device)
{
    const struct ert_observation *seen = &device->observation;
    ert_fields_write(object, ERT_ROWS(device_rows), device);
    if (seen->n_cpus > 0) {
        cJSON *own = cJSON_AddObjectToObject(object, "observation");
        ert_fields_write(own, ERT_ROWS(observation_rows), seen);
        cJSON *cpus = cJSON_AddArrayToObject(own, "cpus");
        for (uint32_t i = 0; i < seen->n_cpus; i++)
            cJSON_AddItemToArray(cpus, cJSON_CreateNumber(seen->cpus[i]));
    }
    if (device->activity.n_cpus > 0 || *device->activity.other_runs)
        ert_fields_write(cJSON_AddObjectToObject(object, "activity"),
                         ERT_ROWS(activity_rows), &device->activity);
    ert_fields_write_list(object, "not_measured", ERT_ROWS(not_measured_rows),
                          device->not_measured, sizeof device->not_measured[0],
                          device->n_not_measured);
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < device->n_points; i++)
        samples_add_point(ert_json_add_object(points), &device->points[i]);
}

enum ert_status ert_samples_write(const char *file, const struct ert_samples *samples,
                                  struct ert_error *error)
{
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", SCHEMA);
    ert_fields_write(root, ERT_ROWS(file_rows), samples);
    cJSON_AddItemToObject(root, "config", ert_config_to_json(&samples->config));
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(&samples->machine));
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    for (size_t i = 0; i < samples->n_devices; i++)
        samples_add_device(ert_json_add_object(devices), &samples->devices[i]);
    enum ert_status status =
        errno == ENOMEM ? ert_fail(error, ERT_FAILED, "%s: no memory to write it", file)
                        : ert_json_write(file, root, error);
    cJSON_Delete(root);
    return status;
}

static enum ert_status read_threads(struct ert_json at, size_t i, const cJSON *list,
                                    struct ert_sample *sample, struct ert_error *error)
{
    int n = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list))
        return ert_fail(error, ERT_USAGE, "%s: %s.thread_passes[%zu]: must be a list",
                        at.file, at.path, i);
    sample->thread_passes = calloc((size_t)n + 1, sizeof *sample->thread_passes);
    if (!sample->thread_passes)
        return ert_fail(error, ERT_FAILED, "no memory for %d threads", n);
    for (const cJSON *item = list->child; item; item = item->next) {
        if (!cJSON_IsNumber(item) ||
            !(item->valuedouble >= 0 && item->valuedouble < 0x1p62))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s.thread_passes[%zu][%u]: must be a number of at least 0",
                            at.file, at.path, i, sample->n_threads);
        sample->thread_passes[sample->n_threads++] = item->valuedouble;
    }
    return ERT_OK;
}

static enum ert_status samples_read_samples(struct ert_json at, struct ert_point *point,
                                            struct ert_error *error)
{
    struct ert_json list;
    const cJSON *threads = NULL;
    ERT_TRY(ert_json_array(at, sample_columns[0].key, &list, error));
    const size_t n = ert_json_length(list);
    point->samples = calloc(n + 1, sizeof *point->samples);
    if (!point->samples)
        return ert_fail(error, ERT_FAILED, "no memory for %zu samples", n);
    point->n_samples = point->capacity = n;
    ERT_TRY(ert_fields_read_columns(at, ERT_ROWS(sample_columns), point->samples,
                                    sizeof point->samples[0], n, error));
    if (ert_json_has(at, "thread_passes")) {
        ERT_TRY(ert_json_array(at, "thread_passes", &list, error));
        if (ert_json_length(list) != n)
            return ert_fail(error, ERT_USAGE, "%s: %s: %zu lists, time_s has %zu values",
                            at.file, list.path, ert_json_length(list), n);
        threads = list.node->child;
    }
    for (size_t i = 0; i < n; i++) {
        struct ert_sample *sample = &point->samples[i];
        if (sample->passes == 0 && !(sample->rate_per_s > 0))
            return ert_fail(
                error, ERT_USAGE,
                "%s: %s.passes[%zu]: 0 without a rate_per_s, must be at least 1", at.file,
                at.path, i);
        samples_complete(sample);
        if (threads) {
            ERT_TRY(read_threads(at, i, threads, sample, error));
            threads = threads->next;
        }
    }
    return ERT_OK;
}

static enum ert_status read_sustained(struct ert_json at, struct ert_sustained *sustained,
                                      struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(sustained_rows), sustained, error));
    ERT_TRY(ert_json_array(at, part_columns[0].key, &list, error));
    const size_t n = ert_json_length(list);
    if (n <= sustained->n_settling || n > ERT_MAX_PARTS)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s: %zu values, must be above %u and at most %d", at.file,
                        list.path, n, sustained->n_settling, ERT_MAX_PARTS);
    sustained->n_parts = (uint32_t)n;
    return ert_fields_read_columns(at, ERT_ROWS(part_columns), sustained->parts,
                                   sizeof sustained->parts[0], n, error);
}

/* A measured point must have the kind of work that its kernel's ceilings are rates of. */
static enum ert_status check_work(struct ert_json at, const struct ert_point *point,
                                  struct ert_error *error)
{
    static const char *const keys[] = {[ERT_COUNTS_BYTES] = "bytes_per_pass",
                                       [ERT_COUNTS_OPERATIONS] = "flops_per_pass",
                                       [ERT_COUNTS_LOADS] = "loads_per_pass"};
    const enum ert_counted counted = ert_kernel_counts(point->spec.kernel);
    const double work[] = {[ERT_COUNTS_BYTES] = point->work.bytes_per_pass,
                           [ERT_COUNTS_OPERATIONS] = point->work.flops_per_pass,
                           [ERT_COUNTS_LOADS] = point->work.loads_per_pass};
    if (point->status != ERT_POINT_MEASURED || point->n_samples == 0 || work[counted] > 0)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: %s.work.%s: 0, must be above 0 for the kernel %s, which was "
                    "measured",
                    at.file, at.path, keys[counted],
                    ert_kernel_row(point->spec.kernel)->name);
}

static enum ert_status samples_read_point(struct ert_json at, struct ert_point *point,
                                          struct ert_error *error)
{
    const char *name;
    struct ert_json part;
    struct ert_error why;
    ERT_TRY(ert_json_string(at, "kernel", &name, error));
    if (ert_kernel_find(name, &point->spec.kernel, &why) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "%s: %s.kernel: %s", at.file, at.path, why.text);
    ERT_TRY(ert_fields_read(at, ERT_ROWS(point_rows), point, error));
    if (ert_json_has(at, "sustained")) {
        ERT_TRY(ert_json_object(at, "sustained", &part, error));
        ERT_TRY(read_sustained(part, &point->sustained, error));
    }
    ERT_TRY(ert_json_object(at, "samples", &part, error));
    ERT_TRY(samples_read_samples(part, point, error));
    return check_work(at, point, error);
}

static enum ert_status read_observation(struct ert_json at, struct ert_observation *seen,
                                        struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(observation_rows), seen, error));
    ERT_TRY(ert_json_array(at, "cpus", &list, error));
    size_t n = ert_json_length(list);
    uint32_t *cpus = calloc(n + 1, sizeof *cpus);
    if (!cpus)
        return ert_fail(error, ERT_FAILED, "no memory for %zu CPUs", n);
    seen->cpus = cpus;
    for (const cJSON *item = list.node->child; item; item = item->next) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
            item->valuedouble > UINT32_MAX)
            return ert_fail(error, ERT_USAGE, "%s: %s[%u]: must be the number of a CPU",
                            at.file, list.path, seen->n_cpus);
        cpus[seen->n_cpus++] = (uint32_t)item->valuedouble;
    }
    return ERT_OK;
}

/* A kernel's sweep on a path must not be longer than a plan's: the fit has no more capacity. */
static enum ert_status check_sweep(struct ert_json at,
                                   const struct ert_device_samples *device,
                                   enum ert_kernel_id kernel, enum ert_path path,
                                   struct ert_error *error)
{
    uint64_t sets[ERT_MAX_SETS + 1];
    size_t n_sets = 0, n = 0;
    for (size_t i = 0; i < device->n_points && n_sets <= ERT_MAX_SETS; i++) {
        const struct ert_point *point = &device->points[i];
        uint64_t bytes = point->spec.requested_bytes;
        if (point->spec.kernel != kernel || point->spec.path != path ||
            (point->section != ERT_SECTION_LEVELS && point->section != ERT_SECTION_COMPUTE))
            continue;
        n++;
        size_t known = 0;
        while (known < n_sets && sets[known] != bytes)
            known++;
        /* Sets that are bound to other memories are not part of the sweep. */
        if (!point->spec.to && known == n_sets)
            sets[n_sets++] = bytes;
    }
    if (n_sets <= ERT_MAX_SETS && n <= ERT_MAX_SWEEP)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: %s.points: of %s, %s, more than %d working sets or %d points",
                    at.file, at.path, ert_kernel_row(kernel)->name, ert_path_name(path),
                    ERT_MAX_SETS, ERT_MAX_SWEEP);
}

/* Reads the index-th device; those before it have been read. */
static enum ert_status samples_read_device(struct ert_json at, struct ert_samples *samples,
                                           size_t index, struct ert_error *error)
{
    struct ert_device_samples *device = &samples->devices[index];
    struct ert_json part;
    uint32_t n_not_measured = 0;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(device_rows), device, error));
    const struct ert_device *about = ert_machine_device(&samples->machine, device->device);
    if (!about)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.device: '%s' is not among machine.devices", at.file,
                        at.path, device->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(samples->devices[i].device, device->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.device: '%s' appears twice", at.file,
                            at.path, device->device);
    ERT_TRY(ert_config_context(&samples->config, about, &device->context, error));
    if (ert_json_has(at, "observation")) {
        ERT_TRY(ert_json_object(at, "observation", &part, error));
        ERT_TRY(read_observation(part, &device->observation, error));
    }
    if (ert_json_has(at, "activity")) {
        ERT_TRY(ert_json_object(at, "activity", &part, error));
        ERT_TRY(ert_fields_read(part, ERT_ROWS(activity_rows), &device->activity, error));
    }
    ERT_TRY(ert_fields_read_list(at, "not_measured", ERT_ROWS(not_measured_rows),
                                 device->not_measured, sizeof device->not_measured[0],
                                 ERT_MAX_KERNELS_NOT_MEASURED, &n_not_measured, error));
    device->n_not_measured = n_not_measured;
    ERT_TRY(ert_json_array(at, "points", &part, error));
    size_t n = ert_json_length(part);
    device->points = calloc(n ? n : 1, sizeof *device->points);
    if (!device->points)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", n);
    device->n_points = n;
    for (size_t i = 0; i < n; i++)
        ERT_TRY(samples_read_point(ert_json_element(&part, i), &device->points[i], error));
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        for (int path = 0; path < ERT_N_PATHS; path++)
            ERT_TRY(check_sweep(at, device, (enum ert_kernel_id)kernel, (enum ert_path)path,
                                error));
    return ERT_OK;
}

/* Checked before any key: keys of older versions had other names. */
static enum ert_status samples_check_schema(struct ert_json at, struct ert_error *error)
{
    const char *schema;
    const cJSON *provenance = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(at.node, "machine"), "provenance");
    const cJSON *git = cJSON_GetObjectItemCaseSensitive(provenance, "git");
    ERT_TRY(ert_json_string(at, "schema", &schema, error));
    if (strcmp(schema, SCHEMA) == 0)
        return ERT_OK;
    if (strncmp(schema, SCHEMA, sizeof SCHEMA - 2) == 0 && strcmp(schema, SCHEMA) < 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema '%s' is older than this program, which "
                        "reads " SCHEMA ": fit it with the ert that wrote it "
                        "(commit %.40s), or measure again with `ert run`",
                        at.file, schema,
                        cJSON_IsString(git) ? git->valuestring : "unknown");
    return ert_fail(error, ERT_USAGE, "%s: schema '%.40s', this program reads " SCHEMA,
                    at.file, schema);
}

static enum ert_status samples_read_all(struct ert_json at, struct ert_samples *samples,
                                        struct ert_error *error)
{
    struct ert_json part;
    ERT_TRY(samples_check_schema(at, error));
    ERT_TRY(ert_fields_read(at, ERT_ROWS(file_rows), samples, error));
    ERT_TRY(ert_json_object(at, "config", &part, error));
    ert_config_default(&samples->config);
    ERT_TRY(ert_config_from_json(part, &samples->config, error));
    ERT_TRY(ert_json_object(at, "machine", &part, error));
    ERT_TRY(ert_machine_from_json(part, &samples->machine, error));
    ERT_TRY(ert_json_array(at, "devices", &part, error));
    if (ert_json_length(part) > ERT_MAX_DEVICES)
        return ert_fail(error, ERT_USAGE, "%s: devices: %zu, at most %d", at.file,
                        ert_json_length(part), ERT_MAX_DEVICES);
    for (size_t i = 0; i < ert_json_length(part); i++) {
        samples->n_devices++;
        ERT_TRY(samples_read_device(ert_json_element(&part, i), samples, i, error));
    }
    return ERT_OK;
}

enum ert_status ert_samples_read(const char *file, struct ert_samples *samples,
                                 struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    memset(samples, 0, sizeof *samples);
    enum ert_status status = samples_read_all(ert_json_root(root, file), samples, error);
    if (status != ERT_OK)
        ert_samples_free(samples);
    cJSON_Delete(root);
    return status;
}
