/* samples_json: writes "ert-samples/1". Samples stand as one array per quantity. */
#include "ert/sweep/samples.h"

#include "ert/base/json.h"
#include "ert/machine/machine_json.h"
#include "ert/sweep/samples_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON *power_to_json(const struct ert_power *power)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "time_s", power->time_s);
    cJSON_AddNumberToObject(object, "power_w", power->power_w);
    cJSON_AddNumberToObject(object, "passes", (double)power->passes);
    cJSON_AddNumberToObject(object, "rate_per_s", power->rate_per_s);
    cJSON_AddStringToObject(object, "source", power->source);
    return object;
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
    if (*point->power.source)
        cJSON_AddItemToObject(object, "power", power_to_json(&point->power));
    cJSON_AddItemToObject(object, "samples", samples_to_json(point));
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
