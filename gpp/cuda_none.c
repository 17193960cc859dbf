/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_none: the GPU engine of a build without CUDA: the reason. */
#include "gpp/versions.h"

#include "ert/base/config.h"

#include <stdio.h>

static const char *unavailable(char *reason, size_t size)
{
    snprintf(reason, size, "no CUDA in this build: %s", ERT_CUDA_REASON);
    return reason;
}

static enum ert_status open_(const struct gpp_version *version,
                             const struct gpp_problem *problem,
                             const struct gpp_options *options,
                             struct gpp_session **session, struct gpp_facts *facts,
                             struct ert_error *error)
{
    (void)version;
    (void)problem;
    (void)options;
    (void)session;
    (void)facts;
    return ert_fail(error, ERT_UNAVAILABLE, "no CUDA in this build: %s", ERT_CUDA_REASON);
}

const struct gpp_engine gpp_engine_cuda = {
    .name = "cuda", .unavailable = unavailable, .open = open_};
