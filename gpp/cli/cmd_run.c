/* ert-gpp run: versions on one problem: times, rates, errors against the reference. */
#include "gpp/cli/commands.h"

#include "gpp/cli/select.h"
#include "gpp/subject.h"

#include "analysis/points_json.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct options {
    const char *version, *system, *device, *isa, *save, *load, *out, *reference;
    uint64_t nw, stride, repeat, threads, seed, occupied;
    bool no_fma, once;
};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("version", ERT_OPT_TEXT, version, "LIST",
        "e.g. v0,v8 or cpu, gpu, all (default: all of the device)", 0, 0, NULL),
    ROW("system", ERT_OPT_TEXT, system, "NAME",
        "si214, si510, tiny, small, or sizes NBANDSxNGPOWNxNCOULS (default: small)", 0, 0,
        NULL),
    ROW("nw", ERT_OPT_COUNT, nw, "N", "energies (default: the system's, 2)", 1, GPP_MAX_NW,
        NULL),
    ROW("no-fma", ERT_OPT_FLAG, no_fma, NULL, "the build without contraction", 0, 0, NULL),
    ROW("stride", ERT_OPT_COUNT, stride, "K", "neighbours in ig are K apart (default: 1)",
        1, 2147483647, NULL),
    ROW("device", ERT_OPT_TEXT, device, "ID", "cpu or gpu0, gpu1 ... (default: cpu)", 0, 0,
        NULL),
    ROW("isa", ERT_OPT_TEXT, isa, "NAME",
        "CPU: avx512, avx2, sse2, neon (default: the best here)", 0, 0, NULL),
    ROW("repeat", ERT_OPT_COUNT, repeat, "N", "runs, after one to warm up (default: 5)", 1,
        100000, NULL),
    ROW("once", ERT_OPT_FLAG, once, NULL,
        "a single run, none to warm up and none repeated: for profilers", 0, 0, NULL),
    ROW("threads", ERT_OPT_COUNT, threads, "N", "CPU: (default: all of this process)", 1,
        4096, NULL),
    ROW("seed", ERT_OPT_COUNT, seed, "N", "of the inputs (default: 1)", 0,
        9007199254740992.0, NULL),
    ROW("occupied", ERT_OPT_COUNT, occupied, "N",
        "the first N bands are occupied, the others empty (default: 53 %)", 1, 2147483647,
        NULL),
    ROW("reference", ERT_OPT_CHOICE, reference, "HOW",
        "full sum, 3 sampled rows igp run apart, or none (default: auto: full up to 3e8 "
        "iterations, else sample)",
        0, 0, gpp_reference_words),
    ROW("save", ERT_OPT_TEXT, save, "FILE", "write the inputs there", 0, 0, NULL),
    ROW("load", ERT_OPT_TEXT, load, "FILE", "take the inputs from there", 0, 0, NULL),
    ROW("out", ERT_OPT_TEXT, out, "FILE", "write points.json there", 0, 0, NULL),
#undef ROW
};

/* What is run, and what it is called. */
struct work {
    struct gpp_subject subject;
    const char *system;
};

/* As other ports of GPP, which give the number of occupied bands; 0: as generated. */
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

static enum ert_status get_problem(const struct options *options, struct work *work,
                                   struct ert_error *error)
{
    struct gpp_sizes sizes;
    if (options->load && (options->system || options->nw || options->occupied))
        return ert_fail(error, ERT_USAGE,
                        "--load: the file says the sizes: no --system, --nw, --occupied");
    work->system = options->load     ? options->load
                   : options->system ? options->system
                                     : "small";
    if (options->load)
        return gpp_problem_load(options->load, &work->subject.problem, error);
    ERT_TRY(gpp_select_sizes(work->system, (size_t)options->nw, &sizes, error));
    ERT_TRY(gpp_problem_generate(&sizes, options->seed, &work->subject.problem, error));
    return occupy(&work->subject.problem, options->occupied, error);
}

static void print_head(const struct work *work)
{
    const struct gpp_sizes *s = &work->subject.problem.sizes;
    const struct gpp_shares *shares = &work->subject.shares;
    printf("%s: nbands %zu, ngpown %zu, ncouls %zu, nw %zu, %.4g iterations, seed %llu\n",
           work->system, s->nbands, s->ngpown, s->ncouls, s->nw, gpp_sizes_iterations(s),
           (unsigned long long)work->subject.problem.seed);
    printf("branches %.2f %.2f %.2f %%, cutoff %.2f %%, occupied %.1f %%\n",
           100 * shares->first, 100 * shares->second, 100 * shares->third,
           100 * shares->cutoff, 100 * shares->occupied);
    if (work->subject.checked)
        printf("reference: %s, condition %.3g, bound %g\n",
               work->subject.checked == &work->subject.problem
                   ? "full"
                   : "3 sampled rows, run apart",
               work->subject.reference.condition, GPP_BOUND);
    printf("%-4s %-12s %-25s %-14s %7s %6s %9s %4s %5s  %s\n", "", "time", "interval",
           "rate", "flop/it", "FMA %", "error", "regs", "warps", "device");
}

static void print_row(const struct gpp_measurement *m, const struct gpp_counts *counts,
                      double iterations, double error)
{
    char time[ERT_UNITS_TEXT], low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT],
        rate[ERT_UNITS_TEXT];
    char interval[2 * ERT_UNITS_TEXT + 8], verdict[24] = "-";
    snprintf(interval, sizeof interval, "%s to %s", ert_units_time(m->low_s, low),
             ert_units_time(m->high_s, high));
    if (error >= 0 || isnan(error))
        snprintf(verdict, sizeof verdict, "%.2g", error);
    printf("%-4s %-12s %-25s %-14s %7.1f %6.1f %9s %4u %5.0f  %s", m->version->name,
           ert_units_time(m->time_s, time), interval,
           ert_units_performance(counts->flops * iterations / m->time_s, rate),
           counts->flops, 100 * counts->fma_share, verdict, m->facts.registers,
           m->facts.warps_per_sm, m->facts.device);
    if (m->facts.threads)
        printf(", %u threads%s", m->facts.threads, m->facts.is_pinned ? " pinned" : "");
    if (*m->facts.notes)
        printf("; %s", m->facts.notes);
    printf("\n");
    fflush(stdout); /* a run takes minutes: row by row */
}

static enum ert_status run_versions(const struct options *options, struct work *work,
                                    const struct gpp_options *how,
                                    struct rfl_points *points, struct ert_error *error)
{
    const struct gpp_version *chosen[GPP_N_VERSIONS];
    const struct gpp_sizes *sizes = &work->subject.problem.sizes;
    size_t n_chosen = 0, n_wrong = 0;
    const char *device = options->device    ? options->device
                         : options->version ? NULL
                                            : "cpu";
    ERT_TRY(gpp_select_versions(options->version ? options->version : "all", device, chosen,
                                &n_chosen, error));
    print_head(work);
    for (size_t i = 0; i < n_chosen; i++) {
        struct gpp_measurement m;
        struct gpp_counts counts;
        double worst;
        enum ert_status status =
            options->once
                ? gpp_measure_once(chosen[i], &work->subject.problem, how, &m, error)
                : gpp_measure(chosen[i], &work->subject.problem, how,
                              (size_t)options->repeat, &m, error);
        if (status == ERT_UNAVAILABLE && n_chosen > 1) {
            printf("%-4s %s\n", chosen[i]->name, error->text);
            continue;
        }
        if (status != ERT_OK)
            return status;
        ERT_TRY(gpp_subject_compare(&work->subject, &m, &worst, error));
        gpp_counts_of(chosen[i], sizes, &work->subject.shares, how->no_fma, &counts);
        print_row(&m, &counts, gpp_sizes_iterations(sizes), worst);
        n_wrong += work->subject.checked && !(worst <= GPP_BOUND);
        ERT_TRY(gpp_measure_point(&m, sizes, &counts, work->system, points, error));
    }
    if (n_wrong)
        return ert_fail(error, ERT_FAILED,
                        "%zu versions differ from the reference by more "
                        "than %g",
                        n_wrong, GPP_BOUND);
    return ERT_OK;
}

static enum ert_status work_all(const struct options *options,
                                const struct gpp_options *how, struct work *work,
                                struct rfl_points *points, struct ert_error *error)
{
    ERT_TRY(get_problem(options, work, error));
    if (options->save)
        ERT_TRY(gpp_problem_save(options->save, &work->subject.problem, error));
    ERT_TRY(gpp_subject_prepare(&work->subject, options->reference, error));
    ERT_TRY(run_versions(options, work, how, points, error));
    if (!options->out)
        return ERT_OK;
    points->origin = "ert-gpp, analytic counts";
    return rfl_points_write(options->out, points, error);
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.stride = 1, .repeat = 5, .seed = 1, .reference = "auto"};
    struct gpp_options how = {.no_fma = false};
    struct work work = {.system = NULL};
    struct rfl_points points = {0};
    const struct gpp_version *chosen[GPP_N_VERSIONS];
    size_t n = 0;
    ERT_TRY(ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv, &options, NULL, 0,
                          &n, error));
    ERT_TRY(gpp_select_device(options.device, &how.gpu, error));
    /* Wrong words are told before minutes of reference. */
    if (options.version)
        ERT_TRY(gpp_select_versions(options.version, options.device, chosen, &n, error));
    how.no_fma = options.no_fma;
    how.stride = (size_t)options.stride;
    how.threads = (uint32_t)options.threads;
    how.isa = options.isa;
    enum ert_status status = work_all(&options, &how, &work, &points, error);
    rfl_points_free(&points);
    gpp_subject_free(&work.subject);
    return status;
}

const struct ert_command gpp_command_run = {
    .name = "run",
    .words = "",
    .summary = "time versions on a system, with rates and errors against the reference",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
};
