/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tensor: every variant of every kernel of the tensor cores on every GPU of this machine leaves
 * exact results after odd and even numbers of passes, and a wrong bit in a result or in an operand
 * is found. Skips without a device.
 */
#include "tests/gpu/gpu_fixture.h"
#include "tests/gpu/plant.h"

static const struct ert_session_options options = {
    .working_set_max_bytes = 1 << 20, .timeout_s = 60, .seed = 20260101};

/* What a test does with a prepared case. */
typedef void visit(struct ert_session *session, const struct ert_work *work,
                   const char *what);

static void visit_kernel(struct ert_session *session, const struct ert_device *device,
                         enum ert_kernel_id kernel, visit *each)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    struct ert_error error = {0};
    char reason[256], what[128];
    size_t n = backend->variants(device, &options, kernel, ERT_PATH_NONE, variants, reason,
                                 sizeof reason);
    for (uint32_t v = 0; v < n; v++) {
        struct ert_spec spec = {
            .kernel = kernel, .path = ERT_PATH_NONE, .flops_per_element = 2, .variant = v};
        struct ert_work work;
        snprintf(what, sizeof what, "%s (%s)", ert_kernel_row(kernel)->name,
                 variants[v].name);
        if (backend->prepare(session, &spec, &work, &error) != ERT_OK)
            fail_msg("prepare %s: %s", what, error.text);
        each(session, &work, what);
    }
}

/* Visits every variant of every tensor kernel of every device. */
static void visit_all(uint64_t seed, visit *each)
{
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session_options seeded = options;
        struct ert_session *session = NULL;
        struct ert_error error = {0};
        char notes[256];
        seeded.seed = seed;
        if (backend->open(&machine.devices[d], &seeded, &session, notes, sizeof notes,
                          &error) != ERT_OK)
            fail_msg("open: %s", error.text);
        for (int k = 0; k < ERT_N_KERNELS; k++)
            if (strcmp(ert_kernel_row(k)->unit, "tensor") == 0)
                visit_kernel(session, &machine.devices[d], k, each);
        backend->close(session);
    }
}

static void run(struct ert_session *session, uint64_t passes, const char *what)
{
    struct ert_error error = {0};
    struct ert_sample sample;
    bool lost = true;
    if (backend->time(session, passes, &sample, &lost, &error) != ERT_OK)
        fail_msg("time %s: %s", what, error.text);
    assert_false(lost);
    assert_true(sample.passes == passes && sample.time_s > 0);
}

static void results_are_exact(struct ert_session *session, const struct ert_work *work,
                              const char *what)
{
    static const uint64_t passes[] = {1, 2, 3, 7, 1000, 1001};
    struct ert_error error = {0};
    assert_true(work->bytes_per_pass == 0 && work->actual_bytes == 0);
    /* At least the smallest instruction, 8 x 8 x 4, in every warp. */
    assert_true(work->flops_per_pass >= work->blocks * (work->threads / 32) * 512.0);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        run(session, passes[i], what);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("verify %s, %d passes: %s", what, (int)passes[i], error.text);
    }
}

static void expect_wrong(struct ert_session *session, const char *what, const char *planted)
{
    struct ert_error error = {0};
    if (backend->verify(session, &error) != ERT_FAILED)
        fail_msg("%s: %s is not found", what, planted);
    assert_contains(error.text, "should be");
}

/* Both ends of the results; the byte of each element that has its highest mantissa bits. */
static void wrong_results_are_found(struct ert_session *session,
                                    const struct ert_work *work, const char *what)
{
    (void)work;
    struct ert_error error = {0};
    static const uint64_t offsets_bytes[] = {1, 8191};
    for (size_t i = 0; i < sizeof offsets_bytes / sizeof offsets_bytes[0]; i++) {
        run(session, 3, what);
        assert_true(plant_flip(session, PLANT_RESULT, offsets_bytes[i], 0x40));
        expect_wrong(session, what, "a wrong result");
        assert_true(plant_flip(session, PLANT_RESULT, offsets_bytes[i], 0x40));
        assert_int_equal(backend->verify(session, &error), ERT_OK);
    }
}

/* The first element's sign, in both operands: the products change, so an odd pass count shows it. */
static void wrong_operands_are_found(struct ert_session *session,
                                     const struct ert_work *work, const char *what)
{
    (void)work;
    static const enum plant_where places[] = {PLANT_A, PLANT_B};
    for (size_t i = 0; i < 2; i++) {
        assert_true(plant_flip(session, places[i], 7, 0x80));
        run(session, 5, what);
        expect_wrong(session, what, i == 0 ? "a wrong A" : "a wrong B");
        assert_true(plant_flip(session, places[i], 7, 0x80));
    }
}

static void all_variants_give_exact_results(void **state)
{
    visit_all(options.seed, results_are_exact);
    visit_all(7, results_are_exact);
}

static void a_wrong_result_is_found(void **state)
{
    visit_all(options.seed, wrong_results_are_found);
}

static void a_wrong_operand_is_found(void **state)
{
    visit_all(options.seed, wrong_operands_are_found);
}

int main(void)
{
    int exit_code;
    if (!discover(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_variants_give_exact_results),
        cmocka_unit_test(a_wrong_result_is_found),
        cmocka_unit_test(a_wrong_operand_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
