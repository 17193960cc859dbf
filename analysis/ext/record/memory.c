/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/memory.h"

#include "ert/core/base/json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Quartiles that are further apart, by the median, say that something disturbed the measurement. */
static const double most_spread = 0.25;

/* Programs of less CPU time are not worth the two seconds. */
static const double least_s = 0.1;

static const double timeout_s = 60;

enum { MOST_PATTERNS = 64 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The program `ert` of this build or installation. */
static bool find_ert(char path[PATH_MAX])
{
    static const char *const places[] = {"/ert", "/../ert/ert"};
    char folder[PATH_MAX - 16];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, PATH_MAX, "%s%s", folder, places[i]);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* The ratios of all patterns of the memory in a report of `ert verify`; returns how many. */
static size_t read_ratios(const char *text, double ratios[MOST_PATTERNS])
{
    cJSON *report = cJSON_Parse(text);
    const cJSON *row;
    size_t n = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(report, "ceilings"))
    {
        const cJSON *change = cJSON_GetObjectItemCaseSensitive(row, "change");
        const char *unit =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "unit"));
        if (n < MOST_PATTERNS && cJSON_IsNumber(change) && unit &&
            strcmp(unit, "byte/s") == 0)
            ratios[n++] = 1 + change->valuedouble;
    }
    cJSON_Delete(report);
    return n;
}

void rfl_memory_measure(struct rfl_record *record)
{
    char ert[PATH_MAX];
    struct ert_error error;
    struct ert_tool_output output = {0};
    double ratios[MOST_PATTERNS];
    if (record->end.cpu_s < least_s || !record->ceilings || !find_ert(ert))
        return;
    const char *const words[] = {
        ert,        "verify", "--only",   "DRAM-", "--device",       "cpu", "--budget", "2",
        "--output", "json",   "--margin", "0.1",   record->ceilings, NULL};
    if (ert_tool_run(words, timeout_s, &output, &error) != ERT_OK)
        return;
    const size_t n = read_ratios(output.out, ratios);
    free(output.out);
    free(output.err);
    if (n < 2)
        return;
    qsort(ratios, n, sizeof *ratios, ascending);
    const double middle = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2, low = ratios[n / 4],
                 high = ratios[n - 1 - n / 4];
    if (high - low > most_spread * middle) {
        record->say(
            "the memory's rate beside the run could not be measured (%.2f to %.2f of "
            "the ceilings'): its roofs are as recorded",
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
