/* ert-gpp check: versions on small odd sizes and all nw against the reference. */
#include "gpp/cli/commands.h"

#include "gpp/measure.h"

#include <math.h>

struct options {
    const char *version, *device, *isa;
    uint64_t threads;
};

static const struct ert_opt rows[] = {
    {"version", ERT_OPT_TEXT,  offsetof(struct options, version), "LIST",
     "e.g. v0,v8 or cpu, gpu, all (default: all of the device)", 0, 0,    NULL},
    {"device",  ERT_OPT_TEXT,  offsetof(struct options, device),  "ID",
     "cpu or gpu0, gpu1 ... (default: cpu)",                     0, 0,    NULL},
    {"isa",     ERT_OPT_TEXT,  offsetof(struct options, isa),     "NAME",
     "CPU: avx512, avx2, sse2, neon (default: the best here)",   0, 0,    NULL},
    {"threads", ERT_OPT_COUNT, offsetof(struct options, threads), "N",
     "CPU: (default: all of this process)",                      1, 4096, NULL},
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

/* One version on one problem: prints what is wrong; the largest error into *worst. */
static enum ert_status check_one(const struct gpp_version *version,
                                 const struct gpp_problem *problem,
                                 const struct gpp_reference *reference,
                                 const struct gpp_options *how, double *worst,
                                 size_t *n_wrong, struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct gpp_measurement m;
    ERT_TRY(gpp_measure(version, problem, how, 1, &m, error));
    double found = gpp_result_error(&m.result, &reference->result, s->nw);
    *worst = isnan(found) ? found : fmax(*worst, found);
    if (found <= GPP_BOUND)
        return ERT_OK;
    printf("%-4s %zux%zux%zu nw %zu stride %zu%s: error %.3g, must be at most %g\n",
           version->name, s->nbands, s->ngpown, s->ncouls, s->nw, how->stride,
           how->no_fma ? " no-fma" : "", found, GPP_BOUND);
    ++*n_wrong;
    return ERT_OK;
}

/* Both contractions; strided too. */
static enum ert_status check_size(const struct gpp_version *version,
                                  const struct gpp_sizes *size, struct gpp_options how,
                                  double *worst, size_t *n_wrong, size_t *n_runs,
                                  struct ert_error *error)
{
    struct gpp_problem problem;
    struct gpp_reference reference;
    ERT_TRY(gpp_problem_generate(size, 1, &problem, error));
    enum ert_status status = gpp_reference_compute(&problem, &reference, error);
    for (int no_fma = 0; no_fma < 2 && status == ERT_OK; no_fma++)
        for (size_t stride = 1; stride <= size->ncouls && stride <= 7 && status == ERT_OK;
             stride += 6) {
            how.no_fma = no_fma;
            how.stride = stride;
            status = check_one(version, &problem, &reference, &how, worst, n_wrong, error);
            ++*n_runs;
        }
    gpp_problem_free(&problem);
    return status;
}

static enum ert_status check_version(const struct gpp_version *version,
                                     const struct gpp_options *how, size_t *n_wrong,
                                     struct ert_error *error)
{
    double worst = 0;
    size_t n_runs = 0, before = *n_wrong;
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++)
        ERT_TRY(check_size(version, &sizes[i], *how, &worst, n_wrong, &n_runs, error));
    printf("%-4s %s: %zu runs, largest error %.2g\n", version->name,
           *n_wrong == before ? "agrees" : "DIFFERS", n_runs, worst);
    fflush(stdout);
    return ERT_OK;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
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
    .summary =
        "every version on odd sizes, all nw, both contractions, against the reference",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run,
};
