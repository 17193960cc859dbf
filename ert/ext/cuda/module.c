/* SPDX-License-Identifier: BSD-3-Clause */
/* module: the entry of ert-cuda.so. */
#include "ert/ext/module/module.h"

#include "ert/core/base/config.h"
#include "ert/ext/module/door_tables.h"

extern const struct gpp_engine gpp_engine_cuda; /* gpp/cuda/cuda.cu */

__attribute__((visibility("default"))) ert_module_entry ert_module;

const struct ert_module *ert_module(void)
{
    static const struct ert_module module = {.door = ERT_DOOR,
                                             .version = PACKAGE_VERSION,
                                             .tables = ERT_DOOR_TABLES,
                                             .backend = &ert_backend_cuda,
                                             .engine = &gpp_engine_cuda};
    return &module;
}
