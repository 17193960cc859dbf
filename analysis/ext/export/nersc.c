/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nersc: data.txt of NERSC's plotting scripts (https://github.com/cyanguwa/nersc-roofline,
 * Plotting/plot_roofline_hierarchical.py): keyword and values per line; GB/s and GFLOP/s; the
 * fastest memory and the highest peak first, for elements 0 set the elbows.
 *
 * The reader finds keywords anywhere in a line, even within names, so that no name may contain one; it has no
 * comments, and splits names only at '. Points are hierarchical if each has bytes of L1, L2 and the memory
 * ("AI_HBM" for any memory), else flat over the memory ("AI"). Its axes are fixed: intensity 0.22 to 100, 500
 * to 13000 GFLOP/s; points outside are not visible.
 */
#include "analysis/ext/export/export.h"

#include "analysis/core/points/levels.h"
#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* No name may contain one of them; "AI" covers AI_HBM and the like. */
static const char *const keywords[] = {
    "memroofs", "mem_roof_names", "comproofs", "comp_roof_names", "AI", "FLOPS", "labels"};

static bool starts_keyword(const char *text)
{
    for (size_t i = 0; i < ERT_LENGTH(keywords); i++)
        if (strncmp(text, keywords[i], strlen(keywords[i])) == 0)
            return true;
    return false;
}

/* Writes a name in quotes, without quotes in it, and with a '.' after the first letter of each keyword. */
static void write_name(FILE *out, const char *name)
{
    char *copy = ert_xcalloc(strlen(name) + 1, 2), *to = copy;
    for (; *name; name++) {
        *to++ = *name == '\'' ? '_' : *name;
        if (starts_keyword(name))
            *to++ = '.';
    }
    ert_text_print(out, ERT_TEXT_PLAIN, " '%s'", copy);
    free(copy);
}

/* The bytes of a point at a level, or (level NULL) at the memory, whatever its profiler calls it; or NULL. */
static const struct rfl_traffic *traffic_of(const struct rfl_point *point,
                                            const char *level, const char *memory)
{
    const struct rfl_traffic *traffic =
        level || memory ? rfl_point_traffic(point, level ? level : memory) : NULL;
    for (size_t i = 0; !level && !traffic && i < point->n_traffic; i++)
        if (rfl_level_depth(point->traffic[i].level) == RFL_DEPTH_MEMORY)
            traffic = &point->traffic[i];
    return traffic;
}

static enum ert_status check_points(const struct rfl_points *points, const char *memory,
                                    bool *hierarchical, struct ert_error *error)
{
    *hierarchical = true;
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        if (!(point->time_s > 0) || !(rfl_point_flops(point) > 0))
            return ert_fail(error, ERT_UNAVAILABLE,
                            "point '%.80s' has no %s: it cannot be placed", point->name,
                            point->time_s > 0 ? "operations" : "time");
        if (!traffic_of(point, NULL, memory))
            return ert_fail(error, ERT_UNAVAILABLE,
                            "point '%.80s' has no bytes of the memory", point->name);
        if (!rfl_point_traffic(point, "L1") || !rfl_point_traffic(point, "L2"))
            *hierarchical = false;
    }
    return ERT_OK;
}

static void write_intensities(FILE *out, const char *keyword,
                              const struct rfl_points *points, const char *level,
                              const char *memory)
{
    fputs(keyword, out);
    for (size_t i = 0; i < points->n; i++)
        fprintf(out, " %.6g",
                rfl_point_flops(&points->points[i]) /
                    traffic_of(&points->points[i], level, memory)->bytes);
    fputc('\n', out);
}

/* Without points the lists are empty, since the reader needs them. */
static void export_nersc_write_points(FILE *out, const struct rfl_points *points,
                                      const char *memory, bool hierarchical)
{
    write_intensities(out, hierarchical ? "AI_HBM" : "AI", points, NULL, memory);
    if (hierarchical) {
        write_intensities(out, "AI_L2", points, "L2", memory);
        write_intensities(out, "AI_L1", points, "L1", memory);
    }
    fputs("FLOPS", out);
    for (size_t i = 0; i < points->n; i++)
        fprintf(out, " %.6g",
                rfl_point_flops(&points->points[i]) / points->points[i].time_s / 1e9);
    fputs("\nlabels", out);
    for (size_t i = 0; i < points->n; i++)
        write_name(out, points->points[i].name);
    fputc('\n', out);
}

static void write_roofs(FILE *out, const struct ert_ceiling *const *roofs, size_t n,
                        const struct ert_ceiling *peak, const struct ert_ceiling *add,
                        const char *mark)
{
    bool second = add && strcmp(peak->key.op, "fma") == 0;
    bool swapped = second && add->value > peak->value;
    fputs("memroofs", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %.6g", roofs[i]->value / 1e9);
    fputs("\nmem_roof_names", out);
    for (size_t i = 0; i < n; i++)
        write_name(out, roofs[i]->key.level);
    fprintf(out, "\ncomproofs %.6g", (swapped ? add : peak)->value / 1e9);
    if (second)
        fprintf(out, " %.6g", (swapped ? peak : add)->value / 1e9);
    fputs("\ncomp_roof_names", out);
    const char *first_name = strcmp(peak->key.op, "fma") == 0 ? "FMA" : peak->key.op;
    char *first = ert_xprintf("%s%s", swapped ? "No-FMA" : first_name, mark);
    write_name(out, first);
    free(first);
    if (second)
        write_name(out, swapped ? first_name : "No-FMA");
    fputc('\n', out);
}

static enum ert_status export_nersc_write(const struct rfl_export *export,
                                          struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    const char *memory = rfl_export_memory(device);
    const struct ert_ceiling *peak;
    const struct ert_ceiling *roofs[ERT_MAX_LEVELS];
    size_t n;
    bool hierarchical;
    ERT_TRY(rfl_export_peak(export, &peak, error));
    ERT_TRY(rfl_export_roofs(export, roofs, &n, error));
    ERT_TRY(check_points(export->points, memory, &hierarchical, error));
    write_roofs(export->out, roofs, n, peak,
                rfl_export_compute(device, peak->key.type, "add"), rfl_export_mark(device));
    export_nersc_write_points(export->out, export->points, memory, hierarchical);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_nersc = {
    .name = "nersc",
    .summary =
        "data.txt of NERSC's plotting scripts, with points; bandwidths are the loads'",
    .extension = ".txt",
    .devices = RFL_EXPORT_ONE,
    .takes_type = true,
    .takes_points = true,
    .write = export_nersc_write,
};
