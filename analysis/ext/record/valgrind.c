/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * valgrind: counts by instrumentation, without hardware counters, with our Valgrind tool
 * (analysis/ext/record/valgrind). The tool sees each process that the program starts; their counts are added.
 */
#include "analysis/ext/record/record.h"
#include "ert/core/base/config.h"
#include "ert/core/base/json.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/base/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slow-downs in user time that were seen (valgrind/README.md). What may take longer than long_s is said. */
static const double least_slow_down = 20, most_slow_down = 230, long_s = 3;

/* Valgrind runs one thread at a time, so a thread that spins until another one comes only wastes time. */
static const struct {
    const char *name, *value;
} waits[] = {
    {"OMP_WAIT_POLICY",         "passive"},
    {"OPENBLAS_THREAD_TIMEOUT", "4"      }, /* as a power of two of cycles */
    {"HWLOC_COMPONENTS",        "-x86"   }, /* it prints that Valgrind disables it */
};

/*
 * glibc copies past the caches what exceeds three quarters of a thread's part of the last one, and Valgrind's
 * CPU has a smaller one: counted copies would go to memory that timed ones keep. NULL: not known, or set.
 */
static const char *copy_threshold(const struct rfl_record *record)
{
    const struct ert_device *cpu = ert_machine_device(record->machine, "cpu");
    uint64_t bytes = 0;
    for (uint32_t i = 0; cpu && i < cpu->n_levels; i++)
        if (cpu->levels[i].kind == ERT_LEVEL_CACHE && cpu->cpu.n_pus > 0)
            bytes = cpu->levels[i].size_bytes * cpu->levels[i].count / cpu->cpu.n_pus;
    return bytes > 0 && !getenv("GLIBC_TUNABLES")
               ? ert_strings_format(
                     &record->points->strings,
                     "GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_threshold=%llu",
                     (unsigned long long)bytes / 4 * 3)
               : NULL;
}

static const char *find_tool(const struct rfl_record *record)
{
    return rfl_record_shipped(record, "valgrind", "roofline-amd64-linux");
}

static bool record_valgrind_works(const struct rfl_record *record, char *why, size_t size)
{
    char path[PATH_MAX];
    struct ert_error error;
    if (ert_tool_find("valgrind", NULL, path, sizeof path, &error) != ERT_OK)
        snprintf(why, size, "%s: install it (Debian: `apt install valgrind`)", error.text);
    else if (!find_tool(record))
        snprintf(why, size, "its tool is not there: %s",
                 *RFL_VALGRIND_REASON ? RFL_VALGRIND_REASON : "`make` has not built it");
    else
        return true;
    return false;
}

/*
 * Each instruction takes many under Valgrind: the least slow-downs seen are 4 (divisions of integers) and 9
 * (copies). A run that took less than 3 times the user time alone did less work: as much as a time allows
 * (`openssl speed`), or another way through the program. Shorter runs are of the start alone.
 */
static const double least_ratio = 3, least_alone_s = 0.2;

/* Whether both runs did the same work, as far as can be seen; else why not. */
static enum ert_status check_same_work(const struct rfl_record *record,
                                       const struct ert_tool_end *end,
                                       struct ert_error *error)
{
    const struct ert_tool_end *alone = &record->end;
    if (record->options->once || end->interrupt)
        return ERT_OK;
    if (end->exit_code != alone->exit_code)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "under valgrind the program ended with exit code %d, alone with %d, so "
            "its counts are not of the work that was timed (%s/valgrind.log)",
            end->exit_code, alone->exit_code, record->folder);
    if (!record->options->window && alone->cpu_s > least_alone_s &&
        end->cpu_s < least_ratio * alone->cpu_s)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "counting took %.3g s of user time, the run alone %.3g s: a "
                        "slow-down below %g is less work, as of a program that runs for a "
                        "given time; give it a number of repetitions instead",
                        end->cpu_s, alone->cpu_s, least_ratio);
    return ERT_OK;
}

/* Takes from a line what differs between runs that did the same: numbers, as of times, and widths of them. */
static void keep_words(char *line)
{
    char *to = line;
    for (; *line; line++)
        if (!strchr("0123456789.+-eE ", *line))
            *to++ = *line;
    *to = '\0';
}

/* The next line of an output that has words, without those of Valgrind itself, "==1234== ..."; NULL: none. */
static char *next_words(struct ert_lines *lines)
{
    char *line;
    while ((line = ert_lines_next(lines))) {
        const bool is_own = line[0] == '=' && line[1] == '=';
        keep_words(line);
        if (*line && !is_own)
            break;
    }
    return line;
}

/* Tells the user if the program printed other words than when it was timed: it may have done other work. */
static void compare_outputs(const struct rfl_record *record)
{
    struct ert_lines timed, counted;
    struct ert_error error;
    const char *file = rfl_record_file(record, "timed-again.log"),
               *other = rfl_record_file(record, "valgrind.log");
    if (record->timing.n < 2 || ert_lines_open(file, &timed, &error) != ERT_OK)
        return;
    bool is_same = true, has_more = ert_lines_open(other, &counted, &error) == ERT_OK;
    while (is_same && has_more) {
        const char *a = next_words(&timed), *b = next_words(&counted);
        is_same = a && b ? strcmp(a, b) == 0 : a == b;
        has_more = a && b;
    }
    if (!is_same)
        record->say("the program printed other words when it was counted than when it was "
                    "timed, so it may have done other work: compare %s and %s",
                    file, other);
    ert_lines_close(&timed);
    ert_lines_close(&counted);
}

/*
 * ---- the rate of the memory beside a recorded run ----
 *
 * On shared machines it changes by up to a factor of two from hour to hour, and a roof that was measured at
 * another time says little about a run.
 */

/*
 * Quartiles that are further apart, by the median, say that the rate was not one. On a shared virtual machine
 * they were 0.05 to 0.13 apart, and medians of 1 s each 0.97 to 1.07, but for seconds when it gave 1.9 times
 * as much (results/record).
 */
static const double most_spread = 0.25;

/* Programs of less CPU time are not worth the two seconds. */
static const double least_measured_s = 0.1;

static const double timeout_s = 60;

/* The program `ert` of this build or installation; NULL: not found. */
static const char *memory_find_ert(const struct rfl_record *record)
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
static void memory_add_ratios(struct rfl_record *record, const char *text)
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

/* Measures a second with `ert verify`, which must be beside this program; may be called more than once. */
static void memory_measure(struct rfl_record *record)
{
    const char *ert = memory_find_ert(record);
    struct ert_error error;
    struct ert_tool_output output = {0};
    if (record->end.cpu_s < least_measured_s || !record->ceilings || !ert)
        return;
    const char *const words[] = {
        ert,        "verify", "--only",   "DRAM-", "--device",       "cpu", "--budget", "1",
        "--output", "json",   "--margin", "0.1",   record->ceilings, NULL};
    if (ert_tool_run(words, timeout_s, &output, &error) != ERT_OK)
        return;
    memory_add_ratios(record, output.out);
    free(output.out);
    free(output.err);
}

/*
 * Sets record->memory_now to the median of present rates by recorded ones, over all patterns; 0 if they were
 * not measured, or changed. Tells the user.
 */
static void memory_judge(struct rfl_record *record)
{
    const size_t n = record->n_memory;
    if (n < 2)
        return;
    const double middle = ert_stats_median(record->memory, n),
                 low = ert_stats_quantile(record->memory, n, 0.25),
                 high = ert_stats_quantile(record->memory, n, 0.75);
    if (high - low > most_spread * middle) {
        record->say("the memory's rate changed beside the runs (%.2f to %.2f of the "
                    "ceilings'): its roofs are as recorded",
                    low, high);
        return;
    }
    record->say("the memory gives %.2f (%.2f .. %.2f) of the ceilings' rates now: its "
                "roofs are taken so",
                middle, low, high);
    record->memory_now = middle;
}

/* Gives the points with bytes of the memory this ratio, as "memory_now". */
static void memory_note(const struct rfl_record *record)
{
    for (size_t i = 0; i < record->points->n && record->memory_now > 0; i++)
        if (rfl_point_traffic(&record->points->points[i], "DRAM"))
            rfl_points_value(&record->points->points[i], "memory_now", record->memory_now);
}

/* ---- the recorder ---- */

static double two_digits(double value)
{
    const double last = pow(10, floor(log10(value)) - 1);
    return round(value / last) * last;
}

static enum ert_status record_valgrind(struct rfl_record *record, struct ert_error *error)
{
    const char *tool = find_tool(record), *folder;
    struct ert_tool_end end;
    if (!tool)
        return ert_fail(error, ERT_UNAVAILABLE, "valgrind: its tool is not there");
    ERT_TRY(rfl_record_fresh(record, "valgrind", &folder, error));
    const char *const words[] = {
        "valgrind",
        "--tool=roofline",
        "--trace-children=yes",
        "--fair-sched=try", /* or one spins for long */
        "-q",
        "--by-code=yes",
        ert_strings_format(&record->points->strings, "--out-file=%s/%%p.txt", folder),
        record->options->window
            ? ert_strings_format(&record->points->strings, "--window=%llu",
                                 (unsigned long long)record->options->window)
            : NULL,
        NULL};
    const char *environment[ERT_LENGTH(waits) + 4] = {
        ert_strings_format(&record->points->strings, "VALGRIND_LIB=%.*s",
                           (int)(strrchr(tool, '/') - tool), tool),
        copy_threshold(record)};
    size_t n = environment[1] ? 2 : 1;
    for (size_t i = 0; i < ERT_LENGTH(waits); i++)
        if (!getenv(waits[i].name))
            environment[n++] = ert_strings_format(&record->points->strings, "%s=%s",
                                                  waits[i].name, waits[i].value);
    environment[n] = rfl_code_preload(record);
    if (record->end.cpu_s > long_s / most_slow_down)
        record->say("counting by instrumentation: most programs take %.0f to %.0f times as "
                    "long, here %s (fewer steps take less; --with time: none)",
                    least_slow_down, most_slow_down,
                    ert_units_pair(two_digits(least_slow_down * record->end.cpu_s), " to ",
                                   two_digits(most_slow_down * record->end.cpu_s), "s")
                        .text);
    if (!record->options->once)
        memory_measure(record);
    ERT_TRY(rfl_code_sample(record, error));
    if (!record->options->once)
        memory_measure(record);
    memory_judge(record);
    ERT_TRY(rfl_record_run(record, words, environment, "valgrind", &end, error));
    enum ert_status status =
        rfl_record_import_all(record, folder, &rfl_import_valgrind, error);
    if (status == ERT_OK)
        status = check_same_work(record, &end, error);
    if (status == ERT_OK && !end.interrupt)
        compare_outputs(record);
    if (status != ERT_OK)
        record->points->n = 0; /* not a count of what was timed */
    return status;
}

static void valgrind_finish(struct rfl_record *record)
{
    rfl_code_time(record);
    memory_note(record);
}

const struct rfl_recorder rfl_recorder_valgrind = {
    .name = "valgrind",
    .summary = "counts by instrumentation, anywhere and without rights: slow, no AVX-512",
    .device = RFL_PROFILED_CPU,
    .works = record_valgrind_works,
    .record = record_valgrind,
    .finish = valgrind_finish,
};
