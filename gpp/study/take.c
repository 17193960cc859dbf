#include "gpp/study/take.h"

#include "gpp/study/points.h"
#include "gpp/study/study_json.h"

#include "ert/base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known while rows are taken; csv: what ncu printed so far, by contraction. */
struct work {
    const struct gpp_study_plan *plan;
    struct gpp_study *study;
    struct {
        char *text;
        size_t size;
    } csv[2];
};

/* "gpu0, NVIDIA H200" names the GPU, which the engine alone knows. */
static void name_device(struct gpp_study *study, const struct gpp_facts *facts)
{
    const char *name = strstr(facts->device, ", ");
    if (!*study->model && name)
        snprintf(study->model, sizeof study->model, "%s", name + 2);
}

static enum ert_status measure(const struct work *work, const struct gpp_subject *subject,
                               struct gpp_study_row *row, struct ert_error *error)
{
    const struct gpp_version *version = row->m.version;
    struct gpp_options how = work->plan->how;
    double worst;
    how.no_fma = row->m.options.no_fma;
    ERT_TRY(
        gpp_measure(version, &subject->problem, &how, work->plan->repeat, &row->m, error));
    gpp_counts_of(version, &subject->problem.sizes, &subject->shares, how.no_fma,
                  &row->counts);
    name_device(work->study, &row->m.facts);
    ERT_TRY(gpp_subject_compare(subject, &row->m, &worst, error));
    if (!isfinite(worst))
        return ert_fail(error, ERT_FAILED, "its sums are no numbers: %g off the reference",
                        worst);
    row->error = worst < 0 ? NAN : worst;
    return ERT_OK;
}

/* Appends what ncu printed to the file of the contraction, which a later study can be given. */
static enum ert_status keep_csv(struct work *work, bool no_fma, const char *text,
                                struct ert_error *error)
{
    size_t size = strlen(text), old = work->csv[no_fma].size;
    char *grown = realloc(work->csv[no_fma].text, old + size + 1);
    if (!grown)
        return ert_fail(error, ERT_FAILED, "no memory for %zu bytes of ncu's", old + size);
    memcpy(grown + old, text, size);
    work->csv[no_fma].text = grown;
    work->csv[no_fma].size = old + size;
    return ert_file_write(work->plan->counting.files[no_fma], grown, old + size, error);
}

/* The sizes that ncu sees. */
static struct gpp_sizes profiled_sizes(const struct work *work,
                                       const struct gpp_study_row *row)
{
    const struct gpp_counting *counting = &work->plan->counting;
    struct gpp_sizes sizes = counting->sizes.nbands ? counting->sizes : work->study->sizes;
    sizes.nw = row->nw;
    return sizes;
}

/* Joins the names of n rows' versions: "v0,v1,v2". */
static void list_versions(const struct gpp_study_row *rows, size_t n, char *list,
                          size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < n && used < size; i++)
        if (gpp_row_is_measured(&rows[i]))
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? "," : "",
                                     rows[i].m.version->name);
}

/* Runs n rows of one nw and contraction under ncu, one launch of each. */
static enum ert_status run_ncu(struct work *work, const struct gpp_study_row *rows,
                               size_t n, struct ert_error *error)
{
    const struct gpp_counting *counting = &work->plan->counting;
    const struct gpp_sizes sizes = profiled_sizes(work, &rows[0]);
    const bool no_fma = rows[0].m.options.no_fma;
    char versions[8 * GPP_N_VERSIONS], problem[80], nw[8], seed[24], *csv = NULL;
    list_versions(rows, n, versions, sizeof versions);
    snprintf(problem, sizeof problem, "%zux%zux%zu", sizes.nbands, sizes.ngpown,
             sizes.ncouls);
    snprintf(nw, sizeof nw, "%zu", rows[0].nw);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)work->study->seed);
    const char *const words[] = {"run",
                                 "--version",
                                 versions,
                                 "--system",
                                 problem,
                                 "--nw",
                                 nw,
                                 "--seed",
                                 seed,
                                 "--device",
                                 work->study->device,
                                 "--once",
                                 "--reference",
                                 "none",
                                 no_fma ? "--no-fma" : NULL,
                                 NULL};
    if (!*versions)
        return ERT_OK;
    ERT_TRY(gpp_ncu_run(&counting->ncu, words, counting->sizes.nbands > 0, &csv, error));
    enum ert_status status = keep_csv(work, no_fma, csv, error);
    free(csv);
    return status;
}

static enum ert_status read_counters(const struct work *work, struct gpp_study_row *row,
                                     struct ert_error *error)
{
    const struct gpp_counting *counting = &work->plan->counting;
    const char *file = counting->files[row->m.options.no_fma];
    const struct gpp_sizes sizes = profiled_sizes(work, row);
    if (!file)
        return ert_fail(error, ERT_UNAVAILABLE, "no table of ncu for this contraction");
    return gpp_counted_read(
        file, row->m.version, row->nw, row->counts.launches, gpp_sizes_iterations(&sizes),
        gpp_row_iterations(work->study, row), &work->study->strings, &row->counted, error);
}

/* Not fatal: a row without counters says why, and has its formulas. */
static void count(struct work *work, struct gpp_study_row *row, bool is_alone)
{
    const struct gpp_counting *counting = &work->plan->counting;
    const struct gpp_sizes sizes = profiled_sizes(work, row);
    struct ert_error error = {ERT_OK, ""};
    if (!counting->is_on || !gpp_row_is_measured(row))
        return;
    gpp_counted_clear(&row->counted);
    enum ert_status status = is_alone ? run_ncu(work, row, 1, &error) : ERT_OK;
    if (status == ERT_OK)
        status = read_counters(work, row, &error);
    if (status != ERT_OK)
        snprintf(row->counted.reason, sizeof row->counted.reason, "%.255s", error.text);
    else if (counting->sizes.nbands)
        snprintf(row->counted.sizes, sizeof row->counted.sizes, "%zux%zux%zu", sizes.nbands,
                 sizes.ngpown, sizes.ncouls);
    work->study->has_counters = work->study->has_counters || row->counted.is_there;
}

static enum ert_status keep(const struct work *work, struct ert_error *error)
{
    const struct gpp_study_plan *plan = work->plan;
    return plan->file ? gpp_study_write(plan->file, work->study, error) : ERT_OK;
}

/*
 * Counts and places n rows from `first` on, of one nw and contraction. ncu sees all versions in one
 * process, whose inputs take longer to make than most versions take to run; what that process did not
 * reach, because a version before it failed, is run alone.
 */
static enum ert_status finish(struct work *work, size_t first, size_t n,
                              struct ert_error *error)
{
    const struct gpp_study_plan *plan = work->plan;
    struct gpp_study_row *rows = work->study->rows + first;
    const bool is_ncu = plan->counting.is_on && *plan->counting.ncu.path;
    struct ert_error reason = {ERT_OK, ""};
    const bool is_run = is_ncu && run_ncu(work, rows, n, &reason) == ERT_OK;
    for (size_t i = 0; i < n; i++) {
        count(work, &rows[i], is_ncu && !is_run);
        if (is_run && n > 1 && !rows[i].counted.is_there)
            count(work, &rows[i], true);
        if (plan->ceilings)
            gpp_study_place(work->study, plan->ceilings, &rows[i]);
        if (plan->done && plan->counting.is_on)
            plan->done(work->study, &rows[i]);
        ERT_TRY(keep(work, error));
    }
    return ERT_OK;
}

static enum ert_status take_rows(struct work *work, const struct gpp_subject *subject,
                                 bool no_fma, struct ert_error *error)
{
    const struct gpp_study_plan *plan = work->plan;
    const size_t first = work->study->n_rows;
    for (size_t v = 0; v < plan->n_versions; v++) {
        struct gpp_study_row *row;
        struct ert_error reason = {ERT_OK, ""};
        ERT_TRY(gpp_study_add(work->study, plan->versions[v], subject->problem.sizes.nw,
                              no_fma, &row, error));
        if (measure(work, subject, row, &reason) != ERT_OK) {
            row->m.time_s = 0;
            snprintf(row->failed, sizeof row->failed, "%.255s", reason.text);
        }
        if (plan->done)
            plan->done(work->study, row);
        ERT_TRY(keep(work, error));
    }
    return finish(work, first, plan->n_versions, error);
}

static enum ert_status take_energies(struct work *work, size_t nw, struct ert_error *error)
{
    struct gpp_study *study = work->study;
    struct gpp_subject subject = {.checked = NULL};
    struct gpp_sizes sizes = study->sizes;
    sizes.nw = nw;
    enum ert_status status =
        gpp_problem_generate(&sizes, study->seed, &subject.problem, error);
    if (status == ERT_OK)
        status = gpp_subject_prepare(&subject, work->plan->reference, error);
    if (status == ERT_OK && nw == study->sizes.nw)
        study->shares = subject.shares;
    snprintf(study->reference, sizeof study->reference, "%s",
             !subject.checked                      ? "none"
             : subject.checked == &subject.problem ? "full"
                                                   : "3 sampled rows, run apart");
    for (int no_fma = 0; no_fma < 2 && status == ERT_OK; no_fma++)
        if (work->plan->contractions[no_fma])
            status = take_rows(work, &subject, no_fma, error);
    gpp_subject_free(&subject);
    return status;
}

enum ert_status gpp_study_take(const struct gpp_study_plan *plan, struct gpp_study *study,
                               struct ert_error *error)
{
    struct work work = {.plan = plan, .study = study};
    enum ert_status status = ERT_OK;
    for (size_t nw = 1; nw <= GPP_MAX_NW && status == ERT_OK; nw++)
        if (plan->energies[nw])
            status = take_energies(&work, nw, error);
    free(work.csv[0].text);
    free(work.csv[1].text);
    return status;
}

/* How many rows from `first` on have its nw and contraction. */
static size_t group_of(const struct gpp_study *study, size_t first)
{
    const struct gpp_study_row *rows = study->rows;
    size_t n = 1;
    while (first + n < study->n_rows && rows[first + n].nw == rows[first].nw &&
           rows[first + n].m.options.no_fma == rows[first].m.options.no_fma)
        n++;
    return n;
}

enum ert_status gpp_study_retake(const struct gpp_study_plan *plan, struct gpp_study *study,
                                 struct ert_error *error)
{
    struct work work = {.plan = plan, .study = study};
    enum ert_status status = ERT_OK;
    for (size_t i = 0, n; i < study->n_rows && status == ERT_OK; i += n) {
        n = group_of(study, i);
        status = finish(&work, i, n, error);
    }
    free(work.csv[0].text);
    free(work.csv[1].text);
    return status;
}
