/*
 * ncu_metrics: the metrics of Nsight Compute that the importer knows, by the names and labels that its
 * versions print, and their units. It knows no points: ncu_recipes.h does.
 *
 * Names and meanings: https://docs.nvidia.com/nsight-compute/ProfilingGuide/ (metrics structure,
 * quantities), `ncu --query-metrics`. Counts were compared with kernels of known work on an H200 with
 * ncu 2025.3; what was found stands beside the recipes.
 */
#ifndef RFL_IMPORT_NCU_METRICS_H
#define RFL_IMPORT_NCU_METRICS_H

#include "ert/base/lines.h"

enum rfl_ncu_metric {
    NCU_TIME,
    NCU_CYCLES,
    NCU_CLOCK,
    NCU_MEMORY_CLOCK,
    NCU_DADD,
    NCU_DMUL,
    NCU_DFMA,
    NCU_FADD,
    NCU_FMUL,
    NCU_FFMA,
    NCU_HADD,
    NCU_HMUL,
    NCU_HFMA,
    NCU_DADD_CYCLE, /* from here on per cycle, as the roofline sections have them */
    NCU_DMUL_CYCLE,
    NCU_DFMA_CYCLE,
    NCU_FADD_CYCLE,
    NCU_FMUL_CYCLE,
    NCU_FFMA_CYCLE,
    NCU_HADD_CYCLE,
    NCU_HMUL_CYCLE,
    NCU_HFMA_CYCLE,
    NCU_DFMA_X2, /* the same, derived by the section files */
    NCU_FFMA_X2,
    NCU_HFMA_X4,
    NCU_OPS_FP64, /* instructions of all three kinds */
    NCU_OPS_FP32,
    NCU_OPS_FP16,
    NCU_INTEGER,
    NCU_TENSOR_FP64,
    NCU_TENSOR_TF32,
    NCU_TENSOR_BF16,
    NCU_TENSOR_FP16,
    NCU_TENSOR_FP16_FP32,
    NCU_TENSOR_FP16_FP16,
    NCU_TENSOR_FP8,
    NCU_TENSOR_INT8,
    NCU_TENSOR_PIPE,
    NCU_INSTRUCTIONS,
    NCU_L1_BYTES,
    NCU_L1_RATE,
    NCU_L1_GLOBAL_LD,
    NCU_L1_GLOBAL_ST,
    NCU_L1_GLOBAL_ATOM,
    NCU_L1_GLOBAL_RED,
    NCU_L1_LOCAL_LD,
    NCU_L1_LOCAL_ST,
    NCU_SHARED,
    NCU_SHARED_LD,
    NCU_SHARED_ST,
    NCU_SHARED_ATOM,
    NCU_L2_TEX,
    NCU_L2_TEX_READ,
    NCU_L2_TEX_WRITE,
    NCU_L2_XBAR_READ,
    NCU_L2_XBAR_WRITE,
    NCU_L2_BYTES,
    NCU_L2_RATE,
    NCU_L2_SECTORS,
    NCU_DRAM,
    NCU_DRAM_READ,
    NCU_DRAM_WRITE,
    NCU_DRAM_RATE,
    NCU_SYSMEM,
    NCU_WARPS,
    NCU_WARPS_PERCENT,
    NCU_WARPS_LIMIT,
    NCU_REGISTERS,
#define VALUE(id, ...) NCU_V_##id
#include "analysis/import/ncu_values.def"
#undef VALUE
    NCU_N_METRICS,
    NCU_NONE = NCU_N_METRICS
};

/* What a metric measures, and so which units it may come in; values become SI. */
enum rfl_ncu_measure {
    NCU_IN_SECONDS,
    NCU_IN_BYTES,
    NCU_IN_BYTES_PER_S,
    NCU_IN_HZ,
    NCU_IN_PERCENT,
    NCU_IN_COUNTS,
    NCU_AS_PRINTED /* in any unit: a ratio or a percentage, which have no prefixes */
};

struct rfl_ncu_name {
    const char *name;
    enum rfl_ncu_metric metric;
    enum rfl_ncu_measure measure;
    /* A label of the details page: several metrics share one, so that another unit is another. */
    bool is_label;
};

enum { RFL_NCU_MAX_NAMES = 160 };

/* The names as an index for look-ups; built once per file. */
struct rfl_ncu_names {
    size_t n;
    const struct rfl_ncu_name *sorted[RFL_NCU_MAX_NAMES];
};

void rfl_ncu_names_sort(struct rfl_ncu_names *names);

/* The row of a name, or NULL. Of several rows of a metric the one with the lower address wins. */
const struct rfl_ncu_name *rfl_ncu_names_find(const struct rfl_ncu_names *names,
                                              const char *name);

/* The name to tell a user which metric is meant. */
const char *rfl_ncu_metric_name(enum rfl_ncu_metric metric);

/*
 * What a value in `unit` ("Mbyte", "usecond", "cycle/nsecond", "") is multiplied by. *fits is false,
 * without an error, for a label whose unit is of another measure. ERT_USAGE names file, row, metric
 * and unit where the unit is not known or does not fit.
 */
enum ert_status rfl_ncu_unit(const struct ert_lines *lines, const struct rfl_ncu_name *name,
                             const char *unit, double *factor, bool *fits,
                             struct ert_error *error);

#endif
