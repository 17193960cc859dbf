/* cuda_none: the GPU engine of a build without CUDA: its row, and the reason. */
#include "gpp/versions.h"

#include "ert/base/config.h"

#include <stdio.h>

static const char *unavailable(char *reason, size_t size)
{
    snprintf(reason, size, "no CUDA in this build: %s", ERT_CUDA_REASON);
    return reason;
}

static enum ert_status refuse(struct ert_error *error)
{
    return ert_fail(error, ERT_UNAVAILABLE, "no CUDA in this build: %s", ERT_CUDA_REASON);
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
    return refuse(error);
}

static enum ert_status run(struct gpp_session *session, struct gpp_result *result,
                           double *time_s, struct ert_error *error)
{
    (void)session;
    (void)result;
    (void)time_s;
    return refuse(error);
}

static void close_(struct gpp_session *session)
{
    (void)session;
}

const struct gpp_engine gpp_engine_cuda = {
    .name = "cuda",
    .unavailable = unavailable,
    .open = open_,
    .run = run,
    .close = close_,
};
