#include "gpp/study/charts.h"

#include "gpp/study/points.h"

#include "analysis/plot/output.h"
#include "analysis/roofline.h"

#include <stdio.h>
#include <string.h>

/* What a chart shows. */
struct subject {
    const struct gpp_study *study;
    const struct ert_ceilings *ceilings;
    size_t device;
    const char *folder;
    struct gpp_charts *charts;
};

/* PNG and PDF are for slides and papers; a build without Cairo has none. */
static const char *const extensions[] = {"svg", "png", "pdf"};

static enum ert_status draw(const struct subject *subject, const struct rfl_points *points,
                            const char *level, const char *stem, const char *title,
                            const struct gpp_version *version, struct ert_error *error)
{
    const struct rfl_scene_device device = {subject->ceilings, subject->device};
    const struct rfl_scene_options options = {.trajectory = true,
                                              .level = level,
                                              .type = "fp64",
                                              .points = points,
                                              .max_kernels = RFL_MAX_KERNELS,
                                              .close = true,
                                              .title = title};
    struct gpp_charts *charts = subject->charts;
    struct ert_error reason = {ERT_OK, ""};
    char file[1200];
    if (charts->n == GPP_MAX_CHARTS)
        return ERT_OK;
    struct gpp_chart *chart = &charts->charts[charts->n];
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        snprintf(file, sizeof file, "%s/%s.%s", subject->folder, stem, extensions[i]);
        if (rfl_output_check(file, &reason) != ERT_OK)
            continue;
        enum ert_status status = rfl_plot_file(&device, 1, &options, file, &reason);
        if (status == ERT_FAILED)
            return ert_fail(error, status, "%s", reason.text);
        if (status != ERT_OK) {
            snprintf(charts->reason, sizeof charts->reason, "%.255s", reason.text);
            return ERT_OK;
        }
    }
    snprintf(chart->file, sizeof chart->file, "%s.svg", stem);
    snprintf(chart->title, sizeof chart->title, "%s", title);
    chart->version = version;
    charts->n++;
    return ERT_OK;
}

static bool has_bytes(const struct rfl_points *points, const char *level)
{
    for (size_t i = 0; i < points->n; i++)
        if (rfl_point_traffic(&points->points[i], level))
            return true;
    return false;
}

/* The versions of the study's own nw, in their order. */
static enum ert_status draw_versions(const struct subject *subject, struct ert_error *error)
{
    const struct gpp_study *study = subject->study;
    struct rfl_points points = {0};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < study->n_rows && status == ERT_OK; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        struct rfl_point *point;
        if (gpp_row_is_measured(row) && row->nw == study->sizes.nw &&
            row->m.options.no_fma == gpp_study_no_fma(study))
            status = gpp_study_point(study, row, &points, &point, error);
    }
    for (size_t level = 0; level < GPP_N_LEVELS && status == ERT_OK; level++) {
        const char *name = gpp_level_name(study, level);
        char stem[48], title[192];
        if (level == GPP_SHARED || !has_bytes(&points, name))
            continue;
        snprintf(stem, sizeof stem, "trajectory-%s", name);
        snprintf(title, sizeof title, "GPP %s, nw %zu: the versions with their bytes at %s",
                 study->system, study->sizes.nw, name);
        status = draw(subject, &points, name, stem, title, NULL, error);
    }
    rfl_points_free(&points);
    return status;
}

/*
 * Most versions use shared memory for a block's sum alone, at thousands of FLOP/byte: tables have it, charts
 * would be stretched by it.
 */
static void drop_shared(struct rfl_point *point)
{
    size_t kept = 0;
    for (size_t i = 0; i < point->n_traffic; i++)
        if (strcmp(point->traffic[i].level, "shared") != 0)
            point->traffic[kept++] = point->traffic[i];
    point->n_traffic = kept;
}

/* One version over its energies, with FMA and without. */
static enum ert_status draw_energies(const struct subject *subject,
                                     const struct gpp_version *version,
                                     struct ert_error *error)
{
    const struct gpp_study *study = subject->study;
    struct rfl_points points = {0};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < study->n_rows && status == ERT_OK; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        struct rfl_point *point;
        char name[16];
        if (row->m.version != version || !gpp_row_is_measured(row))
            continue;
        status = gpp_study_point(study, row, &points, &point, error);
        if (status != ERT_OK)
            break;
        snprintf(name, sizeof name, "nw=%zu", row->nw);
        drop_shared(point);
        point->name = rfl_points_text(&points, name);
        point->run = row->m.options.no_fma ? "no FMA" : "FMA";
        point->scale = (double)row->nw;
    }
    if (status == ERT_OK && points.n > 1) {
        char stem[48], title[192];
        snprintf(stem, sizeof stem, "nw-%s", version->name);
        snprintf(title, sizeof title, "GPP %s, %s: over the number of energies",
                 version->name, study->system);
        status = draw(subject, &points, NULL, stem, title, version, error);
    }
    rfl_points_free(&points);
    return status;
}

enum ert_status gpp_charts_write(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, const char *folder,
                                 struct gpp_charts *charts, struct ert_error *error)
{
    struct subject subject = {study, ceilings, 0, folder, charts};
    struct ert_error reason;
    charts->n = 0;
    charts->reason[0] = '\0';
    if (!ceilings) {
        snprintf(charts->reason, sizeof charts->reason, "no ceilings were given");
        return ERT_OK;
    }
    if (gpp_study_device(study, ceilings, &subject.device, &reason) != ERT_OK) {
        snprintf(charts->reason, sizeof charts->reason, "%.255s", reason.text);
        return ERT_OK;
    }
    if (study->n_rows == 0)
        return ERT_OK;
    ERT_TRY(draw_versions(&subject, error));
    for (size_t v = 0; v < GPP_N_VERSIONS && gpp_study_has_energies(study); v++)
        ERT_TRY(draw_energies(&subject, &gpp_versions[v], error));
    return ERT_OK;
}
