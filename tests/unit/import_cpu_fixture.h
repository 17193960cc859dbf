/* SPDX-License-Identifier: BSD-3-Clause */
/* import_cpu_fixture: files of tests/data, and texts, imported as points. */
#ifndef RFL_TESTS_UNIT_IMPORT_CPU_FIXTURE_H
#define RFL_TESTS_UNIT_IMPORT_CPU_FIXTURE_H

#include "tests/unit/test.h"

#include "analysis/ext/import/import.h"

static struct rfl_points points;
static struct ert_error error;

static inline void data_file(const char *name, char file[1024])
{
    const char *source = getenv("top_srcdir");
    snprintf(file, 1024, "%s/tests/data/%s", source ? source : ".", name);
}

/* Imports tests/data/NAME, its format recognized; the points are freed by the next import. */
static inline enum ert_status import_with(const char *name, bool list, const char *region)
{
    char file[1024];
    struct rfl_import_options options = {.list = list, .region = region};
    data_file(name, file);
    rfl_points_free(&points);
    error = (struct ert_error){ERT_OK, ""};
    return rfl_import_file(file, NULL, &options, &points, &error);
}

static inline void import(const char *name)
{
    if (import_with(name, false, NULL) != ERT_OK)
        fail_msg("%s: %s", name, error.text);
}

/* The same from a text, by an importer. */
static inline enum ert_status import_text(const struct rfl_importer *importer,
                                          const char *text, const char *region)
{
    struct ert_lines lines;
    struct rfl_import_options options = {.region = region};
    rfl_points_free(&points);
    error = (struct ert_error){ERT_OK, ""};
    assert_int_equal(ert_lines_open_text("a.txt", text, &lines, &error), ERT_OK);
    enum ert_status status = rfl_import_lines(importer, &lines, &options, &points, &error);
    ert_lines_close(&lines);
    return status;
}

/* A text that is refused, with words of the error. */
__attribute__((unused)) static void refused(const struct rfl_importer *importer,
                                            const char *text, const char *words)
{
    if (import_text(importer, text, NULL) != ERT_USAGE)
        fail_msg("taken without an error for '%s': %s", words, text);
    assert_contains(error.text, words);
}

static inline struct rfl_point *point(const char *name)
{
    for (size_t i = 0; i < points.n; i++)
        if (strcmp(points.points[i].name, name) == 0)
            return &points.points[i];
    fail_msg("no point '%s'", name);
    return NULL;
}

/* Operations of a type, 0 when the point has none. */
static inline double flops(const struct rfl_point *of, const char *type)
{
    for (size_t i = 0; i < of->n_work; i++)
        if (strcmp(of->work[i].type, type) == 0)
            return of->work[i].flops;
    return 0;
}

static inline double bytes(const struct rfl_point *of, const char *level)
{
    const struct rfl_traffic *traffic = rfl_point_traffic(of, level);
    return traffic ? traffic->bytes : 0;
}

/* The reason why a point lacks something; fails the test when it names none. */
static inline const char *missing(const struct rfl_point *of, const char *what)
{
    for (size_t i = 0; i < of->n_missing; i++)
        if (strcmp(of->missing[i].what, what) == 0)
            return of->missing[i].reason;
    fail_msg("%s: '%s' is not named as missing", of->name, what);
    return "";
}

/* Whether a warning holds the words. */
static inline bool warns(const struct rfl_point *of, const char *words)
{
    for (size_t i = 0; i < of->n_warnings; i++)
        if (strstr(of->warnings[i], words))
            return true;
    return false;
}

static inline int free_points(void **state)
{
    rfl_points_free(&points);
    return 0;
}

#endif
