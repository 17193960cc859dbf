/* SPDX-License-Identifier: BSD-3-Clause */
/* table: what a reader finds in the ceilings' and the peaks' tables. */
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "ert/core/ceilings/table.h"

/* The table of a planted machine; the caller frees it. */
static char *table_of(enum planted which)
{
    char *text = NULL;
    size_t size = 0;
    struct ert_ceilings ceilings = planted_make(which);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ert_ceilings_table(out, &ceilings);
    fclose(out);
    ert_ceilings_free(&ceilings);
    return text;
}

/* The line of a ceiling, cut out of the text. */
static const char *line_of(char *text, const char *name)
{
    char *line = strstr(text, name);
    if (!line)
        fail_msg("no '%s' in:\n%s", name, text);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static void a_ceiling_has_its_evidence(void **state)
{
    (void)state;
    char *text = table_of(PLANTED_H200);
    assert_contains(text, "gpu0: NVIDIA H200, clock held 1.980 GHz, 2026-11-21T03:10:00Z");
    const char *line = line_of(text, "HBM-load ");
    assert_contains(line, "4620 GB/s");
    assert_contains(line, "4574 .. 4643 GB/s"); /* x 0.99, x 1.005 */
    assert_contains(line, "96.0 % of 4814 GB/s");
    assert_contains(line, "1.980 GHz");
    assert_contains(line, "load, 132x1024, 3.725 GiB");
    assert_contains(line, "100 % reads, fastest of HBM");
    free(text);
    text = table_of(PLANTED_H200);
    line = line_of(text, "HBM-copy ");
    assert_null(strstr(line, "fastest"));
    assert_contains(line, "50 % reads");
    assert_null(strstr(line, "moves")); /* of a GPU */
    free(text);
    text = table_of(PLANTED_SINGLE);
    assert_contains(line_of(text, "DRAM-triad "),
                    "67 % reads, moves 1.33x by write-allocate");
    free(text);
}

static void unknown_theory_is_said(void **state)
{
    (void)state;
    char *text = table_of(PLANTED_H200);
    assert_contains(line_of(text, "L2-load "), "unknown");
    free(text);
}

static void columns_are_aligned(void **state)
{
    (void)state;
    char *text = table_of(PLANTED_XEON);
    const char *head = strstr(text, "  ceiling ");
    size_t column = (size_t)(strstr(head, "value") - head);
    const char *row = strstr(text, "  L1-load ");
    assert_memory_equal(row + column, "700.0 GB/s", 10);
    free(text);
}

static void troubles_are_said(void **state)
{
    (void)state;
    char *text = table_of(PLANTED_NASTY);
    assert_contains(text, "not valid: the clock fell");
    assert_contains(text, "102.0 % of 98.00 GB/s");
    assert_contains(text, "confidence low [1]");
    assert_contains(text, "  [1] above its theoretical peak, check both");
    assert_contains(text, "  [2] interval is 12 % wide");
    assert_contains(text,
                    "not measured: L5-load, L5-copy: no plateau where the topology has L5");
    assert_contains(
        text, "unattributed: load, cached, 1.907 MiB to 2.861 MiB: 98.50 GB/s: between");
    free(text);
}

static void no_ceilings_is_said(void **state)
{
    (void)state;
    char *text = table_of(PLANTED_NONE);
    assert_contains(text, "no ceilings");
    free(text);
}

static void peaks_show_formula_or_why_not(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    struct ert_ceilings ceilings = planted_make(PLANTED_NASTY);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    ert_peaks_table(out, ceilings.devices[0].peaks, ceilings.devices[0].n_peaks);
    fclose(out);
    assert_contains(text, "4 channels x 8 B x 2.4 GHz");
    assert_contains(text, "data sheet");
    assert_contains(line_of(text, "fp64-fma"), "cc 99.9 is not in the table");
    free(text);
    ert_ceilings_free(&ceilings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ceiling_has_its_evidence),
        cmocka_unit_test(unknown_theory_is_said),
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(troubles_are_said),
        cmocka_unit_test(no_ceilings_is_said),
        cmocka_unit_test(peaks_show_formula_or_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
