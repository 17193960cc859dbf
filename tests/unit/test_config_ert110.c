/* SPDX-License-Identifier: BSD-3-Clause */
/* ert110_config: a preset's launches, and ERT's own configuration files, which the Python package reads. */
#include "tests/unit/test.h"

#include "ert/core/sweep/config.h"
#include "ert/ext/ert110/ert110.h"

#include <unistd.h>

static struct ert_config config;
static struct ert_error error;

static enum ert_status read_text(const char *text)
{
    char file[] = "/tmp/ert-lbnl-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    ert_config_default(&config);
    enum ert_status status = ert_config_read(file, &config, &error);
    unlink(file);
    return status;
}

#define BEGIN                                                                              \
    "{\"schema\": \"ert-config/2\", \"sections\": [\"ert110\"], \"ert110_launches\": ["

/* Through samples.json and back, too. */
static void launches_are_read_and_kept(void **state)
{
    struct ert_config again;
    assert_int_equal(read_text(BEGIN
                               "{\"blocks\": 16, \"threads\": 256}, {\"threads\": 8}],"
                               "\"ert110_align_bytes\": 32, \"ert110_growth\": 1.3}"),
                     ERT_OK);
    const struct ert110_options *own = ert110_own_options(&config);
    assert_int_equal(own->n_launches, 2);
    assert_true(own->launches[0].blocks == 16 && own->launches[0].threads == 256);
    assert_true(own->launches[1].blocks == 0 && own->launches[1].threads == 8);
    ert_config_default(&again);
    cJSON *root = ert_config_to_json(&config);
    if (ert_config_from_json(ert_json_root(root, "text"), &again, &error) != ERT_OK)
        fail_msg("%s", error.text);
    cJSON_Delete(root);
    assert_memory_equal(again.mode_options, config.mode_options, sizeof again.mode_options);
}

static void bad_launches_are_named(void **state)
{
    static const struct {
        const char *launches, *words;
    } bad[] = {
        {"7",                               "ert110_launches[0]"                         },
        {"{\"blocks\": 8}",                 "ert110_launches[0].threads: missing"        },
        {"{\"threads\": 0}",                "ert110_launches[0].threads: 0, must be"     },
        {"{\"blocks\":1,\"threads\":2048}", "[0].threads: 2048, must be at most 1024 per"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, BEGIN "%s]}", bad[i].launches);
        assert_int_equal(read_text(text), ERT_USAGE);
        assert_contains(error.text, bad[i].words);
    }
}

static void ert_s_own_files_are_refused(void **state)
{
    static const char *const texts[] = {"# words\n\nERT_RESULTS x\n", "\t ERT_FLOPS 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(read_text(texts[i]), ERT_USAGE);
        assert_contains(error.text, "/tmp/ert-lbnl-");
        assert_contains(error.text, "configuration of LBNL's ERT: `python3 -m roofline");
    }
    assert_int_equal(read_text("# ERT_FLOPS 1\n"), ERT_USAGE);
    assert_null(strstr(error.text, "LBNL"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_read_and_kept),
        cmocka_unit_test(bad_launches_are_named),
        cmocka_unit_test(ert_s_own_files_are_refused),
    };
    return cmocka_run_group_tests_name("ert110_config", tests, NULL, NULL);
}
