/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which counts are added: of one run, of different events, units and places; scaled by the share of the time;
 * and what is missing, 0, or only named. In the files of all tools that count events of CPUs.
 */
#include "tests/unit/import_cpu_fixture.h"

/* The file of one run of perf: the elapsed time, then rows "value,unit,event,ran,per cent". */
static const struct rfl_point *perf(const char *rows)
{
    char text[4096];
    snprintf(text, sizeof text, "2000000000,ns,duration_time,2000000000,100.00,,\n%s",
             rows);
    if (import_text(&rfl_import_perf, text, NULL) != ERT_OK)
        fail_msg("%s: %s", error.text, text);
    assert_int_equal(points.n, 1);
    return &points.points[0];
}

static const struct rfl_point *only(const struct rfl_importer *importer, const char *text)
{
    if (import_text(importer, text, NULL) != ERT_OK)
        fail_msg("%s: %s", error.text, text);
    assert_int_equal(points.n, 1);
    return &points.points[0];
}

static const struct rfl_point *likwid(const char *threads, const char *events,
                                      const char *metrics)
{
    char text[2048];
    snprintf(text, sizeof text,
             "TABLE,Group 1 Raw,X,9\nEvent,Counter,%s\n%s"
             "TABLE,Group 1 Metric,X,9\nMetric,%s\n%s",
             threads, events, threads, metrics);
    return only(&rfl_import_likwid_csv, text);
}

static bool lacks(const struct rfl_point *of, const char *what)
{
    return rfl_point_lacks(of, what);
}

/* ---- the same run? ---- */

static void runs_are_points(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* --append */
        "# started on Mon Jan  6\n\n2000000000,ns,duration_time,1,100.00,,\n"
        "1000,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
        "# started on Tue Jan  7\n\n2000000000,ns,duration_time,1,100.00,,\n"
        "1000,,fp_arith_inst_retired.scalar_double,1,100.00,,\n",
        /* 2>>, and the time last */
        "1000;;fp_arith_inst_retired.scalar_double;1;100.00;;\n2000000000;ns;duration_time;"
        "1;100.00;;\n"
        "1000;;fp_arith_inst_retired.scalar_double;1;100.00;;\n2000000000;ns;duration_time;"
        "1;100.00;;\n",
        /* two sockets each */
        "# started "
        "on\nS0,1,2000000000,ns,duration_time,1,100.00,,\nS1,1,2000000000,ns,duration_time,"
        "1,"
        "100.00,,\nS0,8,400,,fp_arith_inst_retired.scalar_double,1,100.00,,\nS1,8,600,,"
        "fp_arith_inst_retired.scalar_double,1,100.00,,\n# started "
        "on\nS0,1,2000000000,ns,duration_time,1,"
        "100.00,,\nS0,8,1000,,fp_arith_inst_retired.scalar_double,1,100.00,,\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(import_text(&rfl_import_perf, texts[i], NULL), ERT_OK);
        assert_int_equal(points.n, 2);
        for (size_t r = 0; r < 2; r++) {
            assert_string_equal(points.points[r].run, r ? "run 2" : "");
            assert_close(flops(&points.points[r], "fp64"), 1000, 0);
            assert_close(points.points[r].time_s, 2, 1e-12);
        }
    }
}

/* Reports of other tools, one behind the other. */
static void reports_are_runs(void **state)
{
    (void)state;
    static const char sde[] =
        "# Mix output version 10\n# EMIT_GLOBAL_DYNAMIC_STATS EMIT# 1\n"
        "*elements_fp_double_4 10\nVADDPD 10\n*total 100\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", sde, sde);
    assert_int_equal(import_text(&rfl_import_sde, text, NULL), ERT_OK);
    assert_int_equal(points.n, 2);
    for (size_t r = 0; r < 2; r++) {
        assert_string_equal(points.points[r].run, r ? "run 2" : "");
        assert_close(flops(&points.points[r], "fp64"), 40, 1e-12);
    }
}

/* perf 6.1 itself, with software events. */
static void real_files_of_perf(void **state)
{
    (void)state;
    import("perf/appended.csv");
    assert_int_equal(points.n, 2);
    assert_close(points.points[0].time_s, 0.028518449, 1e-12);
    assert_close(points.points[1].time_s, 0.039306127, 1e-12);
    import("perf/twice.csv");
    assert_close(point("whole run")->time_s, 0.093412486, 1e-12);
    assert_true(warns(point("whole run"), "used once: task-clock:u, duration_time"));
    import("perf/per-cpu.csv");
    assert_close(point("whole run")->time_s, 0.076086086, 1e-12);
}

/* ---- the same event? ---- */

static void an_event_counts_once(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "1000,,fp_arith_inst_retired.scalar_double,1,50.00,,\n"
        "1000,,fp_arith_inst_retired.scalar_double,1,50.00,,\n",
        "1000,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
        "999,,fp_arith_inst_retired.scalar_double:u,1,100.00,,\n",
        "1000,,cpu/fp_arith_inst_retired.scalar_double/u,1,100.00,,\n"
        "999,,FP_ARITH_INST_RETIRED.SCALAR_DOUBLE:uk,1,100.00,,\n",
        "1400,,fp_arith_inst_retired.scalar_double,1,50.00,,\n7,,branches,1,100.00,,\n"
        "1000,,fp_arith_inst_retired.scalar_double,1,75.00,,\n", /* the one that ran longer */
        "<not counted>,,fp_arith_inst_retired.scalar_double,0,0.00,,\n"
        "1000,,fp_arith_inst_retired.scalar_double,1,75.00,,\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rfl_point *run = perf(rows[i]);
        assert_close(flops(run, "fp64"), 1000, 0);
        if (i < 4)
            assert_true(warns(run, "used once"));
    }
    const struct rfl_point *run = perf("2000.00,msec,task-clock,1,100.00,,\n"
                                       "2001.00,msec,cpu-clock,1,100.00,,\n"
                                       "6000000000,,cycles,1,100.00,,\n"
                                       "6000000000,,cycles:u,1,100.00,,\n"
                                       "6000000000,,cpu-cycles,1,100.00,,\n");
    assert_close(run->clock_hz, 3e9, 1e-12);
}

/* The same requests by another name, or as the sum over what is listed beside it. */
static void memory_counts_once(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "1.00,MiB,uncore_imc/cas_count_read/,1,100.00,,\n1.00,MiB,uncore_imc/"
        "cas_count_write/,1,100.00,,\n"
        "16384,,unc_m_cas_count.rd,1,100.00,,\n16384,,unc_m_cas_count.wr,1,100.00,,\n",
        "1.00,MiB,uncore_imc/cas_count_read/,1,100.00,,\n1.00,MiB,uncore_imc/"
        "cas_count_write/,1,100.00,,\n"
        "0.50,MiB,uncore_imc_0/cas_count_read/,1,100.00,,\n"
        "0.50,MiB,uncore_imc_1/cas_count_read/,1,100.00,,\n",
        "0.50,MiB,uncore_imc_0/cas_count_read/,1,100.00,,\n"
        "0.50,MiB,uncore_imc_1/cas_count_read/,1,100.00,,\n"
        "1.00,MiB,uncore_imc_0/cas_count_write/,1,100.00,,\n"
        "0.00,MiB,uncore_imc_1/cas_count_write/,1,100.00,,\n",
        "16384,,unc_m_cas_count.rd [uncore_imc_0],1,100.00,,\n"
        "8192,,unc_m_cas_count.wr [uncore_imc_0],1,100.00,,\n"
        "8192,,unc_m_cas_count.wr [uncore_imc_1],1,100.00,,\n",
        "32768,,unc_m_cas_count.all,1,100.00,,\n16384,,unc_m_cas_count.rd,1,100.00,,\n"
        "16384,,unc_m_cas_count.wr,1,100.00,,\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_close(bytes(perf(rows[i]), "DRAM"), 2 << 20, 1e-12);
}

/* Reads and writes, or what counts them together: what is not used is neither named nor missed. */
static void all_requests_beside_reads_and_writes(void **state)
{
    (void)state;
    static const char reads_writes[] = "16384,,unc_m_cas_count.rd,1,100.00,,\n"
                                       "16384,,unc_m_cas_count.wr,1,100.00,,\n",
                      no_writes[] = "16384,,unc_m_cas_count.rd,1,100.00,,\n"
                                    "<not counted>,,unc_m_cas_count.wr,0,0.00,,\n",
                      all[] = "32768,,unc_m_cas_count.all,1,100.00,,\n",
                      no_all[] = "<not counted>,,unc_m_cas_count.all,0,0.00,,\n";
    static const struct {
        const char *first, *second, *recipe;
    } rows[] = {
        {all,    reads_writes, "unc_m_cas_count.rd + unc_m_cas_count.wr: requests"},
        {no_all, reads_writes, "unc_m_cas_count.rd + unc_m_cas_count.wr: requests"},
        {all,    no_writes,    "unc_m_cas_count.all: requests"                    },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", rows[i].first, rows[i].second);
        const struct rfl_point *run = perf(text);
        assert_close(bytes(run, "DRAM"), 2 << 20, 0);
        const char *recipe = rfl_point_traffic(run, "DRAM")->recipe;
        assert_memory_equal(recipe, rows[i].recipe, strlen(rows[i].recipe));
    }
    char text[512];
    snprintf(text, sizeof text, "%s%s", no_all, no_writes);
    assert_contains(missing(perf(text), "DRAM bytes"), "unc_m_cas_count.wr");
}

/* Xeon 6: each of two sub-channels has its events. */
static void sub_channels_are_added(void **state)
{
    (void)state;
    const struct rfl_point *run =
        perf("2.00,MiB,uncore_imc/cas_count_read_sch0/,1,100.00,,\n"
             "1.00,MiB,uncore_imc/cas_count_read_sch1/,1,100.00,,\n"
             "0.50,MiB,uncore_imc/cas_count_write_sch0/,1,100.00,,\n"
             "0.25,MiB,uncore_imc/cas_count_write_sch1/,1,100.00,,\n");
    assert_close(bytes(run, "DRAM"), 3.75 * 1048576, 1e-12);
    assert_close(rfl_point_traffic(run, "DRAM")->read_bytes, 3 << 20, 1e-12);
    run = perf(
        "2,,unc_m_cas_count_sch0.rd,1,100.00,,\n1,,unc_m_cas_count_sch0.wr,1,100.00,,\n");
    assert_contains(missing(run, "DRAM bytes"), "one of two sub-channels");
}

/* perf stat --for-each-cgroup: they are different programs. */
static void cgroups_are_apart(void **state)
{
    (void)state;
    static const char text[] = "1000;ns;duration_time;a;1000;100.00;;\n7;;fp_arith_inst_"
                               "retired.scalar_double;a;1;100.00;;\n"
                               "1000;ns;duration_time;b;1000;100.00;;\n3;;fp_arith_inst_"
                               "retired.scalar_double;b;1;100.00;;\n";
    assert_int_equal(import_text(&rfl_import_perf, text, NULL), ERT_OK);
    assert_int_equal(points.n, 2);
    assert_string_equal(points.points[0].run, "a");
    assert_string_equal(points.points[1].run, "b");
    assert_close(flops(&points.points[0], "fp64"), 7, 0);
    assert_close(flops(&points.points[1], "fp64"), 3, 0);
    assert_close(points.points[1].time_s, 1e-6, 1e-12);
}

/* ---- the same PMU? ---- */

static void kinds_of_cores_have_shares(void **state)
{
    (void)state;
    const struct rfl_point *run =
        perf("6720143357,,cpu_atom/instructions/,16548968,2.00,,\n"
             "20875198260,,cpu_core/instructions/,622042486,97.00,,\n"
             "1000.00,msec,task-clock,1,100.00,,\n"
             "1000000000,,cpu_atom/cycles/,16548968,2.00,,\n"
             "4000000000,,cpu_core/cycles/,622042486,97.00,,\n");
    assert_close(run->instructions, 6720143357 * 0.02 + 20875198260 * 0.97, 1e-12);
    assert_close(run->clock_hz, 1e9 * 0.02 + 4e9 * 0.97, 1e-12);
    assert_false(warns(run, "multiplexed"));
    run =
        perf("400000000,,cpu_core/fp_arith_inst_retired.scalar_double/,500000000,50.00,,\n"
             "600000000,,cpu_atom/fp_flops_retired.fp64/,500000000,50.00,,\n");
    assert_close(flops(run, "fp64"), 500e6, 1e-12);
    /* an event that shared the counters of its cores: its count is of all the time that these ran */
    run = perf(
        "1000,,cpu_core/instructions/,1,60.00,,\n10,,cpu_atom/instructions/,1,40.00,,\n"
        "500,,cpu_core/fp_arith_inst_retired.scalar_double/u,1,30.00,,\n"
        "100,,cpu_atom/fp_flops_retired.fp64/,1,40.00,,\n");
    assert_close(flops(run, "fp64"), 500 * 0.6 + 100 * 0.4, 1e-12);
    assert_true(warns(run, "multiplexed"));
    run = perf("1000,,armv8_cortex_a55/instructions/,1,60.00,,\n"
               "10,,armv8_cortex_a76/instructions/,1,40.00,,\n");
    assert_close(run->instructions, 604, 1e-12);
    /* once more, without the kind */
    run = perf(
        "1000,,cpu_core/instructions/,1,60.00,,\n10,,cpu_atom/instructions/,1,40.00,,\n"
        "777,,instructions:u,1,100.00,,\n");
    assert_close(run->instructions, 604, 1e-12);
    /* the whole machine: each kind all the time */
    run = perf(
        "1000,,cpu_core/instructions/,1,100.00,,\n10,,cpu_atom/instructions/,1,100.00,,\n");
    assert_close(run->instructions, 1010, 0);
    /* operations of one kind of cores only */
    run = perf(
        "1000,,cpu_core/instructions/,1,50.00,,\n10,,cpu_atom/instructions/,1,50.00,,\n"
        "600,,cpu_core/fp_arith_inst_retired.scalar_double/,1,50.00,,\n");
    assert_close(flops(run, "fp64"), 300, 1e-12);
    assert_true(warns(run, "not counted on cpu_atom"));
}

/* ---- lost, or 0? ---- */

static void an_unused_unit_is_zero(void **state)
{
    (void)state;
    const struct rfl_point *run =
        perf("<not "
             "counted>,,cpu_atom/instructions/,0,0.00,,\n1000,,cpu_core/instructions/"
             ",1,100.00,,\n"
             "<not counted>,,cpu_atom/fp_flops_retired.fp64/,0,0.00,,\n"
             "70,,cpu_core/fp_arith_inst_retired.scalar_double/,1,100.00,,\n");
    assert_close(run->instructions, 1000, 0);
    assert_close(flops(run, "fp64"), 70, 0);
    assert_false(lacks(run, "fp64 flops"));
    run = perf("CPU0,70,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
               "CPU1,<not counted>,,fp_arith_inst_retired.scalar_double,0,100.00,,\n");
    assert_close(flops(run, "fp64"), 70, 0);
    /* but a CPU that counted something else lost it */
    run = perf("CPU0,70,,fp_arith_inst_retired.scalar_double,1,100.00,,\nCPU1,5,,"
               "instructions,1,100.00,,\n"
               "CPU1,<not counted>,,fp_arith_inst_retired.scalar_double,0,100.00,,\n");
    assert_contains(missing(run, "fp64 flops"), "scalar_double");
    /* and a channel of the memory always runs */
    run = perf("7,MiB,uncore_imc_0/cas_count_read/,1,100.00\n<not counted>,MiB,"
               "uncore_imc_1/cas_count_read/,0,100.00\n7,MiB,uncore_imc_0/cas_count_write/"
               ",1,100.00\n");
    assert_contains(missing(run, "DRAM bytes"), "uncore_imc_1/cas_count_read/");
    run = likwid(
        "HWThread 0,HWThread 1",
        "INSTR_RETIRED_ANY,FIXC0,9,-\nFP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,70,-\n",
        "Runtime (RDTSC) [s],1.5,-\nDP [MFLOP/s],0.00005,-\n");
    assert_close(flops(run, "fp64"), 70, 0);
}

static void a_lost_count_is_missing(void **state)
{
    (void)state;
    const struct rfl_point *run =
        likwid("HWThread 0",
               "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC1,1000000000\n"
               "FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE,PMC3,-\n",
               "Runtime (RDTSC) [s],1.0000\nDP [MFLOP/s],1000\n");
    assert_contains(missing(run, "fp64 flops"), "512B_PACKED_DOUBLE");
    assert_int_equal(run->n_work, 0);
    run = likwid(
        "HWThread 0,HWThread 1",
        "INSTR_RETIRED_ANY,FIXC0,9,9\nFP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,70,nil\n",
        "Runtime (RDTSC) [s],1.5,1.5\n");
    assert_contains(missing(run, "fp64 flops"), "SCALAR_DOUBLE (row 4: 'nil')");
    run = perf("5,furlongs,uncore_imc/cas_count_read/,5,100.00\n5,MiB,uncore_imc/"
               "cas_count_write/,5,100.00\n");
    assert_contains(missing(run, "DRAM bytes"), "'furlongs' is not known");
    run = perf(
        "five,,fp_arith_inst_retired.scalar_single,5,100.00\n7,,instructions,1,100.00\n");
    assert_close(run->instructions, 7, 0);
}

/* Counters that went below 0 have no value, nor has what was computed from them. */
static void overflows_are_said(void **state)
{
    (void)state;
    const struct rfl_point *run = likwid(
        "HWThread 0", "DRAM_READS,MBOX0C1,1.844674e+19\nDRAM_WRITES,MBOX0C2,10344340\n",
        "Runtime (RDTSC) [s],82.9011\nMemory bandwidth [MBytes/s],nil\n"
        "Memory evict data volume [GBytes],0.6620\n"
        "Memory data volume [GBytes],1180591360000\n");
    assert_contains(missing(run, "DRAM bytes"), "overflowed");
    run = perf("18446744073709551000,,fp_arith_inst_retired.scalar_double,1,100.00\n");
    assert_contains(missing(run, "fp64 flops"), "overflowed");
}

/* ---- not known ---- */

static void what_looks_like_work_is_named(void **state)
{
    (void)state;
    assert_true(
        warns(perf("5,,fp_arith_inst_retired.scalar_double,1,100.00\n"
                   "7,,fp_arith_inst_retired.4_flops,1,100.00\n7,,branches,1,100.00\n"
                   "0,,fp_assist.any,1,100.00\n"),
              "not used, though they can count operations or bytes: "
              "fp_arith_inst_retired.4_flops"));
    assert_false(warns(&points.points[0], "branches"));
    assert_false(warns(&points.points[0], "fp_assist"));
    assert_true(warns(
        likwid("HWThread 0",
               "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,70\nFP_COMP_OPS_EXE_X87,PMC1,3\n",
               "Runtime (RDTSC) [s],1.5\n"),
        "FP_COMP_OPS_EXE_X87"));
}

/* ---- likwid's rates ---- */

static void rates_and_events(void **state)
{
    (void)state;
    /* one event of all types, under both names */
    const struct rfl_point *run =
        likwid("HWThread 0", "RETIRED_SSE_AVX_FLOPS_ALL,PMC0,2000000\n",
               "Runtime (RDTSC) [s],1.0000\nDP [MFLOP/s],2.0000\nSP [MFLOP/s],2.0000\n");
    assert_int_equal(run->n_work, 1);
    assert_close(flops(run, "fp64"), 2e6, 1e-12);
    assert_true(warns(run, "of either type"));
    run = likwid("HWThread 0", "RETIRED_SSE_AVX_FLOPS_ALL,PMC0,2000000\n",
                 "Runtime (RDTSC) [s],1.0000\nSP [MFLOP/s],2.0000\n");
    assert_close(flops(run, "fp32"), 2e6, 1e-12);
    assert_true(warns(run, "all types together"));
    run = likwid("HWThread 0", "RETIRED_SSE_AVX_FLOPS_ALL_DP_PACKED,PMC0,2000000\n",
                 "Runtime (RDTSC) [s],1.0000\nDP [MFLOP/s],2.0000\n");
    assert_close(flops(run, "fp64"), 2e6, 1e-12);
    assert_int_equal(run->n_warnings, 0);
    /* the group has operations of an event that nothing is known of */
    run = likwid("HWThread 0",
                 "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,1000000\nFP_ARITH_INST_RETIRED_"
                 "NEW,PMC1,5\n",
                 "Runtime (RDTSC) [s],1.0000\nDP [MFLOP/s],41.0000\n");
    assert_close(flops(run, "fp64"), 41e6, 1e-12);
    assert_true(warns(run, "the latter are used"));
}

static void more_digits_count(void **state)
{
    (void)state;
    static const char region[] = "TABLE,Region tiny,Group 1 Raw,L3,1\nRegion Info,Core 3\n"
                                 "RDTSC Runtime [s],%s\ncall count,1\n"
                                 "TABLE,Region tiny,Group 1 Metric,L3,1\nMetric,Core 3\n"
                                 "Runtime (RDTSC) [s],%s\n";
    static const struct {
        const char *info, *metric;
        double time_s;
    } rows[] = {
        {"0.000000",  "4.500000e-07", 4.5e-7    },
        {"0.000012",  "1.234500e-05", 1.2345e-5 },
        {"82.901120", "82.9011",      82.90112  },
        {"0.091028",  "0.09102752",   0.09102752},
        {"1.000000",  "-",            1         },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, region, rows[i].info, rows[i].metric);
        assert_close(only(&rfl_import_likwid_csv, text)->time_s, rows[i].time_s, 1e-12);
    }
}

static void commas_in_regions(void **state)
{
    (void)state;
    static const char *const names[] = {"axpy<double, 4>", "a,b", "f(int, Group)",
                                        "x, Group 1y"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "TABLE,Region %s,Group 1 Raw,X,1\nRegion Info,Core 3\nRDTSC Runtime [s],2\n"
            "TABLE,Region %s,Group 1 Metric,X,1\nMetric,Core 3\nL2 data volume "
            "[GBytes],1.25\n",
            names[i], names[i]);
        const struct rfl_point *region = only(&rfl_import_likwid_csv, text);
        assert_string_equal(region->name, names[i]);
        assert_close(bytes(region, "L2"), 1.25e9, 1e-12);
        snprintf(text, sizeof text,
                 "Region %s, Group 1: MEM\n| Metric | HWThread 0 |\n"
                 "| Runtime (RDTSC) [s] | 1 |\n| Memory data volume [GBytes] | 2 |\n",
                 names[i]);
        assert_string_equal(only(&rfl_import_likwid, text)->name, names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_points),
        cmocka_unit_test(reports_are_runs),
        cmocka_unit_test(real_files_of_perf),
        cmocka_unit_test(an_event_counts_once),
        cmocka_unit_test(memory_counts_once),
        cmocka_unit_test(all_requests_beside_reads_and_writes),
        cmocka_unit_test(sub_channels_are_added),
        cmocka_unit_test(cgroups_are_apart),
        cmocka_unit_test(kinds_of_cores_have_shares),
        cmocka_unit_test(an_unused_unit_is_zero),
        cmocka_unit_test(a_lost_count_is_missing),
        cmocka_unit_test(overflows_are_said),
        cmocka_unit_test(what_looks_like_work_is_named),
        cmocka_unit_test(rates_and_events),
        cmocka_unit_test(more_digits_count),
        cmocka_unit_test(commas_in_regions),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
