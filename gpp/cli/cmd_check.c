/* SPDX-License-Identifier: BSD-3-Clause */
/* ert-gpp check: compares versions with the reference on small odd sizes, for all nw. */
#include "gpp/cli/commands.h"

#include "gpp/measure.h"

#include <math.h>

struct options {
    const char *version, *device, *isa;
    uint64_t threads;
};

static const struct ert_opt rows[] = {
    ERT_OPT("version", TEXT, version, "LIST",
            "versions: e.g. v0,v8 or cpu, gpu, all (default: all of the device)"),
    ERT_OPT("device", TEXT, device, "ID", "cpu or gpu0, gpu1 ... (default: cpu)"),
    ERT_OPT("isa", TEXT, isa, "NAME",
            "CPU: avx512, avx2, sse2, neon (default: the best here)"),
    ERT_OPT_WITHIN("threads", COUNT, threads, "N",
                   "CPU: threads (default: all CPUs of this process)", 1, 4096),
};

static const struct gpp_sizes sizes[] = {
    {1,   1,  1,    1},
    {1,   1,  1,    2},
    {3,   1,  8,    3},
    {1,   5,  9,    4},
    {5,   3,  31,   5},
    {7,   11, 33,   6},
    {64,  7,  128,  1},
    {65,  9,  129,  2},
    {29,  23, 257,  3},
    {67,  31, 513,  4},
    {131, 3,  67,   5},
    {13,  17, 1031, 6}
};

/* Results of the runs of a version. */
struct tally {
    size_t n_runs, n_wrong;
    double worst; /* the largest error */
};

/* Runs one version on a problem, with both contractions and strides; prints wrong results. */
static enum ert_status check_problem(const struct gpp_version *version,
                                     const struct gpp_problem *problem,
                                     struct gpp_options how, struct tally *tally,
                                     struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct gpp_reference reference;
    ERT_TRY(gpp_reference_compute(problem, &reference, error));
    for (int no_fma = 0; no_fma < 2; no_fma++)
        for (size_t stride = 1; stride <= s->ncouls && stride <= 7; stride += 6) {
            struct gpp_measurement m;
            how.no_fma = no_fma;
            how.stride = stride;
            ERT_TRY(gpp_measure(version, problem, &how, 1, &m, error));
            double found = gpp_result_error(&m.result, &reference.result, s->nw);
            if (isnan(found) || found > tally->worst)
                tally->worst = found;
            tally->n_runs++;
            if (found <= GPP_BOUND)
                continue;
            tally->n_wrong++;
            printf("%-4s %zux%zux%zu nw %zu stride %zu%s: error %.3g, must be at most %g\n",
                   version->name, s->nbands, s->ngpown, s->ncouls, s->nw, stride,
                   no_fma ? " no-fma" : "", found, GPP_BOUND);
        }
    return ERT_OK;
}

static enum ert_status check_version(const struct gpp_version *version,
                                     const struct gpp_options *how, size_t *n_wrong,
                                     struct ert_error *error)
{
    struct tally tally = {0};
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++) {
        struct gpp_problem problem;
        ERT_TRY(gpp_problem_generate(&sizes[i], 1, &problem, error));
        enum ert_status status = check_problem(version, &problem, *how, &tally, error);
        gpp_problem_free(&problem);
        ERT_TRY(status);
    }
    printf("%-4s %s: %zu runs, largest error %.2g\n", version->name,
           tally.n_wrong ? "DIFFERS" : "agrees", tally.n_runs, tally.worst);
    fflush(stdout);
    *n_wrong += tally.n_wrong;
    return ERT_OK;
}

static enum ert_status check_cmd_run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {NULL, NULL, NULL, 0};
    struct gpp_options how = {.no_fma = false};
    const struct gpp_version *chosen[GPP_N_VERSIONS];
    size_t n_chosen = 0, n_words = 0, n_wrong = 0;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, &n_words,
                          error));
    ERT_TRY(gpp_versions_select(options.version, options.device, chosen, &n_chosen,
                                &how.gpu, error));
    how.threads = (uint32_t)options.threads;
    how.isa = options.isa;
    for (size_t i = 0; i < n_chosen; i++) {
        enum ert_status status = check_version(chosen[i], &how, &n_wrong, error);
        if (status == ERT_UNAVAILABLE && n_chosen > 1)
            printf("%-4s %s\n", chosen[i]->name, error->text);
        else if (status != ERT_OK)
            return status;
    }
    if (n_wrong)
        return ert_fail(error, ERT_FAILED,
                        "%zu runs differ from the reference by more than %g", n_wrong,
                        GPP_BOUND);
    return ERT_OK;
}

const struct ert_command gpp_command_check = {
    .name = "check",
    .words = "",
    .summary = "check every version on odd sizes, all nw, both contractions",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = check_cmd_run,
};
