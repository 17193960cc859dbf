/*
 * classic_regions: which regions one of ERT's points is timed in, as a backend that only writes them down
 * sees them: 1, 2, 4 ... passes up to ERT's last, or to where more would not change the rate.
 */
#include "tests/unit/test.h"

#include "ert/backend/classic.h"
#include "ert/sweep/bench.h"

static uint64_t timed[64];
static size_t n_timed;
static double pass_s;

static enum ert_status prepare(struct ert_session *session, const struct ert_case *case_,
                               struct ert_work *work, struct ert_error *error)
{
    (void)session;
    (void)case_;
    (void)error;
    *work = (struct ert_work){.working_set_bytes = 8, .bytes_per_pass = 16, .threads = 1};
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

/* Measures a point twice; either time the regions must be first, 2 * first ... last passes. */
static void check(uint64_t trials, double time_s, uint64_t first, uint64_t last)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_bench_shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct ert_run_hooks hooks = {0};
    struct ert_device about = {0};
    struct ert_error error = {0};
    struct ert_point point = {.section = ERT_SECTION_CLASSIC, .trials = trials};
    assert_non_null(samples);
    point.case_.kernel = ERT_KERNEL_ert_c_fp64;
    ert_config_default(&samples->config);
    samples->config.region_s = 2e-3;
    struct ert_bench bench = {.samples = samples,
                              .device = &samples->devices[0],
                              .backend = &backend,
                              .about = &about,
                              .hooks = &hooks,
                              .shared = &shared};
    pass_s = time_s;
    for (size_t round = 0; round < 2; round++) {
        n_timed = 0;
        assert_int_equal(ert_bench_measure(&bench, &point, false, &error), ERT_OK);
        for (size_t i = 0; i < n_timed; i++)
            assert_int_equal(timed[i], first << i);
        assert_int_equal(timed[n_timed - 1], last);
        assert_int_equal(point.passes, last);
        assert_int_equal(point.n_samples, round + 1);
        assert_int_equal(point.samples[round].passes, last);
    }
    free(point.samples);
    free(samples);
}

/* However long, or short, they are. */
static void all_of_ert_s_regions(void **state)
{
    (void)state;
    check(1, 1, 1, 1);
    check(8, 1, 1, 8);
    check(8, 1e-9, 1, 8);
    check(6, 1, 3, 6); /* ERT_TRIALS_MIN 3 */
    check(ERT_CLASSIC_CALL, 1, 1, ERT_CLASSIC_CALL);
}

static void not_more_than_are_needed(void **state)
{
    (void)state;
    check(1 << 20, 1e-6, 1, 2048);
    check(1 << 20, 1, 1, ERT_CLASSIC_CALL);
    check(3 << 20, 1e-6, 3, 3 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_ert_s_regions),
        cmocka_unit_test(not_more_than_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
