/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sections: what the sections beside levels and compute plan, run and fit on the planted machine
 * gives the planted latencies, rates per thread and warp, and rates per place back.
 */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/core/fit/fit.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/run.h"
#include "ert/core/sweep/section.h"
#include "ert/ext/sections/sections.h"
#include "ert/fake/fake.h"

struct rig {
    struct ert_samples samples;
    struct ert_ceilings ceilings;
    struct ert_error error;
};

/* The planted machine (ERT_FAKE), and a config of one section of one of its devices. */
static void make_samples(struct rig *rig, const char *device, enum ert_section section)
{
    struct ert_config *config = &rig->samples.config;
    ert_config_default(config);
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        config->sections[i] = i == (int)section;
    snprintf(config->device, sizeof config->device, "%s", device);
    assert_int_equal(ert_backend_fake.discover(&rig->samples.machine, &rig->error), ERT_OK);
}

static void run_samples(struct rig *rig)
{
    const struct ert_run_hooks hooks = {.candidates = ert_fit_candidates};
    if (ert_plan_make(&rig->samples, &rig->error) != ERT_OK ||
        ert_run(&rig->samples, &hooks, &rig->error) != ERT_OK)
        fail_msg("%s", rig->error.text);
    ert_fit(&rig->samples, &rig->ceilings);
    assert_int_equal(rig->ceilings.n_devices, 1);
}

static struct rig *run_planted(const char *plant, const char *device,
                               enum ert_section section)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    setenv("ERT_FAKE", plant, 1);
    make_samples(rig, device, section);
    run_samples(rig);
    return rig;
}

static struct rig *run_rig(const char *device, enum ert_section section)
{
    return run_planted("noise=0", device, section);
}

static void free_rig(struct rig *rig)
{
    ert_ceilings_free(&rig->ceilings);
    ert_samples_free(&rig->samples);
    free(rig);
}

static const struct ert_device *device_of(const struct rig *rig)
{
    return ert_machine_device(&rig->samples.machine, rig->ceilings.devices[0].device);
}

static const struct ert_ceiling *find(const struct rig *rig, enum ert_ceiling_kind kind,
                                      const char *name)
{
    const struct ert_device_ceilings *found = &rig->ceilings.devices[0];
    for (size_t i = 0; i < n_ceilings(found, kind); i++)
        if (strcmp(ceiling_at(found, kind, i)->name, name) == 0)
            return ceiling_at(found, kind, i);
    fail_msg("no '%s' among %zu", name, n_ceilings(found, kind));
    return NULL;
}

/* DRAM by first touch and MCDRAM by bound buffers come out apart, as rates and as latencies. */
static void memories_are_told_apart(void **state)
{
    struct rig *rig = run_planted("noise=0,mcdram=1", "fake0", ERT_SECTION_LEVELS);
    const struct ert_device_ceilings *found = &rig->ceilings.devices[0];
    uint32_t n = 0;
    for (size_t i = 0; i < n_ceilings(found, ERT_CEILING_MEMORY); i++) {
        const struct ert_ceiling *row = memory_at(found, i);
        bool is_mcdram = strcmp(row->name, "MCDRAM-triad") == 0;
        if (!is_mcdram && strcmp(row->name, "DRAM-triad") != 0)
            continue;
        n++;
        assert_close(row->value, (is_mcdram ? 160e9 : 40e9) * 0.95, 1e-9);
        assert_string_equal(row->evidence->warning, "");
    }
    assert_int_equal(n, 2);
    for (size_t i = 0; i < found->n_not_measured; i++)
        assert_null(strstr(found->not_measured[i].name, "MCDRAM"));
    assert_int_equal(found->n_unattributed, 0);
    free_rig(rig);
    rig = run_planted("noise=0,mcdram=1", "fake0", ERT_SECTION_LATENCY);
    assert_close(find(rig, ERT_CEILING_LATENCY, "MCDRAM-latency")->value, 120e-9, 1e-9);
    assert_close(find(rig, ERT_CEILING_LATENCY, "DRAM-latency")->value, 90e-9, 1e-9);
    free_rig(rig);
}

static void latencies_are_found(void **state)
{
    static const char *const devices[] = {"fake0", "fake1"};
    for (size_t d = 0; d < 2; d++) {
        struct rig *rig = run_rig(devices[d], ERT_SECTION_LATENCY);
        const struct ert_device *device = device_of(rig);
        for (uint32_t i = 0; i < device->n_levels; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s-latency", device->levels[i].name);
            const struct ert_ceiling *extra = find(rig, ERT_CEILING_LATENCY, name);
            assert_close(extra->value, ert_fake_latency(device, &device->levels[i]), 1e-9);
            assert_int_equal(extra->unit, ERT_UNIT_S);
        }
        assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_LATENCY), 4);
        free_rig(rig);
    }
}

/* A curve of each share of reads; of a CPU in memory, of a GPU in L2, too. */
static void loads_are_of_memory(void **state)
{
    static const char *const names[] = {"DRAM-loaded-load-0", "HBM-loaded-update-0"};
    static const size_t n[] = {3, 6};
    for (size_t d = 0; d < 2; d++) {
        struct rig *rig = run_rig(d ? "fake1" : "fake0", ERT_SECTION_LOADED);
        const struct ert_device *device = device_of(rig);
        assert_close(find(rig, ERT_CEILING_LOADED, names[d])->value,
                     ert_fake_latency(device, &device->levels[3]), 1e-9);
        size_t paces = n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_LOADED) / n[d];
        assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_LOADED),
                         n[d] * paces);
        assert_true(paces > 0);
        free_rig(rig);
    }
}

/* The ceiling of one thread's own caches is a quarter of four threads'. */
static void rates_per_thread_are_found(void **state)
{
    struct rig *rig = run_rig("fake0", ERT_SECTION_CONCURRENCY);
    const struct ert_device *device = device_of(rig);
    static const struct {
        const char *of;
        enum ert_kernel_id kernel;
        uint32_t counts[8];
    } expected[] = {
        {"fp64-fma",   ERT_KERNEL_fma_fp64, {1, 2, 3, 4, 5, 6, 7, 8}},
        {"L1-load",    ERT_KERNEL_load,     {1, 2, 3, 4, 8}         },
        {"L2-load",    ERT_KERNEL_load,     {1, 2, 3, 4, 8}         },
        {"L3-load",    ERT_KERNEL_load,     {1, 2, 3, 4, 8}         },
        {"DRAM-load",  ERT_KERNEL_load,     {1, 2, 4, 8}            },
        {"DRAM-triad", ERT_KERNEL_triad,    {1, 2, 4, 8}            },
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        for (size_t c = 0; c < 8 && expected[i].counts[c]; c++, n++) {
            uint32_t count = expected[i].counts[c];
            char name[32], level_name[16] = "";
            snprintf(name, sizeof name, "%s-at-%u-threads", expected[i].of, count);
            const struct ert_ceiling *extra = find(rig, ERT_CEILING_CONCURRENCY, name);
            snprintf(level_name, sizeof level_name, "%s", extra->key.level);
            const struct ert_level *level = ert_device_level(device, level_name);
            double rate = level
                              ? ert_fake_level_bandwidth(device, level, expected[i].kernel)
                              : ert_fake_performance(device, expected[i].kernel);
            assert_close(extra->value, rate * ert_fake_concurrency(device, level, count, 1),
                         1e-9);
            assert_string_equal(extra->key.of, expected[i].of);
            assert_string_equal(extra->key.axis, "threads");
            assert_int_equal(extra->unit,
                             level ? ERT_UNIT_BYTE_PER_S : ERT_UNIT_FLOP_PER_S);
            assert_int_equal(extra->key.count, count);
            assert_int_equal(extra->key.ilp, 0);
        }
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_CONCURRENCY), n);
    free_rig(rig);
}

static void rates_per_warp_are_found(void **state)
{
    struct rig *rig = run_rig("fake1", ERT_SECTION_CONCURRENCY);
    const struct ert_device *device = device_of(rig);
    static const struct {
        const char *of, *level;
        enum ert_kernel_id kernel;
    } expected[] = {
        {"fp64-fma",  NULL,  ERT_KERNEL_fma_fp64},
        {"fp32-fma",  NULL,  ERT_KERNEL_fma_fp32},
        {"fp64-add",  NULL,  ERT_KERNEL_add_fp64},
        {"L1-load",   "L1",  ERT_KERNEL_load    },
        {"L2-load",   "L2",  ERT_KERNEL_load    },
        {"HBM-load",  "HBM", ERT_KERNEL_load    },
        {"HBM-triad", "HBM", ERT_KERNEL_triad   },
    };
    uint32_t counts[ERT_MAX_COUNTS];
    size_t n_counts = ert_counts_list(&rig->samples.devices[0].context, counts);
    assert_int_equal(n_counts, 10);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        for (size_t c = 0; c < 4 * n_counts; c++) {
            uint32_t count = counts[c / 4], ilp = 1u << c % 4;
            char name[32];
            if (ilp == 8 && expected[i].kernel == ERT_KERNEL_triad)
                continue; /* its loads would not fit a thread's registers */
            snprintf(name, sizeof name, "%s-at-%u-warps-ilp-%u", expected[i].of, count,
                     ilp);
            const struct ert_ceiling *extra = find(rig, ERT_CEILING_CONCURRENCY, name);
            const struct ert_level *level =
                expected[i].level ? ert_device_level(device, expected[i].level) : NULL;
            double rate = level
                              ? ert_fake_level_bandwidth(device, level, expected[i].kernel)
                              : ert_fake_performance(device, expected[i].kernel);
            assert_close(extra->value,
                         rate * ert_fake_concurrency(device, level, count, ilp), 1e-9);
            assert_string_equal(extra->key.axis, "warps-per-sm");
            assert_int_equal(extra->key.count, count);
            assert_int_equal(extra->key.ilp, ilp);
        }
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_CONCURRENCY),
                     6 * 40 + 30);
    free_rig(rig);
}

static void rates_per_place_are_found(void **state)
{
    struct rig *rig = run_rig("fake0", ERT_SECTION_NUMA);
    static const struct {
        const char *op;
        enum ert_kernel_id kernel;
    } kernels[] = {
        {"load",  ERT_KERNEL_load },
        {"triad", ERT_KERNEL_triad},
        {"store", ERT_KERNEL_store}
    };
    const struct ert_device *device = device_of(rig);
    const struct ert_level *dram = ert_device_level(device, "DRAM");
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t package = i / 6, node = i / 3 % 2;
        char name[32], from[16], to[16];
        snprintf(name, sizeof name, "DRAM-%s-package%u-node%u", kernels[i % 3].op, package,
                 node);
        const struct ert_ceiling *extra = find(rig, ERT_CEILING_NUMA, name);
        /* Twice the planted L3, less a bit for whole sweeps: nearly at the end of the slide. */
        assert_close(extra->value,
                     ert_fake_level_bandwidth(device, dram, kernels[i % 3].kernel) *
                         ert_fake_place(1 + package, 1 + node),
                     1e-5);
        snprintf(from, sizeof from, "package%u", package);
        snprintf(to, sizeof to, "node%u", node);
        assert_string_equal(extra->key.from, from);
        assert_string_equal(extra->key.to, to);
        assert_string_equal(extra->key.level, "DRAM");
    }
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_NUMA), 12);
    free_rig(rig);
}

/* On the fake machine a section's kernel has its row's rate, whatever the section is. */
static void kernels_of_sections_have_their_rate(void **state)
{
    size_t n_found = 0, n_there = 0;
    for (int k = 0; k < ERT_N_KERNELS; k++)
        n_there += ert_kernel_row(k)->kind == ERT_KIND_SECTION;
    for (int i = 0; i <= ERT_N_SECTIONS; i++) { /* at last the atomics of the GPU */
        int s = i < ERT_N_SECTIONS ? i : ERT_SECTION_ATOMICS;
        if (!ert_sections[s]->cases_are_ceilings || s == ERT_SECTION_LINKS ||
            s == ERT_SECTION_UNIFIED)
            continue;
        struct rig *rig = run_rig(i < ERT_N_SECTIONS ? "fake0" : "fake1", s);
        const struct ert_device_ceilings *found = &rig->ceilings.devices[0];
        for (size_t c = 0; c < found->n; c++) {
            const struct ert_ceiling *ceiling = &found->ceilings[c];
            enum ert_kernel_id kernel;
            if (!ert_ceiling_is_of_section(ceiling))
                continue;
            assert_int_equal(ert_kernel_find(ceiling->kernel, &kernel, NULL), ERT_OK);
            assert_close(ceiling->value, ert_fake_performance(device_of(rig), kernel),
                         1e-9);
            assert_int_equal(ceiling->unit,
                             ert_unit_of_type(ert_type_name(ert_kernel_row(kernel)->type)));
            n_found++;
        }
        free_rig(rig);
    }
    assert_int_equal(n_found, n_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_told_apart),
        cmocka_unit_test(latencies_are_found),
        cmocka_unit_test(loads_are_of_memory),
        cmocka_unit_test(rates_per_thread_are_found),
        cmocka_unit_test(rates_per_warp_are_found),
        cmocka_unit_test(rates_per_place_are_found),
        cmocka_unit_test(kernels_of_sections_have_their_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
