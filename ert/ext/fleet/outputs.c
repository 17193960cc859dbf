/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/fleet.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/fields.h"
#include "ert/core/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- text ---- */

/* Lines per kind: a fleet with a pulled cable has hundreds of findings, and fleet.json has all. */
enum { MOST_LINES = 10 };

static void print_groups(const struct ert_fleet *fleet, FILE *out)
{
    for (size_t g = 0; g < fleet->n_groups; g++) {
        const struct ert_fleet_group *group = &fleet->groups[g];
        fprintf(out, "group: %zu node%s, ", group->n_nodes,
                ert_fleet_plural(group->n_nodes));
        ert_text_write(out, ERT_TEXT_PLAIN, group->name);
        fputc('\n', out);
    }
}

static enum ert_status outputs_write_text(const void *about, FILE *out,
                                          struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    size_t n_same = 0;
    (void)error;
    fprintf(out, "%zu node%s, %zu record%s, %zu ceilings, %zu hardware group%s\n",
            fleet->n_nodes, ert_fleet_plural(fleet->n_nodes), fleet->n_records,
            ert_fleet_plural(fleet->n_records), fleet->n_columns, fleet->n_groups,
            ert_fleet_plural(fleet->n_groups));
    for (size_t i = 0; i < fleet->n_findings; i++) {
        const struct ert_fleet_finding *finding = &fleet->findings[i];
        const bool is_last = i + 1 == fleet->n_findings ||
                             finding[1].kind != finding->kind ||
                             finding[1].severity != finding->severity;
        if (n_same < MOST_LINES) {
            fprintf(out, "%-4s %-12s ", ert_fleet_severities[finding->severity],
                    ert_fleet_kinds[finding->kind].name);
            ert_text_write(out, ERT_TEXT_PLAIN, finding->sentence);
            fputc('\n', out);
        }
        n_same++;
        if (is_last && n_same > MOST_LINES)
            fprintf(out, "%-4s %-12s and %zu more\n",
                    ert_fleet_severities[finding->severity],
                    ert_fleet_kinds[finding->kind].name, n_same - MOST_LINES);
        if (is_last)
            n_same = 0;
    }
    if (fleet->n_findings == 0)
        fputs("nothing found\n", out);
    print_groups(fleet, out);
    fprintf(
        out,
        "false alarms: %.3g sound nodes are expected to be called slow in these %zu "
        "comparisons, if the spread is normal;\n%zu %s as far from the median on the fast "
        "side, where nothing is broken\n",
        fleet->n_tests ? fleet->false_alarms : 0, fleet->n_tests, fleet->n_fast,
        fleet->n_fast == 1 ? "is" : "are");
    return ERT_OK;
}

/* ---- fleet.json, element by element: a tree of 100,000 nodes would take gigabytes ---- */

#define ROW_OF            struct ert_fleet_column
#define TEXT(key, member) ERT_ROW_TEXT(ROW_OF, NULL, key, member, true)
#define ROW(key, kind, m) ERT_ROW(ROW_OF, NULL, key, kind, m, VALUE)
static const struct ert_field column_rows[] = {
    TEXT("device", device),     TEXT("name", name),
    TEXT("unit", unit),         ROW("lower_is_better", FLAG, is_time),
    ROW("main", FLAG, is_main),
};
#undef ROW_OF

#define ROW_OF struct ert_outliers
static const struct ert_field outliers_rows[] = {
    ROW("median", NUMBER, median),    ROW("spread", NUMBER, spread),
    ROW("noise", NUMBER, noise),      ROW("limit", NUMBER, limit),
    ROW("slow_tail", FLAG, is_heavy), ROW("tail_limit", NUMBER, tail_limit),
};
#undef ROW_OF

#define ROW_OF struct ert_fleet_finding
static const struct ert_field finding_rows[] = {
    ROW("columns", COUNT, n_columns),
    ROW("measured", COUNT, n_measured),
    ROW("value", NUMBER, value),
    ROW("expected", NUMBER, expected),
    ROW("z", NUMBER, z),
    ROW("change", NUMBER, change),
};
#undef ROW_OF

static cJSON *column_json(const struct ert_fleet_column *column)
{
    cJSON *object = cJSON_CreateObject();
    ert_fields_write(object, ERT_ROWS(column_rows), column);
    return object;
}

static void add_outliers(cJSON *list, size_t column, const struct ert_outliers *about)
{
    cJSON *object = ert_json_add_object(list);
    cJSON_AddNumberToObject(object, "column", (double)column);
    cJSON_AddNumberToObject(object, "nodes", (double)about->n);
    ert_fields_write(object, ERT_ROWS(outliers_rows), about);
}

static cJSON *group_json(const struct ert_fleet_group *group)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", group->name);
    cJSON_AddNumberToObject(object, "nodes", (double)group->n_nodes);
    cJSON *list = cJSON_AddArrayToObject(object, "ceilings");
    for (size_t c = 0; c < group->n_columns; c++)
        add_outliers(list, group->columns[c].column, &group->columns[c].about);
    return object;
}

static cJSON *finding_json(const struct ert_fleet_finding *finding)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "kind", ert_fleet_kinds[finding->kind].name);
    cJSON_AddStringToObject(object, "severity", ert_fleet_severities[finding->severity]);
    cJSON_AddStringToObject(object, "hosts", finding->host);
    if (finding->peer)
        cJSON_AddStringToObject(object, "peer", finding->peer);
    if (finding->column >= 0)
        cJSON_AddNumberToObject(object, "column", finding->column);
    ert_fields_write(object, ERT_ROWS(finding_rows), finding);
    cJSON_AddStringToObject(object, "sentence", finding->sentence);
    return object;
}

/* Prints an element of a list and frees it. */
static enum ert_status outputs_print_json(FILE *out, size_t index, cJSON *tree,
                                          struct ert_error *error)
{
    fputs(index ? "," : "", out);
    enum ert_status status = errno == ENOMEM
                                 ? ert_fail(error, ERT_FAILED, "no memory for the JSON")
                                 : ert_json_print_line(out, tree, error);
    cJSON_Delete(tree);
    return status;
}

/* Writes one member of all cells of a node. */
static void write_numbers(FILE *out, const char *key, const struct ert_fleet_node *node,
                          size_t offset)
{
    fprintf(out, ",\"%s\":[", key);
    for (uint32_t k = 0; k < node->n_cells; k++)
        fprintf(
            out, "%s%.7g", k ? "," : "",
            (double)*(const float *)(const void *)((const char *)&node->cells[k] + offset));
    fputc(']', out);
}

static void write_verdicts(FILE *out, const struct ert_fleet_node *node)
{
    const char *before = "";
    fputs(",\"verdicts\":[", out);
    for (uint32_t k = 0; k < node->n_cells; k++)
        if (node->cells[k].verdict != ERT_OUTLIER_NONE) {
            fprintf(out, "%s{\"column\":%" PRIu32 ",\"verdict\":\"%s\",\"change\":%.4g}",
                    before, node->cells[k].column,
                    ert_outlier_names[node->cells[k].verdict],
                    (double)node->cells[k].change);
            before = ",";
        }
    fputc(']', out);
}

static void write_node(FILE *out, const struct ert_fleet *fleet, size_t index)
{
    const struct ert_fleet_node *node = &fleet->nodes[index];
    const char *own = ert_switches_of(&fleet->switches, node->host);
    ert_text_print(out, ERT_TEXT_QUOTED,
                   "%s{\"host\":\"%s\",\"status\":\"%s\",\"job\":\"%s\",\"created\":\"%s\"",
                   index ? "," : "", node->host, ert_node_statuses[node->status], node->job,
                   node->created);
    if (own)
        ert_text_print(out, ERT_TEXT_QUOTED, ",\"switch\":\"%s\"", own);
    fprintf(out, ",\"group\":%" PRIu32 ",\"records\":%" PRIu32, node->group,
            node->n_records);
    fputs(",\"columns\":[", out);
    for (uint32_t k = 0; k < node->n_cells; k++)
        fprintf(out, "%s%" PRIu32, k ? "," : "", node->cells[k].column);
    fputc(']', out);
    write_numbers(out, "values", node, offsetof(struct ert_fleet_cell, value));
    write_numbers(out, "changes", node, offsetof(struct ert_fleet_cell, change));
    write_numbers(out, "clocks_hz", node, offsetof(struct ert_fleet_cell, clock_hz));
    write_verdicts(out, node);
    fputs("}\n", out);
}

static enum ert_status outputs_write_json(const void *about, FILE *out,
                                          struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    errno = 0;
    ert_text_print(out, ERT_TEXT_QUOTED, "{\"schema\":\"ert-fleet/1\",\"created\":\"%s\",",
                   fleet->created);
    fprintf(out,
            "\"records\":%zu,\"bad_lines\":%zu,\"comparisons\":%zu,\"false_alarms\":%.6g,"
            "\"fast\":%zu,\n\"columns\":[",
            fleet->n_records, fleet->n_bad_lines, fleet->n_tests, fleet->false_alarms,
            fleet->n_fast);
    for (size_t i = 0; i < fleet->n_columns; i++)
        ERT_TRY(outputs_print_json(out, i, column_json(&fleet->columns[i]), error));
    fputs("],\n\"groups\":[", out);
    for (size_t i = 0; i < fleet->n_groups; i++)
        ERT_TRY(outputs_print_json(out, i, group_json(&fleet->groups[i]), error));
    fputs("],\n\"findings\":[", out);
    for (size_t i = 0; i < fleet->n_findings; i++)
        ERT_TRY(outputs_print_json(out, i, finding_json(&fleet->findings[i]), error));
    fputs("],\n\"nodes\":[", out);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        write_node(out, fleet, i);
    fputs("]}\n", out);
    return ERT_OK;
}

/* ---- lists of hosts, one a line, as clush, srun and mpirun take them ---- */

static void write_hosts(const struct ert_fleet *fleet, unsigned kinds, FILE *out)
{
    struct ert_strings hosts = ert_fleet_hosts(fleet, kinds);
    for (size_t i = 0; i < hosts.n_texts; i++)
        fprintf(out, "%s\n", hosts.texts[i]);
    ert_strings_free(&hosts);
}

static enum ert_status write_bad(const void *about, FILE *out, struct ert_error *error)
{
    (void)error;
    write_hosts(about, ERT_FLEET_DRAINS, out);
    return ERT_OK;
}

static enum ert_status write_suspects(const void *about, FILE *out, struct ert_error *error)
{
    (void)error;
    write_hosts(about, ERT_FLEET_AGAIN, out);
    return ERT_OK;
}

static enum ert_status write_missing(const void *about, FILE *out, struct ert_error *error)
{
    (void)error;
    write_hosts(about, ERT_FLEET_AGAIN_LATE, out);
    return ERT_OK;
}

const struct ert_fleet_form ert_fleet_forms[ERT_N_FLEET_FORMS] = {
    {"text",     "fleet.txt",    outputs_write_text},
    {"json",     "fleet.json",   outputs_write_json},
    {"hosts",    "bad.txt",      write_bad         },
    {"suspects", "suspects.txt", write_suspects    },
    {"missing",  "missing.txt",  write_missing     },
};

enum ert_status ert_fleet_write_forms(const struct ert_fleet *fleet, const char *folder,
                                      struct ert_error *error)
{
    for (size_t i = 0; i < ERT_N_FLEET_FORMS; i++) {
        char *file = ert_xprintf("%s/%s", folder, ert_fleet_forms[i].file);
        enum ert_status status =
            ert_file_write_made(file, ert_fleet_forms[i].make, fleet, error);
        free(file);
        ERT_TRY(status);
    }
    return ERT_OK;
}
