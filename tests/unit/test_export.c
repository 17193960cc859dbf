/* SPDX-License-Identifier: BSD-3-Clause */
/* export: the formats that hold all ceilings: CSV, Prometheus, ReFrame. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/export_fixture.h"

/* The single machine: DRAM triad 20 GB/s of 25.6, FP64 FMA 8 GFLOP/s, unknown in theory. */
static void csv_is_exact(void **state)
{
    (void)state;
    gives_text("csv", PLANTED_SINGLE, NULL,
               "device,kind,name,level or type,pattern or "
               "op,on,roof,unit,value,low,high,best,n,valid,"
               "clock Hz,theory,fraction of theory,confidence,warning,share of reads,"
               "bytes moved per byte,moved by\n"
               "cpu,compute,fp64-fma,fp64,fma,sse2,yes,flop/s,8000000000,7920000000,"
               "8040000000,8080000000,21,yes,1000000000,,,high,,,,\n"
               "cpu,memory,DRAM-triad,DRAM,triad,,yes,byte/s,2e+10,1.98e+10,2.01e+10,"
               "2.02e+10,21,yes,1000000000,2.56e+10,0.78125,high,,0.6666666667,1.333333333,"
               "\"by rule, not counted: write-allocate: a line is read before it is stored "
               "to\"\n");
}

static void csv_has_every_row(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_BOTH);
    struct ert_ceiling *extra =
        add_ceiling(&ceilings.devices[0], ERT_CEILING_LATENCY, "L1-latency");
    extra->value = 1.6e-8;
    snprintf(extra->key.level, sizeof extra->key.level, "L1");
    char *text = export_text("csv", &ceilings, NULL, &error);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1 + 5 + 5 + 1 + 4 + 5);
    assert_contains(text, "\ngpu0,latency,L1-latency,L1,,,yes,s,1.6e-08,");
    free(text);
    text = export_text("csv", &ceilings, "cpu", &error);
    assert_null(strstr(text, "gpu0"));
    assert_contains(text, "cpu,memory,L1-add,L1,add,");
    free(text);
    ert_ceilings_free(&ceilings);
}

static void prometheus_is_exact(void **state)
{
    (void)state;
    gives_text(
        "prometheus", PLANTED_SINGLE, NULL,
        "# HELP ert_device_info What was measured, and by which ert; always 1.\n"
        "# TYPE ert_device_info gauge\n"
        "ert_device_info{device=\"cpu\",name=\"Single\",host=\"planted\",version=\"2.0.0\","
        "status=\"complete\",valid=\"true\"} 1\n"
        "# HELP ert_measured_timestamp_seconds When the ceilings were measured.\n"
        "# TYPE ert_measured_timestamp_seconds gauge\n"
        "ert_measured_timestamp_seconds 1795230600\n" /* date -d 2026-11-21T03:10:00Z +%s */
        "# HELP ert_compute_flops Measured peak in floating-point operations per "
        "second.\n"
        "# TYPE ert_compute_flops gauge\n"
        "ert_compute_flops{device=\"cpu\",name=\"fp64-fma\",type=\"fp64\",op=\"fma\","
        "unit=\"sse2\"} 8000000000\n"
        "# HELP ert_compute_low_flops Lower end of the 90 % interval of "
        "ert_compute_flops.\n"
        "# TYPE ert_compute_low_flops gauge\n"
        "ert_compute_low_flops{device=\"cpu\",name=\"fp64-fma\",type=\"fp64\",op=\"fma\","
        "unit=\"sse2\"} 7920000000\n"
        "# HELP ert_compute_high_flops Upper end of the 90 % interval of "
        "ert_compute_flops.\n"
        "# TYPE ert_compute_high_flops gauge\n"
        "ert_compute_high_flops{device=\"cpu\",name=\"fp64-fma\",type=\"fp64\",op=\"fma\","
        "unit=\"sse2\"} 8040000000\n"
        "# HELP ert_memory_bytes_per_second Measured bandwidth of a memory level.\n"
        "# TYPE ert_memory_bytes_per_second gauge\n"
        "ert_memory_bytes_per_second{device=\"cpu\",name=\"DRAM-triad\",level=\"DRAM\","
        "pattern=\"triad\",roof=\"true\"} 2e+10\n"
        "# HELP ert_memory_low_bytes_per_second Lower end of the 90 % interval of "
        "ert_memory_bytes_per_second.\n"
        "# TYPE ert_memory_low_bytes_per_second gauge\n"
        "ert_memory_low_bytes_per_second{device=\"cpu\",name=\"DRAM-triad\",level=\"DRAM\","
        "pattern=\"triad\",roof=\"true\"} 1.98e+10\n"
        "# HELP ert_memory_high_bytes_per_second Upper end of the 90 % interval of "
        "ert_memory_bytes_per_second.\n"
        "# TYPE ert_memory_high_bytes_per_second gauge\n"
        "ert_memory_high_bytes_per_second{device=\"cpu\",name=\"DRAM-triad\",level="
        "\"DRAM\","
        "pattern=\"triad\",roof=\"true\"} 2.01e+10\n"
        "# HELP ert_memory_theory_ratio Measured bandwidth over the theoretical one.\n"
        "# TYPE ert_memory_theory_ratio gauge\n"
        "ert_memory_theory_ratio{device=\"cpu\",name=\"DRAM-triad\",level=\"DRAM\","
        "pattern=\"triad\",roof=\"true\"} 0.78125\n");
}

/* Samples of a metric stand together, also of two devices; labels are escaped. */
static void prometheus_groups_and_escapes(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_BOTH);
    snprintf(ceilings.machine->devices[1].name, 128, "a\"b\\c\nd\te");
    snprintf(compute_at(&ceilings.devices[1], 0)->key.type, 8, "int8");
    compute_at(&ceilings.devices[1], 0)->unit = ERT_UNIT_OP_PER_S;
    char *text = export_text("prometheus", &ceilings, NULL, &error);
    assert_contains(text, ",name=\"a\\\"b\\\\c\xef\xbf\xbd\x64\xef\xbf\xbd\x65\",");
    const char *type = strstr(text, "# TYPE ert_compute_flops gauge");
    assert_non_null(type);
    assert_null(strstr(type + 1, "# TYPE ert_compute_flops gauge"));
    assert_contains(text, "ert_compute_operations_per_second{device=\"cpu\"");
    assert_null(strstr(text, "ert_compute_flops{device=\"cpu\",name=\"fp64-fma\""));
    free(text);
    ert_ceilings_free(&ceilings);
}

/* Bounds are rounded outwards: 0.99 and 1.005 of the value are -0.01 and 0.005. */
static void reframe_is_exact(void **state)
{
    (void)state;
    gives_text("reframe", PLANTED_SINGLE, NULL,
               "# ReFrame references from ceilings measured 2026-11-21T03:10:00Z by ert "
               "2.0.0.\n"
               "# Keys are HOST:DEVICE: rename them to SYSTEM:PARTITION of your "
               "configuration.\n"
               "# Bounds are the measured intervals, as fractions of the value.\n"
               "reference = {\n"
               "    'planted:cpu': {\n"
               "        'fp64_fma': (8, -0.0101, 0.0051, 'Gflop/s'),\n"
               "        'DRAM_triad': (20, -0.0101, 0.0051, 'GB/s'),\n"
               "    },\n"
               "}\n");
}

static void reframe_takes_the_widest(void **state)
{
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    struct ert_ceiling *common = memory_at(&ceilings.devices[0], 1); /* L1-load */
    common->evidence->n_runs = 3;
    common->evidence->runs_low = common->value * 0.95012;
    common->evidence->runs_high = common->value;
    char *text = export_text("reframe", &ceilings, NULL, &error);
    assert_contains(text, "'L1_load': (700, -0.0499, 0.0051, 'GB/s')");
    free(text);
    ert_ceilings_free(&ceilings);
}

/* Loads have the same name from run to run; the roof is the fastest pattern. */
static void loads_are_there_and_the_roof_is_marked(void **state)
{
    static const char *const formats[] = {"reframe", "prometheus", "csv"};
    static const char *const words[] = {"'L1_load': (700,",
                                        "level=\"L1\",pattern=\"add\",roof=\"true\"",
                                        "L1-add,L1,add,,yes,"};
    (void)state;
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char *text = export_text(formats[i], &ceilings, NULL, &error);
        assert_contains(text, words[i]);
        free(text);
    }
    ert_ceilings_free(&ceilings);
}

static void options_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const formats[] = {"csv", "prometheus", "reframe"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        refuses(formats[i], PLANTED_H200, "gpu1", ERT_USAGE, "there are: gpu0");
        refuses(formats[i], PLANTED_NONE, NULL, ERT_UNAVAILABLE, "no ceilings");
    }
}

static void formats_are_found(void **state)
{
    (void)state;
    const struct rfl_exporter *exporter;
    struct ert_error error;
    size_t n;
    const struct rfl_exporter *const *all = rfl_exporters(&n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rfl_exporter_find(all[i]->name, &exporter, &error), ERT_OK);
        assert_ptr_equal(exporter, all[i]);
        assert_int_equal(all[i]->extension[0], '.');
    }
    assert_int_equal(rfl_exporter_find("xml", &exporter, &error), ERT_USAGE);
    assert_contains(error.text, "no format 'xml'; there are: csv, prometheus");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_is_exact),
        cmocka_unit_test(csv_has_every_row),
        cmocka_unit_test(prometheus_is_exact),
        cmocka_unit_test(prometheus_groups_and_escapes),
        cmocka_unit_test(reframe_is_exact),
        cmocka_unit_test(reframe_takes_the_widest),
        cmocka_unit_test(loads_are_there_and_the_roof_is_marked),
        cmocka_unit_test(options_that_do_not_fit),
        cmocka_unit_test(formats_are_found),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
