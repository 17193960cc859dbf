/* SPDX-License-Identifier: BSD-3-Clause */
/* counts: numbers of threads and warps, and what they reach, on made-up and recorded machines. */
#include "tests/unit/test.h"

#include "ert/core/sweep/plan.h"
#include "ert/ext/sections/sections.h"

static struct ert_config config;

/* 64 cores in 8 clusters of one L3 each, in 2 packages, two hardware threads a core. */
static struct ert_device epyc(void)
{
    struct ert_device device = {.kind = ERT_DEVICE_CPU, .n_levels = 4};
    device.cpu.n_packages = 2;
    device.cpu.n_cores_usable = 64;
    device.cpu.n_pus_usable = 128;
    device.cpu.memory_available_bytes = UINT64_C(256) << 30;
    device.levels[0] = (struct ert_level){"L1", .kind = ERT_LEVEL_CACHE, .count = 64};
    device.levels[1] = (struct ert_level){"L2", .kind = ERT_LEVEL_CACHE, .count = 64};
    device.levels[2] = (struct ert_level){"L3", .kind = ERT_LEVEL_CACHE, .count = 8};
    device.levels[3] = (struct ert_level){"DRAM", .kind = ERT_LEVEL_MEMORY, .count = 2};
    device.levels[0].size_bytes = 32 << 10;
    device.levels[1].size_bytes = 1 << 20;
    device.levels[2].size_bytes = 32 << 20;
    device.levels[3].size_bytes = UINT64_C(128) << 30;
    return device;
}

static void check_list(const struct ert_device *device, const uint32_t *expected, size_t n)
{
    struct ert_context context;
    struct ert_error error;
    uint32_t counts[ERT_MAX_COUNTS];
    assert_int_equal(ert_context_make(device, config.threads, true, &context, &error), 0);
    assert_int_equal(ert_counts_list(&context, counts), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(counts[i], expected[i]);
}

static void threads_step_to_all_of_them(void **state)
{
    struct ert_device device = epyc();
    ert_config_default(&config);
    const uint32_t all[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    check_list(&device, all, sizeof all / sizeof all[0]);
    device.cpu.n_cores_usable = 40;
    device.cpu.n_pus_usable = 80;
    const uint32_t forty[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80};
    check_list(&device, forty, sizeof forty / sizeof forty[0]);
    device.cpu.n_cores_usable = 50;
    device.cpu.n_pus_usable = 100;
    const uint32_t fifty[] = {1,  2,  3,  4,  5,  6,  7,  8,  12,
                              16, 24, 25, 32, 48, 50, 64, 96, 100};
    check_list(&device, fifty, sizeof fifty / sizeof fifty[0]);
    config.threads = 5;
    check_list(&device, all, 5);
    config.threads = 0;
    device.cpu.cpus_quota = 2.7;
    check_list(&device, all, 2);
    device.cpu = (struct ert_cpu){0};
    check_list(&device, all, 1);
}

static void warps_step_to_what_an_sm_holds(void **state)
{
    struct ert_device device = {.kind = ERT_DEVICE_GPU, .gpu.warp_size = 32};
    const uint32_t warps[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
    device.gpu.max_threads_per_sm = 2048;
    check_list(&device, warps, 10);
    device.gpu.max_threads_per_sm = 1536;
    check_list(&device, warps, 9);
    device.gpu.warp_size = 64; /* another vendor's */
    device.gpu.max_threads_per_sm = 2048;
    check_list(&device, warps, 8);
}

static void check_reach(const struct ert_device *device, uint32_t threads,
                        const uint32_t counts[4])
{
    struct ert_device reached = ert_counts_reach(device, threads);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(reached.levels[i].count, counts[i]);
}

static void threads_reach_their_own_caches(void **state)
{
    struct ert_device device = epyc();
    check_reach(&device, 1, (const uint32_t[]){1, 1, 1, 1});
    check_reach(&device, 9, (const uint32_t[]){9, 9, 2, 1});
    check_reach(&device, 33, (const uint32_t[]){33, 33, 5, 2});
    check_reach(&device, 128, (const uint32_t[]){64, 64, 8, 2});
    check_reach(&device, 0, (const uint32_t[]){64, 64, 8, 2});
    device.kind = ERT_DEVICE_GPU; /* of a GPU all SMs work, with few warps */
    check_reach(&device, 1, (const uint32_t[]){64, 64, 8, 2});
}

static void uneven_counts_are_found(void **state)
{
    struct ert_device device = epyc();
    const struct ert_level *l2 = &device.levels[1], *l3 = l2 + 1, *dram = l2 + 2;
    assert_true(ert_counts_even(&device, l2, 13) && ert_counts_even(&device, l2, 64));
    assert_true(ert_counts_even(&device, l3, 5) && ert_counts_even(&device, l3, 24));
    assert_false(ert_counts_even(&device, l3, 12));
    assert_true(ert_counts_even(&device, dram, 24) && ert_counts_even(&device, dram, 32));
    assert_false(ert_counts_even(&device, dram, 48)); /* a package and a half */
    assert_true(ert_counts_even(&device, dram, 128));
    assert_false(ert_counts_even(&device, l2, 96));
}

/* One thread's DRAM set is beyond the one L3 that it can use, and no further. */
static void sets_follow_the_threads(void **state)
{
    struct ert_device device = epyc();
    ert_config_default(&config);
    const struct ert_planner planner = {.config = &config, .device = &device};
    assert_int_equal(ert_planner_share(&planner, &device.levels[0], 1), 16 << 10);
    assert_int_equal(ert_planner_share(&planner, &device.levels[0], 3), 48 << 10);
    assert_int_equal(ert_planner_share(&planner, &device.levels[1], 2), 256 << 10);
    assert_int_equal(ert_planner_share(&planner, &device.levels[2], 1), 4 << 20);
    assert_int_equal(ert_planner_share(&planner, &device.levels[2], 8), 16 << 20);
    assert_int_equal(ert_planner_share(&planner, &device.levels[3], 1), 128 << 20);
    assert_int_equal(ert_planner_share(&planner, &device.levels[3], 16), 256 << 20);
    assert_int_equal(ert_planner_share(&planner, &device.levels[3], 128), 1 << 30);
    assert_int_equal(ert_planner_share(&planner, &device.levels[0], 0),
                     ert_planner_set(&planner, &device.levels[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_step_to_all_of_them),
        cmocka_unit_test(warps_step_to_what_an_sm_holds),
        cmocka_unit_test(threads_reach_their_own_caches),
        cmocka_unit_test(uneven_counts_are_found),
        cmocka_unit_test(sets_follow_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
