/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/record.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct rfl_recorder *const recorders[] = {
#define RFL_RECORDER(name) &rfl_recorder_##name,
#include "analysis/ext/record/recorders.def"
};

struct rfl_point *rfl_points_named(const struct rfl_points *points, const char *name)
{
    for (size_t i = 0; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0)
            return &points->points[i];
    return NULL;
}

const struct rfl_recorder *const *rfl_recorders(size_t *n)
{
    *n = ERT_LENGTH(recorders);
    return recorders;
}

enum ert_status rfl_recorder_find(const char *name, const struct rfl_recorder **recorder,
                                  struct ert_error *error)
{
    char list[ERT_LIST_TEXT] = "";
    for (size_t i = 0; i < ERT_LENGTH(recorders); i++) {
        *recorder = recorders[i];
        if (strcmp(recorders[i]->name, name) == 0)
            return ERT_OK;
        ert_list_add(list, sizeof list, recorders[i]->name);
    }
    return ert_fail(error, ERT_USAGE, "--with: unknown recorder '%.64s'; there are %s",
                    name, list);
}

/* ---- common to recorders ---- */

/* Regions: what the files of the processes begin with, and all of them in one. */
static const char region_rows[] = "regions.tsv";

/* The folder of a timed run's regions, and what the names of its files begin with; both from run 1 on. */
static const char *region_folder(const struct rfl_record *record, size_t run)
{
    return run ? ert_strings_format(&record->points->strings, "%s/regions-%zu",
                                    record->folder, run)
               : rfl_record_file(record, "regions");
}

/* All of the run's regions in one file. */
static const char *region_file(const struct rfl_record *record, size_t run)
{
    return run ? ert_strings_format(&record->points->strings, "%s/%s",
                                    region_folder(record, run), region_rows)
               : rfl_record_file(record, region_rows);
}

static const char *region_variable(const struct rfl_record *record, size_t run)
{
    return ert_strings_format(&record->points->strings, "RFL_REGIONS=%s/sums",
                              region_folder(record, run));
}

const char *rfl_record_file(const struct rfl_record *record, const char *name)
{
    return ert_strings_format(&record->points->strings, "%s/%s", record->folder, name);
}

bool rfl_record_program_folder(char folder[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

const char *rfl_record_shipped(const struct rfl_record *record, const char *folder,
                               const char *name)
{
    char program[PATH_MAX] = "";
    struct ert_strings *strings = &record->points->strings;
    const bool is_known = rfl_record_program_folder(program);
    const char *const files[] = {
        ert_strings_format(strings, "%s/ext/record/%s/%s", program, folder, name),
        ert_strings_format(strings, "%s/../libexec/roofline/%s/%s", program, folder, name),
        ert_strings_format(strings, "%s/%s/%s", RFL_LIBEXEC, folder, name),
    };
    /* without /proc only the installation folder */
    for (size_t i = is_known ? 0 : 2; i < ERT_LENGTH(files); i++)
        if (access(files[i], R_OK) == 0)
            return files[i];
    return NULL;
}

void rfl_record_set(struct rfl_record *record, const char *name, const char *value)
{
    size_t n = 0;
    while (record->environment[n])
        n++;
    assert(n < RFL_RECORD_ENVIRONMENT); /* the recorders set a few, and each once */
    record->environment[n] =
        ert_strings_format(&record->points->strings, "%s=%s", name, value);
}

/* Joins two NULL-terminated lists (malloc; the caller frees it). */
static const char **join_words(const char *const *words, const char *const *argv)
{
    size_t n = 0, m = 0;
    while (words[n])
        n++;
    while (argv[m])
        m++;
    const char **joined = ert_xcalloc(n + m + 1, sizeof *joined);
    memcpy(joined, words, n * sizeof *joined);
    memcpy(joined + n, argv, m * sizeof *joined);
    return joined;
}

/* A run of so many seconds is announced before it is repeated. */
static const double long_s = 10;

static enum ert_status run_logged(struct rfl_record *record, struct ert_tool_job *job,
                                  const char *name, struct ert_tool_end *end,
                                  struct ert_error *error)
{
    const char *file =
        ert_strings_format(&record->points->strings, "%s/%s.log", record->folder, name);
    FILE *log = fopen(file, "we");
    if (!log)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    job->streams[0] = record->input;
    job->streams[1] = job->streams[2] = log;
    lseek(fileno(record->input), record->input_begin, SEEK_SET);
    enum ert_status status = ert_tool_pass(job, end, error);
    fclose(log);
    record->is_cut |= status == ERT_OK && end->interrupt != 0;
    record->is_stopped |= record->is_cut;
    if (status == ERT_OK && !end->interrupt && !record->end.signal &&
        end->exit_code != record->end.exit_code)
        record->say("%s: the program ended with exit code %d, alone with %d: see %s", name,
                    end->exit_code, record->end.exit_code, file);
    return status;
}

static void say_still(const void *data, double elapsed_s)
{
    const struct rfl_record *record = data;
    if (record->has_run)
        record->say("still counting, %.0f min", elapsed_s / 60);
}

enum ert_status rfl_record_run(struct rfl_record *record, const char *const *words,
                               const char *const *environment, const char *name,
                               struct ert_tool_end *end, struct ert_error *error)
{
    const char *all[2 * RFL_RECORD_ENVIRONMENT + 1] = {0};
    size_t n = 0;
    /* Times of marked regions are those of the first run; later runs write none. */
    all[n++] = record->has_run ? "RFL_REGIONS=" : region_variable(record, 0);
    for (size_t i = 0; !record->has_run && record->environment[i]; i++)
        all[n++] = record->environment[i];
    for (; environment && *environment; all[n++] = *environment++)
        assert(n < ERT_LENGTH(all) - 1);
    const char **argv = join_words(words, (const char *const *)record->argv);
    struct ert_tool_job job = {.argv = argv,
                               .environment = all,
                               .still = say_still,
                               .every_s = 60,
                               .data = record};
    const bool is_only = !record->has_run;
    enum ert_status status = is_only ? ert_tool_pass(&job, end, error)
                                     : run_logged(record, &job, name, end, error);
    if (is_only && status == ERT_OK) {
        record->has_run = true;
        record->end = *end;
    }
    free(argv);
    return status;
}

/* Appends a file's text; *size: its bytes. */
static enum ert_status record_append(const char *file, FILE *all, size_t *size,
                                     struct ert_error *error)
{
    char *text = NULL;
    ERT_TRY(ert_file_read(file, SIZE_MAX / 4, &text, size, error));
    fwrite(text, 1, *size, all);
    free(text);
    return ERT_OK;
}

enum ert_status rfl_record_import(const struct rfl_record *record, const char *file,
                                  const struct rfl_importer *importer,
                                  struct rfl_points *points, struct ert_error *error)
{
    const struct rfl_import_options how = {.region = record->options->kernel};
    return rfl_import_file(file, importer, &how, points, error);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

const char **rfl_record_files(const struct rfl_record *record, const char *folder)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_visible, versionsort);
    const char **files = ert_xcalloc(n > 0 ? (size_t)n + 1 : 1, sizeof *files);
    for (int i = 0; i < n; i++) {
        files[i] = ert_strings_format(&record->points->strings, "%s/%s", folder,
                                      entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return files;
}

enum ert_status rfl_record_fresh(struct rfl_record *record, const char *name,
                                 const char **folder, struct ert_error *error)
{
    *folder = rfl_record_file(record, name);
    ERT_TRY(ert_file_make_folder(*folder, error));
    const char **files = rfl_record_files(record, *folder);
    for (size_t i = 0; files[i]; i++)
        unlink(files[i]);
    free(files);
    return ERT_OK;
}

const char rfl_record_whole_name[] = "whole run";

bool rfl_record_is_code(const struct rfl_point *point)
{
    return rfl_point_value(point, "code_object") > 0;
}

/* Besides regions, the point of the whole run is kept only if it is asked for; besides code, always. */
static bool record_is_wanted(const struct rfl_record *record, const struct rfl_point *point,
                             bool has_regions)
{
    const char *text = record->options->kernel;
    return text ? strstr(point->name, text) != NULL
                : !has_regions || strcmp(point->name, rfl_record_whole_name) != 0;
}

/* Call after all files were read: one process may have no region and another one all. */
static enum ert_status keep_wanted(const struct rfl_record *record, struct ert_error *error)
{
    struct rfl_points *points = record->points;
    const size_t n = points->n;
    size_t n_other = 0;
    for (size_t i = 0; i < n; i++)
        n_other += !rfl_record_is_code(&points->points[i]);
    points->n = 0;
    for (size_t i = 0; i < n; i++)
        if (record_is_wanted(record, &points->points[i], n_other > 1))
            points->points[points->n++] = points->points[i];
    return points->n > 0 || n == 0
               ? ERT_OK
               : ert_fail(error, ERT_USAGE, "--kernel: no region has '%.100s' in its name",
                          record->options->kernel);
}

enum ert_status rfl_record_add(struct rfl_record *record, const char *file,
                               const struct rfl_importer *importer, const char *region,
                               struct ert_error *error)
{
    const struct rfl_import_options how = {.region = region};
    struct rfl_points own = {0};
    enum ert_status status = rfl_import_file(file, importer, &how, &own, error);
    if (status == ERT_OK)
        status = rfl_merge(record->points, &own, error);
    rfl_points_free(&own);
    return status;
}

enum ert_status rfl_record_import_all(struct rfl_record *record, const char *folder,
                                      const struct rfl_importer *importer,
                                      struct ert_error *error)
{
    const char **files = rfl_record_files(record, folder);
    enum ert_status status =
        files[0] ? ERT_OK
                 : ert_fail(error, ERT_FAILED, "%s: the %s recorder wrote nothing there",
                            folder, importer->name);
    for (record->n_files = 0; files[record->n_files]; record->n_files++)
        if (status == ERT_OK)
            status = rfl_record_add(record, files[record->n_files], importer, "", error);
    free(files);
    return status == ERT_OK ? keep_wanted(record, error) : status;
}

static struct rfl_point *record_whole(struct rfl_record *record)
{
    struct rfl_point *point = rfl_points_named(record->points, rfl_record_whole_name);
    if (point)
        return point;
    point = rfl_points_add(record->points, rfl_record_whole_name);
    point->source = rfl_points_text(record->points, record->argv[0]);
    point->format = "record";
    return point;
}

/* Records only the time of run 1, and what the program writes about its regions itself. */
static enum ert_status record_time(struct rfl_record *record, struct ert_error *error)
{
    static const char *const no_words[] = {NULL};
    struct ert_tool_end end;
    if (!record->has_run)
        ERT_TRY(rfl_record_run(record, no_words, NULL, "time", &end, error));
    record_whole(record);
    return ERT_OK;
}

const struct rfl_recorder rfl_recorder_time = {
    .name = "time",
    .summary = "the time of the whole run and of marked regions; counts nothing",
    .record = record_time,
};

/* ---- the two runs ---- */

/* Whether the standard input comes through a pipe, a socket or a terminal: then it can be read only once. */
static bool input_is_stream(void)
{
    struct stat status;
    return fstat(STDIN_FILENO, &status) != 0 || S_ISFIFO(status.st_mode) ||
           S_ISSOCK(status.st_mode) || isatty(STDIN_FILENO);
}

enum input { INPUT_IDLE, INPUT_WAITS, INPUT_ENDED };

/* Whether bytes can be read from a stream now; ended: neither now nor later. */
static enum input input_state(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int n_bytes = 0;
    if (poll(&input, 1, 0) <= 0)
        return INPUT_IDLE;
    return ioctl(STDIN_FILENO, FIONREAD, &n_bytes) == 0 && n_bytes > 0 ? INPUT_WAITS
                                                                       : INPUT_ENDED;
}

/* Opens it again, so that reading it does not move the position of our caller's script. */
static enum ert_status open_input(struct rfl_record *record, struct ert_error *error)
{
    const bool is_stream = input_is_stream();
    const char *file = is_stream ? "/dev/null" : "/proc/self/fd/0";
    record->input = fopen(file, "re");
    if (!record->input)
        return ert_fail(error, ERT_FAILED, "%s, the standard input of a second run: %s",
                        file, strerror(errno));
    record->input_begin = is_stream ? 0 : lseek(STDIN_FILENO, 0, SEEK_CUR);
    return ERT_OK;
}

/* An idle stream, such as that of a job or of a terminal where nobody types, is no input. */
static enum ert_status pass_with_input(struct rfl_record *record,
                                       const struct ert_tool_job *job,
                                       struct ert_error *error)
{
    const bool is_stream = input_is_stream();
    const enum input before = is_stream ? input_state() : INPUT_ENDED;
    ERT_TRY(ert_tool_pass(job, &record->end, error));
    record->is_input_lost =
        before == INPUT_WAITS || (before == INPUT_IDLE && input_state() != INPUT_IDLE);
    return ERT_OK;
}

/* Joins the files of a run's processes, which are empty if no region ran, in a file; NULL: there is none. */
static const char *gather_regions(struct rfl_record *record, size_t run)
{
    const char *file = region_file(record, run);
    const char **parts = rfl_record_files(record, region_folder(record, run));
    char *text = NULL;
    size_t n_files = 0, size;
    struct ert_error error;
    enum ert_status status = ERT_OK;
    FILE *all = ert_xcheck(open_memstream(&text, &size), 1);
    for (size_t i = 0; parts[i] && status == ERT_OK; i++) {
        size_t bytes = 0;
        status = record_append(parts[i], all, &bytes, &error);
        n_files += bytes > 0;
    }
    free(parts);
    fclose(all);
    if (status == ERT_OK && n_files > 0)
        status = ert_file_write(file, text, size, &error);
    free(text);
    if (status != ERT_OK)
        record->say("%s", error.text);
    else if (n_files > 1 && run == 0)
        record->say("regions of %zu processes: their counts are added up", n_files);
    return status == ERT_OK && n_files > 0 ? file : NULL;
}

static enum ert_status run_alone(struct rfl_record *record, struct ert_error *error)
{
    struct rfl_timed timed;
    rfl_record_set(record, "RFL_REGIONS", strchr(region_variable(record, 0), '=') + 1);
    ERT_TRY(open_input(record, error));
    const struct ert_tool_job job = {.argv = (const char *const *)record->argv,
                                     .environment = record->environment};
    rfl_timing_begin(&record->timing, &timed);
    enum ert_status status = pass_with_input(record, &job, error);
    rfl_timing_end(&record->timing, &timed, &record->end);
    record->has_run = status == ERT_OK;
    gather_regions(record, 0);
    return status;
}

/* Without --repeat: so often before it is counted and after, for machines change within minutes. */
enum { USUAL_REPEAT = 3 };

/* Times the program again, up to n times, its output in a log; what fails or ends otherwise is no time. */
static enum ert_status time_again(struct rfl_record *record, size_t n,
                                  struct ert_error *error)
{
    for (size_t run = record->timing.n;
         run && run < n && !record->end.interrupt && !record->is_input_lost; run++) {
        const char *folder, *const environment[] = {region_variable(record, run), NULL};
        struct ert_tool_end end = {0};
        struct rfl_timed timed;
        struct ert_tool_job job = {.argv = (const char *const *)record->argv,
                                   .environment = environment};
        ERT_TRY(rfl_record_fresh(record, strrchr(region_folder(record, run), '/') + 1,
                                 &folder, error));
        rfl_timing_begin(&record->timing, &timed);
        ERT_TRY(run_logged(record, &job, "timed-again", &end, error));
        record->end.interrupt = end.interrupt;
        if (end.interrupt || end.exit_code != record->end.exit_code)
            break;
        rfl_timing_end(&record->timing, &timed, &end);
        gather_regions(record, run);
    }
    record->is_cut = false; /* an interrupted repetition leaves the others' times */
    return ERT_OK;
}

/* Open MPI forwards only listed variables to other hosts; other launchers forward all. */
static void name_environment(struct rfl_record *record)
{
    static const char variable[] = "OMPI_MCA_mca_base_env_list";
    struct ert_strings *strings = &record->points->strings;
    const char *names = "RFL_REGIONS";
    for (size_t i = 0; record->environment[i]; i++)
        names = ert_strings_format(strings, "%s;%.*s", names,
                                   (int)strcspn(record->environment[i], "="),
                                   record->environment[i]);
    if (!getenv(variable))
        rfl_record_set(record, variable, names);
}

/* The best recorder that suits the program and works; the last, of the time, always does. */
static const struct rfl_recorder *record_choose(const struct rfl_record *record)
{
    size_t i = 0;
    char why[1024];
    while (i + 1 < ERT_LENGTH(recorders) &&
           ((recorders[i]->suits && !recorders[i]->suits(record)) ||
            !recorders[i]->works(record, why, sizeof why)))
        i++;
    return recorders[i];
}

/*
 * Adds times and stated work of the marked regions. Not besides kernels of a GPU: regions are the host's,
 * would count the same work again, and one with a kernel's name would replace the kernel's time.
 */
static void add_regions(struct rfl_record *record)
{
    const char *file = region_file(record, 0);
    struct ert_error error;
    if (access(file, F_OK) == 0 &&
        rfl_record_import(record, file, NULL, record->points, &error) != ERT_OK)
        record->say("%s", error.text);
}

/* The whole run's time, and of how many threads it is: of those that work, as many as CPUs were used. */
static void time_whole(struct rfl_record *record, struct rfl_point *whole)
{
    const struct rfl_timed *chosen = rfl_timing_chosen(&record->timing);
    double seconds[RFL_MOST_TIMED];
    whole->time_recipe =
        record->options->once ? "of the recorded run" : "of the run without a profiler";
    rfl_point_remove_missing(whole, "time");
    if (record->options->once || !chosen) {
        whole->time_s = record->end.elapsed_s;
        return;
    }
    rfl_points_value(whole, "system_share", chosen->system_s / chosen->cpu_s);
    if (chosen->is_known &&
        !chosen->is_disturbed) { /* else it may have waited for others */
        const double used = chosen->cpu_s / chosen->elapsed_s,
                     most = fmax(1, ceil(used - 0.1));
        whole->threads = whole->threads > 0 ? fmin(whole->threads, most) : most;
        rfl_points_value(whole, "cpus_used", used);
    } else if (record->n_files > 1 && !record->is_mpi) {
        whole->threads = 0; /* whether they ran side by side is not known */
    }
    for (size_t i = 0; i < record->timing.n; i++)
        seconds[i] = record->timing.runs[i].elapsed_s;
    rfl_timing_set(&record->timing, seconds, whole);
}

/* Regions that all timed runs have get the times of all. */
static void time_regions(struct rfl_record *record)
{
    struct rfl_points own[RFL_MOST_TIMED] = {{0}};
    const size_t n = record->timing.n;
    struct ert_error error;
    for (size_t run = 0; run < n; run++) {
        const char *file = region_file(record, run);
        if (access(file, F_OK) == 0)
            rfl_record_import(record, file, NULL, &own[run], &error);
    }
    for (size_t i = 0; i < record->points->n; i++) {
        struct rfl_point *point = &record->points->points[i];
        double seconds[RFL_MOST_TIMED];
        size_t run = 0;
        for (const struct rfl_point *timed;
             run < n && (timed = rfl_points_named(&own[run], point->name)) &&
             timed->launches == point->launches;
             run++)
            seconds[run] = timed->time_s;
        if (n > 1 && run == n)
            rfl_timing_set(&record->timing, seconds, point);
    }
    for (size_t run = 0; run < n; run++)
        rfl_points_free(&own[run]);
}

/* The name of the program for readers: without folder, of a script its own, not that of its interpreter. */
static const char *record_program(const struct rfl_record *record)
{
    static const char *const interpreters[] = {"python", "perl", "ruby", "julia", "Rscript",
                                               "bash",   "sh",   "node", "java"};
    const char *slash = strrchr(record->argv[0], '/'),
               *name = slash ? slash + 1 : record->argv[0];
    for (size_t i = 0; i < ERT_LENGTH(interpreters); i++) {
        const char *word = record->argv[1];
        if (strncmp(name, interpreters[i], strlen(interpreters[i])) != 0 || !word ||
            *word == '-' || access(word, R_OK) != 0)
            continue;
        slash = strrchr(word, '/');
        return slash ? slash + 1 : word;
    }
    return name;
}

/* Adds the times of the runs alone to the counts of run 2; warns if the program did not end normally. */
static void record_complete(struct rfl_record *record, const struct rfl_recorder *recorder,
                            bool has_kernels)
{
    if (record->options->once)
        gather_regions(record, 0);
    struct rfl_points *points = record->points;
    struct rfl_point *whole = rfl_points_named(points, rfl_record_whole_name);
    for (size_t i = 0; i < points->n && record->is_cut; i++) {
        points->points[i].time_s = 0;
        rfl_points_missing(
            &points->points[i], "time",
            "the recording was interrupted: its counts are of a part of the run");
    }
    if (record->is_cut)
        return;
    if (whole && (!record->options->once || !(whole->time_s > 0)))
        time_whole(record, whole);
    if (!record->options->once)
        points->elapsed_s = whole              ? whole->time_s
                            : record->timing.n ? rfl_timing_elapsed(&record->timing)
                                               : record->end.elapsed_s;
    if (!has_kernels) {
        add_regions(record);
        time_regions(record);
    }
    if (recorder->finish)
        recorder->finish(record);
    /* "whole run" would be the name of every program's row. A launcher's is not that of its program. */
    whole = rfl_points_named(points, rfl_record_whole_name);
    if (whole && !whole->n_work && !whole->n_traffic &&
        points->n > 1) { /* regions are its parts */
        struct rfl_point *end = points->points + --points->n;
        memmove(whole, whole + 1, (size_t)(end - whole) * sizeof *whole);
    } else if (whole && !record->is_mpi)
        whole->name = rfl_points_text(points, record_program(record));
    for (size_t i = 0; i < points->n && record->end.signal; i++)
        rfl_points_warn(&points->points[i], "the program was ended by signal %d (%s)",
                        record->end.signal, strsignal(record->end.signal));
}

static void say_unused(const struct rfl_record *record, const struct rfl_recorder *recorder)
{
    const struct rfl_record_options *options = record->options;
    if (options->top || options->launches || options->nvtx)
        record->say("%s records no GPU: --top, --launches and --nvtx change nothing",
                    recorder->name);
}

/* Does run 2; if run 1 was interrupted, or alone had the input, records only times. */
static enum ert_status run_again(struct rfl_record *record,
                                 const struct rfl_recorder *recorder,
                                 struct ert_error *error)
{
    if ((!record->end.interrupt && !record->is_input_lost) ||
        recorder == &rfl_recorder_time)
        return recorder->record(record, error);
    if (record->end.interrupt)
        record->say("interrupted: not run again under %s; the time is recorded (--once "
                    "counts a program that does not end by itself)",
                    recorder->name);
    else
        record->say("input that is no file is read once: not run again under %s; the time "
                    "is recorded (< FILE or --once counts)",
                    recorder->name);
    return (recorder->keep ? recorder->keep : rfl_recorder_time.record)(record, error);
}

enum ert_status rfl_record(struct rfl_record *record, const struct rfl_recorder *recorder,
                           struct ert_error *error)
{
    bool is_asked_for = recorder != NULL;
    const char *folder;
    char why[sizeof error->text - 64] = "";
    unlink(region_file(record, 0)); /* of an earlier recording */
    ERT_TRY(rfl_record_fresh(record, "regions", &folder, error));
    if (recorder && recorder->works && !recorder->works(record, why, sizeof why))
        return ert_fail(error, ERT_UNAVAILABLE, "%s does not work here: %s", recorder->name,
                        why);
    for (size_t i = 0; i < ERT_LENGTH(recorders) && !record->options->once; i++)
        if (recorders[i]->prepare && (!recorder || recorder == recorders[i]))
            recorders[i]->prepare(record);
    if (record->is_mpi)
        name_environment(record);
    if (!record->options->once)
        ERT_TRY(run_alone(record, error));
    if (!recorder)
        recorder = record_choose(record);
    if (recorder == &rfl_recorder_time && !is_asked_for)
        record->say("only the time is recorded: `roofline record --list` says what it "
                    "takes to count here");
    const bool is_timed =
        recorder->device != RFL_PROFILED_GPU && record->has_run && !record->options->once;
    const uint64_t repeat = record->options->repeat;
    const size_t n = repeat ? repeat : USUAL_REPEAT;
    if (recorder->device != RFL_PROFILED_GPU)
        say_unused(record, recorder);
    if (is_timed && n > 1 && record->end.elapsed_s > long_s)
        record->say("timed %zu times: %.3g s each (--repeat)", n, record->end.elapsed_s);
    if (is_timed)
        ERT_TRY(time_again(record, n, error));
    enum ert_status status = run_again(record, recorder, error);
    if (is_timed && status == ERT_OK && !record->is_cut && !repeat &&
        n * record->end.elapsed_s < long_s)
        ERT_TRY(time_again(record, 2 * n, error));
    if (recorder->device != RFL_PROFILED_GPU)
        rfl_timing_say(&record->timing, record->say);
    const bool has_kernels = recorder->device == RFL_PROFILED_GPU && record->points->n > 0;
    /* Counts of other work than was timed are an error, and only the time is kept. */
    if (status != ERT_OK && status != ERT_UNAVAILABLE && record->has_run && !is_asked_for) {
        record->say("%s: %s; only the time%s recorded", recorder->name, error->text,
                    has_kernels ? "s of kernels are" : " is");
        status = ERT_OK;
    }
    if (record->has_run && record->points->n == 0)
        record_whole(record);
    record_complete(record, recorder, has_kernels);
    return status;
}
