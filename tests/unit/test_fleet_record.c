/* SPDX-License-Identifier: BSD-3-Clause */
/* record: a node's line written and read back, and lines that are none. */
#include "tests/unit/test.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/fleet/record.h"

#include <unistd.h>

/* By hand, as the contract has it; unknown keys are fine. */
#define HEAD                                                                               \
    "{\"schema\": \"ert-node/1\", \"tool\": \"2.0.0\", \"host\": \"n0003\", "              \
    "\"created\": \"2026-11-21T03:10:00Z\", \"kind\": \"verify\", "
#define FINGERPRINT                                                                        \
    "\"fingerprint\": {\"cpu\": \"AMD EPYC 9654\", \"cores\": 192, "                       \
    "\"memory_bytes\": 824633720832, \"gpus\": "                                           \
    "[{\"device\": \"gpu0\", \"model\": \"NVIDIA H200\", \"boost_hz\": 1.98e9}]}, "
#define CEILING                                                                            \
    "{\"device\": \"gpu0\", \"name\": \"fp64-fma\", \"unit\": \"flop/s\", "                \
    "\"value\": 5.5e13, \"error\": 0.004, \"main\": true, \"verdict\": \"slower\", "       \
    "\"change\": -0.03}"
#define TAIL "\"warnings\": [{\"device\": \"cpu\", \"text\": \"busy\"}], \"later\": {}}"
static const char whole[] =
    HEAD "\"status\": \"failed\", \"reason\": \"slow\", " FINGERPRINT
         "\"ceilings\": [" CEILING "], " TAIL "\n";

/* The first line of a text as a file named "nodes": its error, or "". The record is the caller's. */
static enum ert_status read_text(const char *text, struct ert_node_record *record,
                                 struct ert_error *error)
{
    struct ert_records records = {.root = NULL};
    struct ert_json at;
    const char *schema;
    assert_int_equal(ert_lines_open_text("nodes", text, &records.lines, error), ERT_OK);
    enum ert_status status = ert_records_next(&records, &at, &schema, error);
    if (status == ERT_OK) {
        assert_non_null(schema);
        status = ert_node_read(at, record, error);
    }
    ert_records_close(&records);
    return status;
}

static void refuses(const char *text, const char *words)
{
    struct ert_node_record record = {.n_ceilings = 0};
    struct ert_error error = {0};
    if (read_text(text, &record, &error) != ERT_USAGE)
        fail_msg("taken: %.200s", text);
    assert_contains(error.text, words);
    ert_node_free(&record);
}

/* The whole line with the first `from` replaced. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(whole, from);
    assert_non_null(at);
    return ert_xprintf("%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
}

static void refuses_changed(const char *from, const char *to, const char *words)
{
    char *text = changed(from, to);
    refuses(text, words);
    free(text);
}

static void a_line_is_read(void **state)
{
    struct ert_node_record record = {.n_ceilings = 0};
    struct ert_error error = {0};
    if (read_text(whole, &record, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(record.host, "n0003");
    assert_int_equal(record.kind, ERT_NODE_VERIFY);
    assert_int_equal(record.status, ERT_NODE_FAILED);
    assert_string_equal(record.reason, "slow");
    assert_int_equal(record.fingerprint.cores, 192);
    assert_close(record.fingerprint.memory_bytes, 824633720832.0, 0);
    assert_int_equal(record.fingerprint.n_gpus, 1);
    assert_close(record.fingerprint.gpus[0].boost_hz, 1.98e9, 0);
    assert_int_equal(record.n_ceilings, 1);
    assert_close(record.ceilings[0].value, 5.5e13, 0);
    assert_close(record.ceilings[0].change, -0.03, 0);
    assert_int_equal(record.ceilings[0].verdict, ERT_NODE_VERDICT_SLOWER);
    assert_true(record.ceilings[0].is_main);
    assert_int_equal(record.n_warnings, 1);
    assert_string_equal(record.warnings[0].text, "busy");
    ert_node_free(&record);
    assert_null(record.ceilings);
}

static void what_is_written_is_read(void **state)
{
    struct ert_node_record record = {.kind = ERT_NODE_MEASURE,
                                     .status = ERT_NODE_NOT_VALID,
                                     .tool = "2.0.0",
                                     .host = "n-1.site_a",
                                     .created = "2026-11-21T03:10:00Z",
                                     .job = "77",
                                     .reason = "a \"quoted\" reason; \xc3\xa4",
                                     .elapsed_s = 0.1},
                           read = {.n_ceilings = 0};
    struct ert_error error = {0};
    for (int i = 0; i < 3; i++) {
        struct ert_node_ceiling *ceiling = ert_node_add_ceiling(&record);
        snprintf(ceiling->device, sizeof ceiling->device, "cpu");
        snprintf(ceiling->name, sizeof ceiling->name, "L%d-load", i);
        ceiling->value = 1e11 / (i + 3.0); /* digits enough to be lost */
        ceiling->change = -0.1 * i;
    }
    ert_node_warn(&record, "", "a line\nand \x1b[2J another");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ert_node_write(out, &record, &error), ERT_OK);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + size - 1); /* one line */
    if (read_text(text, &read, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(read.host, record.host);
    assert_string_equal(read.reason, record.reason);
    assert_int_equal(read.status, record.status);
    assert_int_equal(read.n_ceilings, 3);
    assert_memory_equal(read.ceilings, record.ceilings, 3 * sizeof *read.ceilings);
    assert_null(strpbrk(read.warnings[0].text, "\n\x1b"));
    free(text);
    ert_node_free(&read);
    ert_node_free(&record);
}

static void what_is_no_record_is_refused(void **state)
{
    for (size_t size = 1; size + 1 < sizeof whole - 1; size += 7) { /* cut anywhere */
        char *text = ert_xprintf("%.*s\n", (int)size, whole);
        refuses(text, "nodes:1:");
        free(text);
    }
    refuses("[1]\n", "nodes:1: ");
    refuses("{}\n", "nodes:1: schema: missing");
    refuses_changed("n0003", "", "nodes:1: host: ''");
    refuses_changed("n0003", "-f", "must be a host's name");
    refuses_changed("n0003", "n1 state=idle", "must be a host's name");
    refuses_changed("n0003", "n1;reboot", "must be a host's name");
    refuses_changed("busy", "\\u001b[2J", "control character");
    refuses_changed("busy", "\x1b[2J", "nodes:1:");
    refuses_changed("2026-11-21T03", "yesterday", "created");
    refuses_changed("verify", "verified", "kind: 'verified', must be one of verify");
    refuses_changed("5.5e13", "-1", "ceilings[0].value");
    refuses_changed("5.5e13", "\"fast\"", "ceilings[0].value");
    refuses_changed("-0.03", "-1.5", "ceilings[0].change");
    refuses_changed("fp64-fma", "a-name-of-more-than-thirty-one-characters",
                    "ceilings[0].name");
    refuses_changed("\"warnings\":", "\"warning\":", "warnings: missing");
}

/* Lines that are none do not end the file, and what a record is too long for does. */
static void files_go_on(void **state)
{
    char file[] = "test_fleet_record-XXXXXX";
    struct ert_records records = {.root = NULL};
    struct ert_json at;
    struct ert_error error = {0};
    const char *schema;
    FILE *out = fdopen(mkstemp(file), "w");
    fprintf(out, "\n \n{\"schema\": \"ert-net/1\"}\n%.40s\r\n%s", whole, whole);
    fwrite("\0\0\0\n", 1, 4, out); /* what a crash of a file system leaves */
    fprintf(out, "\"%*s\"\n%.*s", ERT_NODE_LINE_BYTES, "", (int)sizeof whole - 2, whole);
    fclose(out);
    static const struct {
        enum ert_status status;
        const char *words; /* the schema, or in the error */
    } lines[] = {
        {ERT_OK,    "ert-net/1"                        },
        {ERT_USAGE, ":4:"                              },
        {ERT_OK,    "ert-node/1"                       },
        {ERT_USAGE, ":6: has a byte of 0"              },
        {ERT_USAGE, ":7: a line of 1048578 bytes, at m"},
        {ERT_OK,    "ert-node/1"                       },
    };
    assert_int_equal(ert_lines_open(file, &records.lines, &error), ERT_OK);
    for (size_t i = 0; i < ERT_LENGTH(lines); i++) {
        enum ert_status status = ert_records_next(&records, &at, &schema, &error);
        assert_int_equal(status, lines[i].status);
        assert_contains(status == ERT_OK ? schema : error.text, lines[i].words);
    }
    assert_int_equal(ert_records_next(&records, &at, &schema, &error), ERT_OK);
    assert_null(schema);
    ert_records_close(&records);
    unlink(file);
    assert_int_equal(ert_lines_open(file, &records.lines, &error), ERT_USAGE);
    assert_contains(error.text, "No such file");
}

static void a_record_too_long_is_not_written(void **state)
{
    struct ert_node_record record = {.host = "n1"};
    struct ert_error error = {0};
    char text[250];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 5000; i++)
        ert_node_warn(&record, "", text);
    FILE *out = tmpfile();
    assert_int_equal(ert_node_write(out, &record, &error), ERT_FAILED);
    assert_contains(error.text, "at most 1048576");
    assert_int_equal(ftell(out), 0);
    fclose(out);
    ert_node_free(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(files_go_on),
        cmocka_unit_test(a_record_too_long_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
