/* SPDX-License-Identifier: BSD-3-Clause */
/* ert-gpp run: times, compares and counts versions on one problem; writes their points and a table. */
#include "gpp/cli/commands.h"

#include "gpp/measure.h"

#include "analysis/core/place/report.h"
#include "analysis/ext/json/json.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"
#include "ert/core/machine/discover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *version, *system, *device, *isa, *out, *reference;
    uint64_t nw, repeat, threads, seed, occupied;
    bool no_fma, once;
};

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
               gpp_reference_words),
    ERT_OPT("out", TEXT, out, "FILE", "write points.json to FILE"),
};

struct work {
    struct options options;
    struct gpp_options how;
    const struct gpp_version *versions[GPP_N_VERSIONS]; /* requested; then those measured */
    size_t n_versions, n_wrong;
    struct ert_error kept; /* error of the last write of the points */
    const char *system;    /* the problem's name */
    struct gpp_subject subject;
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
    const struct gpp_subject *subject = &work->subject;
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

static void run_cmd_print_row(const struct gpp_measurement *m,
                              const struct gpp_counts *counts, double iterations,
                              double error)
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
    const struct gpp_subject *subject = &work->subject;
    const struct gpp_sizes *sizes = &subject->problem.sizes;
    const size_t repeat = work->options.once ? 0 : (size_t)work->options.repeat;
    const size_t i = work->points.n;
    struct gpp_measurement m;
    double worst;
    ERT_TRY(gpp_measure(version, &subject->problem, &work->how, repeat, &m, error));
    ERT_TRY(gpp_subject_compare(subject, &m, &worst, error));
    work->versions[i] = version;
    gpp_counts_of(version, sizes, &subject->shares, work->how.no_fma, &work->counts[i]);
    run_cmd_print_row(&m, &work->counts[i], gpp_sizes_iterations(sizes), worst);
    work->n_wrong += subject->checked && !(worst <= GPP_BOUND);
    gpp_measure_point(&m, sizes, &work->counts[i], work->system, worst, &work->points);
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
    return gpp_subject_prepare(&work->subject, options->reference, error);
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
    gpp_subject_free(&work->subject);
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
