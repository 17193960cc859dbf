#include "analysis/plot/scene.h"

#include "analysis/curve.h"
#include "analysis/model.h"
#include "analysis/strings.h"
#include "ert/base/alloc.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_told(const struct rfl_scene *scene, const char *text)
{
    for (size_t i = 0; i < scene->n_notes; i++)
        if (strcmp(scene->notes[i], text) == 0)
            return true;
    return false;
}

void rfl_scene_note(struct rfl_scene *scene, const char *format, ...)
{
    char text[RFL_NOTE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_told(scene, text))
        return;
    if (scene->n_notes == RFL_MAX_NOTES) {
        snprintf(scene->notes[RFL_MAX_NOTES - 1], RFL_NOTE_TEXT,
                 "More than %d notes: the rest are in the ceilings file.",
                 RFL_MAX_NOTES - 1);
        return;
    }
    memcpy(scene->notes[scene->n_notes++], text, sizeof text);
}

/* ---- roofs: bandwidths and peaks of the devices ---- */

static int compare_roofs(const void *left, const void *right)
{
    const struct rfl_roof *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->brief, b->brief);
}

static bool drawable(struct rfl_scene *scene, const struct ert_ceiling *ceiling)
{
    if (isfinite(ceiling->value) && ceiling->value > 0)
        return true;
    rfl_scene_note(scene,
                   "Not drawn: %s: its value is %g, a logarithmic axis needs one above 0.",
                   ceiling->name, ceiling->value);
    return false;
}

/* "L2 load 8903 GB/s (85.1 %)": the share of its theoretical peak */
static void write_full(const struct rfl_scene *scene, struct rfl_roof *roof,
                       const char *name, const char *value,
                       const struct ert_ceiling *ceiling)
{
    const char *letter = scene->machines[roof->machine].letter;
    char brief[sizeof roof->brief];
    snprintf(roof->full, sizeof roof->full, "%s%s%s %s", letter, letter[0] ? " " : "", name,
             value);
    if (letter[0]) {
        snprintf(brief, sizeof brief, "%s %.24s", letter, roof->brief);
        snprintf(roof->brief, sizeof roof->brief, "%s", brief);
    }
    roof->value = ceiling->value;
    roof->theory = 0;
    if (!scene->theory || !(ceiling->theory > 0))
        return;
    roof->theory = ceiling->theory;
    ert_append(roof->full, sizeof roof->full, " (%.1f %%)",
               100 * ceiling->value / ceiling->theory);
}

/* What reads and writes that are not known apart make of a level, where it is worth a band. */
static void add_band(struct rfl_roof *roof, const struct rfl_roofs *roofs)
{
    const struct rfl_accesses unknown = {.read_share = NAN};
    struct rfl_reach reach = rfl_curve_reach(roofs, roof->level, &unknown);
    if (reach.kind != RFL_REACH_BAND)
        return;
    roof->band_low = reach.low;
    roof->band_high = reach.bytes_per_s;
    memcpy(roof->band, reach.name, sizeof roof->band);
}

static void add_level(struct rfl_scene *scene, size_t machine,
                      const struct ert_memory_ceiling *ceiling)
{
    struct rfl_roof *roof = &scene->levels[scene->n_levels];
    char name[40], value[ERT_UNITS_TEXT];
    if (scene->n_levels == ERT_MAX_MEMORY) {
        rfl_scene_note(scene, "Not drawn: %s: a chart holds %d bandwidths.",
                       ceiling->common.name, ERT_MAX_MEMORY);
        return;
    }
    scene->n_levels++;
    roof->machine = machine;
    snprintf(roof->level, sizeof roof->level, "%s", ceiling->level);
    snprintf(roof->brief, sizeof roof->brief, "%s", ceiling->level);
    snprintf(name, sizeof name, "%s %s", ceiling->level, ceiling->pattern);
    write_full(scene, roof, name, ert_units_bandwidth(ceiling->common.value, value),
               &ceiling->common);
}

static void add_levels(struct rfl_scene *scene, size_t machine,
                       const struct rfl_scene_device *at)
{
    const struct ert_device_ceilings *device = &at->ceilings->devices[at->index];
    const struct rfl_roofs_options as_measured = {0};
    struct ert_error none;
    struct rfl_roofs roofs; /* some 70 KiB */
    bool has_roofs =
        rfl_roofs_make(at->ceilings, at->index, &as_measured, &roofs, &none) == ERT_OK;
    for (size_t i = 0; i < device->n_memory; i++) {
        size_t before = scene->n_levels;
        if (!drawable(scene, &device->memory[i].common) ||
            !rfl_is_line(device, &device->memory[i]))
            continue;
        add_level(scene, machine, &device->memory[i]);
        if (has_roofs && scene->n_machines == 1 && scene->n_levels > before)
            add_band(&scene->levels[before], &roofs);
    }
}

/*
 * What a chart's axis of FLOP/s shows of the compute ceilings, and how each is called. Other types and
 * operations (divisions, integers, 8 bit) are in the file and in the note of what is not drawn: dozens
 * of horizontal lines hide each other.
 */
static const struct {
    const char *type, *op, *name;
} flat_names[] = {
    {"fp64", "fma",      "FP64 FMA"             },
    {"fp64", "add",      "FP64 no FMA"          },
    {"fp64", "mul",      "FP64 no FMA"          },
    {"fp64", "addmul",   "FP64 no FMA"          },
    {"fp64", "fmaadd",   "FP64 FMA + add"       },
    {"fp64", "fma-3reg", "FP64 FMA, 3 registers"},
    {"fp64", "mma",      "FP64 tensor"          },
    {"fp32", "fma",      "FP32 FMA"             },
    {"fp32", "add",      "FP32 no FMA"          },
    {"fp32", "mul",      "FP32 no FMA"          },
    {"fp32", "addmul",   "FP32 no FMA"          },
    {"fp32", "fmaadd",   "FP32 FMA + add"       },
    {"tf32", "mma",      "TF32 tensor"          },
    {"tf32", "wgmma",    "TF32 tensor"          },
    {"fp16", "mma",      "FP16 tensor"          },
    {"fp16", "wgmma",    "FP16 tensor"          },
    {"bf16", "amx",      "BF16 AMX"             },
};

const char *rfl_scene_flat_name(const struct ert_compute_ceiling *ceiling)
{
    for (size_t i = 0; i < ERT_LENGTH(flat_names) && ceiling->roof; i++)
        if (strcmp(flat_names[i].type, ceiling->type) == 0 &&
            strcmp(flat_names[i].op, ceiling->op) == 0)
            return flat_names[i].name;
    return NULL;
}

static bool is_peak(const char *name)
{
    return !strstr(name, "no FMA") && !strstr(name, "registers") && !strstr(name, "+ add");
}

static bool draws_type(const struct rfl_scene *scene, const char *type)
{
    for (size_t i = 0; i < scene->n_types; i++)
        if (strcasecmp(scene->types[i], type) == 0)
            return true;
    return scene->n_types == 0;
}

/* The flat of a name and machine, or the place of a new one; NULL: there is no place. */
static struct rfl_roof *flat_slot(struct rfl_scene *scene, size_t machine, const char *name)
{
    const char *letter = scene->machines[machine].letter;
    size_t skip = letter[0] ? strlen(letter) + 1 : 0, slot = 0;
    while (slot < scene->n_flats && (scene->flats[slot].machine != machine ||
                                     strcmp(scene->flats[slot].brief + skip, name) != 0))
        slot++;
    return slot < ERT_MAX_COMPUTE ? &scene->flats[slot] : NULL;
}

static void add_flat(struct rfl_scene *scene, size_t machine, const char *name,
                     const struct ert_compute_ceiling *ceiling)
{
    struct rfl_roof *roof = flat_slot(scene, machine, name);
    char value[ERT_UNITS_TEXT];
    if (!roof)
        return;
    if (roof == &scene->flats[scene->n_flats])
        scene->n_flats++;
    else if (roof->value >= ceiling->common.value)
        return; /* the fastest of its name is the roof */
    roof->machine = machine;
    snprintf(roof->brief, sizeof roof->brief, "%s", name);
    snprintf(roof->type, sizeof roof->type, "%s", ceiling->type);
    roof->no_fma = strstr(name, "no FMA") != NULL;
    roof->secondary = !roof->no_fma && !is_peak(name);
    write_full(scene, roof, name, ert_units_performance(ceiling->common.value, value),
               &ceiling->common);
}

/* FMA and add units at once are a roof where that is more than FMAs alone: adders of their own. */
static bool is_beyond_fma(const struct ert_device_ceilings *device,
                          const struct ert_compute_ceiling *ceiling)
{
    for (size_t i = 0; i < device->n_compute; i++)
        if (strcmp(device->compute[i].type, ceiling->type) == 0 &&
            strcmp(device->compute[i].op, "fma") == 0 &&
            device->compute[i].common.value >= ceiling->common.value)
            return false;
    return true;
}

static void add_flats(struct rfl_scene *scene, size_t machine,
                      const struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &device->compute[i];
        const char *name = rfl_scene_flat_name(ceiling);
        if (!name || !draws_type(scene, ceiling->type) ||
            (strcmp(ceiling->op, "fmaadd") == 0 && !is_beyond_fma(device, ceiling)) ||
            (scene->n_machines > 1 && !is_peak(name)))
            continue;
        if (drawable(scene, &ceiling->common))
            add_flat(scene, machine, name, ceiling);
    }
}

static bool is_memory(const char *level)
{
    static const char *const names[] = {"HBM", "DRAM", "MCDRAM", "memory"};
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strcmp(names[i], level) == 0)
            return true;
    return false;
}

static const struct rfl_roof *memory_of(const struct rfl_scene *scene, size_t machine)
{
    const struct rfl_roof *found = NULL;
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        if (roof->machine != machine || !is_memory(roof->level))
            continue;
        if (found)
            return NULL;
        found = roof;
    }
    return found;
}

const struct rfl_roof *rfl_scene_level(const struct rfl_scene *scene, const char *level)
{
    const struct rfl_roof *roof = NULL;
    for (size_t i = 0; i < scene->n_levels; i++)
        if (strcmp(scene->levels[i].level, level) == 0)
            return &scene->levels[i];
    for (size_t i = 0; i < scene->n_machines && !roof && is_memory(level); i++)
        roof = memory_of(scene, i);
    return roof;
}

static enum ert_status add_roofs(struct rfl_scene *scene,
                                 const struct rfl_scene_device *devices,
                                 struct ert_error *error)
{
    const struct ert_device_ceilings *from = NULL;
    for (size_t i = 0; i < scene->n_machines; i++) {
        from = &devices[i].ceilings->devices[devices[i].index];
        add_levels(scene, i, &devices[i]);
        add_flats(scene, i, from);
    }
    qsort(scene->levels, scene->n_levels, sizeof scene->levels[0], compare_roofs);
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
    if (scene->n_levels || scene->n_flats)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: nothing to draw: no ceiling of 1 per second or more%s%s",
                    from->device, from->n_not_measured ? "; " : "",
                    from->n_not_measured ? from->not_measured[0].reason : "");
}

/* ---- points that are not drawn, and why: a note per reason ---- */

/* Of reasons, and of names per reason: a profile of 100,000 launches must not become a book. */
enum { MAX_REASONS = 24, MAX_NAMES = 100, NAME_TEXT = 48 };

/* Points left out for one reason: their names, each once, in the order of the points. */
struct drop {
    const char *what, *reason; /* "no time"; "" none */
    size_t n, untold;          /* untold: points, for which there is no room */
    struct {
        char name[NAME_TEXT];
        size_t count;
    } names[MAX_NAMES];
};

struct drops {
    size_t n, untold; /* untold: points of further reasons */
    struct drop drops[MAX_REASONS];
};

static void add_name(struct drop *drop, const char *full)
{
    char name[NAME_TEXT];
    size_t i = 0;
    rfl_name_short(full, name, sizeof name);
    while (i < drop->n && strcmp(drop->names[i].name, name) != 0)
        i++;
    if (i == MAX_NAMES) {
        drop->untold++;
        return;
    }
    if (i == drop->n) {
        memcpy(drop->names[drop->n++].name, name, sizeof name);
        drop->names[i].count = 0;
    }
    drop->names[i].count++;
}

/* The texts outlive the drops. */
static void add_drop(struct drops *drops, const char *name, const char *what,
                     const char *reason)
{
    size_t i = 0;
    while (i < drops->n && (strcmp(drops->drops[i].what, what) != 0 ||
                            strcmp(drops->drops[i].reason, reason) != 0))
        i++;
    if (i == MAX_REASONS) {
        drops->untold++;
        return;
    }
    if (i == drops->n)
        drops->drops[drops->n++] = (struct drop){.what = what, .reason = reason};
    add_name(&drops->drops[i], name);
}

/* "Not drawn: WHAT (REASON): a, b (3 of them), c", over several notes where it is long. */
static void note_drop(const struct drop *drop, struct rfl_scene *scene)
{
    enum { NEXT = NAME_TEXT + 32 }; /* the longest item */
    char text[RFL_NOTE_TEXT];
    bool reason = *drop->reason;
    snprintf(text, sizeof text, "Not drawn: %.100s%s%.200s%s: ", drop->what,
             reason ? " (" : "", drop->reason, reason ? ")" : "");
    for (size_t i = 0; i < drop->n; i++) {
        if (strlen(text) + NEXT > sizeof text) {
            rfl_scene_note(scene, "%s", text);
            *text = '\0';
        }
        ert_append(text, sizeof text, "%s", drop->names[i].name);
        if (drop->names[i].count > 1)
            ert_append(text, sizeof text, " (%zu of them)", drop->names[i].count);
        if (i + 1 < drop->n)
            ert_append(text, sizeof text,
                       strlen(text) + 1 + NEXT <= sizeof text ? ", " : ",");
    }
    if (drop->untold)
        ert_append(text, sizeof text, " and %zu more", drop->untold);
    rfl_scene_note(scene, "%s.", text);
}

static void note_drops(const struct drops *drops, struct rfl_scene *scene)
{
    for (size_t i = 0; i < drops->n; i++)
        note_drop(&drops->drops[i], scene);
    if (drops->untold)
        rfl_scene_note(scene, "Not drawn: %zu more, for more than %d reasons.",
                       drops->untold, MAX_REASONS);
}

/* ---- profiled points: which are drawn, where, and what becomes of the rest ---- */

/* A flat closer to another than this (in FMA share) would only thicken it. */
#define SAME_SHARE 0.005

static const struct rfl_mark *mark_at(const struct rfl_scene *scene,
                                      const struct rfl_kernel *kernel, size_t level)
{
    for (size_t i = 0; i < kernel->n_marks; i++)
        if (scene->marks[kernel->first_mark + i].level == level)
            return &scene->marks[kernel->first_mark + i];
    return NULL;
}

static int by_order(const void *left, const void *right)
{
    const struct rfl_kernel *a = *(const struct rfl_kernel *const *)left;
    const struct rfl_kernel *b = *(const struct rfl_kernel *const *)right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_scale(const void *left, const void *right)
{
    const struct rfl_kernel *a = *(const struct rfl_kernel *const *)left;
    const struct rfl_kernel *b = *(const struct rfl_kernel *const *)right;
    if (a->scale != b->scale)
        return a->scale < b->scale ? -1 : 1;
    return by_order(left, right);
}

static void link_run(struct rfl_scene *scene, size_t series)
{
    const struct rfl_kernel *run[RFL_MAX_KERNELS];
    size_t n = 0;
    bool scaled = true;
    for (size_t i = 0; i < scene->n_kernels; i++)
        if (scene->kernels[i].series == series) {
            run[n++] = &scene->kernels[i];
            scaled = scaled && scene->kernels[i].scale > 0;
        }
    qsort(run, n, sizeof run[0], scaled ? by_scale : by_order);
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t level = 0; level < scene->n_mark_levels; level++) {
            const struct rfl_mark *from = mark_at(scene, run[i], level),
                                  *to = mark_at(scene, run[i + 1], level);
            if (from && to && scene->n_arrows < RFL_MAX_MARKS)
                scene->arrows[scene->n_arrows++] = (struct rfl_arrow){
                    (size_t)(from - scene->marks), (size_t)(to - scene->marks)};
        }
}

static void link_kernels(struct rfl_scene *scene, bool trajectory)
{
    for (size_t i = 0; trajectory && i < scene->n_series; i++)
        link_run(scene, i);
    if (scene->n_series > 1 || trajectory)
        return;
    scene->n_series = 0;
    for (size_t i = 0; i < scene->n_kernels; i++)
        scene->kernels[i].series = i;
}

/* Shares of FMA, rounded to whole percent, and how many instructions have them. */
struct mixes {
    size_t n, unknown;
    double shares[RFL_MAX_KERNELS * RFL_MAX_WORK];
    double instructions, fma; /* sums */
};

static void add_share(struct mixes *mixes, const struct rfl_work *work)
{
    double instructions = work->flops / (1 + work->fma_share);
    double share = round(100 * work->fma_share) / 100;
    size_t i = 0;
    if (!isfinite(share)) {
        mixes->unknown++;
        return;
    }
    mixes->instructions += instructions;
    mixes->fma += instructions * work->fma_share;
    while (i < mixes->n && mixes->shares[i] != share)
        i++;
    if (i == mixes->n)
        mixes->shares[mixes->n++] = share;
}

static void add_mix(struct rfl_scene *scene, const struct rfl_roof *fma, double share)
{
    struct rfl_roof *roof = &scene->flats[scene->n_flats];
    char value[ERT_UNITS_TEXT], name[sizeof roof->brief];
    bool is_other = share > SAME_SHARE && share < 1 - SAME_SHARE;
    if (!is_other || scene->n_flats == ERT_MAX_COMPUTE)
        return;
    scene->n_flats++;
    *roof = (struct rfl_roof){.mix = true, .machine = fma->machine};
    roof->value = rfl_model_mix(fma->value, share);
    snprintf(roof->type, sizeof roof->type, "%s", fma->type);
    /* "A FP64 FMA" gives "A FP64 58 % FMA". */
    snprintf(name, sizeof name, "%.*s %.0f %% FMA",
             (int)(strstr(fma->brief, " FMA") - fma->brief), fma->brief, 100 * share);
    memcpy(roof->brief, name, sizeof name);
    snprintf(roof->full, sizeof roof->full, "%s %s", name,
             ert_units_performance(roof->value, value));
}

/* The shares of the kernels that are drawn, of work like that of a flat: of its type, on the cores. */
static void collect(const struct rfl_scene *scene, const struct rfl_points *points,
                    const struct rfl_roof *fma, struct mixes *mixes)
{
    memset(mixes, 0, sizeof *mixes);
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_point *point = &points->points[scene->kernels[i].order];
        for (size_t j = 0; j < point->n_work; j++)
            if (strcmp(point->work[j].type, fma->type) == 0 &&
                strcmp(point->work[j].unit, "tensor") != 0)
                add_share(mixes, &point->work[j]);
    }
}

static void add_mixes_of(struct rfl_scene *scene, const struct rfl_points *points,
                         const struct rfl_roof *fma)
{
    struct mixes mixes;
    collect(scene, points, fma, &mixes);
    if (mixes.n <= RFL_MAX_MIXES) {
        for (size_t i = 0; i < mixes.n; i++)
            add_mix(scene, fma, mixes.shares[i]);
        return;
    }
    double least = 1, most = 0;
    for (size_t i = 0; i < mixes.n; i++) {
        least = fmin(least, mixes.shares[i]);
        most = fmax(most, mixes.shares[i]);
    }
    add_mix(scene, fma, mixes.fma / mixes.instructions);
    rfl_scene_note(scene,
                   "The points' shares of FMA (%s) are %.0f to %.0f %%; the roof is for "
                   "that of all together, %.0f %%.",
                   fma->type, 100 * least, 100 * most,
                   100 * mixes.fma / mixes.instructions);
}

static void add_mixes(struct rfl_scene *scene, const struct rfl_scene_options *options)
{
    size_t n = scene->n_flats;
    for (size_t i = 0; i < n && scene->n_kernels; i++) {
        const struct rfl_roof fma = scene->flats[i];
        const char *end = strstr(fma.brief, " FMA");
        if (!fma.no_fma && !fma.secondary && end)
            add_mixes_of(scene, options->points, &fma);
    }
    qsort(scene->flats, scene->n_flats, sizeof scene->flats[0], compare_roofs);
}

/* What axes can show, flop/byte and flop/s: far beyond any machine, so nothing but bad input. */
static const double intensity_limits[] = {1e-9, 1e12}, perf_limits[] = {1e-3, 1e24};

struct choice {
    struct rfl_scene *scene;
    const struct rfl_points *points;
    const char *type;            /* NULL: all */
    const struct rfl_roof *only; /* the level's that is asked for, or NULL */
    char no_bytes[32];           /* "no bytes at HBM" */
    struct drops drops;
};

struct candidate {
    size_t index;
    double time_s;
};

static bool within(double value, const double limits[2])
{
    return value >= limits[0] && value <= limits[1];
}

/* A point's operations: of one type, or (NULL) all floating-point ones. */
static double flops_of(const struct rfl_point *point, const char *type)
{
    double sum = 0;
    for (size_t i = 0; i < point->n_work; i++) {
        const char *own = point->work[i].type;
        if (type ? strcasecmp(type, own) == 0 : strncmp(own, "int", 3) != 0)
            sum += point->work[i].flops;
    }
    return sum;
}

static bool is_drawn_at(const struct choice *choice, const struct rfl_point *point,
                        const struct rfl_traffic *traffic)
{
    const struct rfl_roof *roof = rfl_scene_level(choice->scene, traffic->level);
    if (!roof || (choice->only && strcmp(choice->only->level, roof->level) != 0))
        return false;
    return within(flops_of(point, choice->type) / traffic->bytes, intensity_limits);
}

static const char *reason_of(const struct rfl_point *point, const char *what,
                             const char *general)
{
    for (size_t i = 0; i < point->n_missing; i++)
        if (strstr(point->missing[i].what, what))
            return point->missing[i].reason;
    return general;
}

static void drop_marks(struct choice *choice, const struct rfl_point *point)
{
    const char *level = choice->only ? choice->only->level : "";
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_roof *roof =
            rfl_scene_level(choice->scene, point->traffic[i].level);
        if (!roof || (*level && strcmp(roof->level, level) != 0))
            continue;
        add_drop(&choice->drops, point->name, "outside of any axis",
                 "1e-9 to 1e12 FLOP/byte, 1e-3 to 1e24 FLOP/s");
        return;
    }
    add_drop(&choice->drops, point->name, choice->no_bytes,
             reason_of(point, *level ? level : "bytes",
                       point->n_traffic ? "only of levels that are not drawn here" : ""));
}

/* Whether a point has a mark; if not, it is dropped with the reason. */
static bool can_be_drawn(struct choice *choice, const struct rfl_point *point)
{
    double flops = flops_of(point, choice->type);
    if (!(point->time_s > 0)) {
        add_drop(&choice->drops, point->name, "no time", reason_of(point, "time", ""));
        return false;
    }
    if (!(flops > 0)) {
        add_drop(&choice->drops, point->name, "no operations of the types drawn",
                 reason_of(point, choice->type ? choice->type : "operations",
                           reason_of(point, "flops", "")));
        return false;
    }
    for (size_t i = 0; i < point->n_traffic; i++)
        if (is_drawn_at(choice, point, &point->traffic[i]) &&
            within(flops / point->time_s, perf_limits))
            return true;
    drop_marks(choice, point);
    return false;
}

static int longer_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return a->index < b->index ? -1 : 1;
}

/* "Not drawn: 80 more, 3.1 % of the time: ..." */
static void note_shorter(struct choice *choice, const struct candidate *candidates,
                         size_t drawn, size_t n)
{
    double all_s = 0, left_s = 0;
    char what[96];
    for (size_t i = 0; i < n; i++) {
        all_s += candidates[i].time_s;
        left_s += i < drawn ? 0 : candidates[i].time_s;
    }
    snprintf(what, sizeof what,
             "%zu with %.2g %% of the time (--points: the longest %zu are drawn)",
             n - drawn, 100 * left_s / all_s, drawn);
    struct drop drop = {.what = what, .reason = ""};
    for (size_t i = drawn; i < n; i++)
        add_name(&drop, choice->points->points[candidates[i].index].name);
    note_drop(&drop, choice->scene);
}

static void add_marks(struct choice *choice, const struct rfl_point *point, size_t kernel)
{
    struct rfl_scene *scene = choice->scene;
    struct rfl_kernel *to = &scene->kernels[kernel];
    double flops = flops_of(point, choice->type);
    to->perf_flop_per_s = flops / point->time_s;
    to->first_mark = scene->n_marks;
    for (size_t level = 0; level < scene->n_mark_levels; level++)
        for (size_t i = 0; i < point->n_traffic; i++) {
            const struct rfl_traffic *traffic = &point->traffic[i];
            const struct rfl_roof *roof = rfl_scene_level(scene, traffic->level);
            if (!is_drawn_at(choice, point, traffic) ||
                strcmp(roof->level, scene->mark_levels[level]) != 0)
                continue;
            scene->marks[scene->n_marks++] = (struct rfl_mark){
                kernel, level, flops / traffic->bytes, to->perf_flop_per_s};
        }
    to->n_marks = scene->n_marks - to->first_mark;
}

/* The levels that marks are at, the fastest first: their shapes follow the order of the roofs. */
static void add_mark_levels(struct choice *choice, const struct candidate *candidates,
                            size_t n)
{
    struct rfl_scene *scene = choice->scene;
    for (size_t l = 0; l < scene->n_levels; l++) {
        const char *level = scene->levels[l].level;
        bool used = false;
        for (size_t i = 0; i < scene->n_mark_levels && !used; i++)
            used = strcmp(scene->mark_levels[i], level) == 0;
        if (used)
            continue;
        for (size_t i = 0; i < n && !used; i++) {
            const struct rfl_point *point = &choice->points->points[candidates[i].index];
            for (size_t j = 0; j < point->n_traffic && !used; j++)
                used = is_drawn_at(choice, point, &point->traffic[j]) &&
                       strcmp(rfl_scene_level(scene, point->traffic[j].level)->level,
                              level) == 0;
        }
        if (used && scene->n_mark_levels == RFL_MAX_TRAFFIC)
            rfl_scene_note(scene, "Not drawn: points at %s: a chart has them at %d levels.",
                           level, RFL_MAX_TRAFFIC);
        else if (used)
            snprintf(scene->mark_levels[scene->n_mark_levels++],
                     sizeof scene->mark_levels[0], "%s", level);
    }
}

static size_t series_of(struct rfl_scene *scene, const char *run)
{
    char name[sizeof scene->series[0]];
    size_t i = 0;
    rfl_name_cut(run, name, sizeof name);
    while (i < scene->n_series && strcmp(scene->series[i], name) != 0)
        i++;
    if (i == scene->n_series)
        snprintf(scene->series[scene->n_series++], sizeof scene->series[0], "%s", name);
    return i;
}

static void add_kernels(struct choice *choice, const struct candidate *candidates, size_t n)
{
    struct rfl_scene *scene = choice->scene;
    add_mark_levels(choice, candidates, n);
    for (size_t i = 0; i < n; i++) {
        const struct rfl_point *point = &choice->points->points[candidates[i].index];
        struct rfl_kernel *kernel = &scene->kernels[scene->n_kernels++];
        rfl_name_cut(point->name, kernel->name, sizeof kernel->name);
        rfl_name_short(point->name, kernel->brief, sizeof kernel->brief);
        rfl_name_instance(point->name, kernel->instance, sizeof kernel->instance);
        kernel->order = candidates[i].index;
        kernel->time_s = point->time_s;
        kernel->scale = point->scale;
        kernel->series = series_of(scene, point->run ? point->run : "");
        add_marks(choice, point, i);
    }
}

/* Levels that drawn points have bytes of and that have no roof here; reasons for those they lack. */
static void note_points(struct choice *choice)
{
    for (size_t i = 0; i < choice->scene->n_kernels; i++) {
        const struct rfl_point *point =
            &choice->points->points[choice->scene->kernels[i].order];
        for (size_t j = 0; j < point->n_traffic && !choice->only; j++)
            if (!rfl_scene_level(choice->scene, point->traffic[j].level))
                add_drop(&choice->drops, point->name, point->traffic[j].level,
                         "no roof of this level here");
            else if (!is_drawn_at(choice, point, &point->traffic[j]))
                add_drop(&choice->drops, point->name, point->traffic[j].level,
                         "its intensity is outside of any axis");
        for (size_t j = 0; j < point->n_missing && !choice->only; j++)
            add_drop(&choice->drops, point->name, point->missing[j].what,
                     point->missing[j].reason);
    }
}

static enum ert_status find_level(struct choice *choice, const char *level,
                                  struct ert_error *error)
{
    char list[256] = "";
    choice->only = level ? rfl_scene_level(choice->scene, level) : NULL;
    snprintf(choice->no_bytes, sizeof choice->no_bytes, "no bytes%s%s",
             choice->only ? " at " : "", choice->only ? choice->only->level : "");
    if (choice->only || !level)
        return ERT_OK;
    for (size_t i = 0; i < choice->scene->n_levels; i++)
        ert_list_add(list, sizeof list, choice->scene->levels[i].level);
    return ert_fail(error, ERT_USAGE, "no roof of level '%.16s'; there are: %s", level,
                    list[0] ? list : "none");
}

static void choose(struct choice *choice, struct candidate *candidates, size_t limit)
{
    size_t n = 0;
    for (size_t i = 0; i < choice->points->n; i++)
        if (can_be_drawn(choice, &choice->points->points[i]))
            candidates[n++] = (struct candidate){i, choice->points->points[i].time_s};
    qsort(candidates, n, sizeof *candidates, longer_first);
    size_t drawn = n < limit ? n : limit;
    add_kernels(choice, candidates, drawn);
    if (drawn < n)
        note_shorter(choice, candidates, drawn, n);
    note_points(choice);
    note_drops(&choice->drops, choice->scene);
}

/*
 * Adds the points of the options: kernels, marks, series, arrows; notes those that it leaves out. The
 * levels are there already. ERT_USAGE for a level that no point or device has.
 */
static enum ert_status add_profiled(struct rfl_scene *scene,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    size_t limit = options->max_kernels ? options->max_kernels : RFL_DEFAULT_KERNELS;
    if (limit > RFL_MAX_KERNELS)
        return ert_fail(error, ERT_USAGE, "%zu points in a chart, at most %d are possible",
                        limit, RFL_MAX_KERNELS);
    struct choice *choice = ert_xcalloc(1, sizeof *choice); /* some 130 KiB */
    struct candidate *candidates = ert_xcalloc(options->points->n, sizeof *candidates);
    choice->scene = scene;
    choice->points = options->points;
    if (options->type && strcasecmp(options->type, "all") != 0)
        choice->type = options->type;
    enum ert_status status = find_level(choice, options->level, error);
    if (status == ERT_OK) {
        choose(choice, candidates, limit);
        link_kernels(scene, options->trajectory);
    }
    free(candidates);
    free(choice);
    return status;
}

/* ---- the mixed kernel's points, and the axes ---- */

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
            on_plateau(from, device->levels[i].name, point->actual_bytes))
            return device->levels[i].name;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (level->path == path && !ert_level_is_far(device, level) &&
            (level->kind == ERT_LEVEL_MEMORY ||
             point->actual_bytes <= (double)ert_level_total_bytes(level)))
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

static void add_points(struct rfl_scene *scene, const struct ert_device_ceilings *from,
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
        rfl_scene_note(scene,
                       "Not drawn: %zu points of the mixed kernel: no rate, or no level "
                       "with a roof that their working set belongs to.",
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

static void set_axes(struct rfl_scene *scene, bool close)
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

/* ---- the caption: what the picture alone does not say ---- */

/* Of names in a note about ceilings, about roofs. */
enum { LIST_TEXT = 224, ROOFS_TEXT = 992 };

static void note_ridges(struct rfl_scene *scene)
{
    struct rfl_names list = {.left_out = 0};
    if (scene->n_machines > 1)
        return;
    for (size_t i = 0; i < scene->n_ridges; i++)
        rfl_names_add(&list, ROOFS_TEXT, scene->ridges[i].label);
    if (scene->n_ridges)
        rfl_scene_note(scene, "Ridge points with %s, in FLOP/byte: %s.",
                       scene->flats[scene->reference].brief, rfl_names_end(&list));
    else
        rfl_scene_note(scene, "No ridge points: there is no %s.",
                       scene->n_levels ? "compute ceiling" : "bandwidth");
    if (scene->n_ridges && scene->n_types == 0 &&
        strcmp(scene->flats[scene->reference].type, "fp64") != 0)
        rfl_scene_note(scene,
                       "There is no FP64 ceiling: ridge points are taken at the highest.");
}

/* A kind of warning of drawn roofs: its words, of the worst, and the names. */
struct warning {
    const char *text;
    double worst;
    size_t n;
    struct rfl_names names;
};
enum { MAX_WARNINGS = 8, WARNING_NAMES = 96 };

/* The words before the first number: "wide interval: " of "wide interval: 41 % of the value". */
static size_t kind_length(const char *text)
{
    return strcspn(text, "0123456789");
}

static void add_warning(struct warning warnings[MAX_WARNINGS], size_t *n, const char *text,
                        const char *name)
{
    size_t at = 0, length = kind_length(text);
    double number = strtod(text + length, NULL);
    while (at < *n && (kind_length(warnings[at].text) != length ||
                       strncmp(warnings[at].text, text, length) != 0))
        at++;
    if (at == *n && at >= MAX_WARNINGS - 1) {
        at = MAX_WARNINGS - 1;
        text = "warnings of other kinds";
        number = 0;
    }
    struct warning *warning = &warnings[at];
    if (at == *n) {
        *warning = (struct warning){.text = text, .worst = number};
        ++*n;
    }
    if (number > warning->worst) {
        warning->text = text;
        warning->worst = number;
    }
    warning->n++;
    rfl_names_add(&warning->names, WARNING_NAMES, name);
}

static bool is_drawn(const struct rfl_scene *scene, size_t machine, const char *level,
                     double value)
{
    const struct rfl_roof *roofs = *level ? scene->levels : scene->flats;
    size_t n = *level ? scene->n_levels : scene->n_flats;
    for (size_t i = 0; i < n; i++)
        if (roofs[i].machine == machine && !roofs[i].mix && roofs[i].value == value &&
            strcmp(roofs[i].level, level) == 0)
            return true;
    return false;
}

static size_t collect_warnings(const struct rfl_scene *scene, size_t machine,
                               const struct ert_device_ceilings *from,
                               struct warning warnings[MAX_WARNINGS])
{
    size_t n = 0;
    for (size_t i = 0; i < from->n_compute + from->n_memory; i++) {
        const struct ert_memory_ceiling *memory =
            i < from->n_compute ? NULL : &from->memory[i - from->n_compute];
        const struct ert_ceiling *ceiling =
            memory ? &memory->common : &from->compute[i].common;
        if (memory ? !rfl_is_line(from, memory) : !rfl_scene_flat_name(&from->compute[i]))
            continue;
        if (!is_drawn(scene, machine, memory ? memory->level : "", ceiling->value))
            continue;
        if (ceiling->confidence != ERT_CONFIDENCE_HIGH)
            add_warning(warnings, &n,
                        ceiling->warning[0] ? ceiling->warning
                                            : "low confidence without a reason",
                        ceiling->name);
        if (ceiling->fraction_of_theory > 1)
            add_warning(warnings, &n, "above its theoretical peak, check both",
                        ceiling->name);
    }
    return n;
}

/* All warnings of a device in one sentence; letter: of the machine where there are several. */
static void note_warnings(struct rfl_scene *scene, size_t machine,
                          const struct ert_device_ceilings *from, const char *letter)
{
    struct warning warnings[MAX_WARNINGS];
    char text[RFL_NOTE_TEXT] = "";
    size_t n = collect_warnings(scene, machine, from, warnings);
    if (!from->valid)
        snprintf(text, sizeof text, "measured on a disturbed machine (%s)",
                 from->warnings[0] ? from->warnings : "the file gives no reason");
    for (size_t i = 0; i < n; i++) {
        struct warning *warning = &warnings[i];
        size_t length = kind_length(warning->text);
        ert_append(text, sizeof text, "%s%.*s%s%s: %s", *text ? "; " : "", (int)length,
                   warning->text, warning->n > 1 && warning->text[length] ? "up to " : "",
                   warning->text + length, rfl_names_end(&warning->names));
    }
    if (*text)
        rfl_scene_note(scene, "Warning%s%s: %s.", *letter ? " of " : "", letter, text);
}

static void note_bands(struct rfl_scene *scene)
{
    struct rfl_names list = {.left_out = 0};
    for (size_t i = 0; i < scene->n_levels; i++) {
        const struct rfl_roof *roof = &scene->levels[i];
        char low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT], text[192];
        if (!(roof->band_high > 0))
            continue;
        ert_units_bandwidth(roof->band_low, low);
        ert_units_bandwidth(roof->band_high, high);
        char *unit = strchr(low, ' ');
        if (unit && strcmp(unit, strchr(high, ' ')) == 0)
            *unit = '\0';
        snprintf(text, sizeof text, "%s %s .. %s (%s)", roof->level, low, high, roof->band);
        rfl_names_add(&list, ROOFS_TEXT, text);
    }
    if (*list.text)
        rfl_scene_note(scene, "Shaded: what mixes of reads and writes reach: %s.",
                       rfl_names_end(&list));
}

static void note_undrawn(struct rfl_scene *scene, const struct ert_device_ceilings *from)
{
    struct rfl_names names = {.left_out = 0};
    for (size_t i = 0; i < from->n_compute; i++)
        if (!rfl_scene_flat_name(&from->compute[i]) ||
            !draws_type(scene, from->compute[i].type))
            rfl_names_add(&names, LIST_TEXT, from->compute[i].common.name);
    if (*names.text)
        rfl_scene_note(scene, "Measured, not drawn: %s.", rfl_names_end(&names));
}

/* One note per reason, with all the names that it holds for. */
static void note_not_measured(struct rfl_scene *scene,
                              const struct ert_device_ceilings *from)
{
    for (size_t i = 0; i < from->n_not_measured; i++) {
        const char *reason = from->not_measured[i].reason;
        struct rfl_names names = {.left_out = 0};
        bool told = false;
        for (size_t j = 0; j < i && !told; j++)
            told = strcmp(from->not_measured[j].reason, reason) == 0;
        for (size_t j = i; j < from->n_not_measured && !told; j++)
            if (strcmp(from->not_measured[j].reason, reason) == 0)
                rfl_names_add(&names, LIST_TEXT, from->not_measured[j].name);
        if (!told)
            rfl_scene_note(scene, "Not measured: %s: %s.", rfl_names_end(&names), reason);
    }
}

static bool is_not_measured(const struct ert_device_ceilings *from, const char *level)
{
    for (size_t i = 0; i < from->n_not_measured; i++)
        if (strncmp(from->not_measured[i].name, level, strlen(level)) == 0)
            return true;
    return false;
}

/* Levels of the machine that neither a roof nor a reason mentions. */
static void note_levels(struct rfl_scene *scene, const struct ert_device_ceilings *from,
                        const struct ert_device *device)
{
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const char *name = device->levels[i].name;
        bool drawn = false;
        for (size_t j = 0; j < scene->n_levels; j++)
            drawn = drawn || strcmp(scene->levels[j].level, name) == 0;
        if (!drawn && !is_not_measured(from, name))
            rfl_scene_note(scene, "Not drawn: %s: the file has no bandwidth for it.", name);
    }
}

static void note_device(struct rfl_scene *scene, size_t machine,
                        const struct rfl_scene_device *device)
{
    const struct ert_ceilings *ceilings = device->ceilings;
    const char *letter = scene->machines[machine].letter;
    char prefix[8];
    snprintf(prefix, sizeof prefix, "%s%s", letter, *letter ? " " : "");
    if (ceilings->status[0] && strcmp(ceilings->status, "complete") != 0)
        rfl_scene_note(scene, "The run %s%sdid not complete: %s.", *letter ? "of " : "",
                       prefix, ceilings->status);
    note_warnings(scene, machine, &ceilings->devices[device->index], letter);
}

static void add_notes(struct rfl_scene *scene, const struct rfl_scene_device *devices)
{
    const struct ert_ceilings *ceilings = devices[0].ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[devices[0].index];
    note_ridges(scene);
    note_bands(scene);
    if (scene->theory)
        rfl_scene_note(scene, "Thin broken lines: theoretical peaks; in parentheses: what "
                              "share of its own a roof reaches, where one is known.");
    for (size_t i = 0; i < scene->n_machines; i++)
        note_device(scene, i, &devices[i]);
    if (scene->n_machines > 1 || scene->n_kernels) {
        rfl_scene_note(
            scene,
            "Not drawn here: other ceilings (`roofline show` lists them) and the mixed "
            "kernel's points (`roofline plot` of the ceilings alone shows them).");
        return;
    }
    note_undrawn(scene, from);
    note_not_measured(scene, from);
    note_levels(scene, from, ert_machine_device(ceilings->machine, from->device));
}

/* ---- the scene ---- */

static void list_types(const struct ert_device_ceilings *device, char *list, size_t size)
{
    for (size_t i = 0; i < device->n_compute; i++)
        if (rfl_scene_flat_name(&device->compute[i]) &&
            !strstr(list, device->compute[i].type))
            ert_list_add(list, size, device->compute[i].type);
}

static enum ert_status choose_types(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices,
                                    const struct rfl_scene_options *options,
                                    struct ert_error *error)
{
    char list[128] = "";
    const struct rfl_points *points = options->points;
    for (size_t i = 0; i < scene->n_machines; i++)
        list_types(&devices[i].ceilings->devices[devices[i].index], list, sizeof list);
    if (options->type && strcasecmp(options->type, "all") == 0)
        return ERT_OK;
    if (options->type) {
        snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "%s",
                 options->type);
        if (strcasestr(list, options->type))
            return ERT_OK;
        return ert_fail(error, ERT_USAGE, "no peak of type '%.16s'; there are: %s, all",
                        options->type, list[0] ? list : "none");
    }
    for (size_t i = 0; points && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_work; j++) {
            const char *type = points->points[i].work[j].type;
            bool there = scene->n_types && draws_type(scene, type);
            if (!there && strstr(list, type) && scene->n_types < RFL_MAX_WORK)
                snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "%s",
                         type);
        }
    if (!scene->n_types && scene->n_machines > 1 && strstr(list, "fp64"))
        snprintf(scene->types[scene->n_types++], sizeof scene->types[0], "fp64");
    return ERT_OK;
}

static void add_ridges(struct rfl_scene *scene)
{
    if (!scene->n_flats || scene->n_machines > 1)
        return;
    while (scene->reference < scene->n_flats &&
           strcmp(scene->flats[scene->reference].brief, "FP64 FMA") != 0)
        scene->reference++;
    scene->reference %= scene->n_flats; /* without FP64, the highest */
    for (size_t i = 0; i < scene->n_levels; i++) {
        struct rfl_ridge *ridge = &scene->ridges[scene->n_ridges++];
        ridge->level = i;
        ridge->perf_flop_per_s = scene->flats[scene->reference].value;
        ridge->intensity_flop_per_byte =
            rfl_model_ridge(scene->levels[i].value, ridge->perf_flop_per_s);
        snprintf(ridge->label, sizeof ridge->label,
                 ridge->intensity_flop_per_byte < 100 ? "%s %#.3g" : "%s %.3g",
                 scene->levels[i].level, ridge->intensity_flop_per_byte);
    }
}

static void add_machine(struct rfl_scene *scene, const struct ert_ceilings *ceilings,
                        const struct ert_device_ceilings *from,
                        const struct ert_device *device, size_t n)
{
    const struct ert_provenance *provenance = &ceilings->machine->provenance;
    struct rfl_scene_machine *machine = &scene->machines[scene->n_machines];
    char clock[ERT_UNITS_TEXT];
    if (n > 1)
        snprintf(machine->letter, sizeof machine->letter, "%c",
                 (char)('A' + scene->n_machines));
    scene->n_machines++;
    snprintf(machine->name, sizeof machine->name, "%s",
             device->name[0] ? device->name : device->id);
    snprintf(machine->text, sizeof machine->text, "%s", from->device);
    if (provenance->host[0])
        ert_append(machine->text, sizeof machine->text, " of %s", provenance->host);
    if (ceilings->created[0])
        ert_append(machine->text, sizeof machine->text, ", measured %.10s",
                   ceilings->created);
    if (from->held_hz > 0)
        ert_append(machine->text, sizeof machine->text, ", clock held %s",
                   ert_units_frequency(from->held_hz, clock));
}

/* Of several machines the title has the names only; the key has the rest. A title given is for one. */
static void add_title(struct rfl_scene *scene, const char *title)
{
    if (title && scene->n_machines == 1) {
        snprintf(scene->title, sizeof scene->title, "%s", title);
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.100s, %.200s",
                 scene->machines[0].name, scene->machines[0].text);
        return;
    }
    snprintf(scene->title, sizeof scene->title, "Roofline%s of ",
             scene->n_machines > 1 ? "s" : "");
    for (size_t i = 0; i < scene->n_machines; i++) {
        const struct rfl_scene_machine *machine = &scene->machines[i];
        ert_append(scene->title, sizeof scene->title, "%s%s",
                   i == 0                       ? ""
                   : i + 1 == scene->n_machines ? " and "
                                                : ", ",
                   machine->name);
        if (machine->letter[0])
            ert_append(scene->title, sizeof scene->title, " (%s)", machine->letter);
    }
    if (scene->n_machines == 1)
        snprintf(scene->subtitle, sizeof scene->subtitle, "%.319s",
                 scene->machines[0].text);
}

static enum ert_status check_device(const struct rfl_scene_device *at,
                                    struct ert_error *error)
{
    if (at->index >= at->ceilings->n_devices || !at->ceilings->machine)
        return ert_fail(error, ERT_USAGE, "no device %zu in the ceilings; there are %zu",
                        at->index, at->ceilings->n_devices);
    const char *id = at->ceilings->devices[at->index].device;
    if (!ert_machine_device(at->ceilings->machine, id))
        return ert_fail(error, ERT_USAGE, "the machine has no device '%s'", id);
    return ERT_OK;
}

static enum ert_status add_machines(struct rfl_scene *scene,
                                    const struct rfl_scene_device *devices, size_t n,
                                    struct ert_error *error)
{
    if (n < 1 || n > RFL_MAX_MACHINES)
        return ert_fail(error, ERT_USAGE, "%zu devices in a chart, must be 1 to %d", n,
                        RFL_MAX_MACHINES);
    for (size_t i = 0; i < n; i++) {
        ERT_TRY(check_device(&devices[i], error));
        const struct ert_device_ceilings *from =
            &devices[i].ceilings->devices[devices[i].index];
        add_machine(scene, devices[i].ceilings, from,
                    ert_machine_device(devices[i].ceilings->machine, from->device), n);
    }
    return ERT_OK;
}

/* The mixed kernel's points lie on the roofs: beside profiled ones they only take their labels' room. */
static void add_dots(struct rfl_scene *scene, const struct rfl_scene_device *device)
{
    const struct ert_ceilings *ceilings = device->ceilings;
    const struct ert_device_ceilings *from = &ceilings->devices[device->index];
    if (!scene->n_kernels)
        add_points(scene, from, ert_machine_device(ceilings->machine, from->device));
}

enum ert_status rfl_scene_make_of(const struct rfl_scene_device *devices, size_t n,
                                  const struct rfl_scene_options *options,
                                  struct rfl_scene *scene, struct ert_error *error)
{
    memset(scene, 0, sizeof *scene);
    scene->theory = options->theory;
    ERT_TRY(add_machines(scene, devices, n, error));
    ERT_TRY(choose_types(scene, devices, options, error));
    ERT_TRY(add_roofs(scene, devices, error));
    add_title(scene, options->title);
    if (options->points)
        ERT_TRY(add_profiled(scene, options, error));
    if (n == 1)
        add_dots(scene, devices);
    add_mixes(scene, options);
    add_ridges(scene);
    set_axes(scene, options->close);
    add_notes(scene, devices);
    return ERT_OK;
}

enum ert_status rfl_scene_make(const struct ert_ceilings *ceilings, size_t index,
                               bool theory, struct rfl_scene *scene,
                               struct ert_error *error)
{
    const struct rfl_scene_device device = {ceilings, index};
    const struct rfl_scene_options options = {.theory = theory};
    return rfl_scene_make_of(&device, 1, &options, scene, error);
}
