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

/* With profiled points, and of several machines, those matter more than room for labels. */
#define NEAR_LEFT   6.
#define NEAR_RIGHT  12.
#define NEAR_POINTS 3.
#define NEAR_BELOW  30.
#define CLOSE_BY    1.5

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
            !ert_level_is_far(device, &device->levels[i]) &&
            on_plateau(from, device->levels[i].name, point->working_set_bytes))
            return device->levels[i].name;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (level->path == path && !ert_level_is_far(device, level) &&
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

/* Intensities: ridges of each machine, the mixed kernel's points, profiled points. */
static void set_x(struct rfl_scene *scene, bool close)
{
    bool near = scene->n_kernels || scene->n_machines > 1;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < scene->n_levels; i++)
        for (size_t j = 0; j < scene->n_flats; j++)
            if (scene->levels[i].machine == scene->flats[j].machine)
                include(rfl_model_ridge(scene->levels[i].value, scene->flats[j].value),
                        &low, &high);
    if (!(high > 0)) /* only diagonals or only flats: the usual range of codes */
        low = high = 1;
    low /= close ? CLOSE_BY : near ? NEAR_LEFT : ROOM_LEFT;
    high *= close ? CLOSE_BY : near ? NEAR_RIGHT : ROOM_RIGHT;
    for (size_t i = 0; i < scene->n_points; i++) {
        include(scene->points[i].intensity_flop_per_byte / ROOM_POINTS, &low, &high);
        include(scene->points[i].intensity_flop_per_byte, &low, &high);
    }
    for (size_t i = 0; i < scene->n_marks; i++) {
        include(scene->marks[i].intensity_flop_per_byte / NEAR_POINTS, &low, &high);
        include(scene->marks[i].intensity_flop_per_byte * NEAR_POINTS, &low, &high);
    }
    scene->x_min = round_125(low / 1.2, false);
    scene->x_max = round_125(high * 1.2, true);
}

/* The lower left corner is where the lowest diagonal starts; where points matter, under them. */
static double lowest(const struct rfl_scene *scene)
{
    double low = INFINITY, high = 0, flat = INFINITY;
    for (size_t i = 0; i < scene->n_flats; i++)
        flat = fmin(flat, scene->flats[i].value);
    for (size_t i = 0; i < scene->n_levels; i++)
        include(rfl_model_attainable(scene->x_min, scene->levels[i].value,
                                     scene->n_flats ? scene->flats[0].value : INFINITY),
                &low, &high);
    if (scene->n_kernels && scene->n_flats)
        low = fmax(low, flat / NEAR_BELOW);
    /* Slow levels enter from below rather than squeeze the rest. */
    return scene->n_flats ? fmax(low, flat / MAX_BELOW) : low;
}

void rfl_scene_set_axes(struct rfl_scene *scene, bool close)
{
    double low, high = 0;
    set_x(scene, close);
    low = close && scene->n_flats ? INFINITY : lowest(scene);
    for (size_t i = 0; i < scene->n_levels && !scene->n_flats; i++)
        include(scene->x_max * scene->levels[i].value, &low, &high);
    for (size_t i = 0; i < scene->n_flats; i++) {
        include(scene->n_levels ? scene->flats[i].value : scene->flats[i].value / 30, &low,
                &high);
        include(fmax(scene->flats[i].value, scene->flats[i].theory), &low, &high);
    }
    for (size_t i = 0; i < scene->n_points; i++)
        include(scene->points[i].perf_flop_per_s, &low, &high);
    for (size_t i = 0; i < scene->n_marks; i++) {
        include(scene->marks[i].perf_flop_per_s / NEAR_POINTS, &low, &high);
        include(scene->marks[i].perf_flop_per_s, &low, &high);
    }
    scene->y_min = round_125(low, false);
    scene->y_max = round_125(high * (close ? CLOSE_BY : ROOM_ABOVE), true);
}
