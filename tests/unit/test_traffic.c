/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic: reads and writes of a pattern, and what a level moves besides, by hand. */
#include "tests/unit/test.h"

#include "ert/core/ceilings/traffic.h"

static struct ert_device device;

static void make_device(enum ert_device_kind kind, const char *vendor, uint32_t model)
{
    static const struct ert_level levels[] = {
        {.name = "L1",   .kind = ERT_LEVEL_CACHE },
        {.name = "L2",   .kind = ERT_LEVEL_CACHE },
        {.name = "DRAM", .kind = ERT_LEVEL_MEMORY},
    };
    memset(&device, 0, sizeof device);
    device.kind = kind;
    device.n_levels = 3;
    memcpy(device.levels, levels, sizeof levels);
    snprintf(device.cpu.vendor, sizeof device.cpu.vendor, "%s", vendor);
    device.cpu.family = 6;
    device.cpu.model = model;
}

static struct ert_traffic traffic_of(const char *level, const char *kernel)
{
    struct ert_evidence evidence = {0};
    struct ert_ceiling ceiling = {.value = 1, .evidence = &evidence};
    struct ert_traffic traffic;
    snprintf(ceiling.key.level, sizeof ceiling.key.level, "%s", level);
    snprintf(ceiling.kernel, sizeof ceiling.kernel, "%s", kernel);
    assert_true(ert_traffic_of(&device, &ceiling, &traffic));
    return traffic;
}

/* Useful reads; then, at a cache behind the first, moved bytes and the reads among them. */
static const struct {
    const char *kernel;
    double reads, actual, actual_reads;
} rows[] = {
    {"load",         1,      1,      1     },
    {"store",        0,      2,      0.5   }, /* 8 written, 8 read first */
    {"store_nt",     0,      1,      0     },
    {"copy",         0.5,    1.5,    2 / 3.}, /* 8 read, 8 written, 8 read first */
    {"update",       0.5,    1,      0.5   }, /* in place */
    {"triad",        2 / 3., 4 / 3., 0.75  },
    {"add",          2 / 3., 4 / 3., 0.75  },
    {"load2_store1", 2 / 3., 4 / 3., 0.75  },
    {"ert_fp64",     0.5,    1,      0.5   },
};

static void caches_of_cpus_allocate(void **state)
{
    make_device(ERT_DEVICE_CPU, "AuthenticAMD", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int level = 1; level < 3; level++) {
            struct ert_traffic traffic =
                traffic_of(device.levels[level].name, rows[i].kernel);
            assert_close(traffic.reads, rows[i].reads, 1e-15);
            assert_close(traffic.actual, rows[i].actual, 1e-15);
            assert_close(traffic.allocated, rows[i].actual - 1, 1e-14);
            assert_close(traffic.actual_reads, rows[i].actual_reads, 1e-15);
            assert_false(traffic.is_counted || traffic.is_upper);
            assert_int_equal(traffic.is_streaming, strcmp(rows[i].kernel, "store_nt") == 0);
        }
    assert_contains(traffic_of("DRAM", "copy").rule, "write-allocate");
    assert_contains(traffic_of("DRAM", "update").rule, "in place");
}

/* The first cache sees what the core asks for; GPUs' caches read nothing for a store. */
static void nothing_besides(void **state)
{
    make_device(ERT_DEVICE_CPU, "GenuineIntel", 0x8f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_traffic traffic = traffic_of("L1", rows[i].kernel);
        assert_true(traffic.actual == 1 && traffic.actual_reads == traffic.reads);
    }
    make_device(ERT_DEVICE_GPU, "", 0);
    assert_true(traffic_of("L2", "store").actual == 1);
    assert_true(traffic_of("DRAM", "copy").actual_reads == 0.5);
    assert_contains(traffic_of("L2", "triad").rule, "GPU");
}

/* Sapphire Rapids may leave the reads out at its memory, not at its caches; Skylake may not. */
static void some_evade(void **state)
{
    make_device(ERT_DEVICE_CPU, "GenuineIntel", 0x8f);
    assert_true(traffic_of("DRAM", "store").is_upper);
    assert_true(traffic_of("DRAM", "store").actual == 2);
    assert_false(traffic_of("L2", "store").is_upper ||
                 traffic_of("DRAM", "load").is_upper ||
                 traffic_of("DRAM", "update").is_upper);
    make_device(ERT_DEVICE_CPU, "GenuineIntel", 0x55);
    assert_false(traffic_of("DRAM", "store").is_upper);
}

static void what_was_counted(void **state)
{
    struct ert_evidence evidence = {0};
    struct ert_ceiling ceiling = {
        .key = {.level = "L2", .pattern = "copy"},
          .evidence = &evidence
    };
    struct ert_traffic traffic;
    make_device(ERT_DEVICE_GPU, "", 0);
    snprintf(ceiling.evidence->proof.profiler, 16, "ncu");
    ceiling.evidence->proof.bytes_ratio = 1.003;
    /* no kernel named: the pattern tells */
    assert_true(ert_traffic_of(&device, &ceiling, &traffic));
    assert_true(traffic.is_counted && traffic.actual == 1.003 && traffic.reads == 0.5);
    /* perf counts instructions, not what the level moves */
    snprintf(ceiling.evidence->proof.profiler, 16, "perf");
    assert_true(ert_traffic_of(&device, &ceiling, &traffic));
    assert_true(!traffic.is_counted && traffic.actual == 1);
    snprintf(ceiling.key.pattern, sizeof ceiling.key.pattern, "daxpy");
    assert_false(ert_traffic_of(&device, &ceiling, &traffic));
    assert_false(ert_traffic_of(NULL, &ceiling, &traffic));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_of_cpus_allocate),
        cmocka_unit_test(nothing_besides),
        cmocka_unit_test(some_evade),
        cmocka_unit_test(what_was_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
