/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knl_plan: what is planned and fitted for Knights Landing in its modes (knl.h): threads, sets and
 * memories, against numbers written down by hand.
 */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/knl_fixture.h"

#include "ert/core/fit/fit.h"
#include "ert/core/sweep/sets.h"

/* The least and the largest set of the loads in a memory (0: by first touch), and how many. */
static size_t loads(uint32_t to, uint64_t *least, uint64_t *largest)
{
    size_t n = 0;
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != ERT_SECTION_LEVELS || point->spec.to != to ||
            point->spec.kernel != ERT_KERNEL_load)
            continue;
        assert_int_equal(point->spec.from, 0);
        assert_string_equal(point->variant.isa, "avx512");
        assert_int_equal(point->variant.threads,
                         samples.machine.devices[0].cpu.n_cores_usable);
        uint64_t set = point->spec.requested_bytes;
        *least = n == 0 || set < *least ? set : *least;
        *largest = n == 0 || set > *largest ? set : *largest;
        n++;
    }
    return n;
}

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < samples.devices[0].n_not_measured; i++)
        if (strcmp(samples.devices[0].not_measured[i].name, name) == 0)
            return samples.devices[0].not_measured[i].reason;
    return "";
}

/* Flat: four times L2 in DDR by first touch, and the same bound to MCDRAM's first node. */
static void flat_memories_are_both_swept(void **state)
{
    static const struct {
        const char *name;
        uint32_t node, l2_mib;
    } expected[] = {
        {"quad-flat-7210",   1, 32},
        {"quad-hybrid-7250", 1, 34},
        {"snc2-flat-7210",   2, 32},
        {"snc4-flat-7250",   4, 34},
        {"snc4-flat-7290",   4, 36},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        uint64_t least, largest, set = MIB(4 * expected[i].l2_mib);
        const struct ert_device *device = plan(expected[i].name, 0);
        bool is_hybrid = device->levels[2].kind == ERT_LEVEL_CACHE;
        assert_true(loads(1 + expected[i].node, &least, &largest) >= 1); /* in each way */
        assert_int_equal(largest, set);
        assert_true(loads(0, &least, &largest) > 20);
        assert_int_equal(least, device->cpu.n_cores * UINT64_C(2048));
        /* In hybrid mode DDR is behind 8 GiB of cache: two regions in half of the memory. */
        assert_int_equal(largest, is_hybrid ? GIB(96 + 8) / 4 - set : set);
        assert_int_equal(loads(1, &least, &largest), 0); /* DDR needs no binding */
    }
}

/* MCDRAM as a cache: nothing is bound; DDR needs sets beyond it. */
static void cache_mode_is_swept_through(void **state)
{
    uint64_t least, largest;
    plan("quad-cache-7250", 0);
    loads(0, &least, &largest);
    assert_int_equal(largest, GIB(96) / 4);
    plan("quad-cache-7250", GIB(20));
    assert_contains(reason_of("DRAM-latency"), "no working set of this level");
    plan("quad-cache-7250", GIB(80));
    loads(0, &least, &largest);
    assert_int_equal(largest, GIB(40));
    const struct ert_device *device = plan("snc4-cache-7290", GIB(160));
    loads(0, &least, &largest);
    assert_int_equal(largest, GIB(64));
    double low, high;
    ert_sets_level_range(device, ert_device_level(device, "MSC"), &low, &high);
    assert_true(low == (double)MIB(36) && high == (double)GIB(16));
    ert_sets_level_range(device, ert_device_level(device, "DRAM"), &low, &high);
    assert_true(low == (double)GIB(16));
}

/* Memory that is too short for MCDRAM's set beside the others is a reason. */
static void no_room_for_mcdram(void **state)
{
    uint64_t least, largest;
    plan("quad-flat-7210", MIB(200));
    assert_int_equal(loads(2, &least, &largest), 0);
    assert_contains(reason_of("MCDRAM-load"), "fit in MCDRAM and in memory_max_bytes");
}

/* Every core with one to four threads, and the powers of two between. */
static void threads_of_the_concurrency_section(void **state)
{
    uint32_t marks[] = {1, 64, 68, 128, 136, 204, 272};
    plan("quad-cache-7250", 0);
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        bool is_there = false;
        for (size_t i = 0; i < samples.devices[0].n_points; i++)
            is_there |= samples.devices[0].points[i].spec.concurrency == marks[k] &&
                        samples.devices[0].points[i].spec.kernel == ERT_KERNEL_fma_fp64;
        assert_true(is_there);
    }
}

/* Chases in DDR and in MCDRAM are of one thread each, in their own memory. */
static void latencies_are_of_their_memory(void **state)
{
    uint32_t seen = 0;
    plan("snc4-flat-7290", 0);
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != ERT_SECTION_LATENCY)
            continue;
        assert_int_equal(point->spec.concurrency, 1);
        seen |= point->spec.to == 1 + 4 ? 2 : 1;
        assert_true(point->spec.to == 0 || point->spec.to == 1 + 4);
    }
    assert_int_equal(seen, 3);
}

/* Rates of 90 GB/s in DDR and 450 in MCDRAM come out as two ceilings; no curve mixes them. */
static void memories_are_fitted_apart(void **state)
{
    struct ert_ceilings ceilings;
    plan("snc4-flat-7290", 0);
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        struct ert_point *point = &samples.devices[0].points[i];
        double set = (double)point->spec.requested_bytes;
        double rate = point->spec.to ? 450e9 : set > 0x1p20 * 36 ? 90e9 : 2e12;
        if (point->section != ERT_SECTION_LEVELS)
            continue;
        point->work.actual_bytes = point->spec.requested_bytes;
        point->work.bytes_per_pass = set;
        point->status = ERT_POINT_MEASURED;
        for (int k = 0; k < 5; k++) {
            struct ert_sample sample = {.time_s = set / rate * (1 + 1e-4 * k), .passes = 1};
            assert_int_equal(ert_point_add(point, &sample, &error), ERT_OK);
        }
    }
    ert_fit(&samples, &ceilings);
    double mcdram = 0, ddr = 0;
    for (size_t i = 0; i < n_ceilings(&ceilings.devices[0], ERT_CEILING_MEMORY); i++) {
        const struct ert_ceiling *row = memory_at(&ceilings.devices[0], i);
        mcdram = strcmp(row->name, "MCDRAM-load") == 0 ? row->value : mcdram;
        ddr = strcmp(row->name, "DRAM-load") == 0 ? row->value : ddr;
    }
    assert_close(mcdram, 450e9, 1e-3);
    assert_close(ddr, 90e9, 1e-3);
    ert_ceilings_free(&ceilings);
}

int main(void)
{
    if (!can_plan()) {
        printf("1..0 # SKIP this build has no AVX-512F kernels\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_memories_are_both_swept),
        cmocka_unit_test(cache_mode_is_swept_through),
        cmocka_unit_test(no_room_for_mcdram),
        cmocka_unit_test(threads_of_the_concurrency_section),
        cmocka_unit_test(latencies_are_of_their_memory),
        cmocka_unit_test(memories_are_fitted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, free_samples);
}
