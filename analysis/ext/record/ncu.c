/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncu: records kernels of NVIDIA GPUs. Run 1 has the library of analysis/ext/record/cupti, which sees every
 * launch without disturbing it: it gives times and selects the kernels that matter. In run 2, Nsight
 * Compute counts one launch of each grid and block of these kernels by replaying it; its counts represent
 * all launches of that configuration. So 100,000 launches take as long as their few dozen configurations.
 *
 * When ncu replays a launch, it empties the caches before each pass (--cache-control all): data that the
 * previous kernel left in the caches are counted as coming from memory. When it replays the whole program, it
 * does not: it counts launches after the first of a configuration; the first finds the caches as the rest of
 * the program left them, the others as an earlier launch did (results/h200/record has both). So kernels whose
 * data L2 might hold are counted a second time by replaying the program.
 */
#include "ert/ext/ncu/ncu.h"
#include "analysis/ext/import/common.h"
#include "analysis/ext/record/record.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/config.h"
#include "ert/core/base/file.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without --top, takes the longest kernels until they have this share of the GPU's time ... */
static const double wanted_share = 0.95;
/* ... and are so many, if there are, but not more: each grid and block costs half a second under ncu. */
enum { LEAST_KERNELS = 12, MOST_KERNELS = 100 };

/* Kernels whose data L2 might hold are counted again if they have this share of all kernels' time ... */
static const double kept_share = 0.02;
/* ... and the program, which is replayed about ten times for all metrics, does not take longer than this. */
static const double most_replayed_s = 20;

/* Launches whose times differ by more may differ in work. */
static const double noted_spread = 0.1;

/* For the regular expression of names: Linux limits an argument to 128 KiB (MAX_ARG_STRLEN). */
enum { MOST_PATTERN_BYTES = 120000 };

/* The metrics for `place`: every GPU from cc 7.0 on has the first N_CERTAIN (ncu_metrics.def). */
static const char *const metrics[] = {
#define ERT_NCU_COUNTED(id, measure, name) name,
#include "ert/ext/ncu/ncu_metrics.def"
#define ERT_NCU_RECORDED(id, measure, name) name,
#include "ert/ext/ncu/ncu_metrics.def"
#define ERT_NCU_OPTIONAL(id, measure, name) name,
#include "ert/ext/ncu/ncu_metrics.def"
};
enum {
    N_CERTAIN = 0
#define ERT_NCU_COUNTED(id, measure, name) +1
#include "ert/ext/ncu/ncu_metrics.def"
};

/* A kernel of the program on a device: its launches with all grids and blocks. */
struct kernel {
    const char *name, *mangled, *device;
    double launches, time_s;
    bool is_chosen, is_emptied; /* is_emptied: it is counted again */
};

struct session {
    struct rfl_record *record;
    struct rfl_launches launches; /* of run 1 */
    struct kernel *kernels;       /* longest time first */
    size_t n_kernels;
    double kernels_s;          /* of all of them */
    char *pattern;             /* of the chosen kernels' names; malloc, owned */
    struct rfl_points counted; /* by kernel and configuration */
    struct rfl_points again;   /* with caches as the program leaves them */
    bool is_profiled, replays_program;
    double emptied_s; /* of launches whose data might be in L2 if ncu did not empty it */
};

/* ---- run 1: the library of launches ---- */

static const char *find_library(const struct rfl_record *record)
{
    return rfl_record_shipped(record, "cupti", "libroofline-launches.so");
}

static const char *launches_file(const struct rfl_record *record)
{
    return rfl_record_file(record, "launches");
}

static void record_ncu_prepare(struct rfl_record *record)
{
    const char *library = find_library(record);
    rfl_launches_remove(launches_file(record));
    if (!library)
        return;
    rfl_record_set(record, "CUDA_INJECTION64_PATH", library);
    rfl_record_set(record, "RFL_LAUNCHES", launches_file(record));
    if (record->options->nvtx) {
        rfl_record_set(record, "NVTX_INJECTION64_PATH", library);
        rfl_record_set(record, "RFL_NVTX", record->options->nvtx);
    }
}

/* Whether the program's file contains the name of CUDA's library, which it is linked with or opens. */
static bool record_ncu_names_library(const struct rfl_record *record)
{
    static const char library[] = "libcuda";
    char path[PATH_MAX];
    const char *program = record->argv[0];
    struct stat about = {0};
    if (!strchr(program, '/') &&
        ert_tool_find(program, NULL, path, sizeof path, NULL) == ERT_OK)
        program = path;
    const int file = open(program, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const size_t n = fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
    void *text = mmap(NULL, n, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (text == MAP_FAILED)
        return false;
    const bool is_found = memmem(text, n, library, strlen(library)) != NULL;
    munmap(text, n);
    return is_found;
}

static bool record_ncu_suits(const struct rfl_record *record)
{
    struct rfl_launches launches = {0};
    if (record->options->once) /* run 1 would tell */
        return record_ncu_names_library(record);
    bool uses_gpu = rfl_launches_read(launches_file(record), &launches, NULL) != ERT_OK ||
                    launches.n_files > 0;
    rfl_launches_free(&launches);
    return uses_gpu;
}

static bool record_ncu_works(const struct rfl_record *record, char *why, size_t size)
{
    char ncu[4096], admins[8];
    struct ert_error error;
    (void)record;
    if (ert_ncu_find(ncu, sizeof ncu, &error) != ERT_OK) {
        snprintf(why, size,
                 "there is no ncu: install Nsight Compute (with the CUDA toolkit, or "
                 "`module load cuda`) and put it on the PATH");
        return false;
    }
    if (geteuid() != 0 &&
        ert_file_value("/proc/driver/nvidia/params", "RmProfilingAdminOnly", admins,
                       sizeof admins) &&
        strcmp(admins, "1") == 0) {
        ert_ncu_explain("ERR_NVGPUCTRPERM", "", why, size);
        return false;
    }
    return true;
}

/* ---- kernels, and which to profile ---- */

static int record_ncu_by_time(const void *a, const void *b)
{
    const struct kernel *first = a, *second = b;
    return (first->time_s < second->time_s) - (first->time_s > second->time_s);
}

/* Compares pointers: equal texts are one pointer. */
static bool record_ncu_is_of(const struct rfl_launch_class *class,
                             const struct kernel *kernel)
{
    return class->mangled == kernel->mangled && class->device == kernel->device;
}

/* Sums the classes of each kernel. */
static void sum_kernels(struct session *session)
{
    const struct rfl_launches *launches = &session->launches;
    session->kernels = ert_xcalloc(launches->n, sizeof *session->kernels);
    for (size_t c = 0; c < launches->n; c++) {
        const struct rfl_launch_class *class = &launches->classes[c];
        size_t k = 0;
        while (k < session->n_kernels && !record_ncu_is_of(class, &session->kernels[k]))
            k++;
        if (!class->is_kernel)
            continue;
        session->n_kernels += k == session->n_kernels;
        struct kernel *kernel = &session->kernels[k];
        kernel->name = class->name;
        kernel->mangled = class->mangled;
        kernel->device = class->device;
        kernel->launches += class->launches;
        kernel->time_s += class->time_s;
        session->kernels_s += class->time_s;
    }
    if (session->n_kernels)
        qsort(session->kernels, session->n_kernels, sizeof *session->kernels,
              record_ncu_by_time);
}

/* Writes regex:^(a|b)$ of the names of chosen or emptied kernels, with '.' for special characters. */
static void write_pattern(struct session *session, bool is_emptied)
{
    size_t length, n = 0;
    free(session->pattern);
    FILE *out = ert_xcheck(open_memstream(&session->pattern, &length), 1);
    fputs("regex:^(", out);
    for (size_t k = 0; k < session->n_kernels; k++) {
        const struct kernel *kernel = &session->kernels[k];
        if (!(is_emptied ? kernel->is_emptied : kernel->is_chosen))
            continue;
        if (n++)
            fputc('|', out);
        for (const char *at = kernel->mangled; *at; at++)
            fputc(*at == '_' || (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
                          (*at >= 'a' && *at <= 'z')
                      ? *at
                      : '.',
                  out);
    }
    fputs(")$", out);
    fclose(out);
}

/* Chooses kernels, longest first; one of several devices is one. */
static enum ert_status record_ncu_choose(struct session *session, struct ert_error *error)
{
    const struct rfl_record_options *options = session->record->options;
    const bool is_told = options->top || options->kernel;
    size_t most = options->top ? options->top : MOST_KERNELS, n = 0, bytes = 0;
    double chosen_s = 0;
    for (size_t k = 0; k < session->n_kernels; k++) {
        struct kernel *kernel = &session->kernels[k];
        bool is_there = false; /* already, for another device */
        for (size_t j = 0; j < k; j++)
            is_there |= session->kernels[j].is_chosen &&
                        session->kernels[j].mangled == kernel->mangled;
        if ((n == most && !is_there) ||
            (options->kernel && !strstr(kernel->name, options->kernel)) ||
            bytes + strlen(kernel->mangled) > MOST_PATTERN_BYTES)
            continue;
        if (!is_told && n >= LEAST_KERNELS && chosen_s >= wanted_share * session->kernels_s)
            break;
        kernel->is_chosen = true;
        chosen_s += kernel->time_s;
        bytes += strlen(kernel->mangled) + 1;
        n += !is_there;
    }
    return n > 0
               ? ERT_OK
               : ert_fail(error, ERT_USAGE, "--kernel: no kernel has '%.100s' in its name",
                          options->kernel ? options->kernel : "");
}

/* ---- run 2: ncu ---- */

/* Shows the first lines of ncu's errors. */
static void show_errors(struct session *session, const char *text)
{
    enum { MOST_LINES = 4 };
    static const char mark[] = "==ERROR==";
    for (size_t n = 0; n < MOST_LINES && (text = strstr(text, mark)); n++) {
        size_t length = strcspn(text, "\n");
        session->record->say("ncu: %.*s", (int)(length - strlen(mark)),
                             text + strlen(mark));
        text += length;
    }
}

/* How many launches represent a configuration. */
static unsigned long long launches_counted(const struct rfl_record_options *options)
{
    return options->launches ? options->launches : 1;
}

/* With the program's caches one more: the first launch does not count. */
static unsigned long long launches_profiled(const struct session *session)
{
    return launches_counted(session->record->options) + session->replays_program;
}

/* Runs the program under ncu, which writes its table to the file. */
static enum ert_status profile(struct session *session, const char *pattern,
                               const char *file, struct ert_error *error)
{
    struct rfl_record *record = session->record;
    const struct rfl_record_options *options = record->options;
    struct ert_strings *strings = &record->points->strings;
    char ncu[4096], list[8192];
    const char *count = ert_strings_format(strings, "%llu", launches_profiled(session));
    ERT_TRY(ert_ncu_find(ncu, sizeof ncu, error));
    ert_ncu_known(ncu, metrics, ERT_LENGTH(metrics), N_CERTAIN, list, sizeof list);
    const char *words[ERT_TOOL_WORDS] = {ncu,
                                         "--csv",
                                         "--page",
                                         "raw",
                                         "--print-units",
                                         "base",
                                         "--log-file",
                                         file,
                                         "--metrics",
                                         list,
                                         "--clock-control",
                                         "none",
                                         "--replay-mode",
                                         session->replays_program ? "application"
                                                                  : "kernel",
                                         "--cache-control",
                                         session->replays_program ? "none" : "all",
                                         "--target-processes",
                                         "all",
                                         "--filter-mode",
                                         "per-launch-config",
                                         "--launch-count",
                                         count};
    const char *const by_name[] = {"--print-kernel-base",
                                   "mangled",
                                   "--kernel-name-base",
                                   "mangled",
                                   "--kernel-name",
                                   pattern,
                                   NULL};
    if (pattern)
        ert_tool_append(words, by_name);
    if (options->nvtx) {
        /* Push/pop ranges, and start/end ranges. */
        const char *const by_range[] = {"--nvtx",
                                        "--nvtx-include",
                                        ert_strings_format(strings, "%s/", options->nvtx),
                                        "--nvtx-include",
                                        options->nvtx,
                                        NULL};
        ert_tool_append(words, by_range);
    }
    struct ert_tool_end end;
    remove(file);
    ERT_TRY(rfl_record_run(record, words, NULL, "ncu", &end, error));
    char *text = NULL, reason[512];
    size_t size;
    if (ert_file_read(file, SIZE_MAX / 4, &text, &size, NULL) != ERT_OK)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "ncu wrote nothing (exit code %d); see %s/ncu.log", end.exit_code,
                        record->folder);
    bool has_table = strstr(text, "\"Kernel Name\"") != NULL;
    if (has_table)
        show_errors(session, text);
    else
        ert_ncu_explain(text, "ncu", reason, sizeof reason);
    free(text);
    return has_table ? ERT_OK : ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
}

/* Profiles the kernels of the pattern into points by configuration. */
static enum ert_status record_ncu_count(struct session *session, const char *name,
                                        struct rfl_points *points, struct ert_error *error)
{
    const char *file = rfl_record_file(session->record, name);
    const struct rfl_import_options how = {.by_configuration = true,
                                           .without_first = session->replays_program};
    ERT_TRY(profile(session, session->pattern, file, error));
    return rfl_import_file(file, &rfl_import_ncu, &how, points, error);
}

/* ---- points ---- */

/* The counts of a class: of points by configuration, or NULL. */
static const struct rfl_point *find_in(struct rfl_points *points,
                                       const struct rfl_launch_class *class)
{
    const char *run = rfl_launch_configuration(&points->strings, class->grid, class->block);
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        if (point->run == run && point->launches > 0 &&
            strcmp(point->name, class->mangled) == 0)
            return point;
    }
    return NULL;
}

/* The best counts of a class: those with the program's caches, if there are any. */
static const struct rfl_point *find_counted(struct session *session,
                                            const struct rfl_launch_class *class)
{
    const struct rfl_point *point = find_in(&session->again, class);
    return point ? point : find_in(&session->counted, class);
}

/* Whether launches were counted from empty caches, and read so little that L2 might have held it before. */
static bool might_be_kept(struct session *session, const struct rfl_launch_class *class)
{
    const struct rfl_point *counted = find_counted(session, class);
    const struct rfl_traffic *hbm = counted ? rfl_point_traffic(counted, "HBM") : NULL;
    if (!hbm || session->replays_program || counted->set == &session->again)
        return false;
    const double read_bytes = hbm->read_bytes / counted->launches;
    return class->launches > 1 && read_bytes > 0 &&
           read_bytes < rfl_point_value(counted, "l2_size_bytes");
}

/*
 * Counts kernels whose data L2 might hold again, with caches as the program leaves them, if they matter and
 * --replay does not say otherwise. A program that ncu cannot replay keeps its counts from empty caches.
 */
static void count_again(struct session *session)
{
    struct rfl_record *record = session->record;
    const struct rfl_launches *launches = &session->launches;
    struct ert_error error;
    double kept_s = 0;
    for (size_t c = 0; c < launches->n; c++)
        for (size_t k = 0; k < session->n_kernels; k++)
            if (launches->classes[c].is_kernel &&
                record_ncu_is_of(&launches->classes[c], &session->kernels[k]) &&
                might_be_kept(session, &launches->classes[c])) {
                session->kernels[k].is_emptied = true;
                kept_s += launches->classes[c].time_s;
            }
    if (strcmp(record->options->replay, "auto") != 0 ||
        kept_s < kept_share * session->kernels_s || record->end.elapsed_s > most_replayed_s)
        return;
    record->say("L2 may hold the data of kernels with %.0f %% of their time: they are "
                "counted again with caches as the program leaves them",
                100 * kept_s / session->kernels_s);
    write_pattern(session, true);
    session->replays_program = true;
    if (record_ncu_count(session, "ncu-application.csv", &session->again, &error) != ERT_OK)
        record->say("%s: their HBM bytes are those of empty caches", error.text);
    session->replays_program = false;
}

/* Adds the counts of the profiled launches of a class, multiplied by `times`. */
static void record_ncu_add_counts(const struct rfl_point *counted, double times,
                                  double time_s, struct rfl_point *point)
{
    rfl_merge_counts(point, counted, times);
    /* Weights means by the class's share of the time. */
    point->clock_hz += time_s * counted->clock_hz;
    point->memory_clock_hz += time_s * counted->memory_clock_hz;
    point->warps_per_sm += time_s * counted->warps_per_sm;
}

static const char emptied[] =
    "its HBM bytes are those of empty caches, and L2 holds them: the program may read "
    "less; `--replay application` counts what it does";

static const char time_recipe[] = "of every launch, without a profiler (CUPTI)";

/* Adds a point; device "": all devices. */
static struct rfl_point *record_ncu_add_point(struct session *session, const char *name,
                                              const char *device, double launches,
                                              double time_s)
{
    struct rfl_points *points = session->record->points;
    struct rfl_point *point = rfl_points_add(points, name);
    if (session->launches.n_devices > 1 && *device)
        point->run = ert_strings_format(&points->strings, "device %s", device);
    point->source = launches_file(session->record);
    point->format = rfl_points_text(points, "ncu");
    point->launches = launches;
    point->time_s = time_s;
    point->time_recipe = time_recipe;
    return point;
}

/* Adds a kernel: classes that were counted also represent those that were not. Returns their time. */
static double record_ncu_add_kernel(struct session *session, const struct kernel *kernel)
{
    const struct rfl_launches *launches = &session->launches;
    struct rfl_point *point = record_ncu_add_point(session, kernel->name, kernel->device,
                                                   kernel->launches, kernel->time_s);
    double counted_s = 0, n_counted = 0, emptied_s = 0, spread = 0;
    for (size_t c = 0; c < launches->n; c++) {
        const struct rfl_launch_class *class = &launches->classes[c];
        if (record_ncu_is_of(class, kernel) && find_counted(session, class))
            counted_s += class->time_s;
    }
    for (size_t c = 0; c < launches->n && counted_s > 0; c++) {
        const struct rfl_launch_class *class = &launches->classes[c];
        const struct rfl_point *counted =
            record_ncu_is_of(class, kernel) ? find_counted(session, class) : NULL;
        if (!counted)
            continue;
        n_counted += counted->launches;
        record_ncu_add_counts(
            counted, class->launches / counted->launches * kernel->time_s / counted_s,
            class->time_s / counted_s, point);
        point->registers = fmax(point->registers, class->registers);
        if (might_be_kept(session, class))
            emptied_s += class->time_s;
        if (counted->launches < class->launches)
            spread = fmax(spread, rfl_launches_spread(class));
    }
    if (spread > noted_spread)
        rfl_points_warn(point,
                        "its launches of one grid and block differ in time by up to %.2g "
                        "%% (standard deviation), and %llu stood for all: if they differ "
                        "in work, too, counts are wrong; `--launches N` counts more",
                        100 * spread, launches_counted(session->record->options));
    session->emptied_s += emptied_s;
    if (emptied_s > 0) {
        rfl_points_warn(point, "%s", emptied);
        rfl_points_value(point, "emptied_caches", emptied_s / kernel->time_s);
    }
    if (counted_s > 0 && counted_s < (1 - 1e-9) * kernel->time_s)
        rfl_points_warn(point,
                        "of %.3g %% of its time grid or block were not profiled: counted "
                        "at the rate of the others",
                        100 * (1 - counted_s / kernel->time_s));
    if (counted_s == 0)
        rfl_points_missing(point, "counts", "%s",
                           session->is_profiled ? "ncu saw no launch of it"
                                                : "ncu counted nothing");
    rfl_points_value(point, "profiled_launches", n_counted);
    return counted_s;
}

/* Adds the time of the other kernels as one point, so that the table's sum is the GPU's time. */
static void record_ncu_add_others(struct session *session)
{
    double time_s = 0, launches = 0;
    size_t n = 0;
    for (size_t k = 0; k < session->n_kernels; k++) {
        const struct kernel *kernel = &session->kernels[k];
        if (kernel->is_chosen)
            continue;
        n++;
        time_s += kernel->time_s;
        launches += kernel->launches;
    }
    if (n == 0)
        return;
    const char *name =
        ert_strings_format(&session->record->points->strings, "other kernels (%zu)", n);
    rfl_points_missing(record_ncu_add_point(session, name, "", launches, time_s), "counts",
                       "not profiled: --top %zu takes them too", session->n_kernels);
}

/* Adds copies and fills, whose bytes need no counter. Returns their time. */
static double add_copies(struct session *session)
{
    /* Reads and writes of the bounding level per byte of the copy. */
    static const struct copy {
        const char *name, *level;
        double reads, writes;
    } copies[] = {
        {"memcpy HtoD", "host", 1, 0},
        {"memcpy DtoH", "host", 0, 1},
        {"memcpy DtoD", "HBM",  1, 1},
        {"memset",      "HBM",  0, 1}
    };

    double time_s = 0;
    for (size_t c = 0; c < session->launches.n; c++) {
        const struct rfl_launch_class *class = &session->launches.classes[c];
        if (class->is_kernel)
            continue;
        time_s += class->time_s;
        struct rfl_point *point = record_ncu_add_point(session, class->name, class->device,
                                                       class->launches, class->time_s);
        for (size_t i = 0; i < ERT_LENGTH(copies); i++)
            if (strcmp(copies[i].name, class->name) == 0)
                rfl_points_accesses(point, copies[i].level,
                                    class->bytes * (copies[i].reads + copies[i].writes),
                                    class->bytes * copies[i].reads, true,
                                    "bytes of the copy (CUPTI)");
    }
    return time_s;
}

static void record_ncu_add_points(struct session *session)
{
    struct rfl_record *record = session->record;
    const struct rfl_import import = {.points = record->points, .first = record->points->n};
    double known_s = 0;
    size_t n = 0;
    for (size_t k = 0; k < session->n_kernels; k++) {
        if (session->kernels[k].is_chosen)
            known_s += record_ncu_add_kernel(session, &session->kernels[k]);
        n += session->kernels[k].is_chosen;
    }
    record_ncu_add_others(session);
    known_s += add_copies(session);
    rfl_kernels_end(&import);
    if (session->counted.origin)
        record->points->origin = rfl_points_text(record->points, session->counted.origin);
    record->points->busy_s = session->launches.time_s;
    if (session->is_profiled)
        record->say(
            "ncu counted %zu of %zu kernels, a launch of each grid and block for all "
            "of them, with %s; with the copies %.1f %% of the GPU's time",
            n, session->n_kernels,
            session->replays_program ? "caches as the program leaves them" : "empty caches",
            100 * known_s / session->launches.time_s);
    if (session->emptied_s > 0)
        record->say("%.1f %% of that time read no more than L2 holds: of these launches "
                    "the HBM bytes may be too many; `--replay application` counts them "
                    "with caches as the program leaves them",
                    100 * session->emptied_s / session->launches.time_s);
    if (session->launches.n_devices > 1)
        record->say(
            "%zu GPUs: a kernel has a row for each, of whose time the table has the sum",
            session->launches.n_devices);
    if (session->launches.n_dropped > 0)
        record->say("the times of %.0f launches are not known: CUPTI dropped them",
                    session->launches.n_dropped);
}

/* Without times from the library: records what ncu profiled of each grid and block. */
static enum ert_status record_alone(struct session *session, struct ert_error *error)
{
    struct rfl_record *record = session->record;
    const char *file = rfl_record_file(record, "ncu.csv");
    ERT_TRY(profile(session, NULL, file, error));
    ERT_TRY(rfl_record_import(record, file, &rfl_import_ncu, record->points, error));
    record->say("launches and times are those that ncu profiled, %llu of each grid and "
                "block, not all of the program's: %s",
                launches_profiled(session),
                !record->options->once ? "libcupti was not found, or saw none"
                                       : "without --once there is a run that times all");
    return ERT_OK;
}

/* is_counted: else only the times of run 1. */
static enum ert_status record_session(struct session *session, bool is_counted,
                                      struct ert_error *error)
{
    struct rfl_record *record = session->record;
    bool is_once = record->options->once, has_library = find_library(record) != NULL;
    if (!is_once)
        ERT_TRY(rfl_launches_read(launches_file(record), &session->launches, error));
    if (!is_once && has_library && session->launches.n_files == 0)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "the program used no NVIDIA GPU (it never called CUDA)");
    if (session->launches.n == 0 && has_library && !is_once && record->options->nvtx)
        return ert_fail(error, ERT_USAGE, "--nvtx: no launch was seen in a range '%.100s'",
                        record->options->nvtx);
    if (session->launches.n == 0 && is_counted)
        return record_alone(session, error);
    sum_kernels(session);
    enum ert_status status = ERT_OK;
    if (session->n_kernels > 0)
        status = record_ncu_choose(session, error);
    if (session->n_kernels > 0 && is_counted && status == ERT_OK) {
        write_pattern(session, false);
        status = record_ncu_count(session, "ncu.csv", &session->counted, error);
        session->is_profiled = status == ERT_OK;
    }
    if (session->is_profiled)
        count_again(session);
    record_ncu_add_points(session); /* times are kept even if nothing could be counted */
    return status;
}

static enum ert_status record_as(struct rfl_record *record, bool is_counted,
                                 struct ert_error *error)
{
    struct session session = {.record = record,
                              .replays_program =
                                  strcmp(record->options->replay, "application") == 0};
    enum ert_status status = record_session(&session, is_counted, error);
    rfl_launches_free(&session.launches);
    rfl_points_free(&session.counted);
    rfl_points_free(&session.again);
    free(session.kernels);
    free(session.pattern);
    return status;
}

static enum ert_status record(struct rfl_record *record, struct ert_error *error)
{
    return record_as(record, true, error);
}

static enum ert_status record_ncu_keep(struct rfl_record *record, struct ert_error *error)
{
    return record_as(record, false, error);
}

const struct rfl_recorder rfl_recorder_ncu = {
    .name = "ncu",
    .summary = "Nsight Compute: kernels of NVIDIA GPUs, with their times from CUPTI",
    .device = RFL_PROFILED_GPU,
    .works = record_ncu_works,
    .prepare = record_ncu_prepare,
    .suits = record_ncu_suits,
    .record = record,
    .keep = record_ncu_keep,
};
