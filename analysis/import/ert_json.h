/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert_json: roofline.json of LBNL's Empirical Roofline Toolkit as ceilings, so that old results can
 * be compared and drawn. https://bitbucket.org/berkeleylab/cs-roofline-toolkit, Python/ert_core.py.
 *
 * One device: "gpu0" when ERT ran on a GPU (ERT_GPU True, or GPU_BLOCKS given), else "cpu". Levels keep
 * ERT's labels, which count plateaus from the fastest: its "L1" of a GPU is the L2 (ERT 1.1.0 bypasses
 * L1), and a cache that shows no plateau shifts all others. A note of the machine says so, and every
 * ceiling has confidence low: ERT keeps one number, the best, without samples or interval.
 */
#ifndef RFL_IMPORT_ERT_JSON_H
#define RFL_IMPORT_ERT_JSON_H

#include "ert/base/error.h"
#include "ert/ceilings/ceilings.h"

/* ceilings.mode of what is read. */
#define RFL_ERT_MODE "LBNL ERT"

/* Whether a text begins as such a file does: JSON with "empirical" and "gbytes" in its head. */
bool rfl_ert_recognizes(const char *head);

/*
 * Reads a file into *ceilings, written only on success and then the caller's (ert_ceilings_free):
 * GFLOP/s and GB/s of powers of 1000; op "fma", pattern "update", as ERT's kernel is; theory from the
 * spec lists. ERT_USAGE for what is no such file (path and value named), for no number at all, for
 * more levels than fit and for labels longer than a level's name.
 */
enum ert_status rfl_ert_read(const char *file, struct ert_ceilings *ceilings,
                             struct ert_error *error);

#endif
