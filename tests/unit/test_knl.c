/*
 * knl: Knights Landing in its memory and cluster modes: what is discovered, planned and fitted, against
 * numbers written down by hand from the machines of knl.h.
 */
#include "tests/unit/knl.h"
#include "tests/unit/test.h"

#include "ert/backend/cpu/pin.h"
#include "ert/ceilings/fit.h"
#include "ert/machine/discover.h"
#include "ert/machine/theory.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/sets.h"

#include <unistd.h>

#define GIB(n) ((uint64_t)(n) << 30)
#define MIB(n) ((uint64_t)(n) << 20)

static struct ert_samples samples;
static struct ert_error error;

/* Discovers a machine of knl.h and plans its default run and its threads. */
static const struct ert_device *plan(const char *name, uint64_t memory_max_bytes)
{
    char file[] = "/tmp/ert-knl-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    ert_samples_free(&samples);
    samples = (struct ert_samples){0};
    assert_non_null(knl_find(name));
    assert_int_equal(knl_write(knl_find(name), file), 0);
    enum ert_status status = ert_discover_host(file, &samples.machine, &error);
    unlink(file);
    if (status != ERT_OK)
        fail_msg("%s", error.text);
    struct ert_device *device = &samples.machine.devices[0];
    device->cpu.isa = ert_theory_isa(device);
    ert_config_default(&samples.config);
    samples.config.memory_max_bytes = memory_max_bytes;
    samples.config.sections[ERT_SECTION_CONCURRENCY] = true;
    snprintf(samples.config.device, sizeof samples.config.device, "cpu");
    if (ert_plan_make(&samples, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return device;
}

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

/* What is discovered: cores, threads, nodes, modes, levels. */
static void modes_are_seen(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t cores, nodes;
        const char *levels;
    } expected[] = {
        {"quad-flat-7210",   64, 2,
         "L1 64 x 0.03125, L2 32 x 1, MCDRAM memory 1 x 16384, DRAM memory 1 x 98304"},
        {"quad-cache-7250",  68, 1,
         "L1 68 x 0.03125, L2 34 x 1, MCDRAM 1 x 16384, DRAM memory 1 x 98304"       },
        {"quad-hybrid-7250", 68, 2,
         "L1 68 x 0.03125, L2 34 x 1, MCDRAM-cache 1 x 8192, MCDRAM memory 1 x 8192, "
         "DRAM memory 1 x 98304"                                                     },
        {"snc2-flat-7210",   64, 4,
         "L1 64 x 0.03125, L2 32 x 1, MCDRAM memory 2 x 8192, DRAM memory 2 x 49152" },
        {"snc4-flat-7250",   68, 8,
         "L1 68 x 0.03125, L2 34 x 1, MCDRAM memory 4 x 4096, DRAM memory 4 x 24576" },
        {"snc4-flat-7290",   72, 8,
         "L1 72 x 0.03125, L2 36 x 1, MCDRAM memory 4 x 4096, DRAM memory 4 x 24576" },
        {"snc4-cache-7290",  72, 4,
         "L1 72 x 0.03125, L2 36 x 1, MCDRAM 4 x 4096, DRAM memory 4 x 49152"        },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct ert_device *device = plan(expected[i].name, 0);
        const struct knl *machine = knl_find(expected[i].name);
        assert_int_equal(device->cpu.n_packages, 1);
        assert_int_equal(device->cpu.n_cores, expected[i].cores);
        assert_int_equal(device->cpu.n_cores_usable, expected[i].cores);
        assert_int_equal(device->cpu.n_pus_usable, 4 * expected[i].cores);
        assert_int_equal(device->cpu.n_numa, expected[i].nodes);
        assert_string_equal(device->cpu.cluster_mode, machine->cluster_mode);
        assert_string_equal(device->cpu.memory_mode, machine->memory_mode);
        check_levels(device, expected[i].levels);
        assert_int_equal(samples.machine.n_notes, 0);
    }
    assert_null(knl_find(""));
}

/* DDR nodes first; quarters of 9 and 8 tiles. */
static void nodes_have_their_cores(void **state)
{
    (void)state;
    const struct ert_device *device = plan("snc4-flat-7250", 0);
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        bool is_ddr = node->os_index < 4;
        assert_string_equal(node->kind, is_ddr ? "DRAM" : "MCDRAM");
        assert_int_equal(node->size_bytes, GIB(is_ddr ? 24 : 4));
        assert_int_equal(node->n_cores, node->os_index % 4 < 2 ? 18 : 16);
    }
}

/* The least and the largest set of the loads in a memory (0: by first touch), and how many. */
static size_t loads(uint32_t to, uint64_t *least, uint64_t *largest)
{
    size_t n = 0;
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != ERT_SECTION_LEVELS || point->case_.to != to ||
            point->case_.kernel != ERT_KERNEL_load)
            continue;
        assert_int_equal(point->case_.from, 0);
        assert_string_equal(point->variant.isa, "avx512");
        assert_int_equal(point->variant.threads,
                         samples.machine.devices[0].cpu.n_cores_usable);
        uint64_t set = point->case_.working_set_bytes;
        *least = n == 0 || set < *least ? set : *least;
        *largest = n == 0 || set > *largest ? set : *largest;
        n++;
    }
    return n;
}

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < samples.devices[0].n_absent; i++)
        if (strcmp(samples.devices[0].absent[i].name, name) == 0)
            return samples.devices[0].absent[i].reason;
    return "";
}

/* Flat: four times L2 in DDR by first touch, and the same bound to MCDRAM's first node. */
static void flat_memories_are_both_swept(void **state)
{
    (void)state;
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
        assert_int_equal(loads(1 + expected[i].node, &least, &largest), 1);
        assert_int_equal(largest, set);
        assert_true(loads(0, &least, &largest) > 20);
        assert_int_equal(least, device->cpu.n_cores * UINT64_C(2048));
        /* In hybrid mode DDR is behind 8 GiB of cache: as far as the default's memory goes. */
        assert_int_equal(largest, is_hybrid ? MIB(3900) / 2 - set : set);
        assert_int_equal(loads(1, &least, &largest), 0); /* DDR needs no binding */
    }
}

/* MCDRAM as a cache: nothing is bound; DDR needs sets beyond it. */
static void cache_mode_is_swept_through(void **state)
{
    (void)state;
    uint64_t least, largest;
    const struct ert_device *device = plan("quad-cache-7250", 0);
    loads(0, &least, &largest);
    assert_int_equal(largest, MIB(3900) / 2);
    assert_contains(reason_of("DRAM-latency"), "no working set of this level");
    plan("quad-cache-7250", GIB(80));
    loads(0, &least, &largest);
    assert_int_equal(largest, GIB(40));
    device = plan("snc4-cache-7290", GIB(160));
    loads(0, &least, &largest);
    assert_int_equal(largest, GIB(64));
    double low, high;
    ert_sets_level_range(device, ert_device_level(device, "MCDRAM"), &low, &high);
    assert_true(low == (double)MIB(36) && high == (double)GIB(16));
    ert_sets_level_range(device, ert_device_level(device, "DRAM"), &low, &high);
    assert_true(low == (double)GIB(16));
}

/* Memory that is too short for MCDRAM's set beside the others is a reason. */
static void no_room_for_mcdram(void **state)
{
    (void)state;
    uint64_t least, largest;
    plan("quad-flat-7210", MIB(200));
    assert_int_equal(loads(2, &least, &largest), 0);
    assert_contains(reason_of("MCDRAM-load"), "fit in MCDRAM and in memory_max_bytes");
}

/* Every core with one to four threads, and the powers of two between. */
static void threads_of_the_concurrency_section(void **state)
{
    (void)state;
    uint32_t marks[] = {1, 64, 68, 128, 136, 204, 272};
    plan("quad-cache-7250", 0);
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        bool is_there = false;
        for (size_t i = 0; i < samples.devices[0].n_points; i++)
            is_there |= samples.devices[0].points[i].case_.concurrency == marks[k] &&
                        samples.devices[0].points[i].case_.kernel == ERT_KERNEL_fma_fp64;
        assert_true(is_there);
    }
}

/* Chases in DDR and in MCDRAM are of one thread each, in their own memory. */
static void latencies_are_of_their_memory(void **state)
{
    (void)state;
    uint32_t seen = 0;
    plan("snc4-flat-7290", 0);
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        const struct ert_point *point = &samples.devices[0].points[i];
        if (point->section != ERT_SECTION_LATENCY)
            continue;
        assert_int_equal(point->case_.concurrency, 1);
        seen |= point->case_.to == 1 + 4 ? 2 : 1;
        assert_true(point->case_.to == 0 || point->case_.to == 1 + 4);
    }
    assert_int_equal(seen, 3);
}

/*
 * Each thread's MCDRAM is its quarter's, whichever hardware thread it stands on: quarters begin at cores
 * 0, 18, 36 and 52. hwloc takes the file for this machine when told so.
 */
static void each_thread_has_its_nearest_node(void **state)
{
    (void)state;
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

/* Rates of 90 GB/s in DDR and 450 in MCDRAM come out as two ceilings; no curve mixes them. */
static void memories_are_fitted_apart(void **state)
{
    (void)state;
    struct ert_ceilings ceilings;
    plan("snc4-flat-7290", 0);
    for (size_t i = 0; i < samples.devices[0].n_points; i++) {
        struct ert_point *point = &samples.devices[0].points[i];
        double set = (double)point->case_.working_set_bytes;
        double rate = point->case_.to ? 450e9 : set > 0x1p20 * 36 ? 90e9 : 2e12;
        if (point->section != ERT_SECTION_LEVELS)
            continue;
        point->work.working_set_bytes = point->case_.working_set_bytes;
        point->work.bytes_per_pass = set;
        point->status = ERT_POINT_MEASURED;
        for (int k = 0; k < 5; k++) {
            struct ert_sample sample = {.time_s = set / rate * (1 + 1e-4 * k), .passes = 1};
            assert_int_equal(ert_point_add(point, &sample, &error), ERT_OK);
        }
    }
    if (ert_fit(&samples, &ceilings, &error) != ERT_OK)
        fail_msg("%s", error.text);
    double mcdram = 0, ddr = 0;
    for (size_t i = 0; i < ceilings.devices[0].n_memory; i++) {
        const struct ert_memory_ceiling *row = &ceilings.devices[0].memory[i];
        mcdram = strcmp(row->common.name, "MCDRAM-load") == 0 ? row->common.value : mcdram;
        ddr = strcmp(row->common.name, "DRAM-load") == 0 ? row->common.value : ddr;
    }
    assert_close(mcdram, 450e9, 1e-3);
    assert_close(ddr, 90e9, 1e-3);
    for (size_t i = 0; i < ceilings.devices[0].n_curve; i++)
        assert_true(ceilings.devices[0].curve[i].rate_bytes_per_s < 449e9 ||
                    ceilings.devices[0].curve[i].rate_bytes_per_s > 451e9);
    ert_ceilings_free(&ceilings);
}

/* Peaks at the AVX clock, 200 MHz below the nominal one: 64 x 32 x 1.1, 68 x 32 x 1.2, 72 x 32 x 1.3. */
static void peaks_use_the_avx_clock(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double fma;
    } expected[] = {
        {"quad-flat-7210",  2252.8e9},
        {"quad-cache-7250", 2611.2e9},
        {"snc4-flat-7290",  2995.2e9},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ert_peak peaks[ERT_MAX_PEAKS];
        size_t n;
        ert_theory_peaks(plan(expected[i].name, 0), 0, 0, peaks, &n);
        const struct ert_peak *peak = ert_theory_find(peaks, n, "fp64-fma");
        assert_string_equal(peak->clock, "avx");
        assert_close(peak->value, expected[i].fma, 1e-9);
        assert_contains(peak->source, "product brief, note 3");
        /* Loads do not lower the clock. */
        assert_string_equal(ert_theory_find(peaks, n, "L1-load")->clock, "base");
    }
    /* 64 cores of a 7250, as published: 2.46 TFLOP/s. */
    struct ert_peak peaks[ERT_MAX_PEAKS];
    size_t n;
    ert_theory_peaks(plan("quad-cache-7250", 0), 64, 0, peaks, &n);
    assert_close(ert_theory_find(peaks, n, "fp64-fma")->value, 2.4576e12, 1e-9);
}

static int free_samples(void **state)
{
    (void)state;
    ert_samples_free(&samples);
    return 0;
}

int main(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    struct ert_device any = {.kind = ERT_DEVICE_CPU, .cpu.isa = {.avx512f = true}};
    struct ert_session_options options = {0};
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    if (ert_backend_cpu.variants(&any, &options, ERT_KERNEL_load, ERT_PATH_CACHED, variants,
                                 reason, sizeof reason) == 0) {
        printf("1..0 # SKIP this build has no AVX-512F kernels\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_seen),
        cmocka_unit_test(nodes_have_their_cores),
        cmocka_unit_test(flat_memories_are_both_swept),
        cmocka_unit_test(cache_mode_is_swept_through),
        cmocka_unit_test(no_room_for_mcdram),
        cmocka_unit_test(threads_of_the_concurrency_section),
        cmocka_unit_test(latencies_are_of_their_memory),
        cmocka_unit_test(each_thread_has_its_nearest_node),
        cmocka_unit_test(memories_are_fitted_apart),
        cmocka_unit_test(peaks_use_the_avx_clock),
    };
    return cmocka_run_group_tests(tests, NULL, free_samples);
}
