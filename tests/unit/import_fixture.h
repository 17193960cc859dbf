/* SPDX-License-Identifier: BSD-3-Clause */
/* import_fixture: text as if it were a file of an importer, and its points. */
#ifndef ERT_TESTS_UNIT_IMPORT_FIXTURE_H
#define ERT_TESTS_UNIT_IMPORT_FIXTURE_H

#include "tests/unit/fixture_file.h"
#include "tests/unit/test.h"

#include "analysis/ext/import/import.h"

static const struct rfl_import_options plain_options = {0};

static inline enum ert_status import_text(const struct rfl_importer *importer,
                                          const char *text,
                                          const struct rfl_import_options *options,
                                          struct rfl_points *points,
                                          struct ert_error *error)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open_text("a.csv", text, &lines, error));
    enum ert_status status = rfl_import_lines(importer, &lines, options, points, error);
    ert_lines_close(&lines);
    return status;
}

/* The points of a text that must be good. */
static inline struct rfl_points points_of(const struct rfl_importer *importer,
                                          const char *text,
                                          const struct rfl_import_options *options)
{
    struct rfl_points points = {0};
    struct ert_error error = {0};
    if (import_text(importer, text, options, &points, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return points;
}

/* The points of files of tests/data, one after the other; the last name is NULL. */
static inline struct rfl_points points_of_files(const struct rfl_import_options *options,
                                                const char *first, ...)
{
    struct rfl_points points = {0};
    struct ert_error error = {0};
    const char *source = getenv("top_srcdir");
    char file[1024];
    va_list names;
    va_start(names, first);
    for (const char *name = first; name; name = va_arg(names, const char *)) {
        snprintf(file, sizeof file, "%s/tests/data/%s", source ? source : ".", name);
        if (rfl_import_file(file, NULL, options, &points, &error) != ERT_OK)
            fail_msg("%s", error.text);
    }
    va_end(names);
    return points;
}

/* Fails unless the text is refused with words. */
static inline void refuses(const struct rfl_importer *importer, const char *text,
                           const char *words)
{
    struct rfl_points points = {0};
    struct ert_error error = {0};
    assert_int_equal(import_text(importer, text, &plain_options, &points, &error),
                     ERT_USAGE);
    assert_contains(error.text, words);
    rfl_points_free(&points);
}

static inline const struct rfl_point *find_point(const struct rfl_points *points,
                                                 const char *name)
{
    for (size_t i = 0; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0)
            return &points->points[i];
    fail_msg("no point %s", name);
    return NULL;
}

static inline const struct rfl_work *find_work(const struct rfl_point *point,
                                               const char *type, const char *unit)
{
    for (size_t i = 0; i < point->n_work; i++)
        if (strcmp(point->work[i].type, type) == 0 &&
            strcmp(point->work[i].unit, unit) == 0)
            return &point->work[i];
    fail_msg("%s has no %s of %s", point->name, type, unit);
    return NULL;
}

static inline double bytes_of(const struct rfl_point *point, const char *level)
{
    const struct rfl_traffic *traffic = rfl_point_traffic(point, level);
    return traffic ? traffic->bytes : 0;
}

/* The reason why something is missing, "" when it is not. */
static inline const char *reason_of(const struct rfl_point *point, const char *what)
{
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, what) == 0)
            return point->missing[i].reason;
    return "";
}

#endif
