/* SPDX-License-Identifier: BSD-3-Clause */
/* backend_list: the table, in a file of its own: a program can bring another one. */
#include "ert/core/backend/backend.h"

const struct ert_backend *const *ert_backends(void)
{
#define ERT_BACKEND(name) &ert_backend_##name,
    static const struct ert_backend *const backends[] = {
#include "ert/core/backend/backends.def"
        NULL};
    return backends;
}
