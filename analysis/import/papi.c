/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's high-level API, papi_hl_output/rank_000000.json. Two layouts:
 *
 * - PAPI 6.0.1 and later: "threads": {"0": {"regions": {"0": {"name": "loop", "parent_region_id":
 *   "-1", "cycles": "...", "real_time_nsec": "...", EVENT: "..."}}}} (or the region's name as key);
 * - PAPI 6.0.0: "threads": [{"id": "0", "regions": [{"loop": {...}}]}].
 *
 * (icl.utk.edu/papi, wiki "PAPI-HL"; src/high-level/papi_hl.c.) Values are strings or numbers, or, for
 * regions with PAPI_hl_read, objects with a region_value. Regions with the same name are summed within a
 * thread; over threads counts are summed, and the time is that of the slowest. A parent's counts include
 * those of the regions inside it.
 *
 * PAPI_DP_OPS and PAPI_SP_OPS count scaled operations of a type; PAPI_FP_OPS does not distinguish types.
 * PAPI_LST_INS counts loads and stores, not bytes.
 */
#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/alloc.h"
#include "ert/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest_file = (size_t)64 << 20;

/* A region, whose threads are summed one after the other. */
struct sums {
    const char *name, *parent; /* of the JSON tree; parent NULL outermost */
    double thread_s, thread_calls;
    double time_s, all_s, calls, threads;
    double instructions, cycles, dp, sp, untyped, accesses;
    struct rfl_fp_arith fp_arith;
};

struct regions {
    const char *file;
    size_t n, capacity;
    struct sums *sums; /* malloc */
};

#define AT(field) offsetof(struct sums, field)
static const struct {
    const char *event;
    size_t where;
    double unit;
} events[] = {
    {"PAPI_DP_OPS",    AT(dp),           1   },
    {"PAPI_SP_OPS",    AT(sp),           1   },
    {"PAPI_FP_OPS",    AT(untyped),      1   },
    {"PAPI_TOT_INS",   AT(instructions), 1   },
    {"PAPI_TOT_CYC",   AT(cycles),       1   },
    {"PAPI_LST_INS",   AT(accesses),     1   },
    {"region_count",   AT(thread_calls), 1   },
    {"real_time_nsec", AT(thread_s),     1e-9}
};
#undef AT

/* Reads a count from a string, a number, or an object's region_value. */
static enum ert_status count_of(const char *file, const char *region, const cJSON *node,
                                double *value, struct ert_error *error)
{
    const cJSON *given = cJSON_IsObject(node)
                             ? cJSON_GetObjectItemCaseSensitive(node, "region_value")
                             : node;
    char *end = NULL;
    *value = NAN;
    if (cJSON_IsNumber(given))
        *value = given->valuedouble;
    else if (cJSON_IsString(given) && *given->valuestring >= '0' &&
             *given->valuestring <= '9')
        *value = strtod(given->valuestring, &end);
    if (isfinite(*value) && *value >= 0 && (!end || !*end))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%.200s: region '%.60s': %.60s: '%.40s', must be a count of 0 or more",
                    file, region, node->string ? node->string : "",
                    cJSON_IsString(given) ? given->valuestring : "no number");
}

static struct sums *sums_of(struct regions *regions, const char *name)
{
    for (size_t i = 0; i < regions->n; i++)
        if (strcmp(regions->sums[i].name, name) == 0)
            return &regions->sums[i];
    regions->sums =
        ert_xgrow(regions->sums, regions->n, &regions->capacity, sizeof *regions->sums);
    struct sums *sums = &regions->sums[regions->n++];
    *sums = (struct sums){.name = name};
    return sums;
}

static enum ert_status add_event(const char *file, struct sums *sums, const cJSON *node,
                                 struct ert_error *error)
{
    double value;
    size_t i = 0;
    while (i < ERT_LENGTH(events) && strcmp(events[i].event, node->string) != 0)
        i++;
    if (i == ERT_LENGTH(events) && rfl_fp_arith_type(node->string) < 0)
        return ERT_OK;
    ERT_TRY(count_of(file, sums->name, node, &value, error));
    if (i < ERT_LENGTH(events))
        *(double *)(void *)((char *)sums + events[i].where) += events[i].unit * value;
    else
        rfl_fp_arith_add(&sums->fp_arith, node->string, value);
    return ERT_OK;
}

/* The name of the region that contains another one, or NULL. */
static const char *parent_of(const cJSON *all, const cJSON *region)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(region, "parent_region_id");
    char key[32] = "";
    if (cJSON_IsString(id))
        snprintf(key, sizeof key, "%s", id->valuestring);
    else if (cJSON_IsNumber(id))
        snprintf(key, sizeof key, "%.0f", id->valuedouble);
    const cJSON *parent = *key ? cJSON_GetObjectItemCaseSensitive(all, key) : NULL;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(parent, "name");
    return cJSON_IsString(name) ? name->valuestring : NULL;
}

static enum ert_status add_region(struct regions *regions, const cJSON *all,
                                  const cJSON *region, struct ert_error *error)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(region, "name"), *node;
    const char *text = cJSON_IsString(name) ? name->valuestring : region->string;
    if (!cJSON_IsObject(region) || !text)
        return ert_fail(error, ERT_USAGE, "%.200s: a region is not an object with a name",
                        regions->file);
    struct sums *sums = sums_of(regions, text);
    double before = sums->thread_calls;
    cJSON_ArrayForEach(node, region) ERT_TRY(add_event(regions->file, sums, node, error));
    if (sums->thread_calls == before)
        sums->thread_calls++;
    if (!sums->parent)
        sums->parent = parent_of(all, region);
    return ERT_OK;
}

static enum ert_status add_thread(struct regions *regions, const cJSON *thread,
                                  struct ert_error *error)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(thread, "regions"), *region;
    if (!cJSON_IsObject(all) && !cJSON_IsArray(all))
        return ert_fail(error, ERT_USAGE, "%.200s: threads: a thread without regions",
                        regions->file);
    cJSON_ArrayForEach(region, all)
    {
        /* 6.0.0: [{"name": {...}}] */
        const cJSON *inner = cJSON_IsArray(all) ? region->child : region;
        if (!inner)
            return ert_fail(error, ERT_USAGE, "%.200s: an empty region", regions->file);
        ERT_TRY(add_region(regions, all, inner, error));
    }
    for (size_t i = 0; i < regions->n; i++) {
        struct sums *sums = &regions->sums[i];
        sums->threads += sums->thread_calls > 0;
        sums->all_s += sums->thread_s;
        sums->time_s = fmax(sums->time_s, sums->thread_s);
        sums->calls = fmax(sums->calls, sums->thread_calls);
        sums->thread_s = sums->thread_calls = 0;
    }

    return ERT_OK;
}

static void put_work(const struct sums *sums, struct rfl_point *point)
{
    rfl_points_work(point, "fp64", "core", sums->dp, NAN, "PAPI_DP_OPS, all threads");
    rfl_points_work(point, "fp32", "core", sums->sp, NAN, "PAPI_SP_OPS, all threads");
    if (point->n_work == 0)
        rfl_fp_arith_put(&sums->fp_arith, "PAPI", point);
    if (point->n_work == 0 && sums->untyped > 0)
        rfl_points_missing(point, "operations",
                           "PAPI_FP_OPS (%.0f) does not distinguish fp64 and fp32: count "
                           "PAPI_DP_OPS and PAPI_SP_OPS",
                           sums->untyped);
}

static void put(const struct sums *sums, struct rfl_points *points)
{
    struct rfl_point *point = rfl_points_add(points, sums->name);
    put_work(sums, point);
    point->time_s = sums->time_s;
    if (sums->time_s > 0)
        point->time_recipe = ert_strings_format(
            &points->strings, "real_time_nsec, slowest of %.0f threads (PAPI)",
            sums->threads);
    point->launches = sums->calls;
    point->threads = sums->threads;
    point->instructions = sums->instructions;
    if (sums->cycles > 0 && sums->all_s > 0)
        point->clock_hz = sums->cycles / sums->all_s;
    rfl_points_missing(point, "bytes",
                       sums->accesses > 0
                           ? "PAPI_LST_INS (%.0f) counts loads and stores, not their width"
                           : "PAPI has no portable event for bytes (%.0f loads and "
                             "stores): likwid, perf or SDE count them",
                       sums->accesses);
    if (sums->parent)
        rfl_points_warn(point, "inside region '%.100s', whose counts include these",
                        sums->parent);
}

static enum ert_status read_tree(const cJSON *root, const struct rfl_import *in,
                                 struct ert_error *error)
{
    struct regions regions = {.file = in->lines->file};
    const cJSON *threads = cJSON_GetObjectItemCaseSensitive(root, "threads"), *thread;
    enum ert_status status = ERT_OK;
    if (!cJSON_IsObject(threads) && !cJSON_IsArray(threads))
        return ert_fail(error, ERT_USAGE,
                        "%.200s: contains no 'threads', as PAPI's rank_000000.json does",
                        regions.file);
    for (thread = threads->child; thread && status == ERT_OK; thread = thread->next)
        status = add_thread(&regions, thread, error);
    for (size_t i = 0; i < regions.n && status == ERT_OK; i++)
        if (!in->options->region || strstr(regions.sums[i].name, in->options->region))
            put(&regions.sums[i], in->points);
    free(regions.sums);
    in->points->origin = "PAPI, high-level API";
    return status;
}

static enum ert_status papi_read(const struct rfl_import *in, struct ert_error *error)
{
    char *text = NULL;
    size_t size;
    cJSON *root = NULL;
    ERT_TRY(ert_lines_rest(in->lines, largest_file, &text, &size, error));
    enum ert_status status = ert_json_parse(text, size, in->lines->file, &root, error);
    if (status == ERT_OK)
        status = read_tree(root, in, error);
    cJSON_Delete(root);
    free(text);
    return status;
}

static bool recognizes(const char *head)
{
    head += strspn(head, " \t\r\n");
    return *head == '{' && !strstr(head, "\"ert-points/") &&
           (strstr(head, "\"papi_version\"") ||
            (strstr(head, "\"threads\"") && strstr(head, "\"regions\"")));
}

const struct rfl_importer rfl_import_papi = {
    .name = "papi",
    .summary = "PAPI high-level API: rank_*.json (operations per region)",
    .how = "PAPI_EVENTS=PAPI_DP_OPS,PAPI_TOT_INS,PAPI_TOT_CYC ./a.out (writes "
           "papi_hl_output/)",
    .device = RFL_IMPORT_CPU,
    .recognizes = recognizes,
    .read = papi_read,
};
