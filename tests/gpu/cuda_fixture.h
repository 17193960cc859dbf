/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_fixture: what the tests of streams and of computing share: their sessions and cases. */
#ifndef ERT_TESTS_GPU_CUDA_FIXTURE_H
#define ERT_TESTS_GPU_CUDA_FIXTURE_H

#include "tests/gpu/gpu_fixture.h"

static const struct ert_session_options options = {
    .working_set_max_bytes = 80 << 20, .timeout_s = 60, .seed = 20260101};

static struct ert_session *open_session(const struct ert_device *device,
                                        const struct ert_session_options *with)
{
    struct ert_session *session = NULL;
    struct ert_error error = {0};
    char notes[256];
    if (backend->open(device, with, &session, notes, sizeof notes, &error) != ERT_OK)
        fail_msg("open: %s", error.text);
    assert_string_equal(notes, "");
    return session;
}

/* Steps of all chains; warp instructions are counted once per warp. */
static void check_compute_work(const struct ert_spec *spec, const struct ert_work *work)
{
    const struct ert_kernel *kernel = ert_kernel_row(spec->kernel);
    double threads = (double)work->blocks * work->threads;
    threads /= kernel->type == ERT_INST ? 32 : 1;
    double steps = work->flops_per_pass / (threads * kernel->flops);
    assert_true(work->bytes_per_pass == 0 && work->actual_bytes == 0);
    assert_true(steps == floor(steps) && steps > 0);
}

/* What one pass is, recomputed from the row and the set that was really taken. */
static void check_work(const struct ert_spec *spec, const struct ert_work *work)
{
    const struct ert_kernel *kernel = ert_kernel_row(spec->kernel);
    assert_true(work->blocks > 0 && work->threads > 0);
    if (kernel->kind == ERT_KIND_COMPUTE) {
        check_compute_work(spec, work);
        return;
    }
    double elements =
        (double)work->actual_bytes / (double)ert_kernel_set_bytes_per_element(spec->kernel);
    assert_true(elements == floor(elements) && elements > 0);
    assert_true(work->bytes_per_pass ==
                elements * (double)ert_kernel_bytes_per_element(spec->kernel));
    assert_true(work->flops_per_pass == elements * spec->flops_per_element);
}

/* Prepares, runs and checks one case; regions of 1, 2 and 5 passes after the warm one. */
static void run_spec(struct ert_session *session, const struct ert_spec *spec,
                     const char *variant)
{
    struct ert_work work;
    struct ert_error error = {0};
    const char *name = ert_kernel_row(spec->kernel)->name;
    if (backend->prepare(session, spec, &work, &error) != ERT_OK)
        fail_msg("prepare %s (%s): %s", name, variant, error.text);
    check_work(spec, &work);
    static const uint64_t passes[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct ert_sample sample;
        bool lost = true;
        if (backend->time(session, passes[i], &sample, &lost, &error) != ERT_OK)
            fail_msg("time %s (%s): %s", name, variant, error.text);
        assert_false(lost);
        assert_true(sample.passes == passes[i]);
        assert_true(sample.time_s > 0);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("verify %s (%s): %s", name, variant, error.text);
    }
}

#endif
