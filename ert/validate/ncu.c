#include "ert/validate/ncu.h"

#include "ert/validate/claims.h"
#include "ert/validate/ncu_metrics.h"
#include "ert/validate/ncu_tool.h"
#include "ert/validate/symbols.h"
#include "ert/validate/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Several counters need a replay each; a minute is usual for all ceilings of a GPU. */
static const double timeout_s = 600;

enum { MAX_WORDS = 40 };

/*
 * Runs `ert bench` with the words under ncu. functions: base names of the kernels, joined by "|":
 * the others (filling, checking) are not profiled.
 */
static enum ert_status run_ncu(const char *functions, const char *const *words,
                               struct ert_ncu_launches *launches, char **text,
                               struct ert_error *error)
{
    char ncu[256], program[4096], list[2048], *filter = NULL;
    struct ert_tool_output output;
    const char *const *metrics;
    size_t n_certain, n_metrics = ert_ncu_metrics(&metrics, &n_certain);
    ERT_TRY(ert_ncu_find(ncu, sizeof ncu, error));
    /* Metrics of the tensor cores differ from one architecture to the next. */
    ert_ncu_known(ncu, metrics, n_metrics, n_certain, list, sizeof list);
    ert_symbols_program(program, sizeof program);
    if (asprintf(&filter, "regex:^(%s|%s)$", ERT_NCU_LEAD_IN, functions) < 0)
        return ert_fail(error, ERT_FAILED, "no memory for the names of kernels");
    const char *argv[MAX_WORDS] = {ncu,
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--print-units",
                                   "base",
                                   "--clock-control",
                                   "none",
                                   "--cache-control",
                                   "none",
                                   "--kernel-name-base",
                                   "function",
                                   "--kernel-name",
                                   filter,
                                   "--metrics",
                                   list,
                                   program,
                                   "bench",
                                   "--json"};
    size_t n = 0;
    while (argv[n])
        n++;
    for (; *words && n + 1 < MAX_WORDS; words++)
        argv[n++] = *words;
    enum ert_status status = ert_tool_run(argv, timeout_s, &output, error);
    free(filter);
    ERT_TRY(status);
    status = ert_ncu_csv_read(output.out, metrics, n_metrics, launches, error);
    if (status != ERT_OK || launches->n == 0) {
        char reason[256];
        const char *where = strstr(output.out, "==ERROR==") ? output.out : output.err;
        ert_ncu_explain(where, "ert", reason, sizeof reason);
        ert_ncu_csv_free(launches);
        status = ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
    } else {
        *text = output.out;
        output.out = NULL;
    }
    ert_tool_free(&output);
    return status;
}

/* What a case's kernel is under ncu. */
struct expected {
    char function[96]; /* "": not run, the reason stands in the proof */
    struct ert_code code;
};

static enum ert_status find_kernel(const struct ert_symbols *symbols,
                                   const struct ert_device *device,
                                   const struct ert_case *case_, struct expected *expected,
                                   struct ert_error *error)
{
    char mangled[512];
    const struct ert_backend *backend = ert_backend_find(device->backend);
    if (!backend || !backend->code)
        return ert_fail(error, ERT_UNAVAILABLE, "%s runs no kernel that ncu could see",
                        device->id);
    ERT_TRY(backend->code(device, case_, &expected->code, error));
    bool found = ert_symbols_name(symbols, ert_symbols_address(expected->code.function),
                                  mangled, sizeof mangled);
    if (found)
        ert_symbols_as_kernel(mangled);
    if (!found ||
        !ert_symbols_base_name(mangled, expected->function, sizeof expected->function))
        return ert_fail(error, ERT_UNAVAILABLE, "the program has no symbol for the kernel");
    return ERT_OK;
}

static char *join_functions(const struct expected *expected, size_t n)
{
    char *list = calloc(n + 1, sizeof expected->function + 1);
    for (size_t i = 0; list && i < n; i++)
        if (*expected[i].function && !strstr(list, expected[i].function))
            sprintf(list + strlen(list), "%s%s", *list ? "|" : "", expected[i].function);
    return list;
}

/* One ceiling, whose region was the `region`-th. */
static void judge(const struct ert_ncu_launches *launches, const struct expected *expected,
                  const struct ert_region_totals *totals, size_t region,
                  struct ert_replay *replay)
{
    struct ert_counters counters;
    struct ert_error error = {0};
    struct ert_proof *proof = &replay->ceiling->proof;
    struct ert_region_totals done = *totals;
    done.flops = ert_claims_flops(ERT_DEVICE_GPU, &replay->case_, &expected->code,
                                  totals->flops, totals->passes);
    uint64_t n_launches = expected->code.is_launched_per_pass ? totals->passes : 1;
    if (ert_ncu_is_sequence(replay->case_.kernel)) {
        ert_counters_missing(proof,
                             "no counter counts results of it: it is a sequence of other "
                             "operations");
        return;
    }
    if (ert_ncu_sum(launches, region, expected->function, n_launches, replay->case_.kernel,
                    replay->level, &counters, &error) != ERT_OK) {
        ert_counters_missing(proof, error.text);
        return;
    }
    ert_counters_judge(&counters, &done, replay->case_.kernel, "ncu", proof);
}

/* The first region of that name from `region` on; n when the child ran none. */
static size_t find_named(const struct ert_region_totals *totals, size_t n, size_t region,
                         const char *name)
{
    while (region < n && strcmp(totals[region].name, name) != 0)
        region++;
    return region;
}

/* Regions are in the ceilings' order; the child passes over what it cannot run. */
static enum ert_status conclude(const char *text, const struct ert_ncu_launches *launches,
                                const struct expected *expected, struct ert_replay *replays,
                                size_t n, struct ert_error *error)
{
    struct ert_region_totals *totals = calloc(ERT_MAX_REPLAYS, sizeof *totals);
    if (!totals)
        return ert_fail(error, ERT_FAILED, "no memory for %d regions", ERT_MAX_REPLAYS);
    size_t n_regions = ert_regions_read(text, totals, ERT_MAX_REPLAYS), next = 0;
    for (size_t i = 0; i < n; i++) {
        if (!*expected[i].function)
            continue;
        size_t region = find_named(totals, n_regions, next, replays[i].ceiling->name);
        if (region == n_regions) {
            ert_counters_missing(&replays[i].ceiling->proof,
                                 "the kernel did not run under ncu");
            continue;
        }
        judge(launches, &expected[i], &totals[region], region, &replays[i]);
        next = region + 1;
    }
    free(totals);
    return ERT_OK;
}

/* All replays, once their kernels' names are known. */
static enum ert_status prove(const struct ert_device *device, const char *file,
                             struct ert_replay *replays, size_t n,
                             struct expected *expected, struct ert_error *error)
{
    char *text = NULL;
    struct ert_symbols symbols;
    struct ert_ncu_launches launches = {0};
    ERT_TRY(ert_symbols_read(&symbols, error));
    for (size_t i = 0; i < n; i++) {
        struct ert_error reason = {0};
        if (!*replays[i].reason)
            find_kernel(&symbols, device, &replays[i].case_, &expected[i], &reason);
        if (!*expected[i].function)
            ert_counters_missing(&replays[i].ceiling->proof,
                                 *replays[i].reason ? replays[i].reason : reason.text);
    }
    ert_symbols_free(&symbols);
    char *functions = join_functions(expected, n);
    if (!functions)
        return ert_fail(error, ERT_FAILED, "no memory for the names of %zu kernels", n);
    if (!*functions) {
        free(functions);
        return ERT_OK; /* each has its reason */
    }
    const char *const words[] = {"--from", file, "--device", device->id, NULL};
    enum ert_status status = run_ncu(functions, words, &launches, &text, error);
    free(functions);
    ERT_TRY(status);
    status = conclude(text, &launches, expected, replays, n, error);
    free(text);
    ert_ncu_csv_free(&launches);
    return status;
}

void ert_ncu_prove(const struct ert_device *device, const char *file,
                   struct ert_replay *replays, size_t n)
{
    struct ert_error error = {0};
    struct expected *expected = calloc(n + 1, sizeof *expected);
    enum ert_status status = ERT_FAILED;
    if (expected)
        status = prove(device, file, replays, n, expected, &error);
    else
        ert_fail(&error, ERT_FAILED, "no memory for %zu kernels", n);
    for (size_t i = 0; status != ERT_OK && i < n; i++)
        ert_counters_missing(&replays[i].ceiling->proof, error.text);
    free(expected);
}

enum ert_status ert_ncu_count(const struct ert_device *device, enum ert_kernel_id kernel,
                              const struct ert_level *level, const char *const *words,
                              struct ert_counters *counters,
                              struct ert_region_totals *totals, struct ert_error *error)
{
    struct ert_symbols symbols;
    struct ert_ncu_launches launches = {0};
    struct expected expected = {.function = ""};
    char *text = NULL;
    const struct ert_case case_ = {.kernel = kernel,
                                   .path = level ? level->path : ERT_PATH_NONE,
                                   .flops_per_element = ert_kernel_row(kernel)->flops};
    ERT_TRY(ert_symbols_read(&symbols, error));
    enum ert_status status = find_kernel(&symbols, device, &case_, &expected, error);
    ert_symbols_free(&symbols);
    ERT_TRY(status);
    ERT_TRY(run_ncu(expected.function, words, &launches, &text, error));
    if (ert_regions_read(text, totals, 1) == 1)
        status = ert_ncu_sum(&launches, 0, expected.function,
                             expected.code.is_launched_per_pass ? totals->passes : 1,
                             kernel, level, counters, error);
    else
        status = ert_fail(error, ERT_UNAVAILABLE, "%s did not run under ncu",
                          ert_kernel_row(kernel)->name);
    free(text);
    ert_ncu_csv_free(&launches);
    return status;
}
