#include "analysis/portability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point by the name of its case. */
struct named {
    const char *name;
    size_t platform, index;
};

struct list {
    struct named *named; /* malloc */
    size_t n;
};

/* By name, then in the order of the platforms and their files. */
static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->platform > y->platform) - (x->platform < y->platform);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_places(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = (x->platform > y->platform) - (x->platform < y->platform);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void fill(struct list *list, const struct rfl_platform *platforms, size_t n,
                 bool with_run, struct rfl_efficiencies *result)
{
    list->n = 0;
    for (size_t p = 0; p < n; p++)
        for (size_t i = 0; i < platforms[p].points->n; i++) {
            const struct rfl_point *point = &platforms[p].points->points[i];
            bool has_run = with_run && *point->run;
            const char *name = rfl_strings_format(
                &result->strings, "%s%s%s%s", point->name, has_run ? " [" : "",
                has_run ? point->run : "", has_run ? "]" : "");
            list->named[list->n++] = (struct named){name ? name : "", p, i};
        }
    qsort(list->named, list->n, sizeof *list->named, compare_named);
}

/* A name that a platform has twice, or NULL. */
static const struct named *find_double(const struct list *list)
{
    for (size_t i = 1; i < list->n; i++)
        if (list->named[i].platform == list->named[i - 1].platform &&
            strcmp(list->named[i].name, list->named[i - 1].name) == 0)
            return &list->named[i];
    return NULL;
}

/* A case for each name, in the order in which they first stand in the files. */
static enum ert_status add_cases(const struct list *list,
                                 const struct rfl_platform *platforms,
                                 struct rfl_efficiencies *result, struct ert_error *error)
{
    struct named *firsts = malloc((list->n + 1) * sizeof *firsts);
    size_t n_firsts = 0;
    enum ert_status status = ERT_OK;
    if (!firsts)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", list->n);
    for (size_t i = 0; i < list->n; i++)
        if (i == 0 || strcmp(list->named[i].name, list->named[i - 1].name) != 0)
            firsts[n_firsts++] = list->named[i];
    qsort(firsts, n_firsts, sizeof *firsts, compare_places);
    for (size_t f = 0; f < n_firsts && status == ERT_OK; f++) {
        struct rfl_portable_case *added;
        status = rfl_efficiencies_case(result, firsts[f].name, &added, error);
        const struct named *at = status != ERT_OK
                                     ? NULL
                                     : bsearch(&firsts[f], list->named, list->n,
                                               sizeof *list->named, compare_named);
        for (; at && at < list->named + list->n && strcmp(at->name, firsts[f].name) == 0;
             at++)
            added->efficiencies[at->platform] =
                platforms[at->platform].efficiencies[at->index];
    }
    free(firsts);
    return status;
}

enum ert_status rfl_efficiencies_join(const struct rfl_platform *platforms, size_t n,
                                      struct rfl_efficiencies *result,
                                      struct ert_error *error)
{
    size_t n_points = 0;
    for (size_t p = 0; p < n; p++) {
        ERT_TRY(rfl_efficiencies_platform(result, platforms[p].name, error));
        n_points += platforms[p].points->n;
    }
    struct list list = {malloc((n_points + 1) * sizeof *list.named), 0};
    if (!list.named)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", n_points);
    fill(&list, platforms, n, false, result);
    /* runs are often names of files or machines, which never match: only where they are needed */
    if (find_double(&list))
        fill(&list, platforms, n, true, result);
    const struct named *doubled = find_double(&list);
    enum ert_status status =
        doubled ? ert_fail(error, ERT_USAGE, "platform '%.60s': '%.200s' stands twice",
                           platforms[doubled->platform].name, doubled->name)
                : add_cases(&list, platforms, result, error);
    free(list.named);
    return status;
}
