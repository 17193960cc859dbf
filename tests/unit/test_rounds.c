/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds: which regions are checked, and in which order rates are sustained, as a backend that only writes
 * down what it is asked for sees them.
 */
#include "tests/unit/test.h"

#include "ert/core/base/clock.h"
#include "ert/core/sweep/device_run.h"

static const double pass_s = 1e-3;

enum { MAX_POINTS = 16 };

/* What the backend was asked for, and what a test may change. */
static struct {
    size_t current; /* the point that is prepared */
    size_t n_timed[MAX_POINTS], n_checked[MAX_POINTS], checked_at[MAX_POINTS][64];
    size_t n_sustained;
    enum ert_kernel_id sustained[MAX_POINTS];
    double check_s;  /* that a check takes */
    double noise;    /* regions take none to six times so much longer */
    size_t wrong_at; /* the results of this region of point 0 are wrong; 0: of none */
} seen;

static struct ert_point points[MAX_POINTS];
static size_t n_points;

static enum ert_status prepare(struct ert_session *session, const struct ert_spec *spec,
                               struct ert_work *work, struct ert_error *error)
{
    (void)session, (void)error;
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    for (seen.current = 0; memcmp(spec, &points[seen.current].spec, sizeof *spec) != 0;)
        seen.current++;
    *work = (struct ert_work){.actual_bytes = spec->requested_bytes,
                              .bytes_per_pass = (double)spec->requested_bytes,
                              .flops_per_pass = row->flops,
                              .threads = 1};
    return ERT_OK;
}

static enum ert_status time_region(struct ert_session *session, uint64_t passes,
                                   struct ert_sample *sample, bool *lost,
                                   struct ert_error *error)
{
    (void)session, (void)lost, (void)error;
    double slower = 1 + seen.noise * (double)(3 * seen.n_timed[seen.current]++ % 7);
    *sample =
        (struct ert_sample){.time_s = (double)passes * pass_s * slower, .passes = passes};
    return ERT_OK;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    (void)session;
    const size_t i = seen.current, n = seen.n_checked[i]++;
    seen.checked_at[i][n] = seen.n_timed[i];
    ert_clock_sleep_s(seen.check_s);
    if (i == 0 && seen.n_timed[i] == seen.wrong_at)
        return ert_fail(error, ERT_FAILED, "element 3 is 1, must be 2");
    return ERT_OK;
}

static enum ert_status sustain(struct ert_session *session, double time_s, uint64_t passes,
                               struct ert_sustained *sustained, struct ert_error *error)
{
    (void)session, (void)passes, (void)error;
    seen.sustained[seen.n_sustained++] = points[seen.current].spec.kernel;
    *sustained = (struct ert_sustained){
        .time_s = time_s, .rate_per_s = 0.9 / pass_s, .n_parts = 2, .n_settling = 1};
    return ERT_OK;
}

static const struct ert_backend backend = {.name = "notes",
                                           .prepare = prepare,
                                           .time = time_region,
                                           .verify = verify,
                                           .sustain = sustain};

/* The first two points decide when rounds ask; all do when sustained rates ask, for one per ceiling. */
static enum ert_status choose(const struct ert_device *device,
                              const struct ert_device_samples *samples, size_t per_ceiling,
                              bool *chosen, struct ert_error *error)
{
    (void)device, (void)error;
    for (size_t i = 0; i < samples->n_points; i++)
        chosen[i] = per_ceiling == 1 || i < 2;
    return ERT_OK;
}

static struct ert_device_run_shared shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
static const struct ert_run_hooks hooks = {.candidates = choose};
static const struct ert_device about = {
    .kind = ERT_DEVICE_GPU,
    .n_levels = 1,
    .levels = {
        {.name = "HBM", .kind = ERT_LEVEL_MEMORY, .path = ERT_PATH_CACHED, .count = 1}}};

static struct ert_device_run make_run(void)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    assert_non_null(samples);
    memset(&seen, 0, sizeof seen);
    memset(points, 0, sizeof points);
    n_points = 0;
    ert_config_default(&samples->config);
    samples->config.budget_s = 0;
    samples->devices[0].points = points;
    return (struct ert_device_run){.samples = samples,
                                   .device = &samples->devices[0],
                                   .backend = &backend,
                                   .about = &about,
                                   .hooks = &hooks,
                                   .shared = &shared};
}

static void add(struct ert_device_run *run, enum ert_kernel_id kernel, uint64_t set_bytes)
{
    struct ert_point *point = &points[n_points++];
    point->section = set_bytes ? ERT_SECTION_LEVELS : ERT_SECTION_COMPUTE;
    point->spec = (struct ert_spec){.kernel = kernel,
                                    .path = set_bytes ? ERT_PATH_CACHED : ERT_PATH_NONE,
                                    .requested_bytes = set_bytes};
    run->device->n_points = n_points;
}

static void free_run(struct ert_device_run *run)
{
    for (size_t i = 0; i < n_points; i++)
        free(points[i].samples);
    ert_schedule_close(&run->schedule);
    free(run->samples);
}

static enum ert_rounds_end run_all(struct ert_device_run *run)
{
    const bool sections[ERT_N_SECTIONS] = {
        [ERT_SECTION_LEVELS] = true, [ERT_SECTION_COMPUTE] = true};
    struct ert_error error;
    assert_int_equal(ert_schedule_open(&run->schedule, &run->samples->config, run->about,
                                       run->device, &error),
                     ERT_OK);
    return ert_rounds_all(run, sections);
}

/* Three points, of which the first two decide. */
static struct ert_device_run make_three(double region_s, double check_s)
{
    struct ert_device_run run = make_run();
    add(&run, ERT_KERNEL_fma_fp64, 0);
    add(&run, ERT_KERNEL_load, 1 << 20);
    add(&run, ERT_KERNEL_load, 1 << 21);
    run.samples->config.region_s = region_s;
    seen.check_s = check_s;
    return run;
}

/* A check as long as a region: of the first, and of the last of those that decide. */
static void dear_checks_come_first_and_last(void **state)
{
    struct ert_device_run run = make_three(1e-3, 1e-3);
    assert_int_equal(run_all(&run), ERT_ROUNDS_DONE);
    for (size_t i = 0; i < 2; i++) {
        assert_true(points[i].n_samples >= 8);
        assert_int_equal(seen.n_checked[i], 2);
        assert_true(seen.checked_at[i][0] < seen.n_timed[i]);
        assert_int_equal(seen.checked_at[i][1], seen.n_timed[i]);
    }
    assert_int_equal(points[2].n_samples, run.samples->config.rounds);
    assert_int_equal(seen.n_checked[2], 1);
    free_run(&run);
}

/* A region of 1000 s: no check takes a tenth of it. */
static void cheap_checks_follow_every_region(void **state)
{
    struct ert_device_run run = make_three(1e3, 0);
    assert_int_equal(run_all(&run), ERT_ROUNDS_DONE);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(seen.n_checked[i], points[i].n_samples);
    free_run(&run);
}

static void what_is_wrong_at_the_end_is_a_fault(void **state)
{
    struct ert_device_run run = make_three(1e-3, 1e-3);
    run_all(&run);
    const size_t last = seen.n_timed[0];
    free_run(&run);
    run = make_three(1e-3, 1e-3);
    seen.wrong_at = last;
    run_all(&run);
    assert_int_equal(points[0].status, ERT_POINT_FAILED);
    assert_string_equal(points[0].reason, "element 3 is 1, must be 2");
    assert_int_equal(points[1].status, ERT_POINT_MEASURED);
    assert_int_equal(run.fault.status, ERT_FAILED);
    free_run(&run);
}

/* A CPU's FP64 FMA that rounds leave uncertain has more of them; additions have not, nor what is settled. */
static void uncertain_main_rooflines_have_more_rounds(void **state)
{
    static const double noises[] = {0, 0.2};
    static const struct ert_device cpu = {.kind = ERT_DEVICE_CPU};
    for (size_t i = 0; i < 2; i++) {
        struct ert_device_run run = make_run();
        const struct ert_config *config = &run.samples->config;
        run.about = &cpu;
        add(&run, ERT_KERNEL_fma_fp64, 0);
        add(&run, ERT_KERNEL_add_fp64, 0);
        seen.noise = noises[i];
        assert_int_equal(run_all(&run), ERT_ROUNDS_DONE);
        assert_int_equal(points[1].n_samples,
                         i ? config->rounds + config->candidate_rounds : 8);
        /* In each round twice, and then in three times as many. */
        assert_int_equal(points[0].n_samples,
                         i ? config->rounds + 5 * config->candidate_rounds : 8);
        free_run(&run);
    }
}

#ifndef ERT_WITHOUT_EXTENSIONS /* the kernels of tensor cores are an extension's */
/* What draws most comes last, or others would be held at its clock. */
static void hot_kernels_are_sustained_last(void **state)
{
    static const enum ert_kernel_id plain[] = {ERT_KERNEL_fma_fp64, ERT_KERNEL_fma_fp32,
                                               ERT_KERNEL_load, ERT_KERNEL_mma_fp64,
                                               ERT_KERNEL_wgmma_bf16};
    static const enum ert_kernel_id all[] = {ERT_KERNEL_fma_fp64, ERT_KERNEL_fma_fp32,
                                             ERT_KERNEL_load,     ERT_KERNEL_add_fp64,
                                             ERT_KERNEL_mma_fp64, ERT_KERNEL_wgmma_bf16};
    for (int is_all = 0; is_all < 2; is_all++) {
        struct ert_device_run run = make_run();
        add(&run, ERT_KERNEL_wgmma_bf16, 0);
        add(&run, ERT_KERNEL_load, 1 << 20);
        add(&run, ERT_KERNEL_mma_fp64, 0);
        add(&run, ERT_KERNEL_add_fp64, 0);
        add(&run, ERT_KERNEL_fma_fp32, 0);
        add(&run, ERT_KERNEL_fma_fp64, 0);
        run.samples->config.sustained_s = 0.4;
        run.samples->config.sustained_all = is_all;
        assert_int_equal(run_all(&run), ERT_ROUNDS_DONE);
        assert_int_equal(ert_rounds_sustained(&run), ERT_ROUNDS_DONE);
        const enum ert_kernel_id *wanted = is_all ? all : plain;
        const size_t n =
            is_all ? sizeof all / sizeof all[0] : sizeof plain / sizeof plain[0];
        assert_int_equal(seen.n_sustained, n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen.sustained[i], wanted[i]);
        free_run(&run);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dear_checks_come_first_and_last),
        cmocka_unit_test(cheap_checks_follow_every_region),
        cmocka_unit_test(what_is_wrong_at_the_end_is_a_fault),
        cmocka_unit_test(uncertain_main_rooflines_have_more_rounds),
#ifndef ERT_WITHOUT_EXTENSIONS
        cmocka_unit_test(hot_kernels_are_sustained_last),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
