#include "analysis/hand.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * "1e9" or "1e9r+5e8w" in place: of two sizes with the letters r and w, in any order, or of one with a
 * letter, how much was read is known.
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
                            "--bytes: '%.40s' of several, must be one SIZEr and one SIZEw, "
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

/* One "L2=1e9" of the list, of `length` characters. */
static enum ert_status add_level(const char *text, size_t length, bool is_actual,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error)
{
    const char *equals = memchr(text, '=', length);
    char level[sizeof point->traffic[0].level], size[64];
    size_t n_level = equals ? (size_t)(equals - text) : 0;
    size_t n_size = equals ? length - n_level - 1 : 0;
    double bytes = 0, read_bytes = NAN;
    if (!n_level || n_level >= sizeof level || !n_size || n_size >= sizeof size)
        return ert_fail(
            error, ERT_USAGE,
            "--bytes: '%.*s', must be LEVEL=SIZE, e.g. L2=1e9, HBM=1GiB or, read and "
            "written apart, DRAM=1e9r+5e8w",
            length < 64 ? (int)length : 64, text);
    snprintf(level, sizeof level, "%.*s", (int)n_level, text);
    snprintf(size, sizeof size, "%.*s", (int)n_size, equals + 1);
    if (rfl_point_traffic(point, level))
        return ert_fail(error, ERT_USAGE, "--bytes: %s stands twice", level);
    ERT_TRY(parse_sizes(size, &bytes, &read_bytes, error));
    return rfl_points_accesses(points, point, level, bytes, read_bytes, is_actual,
                               "--bytes", error);
}

static enum ert_status add_levels(const char *list, bool is_actual,
                                  struct rfl_points *points, struct rfl_point *point,
                                  struct ert_error *error)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        ERT_TRY(add_level(list, length, is_actual, points, point, error));
        if (!list[length])
            return ERT_OK;
        list += length + 1;
    }
}

enum ert_status rfl_hand_point(const struct rfl_hand *hand, struct rfl_points *points,
                               struct ert_error *error)
{
    struct rfl_point *point;
    size_t first = points->n;
    if (!(hand->flops > 0) && !hand->bytes)
        return ert_fail(error, ERT_USAGE,
                        "a point by hand needs --flops or --bytes, or both");
    if (strlen(hand->type) >= sizeof point->work[0].type ||
        strlen(hand->unit) >= sizeof point->work[0].unit)
        return ert_fail(error, ERT_USAGE,
                        "type '%.32s' of unit '%.32s': longer than any of the ceilings",
                        hand->type, hand->unit);
    ERT_TRY(rfl_points_add(points, hand->name ? hand->name : "by hand", &point, error));
    point->source = rfl_points_text(points, "by hand");
    point->format = rfl_points_text(points, "hand");
    point->time_s = hand->time_s;
    point->instructions = hand->instructions;
    point->energy_j = hand->energy_j;
    ERT_TRY(rfl_points_work(points, point, hand->type, hand->unit, hand->flops,
                            hand->fma_share < 0 ? NAN : hand->fma_share, "--flops", error));
    if (hand->bytes)
        ERT_TRY(add_levels(hand->bytes, hand->is_actual, points, point, error));
    rfl_points_judge(points, first);
    return ERT_OK;
}
