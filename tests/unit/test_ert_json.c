/* SPDX-License-Identifier: BSD-3-Clause */
/* ert_json: results of LBNL's ERT into ceilings. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/json_fixture.h"

#include "analysis/ext/import/import.h"

static const char *k20x(void)
{
    static char name[1024];
    const char *source = getenv("top_srcdir");
    snprintf(name, sizeof name, "%s/tests/data/ert/roofline-k20x.json",
             source ? source : ".");
    return name;
}

static enum ert_status read_text(const char *text, struct ert_ceilings *ceilings,
                                 struct ert_error *error)
{
    *ceilings = (struct ert_ceilings){0};
    put_file(file, text, strlen(text));
    return rfl_ert_read(file, ceilings, error);
}

static void reads_a_gpu(void **state)
{
    struct ert_ceilings ceilings = {0};
    struct ert_error error;
    assert_int_equal(rfl_ert_read(k20x(), &ceilings, &error), ERT_OK);
    const struct ert_device_ceilings *device = &ceilings.devices[0];
    assert_string_equal(device->device, "gpu0");
    assert_int_equal(ceilings.machine->devices[0].kind, ERT_DEVICE_GPU);
    assert_int_equal(n_ceilings(device, ERT_CEILING_MEMORY), 2);
    assert_string_equal(memory_at(device, 0)->name, "L1-update");
    assert_close(memory_at(device, 0)->value, 559.14e9, 1e-12);
    assert_string_equal(memory_at(device, 1)->key.level, "DRAM");
    assert_close(memory_at(device, 1)->value, 160.66e9, 1e-12);
    assert_int_equal(n_ceilings(device, ERT_CEILING_COMPUTE), 1);
    assert_string_equal(compute_at(device, 0)->name, "fp64-fma");
    assert_close(compute_at(device, 0)->value, 1225.48e9, 1e-12);
    assert_int_equal(compute_at(device, 0)->confidence, ERT_CONFIDENCE_LOW);
    /* TIMESTAMP_DATA 1444719848.91 of gbytes: it differs from that of gflops */
    assert_string_equal(ceilings.created, "2015-10-13T07:04:08Z");
    assert_string_equal(ceilings.machine->provenance.tool_version, "LBNL ERT 1.1.0");
    assert_string_equal(ceilings.machine->provenance.host, "titan-login.example");
    assert_contains(ceilings.machine->notes[1], "\"L1\" is the L2");
    ert_ceilings_free(&ceilings);
}

static void bad_files_are_named(void **state)
{
    static const struct {
        const char *gbytes, *words;
    } rows[] = {
        {"[]",                      "contain no number"                      },
        {"{}",                      "gbytes.data"                            },
        {"[[\"L1\"]]",              "gbytes.data[0]: must be [label, number]"},
        {"[[\"L1\",\"x\"]]",        "contain no number"                      },
        {"[[1,1]]",                 "gbytes.data[0][0]"                      },
        {"[[\"\",1]]",              "label ''"                               },
        {"[[\"L1\",-1]]",           "-1"                                     },
        {"[[\"L1\",1e300]]",        "1e+300"                                 },
        {"[[\"L1\",2],[\"L1\",1]]", "'L1' appears twice"                     },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct ert_ceilings ceilings;
        struct ert_error error = {ERT_OK, ""};
        snprintf(text, sizeof text, "{\"empirical\":{\"gbytes\":{\"data\":%s}}}",
                 rows[i].gbytes);
        assert_int_equal(read_text(text, &ceilings, &error), ERT_USAGE);
        assert_contains(error.text, rows[i].words);
        assert_contains(error.text, file);
        assert_null(ceilings.machine);
    }
}

static void other_files_are_refused(void **state)
{
    static const char *const texts[] = {
        "", "{}", "[1]", "{\"empirical\":3}", "{\"empirical\":{}}", "{\"spec\":{}}", "{"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct ert_ceilings ceilings;
        struct ert_error error = {ERT_OK, ""};
        assert_int_equal(read_text(texts[i], &ceilings, &error), ERT_USAGE);
        assert_contains(error.text, file);
        assert_null(ceilings.machine);
    }
}

/* Later versions and forks have a peak per precision and kernel, with any label, and no CONFIG. */
static void peaks_by_their_labels(void **state)
{
    static const struct {
        const char *gflops;
        const char *names; /* of the ceilings, in order */
        const char *device;
    } rows[] = {
        {"[\"FP64 GFLOPs\",7],[\"FP32 GFLOPs\",15],[\"FP16 GFLOPs\",29]",
         "fp64-fma fp32-fma fp16-fma ",                                                           "cpu" },
        {"[\"FP32\",1]",                                                    "fp32-fma ",          "cpu" },
        {"[\"SP GFLOPs\",1],[\"DP GFLOPs\",2]",                             "fp32-fma fp64-fma ", "cpu" },
        {"[\"GFLOPs\",1]",                                                  "fp64-fma ",          "cpu" },
        {"[\"TENSOR\",9],[\"HP\",1]",                                       "fp16-mma fp16-fma ", "gpu0"},
        {"[\"FP64 Vector GFLOPs FMA\",3500],[\"FP64 Vector GFLOPs\",1750]",
         "fp64-fma fp64-add ",                                                                    "cpu" },
        {"[\"FP64 Vector GFLOPs\",1750],[\"FP64 Vector GFLOPs FMA\",3500]",
         "fp64-fma fp64-add ",                                                                    "cpu" },
        {"[\"FP32 no FMA\",1],[\"FP32 (FMA)\",2]",                          "fp32-add fp32-fma ", "cpu" },
        {"[\"a name of far more than fifteen bytes\",1]",                   "fp64-fma ",          "cpu" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_ceilings ceilings;
        struct ert_error error;
        char text[512], names[128] = "";
        snprintf(text, sizeof text, "{\"empirical\": {\"gflops\": {\"data\": [%s]}}}",
                 rows[i].gflops);
        if (read_text(text, &ceilings, &error) != ERT_OK)
            fail_msg("%s", error.text);
        for (size_t c = 0; c < n_ceilings(&ceilings.devices[0], ERT_CEILING_COMPUTE); c++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s ",
                     compute_at(&ceilings.devices[0], c)->name);
        assert_string_equal(names, rows[i].names);
        assert_string_equal(ceilings.devices[0].device, rows[i].device);
        ert_ceilings_free(&ceilings);
    }
}

#define NINE                                                                               \
    "[[\"a\",1],[\"b\",1],[\"c\",1],[\"d\",1],[\"e\",1],[\"f\",1],[\"g\",1],[\"h\",1],["   \
    "\"i\",1]]"

static void a_bad_number_costs_its_level(void **state)
{
    struct ert_ceilings ceilings;
    struct ert_error error;
    if (read_text("{\"empirical\":{\"gbytes\":{\"data\":[[\"L1\",null],[\"DRAM\",5]]},"
                  "\"gflops\":{\"data\":[[\"FP64\",\"n/a\"],[\"FP32\",2]]}}}",
                  &ceilings, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(n_ceilings(&ceilings.devices[0], ERT_CEILING_MEMORY), 1);
    assert_int_equal(n_ceilings(&ceilings.devices[0], ERT_CEILING_COMPUTE), 1);
    assert_string_equal(compute_at(&ceilings.devices[0], 0)->name, "fp32-fma");
    assert_contains(ceilings.machine->notes[2], "level L1 has no number");
    assert_contains(ceilings.machine->notes[3], "left out: FP64");
    ert_ceilings_free(&ceilings);
}

static void the_memory_is_not_left_out(void **state)
{
    struct ert_ceilings ceilings;
    struct ert_error error;
    if (read_text("{\"empirical\":{\"gbytes\":{\"data\":" NINE "}}}", &ceilings, &error) !=
        ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(n_ceilings(&ceilings.devices[0], ERT_CEILING_MEMORY), 8);
    assert_string_equal(memory_at(&ceilings.devices[0], 7)->key.level, "i");
    assert_contains(ceilings.machine->notes[2], "level h is left out");
    ert_ceilings_free(&ceilings);
}

static void what_is_left_out_is_named(void **state)
{
    struct ert_ceilings ceilings;
    struct ert_error error;
    assert_int_equal(
        read_text("{\"empirical\": {\"gflops\": {\"data\": [[\"GFLOPs\", 7], [\"other\", "
                  "5]]}, \"gbytes\": {\"data\": [[\"L2 cache bandwidth\", 3], [\"a very "
                  "long label\", 2], [\"the other memory\", 1]]}}}",
                  &ceilings, &error),
        ERT_OK);
    assert_int_equal(n_ceilings(&ceilings.devices[0], ERT_CEILING_COMPUTE), 1);
    assert_close(compute_at(&ceilings.devices[0], 0)->value, 7e9, 0);
    assert_string_equal(memory_at(&ceilings.devices[0], 0)->key.level, "L2");
    assert_string_equal(memory_at(&ceilings.devices[0], 1)->key.level, "a");
    assert_string_equal(memory_at(&ceilings.devices[0], 2)->key.level, "the");
    assert_contains(ceilings.machine->notes[2], "level L2 is ERT's \"L2 cache bandwidth\"");
    assert_contains(ceilings.machine->notes[5], "left out: other");
    ert_ceilings_free(&ceilings);
}

static void is_recognized(void **state)
{
    assert_true(rfl_ert_recognizes(" \n{\"empirical\": {\"gbytes\": {"));
    assert_false(rfl_ert_recognizes("{\"schema\": \"ert-ceilings/4\"}"));
    assert_false(rfl_ert_recognizes("\"empirical\" \"gbytes\""));
    assert_false(rfl_ert_recognizes(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_gpu),         JSON_TEST(bad_files_are_named),
        JSON_TEST(other_files_are_refused),    JSON_TEST(peaks_by_their_labels),
        JSON_TEST(the_memory_is_not_left_out), JSON_TEST(a_bad_number_costs_its_level),
        JSON_TEST(what_is_left_out_is_named),  cmocka_unit_test(is_recognized),
    };
    return cmocka_run_group_tests_name("ert_json", tests, NULL, NULL);
}
