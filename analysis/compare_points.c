#include "analysis/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The points of both sides in the order of name, run and place in the file, and with which of the
 * other side each goes. Sorted, because a profile can hold 100,000 launches.
 */
struct side {
    const struct rfl_points *points;
    const struct rfl_point **sorted; /* malloc */
    size_t *
        match; /* malloc; of each point, by its place in the file: in the other, or SIZE_MAX */
};

static int compare_points(const void *a, const void *b)
{
    const struct rfl_point *x = *(const struct rfl_point *const *)a,
                           *y = *(const struct rfl_point *const *)b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = strcmp(x->run, y->run);
    return order ? order : (x > y) - (x < y);
}

static enum ert_status sort_side(struct side *side, struct ert_error *error)
{
    size_t n = side->points->n;
    side->sorted = malloc((n + 1) * sizeof *side->sorted);
    side->match = malloc((n + 1) * sizeof *side->match);
    if (!side->sorted || !side->match)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", n);
    for (size_t i = 0; i < n; i++) {
        side->sorted[i] = &side->points->points[i];
        side->match[i] = SIZE_MAX;
    }
    qsort(side->sorted, n, sizeof *side->sorted, compare_points);
    return ERT_OK;
}

static void join(struct side *a, const struct rfl_point *of_a, struct side *b,
                 const struct rfl_point *of_b)
{
    size_t i = (size_t)(of_a - a->points->points), j = (size_t)(of_b - b->points->points);
    a->match[i] = j;
    b->match[j] = i;
}

/* A name and a run that stand several times (each launch a point) go in their order. */
static void match_exactly(struct side *a, struct side *b)
{
    for (size_t i = 0, j = 0; i < a->points->n && j < b->points->n;) {
        const struct rfl_point *x = a->sorted[i], *y = b->sorted[j];
        int order = strcmp(x->name, y->name);
        if (order == 0)
            order = strcmp(x->run, y->run);
        if (order == 0)
            join(a, x, b, y);
        i += order <= 0;
        j += order >= 0;
    }
}

/* From `from` on: the end of the points of one name; *left: how many are unmatched, *last of them. */
static size_t end_of_name(const struct side *side, size_t from, size_t *left,
                          const struct rfl_point **last)
{
    size_t i = from;
    *left = 0;
    for (; i < side->points->n &&
           strcmp(side->sorted[i]->name, side->sorted[from]->name) == 0;
         i++)
        if (side->match[side->sorted[i] - side->points->points] == SIZE_MAX) {
            ++*left;
            *last = side->sorted[i];
        }
    return i;
}

/* Runs are often the names of files or dates, which differ: a name alone will do if it is unique. */
static void match_by_name(struct side *a, struct side *b)
{
    for (size_t i = 0, j = 0; i < a->points->n && j < b->points->n;) {
        const struct rfl_point *x = NULL, *y = NULL;
        size_t left_a, left_b;
        int order = strcmp(a->sorted[i]->name, b->sorted[j]->name);
        size_t end_a = end_of_name(a, i, &left_a, &x),
               end_b = end_of_name(b, j, &left_b, &y);
        if (order == 0 && left_a == 1 && left_b == 1)
            join(a, x, b, y);
        i = order <= 0 ? end_a : i;
        j = order >= 0 ? end_b : j;
    }
}

/* A version each, whose kernels have names of their own: there is only one way to match them. */
static void match_single(struct side *a, struct side *b)
{
    if (a->points->n == 1 && b->points->n == 1 && a->match[0] == SIZE_MAX)
        join(a, a->sorted[0], b, b->sorted[0]);
}

/* Whether any point of a side has an interval of its time. */
static bool has_interval(const struct rfl_points *points)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->points[i].time_high_s > points->points[i].time_low_s)
            return true;
    return false;
}

struct adding {
    struct rfl_comparison *comparison;
    const struct rfl_compare_options *options;
    const char *group;
    const struct rfl_point *a, *b; /* NULL: not in this file */
    const char *note;              /* of the next row, or NULL */
    bool has_headline;
};

static struct rfl_range exactly(double value)
{
    return (struct rfl_range){value, value, value, 0};
}

/* A row, unless neither side knows the number. */
static enum ert_status add(struct adding *adding, const char *kind, const char *name,
                           const char *unit, enum rfl_better better, struct rfl_range a,
                           struct rfl_range b, struct ert_error *error)
{
    if (!(a.value > 0) && !(b.value > 0))
        return ERT_OK;
    struct rfl_change change = {.group = adding->group,
                                .kind = kind,
                                .name = name,
                                .unit = unit,
                                .better = better,
                                .a = a,
                                .b = b,
                                .note = adding->note};
    change.is_headline = better != RFL_NEITHER && !adding->has_headline;
    adding->has_headline = adding->has_headline || change.is_headline;
    return rfl_compare_add(adding->comparison, adding->options, change, error);
}

static struct rfl_range time_of(const struct rfl_point *point)
{
    struct rfl_range range = exactly(point ? point->time_s : 0);
    if (point && point->time_high_s > 0 && range.value > 0) {
        range.low = point->time_low_s;
        range.high = point->time_high_s;
    }
    return range;
}

static struct rfl_range rate_of(const struct rfl_point *point)
{
    struct rfl_range time = time_of(point);
    double flops = point ? rfl_point_flops(point) : 0;
    if (!(time.value > 0) || !(time.low > 0))
        return exactly(time.value > 0 ? flops / time.value : 0);
    return (struct rfl_range){flops / time.value, flops / time.high, flops / time.low, 0};
}

static double bytes_of(const struct rfl_point *point, const char *level)
{
    const struct rfl_traffic *traffic = point ? rfl_point_traffic(point, level) : NULL;
    return traffic ? traffic->bytes : 0;
}

static enum ert_status add_level(struct adding *adding, const char *level,
                                 struct ert_error *error)
{
    double bytes_a = bytes_of(adding->a, level), bytes_b = bytes_of(adding->b, level);
    double flops_a = adding->a ? rfl_point_flops(adding->a) : 0;
    double flops_b = adding->b ? rfl_point_flops(adding->b) : 0;
    ERT_TRY(add(adding, "bytes", rfl_compare_text(adding->comparison, "%s bytes", level),
                "byte", RFL_NEITHER, exactly(bytes_a), exactly(bytes_b), error));
    return add(adding, "intensity", rfl_compare_text(adding->comparison, "%s AI", level),
               "flop/byte", RFL_NEITHER, exactly(bytes_a > 0 ? flops_a / bytes_a : 0),
               exactly(bytes_b > 0 ? flops_b / bytes_b : 0), error);
}

static enum ert_status add_levels(struct adding *adding, struct ert_error *error)
{
    for (size_t i = 0; adding->a && i < adding->a->n_traffic; i++)
        ERT_TRY(add_level(adding, adding->a->traffic[i].level, error));
    for (size_t i = 0; adding->b && i < adding->b->n_traffic; i++)
        if (bytes_of(adding->a, adding->b->traffic[i].level) == 0)
            ERT_TRY(add_level(adding, adding->b->traffic[i].level, error));
    return ERT_OK;
}

/*
 * Why the time changed: time = operations / rate, and rate = peak for the mix x share of it, where the peak
 * goes with 1 + f of a share f of FMA (model.h). So the speed-up is a product of three.
 */
static const char *factors_of(const struct adding *adding)
{
    const struct rfl_point *a = adding->a, *b = adding->b;
    if (!a || !b || !(a->time_s > 0) || !(b->time_s > 0))
        return NULL;
    const double operations = rfl_point_flops(a) / rfl_point_flops(b);
    const double mix = rfl_point_instructions(a) / rfl_point_instructions(b) / operations;
    const double speed = a->time_s / b->time_s;
    if (!isfinite(operations) || !isfinite(mix) || !(mix > 0))
        return NULL;
    return rfl_compare_text(adding->comparison,
                            "%.2f times as fast: %.2f (operations) x %.2f (FMA share) x "
                            "%.2f (share of the roof for it)",
                            speed, operations, mix, speed / operations / mix);
}

static enum ert_status add_values(struct adding *adding, struct ert_error *error)
{
    const struct rfl_point *sides[] = {adding->a, adding->b};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; sides[side] && i < sides[side]->n_values; i++) {
            const char *name = sides[side]->values[i].name;
            double a = adding->a ? rfl_point_value(adding->a, name) : NAN,
                   b = adding->b ? rfl_point_value(adding->b, name) : NAN;
            if (side == 0 || isnan(a))
                ERT_TRY(add(adding, "value",
                            rfl_compare_text(adding->comparison, "%s", name), "",
                            RFL_NEITHER, exactly(a), exactly(b), error));
        }
    return ERT_OK;
}

static bool is_same_name(const struct rfl_point *a, const struct rfl_point *b)
{
    return strcmp(a->name, b->name) == 0;
}

static const struct {
    const char *name;
    size_t offset;
} number_rows[] = {
    {"launches",     offsetof(struct rfl_point, launches)    },
    {"instructions", offsetof(struct rfl_point, instructions)},
    {"warps per SM", offsetof(struct rfl_point, warps_per_sm)},
    {"threads",      offsetof(struct rfl_point, threads)     },
    {"registers",    offsetof(struct rfl_point, registers)   },
};

static double number_of(const struct rfl_point *point, size_t row)
{
    return point ? *(const double *)((const char *)point + number_rows[row].offset) : 0;
}

static enum ert_status add_point(struct adding adding, struct ert_error *error)
{
    const struct rfl_point *a = adding.a, *b = adding.b, *named = a ? a : b;
    const char *run = a && b && strcmp(a->run, b->run) == 0 ? a->run : "";
    adding.group = *named->run ? rfl_compare_text(adding.comparison, "%s [%s]", named->name,
                                                  named->run)
                               : rfl_compare_text(adding.comparison, "%.900s", named->name);
    if (a && b && !is_same_name(a, b))
        adding.group =
            rfl_compare_text(adding.comparison, "%.400s : %.400s%s%.200s%s", a->name,
                             b->name, *run ? " [" : "", run, *run ? "]" : "");
    adding.note = factors_of(&adding);
    ERT_TRY(add(&adding, "time", "time", "s", RFL_LOWER, time_of(a), time_of(b), error));
    adding.note = NULL;
    ERT_TRY(
        add(&adding, "rate", "rate", "flop/s", RFL_HIGHER, rate_of(a), rate_of(b), error));
    ERT_TRY(add(&adding, "work", "operations", "flop", RFL_NEITHER,
                exactly(a ? rfl_point_flops(a) : 0), exactly(b ? rfl_point_flops(b) : 0),
                error));
    ERT_TRY(add_levels(&adding, error));
    for (size_t i = 0; i < sizeof number_rows / sizeof number_rows[0]; i++)
        ERT_TRY(add(&adding, number_rows[i].name, number_rows[i].name, "", RFL_NEITHER,
                    exactly(number_of(a, i)), exactly(number_of(b, i)), error));
    return add_values(&adding, error);
}

static enum ert_status add_all(const struct side *a, const struct side *b,
                               struct adding adding, struct ert_error *error)
{
    for (size_t i = 0; i < a->points->n; i++) {
        size_t j = a->match[i];
        adding.a = &a->points->points[i];
        adding.b = j != SIZE_MAX ? &b->points->points[j] : NULL;
        ERT_TRY(add_point(adding, error));
    }
    for (size_t j = 0; j < b->points->n; j++) {
        adding.a = NULL;
        adding.b = &b->points->points[j];
        if (b->match[j] == SIZE_MAX)
            ERT_TRY(add_point(adding, error));
    }
    return ERT_OK;
}

static void note_intervals(struct rfl_comparison *comparison)
{
    rfl_compare_note(comparison, "no intervals of times are known: the margin alone "
                                 "decides what is a change");
}

enum ert_status rfl_compare_steps(const struct rfl_points *points,
                                  const struct rfl_compare_options *options,
                                  struct rfl_comparison *comparison,
                                  struct ert_error *error)
{
    struct adding adding = {.comparison = comparison, .options = options};
    for (size_t i = 1; i < points->n; i++) {
        size_t before = i;
        adding.b = &points->points[i];
        while (before-- > 0 && strcmp(points->points[before].run, adding.b->run) != 0)
            ;
        if (before == SIZE_MAX)
            continue;
        adding.a = &points->points[before];
        ERT_TRY(add_point(adding, error));
    }
    if (!has_interval(points))
        note_intervals(comparison);
    return ERT_OK;
}

enum ert_status rfl_compare_points(const struct rfl_points *a, const struct rfl_points *b,
                                   const struct rfl_compare_options *options,
                                   struct rfl_comparison *comparison,
                                   struct ert_error *error)
{
    struct side of_a = {.points = a}, of_b = {.points = b};
    enum ert_status status = sort_side(&of_a, error);
    if (status == ERT_OK)
        status = sort_side(&of_b, error);
    if (status == ERT_OK) {
        struct adding adding = {.comparison = comparison, .options = options};
        match_exactly(&of_a, &of_b);
        match_by_name(&of_a, &of_b);
        match_single(&of_a, &of_b);
        status = add_all(&of_a, &of_b, adding, error);
        if (!has_interval(a) && !has_interval(b))
            note_intervals(comparison);
    }
    free(of_b.match);
    free(of_b.sorted);
    free(of_a.match);
    free(of_a.sorted);
    return status;
}
