/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges: which launches are recorded where the user named an NVTX range ($RFL_NVTX): those made while it is
 * open, in any thread. NVTX calls the library as CUDA does (NVTX_INJECTION64_PATH).
 */
#ifndef RFL_CUPTI_RANGES_H
#define RFL_CUPTI_RANGES_H

#include <stdbool.h>

/* Whether launches are recorded now: always where no range was named. */
bool rfl_ranges_are_open(void);

/* Of launches.c: records launches from now on, or no more. */
void rfl_launches_enable(bool is_on);

#endif
