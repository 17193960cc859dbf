/* samples_json: writes "ert-samples/3". Samples stand as one array per quantity. */
#include "ert/sweep/samples.h"

#include "ert/base/json.h"
#include "ert/machine/machine_json.h"
#include "ert/sweep/samples_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its parts stand as one array per quantity, as samples do. */
static cJSON *sustained_to_json(const struct ert_sustained *sustained)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "began_unix_s", sustained->began_unix_s);
    cJSON_AddNumberToObject(object, "time_s", sustained->time_s);
    cJSON_AddNumberToObject(object, "rate_per_s", sustained->rate_per_s);
    cJSON_AddNumberToObject(object, "power_w", sustained->power_w);
    cJSON_AddNumberToObject(object, "clock_hz", sustained->clock_hz);
    cJSON_AddNumberToObject(object, "clock_low_hz", sustained->clock_low_hz);
    cJSON_AddNumberToObject(object, "throttle", (double)sustained->throttle);
    cJSON_AddStringToObject(object, "source", sustained->source);
    cJSON_AddStringToObject(object, "no_power", sustained->no_power);
    cJSON_AddNumberToObject(object, "n_settling", sustained->n_settling);
    for (size_t c = 0; c < ERT_N_PART_COLUMNS; c++) {
        cJSON *list = cJSON_AddArrayToObject(object, ert_part_columns[c].key);
        for (size_t i = 0; i < sustained->n_parts; i++) {
            const char *at =
                (const char *)&sustained->parts[i] + ert_part_columns[c].offset;
            cJSON_AddItemToArray(list,
                                 cJSON_CreateNumber(ert_part_columns[c].is_u64
                                                        ? (double)*(const uint64_t *)at
                                                        : *(const double *)at));
        }
    }
    return object;
}

/* Of each sample the passes of each thread, to a thousandth. */
static void threads_to_json(const struct ert_point *point, cJSON *object)
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

static cJSON *samples_to_json(const struct ert_point *point)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t c = 0; c < ERT_N_SAMPLE_COLUMNS; c++) {
        cJSON *list = cJSON_AddArrayToObject(object, ert_sample_columns[c].key);
        for (size_t i = 0; i < point->n_samples; i++) {
            const char *at =
                (const char *)&point->samples[i] + ert_sample_columns[c].offset;
            cJSON_AddItemToArray(list,
                                 cJSON_CreateNumber(ert_sample_columns[c].is_u64
                                                        ? (double)*(const uint64_t *)at
                                                        : *(const double *)at));
        }
    }
    if (point->n_samples > 0 && point->samples[0].n_threads > 0)
        threads_to_json(point, object);
    return object;
}

static cJSON *variant_to_json(const struct ert_variant *variant)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", variant->name);
    cJSON_AddStringToObject(object, "isa", variant->isa);
    cJSON_AddNumberToObject(object, "threads", variant->threads);
    cJSON_AddNumberToObject(object, "blocks", variant->blocks);
    return object;
}

static cJSON *point_to_json(const struct ert_point *point)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "section", ert_section_name(point->section));
    cJSON_AddStringToObject(object, "kernel", ert_kernel_row(point->case_.kernel)->name);
    cJSON_AddStringToObject(object, "path", ert_path_name(point->case_.path));
    cJSON_AddNumberToObject(object, "flops_per_element", point->case_.flops_per_element);
    cJSON_AddNumberToObject(object, "wanted_bytes", (double)point->case_.working_set_bytes);
    cJSON_AddNumberToObject(object, "variant_index", point->case_.variant);
    if (point->at_once)
        cJSON_AddNumberToObject(object, "at_once", point->at_once);
    for (size_t i = 0; i < ERT_N_CASE_PARAMETERS; i++) {
        const char *at = (const char *)&point->case_ + ert_case_parameters[i].offset;
        uint32_t value = *(const uint32_t *)(const void *)at;
        if (value)
            cJSON_AddNumberToObject(object, ert_case_parameters[i].key, value);
    }
    cJSON_AddItemToObject(object, "variant", variant_to_json(&point->variant));
    cJSON *work = cJSON_AddObjectToObject(object, "work");
    cJSON_AddNumberToObject(work, "working_set_bytes",
                            (double)point->work.working_set_bytes);
    cJSON_AddNumberToObject(work, "bytes_per_pass", point->work.bytes_per_pass);
    cJSON_AddNumberToObject(work, "flops_per_pass", point->work.flops_per_pass);
    if (point->work.loads_per_pass > 0)
        cJSON_AddNumberToObject(work, "loads_per_pass", point->work.loads_per_pass);
    cJSON_AddNumberToObject(work, "blocks", point->work.blocks);
    cJSON_AddNumberToObject(work, "threads", point->work.threads);
    cJSON_AddStringToObject(object, "status", ert_point_statuses[point->status]);
    cJSON_AddStringToObject(object, "reason", point->reason);
    cJSON_AddNumberToObject(object, "passes", (double)point->passes);
    if (point->trials)
        cJSON_AddNumberToObject(object, "trials", (double)point->trials);
    if (point->sustained.n_parts)
        cJSON_AddItemToObject(object, "sustained", sustained_to_json(&point->sustained));
    cJSON_AddItemToObject(object, "samples", samples_to_json(point));
    return object;
}

static cJSON *observation_to_json(const struct ert_observation *observation)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < ERT_N_OBSERVATION_ROWS; i++) {
        const char *at = (const char *)observation + ert_observation_rows[i].offset;
        cJSON_AddNumberToObject(object, ert_observation_rows[i].key,
                                *(const double *)(const void *)at);
    }
    cJSON_AddNumberToObject(object, "gap_cpu", observation->gap_cpu);
    cJSON_AddStringToObject(object, "sharing", ert_sharing_words[observation->sharing]);
    cJSON *cpus = cJSON_AddArrayToObject(object, "cpus");
    for (uint32_t i = 0; i < observation->n_cpus; i++)
        cJSON_AddItemToArray(cpus, cJSON_CreateNumber(observation->cpus[i]));
    return object;
}

static cJSON *activity_to_json(const struct ert_activity *activity)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "elapsed_s", activity->elapsed_s);
    cJSON_AddNumberToObject(object, "n_cpus", activity->n_cpus);
    cJSON_AddNumberToObject(object, "own_share", activity->own);
    cJSON_AddNumberToObject(object, "foreign_share", activity->foreign);
    cJSON_AddNumberToObject(object, "steal_share", activity->steal);
    return object;
}

static cJSON *device_to_json(const struct ert_device_samples *device)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "device", device->device);
    cJSON_AddStringToObject(object, "status", device->status);
    cJSON_AddStringToObject(object, "reason", device->reason);
    cJSON_AddStringToObject(object, "notes", device->notes);
    cJSON_AddNumberToObject(object, "seconds_s", device->seconds);
    if (device->observation.n_cpus > 0)
        cJSON_AddItemToObject(object, "observation",
                              observation_to_json(&device->observation));
    if (device->activity.n_cpus > 0)
        cJSON_AddItemToObject(object, "activity", activity_to_json(&device->activity));
    cJSON *absent = cJSON_AddArrayToObject(object, "absent");
    for (size_t i = 0; i < device->n_absent; i++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", device->absent[i].name);
        cJSON_AddStringToObject(row, "reason", device->absent[i].reason);
        cJSON_AddItemToArray(absent, row);
    }
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < device->n_points; i++)
        cJSON_AddItemToArray(points, point_to_json(&device->points[i]));
    return object;
}

enum ert_status ert_samples_write(const char *file, const struct ert_samples *samples,
                                  struct ert_error *error)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", ERT_SAMPLES_SCHEMA);
    cJSON_AddStringToObject(root, "created", samples->created);
    cJSON_AddStringToObject(root, "status", samples->status);
    cJSON_AddItemToObject(root, "config", ert_config_to_json(&samples->config));
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(&samples->machine));
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    for (size_t i = 0; i < samples->n_devices; i++)
        cJSON_AddItemToArray(devices, device_to_json(&samples->devices[i]));
    enum ert_status status = ert_json_write(file, root, error);
    cJSON_Delete(root);
    return status;
}
