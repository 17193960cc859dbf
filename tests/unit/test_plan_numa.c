/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_numa: which packages and NUMA nodes of recorded machines are planned, and with what sets. */
#include "tests/unit/test.h"

#include "ert/core/machine/discover.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

static struct ert_samples samples;
static struct ert_error error;

/* A recorded machine, which says nothing of instruction sets, on a host with these. */
static const struct ert_device *plan(const char *name, uint64_t memory_max_bytes)
{
    char file[1024];
    const char *source = getenv("top_srcdir");
    ert_samples_free(&samples);
    samples = (struct ert_samples){0};
    snprintf(file, sizeof file, "%s/tests/data/topologies/%s", source ? source : ".", name);
    if (ert_discover_host(file, &samples.machine, &error) != ERT_OK)
        fail_msg("%s", error.text);
    struct ert_device *device = &samples.machine.devices[0];
    device->cpu.isa = (struct ert_isa){.sse2 = true, .neon = true};
    ert_config_default(&samples.config);
    samples.config.memory_max_bytes = memory_max_bytes;
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        samples.config.sections[i] = i == ERT_SECTION_NUMA || i == ERT_SECTION_COMPUTE;
    snprintf(samples.config.device, sizeof samples.config.device, "cpu");
    if (ert_plan_make(&samples, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return device;
}

/* The set of the place's load, or 0 when it is not planned; all kernels have the same. */
static uint64_t set_of(uint32_t package, uint32_t node)
{
    uint64_t set = 0;
    int n = 0;
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != ERT_SECTION_NUMA || point->spec.from != 1 + package ||
            point->spec.to != 1 + node)
            continue;
        assert_true(n++ == 0 || set == point->spec.requested_bytes);
        set = point->spec.requested_bytes;
    }
    assert_true(n == 0 || n == 3);
    return set;
}

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < samples.devices[0].n_not_measured; i++)
        if (strcmp(samples.devices[0].not_measured[i].name, name) == 0)
            return samples.devices[0].not_measured[i].reason;
    return "";
}

static size_t count_places(void)
{
    size_t n = 0;
    for (size_t i = 0; i < samples.devices[0].n_points; i++)
        n += samples.devices[0].points[i].section == ERT_SECTION_NUMA;
    return n;
}

/* The file has one node without a size; two packages look at it, each with 27.5 MiB of L3. */
static void two_packages_and_a_node(void **state)
{
    plan("cascadelake-6230-2s.xml", 0);
    assert_int_equal(set_of(0, 0), 4 * (28160ull << 10));
    assert_int_equal(set_of(1, 0), 4 * (28160ull << 10));
    assert_int_equal(count_places(), 6);
    /* Two regions of 220 MiB near the threads; of 600 MiB they leave 2 * 80. */
    plan("cascadelake-6230-2s.xml", UINT64_C(600) << 20);
    assert_int_equal(set_of(1, 0), UINT64_C(80) << 20);
    plan("cascadelake-6230-2s.xml", UINT64_C(500) << 20);
    assert_int_equal(count_places(), 0);
    assert_contains(reason_of("DRAM-load-package1-node0"), "55 MiB are needed");
    assert_contains(reason_of("DRAM-load-package1-node0"), "sets of up to 30 MiB");
}

/* HBM past the memory-side caches of DRAM; DRAM's nodes are smaller than those. */
static void kinds_of_memory(void **state)
{
    const struct ert_device *device = plan("hetero-memory.xml", UINT64_C(128) << 30);
    size_t n_planned = 0;
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        uint64_t set = set_of(0, node->os_index);
        assert_int_equal(set, 4 * (32ull << 20));
        n_planned += set > 0;
    }
    assert_int_equal(n_planned, 8);
}

/* One node and one package: its memory is a level of the sweep already. */
static void a_single_node_adds_nothing(void **state)
{
    plan("dgx2-v100.xml", 0);
    assert_true(count_places() > 0);
    struct ert_device device = samples.machine.devices[0];
    device.cpu.n_packages = device.cpu.n_numa = 1;
    struct ert_planner planner = {.config = &samples.config, .device = &device};
    ert_sections[ERT_SECTION_NUMA]->plan(&planner);
}

static int free_samples(void **state)
{
    ert_samples_free(&samples);
    return 0;
}

int main(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    struct ert_device any = {
        .kind = ERT_DEVICE_CPU, .cpu.isa = {.sse2 = true, .neon = true}
    };
    struct ert_session_options options = {0};
    if (ert_backend_cpu.variants(&any, &options, ERT_KERNEL_load, ERT_PATH_CACHED, variants,
                                 reason, sizeof reason) == 0) {
        printf("1..0 # SKIP this build has no kernels for this CPU architecture\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_packages_and_a_node),
        cmocka_unit_test(kinds_of_memory),
        cmocka_unit_test(a_single_node_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, free_samples);
}
