/* SPDX-License-Identifier: BSD-3-Clause */
/* config: presets are read over the defaults, and every bad value is named. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/sweep/config.h"

#include <glob.h>
#include <unistd.h>

/* Reads a config from text; the error's text goes to *error. */
static enum ert_status read_text(const char *text, struct ert_config *config,
                                 struct ert_error *error)
{
    char file[] = "/tmp/ert-config-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    enum ert_status status = ert_config_read(file, config, error);
    unlink(file);
    return status;
}

static void a_preset_changes_what_it_names(void **state)
{
    struct ert_config config, defaults;
    struct ert_error error = {0};
    ert_config_default(&config);
    ert_config_default(&defaults);
    assert_int_equal(
        read_text("{\"schema\": \"ert-config/2\", \"device\": \"gpu\", \"rounds\": 7,"
                  " \"region_s\": 0.004, \"kernels\": [\"load\", \"fma_fp32\"],"
                  " \"mixed_flops_per_element\": [1, 64]}",
                  &config, &error),
        ERT_OK);
    assert_string_equal(config.device, "gpu");
    assert_int_equal(config.rounds, 7);
    assert_true(config.region_s == 0.004);
    assert_true(config.kernels[ERT_KERNEL_load] && config.kernels[ERT_KERNEL_fma_fp32]);
    assert_false(config.kernels[ERT_KERNEL_triad]);
    assert_true(config.mixed_flops[0] && config.mixed_flops[6] && !config.mixed_flops[1]);
    assert_int_equal(config.candidate_rounds, defaults.candidate_rounds);
}

static void json_round_trips(void **state)
{
    struct ert_config config, again;
    struct ert_error error = {0};
    ert_config_default(&config);
    ert_config_quick(&config);
    config.kernels[3] = false;
    config.working_set_max_bytes = UINT64_C(1) << 33;
    snprintf(config.isa, sizeof config.isa, "avx2");
    snprintf(config.dram_bandwidth, sizeof config.dram_bandwidth, "6xDDR4-2933");
    ert_config_default(&again);
    cJSON *root = ert_config_to_json(&config);
    assert_int_equal(ert_config_from_json(ert_json_root(root, "text"), &again, &error),
                     ERT_OK);
    cJSON_Delete(root);
    assert_memory_equal(config.kernels, again.kernels, sizeof config.kernels);
    assert_string_equal(again.isa, "avx2");
    assert_string_equal(again.dram_bandwidth, "6xDDR4-2933");
    assert_string_equal(again.name, "quick");
    assert_true(again.working_set_max_bytes == config.working_set_max_bytes);
    assert_true(again.region_s == config.region_s && again.budget_s == config.budget_s);
}

/* What is said of each bad value: tests/data/cases/config, by test_golden.sh. */
static void bad_values_change_nothing(void **state)
{
    struct ert_config config, before;
    struct ert_error error = {0};
    ert_config_default(&config);
    before = config;
    assert_int_equal(
        read_text("{\"schema\": \"ert-config/2\", \"region_s\": 0.5, \"rounds\": -3}",
                  &config, &error),
        ERT_USAGE);
    assert_contains(error.text, "/tmp/ert-config-");
    assert_memory_equal(&config, &before, sizeof config);
}

/* As many as a config holds and as long; one more, or a byte longer, is refused. */
static void remarks_are_whole_or_refused(void **state)
{
    static const struct {
        int n, length;
        const char *words;
    } rows[] = {
        {ERT_MAX_REMARKS,     ERT_REMARK_BYTES - 1, NULL                            },
        {ERT_MAX_REMARKS + 1, 1,                    "remarks: 49 of them, must be"  },
        {2,                   ERT_REMARK_BYTES,     "remarks[0]: 256 bytes, must be"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static char text[2 * ERT_MAX_REMARKS * ERT_REMARK_BYTES];
        struct ert_config config;
        struct ert_error error = {0};
        size_t used =
            (size_t)sprintf(text, "{\"schema\": \"ert-config/2\", \"remarks\": [");
        for (int k = 0; k < rows[i].n; k++)
            used += (size_t)sprintf(text + used, "%s\"%0*d\"", k ? ", " : "",
                                    rows[i].length, 7);
        sprintf(text + used, "]}");
        ert_config_default(&config);
        assert_int_equal(read_text(text, &config, &error),
                         rows[i].words ? ERT_USAGE : ERT_OK);
        if (rows[i].words)
            assert_contains(error.text, rows[i].words);
        else
            assert_int_equal(strlen(config.remarks[ERT_MAX_REMARKS - 1]), rows[i].length);
    }
}

static void a_missing_file_is_named(void **state)
{
    struct ert_config config;
    struct ert_error error = {0};
    ert_config_default(&config);
    assert_int_equal(ert_config_read("/nonexistent/x.json", &config, &error), ERT_USAGE);
    assert_contains(error.text, "/nonexistent/x.json");
}

/* Every shipped preset is read; configs/README.md names each, and each section. */
static void shipped_presets_are_valid(void **state)
{
    const char *top = getenv("top_srcdir");
    char pattern[1024], file[1024];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/configs/*.json", top ? top : ".");
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    snprintf(file, sizeof file, "%s/configs/README.md", top ? top : ".");
    char *readme;
    size_t size;
    struct ert_error error = {0};
    assert_int_equal(ert_file_read(file, 1 << 20, &readme, &size, &error), ERT_OK);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ert_config config;
        ert_config_default(&config);
        if (ert_config_read(found.gl_pathv[i], &config, &error) != ERT_OK)
            fail_msg("%s", error.text);
        assert_contains(readme, strrchr(found.gl_pathv[i], '/') + 1);
    }
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        char row[64];
        snprintf(row, sizeof row, "\n| %s | ", ert_section_words[s]);
        assert_contains(readme, row);
    }
    free(readme);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preset_changes_what_it_names),
        cmocka_unit_test(json_round_trips),
        cmocka_unit_test(bad_values_change_nothing),
        cmocka_unit_test(remarks_are_whole_or_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(shipped_presets_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
