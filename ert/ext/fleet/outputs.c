/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/outputs.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <stdlib.h>
#include <string.h>

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
    {"text",     "fleet.txt",    outputs_write_text  },
    {"json",     "fleet.json",   ert_fleet_write_json},
    {"hosts",    "bad.txt",      write_bad           },
    {"suspects", "suspects.txt", write_suspects      },
    {"missing",  "missing.txt",  write_missing       },
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
