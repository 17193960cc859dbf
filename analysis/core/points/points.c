/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/points.h"

#include "analysis/core/points/levels.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(key, name, unit, member, is_compared)                                          \
    {                                                                                      \
        key, name, unit, offsetof(struct rfl_point, member), is_compared                   \
    }
const struct rfl_point_number rfl_point_numbers[RFL_N_POINT_NUMBERS] = {
    ROW("time_s", "time", "s", time_s, false),
    ROW("launches", "launches", "", launches, true),
    ROW("instructions", "instructions", "", instructions, true),
    ROW("clock_hz", "clock", "Hz", clock_hz, false),
    ROW("memory_clock_hz", "memory clock", "Hz", memory_clock_hz, false),
    ROW("warps_per_sm", "warps per SM", "warp", warps_per_sm, true),
    ROW("threads", "threads", "", threads, true),
    ROW("registers", "registers", "", registers, true),
    ROW("energy_j", "energy", "J", energy_j, false),
    ROW("scale", NULL, "", scale, false),
};
#undef ROW

void rfl_name_cut(const char *name, char *text, size_t size)
{
    if (strlen(name) < size)
        memcpy(text, name, strlen(name) + 1);
    else
        snprintf(text, size, "%.*s..", (int)ert_utf8_fit(name, size - 3), name);
}

char *rfl_text_kind(const char *text)
{
    char *kind = ert_xstrdup(text), *to = kind;
    for (const char *at = text; *at; at++) {
        const char before = at > text ? at[-1] : ' ';
        if ((before == ' ' || before == '(') && isdigit((unsigned char)*at))
            at += strcspn(at, " ") - !at[strcspn(at, " ")];
        else
            *to++ = *at;
    }
    *to = '\0';
    return kind;
}

double rfl_point_number(const struct rfl_point *point, size_t i)
{
    return *(const double *)((const char *)point + rfl_point_numbers[i].offset);
}

const char *rfl_points_text(struct rfl_points *points, const char *text)
{
    return ert_strings_keep(&points->strings, text ? text : "");
}

/* A list of n entries of a point, with space for one more. */
static void *points_grow(const struct rfl_point *point, void *list, size_t n, size_t size)
{
    if (n & (n - 1)) /* it has space for the next power of 2 */
        return list;
    return ert_strings_grow(&point->set->strings, list, n * size, (n ? 2 * n : 1) * size);
}

struct rfl_point *rfl_points_add(struct rfl_points *points, const char *name)
{
    points->points =
        ert_xgrow(points->points, points->n, &points->capacity, sizeof *points->points);
    struct rfl_point *point = &points->points[points->n++];
    *point = (struct rfl_point){.set = points,
                                .name = rfl_points_text(points, name),
                                .run = "",
                                .source = "",
                                .format = "",
                                .time_recipe = ""};
    return point;
}

enum ert_status rfl_points_status(const struct rfl_points *points, struct ert_error *error)
{
    if (points->error.status != ERT_OK && error)
        *error = points->error;
    return points->error.status;
}

/* Sets the error of the set; keeps the first one. */
__attribute__((format(printf, 2, 3))) static enum ert_status
points_refuse(const struct rfl_point *point, const char *format, ...)
{
    struct ert_error *error = &point->set->error;
    char text[sizeof error->text];
    ERT_FORMAT(text, sizeof text, format);
    return error->status ? ERT_USAGE
                         : ert_fail(error, ERT_USAGE, "%.100s: %.900s", point->name, text);
}

static enum ert_status check_count(const struct rfl_point *point, const char *what,
                                   double count)
{
    if (isfinite(count) && count >= 0)
        return ERT_OK;
    return points_refuse(point, "%s: %g, must be a finite number, 0 or more", what, count);
}

bool rfl_point_lacks(const struct rfl_point *point, const char *what)
{
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, what) == 0)
            return true;
    return false;
}

void rfl_point_remove_missing(struct rfl_point *point, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, what) != 0)
            point->missing[n++] = point->missing[i];
    point->n_missing = n;
}

/* The number of instructions: an FMA is one instruction of two operations. */
static double instructions_of(const struct rfl_work *work)
{
    return work->flops / (1 + work->fma_share);
}

enum ert_status rfl_points_work(struct rfl_point *point, const char *type, const char *unit,
                                double flops, double fma_share, const char *recipe)
{
    size_t i = 0;
    ERT_TRY(check_count(point, type, flops));
    if (fma_share < 0 || fma_share > 1)
        return points_refuse(point, "%s: FMA share %g, must be 0 to 1", type, fma_share);
    if (flops == 0)
        return ERT_OK;
    while (i < point->n_work && (strcmp(point->work[i].type, type) != 0 ||
                                 strcmp(point->work[i].unit, unit) != 0))
        i++;
    if (i == RFL_MAX_WORK)
        return points_refuse(point, "more than %d types of operations", RFL_MAX_WORK);
    const struct rfl_work added = {.flops = flops, .fma_share = fma_share};
    if (i == point->n_work) {
        point->work = points_grow(point, point->work, i, sizeof *point->work);
        struct rfl_work *work = &point->work[point->n_work++];
        *work = added;
        snprintf(work->type, sizeof work->type, "%s", type);
        snprintf(work->unit, sizeof work->unit, "%s", unit);
        work->recipe = rfl_points_text(point->set, recipe);
        return ERT_OK;
    }
    struct rfl_work *work = &point->work[i];
    ERT_TRY(check_count(point, type, work->flops + flops));
    double before = instructions_of(work), more = instructions_of(&added);
    work->fma_share = (work->fma_share * before + fma_share * more) / (before + more);
    work->flops += flops;
    return ERT_OK;
}

enum ert_status rfl_points_traffic(struct rfl_point *point, const char *level, double bytes,
                                   const char *recipe)
{
    return rfl_points_accesses(point, level, bytes, NAN, false, recipe);
}

double rfl_traffic_read_share(const struct rfl_traffic *traffic)
{
    return traffic->read_bytes / traffic->bytes;
}

enum ert_status rfl_points_accesses(struct rfl_point *point, const char *level,
                                    double bytes, double read_bytes, bool is_actual,
                                    const char *recipe)
{
    size_t i = 0;
    char what[32];
    snprintf(what, sizeof what, "%.15s bytes", level);
    ERT_TRY(check_count(point, what, bytes));
    if (read_bytes < 0 || read_bytes > bytes)
        return points_refuse(point, "%s: %g of %g were read, must be 0 to all", what,
                             read_bytes, bytes);
    while (i < point->n_traffic && strcmp(point->traffic[i].level, level) != 0)
        i++;
    if (bytes == 0) {
        if (i == point->n_traffic && !rfl_point_lacks(point, what))
            rfl_points_missing(point, what, "0 bytes were counted%s%s",
                               recipe && *recipe ? ": " : "", recipe ? recipe : "");
        return ERT_OK;
    }
    if (i == RFL_MAX_TRAFFIC)
        return points_refuse(point, "more than %d levels", RFL_MAX_TRAFFIC);
    if (i == point->n_traffic) {
        point->traffic = points_grow(point, point->traffic, i, sizeof *point->traffic);
        point->traffic[point->n_traffic++] = (struct rfl_traffic){
            .recipe = rfl_points_text(point->set, recipe), .is_actual = is_actual};
        snprintf(point->traffic[i].level, sizeof point->traffic[i].level, "%s", level);
        rfl_point_remove_missing(point, what); /* of earlier launches, which had 0 bytes */
    }
    ERT_TRY(check_count(point, what, point->traffic[i].bytes + bytes));
    point->traffic[i].bytes += bytes;
    point->traffic[i].read_bytes += read_bytes;
    return ERT_OK;
}

void rfl_points_add_traffic(struct rfl_point *point, const struct rfl_traffic *traffic,
                            double times)
{
    const struct rfl_traffic *before = rfl_point_traffic(point, traffic->level);
    const bool is_streaming = traffic->is_streaming && (!before || before->is_streaming);
    rfl_points_accesses(point, traffic->level, times * traffic->bytes,
                        times * traffic->read_bytes, traffic->is_actual, traffic->recipe);
    rfl_points_streaming(point, traffic->level, is_streaming);
}

void rfl_points_streaming(struct rfl_point *point, const char *level, bool is_streaming)
{
    for (size_t i = 0; i < point->n_traffic; i++)
        if (strcmp(point->traffic[i].level, level) == 0)
            point->traffic[i].is_streaming = is_streaming;
}

void rfl_points_missing(struct rfl_point *point, const char *what, const char *format, ...)
{
    struct rfl_points *points = point->set;
    va_list arguments;
    if (point->n_missing == RFL_MAX_MISSING) {
        point->missing[RFL_MAX_MISSING - 1] = (struct rfl_missing){
            rfl_points_text(points, "more"), rfl_points_text(points, "not all are listed")};
        return;
    }
    point->missing =
        points_grow(point, point->missing, point->n_missing, sizeof *point->missing);
    va_start(arguments, format);
    point->missing[point->n_missing++] =
        (struct rfl_missing){rfl_points_text(points, what),
                             ert_strings_vformat(&points->strings, format, arguments)};
    va_end(arguments);
}

void rfl_points_warn(struct rfl_point *point, const char *format, ...)
{
    struct rfl_points *points = point->set;
    va_list arguments;
    va_start(arguments, format);
    const char *kept = ert_strings_vformat(&points->strings, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < point->n_warnings; i++)
        if (point->warnings[i] == kept)
            return; /* said already */
    if (point->n_warnings == RFL_MAX_WARNINGS) {
        point->warnings[RFL_MAX_WARNINGS - 1] =
            rfl_points_text(points, "more warnings are not listed");
        return;
    }
    point->warnings =
        points_grow(point, point->warnings, point->n_warnings, sizeof *point->warnings);
    point->warnings[point->n_warnings++] = kept;
}

double rfl_points_time(const struct rfl_points *points, bool is_cpu)
{
    double sum_s = 0;
    if (points->busy_s > 0)
        return points->busy_s;
    if (points->elapsed_s > 0 && is_cpu)
        return points->elapsed_s;
    for (size_t i = 0; i < points->n; i++)
        sum_s += points->points[i].time_s;
    return sum_s;
}

int rfl_point_compare_times(const void *left, const void *right)
{
    const struct rfl_point *a = *(const struct rfl_point *const *)left,
                           *b = *(const struct rfl_point *const *)right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return (a > b) - (a < b);
}

double rfl_point_flops(const struct rfl_point *point)
{
    double sum = 0;
    for (size_t i = 0; i < point->n_work; i++)
        sum += point->work[i].flops;
    return sum;
}

double rfl_point_instructions(const struct rfl_point *point)
{
    double sum = 0;
    for (size_t i = 0; i < point->n_work; i++)
        sum += instructions_of(&point->work[i]);
    return sum;
}

enum ert_status rfl_points_value(struct rfl_point *point, const char *name, double value)
{
    size_t i = 0;
    if (!isfinite(value))
        return ERT_OK;
    while (i < point->n_values && strcmp(point->values[i].name, name) != 0)
        i++;
    if (i == RFL_MAX_VALUES)
        return points_refuse(point, "more than %d values", RFL_MAX_VALUES);
    if (i == point->n_values) {
        point->values = points_grow(point, point->values, i, sizeof *point->values);
        point->values[point->n_values++].name = rfl_points_text(point->set, name);
    }
    point->values[i].value = value;
    return ERT_OK;
}

double rfl_point_value(const struct rfl_point *point, const char *name)
{
    for (size_t i = 0; i < point->n_values; i++)
        if (strcmp(point->values[i].name, name) == 0)
            return point->values[i].value;
    return NAN;
}

const struct rfl_traffic *rfl_point_traffic(const struct rfl_point *point,
                                            const char *level)
{
    for (size_t i = 0; i < point->n_traffic; i++)
        if (strcmp(point->traffic[i].level, level) == 0)
            return &point->traffic[i];
    return NULL;
}

const struct rfl_traffic *rfl_point_outer(const struct rfl_point *point, int depth)
{
    const struct rfl_traffic *next = NULL;
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *other = &point->traffic[i];
        int at = rfl_level_depth(other->level);
        if (at > depth && (!next || at < rfl_level_depth(next->level)))
            next = other;
    }
    return next;
}

/* The factor that whole sectors of 32 bytes can cause for accesses of 4 bytes (8), and some more. */
#define PASSED_BY 10

bool rfl_traffic_is_passed_by(const struct rfl_point *point,
                              const struct rfl_traffic *traffic)
{
    int depth = rfl_level_depth(traffic->level);
    const struct rfl_traffic *outer = depth ? rfl_point_outer(point, depth) : NULL;
    return outer && outer->bytes > PASSED_BY * traffic->bytes;
}

const char rfl_none_counted[] = "no operations were counted";

static void missing_once(struct rfl_point *point, const char *what, const char *reason)
{
    if (!rfl_point_lacks(point, what))
        rfl_points_missing(point, what, "%s", reason);
}

void rfl_points_judge(struct rfl_points *points, size_t first)
{
    for (size_t i = first; i < points->n; i++) {
        struct rfl_point *point = &points->points[i];
        if (!(point->time_s > 0))
            missing_once(point, "time", "no time was given");
        if (point->n_work == 0)
            missing_once(point, "operations", rfl_none_counted);
        if (point->n_traffic == 0)
            missing_once(point, "bytes", "no bytes were counted at any level");
        if (rfl_points_judge_order)
            rfl_points_judge_order(point);
    }
}

void rfl_points_free(struct rfl_points *points)
{
    if (!points)
        return;
    free(points->points);
    ert_strings_free(&points->strings);
    *points = (struct rfl_points){0};
}

/* ---- by hand ---- */

/*
 * "1e9" or "1e9r+5e8w", which it modifies. How much was read is known from one or two sizes with the letters
 * r and w, in any order.
 */
static enum ert_status parse_sizes(char *text, double *bytes, double *read_bytes,
                                   struct ert_error *error)
{
    double parts[2] = {0, 0};
    bool apart = false, seen[2] = {false, false};
    *bytes = 0;
    for (char *size = text, *next; size; size = next) {
        uint64_t count;
        next = strchr(size, '+');
        /* "1e+9" is one number */
        if (next && next > size && (next[-1] == 'e' || next[-1] == 'E'))
            next = strchr(next + 1, '+');
        if (next)
            *next++ = '\0';
        size_t length = strlen(size);
        char letter = length ? size[length - 1] : '\0';
        bool has_letter = letter == 'r' || letter == 'w';
        int part = letter == 'w';
        if ((next || apart) && (!has_letter || seen[part]))
            return ert_fail(error, ERT_USAGE,
                            "--bytes: '%.40s' in a sum, must be one SIZEr and one SIZEw, "
                            "e.g. DRAM=1e9r+5e8w",
                            size);
        if (has_letter)
            size[length - 1] = '\0';
        apart = apart || has_letter;
        seen[part] = seen[part] || has_letter;
        ERT_TRY(ert_units_parse_size(size, &count, error));
        parts[part] += (double)count;
        *bytes += (double)count;
    }
    *read_bytes = apart ? parts[0] : NAN;
    return ERT_OK;
}

/* "L2=1e9" */
static enum ert_status points_add_level(char *text, bool is_actual, struct rfl_point *point,
                                        struct ert_error *error)
{
    char *size = strchr(text, '='), whole[64];
    double bytes = 0, read_bytes = NAN;
    snprintf(whole, sizeof whole, "%s", text);
    if (size)
        *size++ = '\0';
    if (!size || !*size || !*text || strlen(text) >= sizeof point->traffic[0].level)
        return ert_fail(error, ERT_USAGE,
                        "--bytes: '%s', must be LEVEL=SIZE, e.g. L2=1e9, HBM=1GiB or, with "
                        "reads and writes, DRAM=1e9r+5e8w",
                        whole);
    if (rfl_point_traffic(point, text))
        return ert_fail(error, ERT_USAGE, "--bytes: %s appears twice", text);
    ERT_TRY(parse_sizes(size, &bytes, &read_bytes, error));
    rfl_points_accesses(point, text, bytes, read_bytes, is_actual, "--bytes");
    return ERT_OK;
}

static enum ert_status points_add_levels(const char *list, bool is_actual,
                                         struct rfl_point *point, struct ert_error *error)
{
    char *copy = ert_xstrdup(list), *rest = copy;
    enum ert_status status = ERT_OK;
    for (char *item; status == ERT_OK && (item = strsep(&rest, ","));)
        status = points_add_level(item, is_actual, point, error);
    free(copy);
    return status;
}

enum ert_status rfl_hand_point(const struct rfl_hand *hand, struct rfl_points *points,
                               struct ert_error *error)
{
    struct rfl_point *point;
    size_t first = points->n;
    if (!(hand->flops > 0) && !hand->bytes)
        return ert_fail(error, ERT_USAGE,
                        "a point given by hand requires --flops, --bytes or both");
    if (strlen(hand->type) >= sizeof point->work[0].type ||
        strlen(hand->unit) >= sizeof point->work[0].unit)
        return ert_fail(error, ERT_USAGE,
                        "type '%.32s' of unit '%.32s': longer than any in the ceilings",
                        hand->type, hand->unit);
    point = rfl_points_add(points, hand->name ? hand->name : "by hand");
    point->source = rfl_points_text(points, "by hand");
    point->format = rfl_points_text(points, "hand");
    point->time_s = hand->time_s;
    point->instructions = hand->instructions;
    point->energy_j = hand->energy_j;
    rfl_points_work(point, hand->type, hand->unit, hand->flops,
                    hand->fma_share < 0 ? NAN : hand->fma_share, "--flops");
    if (hand->bytes)
        ERT_TRY(points_add_levels(hand->bytes, hand->is_actual, point, error));
    rfl_points_judge(points, first);
    return rfl_points_status(points, error);
}
