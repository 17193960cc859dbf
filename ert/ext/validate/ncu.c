/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/ncu.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/lines.h"
#include "ert/ext/base/tool.h"
#include "ert/ext/ncu/units.h"
#include "ert/ext/validate/claims.h"
#include "ert/ext/validate/code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the verdict ---- */

static const double ratio_tolerance = 0.01;
static const double most_deeper = 0.02;

void ert_counters_missing(struct ert_proof *proof, const char *reason)
{
    ert_verdict_set(&proof->counters, ERT_NOT_THERE, "%s", reason);
    proof->bytes_ratio = proof->flops_ratio = proof->deeper_share = proof->hit_rate = 0;
}

/* 0 where either is unknown. */
static double ratio(double counted, double ours)
{
    return isfinite(counted) && ours > 0 ? counted / ours : 0;
}

static void proof_add(struct ert_proof *proof, const char *what, double value,
                      const char *limit)
{
    char *text = proof->counters.text;
    ert_append(text, sizeof proof->counters.text, "%s%s %.4g, must be %s",
               *text ? "; " : "", what, value, limit);
}

void ert_counters_judge(const struct ert_counters *counters,
                        const struct ert_region_totals *totals, enum ert_kernel_id kernel,
                        struct ert_proof *proof)
{
    enum ert_kernel_kind kind = ert_kernel_row(kernel)->kind;
    bool streams = kind == ERT_KIND_MEMORY;
    bool has_deeper = streams && isfinite(counters->deeper_bytes);
    double of_level =
        isfinite(counters->level_bytes) ? counters->level_bytes : totals->bytes;
    snprintf(proof->profiler, sizeof proof->profiler, "ncu");
    proof->counters.text[0] = '\0';
    proof->bytes_ratio = streams ? ratio(counters->level_bytes, totals->bytes) : 0;
    proof->flops_ratio = ratio(counters->flops, totals->flops);
    proof->deeper_share = has_deeper ? ratio(counters->deeper_bytes, of_level) : 0;
    proof->hit_rate = isfinite(counters->hit_rate) ? counters->hit_rate : 0;
    /* On an H200 Nsight Compute shows hits for half of the loads that take an L2 hit's 291 clocks. */
    if (kind == ERT_KIND_LATENCY) {
        ert_counters_missing(
            proof, "between the profiler's passes the caches lose the data that one thread "
                   "reads");
        return;
    }
    if (proof->bytes_ratio == 0 && proof->flops_ratio == 0 && !has_deeper) {
        ert_counters_missing(proof, "no counter of this device counts this kernel's work");
        return;
    }
    if (proof->bytes_ratio > 0 && fabs(proof->bytes_ratio - 1) > ratio_tolerance)
        proof_add(proof, "counted bytes / ours", proof->bytes_ratio, "0.99 to 1.01");
    if (proof->flops_ratio > 0 && fabs(proof->flops_ratio - 1) > ratio_tolerance)
        proof_add(proof, "counted operations / ours", proof->flops_ratio, "0.99 to 1.01");
    if (proof->deeper_share > most_deeper)
        proof_add(proof, "share of the deeper level", proof->deeper_share, "at most 0.02");
    snprintf(proof->counters.word, sizeof proof->counters.word, "%s",
             proof->counters.text[0] ? ERT_DIFFERS : ERT_AGREES);
}

/* ---- the run ---- */

/* Several counters need their own replay; all ceilings of a GPU usually take a minute. */
static const double timeout_s = 600;

static const char lead_in[] = ERT_NCU_LEAD_IN_NAME;

static bool has_launches(const char *text)
{
    struct ert_ncu_launches launches;
    bool has = ert_ncu_csv_read(text, NULL, 0, &launches, NULL) == ERT_OK && launches.n > 0;
    ert_ncu_csv_free(&launches);
    return has;
}

/*
 * Runs this program with `words` under ncu, which profiles the kernels of a regular expression and asks for
 * `metrics`. *text: all that both printed; the caller frees it.
 */
static enum ert_status proof_run(const char *ncu, const char *metrics, const char *kernels,
                                 const char *const *words, char **text,
                                 struct ert_error *error)
{
    char program[4096];
    struct ert_tool_output output;
    enum ert_status status = ERT_OK;
    ert_symbols_program(program, sizeof program);
    const char *const how[] = {"--metrics",
                               metrics,
                               "--kernel-name-base",
                               "function",
                               "--kernel-name",
                               kernels,
                               "--clock-control",
                               "none",
                               "--cache-control",
                               "none",
                               program,
                               NULL};
    const char *argv[ERT_TOOL_WORDS] = {ncu,   "--csv",         "--page",
                                        "raw", "--print-units", "base"};
    ert_tool_append(argv, how);
    ert_tool_append(argv, words);
    ERT_TRY(ert_tool_run(argv, timeout_s, &output, error));
    if (has_launches(output.out)) {
        *text = output.out;
        output.out = NULL;
    } else {
        char reason[256];
        const char *where = strstr(output.out, "==ERROR==") ? output.out : output.err;
        ert_ncu_explain(where, "ert", reason, sizeof reason);
        status = ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
    }
    ert_tool_free(&output);
    return status;
}

/* Copies "chains" from "void chains<fma_op, double>(ert_cuda_arguments)". */
static void proof_copy_name(const char *cell, char name[96])
{
    size_t end = strcspn(cell, "<("), begin = end;
    while (begin > 0 && cell[begin - 1] != ' ' && cell[begin - 1] != ':')
        begin--;
    snprintf(name, 96, "%.*s", (int)(end - begin), cell + begin);
}

/* NaN for a cell that is not a number: ncu writes "nan" for a launch that failed. */
static double proof_number(const struct ert_lines *lines, const char *cell)
{
    double value;
    enum ert_number kind;
    bool is_read = ert_lines_number(lines, "", cell, &value, &kind, NULL) == ERT_OK;
    return is_read && kind == ERT_NUMBER ? value : NAN;
}

/* Byte counts may have a prefix; everything else is requested in base units. */
static double scale_of(const char *unit)
{
    enum ert_measure measure;
    double factor;
    return ert_units_read(unit, &measure, &factor) && measure == ERT_IN_BYTES ? factor : 1;
}

/* The positions of the requested columns, and the factors of their numbers. */
struct column {
    size_t index; /* SIZE_MAX: no such column */
    double scale;
};

static void proof_add_launch(const struct ert_lines *lines, const struct column *columns,
                             struct ert_ncu_launches *launches)
{
    size_t at = launches->n++, m = launches->n_metrics;
    launches->names = ert_xrealloc(launches->names, at + 1, sizeof *launches->names);
    launches->values =
        ert_xrealloc(launches->values, (at + 1) * m, sizeof *launches->values);
    proof_copy_name(ert_lines_cell(lines, columns[m].index), launches->names[at]);
    for (size_t i = 0; i < m; i++)
        launches->values[at * m + i] =
            columns[i].scale * proof_number(lines, ert_lines_cell(lines, columns[i].index));
}

/* columns: of the metrics, then of the kernel's name. */
static enum ert_status proof_read_lines(struct ert_lines *lines, const char *const *metrics,
                                        struct column *columns,
                                        struct ert_ncu_launches *launches,
                                        struct ert_error *error)
{
    bool seen = false;
    for (char *line = ert_lines_next(lines); line; line = ert_lines_next(lines)) {
        if (*line != '"')
            continue;
        ert_lines_split(lines, ',');
        bool is_head = strcmp(lines->cells[0], "ID") == 0;
        bool is_units = *lines->cells[0] == '\0';
        if (seen && !is_head && !is_units)
            proof_add_launch(lines, columns, launches);
        for (size_t m = 0; m <= launches->n_metrics && is_head; m++)
            columns[m] = (struct column){ert_lines_column(lines, m < launches->n_metrics
                                                                     ? metrics[m]
                                                                     : "Kernel Name"),
                                         1};
        for (size_t m = 0; m < launches->n_metrics && seen && is_units; m++)
            columns[m].scale = scale_of(ert_lines_cell(lines, columns[m].index));
        seen |= is_head;
    }
    ERT_TRY(ert_lines_end(lines, error));
    return seen ? ERT_OK : ert_fail(error, ERT_UNAVAILABLE, "ncu printed no table");
}

enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error)
{
    *launches = (struct ert_ncu_launches){.n_metrics = n_metrics};
    struct column *columns = ert_xcalloc(n_metrics + 1, sizeof *columns);
    struct ert_lines lines = {0};
    enum ert_status status = ert_lines_open_text("ncu", text, &lines, error);
    if (status == ERT_OK)
        status = proof_read_lines(&lines, metrics, columns, launches, error);
    ert_lines_close(&lines);
    free(columns);
    if (status != ERT_OK)
        ert_ncu_csv_free(launches);
    return status;
}

void ert_ncu_csv_free(struct ert_ncu_launches *launches)
{
    if (!launches)
        return;
    free(launches->names);
    free(launches->values);
    *launches = (struct ert_ncu_launches){0};
}

/* The metrics that `ert validate` needs; from N_CERTAIN on only some devices have them. */
enum metric {
#define ERT_NCU_COUNTED(id, ...) id,
#define ERT_NCU_HITS(id, ...)    id,
#include "ert/ext/ncu/ncu_metrics.def"
    N_CERTAIN,
    LAST_CERTAIN = N_CERTAIN - 1,
#define ERT_NCU_OPTIONAL(id, ...) id,
#define ERT_NCU_PROVING(id, ...)  id,
#include "ert/ext/ncu/ncu_metrics.def"
    N_METRICS
};

static const char *const metrics[N_METRICS] = {
#define ERT_NCU_COUNTED(id, measure, name)  [id] = name,
#define ERT_NCU_OPTIONAL(id, measure, name) [id] = name,
#define ERT_NCU_PROVING(id, measure, name)  [id] = name,
#define ERT_NCU_HITS(id, key, factor, name) [id] = name,
#include "ert/ext/ncu/ncu_metrics.def"
};

/* How each kind of level is counted, by requests of the SMs; *_each: bytes per unit of the metric. */
static const struct level_row {
    enum ert_level_kind kind;
    enum ert_path path;
    enum metric bytes, deeper, hits;
    double bytes_each, deeper_each;
} level_rows[] = {
  /* Sectors of L2 are 32 bytes. */
    {ERT_LEVEL_CACHE,      ERT_PATH_CACHED,    L1_BYTES, L2_TEX,    L1_HITS,   1,   32},
 /* A wavefront of shared memory moves 32 banks of 4 bytes. */
    {ERT_LEVEL_SCRATCHPAD, ERT_PATH_SHARED,    SHARED,   L1_BYTES,  N_METRICS, 128, 1 },
    {ERT_LEVEL_CACHE,      ERT_PATH_BYPASS_L1, L2_TEX,   DRAM,      L2_HITS,   32,  1 },
    {ERT_LEVEL_MEMORY,     ERT_PATH_BYPASS_L1, DRAM,     N_METRICS, N_METRICS, 1,   0 },
};

/*
 * Operations of a type as a weighted sum of counters. lanes: the counters count instructions, each with the
 * kernel's own operation on this many numbers, since ptxas may choose FMA (also for an addition of 16-bit
 * numbers). 0: the weights are operations.
 */
static const struct operation_row {
    enum ert_type type;
    bool is_tensor;
    unsigned lanes;
    struct {
        enum metric metric;
        double weight;
    } terms[4];
} operation_rows[] = {
    {ERT_FP64,  false, 0, {{DADD, 1}, {DMUL, 1}, {DFMA, 2}}                               },
    {ERT_FP32,  false, 0, {{FADD, 1}, {FMUL, 1}, {FFMA, 2}, {FFMA2, 4}}                   },
    {ERT_FP16,  false, 2, {{HADD, 1}, {HMUL, 1}, {HFMA, 1}}                               },
    {ERT_BF16,  false, 2, {{HADD, 1}, {HMUL, 1}, {HFMA, 1}}                               },
    {ERT_INT32, false, 1, {{INTEGER, 1}}                                                  },
 /* Atomics, whatever their type. */
    {ERT_INT64, false, 0, {{RED, 32}}                                                     },
    {ERT_INT64, false, 0, {{ATOMS, 32}}                                                   },
    {ERT_INST,  false, 0, {{INSTRUCTIONS, 1}}                                             },
    {ERT_FP64,  true,  0, {{TENSOR_FP64, 1}}                                              },
    {ERT_TF32,  true,  0, {{TENSOR_TF32, 1}}                                              },
    {ERT_BF16,  true,  0, {{TENSOR_BF16, 1}}                                              },
    {ERT_FP16,  true,  0, {{TENSOR_FP16, 1}, {TENSOR_FP16_FP32, 1}, {TENSOR_FP16_FP16, 1}}},
 /* With mma.sync, cc 9.0 multiplies FP8 as FP16. */
    {ERT_FP8,   true,  0, {{TENSOR_FP8, 1}, {TENSOR_FP16, 1}, {TENSOR_FP468_FP32, 1}}     },
    {ERT_FP6,   true,  0, {{TENSOR_FP46_FP32, 1}, {TENSOR_FP468_FP32, 1}}                 },
    {ERT_FP4,   true,  0, {{TENSOR_FP4, 1}, {TENSOR_FP46_FP32, 1}, {TENSOR_FP468_FP32, 1}}},
    {ERT_INT8,  true,  0, {{TENSOR_INT8, 1}}                                              },
};

size_t ert_ncu_metrics(const char *const **list)
{
    *list = metrics;
    return N_METRICS;
}

bool ert_ncu_is_sequence(enum ert_kernel_id kernel)
{
    static const char *const sequences[] = {"div", "sqrt", "rcp"};
    for (size_t i = 0; i < ERT_LENGTH(sequences); i++)
        if (strcmp(ert_kernel_row(kernel)->op, sequences[i]) == 0)
            return true;
    return false;
}

static double sum_operations(const double values[N_METRICS], enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    enum ert_type type = row->kind == ERT_KIND_SECTION ? ERT_INT64 : row->type;
    bool is_tensor = strcmp(row->unit, "tensor") == 0, is_counted = false;
    double sum = 0;
    bool is_chosen = row->kind == ERT_KIND_MODE; /* the spec gives their number */
    if ((row->flops == 0 && !is_chosen) || ert_ncu_is_sequence(kernel))
        return NAN;
    for (size_t i = 0; i < ERT_LENGTH(operation_rows); i++) {
        const struct operation_row *of = &operation_rows[i];
        if (of->type != type || of->is_tensor != is_tensor)
            continue;
        double each = of->lanes ? (double)of->lanes * row->flops : 1;
        for (size_t t = 0; t < ERT_LENGTH(of->terms); t++) {
            double value = values[of->terms[t].metric];
            /* The terms after the last one are all 0. */
            if (of->terms[t].weight == 0 || !isfinite(value))
                continue;
            sum += each * of->terms[t].weight * value;
            is_counted = true;
        }
    }
    return is_counted ? sum : NAN;
}

static void fill_counters(const double values[N_METRICS], enum ert_kernel_id kernel,
                          const struct ert_level *level, struct ert_counters *counters)
{
    *counters = (struct ert_counters){NAN, NAN, NAN, sum_operations(values, kernel)};
    for (size_t i = 0; level && i < ERT_LENGTH(level_rows); i++) {
        const struct level_row *of = &level_rows[i];
        if (of->kind != level->kind || of->path != level->path)
            continue;
        counters->level_bytes = of->bytes_each * values[of->bytes];
        if (of->deeper != N_METRICS)
            counters->deeper_bytes = of->deeper_each * values[of->deeper];
        if (of->hits != N_METRICS)
            counters->hit_rate = values[of->hits] / 100;
    }
}

static size_t find_region(const struct ert_ncu_launches *launches, size_t region)
{
    for (size_t i = 0; i < launches->n; i++)
        if (strcmp(launches->names[i], lead_in) == 0 && region-- == 0)
            return i + 1;
    return launches->n;
}

enum ert_status ert_ncu_sum(const struct ert_ncu_launches *launches, size_t region,
                            const char *function, uint64_t n_launches,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            struct ert_counters *counters, struct ert_error *error)
{
    double values[N_METRICS] = {0};
    size_t first = find_region(launches, region);
    for (uint64_t i = 0; i < n_launches; i++) {
        size_t at = first + i;
        if (at >= launches->n || strcmp(launches->names[at], function) != 0)
            return ert_fail(
                error, ERT_UNAVAILABLE, "ncu saw %llu of %llu launches of %s in region %zu",
                (unsigned long long)i, (unsigned long long)n_launches, function, region);
        for (size_t m = 0; m < N_METRICS; m++)
            values[m] += launches->values[at * launches->n_metrics + m];
    }
    values[L1_HITS] /= (double)n_launches;
    values[L2_HITS] /= (double)n_launches;
    fill_counters(values, kernel, level, counters);
    return ERT_OK;
}

/*
 * Runs `ert bench` with `words` under ncu. functions: base names of the kernels, joined by "|": others, which
 * fill and check, are not profiled.
 */
static enum ert_status proof_run_bench(const char *functions, const char *const *words,
                                       struct ert_ncu_launches *launches, char **text,
                                       struct ert_error *error)
{
    char ncu[256], list[2048];
    ERT_TRY(ert_ncu_find(ncu, sizeof ncu, error));
    /* Metrics of the tensor cores differ from one architecture to the next. */
    ert_ncu_known(ncu, metrics, N_METRICS, N_CERTAIN, list, sizeof list);
    char *kernels = ert_xprintf("regex:^(%s|%s)$", lead_in, functions);
    const char *argv[ERT_TOOL_WORDS] = {"bench"};
    ert_tool_append(argv, words);
    enum ert_status status = proof_run(ncu, list, kernels, argv, text, error);
    free(kernels);
    ERT_TRY(status);
    return ert_ncu_csv_read(*text, metrics, N_METRICS, launches, error);
}

/* A spec's kernel under ncu. */
struct expected {
    char function[96]; /* "": not run; the proof has the reason */
    struct ert_code code;
};

static enum ert_status proof_find_kernel(const struct ert_device *device,
                                         const struct ert_spec *spec,
                                         struct expected *expected, struct ert_error *error)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    if (!backend || !backend->code)
        return ert_fail(error, ERT_UNAVAILABLE, "%s runs no kernel that ncu could see",
                        device->id);
    ERT_TRY(backend->code(device, spec, &expected->code, error));
    if (!expected->code.name ||
        !ert_symbols_base_name(expected->code.name, expected->function,
                               sizeof expected->function))
        return ert_fail(error, ERT_UNAVAILABLE, "the kernel's name is not known");
    return ERT_OK;
}

static void proof_judge(const struct ert_ncu_launches *launches,
                        const struct expected *expected,
                        const struct ert_region_totals *totals, size_t region,
                        struct ert_replay *replay)
{
    struct ert_counters counters;
    struct ert_error error = {0};
    struct ert_proof *proof = &replay->ceiling->evidence->proof;
    struct ert_region_totals done = *totals;
    done.flops = ert_claims_flops(replay->spec.kernel, &expected->code, totals->flops);
    uint64_t n_launches = expected->code.is_launched_per_pass ? totals->passes : 1;
    if (ert_ncu_is_sequence(replay->spec.kernel)) {
        ert_counters_missing(proof,
                             "no counter counts results of it: it is a sequence of other "
                             "operations");
        return;
    }
    if (ert_ncu_sum(launches, region, expected->function, n_launches, replay->spec.kernel,
                    replay->level, &counters, &error) != ERT_OK) {
        ert_counters_missing(proof, error.text);
        return;
    }
    ert_counters_judge(&counters, &done, replay->spec.kernel, proof);
}

/* Regions are in the order of the ceilings; the child skips those that it cannot run. */
static void proof_conclude(const char *text, const struct ert_ncu_launches *launches,
                           const struct expected *expected, struct ert_replay *replays,
                           size_t n)
{
    struct ert_region_totals *totals = ert_xcalloc(ERT_MAX_REPLAYS, sizeof *totals);
    size_t n_regions = ert_regions_read(text, totals, ERT_MAX_REPLAYS), next = 0;
    for (size_t i = 0; i < n; i++) {
        if (!*expected[i].function)
            continue;
        size_t region = next;
        while (region < n_regions &&
               strcmp(totals[region].name, replays[i].ceiling->name) != 0)
            region++;
        if (region == n_regions) {
            ert_counters_missing(&replays[i].ceiling->evidence->proof,
                                 "the kernel did not run under ncu");
            continue;
        }
        proof_judge(launches, &expected[i], &totals[region], region, &replays[i]);
        next = region + 1;
    }
    free(totals);
}

static enum ert_status prove(const struct ert_device *device, const char *file,
                             struct ert_replay *replays, size_t n,
                             struct expected *expected, struct ert_error *error)
{
    char *text = NULL;
    struct ert_ncu_launches launches = {0};
    const char **list = ert_xcalloc(n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        struct ert_error reason = {0};
        if (!*replays[i].reason)
            proof_find_kernel(device, &replays[i].spec, &expected[i], &reason);
        if (*expected[i].function)
            list[i] = expected[i].function;
        else
            ert_counters_missing(&replays[i].ceiling->evidence->proof,
                                 *replays[i].reason ? replays[i].reason : reason.text);
    }
    char *functions = ert_symbols_join(list, n, '|');
    free(list);
    const char *const words[] = {"--from", file, "--device", device->id, NULL};
    enum ert_status status = ERT_OK;
    if (*functions) { /* else each has its reason */
        status = proof_run_bench(functions, words, &launches, &text, error);
        if (status == ERT_OK)
            proof_conclude(text, &launches, expected, replays, n);
    }
    free(functions);
    free(text);
    ert_ncu_csv_free(&launches);
    return status;
}

void ert_ncu_prove(const struct ert_device *device, const char *file,
                   struct ert_replay *replays, size_t n)
{
    struct ert_error error = {0};
    struct expected *expected = ert_xcalloc(n, sizeof *expected);
    enum ert_status status = prove(device, file, replays, n, expected, &error);
    for (size_t i = 0; status != ERT_OK && i < n; i++)
        ert_counters_missing(&replays[i].ceiling->evidence->proof, error.text);
    free(expected);
}
