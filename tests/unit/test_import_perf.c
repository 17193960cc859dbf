/* SPDX-License-Identifier: BSD-3-Clause */
/* perf: operations, memory, time, and what is missing. */
#include "tests/unit/import_cpu_fixture.h"

static void skylake_counts_operations(void **state)
{
    import("perf/skylake.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 1e6 + 2 * 2e6 + 4 * 3e9 + 8 * 4e9, 0);
    assert_close(flops(run, "fp32"), 500, 0);
    assert_true(isnan(run->work[0].fma_share));
    assert_close(run->time_s, 2, 1e-12);
    assert_close(run->clock_hz, 3e9, 1e-12);
    assert_close(run->instructions, 31e9, 0);
    assert_true(warns(run, "256b_packed_double:u was counted 50.01 %"));
    assert_true(warns(run, "512b_packed_single:u is not supported"));
    assert_contains(missing(run, "DRAM bytes"), "roofline import --help");
}

/* Written by hand: tests/data/perf/README.md. */
static void zen5_tells_types_and_counts_its_memory(void **state)
{
    import("perf/zen5.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 800e9 + 5e6, 0);
    assert_int_equal(run->n_work, 1);
    assert_int_equal(run->n_missing, 0);
    assert_close(bytes(run, "DRAM"), 64 * 2e9, 0);
    assert_close(rfl_point_traffic(run, "DRAM")->read_bytes, 64 * 1.5e9, 0);
    assert_close(run->clock_hz, 4e9, 1e-12);
    assert_false(warns(run, "alike"));
}

/* The forms for readers and -j have what -x has. */
static void other_forms_are_read(void **state)
{
    static const struct {
        const char *file;
        double time_s;
    } files[] = {
        {"perf/readers.txt",  45487165e-9 },
        {"perf/objects.json", 5581942e-9  },
        {"perf/repeated.txt", 9600877e-9  },
        {"perf/per-cpu.json", 101543598e-9},
    };
    for (size_t i = 0; i < ERT_LENGTH(files); i++) {
        import(files[i].file);
        assert_close(point("whole run")->time_s, files[i].time_s, 1e-12);
    }
    import("perf/multiplexed.txt");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 1e9 + 4 * 2e9, 0);
    assert_close(run->time_s, 5.576858768, 1e-12);
    assert_close(run->clock_hz, 29062029109 / 5.57608, 1e-12);
    assert_close(bytes(run, "DRAM"), 110.75 * 1048576, 1e-12);
    assert_true(warns(run, "scalar_double was counted 50.01 %"));
    assert_true(warns(run, "512b_packed_double is not supported"));
}

static void zen3_counts_all_types_alike(void **state)
{
    import("perf/zen3.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 44e9, 0);
    assert_true(warns(run, "fp64 and fp32 operations together"));
    assert_close(bytes(run, "DRAM"), 64 * 36e6, 0);
    assert_true(warns(run, "was counted 50 %"));
    assert_close(run->instructions, 31e9, 0);
}

static void scaled_memory_is_in_MiB(void **state)
{
    import("perf/sockets.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(bytes(run, "DRAM"), (199.87 + 89.92 + 293.57 + 226.15) * 1048576, 1e-12);
    assert_contains(missing(run, "time"), "duration_time");
    assert_true(warns(run, "whole machine"));
}

static void software_events_give_time_alone(void **state)
{
    import("perf/software.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(run->time_s, 0.10270139, 1e-9);
    missing(run, "operations");
}

static struct ert_cpu cpu_of(const char *vendor, uint32_t family, uint32_t model)
{
    struct ert_cpu cpu = {.family = family, .model = model};
    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    return cpu;
}

/* What a file of software events lacks, and which words come with it. */
static void what_is_missing_comes_with_the_events_of_the_cpu(void **state)
{
    static const char zen5[] = "cpu/event=0x03,umask=0xaf,name=fp64_packed_flops/u,"
                               "cpu/event=0x03,umask=0x8f,name=fp64_scalar_flops/u";
    static const char all[] = "instructions,fp_ret_sse_avx_ops.all:u";
    static const char umc[] = "-e umc_cas_cmd.rd,umc_cas_cmd.wr";
    static const char channels[] = "--metric-no-group -M nps1_die_to_dram";
    static const struct {
        const char *vendor;
        uint32_t family, model;
        const char *cpus, *operations, *memory; /* NULL: nothing is added */
    } rows[] = {
        {"GenuineIntel", 6,    0x8f,  "Intel",            "instructions,fp_arith_inst", "-e uncore_imc/"},
        {"AuthenticAMD", 0x17, 0x01,  "AMD Zen",
         "instructions,cpu/event=0x03,umask=0xf0,name=fp64_flops/u",                    channels        },
        {"AuthenticAMD", 0x17, 0x31,  "AMD Zen 2, Zen 3", all,                          channels        },
        {"AuthenticAMD", 0x19, 0x01,  "AMD Zen 2, Zen 3", all,                          channels        },
        {"AuthenticAMD", 0x19, 0x21,  "AMD Zen 2, Zen 3", all,                          channels        },
        {"AuthenticAMD", 0x19, 0x11,  "AMD Zen 4",        all,                          umc             },
        {"AuthenticAMD", 0x19, 0x61,  "AMD Zen 4",        all,                          umc             },
        {"AuthenticAMD", 0x1a, 0x02,  "AMD Zen 5",        zen5,                         umc             },
        {"AuthenticAMD", 0x1a, 0x44,  "AMD Zen 5",        zen5,                         umc             },
        {"AuthenticAMD", 0x1a, 0x70,  "AMD Zen 5",        zen5,                         umc             },
        {"AuthenticAMD", 0x1a, 0x50,  NULL,               NULL,                         NULL            },
        {"ARM",          0x41, 0xd40, NULL,               NULL,                         NULL            },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct ert_cpu cpu = cpu_of(rows[i].vendor, rows[i].family, rows[i].model);
        char words[256];
        import("perf/software.csv");
        rfl_profile_advise(&points, &cpu);
        const char *operations = missing(point("whole run"), "operations");
        const char *memory = missing(point("whole run"), "DRAM bytes");
        if (!rows[i].cpus) {
            assert_null(strstr(operations, "; on "));
            assert_null(strstr(memory, "; on "));
            continue;
        }
        snprintf(words, sizeof words, "page-faults; on %s: perf stat -e %s", rows[i].cpus,
                 rows[i].operations);
        assert_contains(operations, words);
        snprintf(words, sizeof words, "; on %s: perf stat -a %s", rows[i].cpus,
                 rows[i].memory);
        assert_contains(memory, words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake_counts_operations),
        cmocka_unit_test(zen5_tells_types_and_counts_its_memory),
        cmocka_unit_test(other_forms_are_read),
        cmocka_unit_test(zen3_counts_all_types_alike),
        cmocka_unit_test(scaled_memory_is_in_MiB),
        cmocka_unit_test(software_events_give_time_alone),
        cmocka_unit_test(what_is_missing_comes_with_the_events_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
