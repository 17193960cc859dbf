/* SPDX-License-Identifier: BSD-3-Clause */
/* upgrade: files of ert-ceilings/2, rewritten as /3. */
#ifndef ERT_CORE_CEILINGS_UPGRADE_H
#define ERT_CORE_CEILINGS_UPGRADE_H

#include <cjson/cJSON.h>

/* root: a file of /2. What no longer has a reader stays as it is. */
void ert_ceilings_upgrade(cJSON *root);

#endif
