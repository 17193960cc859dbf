#include "analysis/cli/portability_text.h"

#include "analysis/import/import.h"
#include "analysis/place.h"
#include "analysis/roofline.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is read for the platforms; freed together. */
struct work {
    size_t n;
    struct rfl_platform_words words[RFL_MAX_PLATFORMS];
    struct rfl_points points[RFL_MAX_PLATFORMS];
    struct rfl_platform platforms[RFL_MAX_PLATFORMS];
};

static void free_work(struct work *work)
{
    if (!work)
        return;
    for (size_t i = 0; i < work->n; i++) {
        free(work->platforms[i].efficiencies);
        rfl_points_free(&work->points[i]);
    }
    free(work);
}

static enum ert_status choose_device(const struct ert_ceilings *ceilings,
                                     const struct rfl_platform_words *words,
                                     const char *device, size_t *index,
                                     struct ert_error *error)
{
    *index = 0;
    if (*words->device || device)
        return rfl_find_device(ceilings, *words->device ? words->device : device, index,
                               error);
    if (ceilings->n_devices == 1)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%.200s: %zu devices have ceilings; say which with --device, or with "
                    "\"device\" in a list",
                    words->ceilings, ceilings->n_devices);
}

/* Of each point the share of the roof that binds it, at the clocks that it ran at. */
static enum ert_status place_points(const struct ert_ceilings *ceilings, size_t device,
                                    struct rfl_platform *platform, struct ert_error *error)
{
    for (size_t i = 0; i < platform->points->n; i++) {
        const struct rfl_point *point = &platform->points->points[i];
        struct rfl_roofs_options options = {.clock_hz = point->clock_hz,
                                            .memory_clock_hz = point->memory_clock_hz};
        struct rfl_roofs roofs;
        struct rfl_placement placement;
        ERT_TRY(rfl_roofs_make(ceilings, device, &options, &roofs, error));
        rfl_place(point, &roofs, &placement);
        if (placement.fraction > 0)
            platform->efficiencies[i] = placement.fraction;
    }
    return ERT_OK;
}

static enum ert_status architectural(const struct rfl_platform_options *options,
                                     struct rfl_platform_words *words,
                                     struct rfl_platform *platform, struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    size_t device = 0;
    if (!*words->ceilings)
        return ert_fail(error, ERT_USAGE,
                        "portability: %.200s: no ceilings are given for it",
                        words->profile);
    ERT_TRY(ert_ceilings_read(words->ceilings, &ceilings, error));
    enum ert_status status =
        choose_device(&ceilings, words, options->device, &device, error);
    if (status == ERT_OK) {
        const char *id = ceilings.devices[device].device;
        const struct ert_device *about = ert_machine_device(ceilings.machine, id);
        if (!*words->name)
            snprintf(words->name, sizeof words->name, "%.127s", about ? about->name : id);
        status = place_points(&ceilings, device, platform, error);
    }
    ert_ceilings_free(&ceilings);
    return status;
}

/* The time of a platform in "A=1.5s,B=20ms"; 0 when it is not in it. */
static enum ert_status find_best(const char *list, const char *name, double *time_s,
                                 struct ert_error *error)
{
    size_t length = strlen(name);
    *time_s = 0;
    for (const char *item = list; item && *item; item += *item == ',') {
        char text[64];
        size_t size = strcspn(item, ",");
        if (size > length && item[length] == '=' && strncmp(item, name, length) == 0) {
            snprintf(text, sizeof text, "%.*s", (int)(size - length - 1),
                     item + length + 1);
            ERT_TRY(ert_units_parse_time(text, time_s, error));
            if (!(*time_s > 0))
                return ert_fail(error, ERT_USAGE, "best: %.60s: %s, must be above 0", name,
                                text);
            return ERT_OK;
        }
        item += size;
    }
    return list ? ert_fail(error, ERT_USAGE, "best: no time of '%.100s' in '%.200s'", name,
                           list)
                : ERT_OK;
}

static enum ert_status application(const struct rfl_platform_options *options,
                                   struct rfl_platform_words *words,
                                   struct rfl_platform *platform, struct ert_error *error)
{
    double best_s;
    if (!*words->name)
        snprintf(words->name, sizeof words->name, "%.127s", words->profile);
    ERT_TRY(find_best(options->best, words->name, &best_s, error));
    for (size_t i = 0; i < platform->points->n && !options->best; i++) {
        double time_s = platform->points->points[i].time_s;
        if (time_s > 0 && (best_s == 0 || time_s < best_s))
            best_s = time_s;
    }
    for (size_t i = 0; i < platform->points->n; i++)
        if (platform->points->points[i].time_s > 0)
            platform->efficiencies[i] = best_s / platform->points->points[i].time_s;
    return ERT_OK;
}

/* The fastest point of each run, which takes the run's name. */
static void keep_fastest(struct rfl_platform *platform)
{
    struct rfl_point *points = platform->points->points;
    size_t kept = 0;
    for (size_t i = 0; i < platform->points->n; i++) {
        size_t k = 0;
        if (!(points[i].time_s > 0))
            continue;
        while (k < kept && strcmp(points[k].run, points[i].run) != 0)
            k++;
        if (k < kept && points[k].time_s <= points[i].time_s)
            continue;
        kept += k == kept;
        points[k] = points[i];
        points[k].name = *points[i].run ? points[i].run : "all";
        platform->efficiencies[k] = platform->efficiencies[i];
    }
    platform->points->n = kept;
}

static enum ert_status read_platforms(const struct rfl_platform_options *options,
                                      struct work *work, struct ert_error *error)
{
    static const struct rfl_import_options plain = {0};
    for (size_t i = 0; i < work->n; i++) {
        struct rfl_platform *platform = &work->platforms[i];
        struct rfl_platform_words *words = &work->words[i];
        platform->name = words->name;
        platform->points = &work->points[i];
        ERT_TRY(rfl_import_file(words->profile, NULL, &plain, platform->points, error));
        platform->efficiencies =
            malloc((platform->points->n + 1) * sizeof *platform->efficiencies);
        if (!platform->efficiencies)
            return ert_fail(error, ERT_FAILED, "no memory for %zu points",
                            platform->points->n);
        for (size_t k = 0; k < platform->points->n; k++)
            platform->efficiencies[k] = NAN;
        ERT_TRY((options->is_application ? application : architectural)(options, words,
                                                                        platform, error));
        if (options->fastest)
            keep_fastest(platform);
    }
    return ERT_OK;
}

enum ert_status rfl_platforms_read(const struct rfl_platform_options *options,
                                   const char **words, size_t n_words,
                                   struct rfl_efficiencies *all, struct ert_error *error)
{
    struct work *work = calloc(1, sizeof *work);
    enum ert_status status =
        work ? ERT_OK : ert_fail(error, ERT_FAILED, "no memory for the platforms");
    if (status == ERT_OK && !strchr(words[0], ':'))
        status =
            rfl_platform_list(words[0], work->words, RFL_MAX_PLATFORMS, &work->n, error);
    else
        for (; status == ERT_OK && work->n < n_words; work->n++)
            status = rfl_platform_parse(words[work->n], &work->words[work->n], error);
    if (status == ERT_OK)
        status = read_platforms(options, work, error);
    if (status == ERT_OK)
        status = rfl_efficiencies_join(work->platforms, work->n, all, error);
    free_work(work);
    return status;
}
