/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/example.h"

#include "analysis/ext/region/rfl_region.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/program.h"
#include "ert/core/base/random.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    uint64_t n, threads, repeat;
    const char *step;
    bool power, help;
};

/* A step as it was measured. */
struct row {
    double time_s, power_w;
    size_t wrong;
};

struct example_range example_share(size_t n, struct example_team team)
{
    return (struct example_range){n * team.thread / team.threads,
                                  n * (team.thread + 1) / team.threads};
}

double *example_doubles(size_t n)
{
    return aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
}

size_t example_cache_bytes(int level)
{
    static const struct {
        int name;
        size_t common;
    } levels[] = {
        {_SC_LEVEL1_DCACHE_SIZE, 32 << 10},
        {_SC_LEVEL2_CACHE_SIZE,  1 << 20 },
        {_SC_LEVEL3_CACHE_SIZE,  32 << 20}
    };
    long size = sysconf(levels[level - 1].name);
    return size > 0 ? (size_t)size : levels[level - 1].common;
}

double example_whole(size_t index)
{
    return (double)(ert_random_u64(1, index) % 17) - 8;
}

/* Seconds of each of n calls by the team, as its first thread sees them between barriers. */
static void time_calls(const struct example *example, const struct example_step *step,
                       void *data, size_t threads, size_t n, double *times_s)
{
    const struct example_work work = example->work(data, step);
#pragma omp parallel num_threads((int)threads)
    {
        const struct example_team team = {(size_t)omp_get_thread_num(),
                                          (size_t)omp_get_num_threads()};
        for (size_t i = 0; i < n; i++) {
#pragma omp barrier
            const double start_s = ert_clock_now_s();
            rfl_region_begin(step->name);
            step->run(data, step, team);
#pragma omp barrier
            rfl_region_end(step->name);
            if (team.thread == 0) {
                times_s[i] = ert_clock_now_s() - start_s;
                rfl_region_work(step->name, work.flops, work.bytes);
            }
        }
    }
}

/* One call that is no region: it wakes the threads and fills the caches. */
static void warm_up(const struct example_step *step, void *data, size_t threads)
{
#pragma omp parallel num_threads((int)threads)
    step->run(
        data, step,
        (struct example_team){(size_t)omp_get_thread_num(), (size_t)omp_get_num_threads()});
}

/*
 * Watts while a step runs for a second, for counters are slow; NAN, after its reason, where none is
 * readable. A CPU's are for root alone.
 */
static double measure_power(const struct example *example, const struct example_step *step,
                            void *data, size_t threads)
{
    const char *why = "of CPUs perf stat -a -e power/energy-pkg/ tells, as root";
    const double start_j = example->energy_j ? example->energy_j(&why) : -1;
    const double start_s = ert_clock_now_s();
    if (start_j < 0) {
        fprintf(stderr, "%s: no power: %s\n", example->name, why);
        return NAN;
    }
    while (ert_clock_now_s() - start_s < 1)
        warm_up(step, data, threads);
    return (example->energy_j(&why) - start_j) / (ert_clock_now_s() - start_s);
}

static struct row measure(const struct example *example, const struct example_step *step,
                          void *data, const struct options *options)
{
    struct row row = {0, NAN, 0};
    double *times_s = ert_xcalloc(options->repeat, sizeof *times_s);
    if (example->spoil)
        example->spoil(data, step);
    warm_up(step, data, options->threads);
    if (example->spoil)
        example->spoil(data, step);
    time_calls(example, step, data, options->threads, options->repeat, times_s);
    row.time_s = options->repeat > 0 ? ert_stats_median(times_s, options->repeat) : NAN;
    row.wrong = example->wrong(data, step);
    if (options->power)
        row.power_w = measure_power(example, step, data, options->threads);
    free(times_s);
    return row;
}

static void print_row(const struct example_step *step, const struct example_work *work,
                      const struct row *row, double first_s)
{
    printf("%-22s %10.4f %8.2f %9.3f %9.2f", step->name, row->time_s * 1e3,
           first_s / row->time_s, work->flops / row->time_s / 1e9,
           work->bytes / row->time_s / 1e9);
    if (work->bytes > 0)
        printf(" %9.4f", work->flops / work->bytes);
    else
        printf(" %9s", "-");
    if (!isnan(row->power_w))
        printf(" %7.1f W %7.3f GFLOP/J", row->power_w,
               work->flops / row->time_s / row->power_w / 1e9);
    if (row->wrong > 0)
        printf("  WRONG: %zu results", row->wrong);
    printf("  %s\n", step->idea);
    fflush(stdout);
}

/* Whether a step is one of those with --step's words in their names. */
static bool is_chosen(const struct options *options, const struct example_step *step)
{
    return !options->step || strstr(step->name, options->step);
}

static enum ert_status run_steps(const struct example *example,
                                 const struct options *options, void *data,
                                 struct ert_error *error)
{
    double first_s = 0;
    size_t n_wrong = 0, n_run = 0;
    printf("%s: n %llu, threads %llu, calls %llu\n", example->name,
           (unsigned long long)options->n, (unsigned long long)options->threads,
           (unsigned long long)options->repeat);
    printf("%-22s %10s %8s %9s %9s %9s\n", "step", "time ms", "speed-up", "GFLOP/s", "GB/s",
           "flop/byte");
    for (size_t i = 0; i < example->n_steps; i++) {
        const struct example_step *step = &example->steps[i];
        if (!is_chosen(options, step))
            continue;
        const char *why = example->lacks ? example->lacks(data, step) : NULL;
        n_run++;
        if (why) {
            printf("%-22s not run: %s\n", step->name, why);
            continue;
        }
        const struct row row = measure(example, step, data, options);
        const struct example_work work = example->work(data, step);
        if (step->is_first || first_s <= 0)
            first_s = row.time_s;
        n_wrong += row.wrong > 0;
        print_row(step, &work, &row, first_s);
    }
    if (n_run == 0)
        return ert_fail(error, ERT_USAGE,
                        "--step %s: no step has that in its name (--help)", options->step);
    return n_wrong == 0 ? ERT_OK
                        : ert_fail(error, ERT_FAILED, "%zu steps are wrong", n_wrong);
}

static enum ert_status run(const struct example *example, const struct options *options,
                           struct ert_error *error)
{
    void *data = NULL;
    ERT_TRY(example->open(options->n, options->threads, &data, error));
    enum ert_status status = run_steps(example, options, data, error);
    example->close(data);
    return status;
}

static void print_help(const struct example *example, const struct ert_opt *rows, size_t n)
{
    printf("usage: %s [OPTIONS]\n%s\n\n", example->name, example->purpose);
    ert_opt_help(stdout, rows, n);
    printf("\nsteps\n");
    for (size_t i = 0; i < example->n_steps; i++)
        printf("  %-22s %s\n", example->steps[i].name, example->steps[i].idea);
}

int example_main(const struct example *example, int argc, char **argv)
{
    const struct ert_opt rows[] = {
        ERT_OPT_WITHIN("n", COUNT, n, "N", example->n_is, (double)example->least,
                       (double)example->most),
        ERT_OPT_WITHIN("threads", COUNT, threads, "N", "threads; default OpenMP's", 1,
                       4096),
        ERT_OPT_WITHIN(
            "repeat", COUNT, repeat, "N",
            "calls of each step; the median counts; 0: none, so that the check must fail",
            0, 1e9),
        ERT_OPT("step", TEXT, step, "TEXT", "only steps with this in their name"),
        ERT_OPT_SWITCH("power", power, "run each step a second longer and read its power"),
        ERT_OPT_SWITCH("help", help, "this text, and what the steps are"),
    };
    struct options options = {
        example->n, (uint64_t)omp_get_max_threads(), example->repeat, NULL, false, false};
    struct ert_error error = {0};
    size_t n_words = 0;
    enum ert_status status = ert_opt_parse(rows, ERT_LENGTH(rows), argc - 1, argv + 1,
                                           &options, NULL, 0, &n_words, &error);
    if (example->is_gpu)
        options.threads = 1;
    if (status == ERT_OK && options.help)
        print_help(example, rows, ERT_LENGTH(rows));
    else if (status == ERT_OK)
        status = run(example, &options, &error);
    if (status != ERT_OK)
        fprintf(stderr, "%s: %s\n", example->name, error.text);
    return (int)status;
}
