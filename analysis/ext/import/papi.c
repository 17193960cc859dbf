/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI's high-level API (PAPI_hl_region_begin): the JSON of a process, as PAPI's papi_hl.c writes it. Since
 * 7.0 threads.N.regions.N is an execution of a region, within that of "parent_region_id", whose N is lower;
 * 6.0: "threads":[{"regions":[{NAME:{"region_count":N, ...}}]}], without times. Numbers are strings, after
 * PAPI_hl_read in the first member of an object. A point is all executions of a region, with the time of the
 * longest thread; one within another of its name is counted there. "cycles" are of the time stamp counter.
 */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first keys of a region are no events; the longest time, and the most calls, of a thread are taken. */
enum { TIME, CALLS, CYCLES, NAME, PARENT, FIRST_EVENT, MAX_KEYS = 64 };
static const char *const first_keys[] = {"real_time_nsec", "region_count", "cycles", "name",
                                         "parent_region_id"};

struct region {
    struct rfl_cell sums[MAX_KEYS];
    double parts[MAX_KEYS]; /* of the thread that is read, not in the sums */
    size_t n_threads;
};

struct reader {
    const struct rfl_import *in;
    struct ert_strings names, keys;
    struct region *regions; /* malloc; by names */
    size_t capacity;
};

static const char *papi_text(const cJSON *region, int key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(region, first_keys[key]));
}

static const char *papi_name(const cJSON *region)
{
    return papi_text(region, NAME) ? papi_text(region, NAME) : region->string;
}

/* Whether one of the regions around a region, whose numbers are lower, has its name. */
static bool papi_is_within(const cJSON *regions, const cJSON *region)
{
    const cJSON *at = region;
    for (const char *parent; at && (parent = papi_text(at, PARENT)) && *parent != '-';) {
        at = atol(parent) < atol(at->string)
                 ? cJSON_GetObjectItemCaseSensitive(regions, parent)
                 : NULL;
        if (at && strcmp(papi_name(at), papi_name(region)) == 0)
            return true;
    }
    return false;
}

static void papi_end_thread(struct region *region)
{
    region->n_threads += region->parts[CALLS] > 0;
    for (size_t key = 0; key < MAX_KEYS; key++) {
        double *sum = &region->sums[key].value;
        *sum = key <= CALLS ? fmax(*sum, region->parts[key]) : *sum + region->parts[key];
        region->parts[key] = 0;
    }
}

static enum ert_status papi_read_region(struct reader *reader, const cJSON *node,
                                        struct ert_error *error)
{
    const size_t n = reader->names.n_texts,
                 i = ert_strings_index(&reader->names, papi_name(node));
    struct region *region = reader->regions =
        ert_xgrow(reader->regions, n, &reader->capacity, sizeof *region);
    region += i;
    if (i == n)
        *region = (struct region){.n_threads = 0};
    region->parts[CALLS] += !cJSON_GetObjectItemCaseSensitive(node, first_keys[CALLS]);
    for (const cJSON *item = node->child; item; item = item->next) {
        const size_t key = ert_strings_index(&reader->keys, item->string);
        const char *text = cJSON_GetStringValue(item->child ? item->child : item);
        text = text && *text ? text : "no text";
        char *end;
        const double value = strtod(text, &end);
        if (key >= MAX_KEYS)
            return ert_fail(error, ERT_USAGE, "%.200s: more than %d events",
                            reader->in->lines->file, MAX_KEYS - FIRST_EVENT);
        if (value >= 0 && value < 0x1p63 && !*end)
            region->parts[key] += value;
        else
            region->sums[key].why = rfl_points_text(reader->in->points, text);
    }
    return ERT_OK;
}

static enum ert_status papi_read_threads(struct reader *reader, const cJSON *root,
                                         struct ert_error *error)
{
    const cJSON *threads = cJSON_GetObjectItemCaseSensitive(root, "threads"), *thread, *at;
    for (thread = threads ? threads->child : NULL; thread; thread = thread->next) {
        const cJSON *regions = cJSON_GetObjectItemCaseSensitive(thread, "regions");
        for (at = regions ? regions->child : NULL; at; at = at->next) {
            const cJSON *region = cJSON_IsArray(regions) ? at->child : at;
            if (cJSON_IsObject(region) && region->string &&
                !papi_is_within(regions, region))
                ERT_TRY(papi_read_region(reader, region, error));
        }
        for (size_t i = 0; i < reader->names.n_texts; i++)
            papi_end_thread(&reader->regions[i]);
    }
    return ERT_OK;
}

static void papi_put(const struct reader *reader, const char *name,
                     const struct region *region)
{
    struct rfl_tally tally = {.in = reader->in, .tool = "PAPI", .lost = ""};
    struct rfl_names unused = {.left_out = 0};
    struct rfl_point *point = rfl_points_add(reader->in->points, name);
    point->launches = region->sums[CALLS].value;
    point->threads = (double)region->n_threads;
    point->time_s = region->sums[TIME].why ? 0 : region->sums[TIME].value / 1e9;
    point->time_recipe = "longest thread (PAPI)";
    if (!(point->time_s > 0))
        rfl_points_missing(point, "time", "no real_time_nsec above 0: PAPI 6 writes none");
    for (size_t key = FIRST_EVENT; key < reader->keys.n_texts; key++) {
        /* "perf::CYCLES"; of "skx_unc_imc0::..." each thread counts all of a socket, unused */
        const char *full = reader->keys.texts[key], *event = strstr(full, "::");
        event = event && !strstr(full, "_unc") ? event + 2 : full;
        const struct rfl_count count = {.event = event,
                                        .unit = strstr(event, "-CLOCK") ? "ns" : "",
                                        .where = "",
                                        .cell = region->sums[key],
                                        .share = 1};
        rfl_tally_add(&tally, &count);
        if (!rfl_tally_knows(event) && !rfl_tally_suspects(event))
            rfl_names_add(&unused, 160, event);
    }
    rfl_tally_settle(&tally);
    rfl_tally_put(&tally, point);
    if (point->n_work > 0 && *rfl_names_end(&unused))
        rfl_points_warn(point, "not used: %s", unused.text);
    rfl_tally_clear(&tally);
}

static enum ert_status papi_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    char *text;
    size_t size;
    cJSON *root = NULL;
    in->points->origin = "PAPI, high-level API";
    ERT_TRY(ert_lines_rest(in->lines, (size_t)1 << 30, &text, &size, error));
    for (size_t i = 0; i < FIRST_EVENT; i++)
        ert_strings_index(&reader.keys, first_keys[i]);
    enum ert_status status = ert_json_parse(text, size, in->lines->file, &root, error);
    if (status == ERT_OK)
        status = papi_read_threads(&reader, root, error);
    for (size_t i = 0; i < reader.names.n_texts && status == ERT_OK; i++)
        if (!in->options->region || strstr(reader.names.texts[i], in->options->region))
            papi_put(&reader, reader.names.texts[i], &reader.regions[i]);
    cJSON_Delete(root);
    ert_strings_free(&reader.names);
    ert_strings_free(&reader.keys);
    free(reader.regions);
    free(text);
    return status;
}

static bool papi_recognizes(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && strstr(head, "\"threads\"") &&
           (strstr(head, "\"papi_version\"") || strstr(head, "\"cpu in mhz\""));
}

const struct rfl_importer rfl_import_papi = {
    .name = "papi",
    .summary = "PAPI's high-level API: regions of PAPI_hl_region_begin",
    .how = "PAPI_EVENTS=PAPI_DP_OPS,PAPI_SP_OPS,PAPI_TOT_CYC,perf::TASK-CLOCK ./a.out "
           "(AMD: PAPI_FP_OPS); the files are papi_hl_output/rank_*.json",
    .device = RFL_PROFILED_CPU,
    .recognizes = papi_recognizes,
    .read = papi_read,
};
