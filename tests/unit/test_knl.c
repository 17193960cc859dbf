/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knl: Knights Landing in its memory and cluster modes: what is discovered, against numbers written
 * down by hand from the machines of knl.h.
 */
#include "tests/unit/knl_fixture.h"

#include "ert/core/backend/cpu/pin.h"

/* A level as "name kind size count", capacities in MiB. */
static void check_levels(const struct ert_device *device, const char *expected)
{
    char text[512] = "";
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s %u x %g", i ? ", " : "",
                 level->name, level->kind == ERT_LEVEL_MEMORY ? " memory" : "",
                 level->count, (double)level->size_bytes / 0x1p20);
    }
    assert_string_equal(text, expected);
}

/* What is discovered: cores, threads, nodes, levels. */
static void modes_are_seen(void **state)
{
    static const struct {
        const char *name;
        uint32_t cores, nodes;
        const char *levels;
    } expected[] = {
        {"quad-flat-7210",   64, 2,
         "L1 64 x 0.03125, L2 32 x 1, MCDRAM memory 1 x 16384, DRAM memory 1 x 98304"},
        {"quad-cache-7250",  68, 1,
         "L1 68 x 0.03125, L2 34 x 1, MSC 1 x 16384, DRAM memory 1 x 98304"          },
        {"quad-hybrid-7250", 68, 2,
         "L1 68 x 0.03125, L2 34 x 1, MSC 1 x 8192, MCDRAM memory 1 x 8192, "
         "DRAM memory 1 x 98304"                                                     },
        {"snc2-flat-7210",   64, 4,
         "L1 64 x 0.03125, L2 32 x 1, MCDRAM memory 2 x 8192, DRAM memory 2 x 49152" },
        {"snc4-flat-7250",   68, 8,
         "L1 68 x 0.03125, L2 34 x 1, MCDRAM memory 4 x 4096, DRAM memory 4 x 24576" },
        {"snc4-flat-7290",   72, 8,
         "L1 72 x 0.03125, L2 36 x 1, MCDRAM memory 4 x 4096, DRAM memory 4 x 24576" },
        {"snc4-cache-7290",  72, 4,
         "L1 72 x 0.03125, L2 36 x 1, MSC 4 x 4096, DRAM memory 4 x 49152"           },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct ert_device *device = plan(expected[i].name, 0);
        assert_int_equal(device->cpu.n_packages, 1);
        assert_int_equal(device->cpu.n_cores, expected[i].cores);
        assert_int_equal(device->cpu.n_cores_usable, expected[i].cores);
        assert_int_equal(device->cpu.n_pus_usable, 4 * expected[i].cores);
        assert_int_equal(device->cpu.n_numa, expected[i].nodes);
        check_levels(device, expected[i].levels);
        for (uint32_t k = 0; k < device->n_levels; k++)
            assert_int_equal(device->levels[k].memory_side,
                             strcmp(device->levels[k].name, "MSC") == 0);
        assert_int_equal(samples.machine.n_notes, 0);
    }
    assert_null(knl_find(""));
}

/* DDR nodes first; quarters of 9 and 8 tiles. */
static void nodes_have_their_cores(void **state)
{
    const struct ert_device *device = plan("snc4-flat-7250", 0);
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        bool is_ddr = node->os_index < 4;
        assert_string_equal(node->kind, is_ddr ? "DRAM" : "MCDRAM");
        assert_int_equal(node->size_bytes, GIB(is_ddr ? 24 : 4));
        assert_int_equal(node->n_cores, node->os_index % 4 < 2 ? 18 : 16);
    }
}

/*
 * Each thread's MCDRAM is its quarter's, whichever hardware thread it stands on: quarters begin at cores
 * 0, 18, 36 and 52. hwloc takes the file for this machine when told so.
 */
static void each_thread_has_its_nearest_node(void **state)
{
    const uint32_t mcdram[] = {4, 5, 6, 7}, ddr[] = {0, 1, 2, 3};
    const uint32_t cpus[] = {0, 17, 18, 35, 36, 51, 52, 67, 68, 68 + 18, 271};
    const uint32_t quarters[] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 3};
    enum { N = sizeof cpus / sizeof cpus[0] };
    uint32_t nodes[N];
    char file[] = "/tmp/ert-knl-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(knl_write(knl_find("snc4-flat-7250"), file), 0);
    setenv("HWLOC_XMLFILE", file, 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    ert_pin_near_nodes(cpus, N, mcdram, 4, nodes);
    for (int i = 0; i < N; i++)
        assert_int_equal(nodes[i], 4 + quarters[i]);
    ert_pin_near_nodes(cpus, N, ddr, 4, nodes);
    for (int i = 0; i < N; i++)
        assert_int_equal(nodes[i], quarters[i]);
    /* As place.c does: over the CPUs themselves. */
    memcpy(nodes, cpus, sizeof cpus);
    ert_pin_near_nodes(nodes, N, mcdram, 4, nodes);
    for (int i = 0; i < N; i++)
        assert_int_equal(nodes[i], 4 + quarters[i]);
    /* One candidate that is local to nobody here, and a topology of another machine: in blocks. */
    ert_pin_near_nodes(cpus + 4, 4, mcdram, 1, nodes);
    assert_true(nodes[0] == 4 && nodes[3] == 4);
    setenv("HWLOC_THISSYSTEM", "0", 1);
    ert_pin_near_nodes(cpus, 8, mcdram, 4, nodes);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(nodes[i], 4 + i / 2);
    unsetenv("HWLOC_THISSYSTEM");
    unsetenv("HWLOC_XMLFILE");
    unlink(file);
}

int main(void)
{
    if (!can_plan()) {
        printf("1..0 # SKIP this build has no AVX-512F kernels\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_seen),
        cmocka_unit_test(nodes_have_their_cores),
        cmocka_unit_test(each_thread_has_its_nearest_node),
    };
    return cmocka_run_group_tests(tests, NULL, free_samples);
}
