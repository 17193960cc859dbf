/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory_extras: latency, access, link and resident-warp kernels of the CUDA backend give exact
 * results with odd sets and passes on every GPU; power is metered; misuse gives clear errors. Skips
 * without a device.
 */
#include "tests/gpu/gpu_fixture.h"

static const struct ert_session_options options = {
    .working_set_max_bytes = 96 << 20, .timeout_s = 60, .seed = 20260101};

static struct ert_session *open_session(const struct ert_device *device)
{
    struct ert_session *session = NULL;
    struct ert_error error = {0};
    char notes[256];
    if (backend->open(device, &options, &session, notes, sizeof notes, &error) != ERT_OK)
        fail_msg("open: %s", error.text);
    return session;
}

/* Prepares, runs and checks one case; regions of 1, 3 and 7 passes after the warm one. */
static struct ert_work run_spec(struct ert_session *session, const struct ert_spec *spec)
{
    static const uint64_t passes[] = {1, 3, 7};
    struct ert_error error = {0};
    struct ert_work work = {0};
    const char *name = ert_kernel_row(spec->kernel)->name;
    if (backend->prepare(session, spec, &work, &error) != ERT_OK)
        fail_msg("prepare %s, variant %u: %s", name, spec->variant, error.text);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct ert_sample sample;
        bool lost = true;
        if (backend->time(session, passes[i], &sample, &lost, &error) != ERT_OK)
            fail_msg("time %s, variant %u: %s", name, spec->variant, error.text);
        assert_false(lost);
        assert_true(sample.passes == passes[i] && sample.time_s > 0);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("verify %s, variant %u, concurrency %u: %s", name, spec->variant,
                     spec->concurrency, error.text);
    }
    return work;
}

static size_t count_variants(const struct ert_device *device, enum ert_kernel_id kernel,
                             enum ert_path path,
                             struct ert_variant variants[ERT_MAX_VARIANTS])
{
    char reason[256];
    return backend->variants(device, &options, kernel, path, variants, reason,
                             sizeof reason);
}

static void chases_end_where_they_should(void **state)
{
    static const uint64_t sets[] = {1, 128 * 3, 777777, 64 << 20};
    static const uint64_t sets_per_sm[] = {1, 128 * 3, 7777, 48000};
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session *session = open_session(&machine.devices[d]);
        for (int path = 0; path < ERT_PATH_NONE; path++)
            for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
                struct ert_variant variants[ERT_MAX_VARIANTS];
                size_t n =
                    count_variants(&machine.devices[d], ERT_KERNEL_chase, path, variants);
                uint64_t n_sms = machine.devices[d].gpu.n_sms;
                bool is_of_one_sm = path != ERT_PATH_BYPASS_L1;
                assert_true(n > 0);
                for (uint32_t v = 0; v < n; v++) {
                    struct ert_spec spec = {
                        .kernel = ERT_KERNEL_chase,
                        .path = path,
                        .requested_bytes = is_of_one_sm ? n_sms * sets_per_sm[s] : sets[s],
                        .variant = v};
                    struct ert_work work = run_spec(session, &spec);
                    assert_true(work.loads_per_pass >= 32);
                    assert_true(work.blocks == 1);
                    assert_true(work.bytes_per_pass == 8 * work.loads_per_pass);
                }
            }
        backend->close(session);
    }
}

/* The chain ends where it should while others write into its lines; the passes of both are told. */
static void loaded_chases_end_where_they_should(void **state)
{
    static const uint64_t sets[] = {1, 777777, 64 << 20};
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session *session = open_session(&machine.devices[d]);
        for (int k = ERT_KERNEL_loaded_load; k <= ERT_KERNEL_loaded_update; k++)
            for (uint32_t v = 0; v < 24; v++) {
                struct ert_spec spec = {.kernel = k,
                                        .path = ERT_PATH_BYPASS_L1,
                                        .requested_bytes = sets[v / 8],
                                        .variant = v % 8};
                struct ert_work work = run_spec(session, &spec);
                struct ert_sample sample;
                struct ert_error error = {0};
                bool lost;
                assert_true(work.bytes_per_pass ==
                            512 * (1 + (k - ERT_KERNEL_loaded_load) / 2.));
                assert_int_equal(backend->time(session, 50, &sample, &lost, &error),
                                 ERT_OK);
                assert_int_equal(sample.n_threads, 2);
                assert_true(sample.thread_passes[0] == 50);
                assert_true((sample.thread_passes[1] > 0) == (work.blocks > 1));
            }
        backend->close(session);
    }
}

static void resident_warps_give_exact_results(void **state)
{
    static const struct {
        enum ert_kernel_id kernel;
        enum ert_path path;
        uint32_t n_variants;
    } rows[] = {
        {ERT_KERNEL_load,  ERT_PATH_CACHED,    4},
        {ERT_KERNEL_load,  ERT_PATH_BYPASS_L1, 4},
        {ERT_KERNEL_copy,  ERT_PATH_BYPASS_L1, 4},
        {ERT_KERNEL_triad, ERT_PATH_BYPASS_L1, 3},
    };
    static const uint32_t warps[] = {1, 2, 3, 8, 12, 32};
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        const struct ert_device *device = &machine.devices[d];
        struct ert_session *session = open_session(device);
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
            for (uint32_t v = 0; v < rows[r].n_variants; v++)
                for (size_t w = 0; w < sizeof warps / sizeof warps[0]; w++) {
                    struct ert_spec spec = {.kernel = rows[r].kernel,
                                            .path = rows[r].path,
                                            .requested_bytes =
                                                rows[r].path == ERT_PATH_CACHED ? 16 << 20
                                                                                : 75 << 20,
                                            .variant = v,
                                            .concurrency = warps[w]};
                    struct ert_work work = run_spec(session, &spec);
                    assert_int_equal(work.threads * work.blocks,
                                     32 * warps[w] * device->gpu.n_sms);
                }
        backend->close(session);
    }
}

/* All that concerns the host; pairs of GPUs where there are two. */
static void links_copy_every_bit(void **state)
{
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session *session = open_session(&machine.devices[d]);
        for (int k = ERT_KERNEL_h2d_pinned; k <= ERT_KERNEL_managed_return; k++) {
            bool is_peer = k >= ERT_KERNEL_peer_write && k <= ERT_KERNEL_peer_duplex;
            uint32_t other = (d + 1) % machine.n_devices;
            struct ert_spec spec = {
                .kernel = k,
                .path = ERT_PATH_NONE,
                .requested_bytes = 12345678,
                .to = is_peer ? 1 + (uint32_t)machine.devices[other].gpu.ordinal : 0};
            if (is_peer && machine.n_devices < 2)
                continue;
            struct ert_work work = run_spec(session, &spec);
            bool is_duplex = k == ERT_KERNEL_duplex_pinned || k == ERT_KERNEL_peer_duplex;
            assert_true(work.bytes_per_pass == (is_duplex ? 2 : 1) * 12345672.0);
        }
        backend->close(session);
    }
}

/* Also of FP32, and of one counter, whose number of 32 bits wraps. */
static void atomics_lose_no_addition(void **state)
{
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session *session = open_session(&machine.devices[d]);
        for (int k = ERT_KERNEL_atomic_l2_own; k <= ERT_KERNEL_atomic_smem_one; k++) {
            struct ert_spec spec = {.kernel = k, .path = ERT_PATH_NONE};
            struct ert_work work = run_spec(session, &spec);
            assert_true(work.flops_per_pass == 256. * work.threads * work.blocks);
        }
        backend->close(session);
    }
}

static void check_sustained(const struct ert_sustained *run)
{
    assert_int_equal(run->n_parts, ERT_RUN_PARTS);
    assert_int_equal(run->n_settling, ERT_RUN_PARTS / 4);
    for (uint32_t i = 0; i < run->n_parts; i++) {
        assert_true(run->parts[i].end_s > (i > 0 ? run->parts[i - 1].end_s : 0));
        assert_true(run->parts[i].rate_per_s > 0);
        assert_true(run->parts[i].clock_hz > 1e8 && run->parts[i].clock_hz < 5e9);
    }
    assert_true(run->time_s > 0 && run->rate_per_s > 0);
    assert_true(run->clock_low_hz <= run->clock_hz);
    /* A GPU draws some ten to some thousand watts; without NVML the reason says so. */
    if (!(run->power_w > 0))
        assert_contains(run->no_power, "NVML");
    else
        assert_true(run->power_w > 10 && run->power_w < 3000);
}

/* Of each kind of walk: what the parts leave is still what the passes should. */
static void sustained_runs_give_exact_results(void **state)
{
    static const struct ert_spec cases[] = {
        {.kernel = ERT_KERNEL_copy,
         .path = ERT_PATH_BYPASS_L1,
         .requested_bytes = 80 << 20                                                       },
        {.kernel = ERT_KERNEL_update,
         .path = ERT_PATH_BYPASS_L1,
         .requested_bytes = 40 << 20                                                       },
        {.kernel = ERT_KERNEL_load,     .path = ERT_PATH_CACHED, .requested_bytes = 4 << 20},
        {.kernel = ERT_KERNEL_fma_fp64, .path = ERT_PATH_NONE,   .flops_per_element = 2    },
        {.kernel = ERT_KERNEL_mma_fp16, .path = ERT_PATH_NONE,   .flops_per_element = 2    },
    };
    struct ert_session *session = open_session(&machine.devices[0]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ert_work work;
        struct ert_sustained run;
        struct ert_error error = {0};
        enum ert_status status = backend->prepare(session, &cases[i], &work, &error);
        if (status == ERT_UNAVAILABLE)
            continue;
        if (status == ERT_OK)
            status = backend->sustain(session, 0.3, 20, &run, &error);
        if (status == ERT_OK)
            status = backend->verify(session, &error);
        if (status != ERT_OK)
            fail_msg("%s: %s", ert_kernel_row(cases[i].kernel)->name, error.text);
        check_sustained(&run);
    }
    backend->close(session);
}

static void misuse_gives_clear_errors(void **state)
{
    struct ert_session *session = open_session(&machine.devices[0]);
    struct ert_work work;
    struct ert_error error = {0};
    struct ert_spec spec = {.kernel = ERT_KERNEL_chase,
                            .path = ERT_PATH_BYPASS_L1,
                            .requested_bytes = UINT64_C(1) << 50};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "1125899906842624");

    spec = (struct ert_spec){.kernel = ERT_KERNEL_load,
                             .path = ERT_PATH_BYPASS_L1,
                             .requested_bytes = 1 << 20,
                             .concurrency = 1000};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "1000 warps");

    spec = (struct ert_spec){
        .kernel = ERT_KERNEL_peer_write, .path = ERT_PATH_NONE, .requested_bytes = 1 << 20};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_FAILED);
    assert_contains(error.text, "no other GPU");

    spec.to = 1000;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "gpu999");
    backend->close(session);
}

int main(void)
{
    int exit_code;
    if (!discover(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chases_end_where_they_should),
        cmocka_unit_test(loaded_chases_end_where_they_should),
        cmocka_unit_test(resident_warps_give_exact_results),
        cmocka_unit_test(links_copy_every_bit),
        cmocka_unit_test(atomics_lose_no_addition),
        cmocka_unit_test(sustained_runs_give_exact_results),
        cmocka_unit_test(misuse_gives_clear_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
