/* The parts of a report: table, steps, counts. */
#include "gpp/study/report.h"
#include "gpp/study/steps.h"
#include "gpp/study/tables.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = GPP_N_VERSIONS };

void gpp_doc_say(struct gpp_doc *doc, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    doc->format->paragraph(doc, text);
}

static size_t main_rows(const struct gpp_study *study, const struct gpp_study_row **rows)
{
    return gpp_study_rows(study, study->sizes.nw, gpp_study_no_fma(study), rows, MAX_ROWS);
}

void gpp_report_headline(const struct gpp_study *study, struct gpp_doc *doc)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    const size_t n = main_rows(study, rows);
    const struct gpp_study_row *best =
        gpp_study_best(study, study->sizes.nw, gpp_study_no_fma(study));
    char time[ERT_UNITS_TEXT], rate[ERT_UNITS_TEXT], share[160] = "";
    if (n == 0 || !best)
        return;
    if (best->placed.mix_fraction > 0)
        snprintf(share, sizeof share, "; %.1f %% of the roof for its mix, bound by %s",
                 100 * best->placed.mix_fraction, best->placed.bound);
    gpp_doc_say(
        doc,
        "Fastest: %s, %s, %.2f times as fast as %s. It does %s at %.1f operations per "
        "iteration, %.1f %% FMA%s.",
        best->m.version->name, ert_units_time(best->m.time_s, time),
        rows[0]->m.time_s / best->m.time_s, rows[0]->m.version->name,
        ert_units_performance(gpp_row_rate(study, best), rate),
        gpp_row_flops(study, best) / gpp_row_iterations(study, best),
        100 * gpp_row_fma_share(best), share);
}

static enum ert_status write_table(const struct gpp_study *study,
                                   const struct gpp_study_row *const *rows, size_t n,
                                   enum gpp_table_kind kind, struct gpp_doc *doc,
                                   struct ert_error *error)
{
    struct rfl_table table = {0};
    gpp_table_make(study, rows, n, kind, &table);
    enum ert_status status =
        table.n_cells || table.failed ? doc->format->table(doc, &table, error) : ERT_OK;
    rfl_table_free(&table);
    return status;
}

enum ert_status gpp_report_roofs(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    const size_t n = main_rows(study, rows);
    doc->format->heading(doc, "On the roofs");
    return *study->roofs ? write_table(study, rows, n, GPP_TABLE_ROOFS, doc, error)
                         : ERT_OK;
}

/* What is wrong with a row, or doubtful; false when nothing is. */
static bool complain(const struct gpp_study_row *row, char *text, size_t size)
{
    if (*row->failed)
        snprintf(text, size, "not measured: %s", row->failed);
    else if (row->error > GPP_BOUND)
        snprintf(text, size, "WRONG: %.2g off the reference, at most %g are allowed",
                 row->error, GPP_BOUND);
    else if (*row->counted.reason)
        snprintf(text, size, "counters: %s", row->counted.reason);
    else
        return false;
    return true;
}

static void list_complaints(const struct gpp_study *study, struct gpp_doc *doc)
{
    for (size_t i = 0; i < study->n_rows; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        char reason[320], text[400];
        if (!complain(row, reason, sizeof reason))
            continue;
        snprintf(text, sizeof text, "%s, nw %zu%s: %s.", row->m.version->name, row->nw,
                 row->m.options.no_fma ? ", no FMA" : "", reason);
        doc->format->item(doc, text);
    }
}

/* The size that counters were taken at, when it was another one. */
static const char *scaled_from(const struct gpp_study_row *const *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*rows[i]->counted.sizes)
            return rows[i]->counted.sizes;
    return NULL;
}

enum ert_status gpp_report_table(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    const size_t n = main_rows(study, rows);
    const char *sizes = scaled_from(rows, n);
    doc->format->heading(doc, "The versions");
    if (n == 0)
        gpp_doc_say(doc, "No version was measured.");
    ERT_TRY(write_table(study, rows, n, GPP_TABLE_VERSIONS, doc, error));
    if (n > 0 && study->has_counters)
        gpp_doc_say(doc,
                    "flop/it: operations per (n, igp, ig, iw), an FMA being two; from: "
                    "counted, or the formulas of gpp/counts.def with the least bytes "
                    "that have to cross. AI: FLOP/byte at that level. mix roof: the peak "
                    "for the version's own FMA share.");
    else if (n > 0)
        gpp_doc_say(doc,
                    "flop/it: operations per (n, igp, ig, iw), an FMA being two, from the "
                    "formulas, not counted. AI: FLOP/byte with the least bytes that have "
                    "to cross. mix roof: the peak for the version's own FMA share.");
    if (sizes)
        gpp_doc_say(doc,
                    "Counted at %s with cold caches, and scaled by the number of "
                    "iterations: bytes of L2 and memory are those of the smaller problem.",
                    sizes);
    list_complaints(study, doc);
    return ERT_OK;
}

/* The share of a whole way that is fewer operations, like that of a step. */
static void explain(const struct gpp_study *study, const struct gpp_study_row *before,
                    const struct gpp_study_row *after, struct gpp_doc *doc)
{
    struct gpp_step step;
    struct gpp_sentences *said = malloc(sizeof *said);
    if (!said)
        return;
    gpp_step_make(study, before, after, &step);
    gpp_step_explain(&step, said);
    for (size_t i = 0; i < said->n; i++)
        doc->format->item(doc, said->texts[i]);
    free(said);
}

enum ert_status gpp_report_steps(const struct gpp_study *study, struct gpp_doc *doc,
                                 struct ert_error *error)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    const size_t n = main_rows(study, rows);
    char title[64];
    (void)error;
    doc->format->heading(doc, "Step by step");
    gpp_doc_say(
        doc, "Each speed-up is a product of three: fewer operations x a better mix (more "
             "FMA) x a larger share of the roof for that mix. Shares of a step are those "
             "of its logarithm.");
    for (size_t i = 1; i < n; i++) {
        snprintf(title, sizeof title, "%s to %s", rows[i - 1]->m.version->name,
                 rows[i]->m.version->name);
        doc->format->subheading(doc, title);
        gpp_doc_say(doc, "%s.", rows[i]->m.version->idea);
        explain(study, rows[i - 1], rows[i], doc);
    }
    if (n > 2) {
        snprintf(title, sizeof title, "The whole way, %s to %s", rows[0]->m.version->name,
                 rows[n - 1]->m.version->name);
        doc->format->subheading(doc, title);
        explain(study, rows[0], rows[n - 1], doc);
    }
    return ERT_OK;
}

enum ert_status gpp_report_counts(const struct gpp_study *study, struct gpp_doc *doc,
                                  struct ert_error *error)
{
    const struct gpp_study_row *rows[MAX_ROWS];
    const size_t n = main_rows(study, rows);
    char text[GPP_SENTENCE];
    doc->format->heading(doc, study->has_counters ? "Operations: counted and from formulas"
                                                  : "Operations, from the formulas");
    ERT_TRY(write_table(study, rows, n, GPP_TABLE_KINDS, doc, error));
    gpp_doc_say(doc, "Per (n, igp, ig, iw). add, mul and FMA hold what divisions and roots "
                     "become on a GPU; div and sqrt say how many of those there are.");
    for (size_t i = 0; i < n; i++) {
        gpp_row_explain(study, rows[i], text);
        if (*text)
            doc->format->item(doc, text);
    }
    if (!study->has_counters)
        return ERT_OK;
    doc->format->heading(doc, "What warps wait for");
    ERT_TRY(write_table(study, rows, n, GPP_TABLE_STALLS, doc, error));
    gpp_doc_say(doc, "Warps that wait for a reason, per instruction issued "
                     "(smsp__average_warps_issue_stalled_*_per_issue_active).");
    return ERT_OK;
}
