#include "ert/validate/ncu_metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those of the table that `ert validate` needs; from N_CERTAIN on only where the device has them. */
enum metric {
#define ERT_NCU_COUNTED(id, ...) id,
#define ERT_NCU_HITS(id, ...)    id,
#include "ert/base/ncu_metrics.def"
    N_CERTAIN,
    LAST_CERTAIN = N_CERTAIN - 1,
#define ERT_NCU_OPTIONAL(id, ...) id,
#include "ert/base/ncu_metrics.def"
    N_METRICS
};

static const char *const metrics[N_METRICS] = {
#define ERT_NCU_COUNTED(id, measure, name)  [id] = name,
#define ERT_NCU_OPTIONAL(id, measure, name) [id] = name,
#define ERT_NCU_HITS(id, key, factor, name) [id] = name,
#include "ert/base/ncu_metrics.def"
};

/* How each kind of level is counted: by what the SMs ask for, in bytes per unit of the metric. */
static const struct level_row {
    enum ert_level_kind kind;
    enum ert_path path;
    enum metric bytes, deeper, hits;
    double bytes_each, deeper_each;
} level_rows[] = {
  /* Sectors of L2 are 32 bytes. */
    {ERT_LEVEL_CACHE,      ERT_PATH_CACHED,    L1_BYTES, L2_TEX,    L1_HITS,   1,   32},
 /* A wavefront of shared memory moves 32 banks of 4 bytes. */
    {ERT_LEVEL_SCRATCHPAD, ERT_PATH_SHARED,    SHARED,   L1_BYTES,  N_METRICS, 128, 1 },
    {ERT_LEVEL_CACHE,      ERT_PATH_BYPASS_L1, L2_TEX,   DRAM,      L2_HITS,   32,  1 },
    {ERT_LEVEL_MEMORY,     ERT_PATH_BYPASS_L1, DRAM,     N_METRICS, N_METRICS, 1,   0 },
};

/*
 * Operations of a type as a weighted sum of counters. lanes: counted are instructions, each of the
 * kernel's own operation on so many numbers: which of them is an FMA is ptxas' choice (an addition
 * of 16-bit numbers may be one). 0: the weights are operations.
 */
static const struct operation_row {
    enum ert_type type;
    bool is_tensor;
    unsigned lanes;
    struct {
        enum metric metric;
        double weight;
    } terms[3];
} operation_rows[] = {
    {ERT_FP64,  false, 0, {{DADD, 1}, {DMUL, 1}, {DFMA, 2}}                               },
    {ERT_FP32,  false, 0, {{FADD, 1}, {FMUL, 1}, {FFMA, 2}}                               },
    {ERT_FP16,  false, 2, {{HADD, 1}, {HMUL, 1}, {HFMA, 1}}                               },
    {ERT_BF16,  false, 2, {{HADD, 1}, {HMUL, 1}, {HFMA, 1}}                               },
    {ERT_INT32, false, 1, {{INTEGER, 1}}                                                  },
    {ERT_INST,  false, 0, {{INSTRUCTIONS, 1}}                                             },
    {ERT_FP64,  true,  0, {{TENSOR_FP64, 1}}                                              },
    {ERT_TF32,  true,  0, {{TENSOR_TF32, 1}}                                              },
    {ERT_BF16,  true,  0, {{TENSOR_BF16, 1}}                                              },
    {ERT_FP16,  true,  0, {{TENSOR_FP16, 1}, {TENSOR_FP16_FP32, 1}, {TENSOR_FP16_FP16, 1}}},
 /* By mma.sync cc 9.0 multiplies FP8 as FP16. */
    {ERT_FP8,   true,  0, {{TENSOR_FP8, 1}, {TENSOR_FP16, 1}}                             },
    {ERT_INT8,  true,  0, {{TENSOR_INT8, 1}}                                              },
};

size_t ert_ncu_metrics(const char *const **list, size_t *n_certain)
{
    *list = metrics;
    *n_certain = N_CERTAIN;
    return N_METRICS;
}

bool ert_ncu_is_sequence(enum ert_kernel_id kernel)
{
    static const char *const sequences[] = {"div", "sqrt", "rcp"};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        if (strcmp(ert_kernel_row(kernel)->op, sequences[i]) == 0)
            return true;
    return false;
}

static double sum_operations(const double values[N_METRICS], enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    bool is_tensor = strcmp(row->unit, "tensor") == 0, is_counted = false;
    double sum = 0;
    bool is_chosen = row->class_ == ERT_CLASS_ERT110; /* how many, by the case */
    if ((row->flops == 0 && !is_chosen) || ert_ncu_is_sequence(kernel))
        return NAN;
    for (size_t i = 0; i < sizeof operation_rows / sizeof operation_rows[0]; i++) {
        const struct operation_row *of = &operation_rows[i];
        if (of->type != row->type || of->is_tensor != is_tensor)
            continue;
        double each = of->lanes ? (double)of->lanes * row->flops : 1;
        for (size_t t = 0; t < sizeof of->terms / sizeof of->terms[0]; t++) {
            double value = values[of->terms[t].metric];
            /* The terms behind the last one are all 0. */
            if (of->terms[t].weight == 0 || !isfinite(value))
                continue;
            sum += each * of->terms[t].weight * value;
            is_counted = true;
        }
    }
    return is_counted ? sum : NAN;
}

static void fill_counters(const double values[N_METRICS], enum ert_kernel_id kernel,
                          const struct ert_level *level, struct ert_counters *counters)
{
    *counters = (struct ert_counters){NAN, NAN, NAN, sum_operations(values, kernel)};
    for (size_t i = 0; level && i < sizeof level_rows / sizeof level_rows[0]; i++) {
        const struct level_row *of = &level_rows[i];
        if (of->kind != level->kind || of->path != level->path)
            continue;
        counters->level_bytes = of->bytes_each * values[of->bytes];
        if (of->deeper != N_METRICS)
            counters->deeper_bytes = of->deeper_each * values[of->deeper];
        if (of->hits != N_METRICS)
            counters->hit_rate = values[of->hits] / 100;
    }
}

/* The index of the launch behind the region-th lead-in; launches->n when there is none. */
static size_t find_region(const struct ert_ncu_launches *launches, size_t region)
{
    for (size_t i = 0; i < launches->n; i++)
        if (strcmp(launches->names[i], ERT_NCU_LEAD_IN) == 0 && region-- == 0)
            return i + 1;
    return launches->n;
}

enum ert_status ert_ncu_sum(const struct ert_ncu_launches *launches, size_t region,
                            const char *function, uint64_t n_launches,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            struct ert_counters *counters, struct ert_error *error)
{
    double values[N_METRICS] = {0};
    size_t first = find_region(launches, region);
    for (uint64_t i = 0; i < n_launches; i++) {
        size_t at = first + i;
        if (at >= launches->n || strcmp(launches->names[at], function) != 0)
            return ert_fail(
                error, ERT_UNAVAILABLE, "ncu saw %llu of %llu launches of %s in region %zu",
                (unsigned long long)i, (unsigned long long)n_launches, function, region);
        for (size_t m = 0; m < N_METRICS; m++)
            values[m] += launches->values[at * launches->n_metrics + m];
    }
    values[L1_HITS] /= (double)n_launches;
    values[L2_HITS] /= (double)n_launches;
    fill_counters(values, kernel, level, counters);
    return ERT_OK;
}
