/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions: joins the files in which each process of a program wrote the regions that it marked (rfl_region.h)
 * into one file with the same columns. Calls and work are added; times are added for processes that ran one
 * after the other; of concurrent processes the longest time is taken.
 */
#ifndef RFL_RECORD_REGIONS_H
#define RFL_RECORD_REGIONS_H

#include "ert/core/base/error.h"

#include <stddef.h>

/* Joins all files of a folder in `file`, which is not written if there are none; *n: how many there are. */
enum ert_status rfl_regions_gather(const char *folder, const char *file, size_t *n,
                                   struct ert_error *error);

#endif
