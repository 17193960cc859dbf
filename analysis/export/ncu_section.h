/*
 * ncu_section: the roofs of a section file of Nsight Compute, and its text. Private to export;
 * ncu_section.c says what the roofs are made of.
 */
#ifndef RFL_EXPORT_NCU_SECTION_H
#define RFL_EXPORT_NCU_SECTION_H

#include "analysis/export/common.h"

/* How a type's instructions are called, and the flops that one thread's instruction does. */
struct rfl_ncu_precision {
    const char *type, *label, *letter;
    int add_flops, fma_flops; /* half precision works on pairs */
};

/* A measured value per cycle: a derived metric, the clock that it follows, its label. */
struct rfl_ncu_roof {
    char metric[64], base[80], label[96];
    const char *clock;
    double factor; /* metric = base * factor; 0: no such roof */
};

enum { RFL_NCU_LEVELS = 3 };

struct rfl_ncu_chart {
    const struct rfl_ncu_precision *precision;
    struct rfl_ncu_roof fma, add;
    size_t n_levels;
    struct rfl_ncu_roof levels[RFL_NCU_LEVELS];
    const char *
        traffic[RFL_NCU_LEVELS]; /* metric of the bytes per second that a kernel achieved */
};

/*
 * Writes the section of n charts (at least 1), all with the same levels. Labels are put into quotes
 * as they are: levels, patterns and numbers.
 */
void rfl_ncu_write(FILE *out, const struct ert_ceilings *ceilings, const char *name,
                   const struct rfl_ncu_chart *charts, size_t n);

#endif
