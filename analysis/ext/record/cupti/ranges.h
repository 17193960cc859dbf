/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges: restricts recording to launches that are made while the NVTX range $RFL_NVTX, if set, is open in
 * any thread. NVTX loads the library as CUDA does (NVTX_INJECTION64_PATH).
 */
#ifndef RFL_CUPTI_RANGES_H
#define RFL_CUPTI_RANGES_H

#include <stdbool.h>

/* Whether launches are recorded now; always if no range was named. */
bool rfl_ranges_are_open(void);

/* In launches.c: turns recording of launches on or off. */
void rfl_launches_enable(bool is_on);

#endif
