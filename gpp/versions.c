/* SPDX-License-Identifier: BSD-3-Clause */
/* versions: the rows of versions.def, and sums of counts.def over the shares of a problem. */
#include "gpp/versions.h"

#include "ert/ext/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gpp_version gpp_versions[GPP_N_VERSIONS] = {
#define VERSION(name, device, idea) {#name, GPP_##name, GPP_##device, idea},
#include "gpp/versions.def"
};

enum ert_status gpp_engine_of(enum gpp_device device, const struct gpp_engine **engine,
                              struct ert_error *error)
{
    const char *reason;
    *engine = &gpp_engine_cpu;
    if (device == GPP_CPU)
        return ERT_OK;
    const struct ert_module *module = ert_module_find("cuda", &reason);
    *engine = module ? module->engine : NULL;
    return *engine ? ERT_OK
                   : ert_fail(error, ERT_UNAVAILABLE, "no CUDA module: %s", reason);
}

/* "cpu" or "gpuN"; its ordinal into *gpu, else 0. */
static enum ert_status versions_read_device(const char *device, int *gpu,
                                            struct ert_error *error)
{
    char *end = NULL;
    *gpu = 0;
    if (!device || strcmp(device, "cpu") == 0)
        return ERT_OK;
    if (strncmp(device, "gpu", 3) == 0 && device[3] >= '0' && device[3] <= '9') {
        long ordinal = strtol(device + 3, &end, 10);
        *gpu = (int)ordinal;
        if (*end == '\0' && ordinal < 1024)
            return ERT_OK;
    }
    return ert_fail(error, ERT_USAGE, "--device: '%.32s', must be cpu or gpu0, gpu1 ...",
                    device);
}

static bool versions_is_of(const struct gpp_version *version, const char *device)
{
    return !device || (version->device == GPP_CPU) == (strcmp(device, "cpu") == 0);
}

enum ert_status gpp_versions_select(const char *list, const char *device,
                                    const struct gpp_version *chosen[GPP_N_VERSIONS],
                                    size_t *n_chosen, int *gpu, struct ert_error *error)
{
    bool wanted[GPP_N_VERSIONS] = {false};
    char word[64], names[ERT_LIST_TEXT];
    ERT_TRY(versions_read_device(device, gpu, error));
    for (const char *rest = list; rest;) {
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), rest);
        const struct gpp_version *version =
            ert_list_find(gpp_versions, GPP_N_VERSIONS, sizeof *gpp_versions, word, names);
        if (!version)
            return ert_fail(error, ERT_USAGE, "no version '%.64s'; there are: %s", word,
                            names);
        if (!versions_is_of(version, device))
            return ert_fail(error, ERT_USAGE, "version %s does not run on %s", word,
                            device);
        wanted[version - gpp_versions] = true;
        rest = rest[length] ? rest + length + 1 : NULL;
    }
    *n_chosen = 0;
    for (size_t i = 0; i < GPP_N_VERSIONS; i++)
        if (list ? wanted[i] : versions_is_of(&gpp_versions[i], device ? device : "cpu"))
            chosen[(*n_chosen)++] = &gpp_versions[i];
    return ERT_OK;
}

enum where {
    ITERATION,
    PAIR,
    FIRST,
    SECOND,
    OCCUPIED,
    EMPTY,
    CUT,
    RECIPROCAL,
    SHARED,
    SHARED_OCCUPIED,
    N_WHERE
};

struct row {
    enum gpp_version_id first, last;
    enum where where;
    double add, mul, div, sqrt, fused;
};

#define COUNT(first, last, where, add, mul, div, sqrt, fused)                              \
    {GPP_##first, GPP_##last, where, add, mul, div, sqrt, fused},

static const struct row rows[] = {
#include "gpp/counts.def"
};

/* The share of all (n, igp, ig, iw) at which a row's operations occur. */
static double weight_of(enum where where, const struct gpp_sizes *sizes,
                        const struct gpp_shares *shares)
{
    const double nw = (double)sizes->nw, twos = (double)(sizes->nw / 2);
    const double weights[N_WHERE] = {
        [ITERATION] = 1,
        [PAIR] = 1 / nw,
        [FIRST] = shares->first,
        [SECOND] = shares->second,
        [OCCUPIED] = shares->occupied,
        [EMPTY] = 1 - shares->occupied,
        [CUT] = shares->cuttable,
        [RECIPROCAL] = (nw - twos) / nw,
        [SHARED] = twos / nw,
        [SHARED_OCCUPIED] = shares->occupied * twos / nw,
    };
    return weights[where];
}

/*
 * Replaces divisions, reciprocals and square roots on a GPU by their products and FMAs: nvcc 13.0, sm_90,
 * `cuobjdump -sass` of x / y, 1 / y and sqrt(x), without the slow paths (for denormal or huge operands, which
 * GPP does not have): 1 DMUL + 7 DFMA, 5 DFMA, 3 DMUL + 5 DFMA. Only v0 has divisions that are not
 * reciprocals.
 */
static void expand(const struct gpp_version *version, struct gpp_counts *counts)
{
    const bool is_gpu = version->device == GPP_GPU, is_quotient = version->id == GPP_v0;
    double others = is_gpu ? 0 : counts->div + counts->sqrt;
    double all_mul = counts->mul,
           all_fma = counts->fma; /* and those of divisions and roots */
    if (is_gpu) {
        all_mul += counts->div * (is_quotient ? 1 : 0) + counts->sqrt * 3;
        all_fma += counts->div * (is_quotient ? 7 : 5) + counts->sqrt * 5;
    }
    counts->flops = counts->add + all_mul + 2 * all_fma + others;
    counts->fma_share = all_fma / (counts->add + all_mul + all_fma + others);
}

void gpp_counts_of(const struct gpp_version *version, const struct gpp_sizes *sizes,
                   const struct gpp_shares *shares, bool no_fma, struct gpp_counts *counts)
{
    const bool is_gpu = version->device == GPP_GPU;
    const bool each_energy = version->id >= GPP_v5 && version->id <= GPP_v8;
    *counts = (struct gpp_counts){
        .flops_recipe = is_gpu
                            ? "analytic (gpp/counts.def): add + mul + 2 fma, divisions and "
                              "roots as nvcc's sequences"
                            : "analytic (gpp/counts.def): add + mul + 2 fma + div + sqrt",
        .bytes_recipe =
            each_energy ? "least: every input once per energy" : "least: every input once",
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        const struct row *row = &rows[i];
        if (version->id < row->first || version->id > row->last)
            continue;
        double weight = weight_of(row->where, sizes, shares);
        double fused = no_fma ? 0 : row->fused;
        counts->add += weight * (row->add - fused);
        counts->mul += weight * (row->mul - fused);
        counts->fma += weight * fused;
        counts->div += weight * row->div;
        counts->sqrt += weight * row->sqrt;
    }
    /* From v10 on: Newton steps use fma(), which no-fma keeps; from v14 on one step for each pole. */
    if (no_fma && version->id >= GPP_v10) {
        double newton = 3 * (version->id >= GPP_v14 ? 1 + shares->occupied : 1);
        counts->add -= newton;
        counts->mul -= newton;
        counts->fma += newton;
    }
    expand(version, counts);
    counts->launches = each_energy ? (double)sizes->nw : 1;
    counts->bytes = (double)gpp_sizes_bytes(sizes) * counts->launches;
}
