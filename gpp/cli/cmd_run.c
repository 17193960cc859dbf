/* SPDX-License-Identifier: BSD-3-Clause */
/* ert-gpp run: times, compares and counts versions on one problem; writes their points and a table. */
#include "gpp/cli/commands.h"

#include "gpp/versions.h"

#include "analysis/core/place/report.h"
#include "analysis/ext/json/json.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"
#include "ert/core/machine/discover.h"
#include "ert/core/machine/presence.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *version, *system, *device, *isa, *out, *reference;
    uint64_t nw, repeat, threads, seed, occupied;
    bool no_fma, once;
};

static const char *const references[] = {"auto", "full", "sample", "none", NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("version", TEXT, version, "LIST",
            "versions: e.g. v0,v8 (default: all of the device)"),
    ERT_OPT("system", TEXT, system, "NAME",
            "si214, si510, tiny, small, or sizes NBANDSxNGPOWNxNCOULS (default: small)"),
    ERT_OPT_WITHIN("nw", COUNT, nw, "N", "energies (default: the system's, 2)", 1,
                   GPP_MAX_NW),
    ERT_OPT_SWITCH("no-fma", no_fma, "use the build without contraction"),
    ERT_OPT("device", TEXT, device, "ID", "cpu or gpu0, gpu1 ... (default: cpu)"),
    ERT_OPT("isa", TEXT, isa, "NAME",
            "CPU: avx512, avx2, sse2, neon (default: the best here)"),
    ERT_OPT_WITHIN("repeat", COUNT, repeat, "N", "runs, after a warm-up run (default: 5)",
                   1, 100000),
    ERT_OPT_SWITCH("once", once, "a single run without warm-up, for profilers"),
    ERT_OPT_WITHIN("threads", COUNT, threads, "N",
                   "CPU: threads (default: all CPUs of this process)", 1, 4096),
    ERT_OPT_WITHIN("seed", COUNT, seed, "N", "seed of the inputs (default: 1)", 0,
                   9007199254740992.0),
    ERT_OPT_WITHIN("occupied", COUNT, occupied, "N",
                   "the first N bands are occupied, the others empty (default: 53 %)", 1,
                   2147483647),
    ERT_OPT_OF("reference", reference, "HOW",
               "full sum, sample: 3 rows igp, or none (default: auto: full up to 3e8 "
               "iterations, else sample)",
               references),
    ERT_OPT("out", TEXT, out, "FILE", "write points.json to FILE"),
};

/* ---- a problem, its reference, and the timed runs of a version ---- */

/* Rows of a sampled reference, evenly spaced from the first on, with all bands and columns. */
enum { SAMPLED_ROWS = 3 };

/* A problem, and the reference for its results. */
struct subject {
    struct gpp_problem problem, part;  /* part: the sampled rows */
    const struct gpp_problem *checked; /* problem or part; NULL: nothing is compared */
    struct gpp_result reference;       /* of *checked */
    struct gpp_shares shares;
};

struct measurement {
    const struct gpp_version *version;
    struct gpp_options options;
    struct gpp_facts facts;
    struct gpp_result result; /* of the first run */
    size_t repeat;
    double time_s, low_s, high_s; /* median, interval (stats.h) of runs after a warm-up */
    double best_s;
    bool is_repeatable; /* all runs gave the same bits */
    char others[256];   /* other runs on the device at the same time (presence.h), or "" */
};

/* Above this number of iterations the reference, 10 ns each, takes longer than the versions. */
static const double full_iterations = 3e8;

/*
 * Counts the shares of the filled subject->problem and computes its reference: of all rows (full), of sampled
 * rows, on which each version then runs once more (sample), of none, or (auto) of all up to 3e8 iterations,
 * else of sampled rows. ERT_FAILED without memory.
 */
static enum ert_status subject_prepare(struct subject *subject, const char *reference,
                                       struct ert_error *error)
{
    const struct gpp_problem *problem = &subject->problem;
    const struct gpp_sizes *s = &problem->sizes;
    const bool is_auto = strcmp(reference, "auto") == 0;
    gpp_shares_count(problem, 2e7, &subject->shares);
    if (strcmp(reference, "none") == 0)
        return ERT_OK;
    subject->checked = problem;
    if (s->ngpown > SAMPLED_ROWS &&
        ((is_auto && gpp_sizes_iterations(s) > full_iterations) ||
         strcmp(reference, "sample") == 0)) {
        ERT_TRY(gpp_problem_rows(problem, 0, (s->ngpown - 1) / (SAMPLED_ROWS - 1),
                                 SAMPLED_ROWS, &subject->part, error));
        subject->checked = &subject->part;
    }
    return gpp_reference_compute(subject->checked, &subject->reference, error);
}

static void subject_free(struct subject *subject)
{
    gpp_problem_free(&subject->problem);
    gpp_problem_free(&subject->part);
}

/* times_s: at least one element, since the first run warms up or is the only one. */
static enum ert_status measure_all(const struct gpp_engine *engine,
                                   struct gpp_session *session, double *times_s,
                                   struct measurement *m, struct ert_error *error)
{
    const size_t n = m->repeat ? m->repeat : 1;
    ERT_TRY(engine->run(session, &m->result, &times_s[0], error));
    m->is_repeatable = true;
    for (size_t i = 0; i < m->repeat; i++) {
        struct gpp_result again;
        ERT_TRY(engine->run(session, &again, &times_s[i], error));
        m->is_repeatable =
            m->is_repeatable && memcmp(&again, &m->result, sizeof again) == 0;
    }
    m->time_s = ert_stats_median(times_s, n);
    m->best_s = ert_stats_quantile(times_s, n, 0);
    ert_stats_interval(times_s, n, &m->low_s, &m->high_s);
    return ERT_OK;
}

/*
 * Opens a session, runs once to warm up and then `repeat` times. repeat 0: one run without warm-up, so that a
 * profiler sees one run. Errors as the engine's.
 */
static enum ert_status measure_version(const struct gpp_version *version,
                                       const struct gpp_problem *problem,
                                       const struct gpp_options *options, size_t repeat,
                                       struct measurement *measurement,
                                       struct ert_error *error)
{
    const struct gpp_engine *engine;
    ERT_TRY(gpp_engine_of(version->device, &engine, error));
    struct measurement made = {.version = version, .options = *options, .repeat = repeat};
    struct gpp_session *session = NULL;
    double *times_s = ert_xcalloc(repeat + 1, sizeof *times_s);
    enum ert_status status =
        engine->open(version, problem, options, &session, &made.facts, error);
    if (status == ERT_OK) {
        struct ert_presence presence;
        ert_presence_begin(*made.facts.uuid ? made.facts.uuid : "cpu", &presence);
        status = measure_all(engine, session, times_s, &made, error);
        ert_presence_end(&presence, made.others, sizeof made.others);
        engine->close(session);
    }
    free(times_s);
    if (status == ERT_OK)
        *measurement = made;
    return status;
}

/*
 * Writes the error of a measured version (problem.h) to *worst: of its timed run, or of a run on the
 * sampled rows; -1 without a reference. Errors as the engine's.
 */
static enum ert_status subject_compare(const struct subject *subject,
                                       const struct measurement *measurement, double *worst,
                                       struct ert_error *error)
{
    struct measurement part = *measurement;
    *worst = -1;
    if (!subject->checked)
        return ERT_OK;
    if (subject->checked != &subject->problem)
        ERT_TRY(measure_version(part.version, subject->checked, &part.options, 1, &part,
                                error));
    *worst = gpp_result_error(&part.result, &subject->reference, subject->problem.sizes.nw);
    return ERT_OK;
}

/*
 * Appends the measurement as a point, with its counts from the formulas, for a problem of these sizes with
 * the name `system`: "si214". The point's name is the version's, its run the problem's: "si214 nw=2 no-fma".
 * worst: as above.
 */
static void measure_point(const struct measurement *m, const struct gpp_sizes *sizes,
                          const struct gpp_counts *counts, const char *system, double worst,
                          struct rfl_points *points)
{
    const bool is_gpu = m->version->device == GPP_GPU;
    const double iterations = gpp_sizes_iterations(sizes);
    const struct rfl_value values[] = {
        {"iterations",            iterations                                             },
        {"repeat",                (double)m->repeat                                      },
        {"repeats_bit_for_bit",   m->repeat ? m->is_repeatable : NAN                     },
        {"best_s",                m->best_s                                              },
        {"relative_error",        worst >= 0 ? worst : NAN                               },
        {"block_threads",         m->facts.block_threads ? m->facts.block_threads : NAN  },
        {"resident_warps_per_sm", m->facts.warps_per_sm > 0 ? m->facts.warps_per_sm : NAN},
    };
    struct rfl_point *point = rfl_points_add(points, m->version->name);
    point->run = ert_strings_format(&points->strings, "%s nw=%zu%s", system, sizes->nw,
                                    m->options.no_fma ? " no-fma" : "");
    point->format = "points";
    point->time_s = m->time_s;
    point->time_low_s = m->low_s;
    point->time_high_s = m->high_s;
    point->time_recipe = is_gpu ? "CUDA events, median" : "CLOCK_MONOTONIC, median";
    point->launches = counts->launches;
    point->warps_per_sm = m->facts.warps_per_sm;
    point->threads = m->facts.threads;
    point->registers = m->facts.registers;
    if (*m->others)
        rfl_points_warn(point, "measured at the same time as %s", m->others);
    for (size_t i = 0; i < ERT_LENGTH(values); i++)
        rfl_points_value(point, values[i].name, values[i].value);
    rfl_points_work(point, "fp64", "core", counts->flops * iterations, counts->fma_share,
                    counts->flops_recipe);
    rfl_points_traffic(point, is_gpu ? "HBM" : "DRAM", counts->bytes, counts->bytes_recipe);
}

/* ---- the command ---- */

struct work {
    struct options options;
    struct gpp_options how;
    const struct gpp_version *versions[GPP_N_VERSIONS]; /* requested; then those measured */
    size_t n_versions, n_wrong;
    struct ert_error kept; /* error of the last write of the points */
    const char *system;    /* the problem's name */
    struct subject subject;
    struct gpp_counts counts[GPP_N_VERSIONS]; /* of measured versions, as the points */
    struct rfl_points points;
    char device[16]; /* "cpu", "gpu0": of the first version */
    char made[1200]; /* command, host and date */
};

/* Sets the number of occupied bands, as other ports of GPP do; 0: as generated. */
static enum ert_status occupy(struct gpp_problem *problem, uint64_t n_occupied,
                              struct ert_error *error)
{
    const size_t nbands = problem->sizes.nbands;
    if (n_occupied > nbands)
        return ert_fail(error, ERT_USAGE, "--occupied: %llu, must be 1 to nbands, %zu",
                        (unsigned long long)n_occupied, nbands);
    for (size_t n = 0; n < nbands && n_occupied > 0; n++)
        problem->occ[n] = n < n_occupied;
    return ERT_OK;
}

static enum ert_status get_problem(struct work *work, struct ert_error *error)
{
    const struct options *options = &work->options;
    struct gpp_problem *problem = &work->subject.problem;
    struct gpp_sizes sizes;
    work->system = options->system ? options->system : "small";
    ERT_TRY(gpp_sizes_select(work->system, (size_t)options->nw, &sizes, error));
    ERT_TRY(gpp_problem_generate(&sizes, options->seed, problem, error));
    return occupy(problem, options->occupied, error);
}

static void print_head(const struct work *work)
{
    const struct subject *subject = &work->subject;
    const struct gpp_sizes *s = &subject->problem.sizes;
    const struct gpp_shares *shares = &subject->shares;
    printf("%s: nbands %zu, ngpown %zu, ncouls %zu, nw %zu, ", work->system, s->nbands,
           s->ngpown, s->ncouls, s->nw);
    printf("%.4g iterations, seed %llu\n", gpp_sizes_iterations(s),
           (unsigned long long)subject->problem.seed);
    printf("branches %.2f %.2f %.2f %%, cutoff %.2f %%, occupied %.1f %%\n",
           100 * shares->first, 100 * shares->second, 100 * shares->third,
           100 * shares->cutoff, 100 * shares->occupied);
    if (subject->checked)
        printf("reference: %s, bound %g\n",
               subject->checked == &subject->problem ? "full" : "3 sampled rows, run apart",
               GPP_BOUND);
    printf("%-4s %-12s %-25s %-14s %7s %6s %9s %4s %5s  %s\n", "", "time", "interval",
           "rate", "flop/it", "FMA %", "error", "regs", "warps", "device");
}

static void run_cmd_print_row(const struct measurement *m, const struct gpp_counts *counts,
                              double iterations, double error)
{
    char interval[2 * ERT_UNITS_TEXT + 8], verdict[24] = "-";
    snprintf(interval, sizeof interval, "%s to %s", ert_units_time(m->low_s).text,
             ert_units_time(m->high_s).text);
    if (error >= 0 || isnan(error))
        snprintf(verdict, sizeof verdict, "%.2g", error);
    printf("%-4s %-12s %-25s %-14s %7.1f %6.1f %9s %4u %5.0f  %s", m->version->name,
           ert_units_time(m->time_s).text, interval,
           ert_units_performance(counts->flops * iterations / m->time_s).text,
           counts->flops, 100 * counts->fma_share, verdict, m->facts.registers,
           m->facts.warps_per_sm, m->facts.device);
    if (m->facts.threads)
        printf(", %u threads", m->facts.threads);
    if (*m->facts.notes)
        printf("; %s", m->facts.notes);
    if (*m->others)
        printf("; disturbed: at the same time as %s", m->others);
    printf("\n");
    fflush(stdout); /* row by row, since a run takes minutes */
}

/*
 * Writes the points after each version, so that a run that ends early loses nothing. Reports a failure at the
 * end: the rows are on the screen, and the next write may succeed.
 */
static void keep_points(struct work *work)
{
    struct rfl_points points = work->points;
    char origin[1500];
    work->kept = (struct ert_error){0};
    if (!work->options.out)
        return;
    snprintf(origin, sizeof origin, "%s: analytic counts", work->made);
    points.origin = origin;
    rfl_points_write(work->options.out, &points, &work->kept);
}

static enum ert_status run_cmd_measure(struct work *work, const struct gpp_version *version,
                                       struct ert_error *error)
{
    const struct subject *subject = &work->subject;
    const struct gpp_sizes *sizes = &subject->problem.sizes;
    const size_t repeat = work->options.once ? 0 : (size_t)work->options.repeat;
    const size_t i = work->points.n;
    struct measurement m;
    double worst;
    ERT_TRY(measure_version(version, &subject->problem, &work->how, repeat, &m, error));
    ERT_TRY(subject_compare(subject, &m, &worst, error));
    work->versions[i] = version;
    gpp_counts_of(version, sizes, &subject->shares, work->how.no_fma, &work->counts[i]);
    run_cmd_print_row(&m, &work->counts[i], gpp_sizes_iterations(sizes), worst);
    work->n_wrong += subject->checked && !(worst <= GPP_BOUND);
    measure_point(&m, sizes, &work->counts[i], work->system, worst, &work->points);
    ERT_TRY(rfl_points_status(&work->points, error));
    keep_points(work);
    return ERT_OK;
}

/* "ert-gpp run --system si214 (host, date, ert 2.0.0, compilers)", for the points. */
static void run_cmd_describe(struct work *work, int argc, char **argv)
{
    struct ert_machine *machine = ert_xcalloc(1, sizeof *machine);
    char **words = ert_xcalloc((size_t)argc + 3, sizeof *words);
    char program[] = "ert-gpp", command[] = "run", date[32];
    words[0] = program;
    words[1] = command;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    ert_discover_provenance(machine, argc + 2, words);
    ert_clock_date(date, sizeof date);
    const struct ert_provenance *p = &machine->provenance;
    snprintf(work->made, sizeof work->made, "%s (%s, %s, ert %s %.48s, %s%s%s)", p->command,
             p->host, date, p->tool_version, p->git, p->compiler, *p->nvcc ? ", nvcc " : "",
             p->nvcc);
    free(words);
    free(machine);
}

/* Checks all options before minutes of measuring. */
static enum ert_status run_cmd_prepare(struct work *work, int argc, char **argv,
                                       struct ert_error *error)
{
    const struct options *options = &work->options;
    ERT_TRY(gpp_versions_select(options->version, options->device, work->versions,
                                &work->n_versions, &work->how.gpu, error));
    if (work->versions[0]->device == GPP_GPU)
        snprintf(work->device, sizeof work->device, "gpu%d", work->how.gpu);
    else
        snprintf(work->device, sizeof work->device, "cpu");
    work->how.no_fma = options->no_fma;
    work->how.threads = (uint32_t)options->threads;
    work->how.isa = options->isa;
    run_cmd_describe(work, argc, argv);
    ERT_TRY(get_problem(work, error));
    return subject_prepare(&work->subject, options->reference, error);
}

static enum ert_status run_cmd_run_all(struct work *work, struct ert_error *error)
{
    const struct rfl_report report = {
        .points = &work->points, .view = "summary", .format = "text"};
    print_head(work);
    for (size_t i = 0; i < work->n_versions; i++) {
        enum ert_status status = run_cmd_measure(work, work->versions[i], error);
        if (status == ERT_UNAVAILABLE && work->n_versions > 1)
            printf("%-4s %s\n", work->versions[i]->name, error->text);
        else if (status != ERT_OK)
            return status;
    }
    if (work->points.n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "no version could be measured here");
    if (work->points.n > 1) {
        fputs("\n", stdout);
        ERT_TRY(rfl_report_write(&report, stdout, error));
    }
    if (work->n_wrong)
        return ert_fail(error, ERT_FAILED,
                        "%zu versions differ from the reference by more than %g",
                        work->n_wrong, GPP_BOUND);
    return work->kept.status == ERT_OK
               ? ERT_OK
               : ert_fail(error, work->kept.status, "%s", work->kept.text);
}

static enum ert_status run_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct work *work = ert_xcalloc(1, sizeof *work);
    work->options = (struct options){.repeat = 5, .seed = 1, .reference = "auto"};
    enum ert_status status = ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv,
                                           &work->options, NULL, 0, NULL, error);
    if (status == ERT_OK)
        status = run_cmd_prepare(work, argc, argv, error);
    if (status == ERT_OK)
        status = run_cmd_run_all(work, error);
    rfl_points_free(&work->points);
    subject_free(&work->subject);
    free(work);
    return status;
}

const struct ert_command gpp_command_run = {
    .name = "run",
    .words = "",
    .summary = "time and count versions on a system, check results, write points",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run_cmd_run,
};
