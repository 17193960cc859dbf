/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpp: every GPU version, with FMA and without, for all nw, on odd sizes, gives the
 * reference's sums; misuse gives clear errors. Skips without a device.
 */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "gpp/problem.h"
#include "gpp/versions.h"

static struct gpp_problem made(size_t nbands, size_t ngpown, size_t ncouls, size_t nw)
{
    struct ert_error error;
    struct gpp_problem problem;
    const struct gpp_sizes sizes = {nbands, ngpown, ncouls, nw};
    if (gpp_problem_generate(&sizes, 5, &problem, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return problem;
}

static void check_version(const struct gpp_version *version,
                          const struct gpp_problem *problem,
                          const struct gpp_result *reference, const struct gpp_options *how)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct ert_error error;
    struct gpp_session *session;
    struct gpp_facts facts;
    struct gpp_result result;
    double time_s = -1;
    if (gpp_engine_cuda.open(version, problem, how, &session, &facts, &error) != ERT_OK)
        fail_msg("%s: %s", version->name, error.text);
    for (int twice = 0; twice < 2; twice++) {
        if (gpp_engine_cuda.run(session, &result, &time_s, &error) != ERT_OK)
            fail_msg("%s: %s", version->name, error.text);
        double worst = gpp_result_error(&result, reference, s->nw);
        if (!(worst <= GPP_BOUND))
            fail_msg("%s%s, %zux%zux%zu, nw %zu: error %g", version->name,
                     how->no_fma ? ", no FMA" : "", s->nbands, s->ngpown, s->ncouls, s->nw,
                     worst);
    }
    assert_true(time_s > 0 && facts.registers > 0 && facts.warps_per_sm > 0);
    gpp_engine_cuda.close(session);
}

static void check_all(const struct gpp_problem *problem)
{
    struct ert_error error;
    struct gpp_result reference;
    assert_int_equal(gpp_reference_compute(problem, &reference, &error), ERT_OK);
    for (size_t v = GPP_v0; v < GPP_N_VERSIONS; v++)
        for (int no_fma = 0; no_fma < 2; no_fma++) {
            const struct gpp_options how = {no_fma, 0, NULL, 0};
            check_version(&gpp_versions[v], problem, &reference, &how);
        }
}

static void all_versions_agree(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {
        {1,   1,  1   },
        {2,   3,  1   },
        {1,   2,  9   },
        {3,   1,  32  },
        {65,  9,  129 },
        {64,  8,  128 },
        {129, 17, 1031}
    };
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t nw = 1; nw <= GPP_MAX_NW; nw++) {
            struct gpp_problem problem = made(sizes[s][0], sizes[s][1], sizes[s][2], nw);
            check_all(&problem);
            gpp_problem_free(&problem);
        }
}

/* Occupations in any order and of any value, and poles on the real axis. */
static void odd_inputs_agree(void **state)
{
    (void)state;
    struct gpp_problem problem = made(23, 7, 41, 2);
    for (size_t n = 0; n < 23; n++)
        problem.occ[n] = (double)(n * 7 % 5) / 4;
    for (size_t i = 0; i < 7 * 41; i += 3)
        problem.wtilde[2 * i + 1] = 0;
    for (size_t i = 0; i < 7 * 41; i += 11)
        problem.wtilde[2 * i] = problem.wtilde[2 * i + 1] = 0;
    check_all(&problem);
    gpp_problem_free(&problem);
}

static void misuse_gives_clear_errors(void **state)
{
    (void)state;
    struct ert_error error;
    struct gpp_session *session;
    struct gpp_facts facts;
    struct gpp_problem problem = made(3, 2, 5, 1);
    struct gpp_options how = {false, 0, NULL, 999};
    const struct gpp_version *v0 = &gpp_versions[GPP_v0];
    assert_int_equal(gpp_engine_cuda.open(v0, &problem, &how, &session, &facts, &error),
                     ERT_USAGE);
    assert_contains(error.text, "no device gpu999");
    gpp_problem_free(&problem);
    problem = made(1, 65536, 1, 1);
    how.gpu = 0;
    assert_int_equal(gpp_engine_cuda.open(v0, &problem, &how, &session, &facts, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "y and z at most 65535");
    gpp_problem_free(&problem);
    /* Indices would overflow; no array is read. */
    static const struct gpp_sizes large[] = {
        {400000000, 1,          1,          6},
        {1,         2147483647, 1,          1},
        {1,         1,          2147483647, 1}
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        problem = (struct gpp_problem){.sizes = large[i]};
        assert_int_equal(gpp_engine_cuda.open(&gpp_versions[GPP_v4], &problem, &how,
                                              &session, &facts, &error),
                         ERT_UNAVAILABLE);
        assert_contains(error.text, "must be at most 2147482623 each");
    }
}

int main(void)
{
    char reason[256];
    const char *why = ert_backend_cuda.unavailable(reason, sizeof reason);
    if (why) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_versions_agree),
        cmocka_unit_test(odd_inputs_agree),
        cmocka_unit_test(misuse_gives_clear_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
