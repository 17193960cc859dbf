/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110_regions: which regions one of ERT's points is timed in, as a backend that only writes them down
 * sees them: 1, 2, 4 ... passes up to ERT's last, or to where more would not change the rate.
 */
#include "tests/unit/test.h"

#include "ert/core/sweep/device_run.h"
#include "ert/ext/ert110/ert110.h"
#include "ert/ext/ert110/kernels.h"

static uint64_t timed[64];
static size_t n_timed;
static double pass_s;

/*
 * What a test may change: the first region of `slow` passes takes 10 ms more; ERT_TRIALS_MIN; a stop;
 * seconds a pass of another set of the series, 0: none.
 */
static struct {
    uint64_t slow;
    bool stop;
    double other_s;
} given;

static enum ert_status prepare(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error)
{
    (void)session;
    (void)spec;
    (void)error;
    *work = (struct ert_work){.actual_bytes = 8, .bytes_per_pass = 16, .threads = 1};
    return ERT_OK;
}

static enum ert_status note(struct ert_session *session, uint64_t passes,
                            struct ert_sample *sample, bool *lost, struct ert_error *error)
{
    (void)session;
    (void)lost;
    (void)error;
    assert_true(n_timed < sizeof timed / sizeof timed[0]);
    timed[n_timed++] = passes;
    *sample = (struct ert_sample){.time_s = (double)passes * pass_s, .passes = passes};
    if (passes == given.slow) {
        sample->time_s += 10e-3;
        given.slow = 0;
    }
    return ERT_OK;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    (void)session;
    (void)error;
    return ERT_OK;
}

static const struct ert_backend backend = {
    .name = "notes", .prepare = prepare, .time = note, .verify = verify};

static enum ert_status measure(struct ert_point *point, struct ert_error *error)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_device_run_shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct ert_run_hooks hooks = {.stop = &given.stop};
    const struct ert_device about = {0};
    assert_non_null(samples);
    ert_config_default(&samples->config);
    samples->config.region_s = 2e-3;
    struct ert_device_run run = {.samples = samples,
                                 .device = &samples->devices[0],
                                 .backend = &backend,
                                 .about = &about,
                                 .hooks = &hooks,
                                 .shared = &shared};
    struct ert_sample sample = {.time_s = given.other_s, .passes = 1};
    struct ert_point other = *point;
    other.spec.requested_bytes += 8;
    other.work.bytes_per_pass = 16;
    other.samples = &sample;
    other.n_samples = 1;
    if (given.other_s > 0) {
        samples->devices[0].points = &other;
        samples->devices[0].n_points = 1;
    }
    n_timed = 0;
    enum ert_status status = ert_device_run_measure(&run, point, error);
    free(samples);
    return status;
}

/* Measures a point twice; either time the regions must be first, 2 * first ... last passes. */
static void check(uint64_t trials, double time_s, uint64_t first, uint64_t last)
{
    struct ert_error error = {0};
    struct ert_point point = {.section = ERT_SECTION_ert110, .most_passes = trials};
    point.spec.kernel = ERT_KERNEL_ert_fp64;
    pass_s = time_s;
    for (size_t round = 0; round < 2; round++) {
        uint64_t twice = given.slow;
        size_t n = 0;
        assert_int_equal(measure(&point, &error), ERT_OK);
        for (size_t i = 0; i < n_timed; i++, n++) {
            assert_int_equal(timed[i], first << n);
            if (timed[i] == twice)
                assert_int_equal(timed[++i], twice);
        }
        assert_int_equal(first << (n - 1), last);
        assert_int_equal(point.passes, last);
        assert_int_equal(point.n_samples, round + 1);
        assert_int_equal(point.samples[round].passes, last);
        assert_close(point.samples[round].time_s, (double)last * time_s, 1e-9);
    }
    free(point.samples);
}

static int reset(void **state)
{
    given.slow = 0;
    given.stop = false;
    given.other_s = 0;
    return 0;
}

/* However long, or short, they are. */
static void all_of_ert_s_regions(void **state)
{
    check(1, 1, 1, 1);
    check(8, 1, 1, 8);
    check(8, 1e-9, 1, 8);
    check(ERT110_CALL, 1, 1, ERT110_CALL);
}

static void not_more_than_are_needed(void **state)
{
    check(1 << 20, 1e-6, 1, 2048);
    check(1 << 20, 1, 1, ERT110_CALL);
}

/* More passes make no set faster than the fastest: 1 ms a pass, 2 ms are enough. */
static void as_fast_as_any_is_enough(void **state)
{
    given.other_s = 1e-3;
    check(64, 1e-3, 1, 2);
    given.other_s = 0.98e-3;
    check(64, 1e-3, 1, 2);
    given.other_s = 0.96e-3;
    check(64, 1e-3, 1, 64);
}

/* Neither is the disturbed region kept, nor do later rounds end where it was. */
static void a_disturbed_region_does_not_count(void **state)
{
    given.slow = 256;
    check(1 << 20, 1e-6, 1, 2048);
    given.slow = 2048;
    check(1 << 20, 1e-6, 1, 2048);
}

static void a_short_region_of_before_grows(void **state)
{
    struct ert_error error = {0};
    struct ert_point point = {
        .section = ERT_SECTION_ert110, .most_passes = 1 << 20, .passes = 256};
    point.spec.kernel = ERT_KERNEL_ert_fp64;
    pass_s = 1e-6;
    assert_int_equal(measure(&point, &error), ERT_OK);
    assert_int_equal(point.passes, 512);
    free(point.samples);
}

static void a_stop_ends_it(void **state)
{
    struct ert_error error = {0};
    struct ert_point point = {.section = ERT_SECTION_ert110, .most_passes = 8};
    point.spec.kernel = ERT_KERNEL_ert_fp64;
    given.stop = true;
    assert_int_equal(measure(&point, &error), ERT_FAILED);
    assert_string_equal(error.text, "interrupted");
    assert_true(n_timed == 0 && point.n_samples == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_of_ert_s_regions, reset),
        cmocka_unit_test_setup(not_more_than_are_needed, reset),
        cmocka_unit_test_setup(as_fast_as_any_is_enough, reset),
        cmocka_unit_test_setup(a_disturbed_region_does_not_count, reset),
        cmocka_unit_test_setup(a_short_region_of_before_grows, reset),
        cmocka_unit_test_setup(a_stop_ends_it, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
