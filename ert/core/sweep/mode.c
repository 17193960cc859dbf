/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/mode.h"

#include <string.h>

#define ERT_MODE(name) extern const struct ert_mode ert_mode_##name;
#include "ert/core/sweep/modes.def"

const struct ert_mode *const ert_modes[] = {
#define ERT_MODE(name) &ert_mode_##name,
#include "ert/core/sweep/modes.def"
    NULL};

const struct ert_mode *ert_mode_of_kernel(enum ert_kernel_id kernel)
{
    for (size_t i = 0; ert_modes[i]; i++)
        for (const enum ert_kernel_id *own = ert_modes[i]->kernels; *own != ERT_N_KERNELS;
             own++)
            if (*own == kernel)
                return ert_modes[i];
    return NULL;
}

const struct ert_mode *ert_mode_titled(const char *title)
{
    for (size_t i = 0; ert_modes[i]; i++)
        if (strcmp(ert_modes[i]->title, title) == 0)
            return ert_modes[i];
    return NULL;
}

enum ert_status ert_mode_option(const char *name, struct ert_config *config,
                                struct ert_error *error)
{
    enum ert_status status =
        ert_fail(error, ERT_UNAVAILABLE, "--%s: this build has no mode for it", name);
    for (size_t i = 0; ert_modes[i] && status == ERT_UNAVAILABLE; i++)
        status = ert_modes[i]->option(name, config, error);
    return status;
}
