/* SPDX-License-Identifier: BSD-3-Clause */
/* ert verify: measures recorded ceilings again and compares them, to check a node. */
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/core/base/fields.h"
#include "ert/core/base/units.h"
#include "ert/ext/verify/verify.h"

#include <errno.h>
#include <string.h>

struct options {
    struct ert_cli_verify_options how;
    const char *out, *output;
    bool all;
};

static const char *const outputs[] = {"text", "json", NULL};

static const struct ert_opt rows[] = {
#define ROW ERT_OPT_ROW
    ROW("device", ERT_OPT_TEXT, how.device, "NAME",
        "which devices: all that are recorded (default), cpu, gpu, gpuN, fake", 0, 0, NULL),
    ROW("only", ERT_OPT_TEXT, how.only, "TEXT",
        "only ceilings with this in their names, as DRAM, L2 or fma", 0, 0, NULL),
    ROW("margin", ERT_OPT_NUMBER, how.margin, "SHARE",
        "the least slowdown that counts (default 0.01)", 1e-4, 0.9, NULL),
    ROW("strict", ERT_OPT_FLAG, how.strict, NULL,
        "exit with 4 if any main ceiling cannot be judged, not only if none can", 0, 0,
        NULL),
    ROW("budget", ERT_OPT_TIME, how.budget_s, "TIME",
        "time limit per device in seconds, and half as long again for what seems slower; 0 "
        "for none (default 30)",
        0, 1e6, NULL),
    ROW("dedicated", ERT_OPT_FLAG, how.dedicated, NULL,
        "the host of this virtual machine has no other guests: judge its memory, too", 0, 0,
        NULL),
    ROW("all", ERT_OPT_FLAG, all, NULL,
        "list every ceiling, not only main ones and those that differ", 0, 0, NULL),
    ROW("output", ERT_OPT_CHOICE, output, "FORM", "format of the verdicts (default text)",
        0, 0, outputs),
    ROW("out", ERT_OPT_TEXT, out, "FILE", "write the new samples to FILE", 0, 0, NULL),
#undef ROW
};

static const char *const verdicts[ERT_N_VERIFY] = {"same", "SLOWER", "FASTER",
                                                   "cannot tell", "MISSING"};

static void verify_print_row(const struct ert_verify_row *row)
{
    printf("%-6s %-24s %-11s recorded %s", row->device, row->name, verdicts[row->verdict],
           ert_units_rate(row->then, row->operation).text);
    if (row->verdict != ERT_VERIFY_MISSING && row->now > 0)
        printf(", now %s: %+.1f %%, excluded -%.1f %%, detectable %.1f %%",
               ert_units_rate(row->like, row->operation).text, 100 * row->differ.change,
               100 * row->differ.excluded, 100 * row->differ.detectable);
    if (row->verdict != ERT_VERIFY_SAME && row->clock_change != 0)
        printf(", clock %+.1f %%", 100 * row->clock_change);
    if (row->power_w > 0)
        printf(", %.0f W, then %.0f", row->power_w, row->power_then_w);
    printf("%s%s\n", *row->reason ? ": " : "", row->reason);
}

static void verify_print_text(const struct ert_verify_row *list, size_t n,
                              const struct ert_cli_verify_summary *summary,
                              const struct options *options)
{
    for (size_t i = 0; i < n; i++) {
        enum ert_verify_verdict verdict = list[i].verdict;
        if (options->all || list[i].is_main || list[i].is_shared ||
            verdict == ERT_VERIFY_SLOWER || verdict == ERT_VERIFY_FASTER ||
            verdict == ERT_VERIFY_MISSING)
            verify_print_row(&list[i]);
    }
    printf("%zu ceilings: %zu the same, %zu slower, %zu faster, %zu cannot tell, %zu "
           "missing\n",
           n, summary->counts[ERT_VERIFY_SAME], summary->counts[ERT_VERIFY_SLOWER],
           summary->counts[ERT_VERIFY_FASTER], summary->counts[ERT_VERIFY_CANNOT_TELL],
           summary->counts[ERT_VERIFY_MISSING]);
    if (summary->counts[ERT_VERIFY_FASTER])
        puts("faster: the reference is of a slower state of this machine: measure it again "
             "(ert run --repeat 3)");
}

static const struct ert_field measured_rows[] = {
#define ROW(key, kind, member) ERT_ROW_EXACT(struct ert_verify_row, key, kind, member)
    ROW("now", NUMBER, like),
    ROW("n_samples", COUNT, n_samples),
    ROW("change", NUMBER, differ.change),
    ROW("error", NUMBER, differ.error),
    ROW("chance", NUMBER, differ.chance),
    ROW("detectable", NUMBER, differ.detectable),
    ROW("excluded", NUMBER, differ.excluded),
    ROW("measured_twice", FLAG, is_confirmed),
    ROW("clock_change", NUMBER, clock_change),
    ROW("sustained", FLAG, is_sustained),
#undef ROW
};

static void verify_add_json(cJSON *object, const struct ert_verify_row *row)
{
    cJSON_AddStringToObject(object, "device", row->device);
    cJSON_AddStringToObject(object, "name", row->name);
    cJSON_AddStringToObject(object, "unit", row->operation);
    cJSON_AddBoolToObject(object, "main", row->is_main);
    cJSON_AddNumberToObject(object, "recorded", row->then);
    cJSON_AddStringToObject(object, "verdict", ert_verify_words[row->verdict]);
    cJSON_AddStringToObject(object, "reason", row->reason);
    if (row->verdict != ERT_VERIFY_MISSING)
        ert_fields_write(object, ERT_ROWS(measured_rows), row);
    if (row->power_w > 0) {
        cJSON_AddNumberToObject(object, "power_w", row->power_w);
        cJSON_AddNumberToObject(object, "power_then_w", row->power_then_w);
    }
}

static enum ert_status verify_print_json(const struct ert_verify_row *list, size_t n,
                                         const struct options *options,
                                         struct ert_error *error)
{
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ert-verify/1");
    cJSON_AddNumberToObject(root, "margin", options->how.margin);
    cJSON *ceilings = cJSON_AddArrayToObject(root, "ceilings");
    for (size_t i = 0; i < n; i++)
        verify_add_json(ert_json_add_object(ceilings), &list[i]);
    enum ert_status status = errno == ENOMEM
                                 ? ert_fail(error, ERT_FAILED, "no memory for the JSON")
                                 : ert_json_print(stdout, root, error);
    cJSON_Delete(root);
    return status;
}

static enum ert_status report(const struct ert_cli_verification *verification,
                              const struct options *options, struct ert_error *error)
{
    const struct ert_verify_row *list = verification->rows;
    struct ert_cli_verify_summary summary = ert_cli_verify_summarize(verification);
    if (strcmp(options->output, "json") == 0)
        ERT_TRY(verify_print_json(list, verification->n, options, error));
    else
        verify_print_text(list, verification->n, &summary, options);
    return ert_cli_verify_judge(verification, error);
}

static enum ert_status verify_measure(struct ert_cli_verification *verification,
                                      const struct options *options,
                                      struct ert_error *error)
{
    struct ert_error run_error = {0}, not_written = {0};
    enum ert_status run_status = ert_cli_verify_measure(verification, &run_error);
    if (options->out)
        ert_samples_write(options->out, verification->samples, &not_written);
    enum ert_status status = report(verification, options, error);
    if (not_written.status != ERT_OK) /* the table was already printed */
        status =
            ert_fail(error, status == ERT_OK ? ERT_FAILED : status, "%s", not_written.text);
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    return status;
}

static void verify_print_notes(const struct ert_ceilings *recorded)
{
    for (size_t i = 0; i < recorded->n_devices; i++)
        if (!recorded->devices[i].valid)
            printf("note: %s: the recorded run was not valid: %s\n",
                   recorded->devices[i].device, recorded->devices[i].warnings);
}

static enum ert_status verify_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.how = ERT_CLI_VERIFY_OPTIONS, .output = "text"};
    struct ert_cli_verification verification;
    const char *words[1];
    size_t n_words;
    ert_cli_catch_signals();
    options.how.progress = stderr;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words != 1)
        return ert_fail(error, ERT_USAGE, "verify: takes one ceilings file");
    enum ert_status status =
        ert_cli_verify_open(words[0], &options.how, argc, argv, &verification, error);
    if (status == ERT_OK && strcmp(options.output, "text") == 0)
        verify_print_notes(&verification.recorded);
    if (status == ERT_OK)
        status = ert_cli_verify_plan(&verification, error);
    if (status == ERT_OK)
        status = verify_measure(&verification, &options, error);
    ert_cli_verify_close(&verification);
    return status;
}

const struct ert_command ert_command_verify = {
    .name = "verify",
    .words = "CEILINGS",
    .summary = "check whether recorded ceilings are still attained",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = verify_run_command,
};
