/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's high-level API, papi_hl_output/rank_000000.json of PAPI 6.0.1 and later: "threads": {"0":
 * {"regions": {"0": {"name": "loop", "parent_region_id": "-1", "cycles": "...", "real_time_nsec": "...",
 * EVENT: "..."}}}} (or the region's name as key); icl.utk.edu/papi, wiki "PAPI-HL"; src/high-level/papi_hl.c.
 *
 * Values are strings or numbers, or, for regions with PAPI_hl_read, objects with a region_value. Regions with
 * the same name are summed within a thread; over threads counts are summed, and the time is that of the
 * slowest. A parent's counts include those of the regions inside it.
 *
 * Events: events.def. PAPI_DP_OPS and PAPI_SP_OPS count scaled operations of a type; PAPI_FP_OPS does not
 * distinguish types. PAPI_LST_INS counts loads and stores, not bytes.
 */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest_file = (size_t)64 << 20;

/* A region, whose threads are summed one after the other. */
struct sums {
    const char *name, *parent; /* of the JSON tree; parent NULL outermost */
    double thread_s, thread_calls;
    double time_s, all_s, calls, threads;
    size_t n_visits;      /* of all threads: each one's counts are added */
    const char *why_time; /* a time is not known; or NULL */
    struct rfl_tally tally;
};

struct regions {
    const struct rfl_import *in;
    size_t n, capacity;
    struct sums *sums; /* malloc */
};

/* A count from a string, a number, or an object's region_value. */
static struct rfl_cell papi_count_of(const struct regions *regions, const char *region,
                                     const cJSON *node)
{
    struct ert_strings *texts = &regions->in->points->strings;
    const cJSON *given = cJSON_IsObject(node)
                             ? cJSON_GetObjectItemCaseSensitive(node, "region_value")
                             : node;
    const char *where = ert_strings_format(texts, "region '%.60s'", region),
               *text = cJSON_IsString(given) ? given->valuestring : "no number";
    char *end, number[64];
    if (cJSON_IsNumber(given)) {
        snprintf(number, sizeof number, "%.17g", given->valuedouble);
        text = number;
    }
    struct rfl_cell cell = {.value = strtod(text, &end)};
    if (isdigit((unsigned char)*text) && !*end && isfinite(cell.value))
        rfl_cell_check(regions->in->points, where, text, &cell);
    else
        cell = (struct rfl_cell){
            .why = ert_strings_format(texts, "%s: '%.40s', must be a count of 0 or more",
                                      where, text)};
    return cell;
}

static struct sums *sums_of(struct regions *regions, const char *name)
{
    for (size_t i = 0; i < regions->n; i++)
        if (strcmp(regions->sums[i].name, name) == 0)
            return &regions->sums[i];
    regions->sums =
        ert_xgrow(regions->sums, regions->n, &regions->capacity, sizeof *regions->sums);
    struct sums *sums = &regions->sums[regions->n++];
    *sums = (struct sums){
        .name = name,
        .tally = {.in = regions->in, .tool = "PAPI", .lost = "", .is_everywhere = true}
    };
    return sums;
}

static void add_event(struct regions *regions, struct sums *sums, const cJSON *node)
{
    static const char *const others[] = {"name", "parent_region_id", "cycles"};
    const char *event = node->string;
    for (size_t i = 0; i < ERT_LENGTH(others); i++)
        if (strcmp(event, others[i]) == 0)
            return;
    struct rfl_count count = {.event = event,
                              .unit = "",
                              .where = ert_strings_format(&regions->in->points->strings,
                                                          "visit %zu", sums->n_visits),
                              .cell = papi_count_of(regions, sums->name, node),
                              .share = 1};
    bool is_time = strcmp(event, "real_time_nsec") == 0;
    if (is_time && count.cell.why)
        sums->why_time = count.cell.why;
    if (is_time)
        sums->thread_s += 1e-9 * count.cell.value;
    else if (strcmp(event, "region_count") == 0)
        sums->thread_calls += count.cell.value;
    else
        rfl_tally_add(&sums->tally, &count);
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
                        regions->in->lines->file);
    struct sums *sums = sums_of(regions, text);
    double before = sums->thread_calls;
    sums->n_visits++;
    cJSON_ArrayForEach(node, region) add_event(regions, sums, node);
    if (sums->thread_calls == before)
        sums->thread_calls++;
    if (!sums->parent)
        sums->parent = parent_of(all, region);
    return ERT_OK;
}

static enum ert_status papi_add_thread(struct regions *regions, const cJSON *thread,
                                       struct ert_error *error)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(thread, "regions"), *region;
    if (!cJSON_IsObject(all))
        return ert_fail(error, ERT_USAGE, "%.200s: threads: a thread without regions",
                        regions->in->lines->file);
    for (region = all->child; region; region = region->next)
        ERT_TRY(add_region(regions, all, region, error));
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

static void papi_put(struct sums *sums, struct rfl_points *points)
{
    struct rfl_point *point = rfl_points_add(points, sums->name);
    rfl_tally_settle(&sums->tally);
    rfl_tally_put(&sums->tally, point);
    if (sums->why_time)
        rfl_points_missing(point, "time", "%s", sums->why_time);
    else
        point->time_s = sums->time_s;
    if (point->time_s > 0)
        point->time_recipe = ert_strings_format(
            &points->strings, "real_time_nsec, slowest of %.0f threads (PAPI)",
            sums->threads);
    point->launches = sums->calls;
    point->threads = sums->threads;
    double cycles = rfl_tally_sum(&sums->tally, RFL_CYCLES, NULL);
    if (cycles > 0 && sums->all_s > 0 && !sums->why_time)
        point->clock_hz = cycles / sums->all_s;
    if (!rfl_point_lacks(point, "L1 bytes") && point->n_traffic == 0)
        rfl_points_missing(point, "bytes",
                           "PAPI has no portable event for bytes: likwid, perf or SDE "
                           "count them");
    if (sums->parent)
        rfl_points_warn(point, "inside region '%.100s', whose counts include these",
                        sums->parent);
}

static enum ert_status read_tree(const cJSON *root, const struct rfl_import *in,
                                 struct ert_error *error)
{
    struct regions regions = {.in = in};
    const cJSON *threads = cJSON_GetObjectItemCaseSensitive(root, "threads"), *thread;
    enum ert_status status = ERT_OK;
    if (!cJSON_IsObject(threads))
        return ert_fail(error, ERT_USAGE,
                        "%.200s: contains no 'threads', as PAPI's rank_000000.json does",
                        in->lines->file);
    for (thread = threads->child; thread && status == ERT_OK; thread = thread->next)
        status = papi_add_thread(&regions, thread, error);
    for (size_t i = 0; i < regions.n && status == ERT_OK; i++)
        if (!in->options->region || strstr(regions.sums[i].name, in->options->region))
            papi_put(&regions.sums[i], in->points);
    for (size_t i = 0; i < regions.n; i++)
        rfl_tally_clear(&regions.sums[i].tally);
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

static bool papi_recognizes(const char *head)
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
    .device = RFL_PROFILED_CPU,
    .recognizes = papi_recognizes,
    .read = papi_read,
};
