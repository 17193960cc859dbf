/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * carm: the roofline CSV of the CARM Tool (https://github.com/champ-hub/carm-roofline; run.py writes
 * carm_results/roofline/NAME_roofline.csv, GUI_utils.py reads its columns by position). One row per measured
 * mix of loads and stores; GB/s and GFLOP/s; cache sizes are KiB per core, and the column "DRAM Bytes" is KiB
 * of the set. An absent level is 0. Instructions per cycle ("I/Cycle") are not in the ceilings: 0; the tool's
 * viewer does not read them.
 */
#include "analysis/ext/export/export.h"

#include <string.h>

/*
 * Mixes of loads and stores, and our patterns for them; the first one that a level has is used. The viewer
 * draws the file's last row until the user selects another.
 */
static const struct mix {
    int loads, stores;
    const char *patterns[2];
} mixes[] = {
    {0, 1, {"store", "store"}     },
    {1, 1, {"copy", "copy"}       },
    {2, 1, {"load2_store1", "add"}},
    {1, 0, {"load", "load"}       },
};

enum { N_LEVELS = 4 };

static const struct ert_ceiling *carm_find(const struct rfl_export_device *device,
                                           size_t level, const struct mix *mix)
{
    static const char *const names[N_LEVELS - 1] = {"L1", "L2", "L3"};
    const char *name = level < N_LEVELS - 1 ? names[level] : rfl_export_memory(device);
    const struct ert_ceiling *ceiling = NULL;
    for (size_t i = 0; name && !ceiling && i < 2; i++)
        ceiling = rfl_export_level(device, name, mix->patterns[i]);
    return ceiling;
}

static unsigned long long size_kib(const struct ert_device *device, const char *name)
{
    const struct ert_level *level = ert_device_level(device, name);
    return level ? (unsigned long long)level->size_bytes / 1024 : 0;
}

/* Writes one mix of loads and stores; false when no level was measured with it. */
static bool carm_write_row(const struct rfl_export *export, const char *precision,
                           const struct ert_ceiling *add, const struct ert_ceiling *fma,
                           const struct mix *mix)
{
    FILE *out = export->out;
    const struct ert_ceiling *levels[N_LEVELS];
    size_t n = 0;
    for (size_t i = 0; i < N_LEVELS; i++) {
        levels[i] = carm_find(&export->devices[0], i, mix);
        n += levels[i] != NULL;
    }
    if (!n)
        return false;
    const struct ert_variant *launch =
        fma ? &fma->evidence->launch : &add->evidence->launch;
    double set_kib =
        levels[N_LEVELS - 1] ? levels[N_LEVELS - 1]->evidence->actual_bytes / 1024 : 0;
    const char *created = export->ceilings->created; /* "2026-11-21T03:10:00Z" */
    fprintf(out, "%.10s %.8s,", created, created + 11);
    ert_text_print(out, ERT_TEXT_CSV, "%s,%s,", launch->isa[0] ? launch->isa : "scalar",
                   precision);
    fprintf(out, "%u,%d,%d,No,%.0f,add", launch->threads, mix->loads, mix->stores, set_kib);
    for (size_t i = 0; i < N_LEVELS; i++)
        fprintf(out, ",%.6g,0", levels[i] ? levels[i]->value / 1e9 : 0);
    fprintf(out, ",%.6g,0,%.6g,0\n", add ? add->value / 1e9 : 0,
            fma ? fma->value / 1e9 : 0);
    return true;
}

static void carm_write_header(FILE *out, const struct rfl_export_device *device)
{
    ert_text_print(out, ERT_TEXT_CSV, "Name:,%s%s", device->machine->name,
                   rfl_export_mark(device));
    fprintf(out,
            ",L1 Size:,%llu,L2 Size:,%llu,L3 Size:,%llu,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,"
            "FP FMA,FP_FMA\n",
            size_kib(device->machine, "L1"), size_kib(device->machine, "L2"),
            size_kib(device->machine, "L3"));
    fputs("Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP "
          "Inst.,GB/s,I/Cycle,"
          "GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,I/Cycle\n",
          out);
}

static enum ert_status carm_write(const struct rfl_export *export, struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    const struct ert_ceiling *peak;
    const char *type = rfl_export_type(export);
    bool is_double = strcmp(type, "fp64") == 0, has_rows = false;
    if (!is_double && strcmp(type, "fp32") != 0)
        return ert_fail(error, ERT_USAGE, "--type %.16s: it has fp64 and fp32", type);
    ERT_TRY(rfl_export_peak(export, &peak, error));
    const struct ert_ceiling *add = rfl_export_compute(device, type, "add");
    const struct ert_ceiling *fma = rfl_export_compute(device, type, "fma");
    if (!add && !fma)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no %s addition and no FMA",
                        device->ceilings->device, type);
    carm_write_header(export->out, device);
    for (size_t i = 0; i < ERT_LENGTH(mixes); i++)
        has_rows |= carm_write_row(export, is_double ? "dp" : "sp", add, fma, &mixes[i]);
    return has_rows ? ERT_OK
                    : ert_fail(error, ERT_UNAVAILABLE,
                               "%s has no bandwidth of loads, stores or copies",
                               device->ceilings->device);
}

const struct rfl_exporter rfl_export_carm = {
    .name = "carm",
    .summary = "the CARM Tool's roofline CSV, of a CPU",
    .extension = ".csv",
    .devices = RFL_EXPORT_ONE_CPU,
    .takes_type = true,
    .write = carm_write,
};
