/* SPDX-License-Identifier: BSD-3-Clause */
/* topology: real machines from files, and machines made by hand, give what lstopo shows. */
#include "tests/unit/topology_fixture.h"

#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <hwloc/memattrs.h>
#include <unistd.h>

static const struct ert_device *discover_data(const char *name)
{
    char file[1024];
    const char *source = getenv("top_srcdir");
    snprintf(file, sizeof file, "%s/tests/data/topologies/%s", source ? source : ".", name);
    if (discover(file) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(machine.provenance.topology_source, file);
    return &machine.devices[0];
}

static void check_level(const struct ert_device *device, uint32_t index, const char *name,
                        uint64_t size_bytes, uint32_t count)
{
    assert_true(index < device->n_levels);
    assert_string_equal(device->levels[index].name, name);
    assert_int_equal(device->levels[index].size_bytes, size_bytes);
    assert_int_equal(device->levels[index].count, count);
}

static void check_counts(const struct ert_cpu *cpu, uint32_t packages, uint32_t cores,
                         uint32_t pus)
{
    assert_int_equal(cpu->n_packages, packages);
    assert_int_equal(cpu->n_cores, cores);
    assert_int_equal(cpu->n_pus, pus);
    assert_int_equal(cpu->n_cores_usable, cores);
    assert_int_equal(cpu->n_pus_usable, pus);
}

static void cascade_lake(void **state)
{
    const struct ert_device *device = discover_data("cascadelake-6230-2s.xml");
    assert_string_equal(device->name, "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz");
    assert_int_equal(device->cpu.family, 6);
    assert_int_equal(device->cpu.model, 85);
    assert_int_equal(device->cpu.stepping, 7);
    check_counts(&device->cpu, 2, 40, 80);
    assert_int_equal(device->n_levels, 4);
    check_level(device, 0, "L1", 32 << 10, 40);
    check_level(device, 1, "L2", 1 << 20, 40);
    check_level(device, 2, "L3", 28160 << 10, 2);
    check_level(device, 3, "DRAM", 0, 1);
    assert_int_equal(device->levels[0].line_bytes, 64);
    assert_int_equal(device->levels[3].kind, ERT_LEVEL_MEMORY);
    assert_close(device->base_hz, 2.1e9, 1e-12);
    assert_string_equal(device->base_source, "model name");
    /* Not this machine: nothing of it may leak in. */
    assert_false(device->cpu.isa.sse2);
    assert_int_equal(device->cpu.memory_available_bytes, 0);
    assert_true(device->boost_hz == 0);
    assert_int_equal(machine.n_devices, 1);
}

static void memory_kinds(void **state)
{
    const struct ert_device *device = discover_data("hetero-memory.xml");
    check_counts(&device->cpu, 1, 16, 64);
    assert_int_equal(device->n_levels, 4);
    check_level(device, 0, "L1", 32 << 10, 16);
    check_level(device, 1, "L2", 4 << 20, 8);
    check_level(device, 2, "HBM", UINT64_C(2) << 30, 4);
    check_level(device, 3, "DRAM", UINT64_C(1) << 30, 4);
    assert_int_equal(device->cpu.n_numa, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        double mib_per_s = i % 2 ? 90000 : 22500;
        assert_string_equal(node->kind, i % 2 ? "HBM" : "DRAM");
        assert_int_equal(node->n_cores, 4);
        assert_close(node->bandwidth_bytes_per_s, mib_per_s * 1048576, 1e-12);
    }
    assert_int_equal(device->cpu.numa[1].os_index, 7);
}

static void a_node_with_gpus(void **state)
{
    const struct ert_device *device = discover_data("dgx2-v100.xml");
    check_counts(&device->cpu, 2, 4, 4);
    check_level(device, 2, "L3", 33 << 20, 2);
    check_level(device, 3, "DRAM", (UINT64_C(810234351616) + UINT64_C(811737923584)) / 2,
                2);
    assert_close(device->base_hz, 3.1e9, 1e-12);
    assert_close(device->boost_hz, 3.9e9, 1e-12);
}

/* ---- machines made by hand ---- */

/* A topology of hwloc's synthetic words, loaded, to be changed and exported. */
static hwloc_topology_t make(const char *words)
{
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, words), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

/* Discovers it through a file; frees it. */
static const struct ert_device *discover_made(hwloc_topology_t topology)
{
    char file[] = "/tmp/ert-topology-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(hwloc_topology_export_xml(topology, file, 0), 0);
    hwloc_topology_destroy(topology);
    enum ert_status status = discover(file);
    unlink(file);
    if (status != ERT_OK)
        fail_msg("%s", error.text);
    return &machine.devices[0];
}

static void name_processor(hwloc_topology_t topology, const char *vendor,
                           const char *family, const char *model, const char *name)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    hwloc_obj_add_info(package, "CPUVendor", vendor);
    hwloc_obj_add_info(package, "CPUFamilyNumber", family);
    hwloc_obj_add_info(package, "CPUModelNumber", model);
    hwloc_obj_add_info(package, "CPUModel", name);
}

/* KNL in flat mode, as hwloc sees it on Linux: MCDRAM named, DDR not. */
static void flat_knl(void **state)
{
    hwloc_topology_t topology = make(
        "pack:1 [numa(memory=103079215104)] [numa(memory=17179869184)] l2:32(size=1048576) "
        "l1d:2(size=32768) core:1 pu:4");
    name_processor(topology, "GenuineIntel", "6", "87",
                   "Intel(R) Xeon Phi(TM)  CPU 7210 @ 1.30GHz ");
    hwloc_obj_t mcdram = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, 1);
    free(mcdram->subtype);
    mcdram->subtype = strdup("MCDRAM");
    const struct ert_device *device = discover_made(topology);
    assert_string_equal(device->name, "Intel(R) Xeon Phi(TM) CPU 7210 @ 1.30GHz");
    check_counts(&device->cpu, 1, 64, 256);
    check_level(device, 0, "L1", 32 << 10, 64);
    check_level(device, 1, "L2", 1 << 20, 32);
    check_level(device, 2, "MCDRAM", UINT64_C(16) << 30, 1);
    check_level(device, 3, "DRAM", UINT64_C(96) << 30, 1);
}

static void two_nodes_of_the_same_cores(void **state)
{
    const struct ert_device *device = discover_made(
        make("pack:1 [numa(memory=1073741824)] [numa(memory=1073741824)] core:2 pu:1"));
    assert_string_equal(device->cpu.numa[0].kind, "unknown");
    assert_string_equal(device->cpu.numa[1].kind, "unknown");
}

static void arm_identity(void **state)
{
    hwloc_topology_t topology = make("pack:1 numa:1 core:2 pu:1");
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    hwloc_obj_add_info(package, "CPUImplementer", "0x41");
    hwloc_obj_add_info(package, "CPUPart", "0xd40");
    hwloc_obj_add_info(package, "CPURevision", "1");
    const struct ert_device *device = discover_made(topology);
    assert_string_equal(device->cpu.vendor, "ARM");
    assert_int_equal(device->cpu.model, 0xd40);
    assert_string_equal(device->name, "ARM family 0x41 model 0xd40 stepping 1");
}

/* ---- the running machine ---- */

static void live_machine_is_consistent(void **state)
{
    if (discover(NULL) != ERT_OK)
        fail_msg("%s", error.text);
    const struct ert_device *device = &machine.devices[0];
    assert_string_equal(machine.provenance.topology_source, "live");
    assert_string_equal(device->id, "cpu");
    assert_int_equal(machine.n_devices, 1);
    assert_in_range(device->cpu.n_cores_usable, 1, device->cpu.n_cores);
    assert_in_range(device->cpu.n_pus_usable, device->cpu.n_cores_usable,
                    device->cpu.n_pus);
    assert_in_range(device->cpu.n_numa, 1, ERT_MAX_NUMA);
    assert_true(device->n_levels >= 1);
    assert_int_equal(device->levels[device->n_levels - 1].kind, ERT_LEVEL_MEMORY);
    for (uint32_t i = 0; i < device->n_levels; i++)
        assert_int_equal(device->levels[i].path, ERT_PATH_CACHED);
}

/* The fastest kind comes last, behind more kinds than are listed: favoured cores are kinds of their own. */
static void clocks_of_many_kinds(void **state)
{
    enum { N_KINDS = ERT_MAX_CORE_KINDS + 3 };
    char file[] = "/tmp/ert-test-kinds-XXXXXX";
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, "package:1 core:40 pu:1"), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    for (unsigned i = 0; i < N_KINDS; i++) {
        hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
        char mhz[16], name[] = "FrequencyMaxMHz";
        struct hwloc_info_s info = {name, mhz};
        snprintf(mhz, sizeof mhz, "%u", 3000 + 100 * i);
        hwloc_bitmap_set(cpus, i);
        assert_int_equal(hwloc_cpukinds_register(topology, cpus, (int)i, 1, &info, 0), 0);
        hwloc_bitmap_free(cpus);
    }
    close(mkstemp(file));
    assert_int_equal(hwloc_topology_export_xml(topology, file, 0), 0);
    hwloc_topology_destroy(topology);
    assert_int_equal(discover(file), ERT_OK);
    assert_close(machine.devices[0].boost_hz, 3e9 + 1e8 * (N_KINDS - 1), 1e-12);
    assert_int_equal(machine.devices[0].cpu.n_core_kinds, ERT_MAX_CORE_KINDS);
    unlink(file);
}

int main(void)
{
    forget_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cascade_lake), cmocka_unit_test(clocks_of_many_kinds),
        cmocka_unit_test(memory_kinds), cmocka_unit_test(a_node_with_gpus),
        cmocka_unit_test(flat_knl),     cmocka_unit_test(two_nodes_of_the_same_cores),
        cmocka_unit_test(arm_identity), cmocka_unit_test(live_machine_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
