/* ert-gpp study: all versions timed, counted and placed; tables, steps, charts and a page. */
#include "gpp/cli/commands.h"

#include "gpp/cli/select.h"
#include "gpp/cli/study_files.h"
#include "gpp/cli/study_machine.h"
#include "gpp/study/points.h"
#include "gpp/study/report.h"
#include "gpp/study/study_json.h"
#include "gpp/study/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *version, *system, *device, *isa, *nw, *fma, *reference;
    const char *ceilings, *counters, *ncu, *profile_system, *out, *from;
    uint64_t repeat, threads, seed;
    bool no_fma;
};

static const char *const contractions[] = {"on", "off", "both", NULL};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("out", ERT_OPT_TEXT, out, "DIR",
        "folder for study.json, tables, charts and the page; what is there goes aside", 0,
        0, NULL),
    ROW("ceilings", ERT_OPT_TEXT, ceilings, "FILE",
        "ceilings.json of this machine (default: nothing is placed under roofs)", 0, 0,
        NULL),
    ROW("version", ERT_OPT_TEXT, version, "LIST",
        "e.g. v0,v8 or cpu, gpu, all (default: all of the device)", 0, 0, NULL),
    ROW("system", ERT_OPT_TEXT, system, "NAME",
        "si214, si510, tiny, small, or sizes NBANDSxNGPOWNxNCOULS (default: small)", 0, 0,
        NULL),
    ROW("device", ERT_OPT_TEXT, device, "ID", "cpu or gpu0, gpu1 ... (default: cpu)", 0, 0,
        NULL),
    ROW("nw", ERT_OPT_TEXT, nw, "LIST",
        "energies: 2, 1,3,5 or 1-6 (default: the system's, 2)", 0, 0, NULL),
    ROW("fma", ERT_OPT_CHOICE, fma, "WORD", "contraction (default: on)", 0, 0,
        contractions),
    ROW("no-fma", ERT_OPT_FLAG, no_fma, NULL, "the same as --fma off", 0, 0, NULL),
    ROW("counters", ERT_OPT_TEXT, counters, "HOW",
        "ncu, none, or its CSV (FMA.csv,NOFMA.csv with both contractions) (default: auto: "
        "ncu on GPUs where it is installed)",
        0, 0, NULL),
    ROW("ncu", ERT_OPT_TEXT, ncu, "PATH", "the program (default: on the PATH)", 0, 0, NULL),
    ROW("profile-system", ERT_OPT_TEXT, profile_system, "SIZES",
        "count at these sizes and scale by iterations: quicker (default: the system)", 0, 0,
        NULL),
    ROW("repeat", ERT_OPT_COUNT, repeat, "N", "runs, after one to warm up (default: 5)", 1,
        100000, NULL),
    ROW("reference", ERT_OPT_CHOICE, reference, "HOW", "as of run (default: auto)", 0, 0,
        gpp_reference_words),
    ROW("isa", ERT_OPT_TEXT, isa, "NAME",
        "CPU: avx512, avx2, sse2, neon (default: the best here)", 0, 0, NULL),
    ROW("threads", ERT_OPT_COUNT, threads, "N", "CPU: (default: all of this process)", 1,
        4096, NULL),
    ROW("seed", ERT_OPT_COUNT, seed, "N", "of the inputs (default: 1)", 0,
        9007199254740992.0, NULL),
    ROW("from", ERT_OPT_TEXT, from, "FILE",
        "a study.json: make its reports again, without measuring", 0, 0, NULL),
#undef ROW
};

/* All that a study needs besides itself; on the heap, for it is large. */
struct work {
    struct options options;
    struct gpp_study study;
    struct gpp_study_plan plan;
    struct gpp_cli_files files;
    const struct gpp_version *versions[GPP_N_VERSIONS];
    struct ert_ceilings ceilings;
    struct gpp_charts charts;
};

/* Minutes pass: what is done is told on the other stream. */
static void tell(const struct gpp_study *study, const struct gpp_study_row *row)
{
    const char *reason = *row->failed ? row->failed : row->counted.reason;
    char time[48] = "";
    (void)study;
    if (gpp_row_is_measured(row))
        snprintf(time, sizeof time, "%.4g s%s%s", row->m.time_s,
                 row->counted.is_there ? ", counted" : "", *reason ? "; " : "");
    fprintf(stderr, "%s nw %zu%s: %s%s\n", row->m.version->name, row->nw,
            row->m.options.no_fma ? " no FMA" : "", time, reason);
}

static enum ert_status set_contractions(const struct options *options, bool wanted[2],
                                        struct ert_error *error)
{
    const char *word = options->fma ? options->fma : options->no_fma ? "off" : "on";
    if (options->no_fma && strcmp(word, "on") == 0)
        return ert_fail(error, ERT_USAGE, "--no-fma and --fma on: must be one of them");
    wanted[0] = strcmp(word, "off") != 0;
    wanted[1] = strcmp(word, "on") != 0;
    return ERT_OK;
}

static enum ert_status set_ceilings(struct work *work, const char *file,
                                    struct ert_error *error)
{
    struct gpp_study *study = &work->study;
    size_t index;
    ERT_TRY(ert_ceilings_read(file, &work->ceilings, error));
    ERT_TRY(gpp_study_device(study, &work->ceilings, &index, error));
    const struct ert_ceilings *ceilings = &work->ceilings;
    const char *id = ceilings->devices[index].device;
    const struct ert_device *device = ert_machine_device(ceilings->machine, id);
    snprintf(study->ceilings, sizeof study->ceilings, "%s", file);
    snprintf(study->roofs, sizeof study->roofs, "%s, %.120s, measured %s", id,
             device ? device->name : "", ceilings->created);
    work->plan.ceilings = ceilings;
    return ERT_OK;
}

static enum ert_status set_counting(struct work *work, struct ert_error *error)
{
    const struct options *options = &work->options;
    const struct gpp_cli_counting words = {
        .counters = options->counters ? options->counters : "auto",
        .ncu = options->ncu,
        .system = options->profile_system,
        .is_gpu = strcmp(work->study.device, "cpu") != 0,
        .only_no_fma = !work->plan.contractions[0],
    };
    return gpp_cli_counting(&words, &work->files, &work->plan.counting,
                            work->study.counters, sizeof work->study.counters, error);
}

/* Words before minutes of measuring: all are looked at first. */
static enum ert_status plan_study(struct work *work, int argc, char **argv,
                                  struct ert_error *error)
{
    const struct options *options = &work->options;
    struct gpp_study *study = &work->study;
    struct gpp_study_plan *plan = &work->plan;
    const char *device = options->device ? options->device : "cpu";
    ERT_TRY(gpp_select_device(device, &plan->how.gpu, error));
    ERT_TRY(gpp_select_versions(options->version ? options->version : "all", device,
                                work->versions, &plan->n_versions, error));
    snprintf(study->system, sizeof study->system, "%.120s", options->system);
    snprintf(study->device, sizeof study->device, "%s", device);
    ERT_TRY(gpp_select_sizes(options->system, 0, &study->sizes, error));
    if (options->nw)
        ERT_TRY(gpp_select_energies(options->nw, plan->energies, error));
    else
        plan->energies[study->sizes.nw] = true;
    for (size_t nw = GPP_MAX_NW; nw > 0 && !plan->energies[study->sizes.nw]; nw--)
        if (plan->energies[nw])
            study->sizes.nw = nw;
    ERT_TRY(gpp_memory_check("study", gpp_sizes_bytes(&study->sizes),
                             gpp_memory_available_bytes(), error));
    ERT_TRY(set_contractions(options, plan->contractions, error));
    if (options->ceilings)
        ERT_TRY(set_ceilings(work, options->ceilings, error));
    ERT_TRY(gpp_cli_files_open(options->out, &work->files, error));
    ERT_TRY(set_counting(work, error));
    study->seed = options->seed;
    plan->versions = work->versions;
    plan->repeat = (size_t)options->repeat;
    plan->reference = options->reference;
    plan->how.stride = 1;
    plan->how.threads = (uint32_t)options->threads;
    plan->how.isa = options->isa;
    plan->file = work->files.study;
    plan->done = tell;
    return gpp_cli_describe(study, argc, argv, error);
}

/* What was measured but is wrong, or could not be; all is written by then. */
static enum ert_status judge(const struct gpp_study *study, struct ert_error *error)
{
    size_t n_wrong = 0, n_measured = 0;
    for (size_t i = 0; i < study->n_rows; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        n_measured += gpp_row_is_measured(row);
        n_wrong += gpp_row_is_measured(row) && row->error > GPP_BOUND;
    }
    if (n_measured == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "no version could be measured: %.400s",
                        study->n_rows ? study->rows[0].failed : "there is none");
    if (n_wrong)
        return ert_fail(error, ERT_FAILED,
                        "%zu rows differ from the reference by more than %g", n_wrong,
                        GPP_BOUND);
    return ERT_OK;
}

static enum ert_status report(struct work *work, struct ert_error *error)
{
    const struct gpp_study *study = &work->study;
    const struct gpp_study_row *found[GPP_N_VERSIONS];
    struct rfl_table table = {0};
    ERT_TRY(gpp_report_write(study, work->plan.ceilings, work->files.folder, &work->charts,
                             error));
    printf("%s, nw %zu, on %s: operations %s%s%s\n", study->system, study->sizes.nw,
           study->model, study->has_counters ? "counted by " : "from formulas (",
           study->counters, study->has_counters ? "" : ")");
    size_t n = gpp_study_rows(study, study->sizes.nw, gpp_study_no_fma(study), found,
                              GPP_N_VERSIONS);
    gpp_table_make(study, found, n, GPP_TABLE_SHORT, &table);
    enum ert_status status = rfl_table_write(&table, RFL_TABLE_TEXT, stdout, error);
    rfl_table_free(&table);
    for (size_t i = 0; i < study->n_rows; i++)
        if (*study->rows[i].failed)
            printf("%s nw %zu: %s\n", study->rows[i].m.version->name, study->rows[i].nw,
                   study->rows[i].failed);
    if (*work->charts.reason)
        printf("charts: %s\n", work->charts.reason);
    gpp_cli_files_list(&work->files, stdout);
    return status;
}

static enum ert_status measure(struct work *work, int argc, char **argv,
                               struct ert_error *error)
{
    ERT_TRY(plan_study(work, argc, argv, error));
    ERT_TRY(
        gpp_cli_files_begin(&work->files, *work->plan.counting.ncu.path, stdout, error));
    enum ert_status status = gpp_study_take(&work->plan, &work->study, error);
    if (status != ERT_OK && work->study.n_rows == 0)
        return status;
    ERT_TRY(report(work, error));
    return status == ERT_OK ? judge(&work->study, error) : status;
}

/* The folder of a file: where its reports are made again. */
static void folder_of(const char *file, char *folder, size_t size)
{
    const char *slash = strrchr(file, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - file + (slash == file)) : 1,
             slash ? file : ".");
}

/* Those that are given, else those that the study was placed on, where the file still is. */
static enum ert_status find_ceilings(struct work *work, struct ert_error *error)
{
    char file[sizeof work->study.ceilings];
    struct ert_error ignored;
    if (work->options.ceilings)
        return set_ceilings(work, work->options.ceilings, error);
    snprintf(file, sizeof file, "%s", work->study.ceilings);
    if (*file && set_ceilings(work, file, &ignored) != ERT_OK)
        work->plan.ceilings = NULL;
    return ERT_OK;
}

/*
 * Reports follow from study.json: those beside it are simply replaced. Where study.json changes, or goes to
 * another folder, what is there goes aside.
 */
static enum ert_status remake(struct work *work, struct ert_error *error)
{
    const struct options *options = &work->options;
    char folder[GPP_CLI_NAME];
    folder_of(options->from, folder, sizeof folder);
    ERT_TRY(gpp_study_read(options->from, &work->study, error));
    ERT_TRY(gpp_cli_files_open(options->out ? options->out : folder, &work->files, error));
    work->plan.contractions[0] = !gpp_study_no_fma(&work->study);
    work->plan.done = tell;
    ERT_TRY(find_ceilings(work, error));
    if (options->counters || options->ncu)
        ERT_TRY(set_counting(work, error));
    if (options->ceilings || options->counters || options->ncu || options->out) {
        work->plan.file = work->files.study;
        ERT_TRY(gpp_cli_files_begin(&work->files, *work->plan.counting.ncu.path, stdout,
                                    error));
        ERT_TRY(gpp_study_retake(&work->plan, &work->study, error));
    }
    return report(work, error);
}

static enum ert_status check_words(const struct options *options, struct ert_error *error)
{
    if (!options->from && !options->out)
        return ert_fail(error, ERT_USAGE, "study: no --out DIR for its files");
    if (options->from && (options->version || options->device || options->nw ||
                          options->fma || options->no_fma || options->isa))
        return ert_fail(error, ERT_USAGE,
                        "--from: the file says what was measured: only --out, --ceilings, "
                        "--counters, --ncu and --profile-system go with it");
    return ERT_OK;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct work *work = calloc(1, sizeof *work);
    size_t n_words = 0;
    if (!work)
        return ert_fail(error, ERT_FAILED, "no memory for a study");
    work->options =
        (struct options){.system = "small", .reference = "auto", .repeat = 5, .seed = 1};
    enum ert_status status = ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv,
                                           &work->options, NULL, 0, &n_words, error);
    if (status == ERT_OK)
        status = check_words(&work->options, error);
    if (status == ERT_OK)
        status =
            work->options.from ? remake(work, error) : measure(work, argc, argv, error);
    gpp_study_free(&work->study);
    ert_ceilings_free(&work->ceilings);
    free(work);
    return status;
}

const struct ert_command gpp_command_study = {
    .name = "study",
    .words = "",
    .summary = "all versions timed, counted by ncu and placed on the roofs: a page of it",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
};
