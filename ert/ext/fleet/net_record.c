/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/net_record.h"

#include "ert/core/base/fields.h"

#include <errno.h>
#include <string.h>

const char ert_net_schema[] = "ert-net/1";

static const char *const line_words[] = {"run", "pair", "end", "collective", NULL};
static const char *const state_words[] = {"ok", "timeout", "wrong", "failed", NULL};
static const char *const status_words[] = {"complete", "interrupted", NULL};

const char *const ert_net_test_words[] = {"latency", "one-way", "both-ways", NULL};

const char *ert_net_test_unit(enum ert_net_test test)
{
    return test == ERT_NET_LATENCY ? "s" : "byte/s";
}

#define RECORD struct ert_net_record
static const struct ert_field run_rows[] = {
    ERT_ROW_TIME(RECORD, "created", created, VALUE),
    ERT_ROW_TEXT(RECORD, NULL, "job", job, false),
    ERT_ROW_TEXT(RECORD, NULL, "tool", tool, false),
    ERT_ROW_TEXT(RECORD, NULL, "mpi", mpi, false),
    ERT_ROW(RECORD, NULL, "shares_cpus", FLAG, shares_cpus, LEFT_OUT),
    ERT_ROW_EXACT(RECORD, "seed", U64, seed),
};

static const struct ert_field pair_rows[] = {
    ERT_ROW_TEXT(RECORD, NULL, "a", a, true),
    ERT_ROW_TEXT(RECORD, NULL, "b", b, true),
    ERT_ROW(RECORD, NULL, "round", COUNT, round, OPTIONAL),
    ERT_ROW_WORD(RECORD, "test", ert_net_test_words, test),
    ERT_ROW_EXACT(RECORD, "size_bytes", SIZE, size_bytes),
    ERT_ROW_EXACT(RECORD, "value", NUMBER, value),
    ERT_ROW_EXACT(RECORD, "low", NUMBER, low),
    ERT_ROW_EXACT(RECORD, "high", NUMBER, high),
    ERT_ROW_EXACT(RECORD, "n", COUNT, n),
    ERT_ROW_WORD(RECORD, "state", state_words, state),
    ERT_ROW_TEXT(RECORD, NULL, "reason", reason, false),
};

static const struct ert_field end_rows[] = {
    ERT_ROW_WORD(RECORD, "status", status_words, status),
    ERT_ROW_EXACT(RECORD, "elapsed_s", NUMBER, elapsed_s),
};
#undef RECORD

/* The rows of each kind of line. */
static const struct {
    const struct ert_field *rows;
    size_t n_rows;
} kinds[] = {
    [ERT_NET_RUN] = {ERT_ROWS(run_rows)},
    [ERT_NET_PAIR] = {ERT_ROWS(pair_rows)},
    [ERT_NET_END] = {ERT_ROWS(end_rows)},
    [ERT_NET_COLLECTIVE] = {.rows = NULL},
};

/* Checks what a line must satisfy besides its rows. */
static enum ert_status net_record_check(struct ert_json at,
                                        const struct ert_net_record *record,
                                        struct ert_error *error)
{
    const char *unit;
    if (record->line != ERT_NET_PAIR)
        return ERT_OK;
    ERT_TRY(ert_json_string(at, "unit", &unit, error));
    if (strcmp(unit, ert_net_test_unit(record->test)) != 0)
        return ert_fail(error, ERT_USAGE, "%s: unit: '%.40s', must be %s for %s", at.file,
                        unit, ert_net_test_unit(record->test),
                        ert_net_test_words[record->test]);
    if (record->state == ERT_NET_OK && !(record->value > 0))
        return ert_fail(error, ERT_USAGE,
                        "%s: value: %g, must be above 0 where state is ok", at.file,
                        record->value);
    if (!*record->a || !*record->b)
        return ert_fail(error, ERT_USAGE, "%s: a, b: must be names of hosts", at.file);
    if (strcmp(record->a, record->b) == 0)
        return ert_fail(error, ERT_USAGE, "%s: a and b are both '%s'", at.file, record->a);
    return ERT_OK;
}

enum ert_status ert_net_record_read(struct ert_json at, struct ert_net_record *record,
                                    struct ert_error *error)
{
    const struct ert_field line = {
        .key = "line", .kind = ERT_FIELD_WORD, .words = line_words};
    unsigned which = 0;
    *record = (struct ert_net_record){0};
    ERT_TRY(ert_fields_read(at, &line, 1, &which, error));
    record->line = (enum ert_net_line)which;
    ERT_TRY(ert_fields_read(at, kinds[which].rows, kinds[which].n_rows, record, error));
    return net_record_check(at, record, error);
}

enum ert_status ert_net_record_write(FILE *out, const struct ert_net_record *record,
                                     struct ert_error *error)
{
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", ert_net_schema);
    cJSON_AddStringToObject(root, "line", line_words[record->line]);
    ert_fields_write(root, kinds[record->line].rows, kinds[record->line].n_rows, record);
    if (record->line == ERT_NET_RUN) {
        cJSON *hosts = cJSON_AddArrayToObject(root, "hosts");
        for (uint32_t i = 0; i < record->n_hosts; i++)
            cJSON_AddItemToArray(hosts, cJSON_CreateString(record->hosts[i]));
    }
    if (record->line == ERT_NET_PAIR)
        cJSON_AddStringToObject(root, "unit", ert_net_test_unit(record->test));
    enum ert_status status = errno == ENOMEM
                                 ? ert_fail(error, ERT_FAILED, "out of memory for a record")
                                 : ert_json_print_line(out, root, error);
    cJSON_Delete(root);
    return status;
}
