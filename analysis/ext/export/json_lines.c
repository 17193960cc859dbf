/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json-lines: one line per node, for fleets: `cat NODE-*.jsonl` is a file of a cluster, one
 * object per line (https://jsonlines.org). The peak of each type and operation, in flop/s (op/s of
 * integers, inst/s), and all patterns of each level in byte/s:
 *   {"schema":"ert-roofs/1","host":...,"date":...,"status":...,"ert":...,"devices":[{"id":"gpu0",
 *    "kind":"gpu","name":...,"valid":true,"held_hz":...,"compute_per_s":{"fp64-fma":...},
 *    "bytes_per_s":{"L1-load":...}}]}
 */
#include "analysis/ext/export/export.h"

#include "analysis/core/place/roofs.h"
#include "analysis/core/points/json.h"

#include <math.h>

static void json_lines_add_device(cJSON *to, struct rfl_export_device device)
{
    double held_hz = device.ceilings->held_hz;
    cJSON_AddStringToObject(to, "id", device.ceilings->device);
    cJSON_AddStringToObject(to, "kind",
                            device.machine->kind == ERT_DEVICE_GPU ? "gpu" : "cpu");
    cJSON_AddStringToObject(to, "name", device.machine->name);
    cJSON_AddBoolToObject(to, "valid", device.ceilings->valid);
    cJSON_AddNumberToObject(to, "held_hz", held_hz > 0 ? held_hz : NAN); /* NaN: null */
    cJSON *compute = cJSON_AddObjectToObject(to, "compute_per_s"),
          *memory = cJSON_AddObjectToObject(to, "bytes_per_s");
    const struct ert_ceiling_span of = ert_ceilings_main(device.ceilings);
    for (size_t i = 0; i < of.n; i++)
        if (of.at[i].is_roof || of.at[i].kind == ERT_CEILING_MEMORY)
            cJSON_AddNumberToObject(of.at[i].kind == ERT_CEILING_MEMORY ? memory : compute,
                                    of.at[i].name, of.at[i].value);
}

static enum ert_status json_lines_write(const struct rfl_export *export,
                                        struct ert_error *error)
{
    const struct ert_ceilings *ceilings = export->ceilings;
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    cJSON *root = cJSON_CreateObject();
    (void)error;
    cJSON_AddStringToObject(root, "schema", "ert-roofs/1");
    cJSON_AddStringToObject(root, "host", provenance->host);
    cJSON_AddStringToObject(root, "date", ceilings->created);
    cJSON_AddStringToObject(root, "status", ceilings->status);
    cJSON_AddStringToObject(root, "ert", provenance->tool_version);
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    for (size_t i = 0; i < export->n_devices; i++)
        json_lines_add_device(rfl_json_object(devices), export->devices[i]);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    fprintf(export->out, "%s\n", text);
    cJSON_free(text);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_json_lines = {
    .name = "json-lines",
    .summary = "one line of JSON per node, for fleets",
    .extension = ".jsonl",
    .devices = RFL_EXPORT_ALL,
    .write = json_lines_write,
};
