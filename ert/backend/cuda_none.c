/* cuda_none: the CUDA backend of a build without CUDA: its row, and the reason. */
#include "ert/backend/backend.h"
#include "ert/base/config.h"

#include <stdio.h>

static const char *unavailable(char *reason, size_t size)
{
    snprintf(reason, size, "no CUDA in this build: %s", ERT_CUDA_REASON);
    return reason;
}

static enum ert_status discover(struct ert_machine *machine, struct ert_error *error)
{
    (void)machine;
    (void)error;
    return ERT_OK;
}

static size_t variants(const struct ert_device *device,
                       const struct ert_session_options *options, enum ert_kernel_id kernel,
                       enum ert_path path, struct ert_variant variants_[ERT_MAX_VARIANTS],
                       char *reason, size_t size)
{
    (void)device;
    (void)options;
    (void)kernel;
    (void)path;
    (void)variants_;
    unavailable(reason, size);
    return 0;
}

static enum ert_status refuse(struct ert_error *error)
{
    return ert_fail(error, ERT_UNAVAILABLE, "no CUDA in this build: %s", ERT_CUDA_REASON);
}

static enum ert_status open_(const struct ert_device *device,
                             const struct ert_session_options *options,
                             struct ert_session **session, char *notes, size_t size,
                             struct ert_error *error)
{
    (void)device;
    (void)options;
    (void)session;
    if (size > 0)
        notes[0] = '\0';
    return refuse(error);
}

static enum ert_status prepare(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error)
{
    (void)session;
    (void)spec;
    (void)work;
    return refuse(error);
}

static enum ert_status time_(struct ert_session *session, uint64_t passes,
                             struct ert_sample *sample, bool *lost, struct ert_error *error)
{
    (void)session;
    (void)passes;
    (void)sample;
    *lost = true;
    return refuse(error);
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    (void)session;
    return refuse(error);
}

static void close_(struct ert_session *session)
{
    (void)session;
}

const struct ert_backend ert_backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPUs (CUDA): not in this build",
    .unavailable = unavailable,
    .discover = discover,
    .variants = variants,
    .open = open_,
    .prepare = prepare,
    .time = time_,
    .verify = verify,
    .close = close_,
};
