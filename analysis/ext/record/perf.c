/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf: counts on the CPU by `perf stat`: the program's own operations and, if the user may count the whole
 * machine, the memory traffic meanwhile. One type of operations takes all counters of a core, so types that
 * do not fit together have a run each: no count is extrapolated.
 */
#include "analysis/ext/import/import.h"

#include "analysis/ext/record/record.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double trial_s = 20;

/*
 * Counted besides a recipe's events. The second if the first needs too many counters: Linux's watchdog uses
 * the fixed counter of cycles, which then take one of those for operations.
 */
static const char *const always[] = {"duration_time,task-clock,cycles,instructions",
                                     "duration_time,task-clock,instructions"};

/* perf stat [-a] -x ';' [-o file] WORDS... -- */
struct command {
    const char *argv[ERT_TOOL_WORDS];
    char words[512]; /* the recipe's options, split at blanks */
};

static void record_perf_make(struct command *command, bool is_all, const char *file,
                             const char *options)
{
    const char *const head[] = {"perf", "stat", "-x", ";", NULL},
                      *const all[] = {"-a", NULL}, *const output[] = {"-o", file, NULL},
                      *const end[] = {"--", NULL};
    char *rest = NULL;
    command->argv[0] = NULL;
    snprintf(command->words, sizeof command->words, "%s", options);
    ert_tool_append(command->argv, head);
    if (is_all)
        ert_tool_append(command->argv, all);
    if (file)
        ert_tool_append(command->argv, output);
    for (char *word = strtok_r(command->words, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        ert_tool_append(command->argv, (const char *const[]){word, NULL});
    ert_tool_append(command->argv, end);
}

/* The first line of `perf stat` without a count, "<not supported>" (malloc), or NULL. */
static char *uncounted(const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, "<not ", 5) == 0)
            return ert_xprintf("%.*s", (int)strcspn(text, "\n"), text);
    return NULL;
}

static const char no_counters[] = ": no hardware counters here (in a virtual machine its "
                                  "host must give them: KVM's -cpu host,pmu=on)";

static void say_refused(const char *text, char *why, size_t size)
{
    static const char *const telling[] = {"\\___", "syscall", NULL};
    char line[200], level[16];
    ert_file_first_line(level, sizeof level, "/proc/sys/kernel/perf_event_paranoid");
    if (strstr(text, "perf_event_paranoid") || strstr(text, "ermission")) {
        snprintf(why, size,
                 "kernel.perf_event_paranoid is %s: `sysctl kernel.perf_event_paranoid=1` "
                 "(0: memory, too), or the capability CAP_PERFMON: `setcap cap_perfmon+ep "
                 "$(readlink -f $(which perf))`",
                 *level ? level : "not known");
        return;
    }
    ert_tool_line(text, telling, line, sizeof line);
    snprintf(why, size, "perf stat: %s%s", line + strspn(line, " \\_"),
             strstr(text, "Cannot find PMU") ? no_counters : "");
}

/* Whether `perf stat` counts `true`; if not, why. is_crowded: there are more events than counters. */
static bool try_events(bool is_all, const char *options, bool *is_crowded, char *why,
                       size_t size)
{
    struct command command;
    struct ert_tool_output output;
    struct ert_error error;
    record_perf_make(&command, is_all, NULL, options);
    ert_tool_append(command.argv, (const char *const[]){"true", NULL});
    *is_crowded = false;
    if (ert_tool_run(command.argv, trial_s, &output, &error) != ERT_OK) {
        snprintf(why, size, "%s", error.text);
        return false;
    }
    char *line = output.exit_code == 0 ? uncounted(output.err) : NULL;
    bool is_counted = output.exit_code == 0 && !line;
    *is_crowded = line && strncmp(line, "<not counted>", 13) == 0;
    if (*is_crowded)
        snprintf(why, size,
                 "perf stat: %.100s: too few counters are free (`sysctl "
                 "kernel.nmi_watchdog=0` frees one; other profilers hold some)",
                 line);
    else if (line)
        snprintf(why, size, "perf stat: %.100s%s", line, no_counters);
    else if (!is_counted)
        say_refused(output.err, why, size);
    free(line);
    ert_tool_free(&output);
    return is_counted;
}

static const struct rfl_perf_recipe *recipe_of(const struct rfl_record *record)
{
    for (uint32_t i = 0; i < record->machine->n_devices; i++)
        if (record->machine->devices[i].kind == ERT_DEVICE_CPU)
            return rfl_perf_recipe(&record->machine->devices[i].cpu);
    return NULL;
}

/* "-e BESIDE,EVENTS[,MORE]"; the points own the text. */
static const char *options_of(const struct rfl_record *record, const char *beside,
                              const char *events, const char *more)
{
    return ert_strings_format(&record->points->strings, "-e %s,%s%s%s", beside, events,
                              *more ? "," : "", more);
}

/* The events to count besides FP64 operations; NULL: not even the latter can be counted, and why. */
static const char *find_beside(const struct rfl_record *record,
                               const struct rfl_perf_recipe *recipe, char *why, size_t size)
{
    bool is_crowded = true;
    for (size_t i = 0; i < ERT_LENGTH(always) && is_crowded; i++)
        if (try_events(false, options_of(record, always[i], recipe->fp64, ""), &is_crowded,
                       why, size))
            return always[i];
    return NULL;
}

static bool record_perf_works(const struct rfl_record *record, char *why, size_t size)
{
    char path[4096];
    struct ert_error error;
    const struct rfl_perf_recipe *recipe = recipe_of(record);
    if (ert_tool_find("perf", NULL, path, sizeof path, &error) != ERT_OK)
        snprintf(why, size, "%s: install it (Debian: `apt install linux-perf`)",
                 error.text);
    else if (!recipe)
        snprintf(why, size,
                 "no events are known for this CPU (analysis/ext/import/perf_recipes.def)");
    else
        return find_beside(record, recipe, why, size) != NULL;
    return false;
}

/* Does one run with the events and, under perf stat -a, the memory's ("": none); adds their counts. */
static enum ert_status record_perf_run_once(struct rfl_record *record, const char *name,
                                            const char *options, const char *memory,
                                            bool *is_over, struct ert_error *error)
{
    struct command whole, own;
    struct ert_tool_end end;
    const char *const files[] = {
        ert_strings_format(&record->points->strings, "%s/%s.csv", record->folder, name),
        *memory ? rfl_record_file(record, "perf-memory.csv") : NULL, NULL};
    record_perf_make(&whole, true, files[1], memory);
    record_perf_make(&own, false, files[0], options);
    if (*memory)
        ert_tool_append(whole.argv, own.argv);
    for (size_t i = 0; files[i]; i++)
        unlink(files[i]);
    ERT_TRY(
        rfl_record_run(record, *memory ? whole.argv : own.argv, NULL, name, &end, error));
    *is_over = end.interrupt != 0;
    for (size_t i = 0; files[i]; i++) {
        if (access(files[i], F_OK) != 0)
            return ert_fail(error, ERT_FAILED,
                            "perf wrote nothing (exit code %d): see %s/%s.log",
                            end.exit_code, record->folder, name);
        ERT_TRY(rfl_record_add(record, files[i], &rfl_import_perf, record->options->kernel,
                               error));
    }
    return ERT_OK;
}

static enum ert_status record_perf_run_all(struct rfl_record *record,
                                           struct ert_error *error)
{
    const struct rfl_perf_recipe *recipe = recipe_of(record);
    char why[512];
    bool is_crowded, is_over = false;
    const char *beside = find_beside(record, recipe, why, sizeof why),
               *memory = recipe->memory;
    if (!beside)
        return ert_fail(error, ERT_UNAVAILABLE, "%s", why);
    const char *both = options_of(record, beside, recipe->fp64, recipe->fp32);
    if (!try_events(true, memory, &is_crowded, why, sizeof why)) {
        record->say("memory is not counted: %s", why);
        memory = "";
    }
    try_events(false, both, &is_crowded, why, sizeof why);
    if (!is_crowded || !*recipe->fp32 || record->options->once)
        return record_perf_run_once(record, "perf-1", both, memory, &is_over, error);
    ERT_TRY(record_perf_run_once(record, "perf-1",
                                 options_of(record, beside, recipe->fp64, ""), memory,
                                 &is_over, error));
    return is_over
               ? ERT_OK
               : record_perf_run_once(record, "perf-2",
                                      options_of(record, "duration_time", recipe->fp32, ""),
                                      "", &is_over, error);
}

static enum ert_status record_perf(struct rfl_record *record, struct ert_error *error)
{
    enum ert_status status = record_perf_run_all(record, error);
    struct rfl_point *whole = rfl_points_named(record->points, rfl_record_whole_name);
    if (whole && whole->time_s > 0) /* the memory's file has none */
        rfl_point_remove_missing(whole, "time");
    return status;
}

const struct rfl_recorder rfl_recorder_perf = {
    .name = "perf",
    .summary =
        "counters of the CPU (perf stat): operations, and the whole machine's memory",
    .device = RFL_PROFILED_CPU,
    .works = record_perf_works,
    .record = record_perf,
};
