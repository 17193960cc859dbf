#include "ert/backend/backend.h"

#include <string.h>

const struct ert_backend *const ert_backends[] = {&ert_backend_cpu, &ert_backend_cuda,
                                                  &ert_backend_fake, NULL};

const struct ert_backend *ert_backend_find(const char *name)
{
    for (size_t i = 0; ert_backends[i]; i++)
        if (strcmp(ert_backends[i]->name, name) == 0)
            return ert_backends[i];
    return NULL;
}
