/* SPDX-License-Identifier: BSD-3-Clause */
/* net_record: each kind of line comes back as it was written, and what is no such line is refused. */
#include "tests/unit/test.h"

#include "ert/ext/fleet/net_record.h"

static enum ert_status parse(const char *text, struct ert_net_record *record,
                             struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_parse(text, strlen(text), "net.ndjson", &root, error));
    enum ert_status status =
        ert_net_record_read(ert_json_root(root, "net.ndjson"), record, error);
    cJSON_Delete(root);
    return status;
}

/* The example is written by hand, as the schema wants it; writing what was read gives the same bytes. */
static void every_line_comes_back(void **state)
{
    char line[1024], file[1024], hosts[][ERT_NET_HOST] = {"n1", "n2"};
    snprintf(file, sizeof file, "%s/tests/data/net/lines.ndjson", getenv("top_srcdir"));
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    int n = 0;
    for (; fgets(line, sizeof line, in); n++) {
        struct ert_net_record record;
        struct ert_error error = {0};
        char *text = NULL;
        size_t size = 0;
        if (parse(line, &record, &error) != ERT_OK)
            fail_msg("%s", error.text);
        if (record.line == ERT_NET_COLLECTIVE)
            continue; /* of an earlier ert-net: read, and not kept */
        if (record.line == ERT_NET_RUN)
            record.hosts = hosts, record.n_hosts = 2;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(ert_net_record_write(out, &record, &error), ERT_OK);
        fclose(out);
        assert_string_equal(text, line);
        free(text);
    }
    fclose(in);
    assert_int_equal(n, 7);
}

static void the_members_are_the_keys(void **state)
{
    struct ert_net_record record;
    struct ert_error error = {0};
    assert_int_equal(
        parse("{\"schema\":\"ert-net/1\",\"line\":\"run\",\"created\":\"\",\"hosts\":"
              "[\"n1\",\"n2\",\"n3\"],"
              "\"seed\":9}",
              &record, &error),
        ERT_OK);
    assert_false(record.shares_cpus);
    assert_int_equal(
        parse("{\"schema\":\"ert-net/1\",\"line\":\"run\",\"created\":\"\",\"hosts\":"
              "[\"n1\"],\"shares_cpus\":true,"
              "\"seed\":9}",
              &record, &error),
        ERT_OK);
    assert_true(record.shares_cpus);
    assert_int_equal(
        parse(
            "{\"schema\":\"ert-net/1\",\"line\":\"pair\",\"a\":\"x\",\"b\":\"y\",\"test\":"
            "\"latency\",\"size_bytes\":0,\"value\":1e-10,\"low\":0,\"high\":1,\"n\":12,"
            "\"unit\":\"s\",\"state\":\"ok\",\"reason\":\"\"}",
            &record, &error),
        ERT_OK);
    assert_int_equal(record.test, ERT_NET_LATENCY);
    assert_string_equal(record.b, "y");
    assert_close(record.value, 1e-10, 0);
    assert_int_equal(record.n, 12);
}

static void refused(const char *members, const char *words)
{
    struct ert_net_record record = {0};
    struct ert_error error = {0};
    char text[512];
    snprintf(text, sizeof text, "{\"schema\":\"ert-net/1\",%s}", members);
    assert_int_equal(parse(text, &record, &error), ERT_USAGE);
    assert_contains(error.text, words);
}

#define PAIR    "\"line\":\"pair\",\"b\":\"n2\",\"size_bytes\":8,\"low\":0,\"high\":0,\"n\":0,"
#define LATENCY PAIR "\"test\":\"latency\",\"unit\":\"s\","

static void what_is_no_line_is_refused(void **state)
{
    refused("\"line\":\"ring\"", "must be one of run, pair");
    refused("\"line\":\"end\",\"status\":\"complete\"", "elapsed_s");
    refused(LATENCY "\"state\":\"ok\",\"value\":1,\"a\":\"n2\"", "a and b are both 'n2'");
    refused(LATENCY "\"state\":\"ok\",\"value\":1,\"a\":\"\"", "must be names");
    refused(LATENCY "\"state\":\"ok\",\"value\":0,\"a\":\"n1\"", "must be above 0");
    refused(LATENCY "\"state\":\"ok\",\"value\":-1,\"a\":\"n1\"", "value");
    refused(LATENCY "\"state\":\"slow\",\"value\":1,\"a\":\"n1\"", "one of ok, timeout");
    refused(PAIR "\"test\":\"latency\",\"unit\":\"byte/s\",\"state\":\"ok\",\"value\":1,"
                 "\"a\":\"n1\"",
            "unit: 'byte/s', must be s for latency");
    refused(PAIR "\"test\":\"ping\",\"a\":\"n1\"", "'ping', must be one of latency");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_comes_back),
        cmocka_unit_test(the_members_are_the_keys),
        cmocka_unit_test(what_is_no_line_is_refused),
    };
    return cmocka_run_group_tests_name("net_record", tests, NULL, NULL);
}
