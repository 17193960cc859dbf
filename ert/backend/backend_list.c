/* SPDX-License-Identifier: BSD-3-Clause */
/* backend_list: the table, in a file of its own: a program can bring another one. */
#include "ert/backend/module.h"

#include <pthread.h>

static const struct ert_backend *backends[ERT_MAX_BACKENDS + 1];

static const struct ert_backend *of_module(const char *name,
                                           const struct ert_backend *absent)
{
    const char *reason;
    const struct ert_module *module = ert_module_find(name, &reason);
    return module ? module->backend : absent;
}

static void fill(void)
{
    size_t n = 0;
#define ERT_BACKEND(name) backends[n++] = &ert_backend_##name;
#define ERT_MODULE(name)  backends[n++] = of_module(#name, &ert_backend_##name);
#include "ert/backend/backends.def"
}

const struct ert_backend *const *ert_backends(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    return backends;
}
