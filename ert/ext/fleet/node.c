/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/node.h"

#include "ert/core/fit/evidence.h"
#include "ert/core/stats/differ.h"

#include <math.h>
#include <string.h>

/* ---- the fingerprint ---- */

/* The widest instruction set that programs may use, among those that distinguish nodes. */
static const char *isa_name(const struct ert_isa *isa)
{
    const struct {
        bool has;
        const char *name;
    } names[] = {
        {isa->amx_tile, "amx"   },
        {isa->avx512f,  "avx512"},
        {isa->avx2,     "avx2"  },
        {isa->avx,      "avx"   },
        {isa->sse2,     "sse2"  },
        {isa->sve,      "sve"   },
        {isa->neon,     "neon"  },
    };
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (names[i].has)
            return names[i].name;
    return "";
}

static void node_add_cpu(struct ert_node_fingerprint *to, const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    snprintf(to->cpu, sizeof to->cpu, "%s", device->name);
    snprintf(to->isa, sizeof to->isa, "%s", isa_name(&cpu->isa));
    snprintf(to->governor, sizeof to->governor, "%s", cpu->governor);
    to->packages = cpu->n_packages;
    to->cores = cpu->n_cores;
    to->pus = cpu->n_pus;
    to->memory_bytes = 0;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        to->memory_bytes += (double)cpu->numa[i].size_bytes;
}

static void add_gpu(struct ert_node_fingerprint *to, const struct ert_device *device,
                    const char *driver)
{
    if (to->n_gpus == ERT_NODE_MAX_GPUS)
        return;
    struct ert_node_gpu *gpu = &to->gpus[to->n_gpus++];
    *gpu = (struct ert_node_gpu){.memory_bytes = (double)device->gpu.memory_bytes,
                                 .power_limit_w = device->gpu.power_limit_w,
                                 .boost_hz = device->boost_hz};
    snprintf(gpu->device, sizeof gpu->device, "%s", device->id);
    snprintf(gpu->model, sizeof gpu->model, "%s", device->name);
    snprintf(gpu->driver, sizeof gpu->driver, "%s", driver);
}

void ert_node_identify(struct ert_node_record *record, const struct ert_machine *machine)
{
    const struct ert_provenance *provenance = &machine->provenance;
    struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    *fingerprint = (struct ert_node_fingerprint){.packages = 0};
    snprintf(record->git, sizeof record->git, "%s", provenance->git);
    snprintf(fingerprint->kernel, sizeof fingerprint->kernel, "%s", provenance->kernel);
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (machine->devices[i].kind == ERT_DEVICE_CPU)
            node_add_cpu(fingerprint, &machine->devices[i]);
        else
            add_gpu(fingerprint, &machine->devices[i], provenance->nvidia_driver);
}

/* ---- measured ceilings ---- */

static void add_measured(struct ert_node_record *record, const char *device,
                         const struct ert_ceiling *ceiling)
{
    const char *unit = ert_unit_words[ceiling->unit];
    const struct ert_evidence *evidence = ceiling->evidence;
    const enum ert_better better =
        strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    const struct ert_differ_side side = {
        .rounds = evidence->rounds,
        .n = evidence->n_rounds,
        .value = ceiling->value,
        .error = ert_differ_error_of(ceiling->low, ceiling->high, ceiling->value),
        .n_samples = evidence->n_samples,
        .between = evidence->between,
        .n_runs = evidence->n_runs};
    const struct ert_differ again = ert_differ(&side, &side, better, 0);
    struct ert_node_ceiling *to = ert_node_add_ceiling(record);
    *to = (struct ert_node_ceiling){
        .value = ceiling->value,
        .low = ceiling->low,
        .high = ceiling->high,
        .error = again.error / sqrt(2), /* of one of two equal sides */
        .detectable = again.detectable,
        .clock_hz = evidence->clock_hz,
        .is_main = ceiling->kind == ERT_CEILING_COMPUTE
                       ? strcmp(ceiling->name, "fp64-fma") == 0
                       : ceiling->kind == ERT_CEILING_MEMORY && ceiling->is_roof};
    snprintf(to->device, sizeof to->device, "%s", device);
    snprintf(to->name, sizeof to->name, "%s", ceiling->name);
    snprintf(to->unit, sizeof to->unit, "%s", unit);
    snprintf(to->reason, sizeof to->reason, "%s", evidence->warning);
}

static void node_add_device(struct ert_node_record *record,
                            const struct ert_device_ceilings *of)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct ert_ceiling *ceiling = &of->ceilings[i];
        if (ceiling->kind <= ERT_CEILING_LATENCY || ceiling->kind == ERT_CEILING_LINK)
            add_measured(record, of->device, ceiling);
    }
    for (size_t i = 0; i < of->n_not_measured; i++) {
        struct ert_node_ceiling *to = ert_node_add_ceiling(record);
        snprintf(to->device, sizeof to->device, "%s", of->device);
        snprintf(to->name, sizeof to->name, "%s", of->not_measured[i].name);
        snprintf(to->reason, sizeof to->reason, "%s", of->not_measured[i].reason);
    }
}

void ert_node_measured(struct ert_node_record *record, const struct ert_ceilings *ceilings)
{
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_device_ceilings *of = &ceilings->devices[d];
        node_add_device(record, of);
        if (of->valid)
            continue;
        ert_node_warn(record, of->device, "%s", of->warnings);
        if (record->status != ERT_NODE_OK)
            continue;
        record->status = ERT_NODE_NOT_VALID;
        record->reason[0] = '\0';
        ert_append(record->reason, sizeof record->reason, "%s: %s", of->device,
                   of->warnings);
    }
}

/* ---- verified ceilings ---- */

static void add_verified(struct ert_node_record *record, const struct ert_verify_row *row,
                         const struct ert_samples *samples)
{
    static const double reach = 1.645; /* 90 % of a normal distribution lie within */
    struct ert_node_ceiling *to = ert_node_add_ceiling(record);
    to->value = row->verdict == ERT_VERIFY_MISSING ? 0 : row->now;
    to->error = ert_verify_error(row, samples, &to->clock_hz);
    to->low = fmax(to->value * (1 - reach * to->error), 0);
    to->high = to->value * (1 + reach * to->error);
    to->detectable = row->differ.detectable;
    to->is_main = row->is_main;
    to->verdict = (enum ert_node_verdict)(ERT_NODE_VERDICT_SAME + row->verdict);
    to->change = row->differ.change;
    snprintf(to->device, sizeof to->device, "%s", row->device);
    snprintf(to->name, sizeof to->name, "%s", row->name);
    snprintf(to->unit, sizeof to->unit, "%s", row->operation);
    snprintf(to->reason, sizeof to->reason, "%s", row->reason);
}

void ert_node_verified(struct ert_node_record *record, const struct ert_verify_row *rows,
                       size_t n, const struct ert_samples *samples)
{
    for (size_t i = 0; i < n; i++) {
        add_verified(record, &rows[i], samples);
        if (rows[i].verdict != ERT_VERIFY_MISSING || record->status != ERT_NODE_OK)
            continue;
        record->status = ERT_NODE_FAILED;
        snprintf(record->reason, sizeof record->reason, "%s %s is missing: %s",
                 rows[i].device, rows[i].name, rows[i].reason);
    }
}
