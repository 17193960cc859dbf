/* SPDX-License-Identifier: BSD-3-Clause */
/* ncu-section: the section file of Nsight Compute. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/export_fixture.h"

/* The planted H200 as a GPU with 132 SMs. */
static struct ert_ceilings h200(void)
{
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    struct ert_device *device = &ceilings.machine->devices[0];
    device->gpu.n_sms = 132;
    snprintf(device->levels[1].name, 16, "shared");
    return ceilings;
}

static void holds_all(const char *text, const char *const *words)
{
    for (; *words; words++)
        assert_contains(text, *words);
}

/*
 * FMA 33.3 of 33.45 TFLOP/s x 2; L2 8.9e12 / 1.98e9 / 132 = 34.0526 bytes per SM and cycle; HBM 4.62 of
 * 4.814 TB/s.
 */
static void ncu_section_has_the_roofs(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = h200();
    static const char *const words[] = {
        "Identifier: \"ErtRoofline\"\n",
        "Expression: \"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained * "
        "1.99103\"",
        "Expression: \"sm__sass_thread_inst_executed_op_dadd_pred_on.sum.peak_sustained * "
        "0.998207\"",
        "Expression: \"device__attribute_multiprocessor_count * 127.41\"",
        "Expression: \"device__attribute_multiprocessor_count * 34.0526\"",
        "Expression: \"dram__bytes.sum.peak_sustained * 0.959701\"",
        "Expression: \"lts__t_sectors_srcunit_tex.sum.per_second * 32\"",
        "Label: \"HBM load measured (96.0 % of peak), FP64 FMA measured (99.6 % of peak)\"",
        "Label: \"Measured roofline, FP64\"",
        "Label: \"Measured roofline, FP32\"",
        "Name: \"l1tex__t_bytes.sum.per_second\"",
        NULL};
    char *text = export_text("ncu-section", &ceilings, NULL, NULL, &error);
    holds_all(text, words);
    assert_null(strstr(text, "FP16"));
    free(text);
    text = export_text("ncu-section", &ceilings, NULL, "fp32", &error);
    assert_null(strstr(text, "dfma"));
    free(text);
    ert_ceilings_free(&ceilings);
}

/* Names that are used are defined or counted by ncu, once; braces match. */
static void ncu_section_is_whole(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = h200();
    char *text = export_text("ncu-section", &ceilings, NULL, NULL, &error);
    int depth = 0;
    for (const char *at = text; *at; at++) {
        depth += (*at == '{') - (*at == '}');
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    for (const char *at = text; (at = strstr(at, "Name: \"derived__")); at++) {
        char definition[160];
        int length = (int)strcspn(at + 7, "\"");
        snprintf(definition, sizeof definition,
                 "    Name: \"%.*s\"\n    Expression: ", length, at + 7);
        const char *found = strstr(text, definition);
        if (!found || strstr(found + 1, definition))
            fail_msg("%.*s is defined %s", length, at + 7, found ? "twice" : "nowhere");
    }
    free(text);
    ert_ceilings_free(&ceilings);
}

/* A clock below that of the theory takes nothing from the roof: it follows the profiled clock. */
static void ncu_section_is_per_clock(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = h200();
    struct ert_device_ceilings *device = &ceilings.devices[0];
    struct ert_peak peak = {.name = "fp64-fma", .per_clock = 16896};
    device->peaks = calloc(1, sizeof peak);
    assert_non_null(device->peaks);
    device->peaks[device->n_peaks++] = peak;
    snprintf(compute_at(device, 0)->evidence->theory_name, 32, "fp64-fma");
    compute_at(device, 0)->evidence->clock_hz = 1e9;
    compute_at(device, 0)->value = 16.896e12 * 0.5;
    char *text = export_text("ncu-section", &ceilings, NULL, NULL, &error);
    assert_contains(text, "op_dfma_pred_on.sum.peak_sustained * 1\"");
    free(text);
    ert_ceilings_free(&ceilings);
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    refuses("ncu-section", PLANTED_H200, NULL, "fp8", ERT_USAGE, "it has fp64, fp32");
    refuses("ncu-section", PLANTED_H200, NULL, "fp16", ERT_UNAVAILABLE, "no FMA peak");
    refuses("ncu-section", PLANTED_XEON, NULL, NULL, ERT_UNAVAILABLE,
            "no ceilings of a GPU");
    refuses("ncu-section", PLANTED_BOTH, "cpu", NULL, ERT_USAGE, "is for a GPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ncu_section_has_the_roofs),
        cmocka_unit_test(ncu_section_is_whole),
        cmocka_unit_test(ncu_section_is_per_clock),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests_name("export_ncu", tests, NULL, NULL);
}
