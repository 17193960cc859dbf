#include "analysis/plot/scene_parts.h"

#include "analysis/model.h"

#include <math.h>
#include <string.h>

static const char mixed_kernel[] = "mixed_fp64";

/*
 * How far a chart goes beyond its outermost ridges and points and its highest roof: room for
 * labels that cover no data.
 */
#define ROOM_LEFT   15.
#define ROOM_RIGHT  40.
#define ROOM_POINTS 5.
#define ROOM_ABOVE  2.2

/* At most this factor between the lowest flat and the lower edge. */
#define MAX_BELOW 1e3

static bool on_plateau(const struct ert_device_ceilings *from, const char *level,
                       double size_bytes)
{
    for (size_t i = 0; i < from->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &from->memory[i];
        if (strcmp(ceiling->level, level) == 0 && size_bytes >= ceiling->plateau_bytes[0] &&
            size_bytes <= ceiling->plateau_bytes[1])
            return true;
    }
    return false;
}

static const char *level_of(const struct ert_curve_point *point,
                            const struct ert_device_ceilings *from,
                            const struct ert_device *device)
{
    enum ert_path path;
    if (!ert_path_find(point->path, &path))
        return NULL;
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].path == path &&
            on_plateau(from, device->levels[i].name, point->working_set_bytes))
            return device->levels[i].name;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (level->path == path &&
            (level->kind == ERT_LEVEL_MEMORY ||
             point->working_set_bytes <= (double)ert_level_total_bytes(level)))
            return level->name;
    }
    return NULL;
}

/* The point's slot: that of the same level and intensity (to 0.1 %), or a new one. */
static void add_point(struct rfl_scene *scene, size_t level, double intensity, double perf)
{
    for (size_t i = 0; i < scene->n_points; i++) {
        struct rfl_dot *point = &scene->points[i];
        if (point->level != level ||
            fabs(point->intensity_flop_per_byte - intensity) > 1e-3 * intensity)
            continue;
        if (perf > point->perf_flop_per_s)
            point->perf_flop_per_s = perf;
        return;
    }
    if (scene->n_points < RFL_MAX_DOTS)
        scene->points[scene->n_points++] = (struct rfl_dot){level, intensity, perf};
    else
        rfl_scene_note(scene,
                       "Not drawn: a measured point at %g FLOP/byte: a chart holds %d.",
                       intensity, RFL_MAX_DOTS);
}

void rfl_scene_add_points(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                          const struct ert_device *device)
{
    size_t lost = 0;
    for (size_t i = 0; i < from->n_curve; i++) {
        const struct ert_curve_point *point = &from->curve[i];
        if (strcmp(point->kernel, mixed_kernel) != 0)
            continue;
        double intensity = point->perf_flop_per_s / point->rate_bytes_per_s;
        const char *name = level_of(point, from, device);
        size_t level = 0;
        while (name && level < scene->n_levels &&
               strcmp(scene->levels[level].level, name) != 0)
            level++;
        if (name && level < scene->n_levels && isfinite(intensity) && intensity > 0)
            add_point(scene, level, intensity, point->perf_flop_per_s);
        else
            lost++;
    }
    if (lost)
        rfl_scene_note(
            scene,
            "Not drawn: %zu points of the mixed kernel: no rate, or no level with a "
            "roof that their working set belongs to.",
            lost);
}

/* The nearest 1, 2 or 5 times a power of ten that is not above (up: not below) the value. */
static double round_125(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value)));
    double rounded = decade;
    for (size_t i = 0; i < 4; i++) {
        double step = steps[i] * decade;
        if (up && step >= value * (1 - 1e-9))
            return step;
        if (!up && step <= value * (1 + 1e-9))
            rounded = step;
    }
    return up ? 10 * decade : rounded;
}

static void include(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

void rfl_scene_set_axes(struct rfl_scene *scene)
{
    double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
    double top = scene->n_flats ? scene->flats[0].value : 0;
    for (size_t i = 0; i < scene->n_levels; i++)
        for (size_t j = 0; j < scene->n_flats; j++)
            include(rfl_model_ridge(scene->levels[i].value, scene->flats[j].value), &x_low,
                    &x_high);
    if (!(x_high > 0)) /* only diagonals or only flats: the usual range of codes */
        x_low = x_high = 1;
    x_low /= ROOM_LEFT;
    x_high *= ROOM_RIGHT;
    for (size_t i = 0; i < scene->n_points; i++) {
        include(scene->points[i].intensity_flop_per_byte / ROOM_POINTS, &x_low, &x_high);
        include(scene->points[i].intensity_flop_per_byte, &x_low, &x_high);
    }
    scene->x_min = round_125(x_low / 1.2, false);
    scene->x_max = round_125(x_high * 1.2, true);

    for (size_t i = 0; i < scene->n_levels; i++) {
        /* The lowest diagonal starts in the lower left corner. */
        double peak = scene->n_flats ? top : INFINITY;
        include(rfl_model_attainable(scene->x_min, scene->levels[i].value, peak), &y_low,
                &y_high);
        include(rfl_model_attainable(scene->x_max, scene->levels[i].value, peak), &y_low,
                &y_high);
    }
    for (size_t i = 0; i < scene->n_flats; i++) {
        include(scene->n_levels ? scene->flats[i].value : scene->flats[i].value / 30,
                &y_low, &y_high);
        include(fmax(scene->flats[i].value, scene->flats[i].theory), &y_low, &y_high);
    }
    if (scene->n_flats) /* slow levels enter from below rather than squeeze the rest */
        y_low = fmax(y_low, scene->flats[scene->n_flats - 1].value / MAX_BELOW);
    for (size_t i = 0; i < scene->n_points; i++)
        include(scene->points[i].perf_flop_per_s, &y_low, &y_high);
    scene->y_min = round_125(y_low, false);
    scene->y_max = round_125(y_high * ROOM_ABOVE, true);
}
