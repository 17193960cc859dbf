/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: rows of functions and loops. Our Valgrind tool counts them (valgrind/code.h); their times are shares
 * of samples that a preloaded library takes in runs of their own (valgrind/sampler.c).
 */
#include "analysis/ext/record/record.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs until so many seconds of CPU time are sampled, but not more than so often. */
static const double sampled_s = 1.5;
enum { MOST_RUNS = 5 };

/* A program of less time than this is not sampled: clock ticks are up to 10 ms apart. */
static const double least_s = 0.08;

/* Parts of less of the samples are no row. */
static const double least_part = 0.04;
enum { MOST_ROWS = 8 };

/* Of code without counts, as much of the time as this is told. */
static const double told_part = 0.1;

const char *rfl_code_preload(const struct rfl_record *record)
{
    const char *before = getenv("LD_PRELOAD"),
               *sampler = rfl_record_shipped(record, "valgrind", "libroofline-sampler.so");
    return sampler ? ert_strings_format(&record->points->strings, "LD_PRELOAD=%s%s%s",
                                        sampler, before ? ":" : "", before ? before : "")
                   : NULL;
}

enum ert_status rfl_code_sample(struct rfl_record *record, struct ert_error *error)
{
    static const char *const no_words[] = {NULL};
    struct ert_strings *strings = &record->points->strings;
    const char *folder, *preload = rfl_code_preload(record);
    ERT_TRY(rfl_record_fresh(record, "samples", &folder, error));
    if (!preload)
        record->say("libroofline-sampler.so is not beside roofline: no rows of functions "
                    "and loops");
    if (!preload || record->options->once || record->is_mpi || record->end.interrupt ||
        record->end.cpu_s < least_s)
        return ERT_OK;
    const char *const environment[] = {
        preload, ert_strings_format(strings, "RFL_SAMPLES=%s/run", folder), NULL};
    for (double used_s = 0; used_s < sampled_s && record->n_sampled < MOST_RUNS;
         used_s += record->end.cpu_s) {
        struct ert_tool_end end = {0};
        ERT_TRY(rfl_record_run(record, no_words, environment, "sampled", &end, error));
        if (end.interrupt || end.exit_code != record->end.exit_code)
            break;
        record->sampled_s += end.elapsed_s;
        record->n_sampled++;
    }
    return ERT_OK;
}

/* ---- samples ---- */

struct sample {
    double object, address;
    uint32_t thread, n, n_system;
};

struct object {
    double id, lost;  /* lost: its samples in code without counts */
    const char *path; /* the points own it */
};

struct samples {
    struct object *objects; /* malloc */
    size_t n_objects, object_capacity;
    struct sample *samples; /* malloc */
    size_t n, capacity;
    double cpu_s, total;
};

/* A line of fewer cells: the CPU time, an object, or one that was cut when the program was killed. */
static void read_note(const char *line, struct rfl_points *points, struct samples *all)
{
    char *end;
    const double value = strtod(line, &end);
    if (*end == '\0')
        all->cpu_s += 1e-9 * value;
    if (strncmp(end, " /", 2) != 0)
        return;
    all->objects = ert_xgrow(all->objects, all->n_objects, &all->object_capacity,
                             sizeof *all->objects);
    all->objects[all->n_objects++] =
        (struct object){.id = value, .path = rfl_points_text(points, end + 1)};
}

static void read_samples(const char *file, struct rfl_points *points, struct samples *all)
{
    struct ert_lines lines;
    struct ert_error error;
    if (ert_lines_open(file, &lines, &error) != ERT_OK)
        return;
    for (const char *line; (line = ert_lines_next(&lines));) {
        struct sample sample;
        if (sscanf(line, "%lf %lf %u %u %u", &sample.object, &sample.address,
                   &sample.thread, &sample.n, &sample.n_system) != 5) {
            read_note(line, points, all);
            continue;
        }
        all->samples =
            ert_xgrow(all->samples, all->n, &all->capacity, sizeof *all->samples);
        all->samples[all->n++] = sample;
        all->total += sample.n;
    }
    ert_lines_close(&lines);
}

static void read_folder(struct rfl_record *record, struct samples *all)
{
    const char **files = rfl_record_files(record, rfl_record_file(record, "samples"));
    for (size_t i = 0; files[i]; i++)
        read_samples(files[i], record->points, all);
    free(files);
}

/* ---- points ---- */

/* The point of the shortest code, loops before their functions, that has a sample; NULL: none. */
static struct rfl_point *find_code(const struct rfl_points *points,
                                   const struct sample *sample)
{
    struct rfl_point *found = NULL;
    double shortest = INFINITY;
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_point *point = &points->points[i];
        const double begin = rfl_point_value(point, "code_begin"),
                     end = rfl_point_value(point, "code_end");
        if (rfl_point_value(point, "code_object") == sample->object &&
            sample->address >= begin && sample->address < end && end - begin < shortest) {
            shortest = end - begin;
            found = point;
        }
    }
    return found;
}

/* Samples of a point: by thread, since threads run side by side. */
struct tally {
    double n, most, n_system; /* of all threads, of the busiest; in the operating system */
    double *by_thread;
};

/* Sets the time of a point from its part of the sampled runs, as its busiest thread had it. */
static void set_time(struct rfl_record *record, const struct samples *all,
                     const struct tally *tally, size_t n_threads, struct rfl_point *point)
{
    double seconds[RFL_MOST_TIMED];
    const double part =
        tally->most * (all->cpu_s / all->total) / fmax(record->sampled_s, 1e-9);
    /* Twice the standard deviation of a count. */
    const double error = fmin(0.9, 2 / sqrt(tally->n));
    for (size_t i = 0; i < n_threads; i++)
        point->threads += tally->by_thread[i] > 0.25 * tally->most;
    for (size_t i = 0; i < record->timing.n; i++)
        seconds[i] = part * record->timing.runs[i].elapsed_s;
    rfl_timing_set(&record->timing, seconds, point);
    const double low = point->time_low_s > 0 ? point->time_low_s : point->time_s;
    point->time_low_s = low * (1 - error);
    point->time_high_s = fmax(point->time_s, point->time_high_s) * (1 + error);
    point->time_recipe = ert_strings_format(
        &record->points->strings, "%.0f %% of %.0f samples of the run without a profiler",
        100 * tally->n / all->total, all->total);
    rfl_point_remove_missing(point, "time");
    rfl_points_value(point, "part_of_run", tally->n / all->total);
    rfl_points_value(point, "system_share", tally->n_system / tally->n);
}

/* Removes the values that only found the samples, and of names the program, " [stream]", but no library. */
static void drop_places(struct rfl_point *point)
{
    const char *object = strrchr(point->name, '[');
    size_t n = 0;
    if (object && object > point->name && !strstr(object, ".so"))
        point->name = ert_strings_format(&point->set->strings, "%.*s",
                                         (int)(object - point->name - 1), point->name);
    for (size_t i = 0; i < point->n_values; i++)
        if (strncmp(point->values[i].name, "code_", 5) != 0)
            point->values[n++] = point->values[i];
    point->n_values = n;
}

static int later(const void *a, const void *b)
{
    const struct rfl_point *x = a, *y = b;
    return (x->time_s < y->time_s) - (x->time_s > y->time_s);
}

/* Counts the samples of each point; those of none for their object. */
static void count_samples(const struct rfl_points *points, const struct samples *all,
                          struct tally *tallies, size_t n_threads)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct sample *sample = &all->samples[i];
        const struct rfl_point *point = find_code(points, sample);
        size_t object = 0;
        while (!point && object < all->n_objects &&
               all->objects[object].id != sample->object)
            object++;
        if (!point && object < all->n_objects)
            all->objects[object].lost += sample->n;
        if (!point)
            continue;
        struct tally *tally = &tallies[point - points->points];
        if (!tally->by_thread)
            tally->by_thread = ert_xcalloc(n_threads, sizeof *tally->by_thread);
        tally->n += sample->n;
        tally->n_system += sample->n_system;
        tally->by_thread[sample->thread] += sample->n;
        tally->most = fmax(tally->most, tally->by_thread[sample->thread]);
    }
}

/*
 * Tells the user if much of the time was in code of a library that has no counts: it did not run when it was
 * counted, or each part of it is negligible there.
 */
static void say_lost(const struct rfl_record *record, const struct samples *all)
{
    const struct object *most = all->objects;
    for (size_t i = 0; i < all->n_objects; i++)
        most = all->objects[i].lost > most->lost ? &all->objects[i] : most;
    if (most && most->lost > told_part * all->total && record->points->n > 0)
        record->say(
            "%.0f %% of its time is in code of %s without counts of its own: threads "
            "that wait for others, code chosen by the CPU, or many small functions",
            100 * most->lost / all->total, strrchr(most->path, '/') + 1);
}

/* Puts the points that are no code first, then those of code with enough samples, longest first. */
static void choose(struct rfl_record *record, const struct samples *all,
                   struct tally *tallies, size_t n_threads, bool has_rows)
{
    struct rfl_points *points = record->points;
    size_t n = 0, n_other;
    double in_rows = 0;
    struct rfl_point *kept = ert_xcalloc(points->n, sizeof *kept);
    for (size_t i = 0; i < points->n; i++)
        if (!rfl_record_is_code(&points->points[i]))
            kept[n++] = points->points[i];
    n_other = n;
    for (size_t i = 0; i < points->n && has_rows; i++) {
        struct rfl_point *point = &points->points[i];
        if (!rfl_record_is_code(point) || tallies[i].n < least_part * all->total)
            continue;
        set_time(record, all, &tallies[i], n_threads, point);
        drop_places(point);
        in_rows += tallies[i].n / all->total;
        kept[n++] = *point;
    }
    if (has_rows && n_other)
        rfl_points_value(&kept[0], "part_of_rows", in_rows);
    qsort(kept + n_other, n - n_other, sizeof *kept, later);
    points->n = n < n_other + MOST_ROWS ? n : n_other + MOST_ROWS;
    memcpy(points->points, kept, points->n * sizeof *kept);
    free(kept);
}

void rfl_code_time(struct rfl_record *record)
{
    struct rfl_points *points = record->points;
    struct samples all = {0};
    const size_t n_points = points->n;
    size_t n_threads = 1, n_other = 0;
    if (record->n_sampled)
        read_folder(record, &all);
    for (size_t i = 0; i < points->n; i++)
        n_other += !rfl_record_is_code(&points->points[i]);
    for (size_t i = 0; i < all.n; i++)
        n_threads =
            all.samples[i].thread >= n_threads ? all.samples[i].thread + 1 : n_threads;
    struct tally *tallies = ert_xcalloc(points->n + 1, sizeof *tallies);
    count_samples(points, &all, tallies, n_threads);
    if (n_other == 1)
        say_lost(record, &all);
    /* Regions say more. */
    choose(record, &all, tallies, n_threads, all.total > 0 && n_other <= 1);
    for (size_t i = 0; i < n_points; i++)
        free(tallies[i].by_thread);
    free(tallies);
    free(all.samples);
    free(all.objects);
}
