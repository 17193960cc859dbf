/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upgrade: rewrites what was read of a file ert-ceilings/2 as ert-ceilings/3 has it. /2 had a list per kind
 * of ceilings, named rates by their unit ("value_flop_per_s"), null or "" for what is unknown, and curves.
 */
#ifndef ERT_CEILINGS_UPGRADE_H
#define ERT_CEILINGS_UPGRADE_H

#include <cjson/cJSON.h>

/* What is not as /2 had it stays as it is, for the reader to refuse. */
void ert_ceilings_upgrade(cJSON *root);

#endif
