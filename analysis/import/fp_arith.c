#include "analysis/import/fp_arith.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const types[RFL_FP_TYPES] = {"fp64", "fp32", "fp16"};

static const struct event_row {
    const char *name;
    int type;
    double width;
} rows[] = {
    {"scalar_double",       0, 1 },
    {"128b_packed_double",  0, 2 },
    {"256b_packed_double",  0, 4 },
    {"512b_packed_double",  0, 8 },
    {"scalar_single",       1, 1 },
    {"128b_packed_single",  1, 4 },
    {"256b_packed_single",  1, 8 },
    {"512b_packed_single",  1, 16},
    {"scalar_half",         2, 1 },
    {"complex_scalar_half", 2, 2 },
    {"128b_packed_half",    2, 8 },
    {"256b_packed_half",    2, 16},
    {"512b_packed_half",    2, 32}
};

/* The event behind its prefix in small letters, "" when it has another prefix. */
static void strip(const char *event, char name[64])
{
    static const char *const prefixes[] = {"fp_arith_inst_retired2_",
                                           "fp_arith_inst_retired_", "fp_arith_"};
    char text[96];
    size_t n = 0;
    for (; event[n] && n < sizeof text - 1; n++)
        text[n] =
            isalnum((unsigned char)event[n]) ? (char)tolower((unsigned char)event[n]) : '_';
    text[n] = '\0';
    name[0] = '\0';
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0) {
            snprintf(name, 64, "%.63s", text + strlen(prefixes[i]));
            return;
        }
}

static const struct event_row *find(const char *event)
{
    char name[64];
    strip(event, name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool rfl_fp_arith_event(const char *event, const char **type, double *width)
{
    const struct event_row *row = find(event);
    if (!row)
        return false;
    *type = types[row->type];
    *width = row->width;
    return true;
}

bool rfl_fp_arith_add(struct rfl_fp_arith *sums, const char *event, double count)
{
    const struct event_row *row = find(event);
    if (!row)
        return false;
    char *terms = sums->terms[row->type];
    if (!strstr(terms, row->name)) {
        char term[40], *end = terms + strlen(terms);
        if (row->width > 1)
            snprintf(term, sizeof term, "%g x %s", row->width, row->name);
        else
            snprintf(term, sizeof term, "%s", row->name);
        snprintf(end, sizeof sums->terms[0] - (size_t)(end - terms), "%s%s",
                 *terms ? " + " : "", term);
    }
    sums->flops[row->type] += row->width * count;
    sums->seen[row->type] = true;
    sums->scalar[row->type] |= strcmp(row->name, "scalar_double") == 0 ||
                               strcmp(row->name, "scalar_single") == 0 ||
                               strcmp(row->name, "scalar_half") == 0;
    return true;
}

enum ert_status rfl_fp_arith_put(const struct rfl_fp_arith *sums, const char *tool,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    for (size_t i = 0; i < RFL_FP_TYPES; i++) {
        char recipe[256];
        if (!sums->seen[i])
            continue;
        snprintf(
            recipe, sizeof recipe,
            "%s of FP_ARITH_INST_RETIRED (%s); an FMA counts twice, its share is unknown",
            sums->terms[i], tool);
        ERT_TRY(rfl_points_work(points, point, types[i], "core", sums->flops[i], NAN,
                                recipe, error));
        if (!sums->scalar[i])
            rfl_points_warn(points, point,
                            "%s: the scalar operations were not counted (%s), so there can "
                            "be more",
                            types[i], sums->terms[i]);
    }
    return ERT_OK;
}
