/* SPDX-License-Identifier: BSD-3-Clause */
/* ert validate: checks the ceilings of a file against machine code and counters. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/table.h"
#include "ert/ext/validate/claims.h"
#include "ert/ext/validate/code.h"
#include "ert/ext/validate/ncu.h"
#include "ert/ext/validate/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of ceilings, of those that agree in all that could be checked, and of those that differ. */
struct counts {
    size_t n, n_agree, n_differ;
};

/* Adds a ratio, or a share in %; "-" if it is 0. */
static void add_ratio(struct ert_columns *table, size_t column, double ratio, bool is_share)
{
    if (!(ratio > 0))
        ert_columns_add(table, column, "-");
    else if (is_share)
        ert_columns_add(table, column, "%.2f %%", 100 * ratio);
    else
        ert_columns_add(table, column, "%.4f", ratio);
}

static bool validate_is_word(const char *word, const char *wanted)
{
    return strcmp(word, wanted) == 0;
}

/* Whether this run checks a part; only: the one that it checks, or NULL. */
static bool validate_is_wanted(const char *only, const char *part)
{
    return !only || validate_is_word(only, part);
}

/*
 * DIFFERS if a part differs, AGREES if a part agrees and none differs. only: the one part that this run
 * checks, or NULL; results of an earlier run for the other part are in the file, but do not count.
 */
static const char *verdict_of(const struct ert_proof *proof, const char *only)
{
    const char *const parts[] = {validate_is_wanted(only, "code") ? proof->code.word : "",
                                 validate_is_wanted(only, "counters") ? proof->counters.word
                                                                      : ""};
    if (validate_is_word(parts[0], ERT_DIFFERS) || validate_is_word(parts[1], ERT_DIFFERS))
        return ERT_DIFFERS;
    if (validate_is_word(parts[0], ERT_AGREES) || validate_is_word(parts[1], ERT_AGREES))
        return ERT_AGREES;
    return ERT_NOT_THERE;
}

static void validate_add_ceiling(struct ert_columns *table,
                                 const struct ert_ceiling *ceiling, const char *verdict)
{
    const struct ert_proof *proof = &ceiling->evidence->proof;
    bool counted = validate_is_word(proof->counters.word, ERT_AGREES) ||
                   validate_is_word(proof->counters.word, ERT_DIFFERS);
    ert_columns_row(table);
    ert_columns_add(table, 0, "%s", ceiling->name);
    ert_columns_add(table, 1, "%s", verdict);
    add_ratio(table, 2, counted ? proof->bytes_ratio : 0, false);
    add_ratio(table, 3, counted ? proof->flops_ratio : 0, false);
    add_ratio(table, 4, counted ? proof->deeper_share : 0, true);
    add_ratio(table, 5, counted ? proof->hit_rate : 0, true);
    ert_columns_add(table, 6, "%s",
                    validate_is_word(proof->code.word, ERT_AGREES) ? proof->code.text
                                                                   : proof->code.word);
}

static const struct ert_verdict *validate_part_of(const struct ert_replay *replay,
                                                  const char *part)
{
    const struct ert_proof *proof = &replay->ceiling->evidence->proof;
    return validate_is_word(part, "code") ? &proof->code : &proof->counters;
}

/* Prints what does not agree, with reasons; adjacent ceilings with equal texts share a line. */
static void print_part(const char *part, const struct ert_replay *replays, size_t n)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        const struct ert_verdict *verdict = validate_part_of(&replays[i], part);
        for (last = i; last + 1 < n; last++) {
            const struct ert_verdict *next = validate_part_of(&replays[last + 1], part);
            if (strcmp(next->text, verdict->text) != 0 ||
                strcmp(next->word, verdict->word) != 0)
                break;
        }
        if (!*verdict->text || validate_is_word(verdict->word, ERT_AGREES))
            continue;
        printf("  %s: %s", part, replays[i].ceiling->name);
        if (last > i)
            printf(" and %zu more", last - i);
        printf(": %s: %s\n", verdict->word, verdict->text);
    }
}

/*
 * Writes the table of a device's ceilings: ceiling, verdict, counted ratios, machine code; then the reasons
 * for parts that differ or could not be checked. Adds to the counts. only: the one part that this run checks,
 * "code" or "counters", or NULL for both.
 */
static void print_ceilings(const struct ert_replay *replays, size_t n, const char *only,
                           struct counts *counts)
{
    static const char *const head[] = {"ceiling", "verdict",  "bytes",        "operations",
                                       "deeper",  "hit rate", "machine code", NULL};
    struct ert_columns table = {0};
    ert_columns_texts(&table, head);
    for (size_t i = 0; i < n; i++) {
        const char *verdict = verdict_of(&replays[i].ceiling->evidence->proof, only);
        validate_add_ceiling(&table, replays[i].ceiling, verdict);
        counts->n_agree += validate_is_word(verdict, ERT_AGREES);
        counts->n_differ += validate_is_word(verdict, ERT_DIFFERS);
    }
    counts->n += n;
    ert_columns_write(stdout, &table);
    if (validate_is_wanted(only, "code"))
        print_part("code", replays, n);
    if (validate_is_wanted(only, "counters"))
        print_part("counters", replays, n);
}

static void validate_add_kernel(struct ert_columns *table, const struct ert_device *device,
                                const struct ert_replay *replay)
{
    struct ert_code code;
    char claim[ERT_COLUMN_TEXT] = "";
    if (ert_claims_has(device->kind, replay->spec.kernel) &&
        replay->backend->code(device, &replay->spec, &code, NULL) == ERT_OK)
        ert_claims_text(device->kind, replay->spec.kernel, &code, claim, sizeof claim);
    const char *const cells[] = {replay->ceiling->name,
                                 ert_path_name(replay->spec.path),
                                 replay->ceiling->evidence->launch.name,
                                 claim,
                                 replay->ceiling->evidence->proof.code.text,
                                 replay->ceiling->evidence->proof.code.word,
                                 NULL};
    ert_columns_texts(table, cells);
}

/* Keeps ceilings with machine code, unlike links, which the driver copies. Returns how many remain. */
static size_t drop_foreign(struct ert_replay *replays, size_t n_all,
                           const struct ert_device *device)
{
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++) {
        struct ert_code code;
        if (replays[i].backend->code(device, &replays[i].spec, &code, NULL) == ERT_OK)
            replays[n++] = replays[i];
    }
    return n;
}

static enum ert_status write_build(const struct ert_device *device,
                                   struct ert_replay *replays,
                                   struct ert_device_ceilings *ceilings,
                                   struct ert_error *error)
{
    static const char *const head[] = {"kernel", "path",    "variant", "claim",
                                       "found",  "verdict", NULL};
    size_t n =
        ert_replay_build(ert_backend_find(device->backend), device, replays, ceilings);
    struct ert_columns table = {0};
    struct counts counts = {.n = drop_foreign(replays, n, device)};
    ert_code_prove(device, replays, counts.n);
    ert_columns_texts(&table, head);
    for (size_t i = 0; i < counts.n; i++) {
        validate_add_kernel(&table, device, &replays[i]);
        counts.n_agree +=
            validate_is_word(replays[i].ceiling->evidence->proof.code.word, ERT_AGREES);
        counts.n_differ +=
            validate_is_word(replays[i].ceiling->evidence->proof.code.word, ERT_DIFFERS);
    }
    if (counts.n_agree + counts.n_differ == 0)
        table.n = 0;
    ert_columns_write(stdout, &table);
    if (counts.n_differ)
        return ert_fail(error, ERT_FAILED, "%zu of %zu kernels differ: see above",
                        counts.n_differ, counts.n);
    if (counts.n_agree == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: %s", device->name,
                        counts.n ? replays[0].ceiling->evidence->proof.code.text
                                 : "this build has no kernels for it");
    return ERT_OK;
}

/* Gets a device of an architecture from the first backend that knows it; else the last error. */
static enum ert_status find_model(const char *architecture, struct ert_device *device,
                                  struct ert_error *error)
{
    struct ert_error own = {ERT_OK, ""};
    for (size_t i = 0; ert_backends()[i]; i++)
        if (ert_backends()[i]->model &&
            ert_backends()[i]->model(architecture, device, &own) == ERT_OK)
            return ERT_OK;
    return ert_fail(error, ERT_USAGE, "--code-for: %s", own.text);
}

/*
 * Writes a table of all kernels in this build for GPUs of an architecture ("7.0"): kernel, path, variant,
 * claim, machine code, verdict. ERT_USAGE for an unknown architecture; ERT_FAILED if code differs from its
 * claim; ERT_UNAVAILABLE if nothing could be checked, with the reason.
 */
static enum ert_status check_build(const char *architecture, struct ert_error *error)
{
    struct ert_device device;
    ERT_TRY(find_model(architecture, &device, error));
    struct ert_replay *replays = ert_xcalloc(ERT_MAX_REPLAYS, sizeof *replays);
    struct ert_device_ceilings ceilings = {0};
    enum ert_status status = write_build(&device, replays, &ceilings, error);
    ert_device_ceilings_free(&ceilings);
    free(replays);
    return status;
}

struct options {
    const char *device, *out, *only, *code_for;
};

static const char *const parts[] = {"code", "counters", NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "NAME", "only this device of the file (default all)"),
    ERT_OPT_OF("only", only, "PART", "only one part", parts),
    ERT_OPT(
        "code-for", TEXT, code_for, "N.N",
        "instead of CEILINGS: check the machine code of all kernels in this build for GPUs "
        "of this compute capability, e.g. 7.0; needs no GPU"),
    ERT_OPT("out", TEXT, out, "FILE",
            "write the ceilings with their proof to FILE (default: CEILINGS)"),
};

static void validate_count(const char *file, const struct ert_device *device,
                           struct ert_replay *replays, size_t n)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    const char *profiler = backend && backend->profiler ? backend->profiler : "";
    if (strcmp(profiler, "ncu") == 0)
        ert_ncu_prove(device, file, replays, n);
    else
        for (size_t i = 0; i < n; i++)
            ert_counters_missing(&replays[i].ceiling->evidence->proof,
                                 "no profiler of its backend's devices is known");
}

static enum ert_status validate(const struct options *options, const char *file,
                                struct ert_ceilings *ceilings, struct ert_error *error)
{
    struct counts counts = {0};
    bool found = false;
    struct ert_replay *replays = ert_xcalloc(ERT_MAX_REPLAYS, sizeof *replays);
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        struct ert_device_ceilings *of = &ceilings->devices[i];
        if (options->device && strcmp(options->device, of->device) != 0)
            continue;
        found = true;
        const struct ert_device *device = ert_machine_device(ceilings->machine, of->device);
        size_t n = ert_replay_list(ceilings->machine, of, replays);
        printf("%s: %s\n", device->id, device->name);
        if (!of->valid)
            printf("  the run is not valid: %s\n", of->warnings);
        if (validate_is_wanted(options->only, "code"))
            ert_code_prove(device, replays, n);
        if (validate_is_wanted(options->only, "counters"))
            validate_count(file, device, replays, n);
        print_ceilings(replays, n, options->only, &counts);
    }
    free(replays);
    if (!found)
        return ert_fail(error, ERT_USAGE, "%s: no ceilings of device '%.32s'", file,
                        options->device ? options->device : "");
    ERT_TRY(ert_ceilings_write(options->out ? options->out : file, ceilings, error));
    if (counts.n_differ)
        return ert_fail(error, ERT_FAILED, "%zu of %zu ceilings differ: see above",
                        counts.n_differ, counts.n);
    if (counts.n_agree == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "nothing could be checked: see above");
    return ERT_OK;
}

static enum ert_status validate_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[1];
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words + !!options.code_for != 1)
        return ert_fail(error, ERT_USAGE,
                        "validate: takes one ceilings file, or --code-for");
    if (options.code_for)
        return check_build(options.code_for, error);
    struct ert_ceilings ceilings;
    ERT_TRY(ert_ceilings_read(words[0], &ceilings, error));
    enum ert_status status = validate(&options, words[0], &ceilings, error);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command ert_command_validate = {
    .name = "validate",
    .words = "CEILINGS",
    .summary = "check ceilings by machine code and counters",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = validate_run_command,
};
