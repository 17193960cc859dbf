/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/outputs.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/ext/fleet/hosts.h"
#include "ert/ext/fleet/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Lines per kind: a fleet with a pulled cable has hundreds of findings, and the other forms have all. */
enum { MOST_LINES = 10 };

/* The median spread of a group's columns, and their least and largest limit. */
struct limits {
    size_t n_columns; /* compared */
    double spread, least, most;
};

static struct limits limits_of(const struct ert_fleet_group *group)
{
    struct limits limits = {.least = 1};
    double *spreads = ert_xcalloc(group->n_columns, sizeof *spreads);
    for (size_t c = 0; c < group->n_columns; c++) {
        const struct ert_outliers *about = &group->columns[c].raw;
        if (about->n < ERT_OUTLIERS_LEAST)
            continue;
        spreads[limits.n_columns++] = about->spread;
        limits.least = fmin(limits.least, about->limit);
        limits.most = fmax(limits.most, about->limit);
    }
    limits.spread = limits.n_columns ? ert_stats_median(spreads, limits.n_columns) : 0;
    free(spreads);
    return limits;
}

static void print_groups(const struct ert_fleet *fleet, FILE *out)
{
    for (size_t g = 0; g < fleet->n_groups; g++) {
        const struct ert_fleet_group *group = &fleet->groups[g];
        const struct limits limits = limits_of(group);
        fprintf(out, "group: %zu node%s, ", group->n_nodes,
                ert_fleet_plural(group->n_nodes));
        ert_text_write(out, ERT_TEXT_PLAIN, group->name);
        if (limits.n_columns > 0)
            fprintf(out,
                    ": %zu ceilings, median spread %.2f %%, limits from %.1f to %.1f %%",
                    limits.n_columns, 100 * limits.spread, 100 * limits.least,
                    100 * limits.most);
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
            fprintf(out, "%-4s %-12s ", ert_fleet_severity_name(finding->severity),
                    ert_fleet_kind_name(finding->kind));
            ert_text_write(out, ERT_TEXT_PLAIN, finding->sentence);
            fputc('\n', out);
        }
        n_same++;
        if (is_last && n_same > MOST_LINES)
            fprintf(out, "%-4s %-12s and %zu more\n",
                    ert_fleet_severity_name(finding->severity),
                    ert_fleet_kind_name(finding->kind), n_same - MOST_LINES);
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

/* ---- CSV: a line per node and ceiling ---- */

static enum ert_status outputs_write_csv(const void *about, FILE *out,
                                         struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    (void)error;
    fputs("host,group,job,records,device,ceiling,unit,value,change,verdict\n", out);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[i];
        for (uint32_t k = 0; k < node->n_cells; k++) {
            const struct ert_fleet_cell *cell = &node->cells[k];
            const struct ert_fleet_column *column = &fleet->columns[cell->column];
            ert_text_print(out, ERT_TEXT_CSV, "%s,%s,%s", node->host,
                           fleet->groups[node->group].name, node->job);
            fprintf(out, ",%" PRIu32 ",", node->n_records);
            ert_text_print(out, ERT_TEXT_CSV, "%s,%s,%s", column->device, column->name,
                           column->unit);
            fprintf(out, ",%.7g,%.4g,%s\n", (double)cell->value, (double)cell->change,
                    ert_outlier_names[cell->verdict]);
        }
    }
    return ERT_OK;
}

/* ---- Markdown ---- */

static enum ert_status outputs_write_markdown(const void *about, FILE *out,
                                              struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    (void)error;
    fprintf(out, "## %zu nodes, %zu records\n\n", fleet->n_nodes, fleet->n_records);
    fputs("| severity | kind | finding |\n| --- | --- | --- |\n", out);
    for (size_t i = 0; i < fleet->n_findings; i++) {
        const struct ert_fleet_finding *finding = &fleet->findings[i];
        ert_text_print(out, ERT_TEXT_MARKDOWN, "| %s | %s | %s |\n",
                       ert_fleet_severity_name(finding->severity),
                       ert_fleet_kind_name(finding->kind), finding->sentence);
    }
    fputs("\n| group | nodes | ceiling | median | spread | limit |\n"
          "| --- | ---: | --- | ---: | ---: | ---: |\n",
          out);
    for (size_t g = 0; g < fleet->n_groups; g++)
        for (size_t c = 0; c < fleet->groups[g].n_columns; c++) {
            const struct ert_outliers *column = &fleet->groups[g].columns[c].raw;
            const struct ert_fleet_column *of =
                &fleet->columns[fleet->groups[g].columns[c].column];
            ert_text_print(out, ERT_TEXT_MARKDOWN, "| %s ", fleet->groups[g].name);
            fprintf(out, "| %zu ", column->n);
            ert_text_print(out, ERT_TEXT_MARKDOWN, "| %s %s | %s ", of->device, of->name,
                           ert_units_rate(column->median, of->unit).text);
            fprintf(out, "| %.2f %% | %.1f %% |\n", 100 * column->spread,
                    100 * column->limit);
        }
    return ERT_OK;
}

/* ---- Prometheus (analysis/ext/export/prometheus.c describes the format) ---- */

static void metric(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static const struct group_metric {
    const char *name, *help;
    size_t offset; /* in struct ert_outliers */
} group_metrics[] = {
    {"ert_fleet_ceiling_median",          "Median over the nodes of a group, in the unit.",
     offsetof(struct ert_outliers, median)},
    {"ert_fleet_ceiling_spread_ratio",    "1.4826 median absolute deviations over the median.",
     offsetof(struct ert_outliers, spread)},
    {"ert_fleet_ceiling_slow_from_ratio", "Slowdown from which a node is called slow.",
     offsetof(struct ert_outliers, limit) },
};

static void write_group_metric(const struct ert_fleet *fleet, const struct group_metric *of,
                               FILE *out)
{
    metric(out, of->name, of->help);
    for (size_t g = 0; g < fleet->n_groups; g++)
        for (size_t c = 0; c < fleet->groups[g].n_columns; c++) {
            const struct ert_fleet_judged *judged = &fleet->groups[g].columns[c];
            const struct ert_fleet_column *column = &fleet->columns[judged->column];
            double number =
                *(const double *)(const void *)((const char *)&judged->raw + of->offset);
            ert_text_print(out, ERT_TEXT_QUOTED,
                           "%s{group=\"%s\",device=\"%s\",name=\"%s\",unit=\"%s\"}",
                           of->name, fleet->groups[g].name, column->device, column->name,
                           column->unit);
            fprintf(out, " %.7g\n", number);
        }
}

/* Writes each node of a kind once, even with several findings: duplicate samples invalidate the file. */
static void write_nodes_of(const struct ert_fleet *fleet, enum ert_fleet_kind kind,
                           FILE *out)
{
    struct ert_hosts hosts = ert_fleet_hosts(fleet, 1U << kind);
    for (size_t i = 0; i < hosts.n; i++)
        ert_text_print(out, ERT_TEXT_QUOTED,
                       "ert_fleet_node_finding{host=\"%s\",kind=\"%s\"} 1\n",
                       hosts.names[i], ert_fleet_kind_name(kind));
    ert_hosts_free(&hosts);
}

static enum ert_status write_prometheus(const void *about, FILE *out,
                                        struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    size_t n[ERT_N_FLEET_KIND] = {0};
    (void)error;
    metric(out, "ert_fleet_nodes", "Nodes with a record.");
    fprintf(out, "ert_fleet_nodes %zu\n", fleet->n_nodes);
    if (*fleet->created) {
        metric(out, "ert_fleet_measured_timestamp_seconds", "Date of the newest record.");
        fprintf(out, "ert_fleet_measured_timestamp_seconds %.0f\n",
                ert_clock_read_date(fleet->created));
    }
    for (size_t i = 0; i < fleet->n_findings; i++)
        n[fleet->findings[i].kind]++;
    metric(out, "ert_fleet_findings", "Findings of a kind.");
    for (int kind = 0; kind < ERT_N_FLEET_KIND; kind++)
        fprintf(out, "ert_fleet_findings{kind=\"%s\"} %zu\n", ert_fleet_kind_name(kind),
                n[kind]);
    metric(out, "ert_fleet_node_finding", "Nodes that are bad or open; always 1.");
    for (int kind = 0; kind < ERT_N_FLEET_KIND; kind++)
        if (ert_fleet_kind_severity(kind) != ERT_FLEET_NOTE)
            write_nodes_of(fleet, kind, out);
    for (size_t i = 0; i < ERT_LENGTH(group_metrics); i++)
        write_group_metric(fleet, &group_metrics[i], out);
    return ERT_OK;
}

/*
 * ---- JUnit, as Jenkins and GitLab read it (https://github.com/testmoapp/junitxml): a case per node, and one
 * per other subject of findings ----
 */

/* A node or a finding; all entries of one host are one case. */
struct entry {
    const char *host;
    const struct ert_fleet_finding *finding; /* in the sorted list; NULL: a node */
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = ert_hosts_compare(x->host, y->host);
    return order ? order : (x->finding > y->finding) - (x->finding < y->finding);
}

/* Writes n entries of one host, the worst finding first. */
static void write_case(FILE *out, const struct entry *entries, size_t n)
{
    ert_text_print(out, ERT_TEXT_XML, "  <testcase classname=\"ert.fleet\" name=\"%s\"",
                   *entries->host ? entries->host : "records");
    if (!entries->finding) {
        entries++;
        n--;
    }
    if (n == 0) {
        fputs("/>\n", out);
        return;
    }
    const char *tag = entries->finding->severity == ERT_FLEET_BAD ? "failure" : "skipped";
    ert_text_print(out, ERT_TEXT_XML, ">\n    <%s message=\"%s\">", tag,
                   entries->finding->sentence);
    for (size_t i = 0; i < n; i++)
        ert_text_print(out, ERT_TEXT_XML, "%s%s: %s", i ? "\n" : "",
                       ert_fleet_kind_name(entries[i].finding->kind),
                       entries[i].finding->sentence);
    fprintf(out, "</%s>\n  </testcase>\n", tag);
}

static enum ert_status write_junit(const void *about, FILE *out, struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    struct entry *entries =
        ert_xcalloc(fleet->n_nodes + fleet->n_findings, sizeof *entries);
    size_t n = 0, n_of[ERT_N_FLEET_SEVERITY] = {0}, n_cases = 0;
    (void)error;
    for (size_t i = 0; i < fleet->n_nodes; i++)
        entries[n++] = (struct entry){fleet->nodes[i].host, NULL};
    for (size_t i = 0; i < fleet->n_findings; i++)
        if (fleet->findings[i].severity != ERT_FLEET_NOTE)
            entries[n++] = (struct entry){fleet->findings[i].host, &fleet->findings[i]};
    qsort(entries, n, sizeof *entries, compare_entries);
    for (int is_written = 0; is_written < 2; is_written++) {
        if (is_written)
            fprintf(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"ert "
                    "fleet\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
                    "skipped=\"%zu\">\n",
                    n_cases, n_of[ERT_FLEET_BAD], n_of[ERT_FLEET_OPEN]);
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && strcmp(entries[end].host, entries[i].host) == 0;)
                end++;
            const size_t first = i + !entries[i].finding;
            if (is_written)
                write_case(out, entries + i, end - i);
            else if (first < end)
                n_of[entries[first].finding->severity]++;
            n_cases++;
        }
    }
    fputs("</testsuite>\n", out);
    free(entries);
    return ERT_OK;
}

/* ---- lists of hosts, one a line, as clush, srun and mpirun take them ---- */

static void write_hosts(const struct ert_fleet *fleet, unsigned kinds, FILE *out)
{
    struct ert_hosts hosts = ert_fleet_hosts(fleet, kinds);
    for (size_t i = 0; i < hosts.n; i++)
        fprintf(out, "%s\n", hosts.names[i]);
    ert_hosts_free(&hosts);
}

static enum ert_status write_bad(const void *about, FILE *out, struct ert_error *error)
{
    (void)error;
    write_hosts(about, ERT_FLEET_DRAINS | ERT_FLEET_AGAIN_LATE, out);
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
    {"text",       "fleet.txt",    outputs_write_text    },
    {"json",       "fleet.json",   ert_fleet_write_json  },
    {"csv",        "fleet.csv",    outputs_write_csv     },
    {"markdown",   "fleet.md",     outputs_write_markdown},
    {"prometheus", "fleet.prom",   write_prometheus      },
    {"junit",      "fleet.xml",    write_junit           },
    {"hosts",      "bad.txt",      write_bad             },
    {"suspects",   "suspects.txt", write_suspects        },
    {"missing",    "missing.txt",  write_missing         },
    {"html",       "fleet.html",   ert_fleet_page_make   },
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
