/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/page.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/base/strings.h"
#include "ert/core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The scripts and styles as bytes, which a rule of ert/local.mk writes as numbers. */
static const unsigned char script[] = {
#include "ert/ext/fleet/page_script.inc"
};
static const unsigned char style[] = {
#include "ert/ext/fleet/page_style.inc"
};

/* A policy against fetching, sending and framing. https://www.w3.org/TR/CSP3/ */
static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"generator\" content=\"ert fleet merge\">\n"
    "<title>Fleet</title>\n"
    "<style>\n";
static const char body[] =
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<noscript>This page is drawn by a script, and scripts are disabled. `ert fleet merge` "
    "prints the same report as text.</noscript>\n"
    "<script type=\"application/json\" id=\"data\">";

/* ---- numbers as base64 (RFC 4648, section 4), little-endian as typed arrays are ---- */

struct base64 {
    FILE *out;
    uint32_t bits;
    int n; /* bytes in `bits` */
};

static void fleet_page_put_group(struct base64 *to)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = to->bits << 8 * (3 - to->n);
    for (int i = 0; i < 4; i++)
        putc_unlocked(i <= to->n ? digits[bits >> (18 - 6 * i) & 63] : '=', to->out);
    to->bits = 0;
    to->n = 0;
}

static void put_number(struct base64 *to, uint32_t number, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        to->bits = to->bits << 8 | (number >> 8 * i & 255);
        if (++to->n == 3)
            fleet_page_put_group(to);
    }
}

static struct base64 begin_numbers(FILE *out, const char *key)
{
    fprintf(out, "\"%s\":\"", key);
    return (struct base64){out, 0, 0};
}

static void end_numbers(struct base64 *to)
{
    if (to->n > 0)
        fleet_page_put_group(to);
    fputs("\",\n", to->out);
}

/* Changes in steps of 0.01 %, limited to LEAST and MOST, which the script marks as limits. */
enum { ABSENT = -32768, LEAST = -32767, MOST = 32767 };

static void put_change(struct base64 *to, bool is_there, double change)
{
    double steps = is_there ? fmin(fmax(round(change * 1e4), LEAST), MOST) : ABSENT;
    put_number(to, (uint32_t)(int32_t)steps & 0xffff, 2);
}

/* ---- texts ---- */

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":", key);
    ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\",", text ? text : "");
}

static void put_texts(FILE *out, const char *key, const char *const *texts, size_t n)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        putc(i > 0 ? ',' : ' ', out);
        ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\"", texts[i] ? texts[i] : "");
    }
    fputs("],\n", out);
}

/* ---- the fleet ---- */

/* The columns of the page: of the ceilings that most nodes have, so many that the map is mostly full. */
struct shown {
    const struct ert_fleet *fleet;
    uint32_t *columns; /* malloc; of the fleet, sorted */
    size_t n;
    int *at; /* malloc; of each column of the fleet, its index on the page; -1: left out */
};

/* Nodes that have the column. */
struct page_column {
    uint32_t column;
    size_t n;
};

static int page_compare(const void *a, const void *b)
{
    const struct page_column *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1)
                        : (x->column > y->column) - (x->column < y->column);
}

static struct shown page_columns(const struct ert_fleet *fleet)
{
    enum { FEW_CELLS = 1 << 16, SPARSE = 16 };
    struct page_column *all = ert_xcalloc(fleet->n_columns, sizeof *all);
    struct shown shown = {fleet, ert_xcalloc(fleet->n_columns, sizeof *shown.columns), 0,
                          ert_xcalloc(fleet->n_columns, sizeof *shown.at)};
    size_t n_cells = 0;
    for (size_t c = 0; c < fleet->n_columns; c++)
        all[c].column = (uint32_t)c;
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        n_cells += fleet->nodes[i].n_cells;
        for (uint32_t k = 0; k < fleet->nodes[i].n_cells; k++)
            all[fleet->nodes[i].cells[k].column].n++;
    }
    if (fleet->n_columns > 0)
        qsort(all, fleet->n_columns, sizeof *all, page_compare);
    const size_t most = (SPARSE * n_cells + FEW_CELLS) / (fleet->n_nodes + 1);
    for (size_t c = 0; c < fleet->n_columns; c++)
        shown.at[all[c].column] = c < most ? 0 : -1;
    for (size_t c = 0; c < fleet->n_columns; c++)
        if (shown.at[c] == 0) {
            shown.at[c] = (int)shown.n;
            shown.columns[shown.n++] = (uint32_t)c;
        }
    free(all);
    return shown;
}

static void put_columns(FILE *out, const struct shown *shown)
{
    fputs("\"columns\":[", out);
    for (size_t i = 0; i < shown->n; i++) {
        const struct ert_fleet_column *column = &shown->fleet->columns[shown->columns[i]];
        fputs(i > 0 ? ",\n{" : "{", out);
        put_text(out, "device", column->device);
        put_text(out, "name", column->name);
        put_text(out, "unit", column->unit);
        fprintf(out, "\"time\":%d}", column->is_time);
    }
    fputs("],\n", out);
}

/* Writes of the groups' columns those that are there, as pairs of index and number. */
static void put_groups(FILE *out, const struct shown *shown)
{
    fputs("\"groups\":[", out);
    for (size_t i = 0; i < shown->fleet->n_groups; i++) {
        const struct ert_fleet_group *group = &shown->fleet->groups[i];
        const char *before = "";
        fputs(i > 0 ? ",\n{" : "{", out);
        put_text(out, "name", group->name);
        fputs("\"of\":[", out);
        for (size_t c = 0; c < group->n_columns; c++) {
            const struct ert_fleet_judged *judged = &group->columns[c];
            if (shown->at[judged->column] < 0)
                continue;
            fprintf(out, "%s[%d,%.6g,%.4g]", before, shown->at[judged->column],
                    judged->raw.median, judged->raw.limit);
            before = ",";
        }
        fputs("]}", out);
    }
    fputs("],\n", out);
}

/* Writes the different texts of each setting, and the index of each node's; nothing if all are equal. */
static void put_drift(FILE *out, const struct ert_fleet *fleet)
{
    fputs("\"drift\":[", out);
    for (int key = 0; key < ERT_N_FLEET_DRIFT; key++) {
        struct ert_strings texts = {0};
        for (size_t i = 0; i < fleet->n_nodes; i++)
            ert_strings_index(&texts,
                              fleet->nodes[i].drift[key] ? fleet->nodes[i].drift[key] : "");
        putc(key > 0 ? ',' : ' ', out);
        putc('{', out);
        if (texts.n_texts > 1) {
            put_texts(out, "texts", (const char *const *)texts.texts, texts.n_texts);
            struct base64 to = begin_numbers(out, "of");
            for (size_t i = 0; i < fleet->n_nodes; i++) {
                const char *text = fleet->nodes[i].drift[key];
                put_number(&to, (uint32_t)ert_strings_index(&texts, text ? text : ""), 4);
            }
            end_numbers(&to);
        }
        fprintf(out, "\"name\":\"%s\"}", ert_fleet_drift_names[key]);
        ert_strings_free(&texts);
    }
    fputs("],\n", out);
}

static void put_nodes(FILE *out, const struct ert_fleet *fleet)
{
    const char **hosts = ert_xcalloc(fleet->n_nodes, sizeof *hosts);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        hosts[i] = fleet->nodes[i].host;
    put_texts(out, "hosts", hosts, fleet->n_nodes);
    free(hosts);
    struct base64 to = begin_numbers(out, "group");
    for (size_t i = 0; i < fleet->n_nodes; i++)
        put_number(&to, fleet->nodes[i].group, 4);
    end_numbers(&to);
    to = begin_numbers(out, "recordsOf");
    for (size_t i = 0; i < fleet->n_nodes; i++)
        put_number(&to, fleet->nodes[i].n_records, 4);
    end_numbers(&to);
}

/* Writes changes by ceiling, in the order of drawing, and the few cells that have a verdict. */
static void put_cells(FILE *out, const struct shown *shown)
{
    const struct ert_fleet *fleet = shown->fleet;
    put_texts(out, "verdictNames", ert_outlier_names, ERT_N_OUTLIER);
    struct base64 to = begin_numbers(out, "change");
    for (size_t column = 0; column < shown->n; column++)
        for (size_t i = 0; i < fleet->n_nodes; i++) {
            const struct ert_fleet_cell *cell =
                ert_fleet_cell(&fleet->nodes[i], shown->columns[column]);
            put_change(&to, cell->value > 0, cell->change);
        }
    end_numbers(&to);
    to = begin_numbers(out, "verdicts");
    for (size_t column = 0; column < shown->n; column++)
        for (size_t i = 0; i < fleet->n_nodes; i++) {
            uint8_t verdict =
                ert_fleet_cell(&fleet->nodes[i], shown->columns[column])->verdict;
            if (verdict == ERT_OUTLIER_NONE)
                continue;
            put_number(&to, (uint32_t)column, 4);
            put_number(&to, (uint32_t)i, 4);
            put_number(&to, verdict, 4);
        }
    end_numbers(&to);
}

static void put_findings(FILE *out, const struct shown *shown)
{
    const struct ert_fleet *fleet = shown->fleet;
    size_t n = fleet->n_findings < ERT_FLEET_PAGE_FINDINGS ? fleet->n_findings
                                                           : ERT_FLEET_PAGE_FINDINGS;
    size_t counts[ERT_N_FLEET_KIND] = {0};
    for (size_t i = 0; i < fleet->n_findings; i++)
        counts[fleet->findings[i].kind]++;
    fputs("\"kinds\":[", out);
    for (int kind = 0; kind < ERT_N_FLEET_KIND; kind++)
        fprintf(out, "%s{\"name\":\"%s\",\"count\":%zu}", kind > 0 ? "," : "",
                ert_fleet_kind_name((enum ert_fleet_kind)kind), counts[kind]);
    fputs("],\n\"findings\":[", out);
    for (size_t i = 0; i < n; i++) {
        const struct ert_fleet_finding *finding = &fleet->findings[i];
        fprintf(out, "%s{\"kind\":%d,\"severity\":\"%s\",\"column\":%d,",
                i > 0 ? ",\n" : "", (int)finding->kind,
                ert_fleet_severity_name(finding->severity),
                finding->column < 0 ? -1 : shown->at[finding->column]);
        put_text(out, "host", finding->host);
        put_text(out, "peer", finding->peer);
        fprintf(out, "\"change\":%.4g,", finding->change);
        ert_text_print(out, ERT_TEXT_QUOTED, "\"sentence\":\"%s\"}", finding->sentence);
    }
    fputs("],\n", out);
}

/* ---- pairs ---- */

/* Writes speeds relative to what is typical of a pair's place (links.h); the script shows a pair's worst. */
static void put_test(FILE *out, const struct ert_pairs *pairs,
                     const struct ert_pairs_test *test)
{
    const bool is_time = strcmp(ert_net_test_unit(test->test), "s") == 0;
    const uint32_t *groups = pairs->topology.groups;
    put_text(out, "name", ert_pairs_name(test).text);
    put_text(out, "unit", ert_net_test_unit(test->test));
    fprintf(out, "\"time\":%d,\"limit\":%.4g,\"typical\":[%.6g,%.6g],", is_time,
            -test->links.pair_limit, test->links.typical[0], test->links.typical[1]);
    struct base64 to = begin_numbers(out, "ends");
    for (size_t i = 0; i < test->n_samples; i++) {
        put_number(&to, test->samples[i].a, 4);
        put_number(&to, test->samples[i].b, 4);
    }
    end_numbers(&to);
    to = begin_numbers(out, "change");
    for (size_t i = 0; i < test->n_samples; i++) {
        const struct ert_link_sample *sample = &test->samples[i];
        bool within = groups && groups[sample->a] != UINT32_MAX &&
                      groups[sample->a] == groups[sample->b];
        double typical = test->links.typical[within];
        if (!(typical > 0))
            typical = test->links.typical[!within];
        double change = is_time ? typical / sample->value : sample->value / typical;
        put_change(&to, sample->state != ERT_NET_OK || typical > 0,
                   sample->state == ERT_NET_OK ? change - 1 : -1);
    }
    end_numbers(&to);
    fputs("\"is\":\"test\"}", out);
}

static void put_pairs(FILE *out, const struct ert_pairs *pairs)
{
    fputs("\"pairs\":{", out);
    put_texts(out, "hosts", (const char *const *)pairs->hosts.texts, pairs->hosts.n_texts);
    put_texts(out, "groups", (const char *const *)pairs->topology.names.texts,
              pairs->topology.names.n_texts);
    if (pairs->topology.groups) {
        struct base64 to = begin_numbers(out, "group");
        for (size_t i = 0; i < pairs->hosts.n_texts; i++)
            put_number(&to, pairs->topology.groups[i], 4);
        end_numbers(&to);
    }
    fputs("\"tests\":[", out);
    for (size_t i = 0; i < pairs->n_tests; i++) {
        fputs(i > 0 ? ",\n{" : "{", out);
        put_test(out, pairs, &pairs->tests[i]);
    }
    fputs("]}", out);
}

static enum ert_status put_data(const void *about, FILE *out, struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    (void)error;
    struct shown shown = page_columns(fleet);
    putc('{', out);
    put_text(out, "created", fleet->created);
    fprintf(out, "\"records\":%zu,\"falseAlarms\":%.4g,\"comparisons\":%zu,\n",
            fleet->n_records, fleet->false_alarms, fleet->n_tests);
    fprintf(out, "\"findingsAll\":%zu,\n", fleet->n_findings);
    fprintf(out, "\"columnsAll\":%zu,\n", fleet->n_columns);
    put_columns(out, &shown);
    put_groups(out, &shown);
    put_drift(out, fleet);
    put_findings(out, &shown);
    put_nodes(out, fleet);
    put_cells(out, &shown);
    put_pairs(out, &fleet->pairs);
    putc('}', out);
    free(shown.columns);
    free(shown.at);
    return ERT_OK;
}

/* Escapes '<', which could end the script element. In JSON these characters occur only in strings. */
static void put_script_text(FILE *out, const char *json)
{
    for (; *json; json++)
        if (strchr("<>&", *json))
            fprintf(out, "\\u%04x", (unsigned)*json);
        else
            putc_unlocked(*json, out);
}

enum ert_status ert_fleet_page_make(const void *fleet, FILE *out, struct ert_error *error)
{
    char *json = NULL;
    size_t size;
    enum ert_status status = ert_file_collect(put_data, fleet, &json, &size, error);
    if (status != ERT_OK) {
        free(json);
        return status;
    }
    fputs(head, out);
    fwrite(style, 1, sizeof style, out);
    fputs(body, out);
    put_script_text(out, json);
    free(json);
    fputs("</script>\n<script>\n\"use strict\";\n", out);
    fwrite(script, 1, sizeof script, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return ERT_OK;
}
