/*
 * ert-json: roofline.json of LBNL's Empirical Roofline Toolkit 1.1.0, as its Python/ert_core.py
 * writes it and its Roofline Visualizer reads it (https://bitbucket.org/berkeleylab/cs-roofline-toolkit):
 * gbytes.data fastest first, gflops.data with one entry "GFLOPs"; GB/s and GFLOP/s of powers of
 * 1000 with two decimals; spec the theoretical values, where they are known.
 *
 * ERT names levels by counting from the fastest, "L1", "L2" ..., and the last "DRAM". Caches keep
 * their real names here, and a device's only memory is "DRAM" as ERT has it; shared memory, of which
 * ERT knows nothing, is left out. import/ert_json.h reads such files.
 */
#include "analysis/export/export.h"

#include "ert/base/json.h"

#include <math.h>
#include <string.h>

static double two_decimals(double rate_per_s)
{
    return round(rate_per_s / 1e7) / 100;
}

/* Appends [label, number]; false when memory runs out, here and below. */
static bool add_pair(cJSON *data, const char *label, double rate_per_s)
{
    cJSON *pair = cJSON_CreateArray();
    if (!pair || !cJSON_AddItemToArray(data, pair))
        return false;
    return cJSON_AddItemToArray(pair, cJSON_CreateString(label)) &&
           cJSON_AddItemToArray(pair, cJSON_CreateNumber(two_decimals(rate_per_s)));
}

static bool is_only_memory(const struct ert_device *device, const char *level)
{
    size_t n = 0;
    const struct ert_level *found = ert_device_level(device, level);
    for (uint32_t i = 0; i < device->n_levels; i++)
        n += device->levels[i].kind == ERT_LEVEL_MEMORY;
    return n == 1 && found && found->kind == ERT_LEVEL_MEMORY;
}

/* {"data": [...]} in `to`; spec: theoretical values, of those that have one. */
static bool add_bandwidths(cJSON *to, const struct rfl_export *export, bool spec)
{
    const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS];
    const struct ert_device *machine = export->devices[0].machine;
    size_t n;
    rfl_export_roofs(export, roofs, &n, NULL);
    cJSON *data = cJSON_AddArrayToObject(to, "data");
    bool good = data != NULL;
    for (size_t i = 0; good && i < n; i++) {
        double rate = spec ? roofs[i]->common.theory : roofs[i]->common.value;
        const char *label =
            is_only_memory(machine, roofs[i]->level) ? "DRAM" : roofs[i]->level;
        good = !(rate > 0) || add_pair(data, label, rate);
    }
    return good;
}

static bool add_peak(cJSON *to, const struct ert_compute_ceiling *peak, bool spec)
{
    double rate = spec ? peak->common.theory : peak->common.value;
    cJSON *data = cJSON_AddArrayToObject(to, "data");
    return data && (!(rate > 0) || add_pair(data, "GFLOPs", rate));
}

/*
 * Of ERT-compatible ceilings (mode) the keys of ERT's own runs: flops per element of the peak, its
 * launch or threads.
 */
static bool add_run(cJSON *metadata, const struct rfl_export_device *device,
                    const struct ert_compute_ceiling *peak)
{
    bool is_gpu = device->machine->kind == ERT_DEVICE_GPU;
    if (!is_gpu)
        return cJSON_AddNumberToObject(metadata, "OPENMP_THREADS",
                                       peak->common.launch.threads) != NULL;
    return cJSON_AddNumberToObject(metadata, "GPU_BLOCKS", peak->common.blocks) &&
           cJSON_AddNumberToObject(metadata, "GPU_THREADS", peak->common.launch.threads);
}

/* Keys as ERT has them; CONFIG, a key to a list of words, holds what is ours. */
static bool add_metadata(cJSON *empirical, const struct rfl_export *export,
                         const struct ert_compute_ceiling *peak)
{
    const struct ert_ceilings *ceilings = export->ceilings;
    const struct rfl_export_device *device = &export->devices[0];
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    const char *const pairs[][2] = {
        {"ERT_GPU",       device->machine->kind == ERT_DEVICE_GPU ? "True" : "False"},
        {"ERT_PRECISION", peak->type                                                },
        {"ERT_RESULTS",   device->ceilings->device                                  },
    };
    cJSON *metadata = cJSON_AddObjectToObject(empirical, "metadata");
    if (!metadata ||
        !cJSON_AddStringToObject(metadata, "ERT_VERSION", provenance->tool_version) ||
        !cJSON_AddStringToObject(metadata, "HOSTNAME", provenance->host) ||
        !cJSON_AddNumberToObject(metadata, "TIMESTAMP_DATA", rfl_export_epoch(ceilings)) ||
        (*ceilings->mode && !add_run(metadata, device, peak)))
        return false;
    cJSON *config = cJSON_AddObjectToObject(metadata, "CONFIG");
    bool good = config != NULL;
    for (size_t i = 0; good && i < sizeof pairs / sizeof pairs[0]; i++) {
        cJSON *words = cJSON_AddArrayToObject(config, pairs[i][0]);
        good = words && cJSON_AddItemToArray(words, cJSON_CreateString(pairs[i][1]));
    }
    return good;
}

static bool add_all(cJSON *root, const struct rfl_export *export,
                    const struct ert_compute_ceiling *peak)
{
    static const char *const names[] = {"empirical", "spec"};
    for (int spec = 0; spec < 2; spec++) {
        cJSON *part = cJSON_AddObjectToObject(root, names[spec]);
        cJSON *bytes = part ? cJSON_AddObjectToObject(part, "gbytes") : NULL;
        cJSON *flops = part ? cJSON_AddObjectToObject(part, "gflops") : NULL;
        if (!bytes || !flops || !add_bandwidths(bytes, export, spec) ||
            !add_peak(flops, peak, spec) ||
            (!spec && (!cJSON_AddObjectToObject(bytes, "metadata") ||
                       !cJSON_AddObjectToObject(flops, "metadata") ||
                       !add_metadata(part, export, peak))))
            return false;
    }
    return true;
}

static enum ert_status write(const struct rfl_export *export, struct ert_error *error)
{
    const struct ert_compute_ceiling *peak;
    const struct ert_memory_ceiling *roofs[ERT_MAX_LEVELS];
    size_t n;
    ERT_TRY(rfl_export_peak(export, &peak, error));
    ERT_TRY(rfl_export_roofs(export, roofs, &n, error));
    cJSON *root = cJSON_CreateObject();
    enum ert_status status = root && add_all(root, export, peak)
                                 ? ert_json_print(export->out, root, error)
                                 : ert_fail(error, ERT_FAILED, "out of memory");
    cJSON_Delete(root);
    return status;
}

const struct rfl_exporter rfl_export_ert_json = {
    .name = "ert-json",
    .summary =
        "roofline.json of LBNL's ERT 1.1, which its Roofline Visualizer draws; bandwidths "
        "are the loads'",
    .extension = ".json",
    .devices = RFL_EXPORT_ONE,
    .takes_type = true,
    .write = write,
};
