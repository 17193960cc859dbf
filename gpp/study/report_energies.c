/* The part of a report over numbers of energies, with FMA and without; and its efficiencies. */
#include "gpp/study/report.h"
#include "gpp/study/tables.h"

#include "ert/base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 2 * GPP_MAX_NW };

const struct gpp_study_row *gpp_study_best(const struct gpp_study *study, size_t nw,
                                           bool no_fma)
{
    const struct gpp_study_row *best = NULL;
    for (size_t i = 0; i < study->n_rows; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        if (row->nw == nw && row->m.options.no_fma == no_fma && gpp_row_is_measured(row) &&
            (!best || row->m.time_s < best->m.time_s))
            best = row;
    }
    return best;
}

/* A version's rows by contraction and nw. */
static size_t rows_of(const struct gpp_study *study, const struct gpp_version *version,
                      const struct gpp_study_row **rows)
{
    size_t n = 0;
    for (int no_fma = 0; no_fma < 2; no_fma++)
        for (size_t nw = 1; nw <= GPP_MAX_NW; nw++) {
            const struct gpp_study_row *row = gpp_study_find(study, version, nw, no_fma);
            if (row && gpp_row_is_measured(row))
                rows[n++] = row;
        }
    return n;
}

static enum ert_status write_version(const struct gpp_study *study,
                                     const struct gpp_version *version,
                                     const struct gpp_charts *charts, struct gpp_doc *doc,
                                     struct ert_error *error)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    struct rfl_table table = {0};
    const size_t n = rows_of(study, version, rows);
    if (n == 0)
        return ERT_OK;
    doc->format->subheading(doc, version->name);
    gpp_table_make(study, rows, n, GPP_TABLE_ENERGIES, &table);
    enum ert_status status = doc->format->table(doc, &table, error);
    rfl_table_free(&table);
    for (size_t i = 0; i < charts->n && status == ERT_OK; i++)
        if (charts->charts[i].version == version)
            status = doc->format->picture(doc, charts->charts[i].file,
                                          charts->charts[i].title, error);
    return status;
}

/* Calls for each contraction and nw of which there is a fastest version. */
static void for_each_best(const struct gpp_study *study,
                          void (*visit)(const struct gpp_study_row *row, void *context),
                          void *context)
{
    for (int no_fma = 0; no_fma < 2; no_fma++)
        for (size_t nw = 1; nw <= GPP_MAX_NW; nw++) {
            const struct gpp_study_row *best = gpp_study_best(study, nw, no_fma);
            if (best)
                visit(best, context);
        }
}

static void add_best(const struct gpp_study_row *row, void *context)
{
    struct rfl_table *table = context;
    char share[48], bound[48];
    rfl_table_cell(table, "%zu", row->nw);
    rfl_table_cell(table, "%s", row->m.options.no_fma ? "no" : "yes");
    rfl_table_cell(table, "%s", row->m.version->name);
    rfl_table_cell(table, "%s", gpp_text(100 * row->placed.fraction, "%.1f", share));
    snprintf(bound, sizeof bound, "%s", *row->placed.bound ? row->placed.bound : "-");
    rfl_table_cell(table, "%s", bound);
}

static enum ert_status write_bests(const struct gpp_study *study, struct gpp_doc *doc,
                                   struct ert_error *error)
{
    struct rfl_table table = {0};
    doc->format->subheading(doc, "The fastest version of each");
    rfl_table_column(&table, "nw", true);
    rfl_table_column(&table, "FMA", false);
    rfl_table_column(&table, "version", false);
    rfl_table_column(&table, "of its roof %", true);
    rfl_table_column(&table, "roof", false);
    for_each_best(study, add_best, &table);
    enum ert_status status = doc->format->table(doc, &table, error);
    rfl_table_free(&table);
    gpp_doc_say(doc, "Its share of the roof that binds it is the architectural efficiency "
                     "of Pennycook's metric: nw.csv holds these, and `roofline portability "
                     "GPU/nw.csv CPU/nw.csv` joins those of two studies.");
    return status;
}

enum ert_status gpp_report_energies(const struct gpp_study *study,
                                    const struct gpp_charts *charts, struct gpp_doc *doc,
                                    struct ert_error *error)
{
    doc->format->heading(doc, "Over the number of energies");
    ERT_TRY(write_bests(study, doc, error));
    for (size_t v = 0; v < GPP_N_VERSIONS; v++)
        ERT_TRY(write_version(study, &gpp_versions[v], charts, doc, error));
    return ERT_OK;
}

static void print_best(const struct gpp_study_row *row, void *context)
{
    FILE *out = context;
    fprintf(out, "%sFMA nw=%zu,", row->m.options.no_fma ? "no " : "", row->nw);
    if (row->placed.fraction > 0)
        fprintf(out, "%.6g", row->placed.fraction);
    fputc('\n', out);
}

enum ert_status gpp_report_efficiencies(const struct gpp_study *study, const char *file,
                                        struct ert_error *error)
{
    char *text = NULL, model[sizeof study->model];
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return ert_fail(error, ERT_FAILED, "no memory for %.200s: %s", file,
                        strerror(errno));
    snprintf(model, sizeof model, "%s", *study->model ? study->model : study->device);
    for (char *at = model; (at = strpbrk(at, ",\"")) != NULL;)
        *at = ' ';
    fprintf(memory, "# share of its binding roof that the fastest version reaches\n");
    fprintf(memory, "case,%s (fraction)\n", model);
    for_each_best(study, print_best, memory);
    bool is_written = !ferror(memory);
    enum ert_status status =
        fclose(memory) == 0 && is_written
            ? ert_file_write(file, text, size, error)
            : ert_fail(error, ERT_FAILED, "no memory for %.200s", file);
    free(text);
    return status;
}
