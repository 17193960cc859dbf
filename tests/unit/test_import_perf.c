/* SPDX-License-Identifier: BSD-3-Clause */
/* perf: operations, memory, time, and what is missing. */
#include "tests/unit/import_cpu_fixture.h"

static void skylake_counts_operations(void **state)
{
    (void)state;
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
    (void)state;
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

static void zen3_counts_all_types_alike(void **state)
{
    (void)state;
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
    (void)state;
    import("perf/sockets.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(bytes(run, "DRAM"), (199.87 + 89.92 + 293.57 + 226.15) * 1048576, 1e-12);
    assert_contains(missing(run, "time"), "duration_time");
    assert_true(warns(run, "whole machine"));
}

static void software_events_give_time_alone(void **state)
{
    (void)state;
    import("perf/software.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(run->time_s, 0.10270139, 1e-9);
    missing(run, "operations");
}

static void row(const char *text)
{
    if (import_text(&rfl_import_perf, text, NULL) != ERT_OK)
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(points.n, 1);
}

static void layouts_and_separators(void **state)
{
    (void)state;
    row("1000,,unc_m_cas_count.rd,1,100.00\n24,,unc_m_cas_count.wr,1,100.00\n");
    assert_close(bytes(&points.points[0], "DRAM"), 64.0 * 1024, 0);
    row("S0\t4\t7\t\tcpu_core/instructions/u\t5\t100.00\t\t\n");
    assert_close(points.points[0].instructions, 7, 0);
    row("CPU0|7||instructions:u|5|100.00||\nCPU1|8||instructions:u|5|100.00||\n");
    assert_close(points.points[0].instructions, 15, 0);
    row("7;;instructions;0.50%;5;100.00;;\n"); /* -r: variance */
    assert_close(points.points[0].instructions, 7, 0);
    row("7;;instructions;group_a;5;99.00;;\n"); /* cgroup */
    assert_close(points.points[0].instructions, 7, 0);
    row("64,Bytes,unc_m_cas_count.all,1,100.00\n");
    assert_close(bytes(&points.points[0], "DRAM"), 64, 0);
    row("3,25;Joules;power/energy-pkg/;5;100,00;;\n"); /* decimal comma */
    assert_close(points.points[0].energy_j, 3.25, 0);
}

/* The names of perf on AMD, and those of the recipes, in the spellings that perf has. */
static void names_of_amd_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *event;
        double fp64, fp32;
    } rows[] = {
        {"fp_ret_sse_avx_ops.all",                 5, 0},
        {"fp_ret_sse_avx_ops.all:u",               5, 0},
        {"cpu/fp_ret_sse_avx_ops.all/u",           5, 0},
        {"retired_sse_avx_flops",                  5, 0},
        {"fp_ret_sse_avx_ops.dp_mult_add_flops",   5, 0},
        {"fp_ret_sse_avx_ops.dp_div_flops:u",      5, 0},
        {"fp_ret_sse_avx_ops.sp_add_sub_flops",    0, 5},
        {"fp_ret_sse_avx_ops.packed_double_flops", 5, 0},
        {"fp_ret_sse_avx_ops.scalar_double_flops", 5, 0},
        {"fp_ret_sse_avx_ops.packed_single_flops", 0, 5},
        {"fp64_flops",                             5, 0},
        {"fp64_scalar_flops",                      5, 0},
        {"cpu/fp64_packed_flops/u",                5, 0},
        {"fp_ret_sse_avx_ops.mac_flops",           0, 0}, /* a part of .all */
        {"fp_ret_sse_avx_ops.bfloat16_flops",      0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "5;;%s;1;100.00;;\n", rows[i].event);
        row(text);
        if (flops(&points.points[0], "fp64") != rows[i].fp64 ||
            flops(&points.points[0], "fp32") != rows[i].fp32)
            fail_msg("%s: %g, %g", rows[i].event, flops(&points.points[0], "fp64"),
                     flops(&points.points[0], "fp32"));
    }
    row("5,,umc_cas_cmd.all,1,100.00\n");
    assert_close(bytes(&points.points[0], "DRAM"), 5 * 64, 0);
}

static void what_counted_no_operations_is_named(void **state)
{
    (void)state;
    row("5,,fp_ret_sse_avx_ops.mac_flops:u,1,100.00\n"
        "6,,fp_ret_sse_avx_ops.mac_flops:u,1,100.00\n"
        "7,,branch-misses,1,100.00\n8,,branch,1,100.00\n8,,misses,1,100.00\n9,,"
        "instructions,1,100.00\n");
    assert_string_equal(missing(&points.points[0], "operations"),
                        "no operations were counted; not used: "
                        "fp_ret_sse_avx_ops.mac_flops:u, branch-misses, branch, misses");
    row("0,,fp_ret_sse_avx_ops.packed_double_flops,1,100.00\n"
        "0,,fp_arith_inst_retired.scalar_double,1,100.00\n");
    assert_string_equal(missing(&points.points[0], "operations"),
                        "no operations were counted; 0 by "
                        "fp_ret_sse_avx_ops.packed_double_flops, "
                        "fp_arith_inst_retired.scalar_double");
    char many[2048] = "";
    for (int i = 0; i < 20; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "5,,ls_any_fills_from_sys.%d,1,100.00\n", i);
    row(many);
    assert_contains(missing(&points.points[0], "operations"),
                    "ls_any_fills_from_sys.4, ls_any_fills_from_sys.5 and 14 more");
    row("5,,branches,1,100.00\n7,,fp_ret_sse_avx_ops.all,1,100.00\n");
    for (size_t i = 0; i < points.points[0].n_missing; i++)
        assert_string_not_equal(points.points[0].missing[i].what, "operations");
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
    (void)state;
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

/* What the recipes tell perf to write is what the importer reads. */
static void recipes_are_read(void **state)
{
    (void)state;
    static const char *const words[] = {"fp_arith_inst_retired.scalar_double",
                                        "fp_arith_inst_retired.256b_packed_double",
                                        "fp_ret_sse_avx_ops.all",
                                        "name=fp64_flops/u",
                                        "name=fp64_packed_flops/u",
                                        "name=fp64_scalar_flops/u"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[128];
        const char *name = strchr(words[i], '=');
        assert_contains(rfl_import_perf.how, words[i]);
        name = name ? name + 1 : words[i];
        snprintf(text, sizeof text, "5;;%.*s;1;100.00;;\n", (int)strcspn(name, "/"), name);
        row(text);
        assert_true(flops(&points.points[0], "fp64") > 0);
    }
}

static void what_was_not_counted_is_missing(void **state)
{
    (void)state;
    row("5,,fp_arith_inst_retired.scalar_double,1,100.00\n"
        "<not counted>,,fp_arith_inst_retired.256b_packed_double,0,100.00\n"
        "7,MiB,uncore_imc/cas_count_read/,1,100.00\n"
        "<not counted>,MiB,uncore_imc/cas_count_write/,0,100.00\n"
        "7,,fp_arith_inst_retired.4_flops,1,100.00\n");
    assert_int_equal(points.points[0].n_work, 0);
    assert_int_equal(points.points[0].n_traffic, 0);
    assert_contains(missing(&points.points[0], "fp64 flops"), "256b_packed_double");
    assert_contains(missing(&points.points[0], "DRAM bytes"), "cas_count_write");
    assert_true(warns(&points.points[0], ".4_flops"));
    row("7,MiB,uncore_imc/cas_count_read/,1,100.00\n");
    assert_contains(missing(&points.points[0], "DRAM bytes"), "only reads");
}

static void bad_perf_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_perf, "     1.001720870,171778714,,instructions:u,3203,100.00,,\n",
            "perf stat -I");
    refused(&rfl_import_perf, "     1.00,S0,1,1491.27,MiB,uncore_imc/x/,510,100.00\n",
            "perf stat -I");
    refused(&rfl_import_perf, "1,234,567;msec;task-clock;5;100.00\n", "LC_ALL=C");
    refused(&rfl_import_perf, "1,234.5;msec;task-clock;5;100.00\n", "LC_ALL=C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake_counts_operations),
        cmocka_unit_test(zen5_tells_types_and_counts_its_memory),
        cmocka_unit_test(zen3_counts_all_types_alike),
        cmocka_unit_test(scaled_memory_is_in_MiB),
        cmocka_unit_test(software_events_give_time_alone),
        cmocka_unit_test(layouts_and_separators),
        cmocka_unit_test(names_of_amd_are_known),
        cmocka_unit_test(what_counted_no_operations_is_named),
        cmocka_unit_test(what_is_missing_comes_with_the_events_of_the_cpu),
        cmocka_unit_test(recipes_are_read),
        cmocka_unit_test(what_was_not_counted_is_missing),
        cmocka_unit_test(bad_perf_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
