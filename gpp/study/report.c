#include "gpp/study/report.h"

#include "gpp/study/points.h"
#include "gpp/study/steps.h"

#include "analysis/points_json.h"
#include "ert/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const gpp_study_files[] = {"study.json", "points.json", "table.md", "steps.md",
                                       "study.md",   "index.html",  "nw.csv",   NULL};

/* What a file or page is made from. */
struct report {
    const struct gpp_study *study;
    const struct gpp_charts *charts;
    struct gpp_doc *doc;
};

static void describe(const struct report *report)
{
    const struct gpp_study *s = report->study;
    const struct gpp_sizes *z = &s->sizes;
    struct gpp_doc *doc = report->doc;
    gpp_doc_say(doc, "%s on %s (%s, %s), %s. Made by: %s", s->system, s->model, s->device,
                s->host, s->created, s->command);
    gpp_doc_say(doc,
                "nbands %zu, ngpown %zu, ncouls %zu, nw %zu: %.4g iterations (n, igp, ig, "
                "iw); inputs from seed %llu. Branches taken by %.2f, %.2f, %.2f %%, cutoff "
                "%.2f %%, %.1f %% of bands occupied.",
                z->nbands, z->ngpown, z->ncouls, z->nw, gpp_sizes_iterations(z),
                (unsigned long long)s->seed, 100 * s->shares.first, 100 * s->shares.second,
                100 * s->shares.third, 100 * s->shares.cutoff, 100 * s->shares.occupied);
    gpp_doc_say(doc,
                "Times are medians of repeated runs after one to warm up. Reference: %s; a "
                "version agrees within %g relative.",
                s->reference, GPP_BOUND);
    if (s->has_counters)
        gpp_doc_say(doc, "Operations and bytes: counted by %s.", s->counters);
    else
        gpp_doc_say(
            doc,
            "Operations and bytes: from the formulas of gpp/counts.def, not counted "
            "(%s).",
            s->counters);
    if (*s->roofs)
        gpp_doc_say(doc,
                    "Roofs: %s (%s), for the whole device at the clock of its sweep, as "
                    "`roofline place --concurrency all --clock sweep` has them.",
                    s->roofs, s->ceilings);
    else
        gpp_doc_say(doc, "No ceilings were given: nothing is placed under roofs.");
    if (*s->roofs && !strstr(s->roofs, s->model))
        gpp_doc_say(doc, "The roofs are not of this device: shares of them say little.");
}

static enum ert_status draw(const struct report *report, struct ert_error *error)
{
    const struct gpp_charts *charts = report->charts;
    struct gpp_doc *doc = report->doc;
    ERT_TRY(gpp_report_roofs(report->study, doc, error));
    for (size_t i = 0; i < charts->n; i++)
        if (!charts->charts[i].version)
            ERT_TRY(doc->format->picture(doc, charts->charts[i].file,
                                         charts->charts[i].title, error));
    if (*charts->reason)
        gpp_doc_say(doc, "%s: %s.", charts->n ? "Not all are drawn" : "No chart",
                    charts->reason);
    return ERT_OK;
}

static enum ert_status page(const struct report *report, struct ert_error *error)
{
    struct gpp_doc *doc = report->doc;
    char title[320];
    snprintf(title, sizeof title, "GPP %s on %s", report->study->system,
             report->study->model);
    doc->format->begin(doc, title);
    gpp_report_headline(report->study, doc);
    describe(report);
    ERT_TRY(gpp_report_table(report->study, doc, error));
    ERT_TRY(draw(report, error));
    ERT_TRY(gpp_report_steps(report->study, doc, error));
    ERT_TRY(gpp_report_counts(report->study, doc, error));
    if (gpp_study_has_energies(report->study))
        ERT_TRY(gpp_report_energies(report->study, report->charts, doc, error));
    doc->format->end(doc);
    return ERT_OK;
}

static enum ert_status table(const struct report *report, struct ert_error *error)
{
    return gpp_report_table(report->study, report->doc, error);
}

static enum ert_status steps(const struct report *report, struct ert_error *error)
{
    return gpp_report_steps(report->study, report->doc, error);
}

static const struct output {
    const char *name;
    const struct gpp_doc_format *format;
    enum ert_status (*write)(const struct report *report, struct ert_error *error);
} outputs[] = {
    {"table.md",   &gpp_doc_markdown, table},
    {"steps.md",   &gpp_doc_markdown, steps},
    {"study.md",   &gpp_doc_markdown, page },
    {"index.html", &gpp_doc_html,     page },
};

/* Written whole or not at all. */
static enum ert_status write_output(const struct output *output, struct report *report,
                                    const char *folder, struct ert_error *error)
{
    char file[1200], *text = NULL;
    size_t size = 0, skipped;
    FILE *memory = open_memstream(&text, &size);
    struct gpp_doc doc = {.out = memory, .format = output->format, .folder = folder};
    if (!memory)
        return ert_fail(error, ERT_FAILED, "no memory for %s: %s", output->name,
                        strerror(errno));
    report->doc = &doc;
    enum ert_status status = output->write(report, error);
    bool is_written = !ferror(memory);
    if ((fclose(memory) != 0 || !is_written) && status == ERT_OK)
        status = ert_fail(error, ERT_FAILED, "no memory for %s", output->name);
    snprintf(file, sizeof file, "%s/%s", folder, output->name);
    skipped = status == ERT_OK ? strspn(text, "\n") : 0;
    if (status == ERT_OK)
        status = ert_file_write(file, text + skipped, size - skipped, error);
    free(text);
    return status;
}

static enum ert_status write_points(const struct gpp_study *study, const char *folder,
                                    struct ert_error *error)
{
    char file[1200];
    struct rfl_points points = {0};
    snprintf(file, sizeof file, "%s/points.json", folder);
    enum ert_status status = gpp_study_points(study, &points, error);
    if (status == ERT_OK)
        status = rfl_points_write(file, &points, error);
    rfl_points_free(&points);
    return status;
}

enum ert_status gpp_report_write(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, const char *folder,
                                 struct gpp_charts *charts, struct ert_error *error)
{
    char file[1200];
    struct report report = {.study = study, .charts = charts};
    ERT_TRY(write_points(study, folder, error));
    ERT_TRY(gpp_charts_write(study, ceilings, folder, charts, error));
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        ERT_TRY(write_output(&outputs[i], &report, folder, error));
    if (!gpp_study_has_energies(study))
        return ERT_OK;
    snprintf(file, sizeof file, "%s/nw.csv", folder);
    return gpp_report_efficiencies(study, file, error);
}
