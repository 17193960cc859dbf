/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline record: runs a program, counts its work, and places it. Its remarks and the table go to the
 * standard error, as perf's do: the standard output belongs to the program.
 */
#include "analysis/cli/commands.h"

#include "analysis/core/chart/draw.h"
#include "analysis/core/place/report.h"
#include "analysis/core/points/table.h"
#include "analysis/ext/json/json.h"
#include "analysis/ext/record/record.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/machine/discover.h"
#include "ert/ext/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct options {
    struct rfl_record_options record;
    const char *with, *out, *ceilings;
    bool list;
};

static const char *const replays[] = {"auto", "kernel", "application", NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("with", TEXT, with, "NAME", "the recorder (default: the best that works here)"),
    ERT_OPT_SWITCH("list", list, "which recorders work here, and why others do not"),
    ERT_OPT("out", TEXT, out, "DIR",
            "where the recording goes: new, empty, or of an earlier recording (default: "
            "results/HOSTNAME/PROGRAM-record)"),
    ERT_OPT("ceilings", TEXT, ceilings, "CEILINGS",
            "the roofs to place it under (default: results/HOSTNAME/ceilings.json)"),
    ERT_OPT_SWITCH("once", record.once,
                   "one run only, under the recorder, for programs that cannot run twice: "
                   "times are the recorder's"),
    ERT_OPT_WITHIN(
        "repeat", COUNT, record.repeat, "N",
        "CPU: time the program N times (default 3 before it is counted, 3 after)", 1,
        RFL_MOST_TIMED),
    ERT_OPT_WITHIN("window", COUNT, record.window, "N",
                   "Valgrind: count only the first N calls of each region, for all of them",
                   1, 1e9),
    ERT_OPT("kernel", TEXT, record.kernel, "TEXT",
            "only kernels or regions with this in their name"),
    ERT_OPT_WITHIN("top", COUNT, record.top, "N",
                   "GPU: only the N kernels that take the most time", 1, 1e6),
    ERT_OPT_WITHIN("launches", COUNT, record.launches, "N",
                   "GPU: count at most N launches of each kernel", 1, 1e6),
    ERT_OPT("nvtx", TEXT, record.nvtx, "RANGE", "GPU: only within this NVTX range"),
    ERT_OPT_OF("replay", record.replay, "WHAT",
               "GPU: what ncu repeats to count all: each kernel, from empty caches, or the "
               "application, with caches as it leaves them (default: kernels, and the "
               "application for those whose data L2 may hold)",
               replays),
};

static void record_cmd_say(const char *format, ...)
{
    char text[1024];
    ERT_FORMAT(text, sizeof text, format);
    ert_text_print(stderr, ERT_TEXT_PLAIN, "roofline: %s\n", text);
}

static enum ert_status record_cmd_list(const struct rfl_record *record)
{
    size_t n;
    const struct rfl_recorder *const *all = rfl_recorders(&n);
    struct rfl_table table = {.format = ERT_TEXT_PLAIN};
    char whys[16][1024] = {""};
    rfl_table_columns(&table, "recorder|works|records");
    for (size_t i = 0; i < n && i < ERT_LENGTH(whys); i++) {
        bool works = !all[i]->works || all[i]->works(record, whys[i], sizeof whys[i]);
        rfl_table_texts(&table, all[i]->name, works ? "yes" : "no", all[i]->summary, NULL);
    }
    rfl_table_write(&table, stdout);
    for (size_t i = 0; i < n && i < ERT_LENGTH(whys); i++)
        if (*whys[i])
            ert_text_print(stdout, ERT_TEXT_PLAIN, "\n%s: %s\n", all[i]->name, whys[i]);
    return ERT_OK;
}

/* ---- files ---- */

/* The names of the files in the folder, in the order of files[]. */
enum { POINTS, CHART, PAGE, N_FILES };
static const char *const file_names[N_FILES] = {"points.json", "roofline.svg",
                                                "roofline.html"};

/* If there are only times, they are those of the first CPU; NULL: the profile determines the device. */
static const char *device_of_times(const struct ert_ceilings *ceilings,
                                   const struct rfl_points *points)
{
    for (size_t i = 0; i < points->n; i++)
        if (strcmp(points->points[i].format, "record") != 0 &&
            strcmp(points->points[i].format, "regions") != 0)
            return NULL;
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (device && device->kind == ERT_DEVICE_CPU)
            return device->id;
    }
    return NULL;
}

static enum ert_status record_cmd_draw(const struct ert_ceilings *ceilings,
                                       const char *ceilings_file, struct rfl_points *points,
                                       const char *const files[N_FILES],
                                       struct ert_error *error)
{
    struct rfl_placer placer = {0};
    const struct rfl_placer_options how = {.device = device_of_times(ceilings, points)};
    ERT_TRY(rfl_placer_open(ceilings, points, &how, &placer, error));
    const struct rfl_report report = {
        .placer = &placer,
        .points = points,
        .format = "text",
        .columns =
            ert_text_columns(STDERR_FILENO, RFL_REPORT_LEAST_COLUMNS, RFL_REPORT_COLUMNS)};
    const struct rfl_scene_device device = {ceilings, placer.device};
    const struct rfl_scene_options scene = {.points = points};
    const struct rfl_page_input page = {ceilings, placer.device, ceilings_file};
    enum ert_status status = rfl_report_write(&report, stderr, error);
    if (status == ERT_OK)
        status = rfl_plot_file(&device, &scene, files[CHART], error);
    if (status == ERT_OK)
        status = rfl_page_write(&page, 1, points, files[PAGE], error);
    rfl_placer_close(&placer);
    if (status == ERT_OK)
        record_cmd_say("%s, %s, %s", files[POINTS], files[CHART], files[PAGE]);
    return status;
}

/* Moves an earlier recording's files aside: NAME.STAMP.EXT, of the time when its points were written. */
static enum ert_status put_aside(const char *folder, const char *const files[N_FILES],
                                 struct ert_strings *strings, struct ert_error *error)
{
    struct stat status;
    struct tm utc;
    char stamp[24];
    if (stat(files[POINTS], &status) != 0 || !gmtime_r(&status.st_mtime, &utc))
        return ERT_OK;
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
    for (size_t i = 0; i < N_FILES; i++) {
        const char *dot = strrchr(files[i], '.'),
                   *name = ert_strings_format(strings, "%.*s.%s%s", (int)(dot - files[i]),
                                              files[i], stamp, dot);
        if (rename(files[i], name) != 0 && errno != ENOENT)
            return ert_fail(error, ERT_FAILED, "%s: cannot be renamed to %s: %s", files[i],
                            name, strerror(errno));
    }
    record_cmd_say("the earlier recording in %s: moved to points.%s.json and so on", folder,
                   stamp);
    return ERT_OK;
}

/* Writes the points; if there are ceilings, also summary, chart and page. */
static enum ert_status record_cmd_write_all(struct rfl_points *points, const char *folder,
                                            const char *ceilings_file,
                                            struct ert_error *error)
{
    const char *files[N_FILES];
    struct ert_ceilings ceilings = {0};
    for (size_t i = 0; i < N_FILES; i++)
        files[i] = ert_strings_format(&points->strings, "%s/%s", folder, file_names[i]);
    ERT_TRY(put_aside(folder, files, &points->strings, error));
    ERT_TRY(rfl_points_write(files[POINTS], points, error));
    if (access(ceilings_file, F_OK) != 0) {
        record_cmd_say("%s: recorded, but there are no ceilings in %s to place it under: "
                       "`ert run --quick` measures them, then `roofline place %s %s`",
                       files[POINTS], ceilings_file, ceilings_file, files[POINTS]);
        return ERT_OK;
    }
    ERT_TRY(rfl_ceilings_read(ceilings_file, &ceilings, error));
    enum ert_status status =
        record_cmd_draw(&ceilings, ceilings_file, points, files, error);
    ert_ceilings_free(&ceilings);
    return status;
}

/* ---- the command ---- */

static enum ert_status record_into(struct rfl_record *record, const char *ceilings,
                                   const struct rfl_recorder *recorder,
                                   struct ert_error *error)
{
    struct ert_error second = {ERT_OK, ""};
    ert_tool_hold(); /* between the runs, too, an interrupt leaves what was measured */
    enum ert_status status = rfl_record(record, recorder, error);
    if (record->has_run && record->points->n) {
        enum ert_status kept =
            record_cmd_write_all(record->points, record->folder, ceilings, &second);
        if (status == ERT_OK && kept != ERT_OK)
            status = ert_fail(error, kept, "%s", second.text);
    }
    /* The program's own exit code takes precedence. */
    if (record->has_run && record->end.exit_code != 0)
        return (enum ert_status)record->end.exit_code;
    if (status == ERT_OK && (record->is_stopped || ert_tool_hold()))
        return ert_fail(error, ERT_FAILED, "interrupted; what was measured is kept");
    return status;
}

/*
 * Recorders write and remove files with fixed names, so the folder must be new, empty, or marked as that of
 * an earlier recording. The mark is locked until this process ends.
 */
static enum ert_status take_folder(const struct rfl_record *record, struct ert_error *error)
{
    char mark[PATH_MAX];
    const char *name = record->folder;
    snprintf(mark, sizeof mark, "%s/.recording", name);
    ERT_TRY(ert_file_make_folder(name, error));
    const char **files = rfl_record_files(record, name);
    const bool has_files = files[0] != NULL;
    free(files);
    if (has_files && access(mark, F_OK) != 0)
        return ert_fail(error, ERT_USAGE,
                        "--out %s: has files, and none of them is a recording's: give a "
                        "new or an empty folder",
                        name);
    const int lock = open(mark, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", mark, strerror(errno));
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        return ERT_OK;
    if (errno == EWOULDBLOCK)
        return ert_fail(error, ERT_FAILED, "%s: another recording is using this folder",
                        name);
    record_cmd_say("%s: no locks on this file system: another recording into this folder "
                   "would not be noticed",
                   name);
    return ERT_OK;
}

/* Whether a program starts the processes of a job; each also with a suffix, "mpiexec.hydra". */
static bool is_launcher(const char *program)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                        "srun",   "aprun",   "jsrun"};
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < ERT_LENGTH(names); i++)
        if (strlen(names[i]) == strcspn(name, ".") &&
            strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Refuses to be one of several processes of a job, which would record each other. */
static enum ert_status refuse_ranks(struct ert_error *error)
{
    /* Open MPI; MPICH, Intel MPI and others with PMI; srun in a step */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++) {
        const char *size = getenv(sizes[i]);
        if (size && strtoul(size, NULL, 10) > 1)
            return ert_fail(error, ERT_USAGE,
                            "record: is one of %.16s processes of a job: start the "
                            "launcher under it, `roofline record -- mpirun ...`",
                            size);
    }
    return ERT_OK;
}

/* "results/HOSTNAME/PROGRAM-record" */
static const char *default_folder(const struct rfl_record *record)
{
    const char *slash = strrchr(record->argv[0], '/');
    return ert_strings_format(&record->points->strings, "results/%s/%s-record",
                              record->machine->provenance.host,
                              slash ? slash + 1 : record->argv[0]);
}

static enum ert_status record_program(struct rfl_record *record,
                                      const struct options *options,
                                      struct ert_error *error)
{
    char absolute[PATH_MAX];
    const struct rfl_recorder *recorder = NULL;
    if (ert_text_control(record->argv[0]))
        return ert_fail(error, ERT_USAGE, "the program '%.200s' has a control character",
                        record->argv[0]);
    ERT_TRY(refuse_ranks(error));
    if (options->with)
        ERT_TRY(rfl_recorder_find(options->with, &recorder, error));
    const char *ceilings =
        options->ceilings
            ? options->ceilings
            : ert_strings_format(&record->points->strings, "results/%s/ceilings.json",
                                 record->machine->provenance.host);
    record->ceilings = access(ceilings, R_OK) == 0 ? ceilings : NULL;
    if (!record->ceilings && options->ceilings)
        return ert_fail(error, ERT_USAGE, "--ceilings %s: %s", ceilings, strerror(errno));
    if (!record->ceilings)
        record_cmd_say(
            "no ceilings in %s of this folder: the program is recorded, not placed "
            "(--ceilings CEILINGS; `ert run --quick` measures them)",
            ceilings);
    const char *program = record->argv[0];
    if (strchr(program, '/')
            ? access(program, X_OK) != 0
            : ert_tool_find(program, NULL, absolute, sizeof absolute, NULL) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "%.200s: cannot be started: %s", program,
                        strerror(errno));
    record->folder = options->out ? options->out : default_folder(record);
    record->is_mpi = is_launcher(record->argv[0]);
    ERT_TRY(take_folder(record, error));
    /* For programs that change their working folder. */
    if (realpath(record->folder, absolute))
        record->folder = rfl_points_text(record->points, absolute);
    return record_into(record, ceilings, recorder, error);
}

static enum ert_status record_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {
        .record = {
                   .replay = replays[0],
                   }
    };
    const char *words[1];
    size_t n_words;
    int n = 0;
    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), n, argv, &options, words, 1, &n_words,
                          error));
    if (n_words)
        return ert_fail(error, ERT_USAGE,
                        "record: '%.200s' stands before '--': roofline record [OPTIONS] -- "
                        "PROGRAM [ARGS]",
                        words[0]);
    if (!options.list && n + 1 >= argc)
        return ert_fail(error, ERT_USAGE,
                        "record: no program: roofline record [OPTIONS] -- PROGRAM [ARGS]");
    static char *const none[] = {NULL};
    struct ert_machine *machine = ert_xcalloc(1, sizeof *machine);
    struct rfl_points points = {0};
    struct rfl_record record = {.argv = n < argc ? argv + n + 1 : none,
                                .machine = machine,
                                .options = &options.record,
                                .points = &points,
                                .say = record_cmd_say};
    ert_discover_provenance(machine, argc, argv);
    enum ert_status status = ert_discover_host(NULL, machine, error);
    if (status == ERT_OK)
        status = options.list ? record_cmd_list(&record)
                              : record_program(&record, &options, error);
    if (record.input)
        fclose(record.input);
    rfl_points_free(&points);
    free(machine);
    return status;
}

static void record_cmd_notes(FILE *out)
{
    size_t n;
    const struct rfl_recorder *const *all = rfl_recorders(&n);
    fprintf(out, "\nRecorders, best first:\n");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-10s%s\n", all[i]->name, all[i]->summary);
    fputs("\nThe program runs several times: first alone, for its output and its time, on "
          "CPUs twice more\n"
          "for its time (--repeat) and up to five times for the time of its functions and "
          "loops, then under\n"
          "the recorder, which counts; the output of these runs goes to "
          "DIR/timed-again.log, DIR/sampled.log\n"
          "and DIR/RECORDER.log. Rows of functions and loops need symbols, and lines -g.\n"
          "All read a standard input that is a file; with input from "
          "a pipe or a\n"
          "terminal only the time is recorded. The table and all messages go to the "
          "standard error.\n\n"
          "Parallel jobs: `roofline record -- mpirun -n 4 ./a.out` records the ranks of "
          "this host. MPI's\n"
          "messages are not counted: `roofline place --bytes NET=BYTES` takes them.\n\n"
          "Exit code: the program's if it is not 0 (128 + N: signal N ended it), also when "
          "the recording\n"
          "was kept; else record's own: 1 failed, 2 wrong usage, 3 the recorder does not "
          "work here, or\n"
          "did not count the work that was timed (AVX-512 under Valgrind, a program that "
          "runs for a given\n"
          "time): then only the time is recorded.\n",
          out);
}

const struct ert_command rfl_command_record = {
    .name = "record",
    .words = "-- PROGRAM [ARGS]",
    .summary = "runs a program, counts its operations and bytes, and places it",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .passes_words = true,
    .run = record_cmd_run,
    .notes = record_cmd_notes,
};
