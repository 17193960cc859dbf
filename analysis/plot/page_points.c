#include "analysis/plot/page_parts.h"

/* The number of a text; "" is left out. */
static void write_text(struct rfl_page_json *json, const char *key, const char *text)
{
    if (text && *text)
        rfl_page_index(json, key, text);
}

static void write_work(struct rfl_page_json *json, const struct rfl_point *point)
{
    rfl_page_open(json, "work", '[');
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        rfl_page_open(json, NULL, '{');
        rfl_page_index(json, "type", work->type);
        write_text(json, "unit", work->unit);
        rfl_page_number(json, "flops", work->flops);
        if (work->fma_share >= 0)
            rfl_page_number(json, "fma", work->fma_share);
        write_text(json, "recipe", work->recipe);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

/* Intensity: all operations of the point by the bytes of the level, as place.h has it. */
static void write_levels(struct rfl_page_json *json, const struct rfl_point *point,
                         double flops)
{
    rfl_page_open(json, "levels", '[');
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *traffic = &point->traffic[i];
        rfl_page_open(json, NULL, '{');
        rfl_page_index(json, "level", traffic->level);
        rfl_page_number(json, "bytes", traffic->bytes);
        if (traffic->bytes > 0)
            rfl_page_known(json, "intensity", flops / traffic->bytes);
        if (point->time_s > 0)
            rfl_page_short(json, "rate", traffic->bytes / point->time_s);
        write_text(json, "recipe", traffic->recipe);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_doubts(struct rfl_page_json *json, const struct rfl_point *point)
{
    if (point->n_missing) {
        rfl_page_open(json, "missing", '[');
        for (size_t i = 0; i < point->n_missing; i++) {
            rfl_page_index(json, NULL, point->missing[i].what);
            rfl_page_index(json, NULL, point->missing[i].reason);
        }
        rfl_page_close(json, ']');
    }
    if (point->n_warnings) {
        rfl_page_open(json, "warnings", '[');
        for (size_t i = 0; i < point->n_warnings; i++)
            rfl_page_index(json, NULL, point->warnings[i]);
        rfl_page_close(json, ']');
    }
}

static void write_numbers(struct rfl_page_json *json, const struct rfl_point *point)
{
    rfl_page_known(json, "time", point->time_s);
    rfl_page_known(json, "time_low", point->time_low_s);
    rfl_page_known(json, "time_high", point->time_high_s);
    rfl_page_known(json, "launches", point->launches);
    rfl_page_known(json, "instructions", point->instructions);
    rfl_page_known(json, "clock", point->clock_hz);
    rfl_page_known(json, "memory_clock", point->memory_clock_hz);
    rfl_page_known(json, "warps", point->warps_per_sm);
    rfl_page_known(json, "threads", point->threads);
    rfl_page_known(json, "registers", point->registers);
    rfl_page_known(json, "energy", point->energy_j);
    rfl_page_known(json, "scale", point->scale);
}

enum ert_status rfl_page_point(struct rfl_page_json *json, const struct rfl_point *point,
                               struct rfl_page_placers *placers, bool details,
                               struct ert_error *error)
{
    double flops = rfl_point_flops(point);
    rfl_page_open(json, NULL, '{');
    rfl_page_index(json, "name", point->name);
    write_text(json, "run", point->run);
    write_text(json, "source", point->source);
    write_text(json, "format", point->format);
    write_text(json, "time_recipe", point->time_recipe);
    rfl_page_known(json, "flops", flops);
    if (point->time_s > 0)
        rfl_page_known(json, "perf", flops / point->time_s);
    write_numbers(json, point);
    write_work(json, point);
    write_levels(json, point, flops);
    write_doubts(json, point);
    enum ert_status status = rfl_page_placed(json, placers, point, details, error);
    rfl_page_close(json, '}');
    return status;
}
