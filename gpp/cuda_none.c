/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_none: the GPU engine without ert-cuda.so: it reports why the module is missing. */
#include "gpp/versions.h"

#include "ert/ext/module/module.h"

#include <stdio.h>

static const char *gpp_cuda_none_unavailable(char *reason, size_t size)
{
    const char *why;
    ert_module_find("cuda", &why);
    snprintf(reason, size, "no CUDA module: %s", why);
    return reason;
}

static enum ert_status gpp_cuda_none_open_(const struct gpp_version *version,
                                           const struct gpp_problem *problem,
                                           const struct gpp_options *options,
                                           struct gpp_session **session,
                                           struct gpp_facts *facts, struct ert_error *error)
{
    const char *why;
    (void)version, (void)problem, (void)options, (void)session, (void)facts;
    ert_module_find("cuda", &why);
    return ert_fail(error, ERT_UNAVAILABLE, "no CUDA module: %s", why);
}

const struct gpp_engine gpp_engine_cuda = {
    .name = "cuda", .unavailable = gpp_cuda_none_unavailable, .open = gpp_cuda_none_open_};
