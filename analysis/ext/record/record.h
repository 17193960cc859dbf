/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: runs a program under the recorders (profilers, instrumentation) that work here, and makes points.
 *
 * A recording is several runs. Run 1, without a profiler, is the user's: streams, exit code and time are the
 * program's own. It is timed again (timing.c), with its output in a file. Run 2, under the recorder, counts;
 * its output is kept in a file, too. Counts are joined with the times of the runs that no profiler disturbed.
 * All read a standard input that is a file; input from a pipe or a terminal is run 1's alone, and then only
 * the time is recorded. A recorder is a file of this folder and its row in recorders.def. Nothing here
 * prints: messages go through record->say.
 */
#ifndef RFL_RECORD_H
#define RFL_RECORD_H

#include "analysis/ext/import/import.h"
#include "ert/core/machine/activity.h"
#include "ert/ext/base/tool.h"

#include <limits.h>

/* ---- the times of several runs (timing.c) ---- */

enum { RFL_MOST_TIMED = 16 };

struct rfl_timed {
    double elapsed_s, cpu_s; /* cpu_s: of the program and its children, also the system's */
    double system_s;         /* of these */
    double others;           /* share of the CPUs' time that others had, 0 to 1 */
    bool is_disturbed, is_known; /* is_known: it was long enough to see others */
    struct ert_activity_snapshot before;
};

struct rfl_timing {
    struct ert_activity_cpus cpus;
    size_t n;
    struct ert_activity_snapshot watched; /* what the counters went on by in all runs */
    struct rfl_timed runs[RFL_MOST_TIMED];
};

/* Around a run. The second adds it, unless it was interrupted or there are too many. */
void rfl_timing_begin(struct rfl_timing *timing, struct rfl_timed *timed);
void rfl_timing_end(struct rfl_timing *timing, struct rfl_timed *timed,
                    const struct ert_tool_end *end);

/* The run whose time counts; NULL: there is none. */
const struct rfl_timed *rfl_timing_chosen(const struct rfl_timing *timing);

/*
 * Sets a point's time and interval from its seconds in each run: the median of the undisturbed runs, their
 * least and greatest, of six or more without one at each end (which holds the median of all in 75 % or more).
 * If half or more were disturbed the shortest, which without others may have been as short as its CPU time on
 * its threads, half as long if its CPUs are threads of shared cores, a tenth if threads wait for each other;
 * a warning says so.
 */
void rfl_timing_set(const struct rfl_timing *timing, const double *seconds,
                    struct rfl_point *point);

/* The time of the whole run, as rfl_timing_set has it of a part; 0: none was timed. */
double rfl_timing_elapsed(const struct rfl_timing *timing);

/* Tells the user how the runs differ, and whether they were disturbed. */
void rfl_timing_say(const struct rfl_timing *timing,
                    void (*say)(const char *format, ...)
                        __attribute__((format(printf, 1, 2))));

/* ---- a recording ---- */

struct rfl_record_options {
    uint64_t window; /* calls of each region that are counted; 0: all, and all other code */
    bool once;       /* only run 2, with the user's streams: times are the profiler's */
    const char *kernel; /* only kernels or regions with this in their name; NULL: all */
    uint64_t top;       /* most kernels, by time; 0: the recorder's choice */
    uint64_t launches;  /* most launches of each kernel; 0: the recorder's choice */
    const char *nvtx;   /* only within this NVTX range; NULL: everywhere */
    uint64_t repeat;    /* runs that are timed; 0: as many as they need */
    const char *replay; /* what ncu repeats to count all: "auto", "kernel", "application" */
};

enum { RFL_RECORD_ENVIRONMENT = 16 };

/* One recording, of one process and its children. */
struct rfl_record {
    struct rfl_timing timing;
    char *const *argv;                 /* the program and its arguments, NULL-terminated */
    const char *folder;                /* of the recorders' files; exists */
    const char *ceilings;              /* the file to place points under, if it is there */
    const struct ert_machine *machine; /* this machine */
    const struct rfl_record_options *options;
    struct rfl_points *points; /* filled by the recorder */
    /* Tells the user one line, without a newline. */
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
    FILE *input; /* read by later runs, from input_begin on: the same file, or nothing */
    off_t input_begin;
    bool is_input_lost; /* run 1 may have read what no later run can read */
    bool is_mpi;        /* a launcher of ranks */
    size_t n_files;     /* of processes that were counted; 0: not by process */
    size_t n_sampled;   /* runs that were sampled (code.c), in sampled_s together */
    double sampled_s;
    double memory[64]; /* rates of the memory beside the runs, of the recorded ones */
    size_t n_memory;
    double memory_now; /* their median; 0: unknown */

    /* The end of run 1 or, with options->once, of the only run; it can differ from the profiler's. */
    bool has_run, is_cut,
        is_stopped; /* is_cut: a later run was interrupted; is_stopped: ever */
    struct ert_tool_end end;

    /* "NAME=VALUE" for run 1, NULL-terminated; the points own the texts. */
    const char *environment[RFL_RECORD_ENVIRONMENT + 1];
};

struct rfl_recorder {
    const char *name, *summary;
    enum rfl_profiled device;
    /* Whether it works here; if not, why, with the command or right that would enable it. NULL: always. */
    bool (*works)(const struct rfl_record *record, char *why, size_t size);
    /* Call before run 1: sets its environment (rfl_record_set). NULL: nothing to set. */
    void (*prepare)(struct rfl_record *record);
    /*
     * Whether the recorder is for this program (it uses a GPU). Call after run 1, with
     * options->once before. Without --with the first row that suits and works is chosen. NULL: any program.
     */
    bool (*suits)(const struct rfl_record *record);
    /* Does run 2 and makes points. After an error, points counted before remain. */
    enum ert_status (*record)(struct rfl_record *record, struct ert_error *error);
    /* Completes its points, once the times of all are known. NULL: nothing to do. */
    void (*finish)(struct rfl_record *record);
    /* Records only times, instead of run 2, if run 1 was interrupted. NULL: the whole run's. */
    enum ert_status (*keep)(struct rfl_record *record, struct ert_error *error);
};

#define RFL_RECORDER(name) extern const struct rfl_recorder rfl_recorder_##name;
#include "analysis/ext/record/recorders.def"

/* All recorders, in order of preference; *n: how many. */
const struct rfl_recorder *const *rfl_recorders(size_t *n);

/* Finds a recorder; ERT_USAGE lists the names. */
enum ert_status rfl_recorder_find(const char *name, const struct rfl_recorder **recorder,
                                  struct ert_error *error);

/*
 * Does both runs. recorder NULL: after run 1 chooses the best that works; if that fails, records only the
 * time and tells the user. Points have the times of run 1. ERT_USAGE when the program cannot be started;
 * errors of the given recorder.
 */
enum ert_status rfl_record(struct rfl_record *record, const struct rfl_recorder *recorder,
                           struct ert_error *error);

/* ---- for recorders ---- */

/* FOLDER/NAME; the points own the text. */
const char *rfl_record_file(const struct rfl_record *record, const char *name);

/* The folder of this program; false: not known. */
bool rfl_record_program_folder(char folder[PATH_MAX]);

/* Finds a file of this software in FOLDER of build or installation; the points own it. NULL: not there. */
const char *rfl_record_shipped(const struct rfl_record *record, const char *folder,
                               const char *name);

/* Sets a variable in the environment of run 1. */
void rfl_record_set(struct rfl_record *record, const char *name, const char *value);

/*
 * Runs the program under a profiler: `words`, NULL-terminated, then the program's. environment: "NAME=VALUE",
 * NULL-terminated, or NULL. Output of both goes to FOLDER/NAME.log; with options->once they have the user's
 * streams, and only one call is allowed. *end: how the profiler ended. ERT_USAGE when it cannot be started.
 */
enum ert_status rfl_record_run(struct rfl_record *record, const char *const *words,
                               const char *const *environment, const char *name,
                               struct ert_tool_end *end, struct ert_error *error);

/* The name of the point of the whole run. */
extern const char rfl_record_whole_name[];

/* Whether a point is of a function or a loop that is part of another point, until its recorder's finish(). */
bool rfl_record_is_code(const struct rfl_point *point);

/* The files of a folder, hidden ones left out, then NULL (malloc; the points own the texts). */
const char **rfl_record_files(const struct rfl_record *record, const char *folder);

/* Makes an empty folder FOLDER/NAME for files of a run's processes; the points own *folder. */
enum ert_status rfl_record_fresh(struct rfl_record *record, const char *name,
                                 const char **folder, struct ert_error *error);

/* Imports all files of the folder; adds points by name. ERT_FAILED: there is no file. */
enum ert_status rfl_record_import_all(struct rfl_record *record, const char *folder,
                                      const struct rfl_importer *importer,
                                      struct ert_error *error);

/* Adds the points of a file to those of the same name; `region` as of struct rfl_import_options. */
enum ert_status rfl_record_add(struct rfl_record *record, const char *file,
                               const struct rfl_importer *importer, const char *region,
                               struct ert_error *error);

/* Appends the points of a file of the recording: rfl_import_file() with options->kernel. */
enum ert_status rfl_record_import(const struct rfl_record *record, const char *file,
                                  const struct rfl_importer *importer,
                                  struct rfl_points *points, struct ert_error *error);

/* The first point with this name, or NULL; valid until one is added. */
struct rfl_point *rfl_points_named(const struct rfl_points *points, const char *name);

/* ---- processes of one program (merge.c) ---- */

/* Adds points to a set, except for elapsed_s and busy_s. ERT_USAGE as rfl_points_work. */
enum ert_status rfl_merge(struct rfl_points *points, const struct rfl_points *from,
                          struct ert_error *error);

/* Adds operations, bytes and instructions of a point, multiplied by `times`, and its notes. */
void rfl_merge_counts(struct rfl_point *point, const struct rfl_point *of, double times);

/* ---- functions and loops (code.c) ---- */

/* The variable that preloads the sampler, which also passes Python's regions on; NULL: it is not there. */
const char *rfl_code_preload(const struct rfl_record *record);

/* Runs the program with the sampler, often enough for a thousand samples of long programs. */
enum ert_status rfl_code_sample(struct rfl_record *record, struct ert_error *error);

/*
 * Gives the points of code their times, puts them behind that of the whole run, longest first, and removes
 * those of little time, and all if a region is there or nothing was sampled.
 */
void rfl_code_time(struct rfl_record *record);

/* ---- launches on GPUs (launches.c) ---- */

/* The launches, in all processes, of one kernel with one grid and block on one device. */
struct rfl_launch_class {
    const char *name, *mangled; /* owned by the set: equal texts are one pointer */
    const char *device;         /* CUDA's number of it within the process */
    const char *grid, *block;   /* "(256, 1, 1)", as ncu writes them; "" for copies */
    bool is_kernel;             /* else a copy or a fill */
    double launches, time_s;    /* sums */
    double time_s2;             /* sum of the squared times of launches */
    double bytes;               /* copies and fills */
    double registers;           /* kernels: per thread */
};

struct rfl_launches {
    size_t n, capacity;
    struct rfl_launch_class *classes; /* malloc, owned; longest time first */
    struct ert_strings strings;
    size_t n_files;   /* processes that used CUDA */
    size_t n_devices; /* that ran something */
    double time_s;    /* of all classes */
    double n_dropped; /* launches without a known time */
};

/* Reads all files BASE.*, if there are any. ERT_USAGE for files in another format. */
enum ert_status rfl_launches_read(const char *base, struct rfl_launches *launches,
                                  struct ert_error *error);

/* Removes the files of an earlier recording. */
void rfl_launches_remove(const char *base);

/* Standard deviation of the launches' times / their mean; 0 if all times are equal. */
double rfl_launches_spread(const struct rfl_launch_class *class);

/* Accepts an all-zero struct. */
void rfl_launches_free(struct rfl_launches *launches);

#endif
