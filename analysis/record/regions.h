/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions: what the processes of a program wrote of the regions that they marked (rfl_region.h), a file each,
 * as one file of the same form. Calls and work are added up; so are times of processes that came one after
 * the other, while of those side by side the longest counts.
 */
#ifndef RFL_RECORD_REGIONS_H
#define RFL_RECORD_REGIONS_H

#include "ert/base/error.h"

#include <stddef.h>

/* All files of a folder as `file`, which is not written where there is none; *n: how many there were. */
enum ert_status rfl_regions_gather(const char *folder, const char *file, size_t *n,
                                   struct ert_error *error);

#endif
