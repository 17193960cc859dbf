/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu: every version, on every instruction set of this machine, with and without contraction, for all nw
 * and odd sizes, gives the reference's sums; the same bits for the same number of threads.
 */
#include "tests/unit/test.h"

#include "gpp/problem.h"
#include "gpp/versions.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static const char *const isas[] = {"avx512", "avx2", "sse2", "neon"};

static struct gpp_problem made(size_t nbands, size_t ngpown, size_t ncouls, size_t nw)
{
    struct ert_error error;
    struct gpp_problem problem;
    const struct gpp_sizes sizes = {nbands, ngpown, ncouls, nw};
    if (gpp_problem_generate(&sizes, 5, &problem, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return problem;
}

/* Versions that each instruction set has. */
enum { EVERYWHERE = GPP_c7 - GPP_c0 + 1 };

/* Runs twice, with the same bits; false when the version is not for this ISA. */
static bool run(const struct gpp_version *version, const struct gpp_problem *problem,
                const struct gpp_options *options, struct gpp_result *result)
{
    struct ert_error error;
    struct gpp_session *session;
    struct gpp_facts facts;
    double time_s = -1;
    enum ert_status status =
        gpp_engine_cpu.open(version, problem, options, &session, &facts, &error);
    if (status == ERT_UNAVAILABLE || (status == ERT_USAGE && options->isa))
        return false;
    struct gpp_result again;
    if (status != ERT_OK ||
        gpp_engine_cpu.run(session, result, &time_s, &error) != ERT_OK ||
        gpp_engine_cpu.run(session, &again, &time_s, &error) != ERT_OK)
        fail_msg("%s: %s", version->name, error.text);
    assert_true(time_s >= 0);
    assert_memory_equal(result, &again, sizeof again); /* a second run: the same bits */
    gpp_engine_cpu.close(session);
    return true;
}

static void agree(const struct gpp_problem *problem, const struct gpp_options *options,
                  const char *isa, size_t *n_runs)
{
    struct ert_error error;
    struct gpp_result reference;
    assert_int_equal(gpp_reference_compute(problem, &reference, &error), ERT_OK);
    for (size_t v = GPP_c0; v < GPP_c0 + GPP_N_VERSIONS; v++) {
        struct gpp_result result;
        if (v >= GPP_N_VERSIONS || gpp_versions[v].device != GPP_CPU)
            break;
        if (!run(&gpp_versions[v], problem, options, &result))
            continue;
        double worst = gpp_result_error(&result, &reference, problem->sizes.nw);
        if (!(worst <= GPP_BOUND))
            fail_msg("%s, %s%s, %zux%zux%zu, nw %zu: error %g", gpp_versions[v].name, isa,
                     options->no_fma ? ", no FMA" : "", problem->sizes.nbands,
                     problem->sizes.ngpown, problem->sizes.ncouls, problem->sizes.nw,
                     worst);
        ++*n_runs;
    }
}

static void all_versions_agree(void **state)
{
    static const size_t sizes[][3] = {
        {1,  1, 1  },
        {2,  3, 1  },
        {1,  1, 9  },
        {3,  1, 8  },
        {5,  7, 17 },
        {67, 5, 131},
        {13, 3, 517}
    };
    size_t n_runs = 0;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (size_t nw = 1; nw <= GPP_MAX_NW; nw++) {
                struct gpp_problem problem =
                    made(sizes[s][0], sizes[s][1], sizes[s][2], nw);
                for (int no_fma = 0; no_fma < 2; no_fma++) {
                    struct gpp_options options = {no_fma, 2, isas[i], 0};
                    agree(&problem, &options, isas[i], &n_runs);
                }
                gpp_problem_free(&problem);
            }
    assert_true(n_runs >= ERT_LENGTH(sizes) * GPP_MAX_NW * 2 * EVERYWHERE);
}

static bool same_sums(const struct gpp_result *a, const struct gpp_result *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/*
 * 1, 2 and 3 threads: within the bound, and two sessions give the same bits, as
 * do two runs of one (run()).
 */
static void threads_repeat_their_bits(void **state)
{
    struct ert_error error;
    struct gpp_result reference;
    struct gpp_problem problem = made(31, 11, 1201, 3);
    size_t n_versions = 0;
    assert_int_equal(gpp_reference_compute(&problem, &reference, &error), ERT_OK);
    for (size_t v = GPP_c0; v < GPP_N_VERSIONS && gpp_versions[v].device == GPP_CPU; v++) {
        for (size_t i = 0; i < 3; i++) {
            struct gpp_result first, second;
            const struct gpp_options options = {false, (uint32_t)(1 + i), NULL, 0};
            if (!run(&gpp_versions[v], &problem, &options, &first))
                continue;
            assert_true(run(&gpp_versions[v], &problem, &options, &second));
            double worst = gpp_result_error(&first, &reference, 3);
            if (!same_sums(&first, &second) || !(worst <= GPP_BOUND))
                fail_msg("%s, %u threads: %s, error %g", gpp_versions[v].name,
                         options.threads,
                         same_sums(&first, &second) ? "same bits" : "other bits", worst);
            n_versions += i == 0;
        }
    }
    assert_true(n_versions >= EVERYWHERE);
    gpp_problem_free(&problem);
}

/* Occupations in any order and of any value, and poles on the real axis that w almost meets. */
static void odd_inputs_agree(void **state)
{
    struct gpp_problem problem = made(23, 7, 41, 2);
    size_t n_runs = 0;
    for (size_t n = 0; n < 23; n++)
        problem.occ[n] = (double)(n * 7 % 5) / 4;
    for (size_t i = 0; i < 7 * 41; i += 3)
        problem.wtilde[2 * i + 1] = 0;
    for (size_t i = 0; i < 7 * 41; i += 11)
        problem.wtilde[2 * i] = problem.wtilde[2 * i + 1] = 0;
    const struct gpp_options options = {false, 2, NULL, 0};
    agree(&problem, &options, "best", &n_runs);
    assert_true(n_runs >= EVERYWHERE);
    gpp_problem_free(&problem);
}

static long faults_of(int who)
{
    struct rusage usage;
    assert_int_equal(getrusage(who, &usage), 0);
    return usage.ru_minflt;
}

/*
 * A system of one row, whose columns two threads share: each of them touches about half of the layouts, in
 * new pages of 4 KiB.
 */
static void threads_touch_what_they_read(void **state)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        return; /* qemu-user, for one, does not have it */
    struct gpp_problem problem = made(1, 1, 1 << 20, 1);
    const struct gpp_options options = {false, 2, NULL, 0};
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    for (size_t v = GPP_c2; v < GPP_N_VERSIONS && gpp_versions[v].device == GPP_CPU; v++) {
        struct ert_error error;
        struct gpp_session *session;
        struct gpp_facts facts;
        const long all = faults_of(RUSAGE_SELF), own = faults_of(RUSAGE_THREAD);
        if (gpp_engine_cpu.open(&gpp_versions[v], &problem, &options, &session, &facts,
                                &error) != ERT_OK)
            continue;
        const double share = (double)(faults_of(RUSAGE_THREAD) - own) /
                             (double)(faults_of(RUSAGE_SELF) - all);
        gpp_engine_cpu.close(session);
        if (!(share > 0.4 && share < 0.6))
            fail_msg("%s: the first thread has %.3f of the page faults",
                     gpp_versions[v].name, share);
    }
    assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
    gpp_problem_free(&problem);
}

static void refuses(const char *name, const struct gpp_options *options, const char *words)
{
    struct ert_error error;
    struct gpp_session *session;
    struct gpp_facts facts;
    const struct gpp_version *chosen[GPP_N_VERSIONS];
    size_t n_chosen;
    int gpu;
    struct gpp_problem problem = made(3, 2, 5, 1);
    assert_int_equal(gpp_versions_select(name, NULL, chosen, &n_chosen, &gpu, &error),
                     ERT_OK);
    assert_int_equal(n_chosen, 1);
    assert_int_equal(
        gpp_engine_cpu.open(chosen[0], &problem, options, &session, &facts, &error),
        ERT_USAGE);
    assert_contains(error.text, words);
    gpp_problem_free(&problem);
}

static void misuse_is_named(void **state)
{
    struct ert_error error;
    const struct gpp_version *chosen[GPP_N_VERSIONS];
    size_t n_chosen;
    int gpu;
    refuses("c2", &(struct gpp_options){.threads = 5000}, "threads: 5000");
    refuses("c2", &(struct gpp_options){.isa = "mmx"}, "no instruction set 'mmx'");
    assert_int_equal(gpp_versions_select("c99", NULL, chosen, &n_chosen, &gpu, &error),
                     ERT_USAGE);
    assert_contains(error.text, "c0, c1, c2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_touch_what_they_read),
        cmocka_unit_test(all_versions_agree),
        cmocka_unit_test(odd_inputs_agree),
        cmocka_unit_test(threads_repeat_their_bits),
        cmocka_unit_test(misuse_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
