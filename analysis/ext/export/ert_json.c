/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert-json: roofline.json of LBNL's Empirical Roofline Toolkit 1.1.0, as its Python/ert_core.py
 * writes it and its Roofline Visualizer reads it (https://bitbucket.org/berkeleylab/cs-roofline-toolkit):
 * gbytes.data fastest first, gflops.data with one entry "GFLOPs"; GB/s and GFLOP/s of powers of
 * 1000 with two decimals; spec the theoretical values, where they are known.
 *
 * ERT names levels by counting from the fastest, "L1", "L2" ..., and the last one "DRAM". Here caches keep
 * their real names, and a device's only memory is "DRAM" as in ERT; shared memory, which ERT does not know,
 * is left out. import/ert_json.h reads such files.
 */
#include "analysis/ext/export/export.h"

#include "analysis/core/points/json.h"
#include "ert/core/base/clock.h"

#include <math.h>
#include <string.h>

/* Appends [label, number], if there is a number. */
static void export_ert_json_add_pair(cJSON *data, const char *label, double rate_per_s)
{
    if (!(rate_per_s > 0))
        return;
    cJSON *pair = cJSON_CreateArray();
    cJSON_AddItemToArray(data, pair);
    cJSON_AddItemToArray(pair, cJSON_CreateString(label));
    cJSON_AddItemToArray(pair, cJSON_CreateNumber(round(rate_per_s / 1e7) / 100));
}

static bool is_only_memory(const struct ert_device *device, const char *level)
{
    size_t n = 0;
    const struct ert_level *found = ert_device_level(device, level);
    for (uint32_t i = 0; i < device->n_levels; i++)
        n += device->levels[i].kind == ERT_LEVEL_MEMORY;
    return n == 1 && found && found->kind == ERT_LEVEL_MEMORY;
}

/* Adds {"data": [...]} to `to`; spec: the theoretical values that are known. */
static void export_ert_json_add_bandwidths(cJSON *to, const struct rfl_export *export,
                                           bool spec)
{
    const struct ert_ceiling *roofs[ERT_MAX_LEVELS];
    size_t n;
    rfl_export_roofs(export, roofs, &n, NULL);
    cJSON *data = cJSON_AddArrayToObject(to, "data");
    for (size_t i = 0; i < n; i++) {
        const char *level = roofs[i]->key.level;
        bool is_memory = is_only_memory(export->devices[0].machine, level);
        export_ert_json_add_pair(data, is_memory ? "DRAM" : level,
                                 spec ? roofs[i]->theory : roofs[i]->value);
    }
}

/*
 * ERT's keys; CONFIG, whose keys have lists of words, has our additions. For ERT-compatible ceilings (mode)
 * also the keys of ERT's own runs: launch or threads of the peak.
 */
static void add_metadata(cJSON *empirical, const struct rfl_export *export,
                         const struct ert_ceiling *peak)
{
    const struct ert_ceilings *ceilings = export->ceilings;
    const struct rfl_export_device *device = &export->devices[0];
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    const bool is_gpu = device->machine->kind == ERT_DEVICE_GPU;
    const char *const pairs[][2] = {
        {"ERT_GPU",       is_gpu ? "True" : "False"},
        {"ERT_PRECISION", peak->key.type           },
        {"ERT_RESULTS",   device->ceilings->device },
    };
    cJSON *metadata = cJSON_AddObjectToObject(empirical, "metadata");
    cJSON_AddStringToObject(metadata, "ERT_VERSION", provenance->tool_version);
    cJSON_AddStringToObject(metadata, "HOSTNAME", provenance->host);
    if (*rfl_export_mark(device))
        cJSON_AddStringToObject(metadata, "NOT_VALID", device->ceilings->warnings);
    cJSON_AddNumberToObject(metadata, "TIMESTAMP_DATA",
                            fmax(0, ert_clock_read_date(ceilings->created)));
    if (*ceilings->mode && is_gpu)
        cJSON_AddNumberToObject(metadata, "GPU_BLOCKS", peak->evidence->blocks);
    if (*ceilings->mode)
        cJSON_AddNumberToObject(metadata, is_gpu ? "GPU_THREADS" : "OPENMP_THREADS",
                                peak->evidence->launch.threads);
    cJSON *config = cJSON_AddObjectToObject(metadata, "CONFIG");
    for (size_t i = 0; i < ERT_LENGTH(pairs); i++)
        rfl_json_append(cJSON_AddArrayToObject(config, pairs[i][0]), pairs[i][1]);
}

static enum ert_status export_ert_json_write(const struct rfl_export *export,
                                             struct ert_error *error)
{
    static const char *const names[] = {"empirical", "spec"};
    const struct ert_ceiling *peak;
    const struct ert_ceiling *roofs[ERT_MAX_LEVELS];
    size_t n;
    ERT_TRY(rfl_export_peak(export, &peak, error));
    ERT_TRY(rfl_export_roofs(export, roofs, &n, error));
    cJSON *root = cJSON_CreateObject();
    for (int spec = 0; spec < 2; spec++) {
        cJSON *part = cJSON_AddObjectToObject(root, names[spec]);
        cJSON *bytes = cJSON_AddObjectToObject(part, "gbytes");
        cJSON *flops = cJSON_AddObjectToObject(part, "gflops");
        export_ert_json_add_bandwidths(bytes, export, spec);
        export_ert_json_add_pair(cJSON_AddArrayToObject(flops, "data"), "GFLOPs",
                                 spec ? peak->theory : peak->value);
        if (spec)
            continue;
        cJSON_AddObjectToObject(bytes, "metadata");
        cJSON_AddObjectToObject(flops, "metadata");
        add_metadata(part, export, peak);
    }
    rfl_json_print(export->out, root);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_ert_json = {
    .name = "ert-json",
    .summary = "roofline.json of LBNL's ERT 1.1, which its Roofline Visualizer draws; "
               "bandwidths are the loads'",
    .extension = ".json",
    .devices = RFL_EXPORT_ONE,
    .takes_type = true,
    .write = export_ert_json_write,
};
