/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * likwid: counts on the CPU by likwid-perfctr, a run for each group that this CPU has: operations, and bytes
 * of each level. It counts all that runs on the hardware threads that the program may use. If run 1 marked
 * regions, so do these runs: threads are then pinned, which LIKWID's markers require.
 */
#include "analysis/ext/record/record.h"

#include "ert/core/base/alloc.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double trial_s = 30;

/* Groups for FP64, FP32, L2, L3, memory: the CPU's first of each row (likwid-perfctr -a). */
enum { N_WANTED = 6, N_NAMES = 3 };
static const char *const wanted[N_WANTED][N_NAMES] = {
    {"MEM_DP", "FLOPS_DP"},
    {"FLOPS_SP"       },
    {"L2"},
    {"L3"       },
    {"MEM_DP", "MEM", "MEM1"},
    {"MEM2"  }
};

/* A group's name is the first word of its line. */
static bool record_likwid_has_group(const char *list, const char *name)
{
    char word[32];
    for (; *list; list += strcspn(list, "\n"), list += *list == '\n')
        if (sscanf(list, " %31s", word) == 1 && strcmp(word, name) == 0)
            return true;
    return false;
}

static size_t choose_groups(const char *list, const char *groups[N_WANTED])
{
    size_t n = 0;
    for (size_t i = 0; i < N_WANTED; i++) {
        size_t j = 0;
        while (j < N_NAMES && wanted[i][j] && !record_likwid_has_group(list, wanted[i][j]))
            j++;
        if (j == N_NAMES || !wanted[i][j] || (n && strcmp(groups[0], wanted[i][j]) == 0))
            continue;
        groups[n++] = wanted[i][j];
    }
    return n;
}

/* The hardware threads that the program may use: "0,1,2,5". */
static const char *list_cpus(const struct rfl_record *record)
{
    enum { MOST = 8192 };
    cpu_set_t *set = CPU_ALLOC(MOST);
    const size_t size = CPU_ALLOC_SIZE(MOST);
    char *list = ert_xcalloc(MOST, 6);
    if (set && sched_getaffinity(0, size, set) == 0)
        for (int i = 0; i < MOST; i++)
            if (CPU_ISSET_S(i, size, set))
                ert_append(list, (size_t)MOST * 6, "%s%d", *list ? "," : "", i);
    const char *kept = rfl_points_text(record->points, list);
    free(list);
    if (set)
        CPU_FREE(set);
    return kept;
}

/* Returns the output of `likwid-perfctr WORDS...` (malloc); NULL: why it could not be started. */
static char *ask(const char *const *words, char *why, size_t size)
{
    const char *argv[ERT_TOOL_WORDS] = {"likwid-perfctr", NULL};
    struct ert_tool_output output;
    struct ert_error error;
    ert_tool_append(argv, words);
    if (ert_tool_run(argv, trial_s, &output, &error) != ERT_OK) {
        snprintf(why, size, "%s (Debian: `apt install likwid`)", error.text);
        return NULL;
    }
    char *text = ert_xprintf("%s\n%s", output.out, output.err);
    ert_tool_free(&output);
    return text;
}

static size_t find_groups(const char *groups[N_WANTED], char *why, size_t size)
{
    static const char *const words[] = {"-a", NULL};
    char *text = ask(words, why, size);
    if (!text)
        return 0;
    size_t n = choose_groups(text, groups);
    if (n == 0) {
        char line[160];
        ert_tool_line(text, NULL, line, sizeof line);
        snprintf(why, size,
                 "likwid-perfctr -a: %s: it has no counters for this CPU, or in this "
                 "virtual machine",
                 line);
    }
    free(text);
    return n;
}

static bool record_likwid_works(const struct rfl_record *record, char *why, size_t size)
{
    static const char *const telling[] = {"ERROR", "annot", "rror", NULL};
    const char *groups[N_WANTED], *cpus = list_cpus(record);
    char first[16], line[200];
    if (find_groups(groups, why, size) == 0)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(cpus, ","), cpus);
    const char *const words[] = {"-f", "-c", first, "-g", groups[0], "-O", "true", NULL};
    char *text = ask(words, why, size);
    bool is_counted = text && strstr(text, "Runtime (RDTSC) [s]");
    if (text && !is_counted) {
        ert_tool_line(text, telling, line, sizeof line);
        snprintf(why, size,
                 "likwid-perfctr -g %s: %.160s (it needs `modprobe msr` and likwid-accessD "
                 "setuid root, or a build for perf_event)",
                 groups[0], line);
    }
    free(text);
    return is_counted;
}

/* Runs one group and appends its output to `all`. */
static enum ert_status record_likwid_run_group(struct rfl_record *record, const char *group,
                                               bool is_marked, FILE *all, bool *is_over,
                                               struct ert_error *error)
{
    struct ert_strings *strings = &record->points->strings;
    const char *name = ert_strings_format(strings, "likwid-%s", group),
               *file = ert_strings_format(strings, "%s/%s.csv", record->folder, name);
    const char *words[ERT_TOOL_WORDS] = {"likwid-perfctr", "-f", NULL};
    const char *const marked[] = {"-m", "-C", NULL}, *const whole[] = {"-c", NULL},
                      *const files[] = {file, NULL}, *const rest[] = {list_cpus(record),
                                                                      "-g",
                                                                      group,
                                                                      "-O",
                                                                      "-o",
                                                                      file,
                                                                      NULL};
    ert_tool_append(words, is_marked ? marked : whole);
    ert_tool_append(words, rest);
    return rfl_record_run_into(record, words, NULL, name, files, all, is_over, error);
}

static enum ert_status record_likwid_run_all(struct rfl_record *record, FILE *all,
                                             struct ert_error *error)
{
    const char *groups[N_WANTED];
    char why[512];
    bool is_over = false,
         is_marked = access(rfl_record_file(record, "regions.tsv"), F_OK) == 0;
    size_t n = find_groups(groups, why, sizeof why);
    if (record->options->once && n > 1)
        n = 1;
    for (size_t i = 0; i < n && !is_over; i++)
        ERT_TRY(
            record_likwid_run_group(record, groups[i], is_marked, all, &is_over, error));
    return ERT_OK;
}

static enum ert_status record_likwid(struct rfl_record *record, struct ert_error *error)
{
    return rfl_record_collect(record, "likwid", &rfl_import_likwid_csv,
                              record_likwid_run_all, error);
}

const struct rfl_recorder rfl_recorder_likwid = {
    .name = "likwid",
    .summary =
        "counters of the CPU (likwid-perfctr): operations and every level, a run for each",
    .device = RFL_PROFILED_CPU,
    .works = record_likwid_works,
    .record = record_likwid,
};
