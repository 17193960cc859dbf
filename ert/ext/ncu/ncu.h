/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncu: NVIDIA's Nsight Compute on this machine: where it is, what it can count, what its complaints mean.
 * Its metrics are in ncu_metrics.def.
 */
#ifndef ERT_BASE_NCU_H
#define ERT_BASE_NCU_H

#include "ert/core/base/error.h"

/*
 * The kernel that the CUDA backend launches before each timed region, and its name as ncu prints it: by its
 * launches regions are counted.
 */
#define ERT_NCU_LEAD_IN         lead
#define ERT_NCU_LEAD_IN_NAME    ERT_NCU_NAME_OF(ERT_NCU_LEAD_IN)
#define ERT_NCU_NAME_OF(kernel) ERT_NCU_TEXT_OF(kernel)
#define ERT_NCU_TEXT_OF(text)   #text

/* The program on the PATH, else where NVIDIA's packages put it. ERT_UNAVAILABLE when it is nowhere. */
enum ert_status ert_ncu_find(char *path, size_t size, struct ert_error *error);

/*
 * Those of the n metrics that ncu knows on this machine, joined by commas for --metrics into
 * list[size]. A single unknown name makes ncu refuse all: so those behind the first n_certain are asked
 * for (`ncu --query-metrics`), and left out where it does not answer.
 */
void ert_ncu_known(const char *ncu, const char *const *metrics, size_t n, size_t n_certain,
                   char *list, size_t size);

/* What ncu's output says of a failure, in one line; `program` began its own lines with "NAME: ". */
void ert_ncu_explain(const char *text, const char *program, char *reason, size_t size);

#endif
