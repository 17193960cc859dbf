/* SPDX-License-Identifier: BSD-3-Clause */
/* export: the formats of other roofline tools: NERSC, CARM, Kerncraft. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/export_fixture.h"

static void holds_all(const char *text, const char *const *words)
{
    for (; *words; words++)
        assert_contains(text, *words);
}

static void nersc_is_exact(void **state)
{
    (void)state;
    gives_text("nersc", PLANTED_H200, NULL, NULL,
               "memroofs 33300 8900 4620\n"
               "mem_roof_names 'L1' 'L2' 'HBM'\n"
               "comproofs 33300 16700\n"
               "comp_roof_names 'FMA' 'No-FMA'\n"
               "AI_HBM\nAI_L2\nAI_L1\nFLOPS\nlabels\n");
    gives_text("nersc", PLANTED_SINGLE, NULL, NULL,
               "memroofs 20\nmem_roof_names 'DRAM'\ncomproofs 8\ncomp_roof_names 'FMA'\n"
               "AI_HBM\nAI_L2\nAI_L1\nFLOPS\nlabels\n");
}

static void add_point(struct rfl_points *points, const char *name, double l1)
{
    struct rfl_point *point = rfl_points_add(points, name);
    point->time_s = 2;
    assert_int_equal(rfl_points_work(point, "fp64", "", 4e12, 1, NULL), 0);
    if (l1 > 0)
        assert_int_equal(rfl_points_traffic(point, "L1", l1, NULL), 0);
    assert_int_equal(rfl_points_traffic(point, "L2", 2e12, NULL), 0);
    assert_int_equal(rfl_points_traffic(point, "HBM", 0.5e12, NULL), 0);
}

/* 4 TFLOP in 2 s; a label with the reader's keywords in it; then one point without L1 bytes. */
static void nersc_has_points(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    struct rfl_points points = {0};
    add_point(&points, "MAIN'FLOPS labels", 8e12);
    char *text = export_text("nersc", &ceilings, &points, NULL, NULL, &error);
    assert_contains(text, "\nAI_HBM 8\nAI_L2 2\nAI_L1 0.5\nFLOPS 2000\n"
                          "labels 'MA.IN_F.LOPS l.abels'\n");
    free(text);
    add_point(&points, "b", 0);
    text = export_text("nersc", &ceilings, &points, NULL, NULL, &error);
    assert_contains(text, "\nAI 8 8\nFLOPS 2000 2000\nlabels 'MA.IN_F.LOPS l.abels' 'b'\n");
    free(text);
    points.points[1].time_s = 0;
    assert_null(export_text("nersc", &ceilings, &points, NULL, NULL, &error));
    assert_int_equal(error.status, ERT_UNAVAILABLE);
    assert_contains(error.text, "'b' has no time");
    rfl_points_free(&points);
    ert_ceilings_free(&ceilings);
}

/* The Xeon's levels: L1 by two patterns, DRAM only by update, of which the format has no mix. */
static void carm_is_exact(void **state)
{
    (void)state;
    gives_text(
        "carm", PLANTED_XEON, NULL, NULL,
        "Name:,Intel Xeon Processor (SapphireRapids),L1 Size:,96,L2 Size:,4096,L3 Size:,"
        "307200,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,FP FMA,FP_FMA\n"
        "Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP Inst.,GB/s,"
        "I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,"
        "I/Cycle\n"
        "2026-11-21 03:10:00,scalar,dp,1024,2,1,No,0,add,950,0,0,0,0,0,0,0,86,0,167,0\n"
        "2026-11-21 03:10:00,scalar,dp,1024,1,0,No,0,add,700,0,250,0,48,0,0,0,86,0,167,"
        "0\n");
}

/* Its viewer stops at a file without rows. */
static void carm_has_a_row(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    struct ert_device_ceilings *device = &ceilings.devices[0];
    for (size_t i = 0; i < n_ceilings(device, ERT_CEILING_MEMORY); i++)
        snprintf(memory_at(device, i)->key.pattern,
                 sizeof memory_at(device, i)->key.pattern, "update");
    assert_null(export_text("carm", &ceilings, NULL, NULL, NULL, &error));
    assert_int_equal(error.status, ERT_UNAVAILABLE);
    assert_contains(error.text, "carm: cpu has no bandwidth of loads, stores or copies");
    ert_ceilings_free(&ceilings);
}

/* What is known stands with kerncraft's units, the rest as its own word; levels and kernels. */
static void kerncraft_says_what_is_known(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    struct ert_device *device = &ceilings.machine->devices[0];
    static const char *const words[] = {
        "kerncraft version: 0.8.11.dev0\n",
        "model name: \"Intel Xeon Processor (SapphireRapids)\"\n",
        "sockets: INFORMATION_REQUIRED\n",
        "clock: 2.8000 GHz\n",
        "- level: \"L2\"\n",
        "  size per group: 4194.304 kB\n",
        "    load_from: \"L3\"\n",
        "- level: \"MEM\"\n",
        "        results:\n          load: [700.00 GB/s]\n          copy: "
        "[INFORMATION_REQUIRED]\n",
        "    \"MEM\": INFORMATION_REQUIRED\n",
        NULL};
    char *text = export_text("kerncraft", &ceilings, NULL, NULL, NULL, &error);
    holds_all(text, words);
    free(text);
    device->cpu.n_packages = 2;
    device->cpu.n_cores = 32;
    device->cpu.n_pus = 64;
    device->cpu.isa.sse2 = true;
    text = export_text("kerncraft", &ceilings, NULL, NULL, NULL, &error);
    assert_contains(text, "sockets: 2\ncores per socket: 16\nthreads per core: 2\n");
    assert_contains(text, "isa: x86\n");
    free(text);
    ert_ceilings_free(&ceilings);
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    refuses("carm", PLANTED_H200, NULL, NULL, ERT_UNAVAILABLE, "no ceilings of a CPU");
    refuses("carm", PLANTED_XEON, NULL, "fp16", ERT_USAGE, "it has fp64 and fp32");
    refuses("carm", PLANTED_NO_LEVELS, NULL, NULL, ERT_UNAVAILABLE, "no bandwidth");
    refuses("kerncraft", PLANTED_H200, NULL, NULL, ERT_UNAVAILABLE, "no ceilings of a CPU");
    refuses("kerncraft", PLANTED_NO_LEVELS, NULL, NULL, ERT_UNAVAILABLE, "no memory");
    refuses("nersc", PLANTED_H200, NULL, "fp8", ERT_USAGE, "there are: fp64, fp32");
    refuses("nersc", PLANTED_H200, NULL, "int8", ERT_USAGE, "no floating-point");
    refuses("nersc", PLANTED_NO_FLATS, NULL, NULL, ERT_UNAVAILABLE, "there are: none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nersc_is_exact),
        cmocka_unit_test(nersc_has_points),
        cmocka_unit_test(carm_is_exact),
        cmocka_unit_test(carm_has_a_row),
        cmocka_unit_test(kerncraft_says_what_is_known),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests_name("export_tools", tests, NULL, NULL);
}
