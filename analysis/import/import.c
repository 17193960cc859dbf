/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/import/import.h"

#include "analysis/points_json.h"
#include "ert/base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 1 << 16 };

static const struct rfl_importer *const importers[] = {
#define RFL_IMPORTER(name) &rfl_import_##name,
#include "analysis/import/formats.def"
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

/* Reads the first bytes of a file, NUL-terminated. */
static enum ert_status read_head(const char *file, char head[HEAD_BYTES],
                                 struct ert_error *error)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(file, &lines, error));
    head[fread(head, 1, HEAD_BYTES - 1, lines.stream)] = '\0';
    ert_lines_close(&lines);
    return ERT_OK;
}

/* *importer stays NULL for points.json. */
static enum ert_status recognize(const char *file, const struct rfl_importer **importer,
                                 struct ert_error *error)
{
    char *head = ert_xcalloc(HEAD_BYTES, 1), names[256] = "";
    size_t n, n_found = 0;
    const struct rfl_importer *const *all = rfl_importers(&n);
    enum ert_status status = read_head(file, head, error);
    bool is_points = status == ERT_OK && rfl_points_recognizes(head);
    for (size_t i = 0; i < n && status == ERT_OK && !is_points; i++) {
        if (!all[i]->recognizes(head))
            continue;
        *importer = all[i];
        ert_list_add(names, sizeof names, all[i]->name);
        n_found++;
    }
    bool is_empty = status == ERT_OK && !head[strspn(head, " \t\r\n")],
         is_ceilings = status == ERT_OK && strstr(head, "\"ert-ceilings/");
    free(head);
    if (is_empty)
        return ert_fail(error, ERT_USAGE, "%.200s: is empty", file);
    if (is_ceilings && !n_found)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: contains ceilings, not a profile; give ceilings first, once", file);
    if (status != ERT_OK || is_points || n_found == 1)
        return status;
    if (n_found > 1)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: matches several formats (%s): choose one with --format",
                        file, names);
    return ert_fail(error, ERT_USAGE,
                    "%.200s: unrecognised format; `roofline import --help` lists them",
                    file);
}

/* Joins points as the importer does, and removes the joined ones from the set. */
static void join(const struct rfl_importer *importer, struct rfl_points *points,
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

enum ert_status rfl_import_file(const char *file, const struct rfl_importer *importer,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error)
{
    struct ert_lines lines;
    size_t first = points->n;
    if (!importer)
        ERT_TRY(recognize(file, &importer, error));
    if (!importer)
        return rfl_points_read(file, points, error);
    char *text = NULL;
    if (importer->convert)
        ERT_TRY(importer->convert(file, &text, error));
    enum ert_status status = text ? ert_lines_open_text(file, text, &lines, error)
                                  : ert_lines_open(file, &lines, error);
    if (status == ERT_OK) {
        status = rfl_import_lines(importer, &lines, options, points, error);
        ert_lines_close(&lines);
    }
    free(text);
    ERT_TRY(status);
    if (points->n == first)
        return ert_fail(error, ERT_USAGE, "%.200s: contains no kernel or region%s%s%s",
                        file, options->region ? " has '" : "",
                        options->region ? options->region : "",
                        options->region ? "' in its name" : "");
    for (size_t i = first; i < points->n; i++) {
        points->points[i].source = rfl_points_text(points, file);
        points->points[i].format = rfl_points_text(points, importer->name);
    }
    join(importer, points, first);
    rfl_points_judge(points, importer->join ? 0 : first);
    return ERT_OK;
}

void rfl_import_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    size_t n;
    const struct rfl_importer *const *all = rfl_importers(&n);
    for (size_t i = 0; i < n; i++)
        if (all[i]->advise)
            all[i]->advise(points, cpu);
}
