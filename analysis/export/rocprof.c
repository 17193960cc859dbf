/*
 * rocprof: roofline.csv of rocprofiler-compute (Omniperf), for its viewers: one row per GPU, triples
 * of mean, low and high in GB/s, GFLOP/s or GOP/s, 0 for what there is none of. The spelling of the
 * columns ("hbmBwHigh", "MFMAFI8OpsLow") is theirs:
 * https://github.com/ROCm/rocprofiler-compute, tests/workloads/vcopy/MI200/roofline.csv. MFMA
 * columns hold the tensor cores; TF32 is no F32, so MFMAF32 is 0 on NVIDIA's.
 */
#include "analysis/export/common.h"

#include <string.h>

struct column {
    const char *names; /* of the three columns */
    const char *level; /* "memory": the device's; or NULL: a peak of */
    const char *type, *unit;
};

static const struct column columns[] = {
    {"HBMBw,HBMBwLow,hbmBwHigh",                         "memory", NULL,   NULL    },
    {"L2Bw,L2BwLow,L2BwHigh",                            "L2",     NULL,   NULL    },
    {"L1Bw,L1BwLow,L1BwHigh",                            "L1",     NULL,   NULL    },
    {"LDSBw,LDSBwLow,LDSBwHigh",                         "shared", NULL,   NULL    },
    {"FP32Flops,FP32FlopsLow,FP32FlopsHigh",             NULL,     "fp32", "core"  },
    {"FP64Flops,FP64FlopsLow,FP64FlopsHigh",             NULL,     "fp64", "core"  },
    {"MFMABF16Flops,MFMABF16FlopsLow,MFMABF16FlopsHigh", NULL,     "bf16", "tensor"},
    {"MFMAF16Flops,MFMAF16FlopsLow,MFMAF16FlopsHigh",    NULL,     "fp16", "tensor"},
    {"MFMAF32Flops,MFMAF32FlopsLow,MFMAF32FlopsHigh",    NULL,     "fp32", "tensor"},
    {"MFMAF64Flops,MFMAF64FlopsLow,MFMAF64FlopsHigh",    NULL,     "fp64", "tensor"},
    {"MFMAI8Ops,MFMAFI8OpsLow,MFMAI8OpsHigh",            NULL,     "int8", "tensor"},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static const struct ert_ceiling *best(const struct ert_device_ceilings *device,
                                      const char *type, const char *unit)
{
    const struct ert_ceiling *best = NULL;
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->compute[i];
        if (strcmp(ceiling->type, type) == 0 && strcmp(ceiling->unit, unit) == 0 &&
            (!best || ceiling->common.value > best->value))
            best = &ceiling->common;
    }
    return best;
}

static const struct ert_ceiling *find(const struct rfl_export_device *device,
                                      const struct column *column)
{
    const char *level = column->level;
    if (!level)
        return best(device->ceilings, column->type, column->unit);
    if (strcmp(level, "memory") == 0)
        level = rfl_export_memory(device);
    const struct ert_memory_ceiling *roof =
        level ? rfl_export_level(device, level, NULL) : NULL;
    return roof ? &roof->common : NULL;
}

static void write_row(FILE *out, const struct rfl_export_device *device)
{
    fprintf(out, "%d", device->machine->gpu.ordinal);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        const struct ert_ceiling *ceiling = find(device, &columns[c]);
        if (ceiling)
            fprintf(out, ",%.8g,%.8g,%.8g", ceiling->value / 1e9, ceiling->low / 1e9,
                    ceiling->high / 1e9);
        else
            fputs(",0,0,0", out);
    }
    fputc('\n', out);
}

static enum ert_status write(const struct ert_ceilings *ceilings,
                             const struct rfl_points *points,
                             const struct rfl_export_options *options, FILE *out,
                             struct ert_error *error)
{
    struct rfl_export_device device;
    ERT_TRY(rfl_export_no_points(points, "rocprof", error));
    ERT_TRY(rfl_export_no_type(options, "rocprof", error));
    ERT_TRY(
        rfl_export_pick(ceilings, options, RFL_EXPORT_FOR_GPU, "rocprof", &device, error));
    fputs("device", out);
    for (size_t c = 0; c < N_COLUMNS; c++)
        fprintf(out, ",%s", columns[c].names);
    fputc('\n', out);
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        struct rfl_export_device each = rfl_export_at(ceilings, i);
        if (options->device ? each.ceilings == device.ceilings
                            : each.machine->kind == ERT_DEVICE_GPU)
            write_row(out, &each);
    }
    return ERT_OK;
}

const struct rfl_exporter rfl_export_rocprof = {
    "rocprof", "roofline.csv of rocprofiler-compute, of GPUs; bandwidths are the loads'",
    ".csv", write};
