/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/memory.h"

#include "ert/core/base/json.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Quartiles that are further apart, by the median, say that the rate was not one. On a shared virtual machine
 * they were 0.05 to 0.13 apart, and medians of 1 s each 0.97 to 1.07, but for seconds when it gave 1.9 times
 * as much (results/record).
 */
static const double most_spread = 0.25;

/* Programs of less CPU time are not worth the two seconds. */
static const double least_s = 0.1;

static const double timeout_s = 60;

/* The program `ert` of this build or installation; NULL: not found. */
static const char *find_ert(const struct rfl_record *record)
{
    static const char *const places[] = {"ert", "../ert/ert"};
    char folder[PATH_MAX];
    for (size_t i = 0; i < ERT_LENGTH(places) && rfl_record_program_folder(folder); i++) {
        const char *file =
            ert_strings_format(&record->points->strings, "%s/%s", folder, places[i]);
        if (access(file, X_OK) == 0)
            return file;
    }
    return NULL;
}

/* Adds the ratios of all patterns of the memory in a report of `ert verify`. */
static void add_ratios(struct rfl_record *record, const char *text)
{
    cJSON *report = cJSON_Parse(text);
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(report, "ceilings"))
    {
        const cJSON *change = cJSON_GetObjectItemCaseSensitive(row, "change");
        const char *unit =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "unit"));
        if (record->n_memory < ERT_LENGTH(record->memory) && cJSON_IsNumber(change) &&
            unit && strcmp(unit, "byte/s") == 0)
            record->memory[record->n_memory++] = 1 + change->valuedouble;
    }
    cJSON_Delete(report);
}

void rfl_memory_measure(struct rfl_record *record)
{
    const char *ert = find_ert(record);
    struct ert_error error;
    struct ert_tool_output output = {0};
    if (record->end.cpu_s < least_s || !record->ceilings || !ert)
        return;
    const char *const words[] = {
        ert,        "verify", "--only",   "DRAM-", "--device",       "cpu", "--budget", "1",
        "--output", "json",   "--margin", "0.1",   record->ceilings, NULL};
    if (ert_tool_run(words, timeout_s, &output, &error) != ERT_OK)
        return;
    add_ratios(record, output.out);
    free(output.out);
    free(output.err);
}

void rfl_memory_judge(struct rfl_record *record)
{
    const size_t n = record->n_memory;
    if (n < 2)
        return;
    const double middle = ert_stats_median(record->memory, n),
                 low = ert_stats_quantile(record->memory, n, 0.25),
                 high = ert_stats_quantile(record->memory, n, 0.75);
    if (high - low > most_spread * middle) {
        record->say("the memory's rate changed beside the runs (%.2f to %.2f of the "
                    "ceilings'): its "
                    "roofs are as recorded",
                    low, high);
        return;
    }
    record->say(
        "the memory gives %.2f (%.2f .. %.2f) of the ceilings' rates now: its roofs "
        "are taken so",
        middle, low, high);
    record->memory_now = middle;
}

void rfl_memory_note(const struct rfl_record *record)
{
    for (size_t i = 0; i < record->points->n && record->memory_now > 0; i++)
        if (rfl_point_traffic(&record->points->points[i], "DRAM"))
            rfl_points_value(&record->points->points[i], "memory_now", record->memory_now);
}
