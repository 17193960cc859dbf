/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/import.h"

#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct rfl_importer *const importers[] = {
#define RFL_IMPORTER(name) &rfl_import_##name,
#include "analysis/ext/import/formats.def"
};

const struct rfl_importer *const *rfl_importers(size_t *n)
{
    *n = ERT_LENGTH(importers);
    return importers;
}

enum ert_status rfl_importer_find(const char *name, const struct rfl_importer **importer,
                                  struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0; i < ERT_LENGTH(importers); i++) {
        *importer = importers[i];
        if (strcmp((*importer)->name, name) == 0)
            return ERT_OK;
        ert_list_add(list, sizeof list, (*importer)->name);
    }
    return ert_fail(error, ERT_USAGE, "no format '%.64s'; there are: %s", name, list);
}

/* The importer that recognizes a text; NULL also for points.json (*is_points). *n: how many; list: they. */
static const struct rfl_importer *recognize(const char *head, size_t *n, char list[256],
                                            bool *is_points)
{
    const struct rfl_importer *found = NULL;
    *n = 0;
    *list = '\0';
    *is_points = rfl_points_recognizes(head);
    for (size_t i = 0; i < ERT_LENGTH(importers) && !*is_points; i++) {
        if (!importers[i]->recognizes(head))
            continue;
        found = importers[i];
        ert_list_add(list, 256, found->name);
        ++*n;
    }
    return found;
}

/* Says of a text that not exactly one importer recognizes what it is. */
static enum ert_status unrecognized(const char *file, const char *head, size_t n_found,
                                    const char *list, struct ert_error *error)
{
    if (n_found > 1)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: matches several formats (%s): choose one with --format",
                        file, list);
    const char *cause = rfl_input_cause(head);
    bool is_ceilings = strstr(head, "\"ert-ceilings/") != NULL;
    return ert_fail(error, ERT_USAGE, "%.200s: %s%s", file,
                    !head[strspn(head, " \t\r\n")] ? "is empty"
                    : is_ceilings
                        ? "contains ceilings, not a profile; give ceilings first, once"
                    : cause ? "unrecognised format: "
                            : "unrecognised format; `roofline import --help` lists them",
                    cause && !is_ceilings ? cause : "");
}

/* Joins points as the importer does, and removes the joined ones from the set. */
static void import_join(const struct rfl_importer *importer, struct rfl_points *points,
                        size_t first)
{
    size_t n = first;
    for (size_t i = first; i < points->n && importer->join; i++) {
        bool joined = false;
        for (size_t e = 0; e < first && !joined; e++)
            joined = importer->join(&points->points[e], &points->points[i]);
        if (!joined)
            points->points[n++] = points->points[i];
    }
    points->n = importer->join ? n : points->n;
}

enum ert_status rfl_import_lines(const struct rfl_importer *importer,
                                 struct ert_lines *lines,
                                 const struct rfl_import_options *options,
                                 struct rfl_points *points, struct ert_error *error)
{
    const struct rfl_import in = {importer, lines, options, points, points->n};
    enum ert_status status = importer->read(&in, error);
    ERT_TRY(rfl_points_status(points, error)); /* that error came first, with the text */
    ERT_TRY(status);
    return ert_lines_end(lines, error);
}

/* Appends the points of a file by its first bytes and its text (malloc), NULL: it is read as it is. */
static enum ert_status import_text(const char *file, char head[RFL_HEAD_BYTES], char **text,
                                   const struct rfl_importer *importer,
                                   const struct rfl_import_options *options,
                                   struct rfl_points *points, struct ert_error *error)
{
    struct ert_lines lines;
    bool is_points = false;
    size_t first = points->n, n = 1;
    char list[256];
    if (!importer)
        importer = recognize(head, &n, list, &is_points);
    if (!is_points && n != 1)
        return unrecognized(file, head, n, list, error);
    struct stat about;
    if (is_points && stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return ert_fail(error, ERT_USAGE, "%.200s: a pipe: points.json must be a file",
                        file);
    if (is_points)
        return rfl_points_read(file, points, error);
    if (importer->convert && !*text) {
        ERT_TRY(importer->convert(file, text, error));
        *head = *text ? '\0' : *head; /* it is of another text */
    }
    ERT_TRY(*text ? ert_lines_open_text(file, *text, &lines, error)
                  : ert_lines_open(file, &lines, error));
    enum ert_status status = rfl_import_lines(importer, &lines, options, points, error);
    const char *cause = status == ERT_USAGE ? rfl_input_cause(head) : NULL;
    ert_lines_close(&lines);
    if (cause)
        return ert_fail(error, status, "%.200s: %s", file, cause);
    ERT_TRY(status);
    if (points->n == first)
        return ert_fail(error, ERT_USAGE, "%.200s: contains no kernel or region%s%s%s",
                        file, options->region ? " with '" : "",
                        options->region ? options->region : "",
                        options->region ? "' in its name" : "");
    for (size_t i = first; i < points->n; i++) {
        struct rfl_point *point = &points->points[i];
        point->source = rfl_points_text(points, file);
        point->format = rfl_points_text(points, importer->name);
    }
    import_join(importer, points, first);
    rfl_points_judge(points, importer->join ? 0 : first);
    return ERT_OK;
}

enum ert_status rfl_import_file(const char *file, const struct rfl_importer *importer,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error)
{
    char *head = ert_xcalloc(RFL_HEAD_BYTES, 1), *text = NULL; /* stacks may be small */
    enum ert_status status = rfl_input_read(file, head, RFL_HEAD_BYTES, &text, error);
    if (status == ERT_OK)
        status = import_text(file, head, &text, importer, options, points, error);
    free(text);
    free(head);
    return status;
}

static enum ert_status import_profile(const char *file, const struct rfl_reading *how,
                                      struct rfl_points *points, struct ert_error *error)
{
    const struct rfl_importer *importer = NULL;
    const struct rfl_import_options options = {
        .list = how->list, .region = how->region, .cc = how->cc};
    if (how->format)
        ERT_TRY(rfl_importer_find(how->format, &importer, error));
    return rfl_import_file(file, importer, &options, points, error);
}

/* Ceilings or a profile. */
static enum ert_status import_any(const char *file, struct ert_ceilings *ceilings,
                                  struct rfl_points *points, bool *is_ceilings,
                                  struct ert_error *error)
{
    static const struct rfl_import_options plain = {0};
    char *head = ert_xcalloc(RFL_HEAD_BYTES, 1);
    enum ert_status status = rfl_head_read(file, head, RFL_HEAD_BYTES, error);
    const bool is_lbnl = strstr(head, RFL_LBNL_KEY) != NULL;
    *is_ceilings = is_lbnl || strstr(head, "\"ert-ceilings/");
    if (status == ERT_OK && is_lbnl)
        status = ert_fail(error, ERT_USAGE, "%.200s: %s", file, rfl_input_cause(head));
    free(head);
    ERT_TRY(status);
    return *is_ceilings ? ert_ceilings_read(file, ceilings, error)
                        : rfl_import_file(file, NULL, &plain, points, error);
}

static enum rfl_profiled import_profiled(const char *format)
{
    static const char *const by_python[] = {"nsys", "nvprof", "rocprofv3"};
    const struct rfl_importer *importer;
    for (size_t i = 0; i < ERT_LENGTH(by_python); i++)
        if (strcmp(format, by_python[i]) == 0)
            return RFL_PROFILED_GPU;
    return rfl_importer_find(format, &importer, NULL) == ERT_OK ? importer->device
                                                                : RFL_PROFILED_ANY;
}

static void import_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < ERT_LENGTH(importers); i++)
        if (importers[i]->advise)
            importers[i]->advise(points, cpu);
}

const struct rfl_reader rfl_reader = {
    .profile = import_profile,
    .any = import_any,
    .combine = rfl_points_combine,
    .profiled = import_profiled,
    .advise = import_advise,
    .shorten = rfl_names_shorten,
};
