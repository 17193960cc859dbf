#include "ert/validate/regions.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char key[] = "{\"ert-region\":";

/*
 * Passes of a region that is to be counted. A cache's first pass after a launch may miss (an SM's L1
 * is emptied by every launch), and shared memory is filled, poisoned and summed once: 512 passes
 * make that 0.6 %. 64 passes of a chase are one launch of 131072 loads.
 */
enum { CACHE_PASSES = 512, LATENCY_PASSES = 64, COMPUTE_PASSES = 64 };

/*
 * Of memory: so many bytes that what L2 keeps at the end, some 60 MB not yet written, is below half
 * a percent.
 */
static const double memory_bytes = 0x1p34;
enum { MOST_MEMORY_PASSES = 64 };

/* Where a pass is a launch, each of which profilers replay a dozen times. */
enum { MOST_LAUNCHES = 8 };

static uint64_t default_passes(const struct ert_replay *replay)
{
    const struct ert_level *level = replay->level;
    if (!level)
        return COMPUTE_PASSES;
    if (ert_kernel_row(replay->case_.kernel)->class_ == ERT_CLASS_LATENCY)
        return LATENCY_PASSES;
    if (level->kind != ERT_LEVEL_MEMORY)
        return CACHE_PASSES;
    double passes = ceil(memory_bytes / (double)replay->case_.working_set_bytes);
    return passes < MOST_MEMORY_PASSES ? (uint64_t)passes : MOST_MEMORY_PASSES;
}

void ert_region_make(const struct ert_device *device, const struct ert_replay *replay,
                     uint64_t passes, struct ert_region *region)
{
    struct ert_code code = {0};
    struct ert_error error = {0};
    *region = (struct ert_region){
        .once = {.case_ = replay->case_, .passes = passes}
    };
    snprintf(region->name, sizeof region->name, "%s", replay->ceiling->name);
    if (passes == 0)
        region->once.passes = default_passes(replay);
    if (passes == 0 && region->once.passes > MOST_LAUNCHES && replay->backend->code &&
        replay->backend->code(device, &replay->case_, &code, &error) == ERT_OK &&
        code.is_launched_per_pass)
        region->once.passes = MOST_LAUNCHES;
}

void ert_region_print(FILE *out, const struct ert_region *region)
{
    const struct ert_once *once = &region->once;
    double passes = (double)once->sample.passes;
    fprintf(out,
            "%s \"%s\", \"kernel\": \"%s\", \"path\": \"%s\", \"set_bytes\": %llu, "
            "\"passes\": %llu, \"time_s\": %.9g, \"bytes\": %.17g, \"flops\": %.17g, "
            "\"loads\": %.17g}\n",
            key, region->name, ert_kernel_row(once->case_.kernel)->name,
            ert_path_name(once->case_.path),
            (unsigned long long)once->work.working_set_bytes,
            (unsigned long long)once->sample.passes, once->sample.time_s,
            once->work.bytes_per_pass * passes, once->work.flops_per_pass * passes,
            once->work.loads_per_pass * passes);
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) && value->valuedouble >= 0 ? value->valuedouble : 0;
}

static bool read_one(const char *line, struct ert_region_totals *totals)
{
    cJSON *object = cJSON_ParseWithLength(line, strcspn(line, "\n"));
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "ert-region");
    bool is_region = cJSON_IsString(name);
    if (is_region) {
        snprintf(totals->name, sizeof totals->name, "%s", name->valuestring);
        totals->passes = (uint64_t)number(object, "passes");
        totals->time_s = number(object, "time_s");
        totals->bytes = number(object, "bytes");
        totals->flops = number(object, "flops");
        totals->loads = number(object, "loads");
    }
    cJSON_Delete(object);
    return is_region;
}

size_t ert_regions_read(const char *text, struct ert_region_totals *totals, size_t max)
{
    size_t n = 0;
    while (n < max && (text = strstr(text, key)) && read_one(text, &totals[n])) {
        n++;
        text += sizeof key - 1;
    }
    return n;
}
