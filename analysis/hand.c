#include "analysis/hand.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One "L2=1e9" of the list, of `length` characters. */
static enum ert_status add_level(const char *text, size_t length, struct rfl_points *points,
                                 struct rfl_point *point, struct ert_error *error)
{
    const char *equals = memchr(text, '=', length);
    char level[sizeof point->traffic[0].level], size[64];
    size_t n_level = equals ? (size_t)(equals - text) : 0;
    size_t n_size = equals ? length - n_level - 1 : 0;
    uint64_t bytes;
    if (!n_level || n_level >= sizeof level || !n_size || n_size >= sizeof size)
        return ert_fail(error, ERT_USAGE,
                        "--bytes: '%.*s', must be LEVEL=SIZE, e.g. L2=1e9 or HBM=1GiB",
                        length < 64 ? (int)length : 64, text);
    snprintf(level, sizeof level, "%.*s", (int)n_level, text);
    snprintf(size, sizeof size, "%.*s", (int)n_size, equals + 1);
    if (rfl_point_traffic(point, level))
        return ert_fail(error, ERT_USAGE, "--bytes: %s stands twice", level);
    ERT_TRY(ert_units_parse_size(size, &bytes, error));
    return rfl_points_traffic(points, point, level, (double)bytes, "--bytes", error);
}

static enum ert_status add_levels(const char *list, struct rfl_points *points,
                                  struct rfl_point *point, struct ert_error *error)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        ERT_TRY(add_level(list, length, points, point, error));
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
        ERT_TRY(add_levels(hand->bytes, points, point, error));
    rfl_points_judge(points, first);
    return ERT_OK;
}
