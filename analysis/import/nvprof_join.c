/* What nvprof_kernels found in separate files. */
#include "analysis/import/nvprof_kernels.h"

#include <stdio.h>
#include <string.h>

static bool has_counts(const struct rfl_point *point)
{
    return point->n_work > 0 || point->n_traffic > 0;
}

static void remove_missing(struct rfl_point *point, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, what) != 0)
            point->missing[n++] = point->missing[i];
    point->n_missing = n;
}

static void take_counts(struct rfl_points *points, struct rfl_point *to,
                        const struct rfl_point *from)
{
    memcpy(to->work, from->work, sizeof to->work);
    memcpy(to->traffic, from->traffic, sizeof to->traffic);
    to->n_work = from->n_work;
    to->n_traffic = from->n_traffic;
    to->instructions = from->instructions;
    to->warps_per_sm = from->warps_per_sm;
    remove_missing(to, "operations");
    remove_missing(to, "bytes");
    for (size_t i = 0; i < from->n_missing; i++)
        if (strcmp(from->missing[i].what, "time") != 0)
            rfl_points_missing(points, to, from->missing[i].what, "%s",
                               from->missing[i].reason);
    for (size_t i = 0; i < from->n_warnings; i++)
        rfl_points_warn(points, to, "%s", from->warnings[i]);
}

/* The time that the counted launches would have taken. */
static void take_time(struct rfl_points *points, struct rfl_point *to, double time_s,
                      double timed, double counted)
{
    to->time_s = time_s;
    to->launches = counted;
    remove_missing(to, "time");
    if (timed == counted || !(timed > 0) || !(counted > 0))
        return;
    to->time_s *= counted / timed;
    rfl_points_warn(points, to,
                    "timed in %.0f launches and counted in %.0f: the time is scaled", timed,
                    counted);
}

enum ert_status rfl_nvprof_join(struct rfl_points *points, struct rfl_point *earlier,
                                const struct rfl_point *later, bool *joined,
                                struct ert_error *error)
{
    bool has_time = earlier->time_s > 0, brings_time = later->time_s > 0;
    (void)error;
    *joined = strncmp(earlier->format, "nvprof", 6) == 0 &&
              strcmp(earlier->name, later->name) == 0 &&
              (strcmp(earlier->run, later->run) == 0 || !*earlier->run || !*later->run) &&
              has_time != brings_time && has_counts(earlier) != has_counts(later) &&
              has_time != has_counts(earlier);
    if (!*joined)
        return ERT_OK;
    if (brings_time) {
        take_time(points, earlier, later->time_s, later->launches, earlier->launches);
        earlier->time_recipe = later->time_recipe;
    } else {
        take_counts(points, earlier, later);
        take_time(points, earlier, earlier->time_s, earlier->launches, later->launches);
    }
    earlier->source = rfl_points_format(points, "%s, %s", earlier->source, later->source);
    return ERT_OK;
}
