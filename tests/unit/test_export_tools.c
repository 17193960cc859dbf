/* SPDX-License-Identifier: BSD-3-Clause */
/* export: the formats of other roofline tools: CARM, LBNL's ERT. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/export_fixture.h"

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
    assert_null(export_text("carm", &ceilings, NULL, NULL, &error));
    assert_int_equal(error.status, ERT_UNAVAILABLE);
    assert_contains(error.text, "carm: cpu has no bandwidth of loads, stores or copies");
    ert_ceilings_free(&ceilings);
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    refuses("carm", PLANTED_H200, NULL, NULL, ERT_UNAVAILABLE, "no ceilings of a CPU");
    refuses("carm", PLANTED_XEON, NULL, "fp16", ERT_USAGE, "it has fp64 and fp32");
    refuses("carm", PLANTED_NO_LEVELS, NULL, NULL, ERT_UNAVAILABLE, "no bandwidth");
    refuses("ert-json", PLANTED_H200, NULL, "fp8", ERT_USAGE, "there are: fp64, fp32");
    refuses("ert-json", PLANTED_H200, NULL, "int8", ERT_USAGE, "no floating-point");
    refuses("ert-json", PLANTED_NO_FLATS, NULL, NULL, ERT_UNAVAILABLE, "there are: none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carm_is_exact),
        cmocka_unit_test(carm_has_a_row),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests_name("export_tools", tests, NULL, NULL);
}
