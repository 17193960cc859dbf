/*
 * ncu_csv: Nsight Compute's wide CSV (`--csv --page raw`) as numbers. Pure; it knows no metric.
 */
#ifndef ERT_VALIDATE_NCU_CSV_H
#define ERT_VALIDATE_NCU_CSV_H

#include "ert/base/error.h"

#include <stddef.h>

struct ert_ncu_launches {
    size_t n, n_metrics;
    char (*names)[96]; /* of the kernels, without template arguments; malloc, owned */
    double *values;    /* [launch * n_metrics + metric]; NaN: not counted; malloc, owned */
};

/*
 * Reads the launches in their order. The program's own output and ncu's remarks may stand between
 * the lines; numbers may carry thousands separators, byte counts a prefix (Kbyte: 1000). A metric
 * without a column is NaN. ERT_UNAVAILABLE when there is no table, ERT_FAILED when memory runs out.
 */
enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error);

/* NULL and all zero are fine. */
void ert_ncu_csv_free(struct ert_ncu_launches *launches);

#endif
