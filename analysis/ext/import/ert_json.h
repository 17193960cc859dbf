/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert_json: reads roofline.json of LBNL's Empirical Roofline Toolkit as ceilings, so that old results can be
 * compared and drawn. https://bitbucket.org/berkeleylab/cs-roofline-toolkit, Python/ert_core.py.
 *
 * It has one device: "gpu0" when ERT ran on a GPU (ERT_GPU True, or GPU_BLOCKS given), else "cpu". Levels
 * keep ERT's labels, which count plateaus from the fastest: a GPU's "L1" is the L2 (ERT 1.1.0 bypasses L1),
 * and a cache without a plateau shifts all others. A note of the machine says so, and every ceiling has low
 * confidence: ERT keeps one number, the best, without samples or interval.
 */
#ifndef RFL_IMPORT_ERT_JSON_H
#define RFL_IMPORT_ERT_JSON_H

#include "ert/core/base/error.h"
#include "ert/core/ceilings/ceilings.h"

/* The `mode` of ceilings read from such a file. */
#define RFL_ERT_MODE "LBNL ERT"

/* Whether a text begins like such a file: JSON with "empirical" and "gbytes" in its head. */
bool rfl_ert_recognizes(const char *head);

/*
 * Reads a file into *ceilings, which is written only on success; the caller frees it (ert_ceilings_free).
 * GFLOP/s and GB/s are powers of 1000; op "fma" and pattern "update" are those of ERT's kernel. A peak is of
 * the type and unit that its label names (FP32, SP, TENSOR ...), else of ERT_PRECISION, else fp64. ERT_USAGE
 * for another file (naming path and value), and for one without any number.
 */
enum ert_status rfl_ert_read(const char *file, struct ert_ceilings *ceilings,
                             struct ert_error *error);

#endif
