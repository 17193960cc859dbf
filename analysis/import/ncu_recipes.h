/*
 * ncu_recipes: which quantities of a point are which sums of metrics. Tables; the arithmetic of one
 * launch. What a sum over launches means is ncu_sums.h.
 */
#ifndef RFL_IMPORT_NCU_RECIPES_H
#define RFL_IMPORT_NCU_RECIPES_H

#include "analysis/import/ncu_metrics.h"

enum rfl_ncu_quantity {
    NCU_Q_TIME,
    NCU_Q_FP64,
    NCU_Q_FP32,
    NCU_Q_FP16,
    NCU_Q_INT32,
    NCU_Q_TENSOR_FP64,
    NCU_Q_TENSOR_TF32,
    NCU_Q_TENSOR_BF16,
    NCU_Q_TENSOR_FP16,
    NCU_Q_TENSOR_FP8,
    NCU_Q_TENSOR_INT8,
    NCU_Q_L1,
    NCU_Q_SHARED,
    NCU_Q_L2,
    NCU_Q_HBM,
    NCU_Q_HOST,
    NCU_Q_INSTRUCTIONS,
    NCU_Q_CLOCK,
    NCU_Q_MEMORY_CLOCK,
    NCU_Q_WARPS,
    NCU_Q_REGISTERS,
    NCU_Q_DADD,
    NCU_Q_DMUL,
    NCU_Q_DFMA,
#define VALUE(id, ...) NCU_Q_##id
#include "analysis/import/ncu_values.def"
#undef VALUE
    NCU_N_QUANTITIES
};

/* Where a quantity goes in a point, and how those of several launches become one. */
enum rfl_ncu_place {
    NCU_TO_TIME,
    NCU_TO_WORK,
    NCU_TO_TRAFFIC,
    NCU_TO_SUM,  /* a number of the point, summed */
    NCU_TO_MEAN, /* weighted by time */
    NCU_TO_MAX,
    NCU_TO_VALUE_SUM, /* one of its values */
    NCU_TO_VALUE_MEAN
};

struct rfl_ncu_quantity_row {
    const char *what; /* for rfl_points_missing */
    enum rfl_ncu_place place;
    const char *name, *unit; /* type and unit, level, or value */
    size_t offset;           /* in struct rfl_point, of the places for its numbers */
    bool expected; /* its absence is noted even where none of its metrics is there */
};

enum { RFL_NCU_MAX_TERMS = 6 };

/* sum(weight * metric) * times[0] * times[1] / per */
struct rfl_ncu_recipe {
    enum rfl_ncu_quantity quantity;
    const char *text;
    struct {
        enum rfl_ncu_metric metric;
        double weight; /* 0 ends the list */
    } terms[RFL_NCU_MAX_TERMS];
    enum rfl_ncu_metric times[2], per; /* NCU_NONE: 1 */
    bool has_fma;                      /* the last term is the FMAs' operations */
    const char *l2;                    /* the definition of L2 bytes that it is, or NULL */
    const char *cc;                    /* only for this compute capability, or NULL: any */
    const char *unusable;              /* why it gives no count, only a reason; or NULL */
};

/* The metrics of one launch. */
struct rfl_ncu_launch {
    /* Kept texts: equal ones are the same pointer. */
    const char *id, *process, *device, *cc, *name;
    size_t row; /* where it begins */
    double values[NCU_N_METRICS];
    enum ert_number kinds[NCU_N_METRICS];
    const struct rfl_ncu_name *names[NCU_N_METRICS]; /* as printed; NULL: not there */
    size_t rows[NCU_N_METRICS];
};

const struct rfl_ncu_quantity_row *rfl_ncu_quantity(enum rfl_ncu_quantity quantity);

/* All recipes, in the order of preference within a quantity; *n of them. */
const struct rfl_ncu_recipe *rfl_ncu_recipes(size_t *n);

/* Whether a recipe is one for this launch and this choice of L2 bytes ("sm", "lts", NULL). */
bool rfl_ncu_recipe_applies(const struct rfl_ncu_recipe *recipe,
                            const struct rfl_ncu_launch *launch, const char *l2);

/* The metric that a launch lacks for a recipe, and NCU_NONE when it has all. */
enum rfl_ncu_metric rfl_ncu_recipe_lacks(const struct rfl_ncu_recipe *recipe,
                                         const struct rfl_ncu_launch *launch);

/* Of a quantity's bytes the share that was read, by further metrics of the launch; NaN unknown. */
double rfl_ncu_read_share(enum rfl_ncu_quantity quantity,
                          const struct rfl_ncu_launch *launch);

/* The quantity, of a launch that lacks nothing; *fma_share is NaN where it is unknown. */
double rfl_ncu_recipe_value(const struct rfl_ncu_recipe *recipe,
                            const struct rfl_ncu_launch *launch, double *fma_share);

#endif
