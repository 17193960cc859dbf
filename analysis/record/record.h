/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: a user's program under the recorders (profilers, instrumentation) that work here, as points.
 *
 * A recording is two runs. Run 1, without a profiler, is the user's: streams, exit code and time are the
 * program's own. Run 2, under the recorder, counts; its output is kept in a file. Counts are joined with the
 * times of run 1, which no profiler disturbed. A recorder is a file of this folder and its row in
 * recorders.def. Nothing here prints: what is to be said goes through record->say.
 */
#ifndef RFL_RECORD_H
#define RFL_RECORD_H

#include "analysis/import/import.h"
#include "analysis/record/input.h"
#include "ert/base/tool.h"

struct rfl_record_options {
    bool once; /* run 2 alone, with the user's streams: its times are the profiler's */
    const char *kernel; /* only kernels or regions with this in their name; NULL: all */
    uint64_t top;       /* kernels, by share of time; 0: the recorder's own choice */
    uint64_t launches;  /* of each kernel; 0: the recorder's own choice */
    const char *nvtx;   /* only within this NVTX range; NULL: everywhere */
    const char *replay; /* what ncu repeats to count all: "kernel" or "application" */
};

enum { RFL_RECORD_ENVIRONMENT = 16 };

/* One recording, of one process and its children. */
struct rfl_record {
    char *const *argv;                 /* the program and its arguments, NULL-terminated */
    const char *folder;                /* where recorders keep their files; exists */
    const struct ert_machine *machine; /* that is here */
    const struct rfl_record_options *options;
    struct rfl_points *points; /* that the recorder fills */
    /* Tells the user one line, without a newline. */
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
    struct rfl_input input; /* what run 1 reads, for run 2 */
    bool is_mpi;            /* a launcher of ranks, or one of them */
    bool is_rank;           /* of a parallel job, whose launcher serves one run alone */
    bool shares_node;       /* another rank counts what is the whole node's */
    bool hides_end; /* set by recorders whose tool does not end as the program did */

    /* Of run 1, or with options->once of the only one, which can differ from the profiler's. */
    bool has_run, is_cut; /* the latter: a later run was interrupted */
    struct ert_tool_end end;

    /* "NAME=VALUE" for run 1, NULL-terminated; texts of the points. */
    const char *environment[RFL_RECORD_ENVIRONMENT + 1];
};

struct rfl_recorder {
    const char *name, *summary;
    enum rfl_import_device device;
    /* Whether it works here; else why not, with the command or the permission that would change it. */
    bool (*works)(const struct rfl_record *record, char *why, size_t size);
    /* Before run 1: its environment (rfl_record_set). NULL: needs nothing. */
    void (*prepare)(struct rfl_record *record);
    /*
     * After run 1, with options->once before: whether the program is one for it (uses a GPU, is linked with
     * PAPI). Chosen without --with is the first row that suits and works. NULL: any program.
     */
    bool (*suits)(const struct rfl_record *record);
    /* Run 2, and its counts as points. What was counted before an error stays in the points. */
    enum ert_status (*record)(struct rfl_record *record, struct ert_error *error);
    /* Where run 1 was interrupted, in the place of run 2: its times. NULL: that of the whole run. */
    enum ert_status (*keep)(struct rfl_record *record, struct ert_error *error);
};

#define RFL_RECORDER(name) extern const struct rfl_recorder rfl_recorder_##name;
#include "analysis/record/recorders.def"

/* All, in the order of preference; *n of them. */
const struct rfl_recorder *const *rfl_recorders(size_t *n);

/* ERT_USAGE names those that there are. */
enum ert_status rfl_recorder_find(const char *name, const struct rfl_recorder **recorder,
                                  struct ert_error *error);

/*
 * Both runs. recorder NULL: after run 1 the best that works; where it fails, the time alone is recorded, and
 * said so. Points have the times of run 1.
 * ERT_USAGE when the program cannot be started; errors of the recorder that was asked for.
 */
enum ert_status rfl_record(struct rfl_record *record, const struct rfl_recorder *recorder,
                           struct ert_error *error);

#define RFL_RECORD_END "RFL_RECORD_END"

/*
 * In the place of `roofline record`, where RFL_RECORD_END names a file: runs the program, and writes there
 * how it ended. So a profiler that ends well after a crash does not hide it (perf stat: exit code 0).
 */
enum ert_status rfl_record_inside(char *const *argv, const char *file,
                                  struct ert_error *error);

/* For recorders. */

/* FOLDER/NAME, a text of the points. */
const char *rfl_record_file(const struct rfl_record *record, const char *name);

/*
 * A file that belongs to this program, in FOLDER of its build's folder, or where it was installed: a text of
 * the points, or NULL.
 */
const char *rfl_record_shipped(const struct rfl_record *record, const char *folder,
                               const char *name);

/* Whether the program's file holds the name of a library, which it is linked with or opens. */
bool rfl_record_program_names(const struct rfl_record *record, const char *library);

/* Adds to the environment of run 1. */
void rfl_record_set(struct rfl_record *record, const char *name, const char *value);

/*
 * Runs the profiler's words, NULL-terminated, in front of the program's, once more from its beginning.
 * environment: "NAME=VALUE", NULL-terminated, or NULL. What both print goes to FOLDER/NAME.log; with
 * options->once the streams are the user's, and a second call is our mistake. *end: as the profiler ended.
 * ERT_USAGE when it cannot be started, ERT_FAILED when it cannot be given what run 1 read.
 */
enum ert_status rfl_record_run(struct rfl_record *record, const char *const *words,
                               const char *const *environment, const char *name,
                               struct ert_tool_end *end, struct ert_error *error);

/*
 * The same for a profiler that writes the files, NULL-terminated, whose texts go to `all`. *is_over: it was
 * interrupted, and there is no use in another run. ERT_FAILED also when a file is not there.
 */
enum ert_status rfl_record_run_into(struct rfl_record *record, const char *const *words,
                                    const char *const *environment, const char *name,
                                    const char *const *files, FILE *all, bool *is_over,
                                    struct ert_error *error);

/* What all runs of a recorder write, as FOLDER/NAME.csv and as points. Its tool hides how programs end. */
enum ert_status rfl_record_collect(struct rfl_record *record, const char *name,
                                   const struct rfl_importer *importer,
                                   enum ert_status (*run_all)(struct rfl_record *record,
                                                              FILE *all,
                                                              struct ert_error *error),
                                   struct ert_error *error);

/* The point of the whole run, made if it is not there; its name. */
extern const char rfl_record_whole_name[];
struct rfl_point *rfl_record_whole(struct rfl_record *record);

/* An empty folder FOLDER/NAME for what processes of a run write; *folder: a text of the points. */
enum ert_status rfl_record_fresh(struct rfl_record *record, const char *name,
                                 const char **folder, struct ert_error *error);

/* The points of all its files, those of a name added up. ERT_FAILED: there is none. */
enum ert_status rfl_record_import_all(struct rfl_record *record, const char *folder,
                                      const struct rfl_importer *importer,
                                      struct ert_error *error);

/* Appends the points of a file of the recording: rfl_import_file() with its kernels chosen. */
enum ert_status rfl_record_import(struct rfl_record *record, const char *file,
                                  const struct rfl_importer *importer,
                                  struct ert_error *error);

#endif
