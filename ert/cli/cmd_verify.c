/* ert verify: measures recorded ceilings again and says which differ: the check of a node. */
#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/fields.h"
#include "ert/base/units.h"
#include "ert/ceilings/conditions.h"
#include "ert/ceilings/verify.h"
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *device, *out, *output;
    double margin, detect, budget_s;
    bool all, faster_fails, dedicated;
};

static const char *const outputs[] = {"text", "json", NULL};

static const struct ert_opt rows[] = {
#define ROW ERT_OPT_ROW
    ROW("device", ERT_OPT_TEXT, device, "NAME",
        "which devices: all that are recorded (default), cpu, gpu, gpuN, fake", 0, 0, NULL),
    ROW("margin", ERT_OPT_NUMBER, margin, "SHARE",
        "the slowdown that the verdict same excludes (default 0.01)", 1e-4, 0.9, NULL),
    ROW("detect", ERT_OPT_NUMBER, detect, "SHARE",
        "exit 4 where a main ceiling is so uncertain that this slowdown might be missed "
        "(default 0.1)",
        1e-3, 1, NULL),
    ROW("budget", ERT_OPT_TIME, budget_s, "TIME",
        "seconds per device, and half as many for what seems slower; 0 for no limit "
        "(default 30)",
        0, 1e6, NULL),
    ROW("faster-fails", ERT_OPT_FLAG, faster_fails, NULL,
        "exit 1 also for what is faster than recorded", 0, 0, NULL),
    ROW("dedicated", ERT_OPT_FLAG, dedicated, NULL,
        "the host of this virtual machine has no other guests: call its memory slower, too",
        0, 0, NULL),
    ROW("all", ERT_OPT_FLAG, all, NULL,
        "list every ceiling, not only main ones and those that differ", 0, 0, NULL),
    ROW("output", ERT_OPT_CHOICE, output, "FORM", "of the verdicts (default text)", 0, 0,
        outputs),
    ROW("out", ERT_OPT_TEXT, out, "FILE", "write the new samples there", 0, 0, NULL),
#undef ROW
};

static const char *const verdicts[ERT_N_VERIFY] = {"same", "SLOWER", "FASTER",
                                                   "cannot tell", "MISSING"};

static void print_row(const struct ert_verify_row *row)
{
    printf("%-6s %-24s %-11s recorded %s", row->device, row->name, verdicts[row->verdict],
           ert_units_rate(row->then, row->operation).text);
    if (row->verdict != ERT_VERIFY_MISSING)
        printf(", now %s: %+.1f %%%s, detectable %.1f %%",
               ert_units_rate(row->now, row->operation).text, 100 * row->differ.change,
               row->is_per_cycle ? " per cycle" : "", 100 * row->differ.detectable);
    if (row->n_follow > 0)
        printf(", followed by %zu ceiling%s", row->n_follow, row->n_follow == 1 ? "" : "s");
    printf("%s%s\n", *row->reason ? ": " : "", row->reason);
}

/* The verdict of all: what the exit code says. */
struct summary {
    size_t counts[ERT_N_VERIFY], n_open; /* of ceilings; also of clocks */
    size_t n, n_per_cycle, n_clocks[ERT_N_VERIFY];
    const struct ert_verify_row *open; /* the first of those */
    const struct ert_verify_row *least_sure;
};

static struct summary summarize(const struct ert_verify_row *list, size_t n,
                                const struct options *options)
{
    struct summary summary = {0};
    for (size_t i = 0; i < n; i++) {
        (list[i].recorded ? summary.counts : summary.n_clocks)[list[i].verdict]++;
        summary.n += list[i].recorded != NULL;
        summary.n_per_cycle += list[i].is_per_cycle;
        if (list[i].verdict != ERT_VERIFY_MISSING &&
            (!summary.least_sure ||
             list[i].differ.detectable > summary.least_sure->differ.detectable))
            summary.least_sure = &list[i];
        if (!ert_verify_is_open(&list[i], options->detect))
            continue;
        summary.open = summary.open ? summary.open : &list[i];
        summary.n_open++;
    }
    return summary;
}

/* 1 for what is slower or missing, 4 where main ceilings cannot be judged. */
static enum ert_status judge(const struct summary *summary, const struct options *options,
                             struct ert_error *error)
{
    size_t n_bad = summary->counts[ERT_VERIFY_SLOWER] + summary->counts[ERT_VERIFY_MISSING];
    size_t n_clocks = summary->n_clocks[ERT_VERIFY_SLOWER];
    if (options->faster_fails) {
        n_bad += summary->counts[ERT_VERIFY_FASTER];
        n_clocks += summary->n_clocks[ERT_VERIFY_FASTER];
    }
    if (n_clocks > 0)
        return ert_fail(error, ERT_FAILED,
                        "%zu clock%s and %zu of %zu ceilings are not as recorded", n_clocks,
                        n_clocks == 1 ? "" : "s", n_bad, summary->n);
    if (n_bad > 0)
        return ert_fail(error, ERT_FAILED, "%zu of %zu ceilings are not as recorded", n_bad,
                        summary->n);
    if (summary->n_open == 0)
        return ERT_OK;
    const struct ert_verify_row *open = summary->open;
    if (*open->reason)
        return ert_fail(error, ERT_NOT_VALID,
                        "no verdict: %zu main ceilings cannot be judged; %s %s: %s",
                        summary->n_open, open->device, open->name, open->reason);
    return ert_fail(
        error, ERT_NOT_VALID,
        "no verdict: %zu main ceilings cannot be judged; %s %s: %+.1f %%, where "
        "%.1f %% would be found",
        summary->n_open, open->device, open->name, 100 * open->differ.change,
        100 * open->differ.detectable);
}

static void print_text(const struct ert_verify_row *list, size_t n,
                       const struct summary *summary, const struct options *options)
{
    for (size_t i = 0; i < n; i++) {
        enum ert_verify_verdict verdict = list[i].verdict;
        if (options->all || list[i].is_main || verdict == ERT_VERIFY_SLOWER ||
            verdict == ERT_VERIFY_FASTER || verdict == ERT_VERIFY_MISSING)
            print_row(&list[i]);
    }
    printf("%zu ceilings: %zu the same, %zu slower, %zu faster, %zu cannot tell, %zu "
           "missing\n",
           summary->n, summary->counts[ERT_VERIFY_SAME], summary->counts[ERT_VERIFY_SLOWER],
           summary->counts[ERT_VERIFY_FASTER], summary->counts[ERT_VERIFY_CANNOT_TELL],
           summary->counts[ERT_VERIFY_MISSING]);
    if (summary->least_sure)
        printf("same: not slower by %.3g %%; least sure: %s %s, where %.1f %% would be "
               "found\n",
               100 * options->margin, summary->least_sure->device,
               summary->least_sure->name, 100 * summary->least_sure->differ.detectable);
    if (summary->n_per_cycle > 0)
        printf(
            "per cycle: %zu ceilings follow the clock of their device; they are judged at "
            "the same clock,\nand the clock in a row of its own\n",
            summary->n_per_cycle);
}

static const struct ert_field measured_rows[] = {
#define ROW(key, kind, member) ERT_ROW_EXACT(struct ert_verify_row, key, kind, member)
    ROW("now", NUMBER, now),
    ROW("n_samples", COUNT, n_samples),
    ROW("change", NUMBER, differ.change),
    ROW("error", NUMBER, differ.error),
    ROW("chance", NUMBER, differ.chance),
    ROW("detectable", NUMBER, differ.detectable),
    ROW("measured_twice", FLAG, is_confirmed),
    ROW("per_cycle", FLAG, is_per_cycle),
#undef ROW
};

static void add_row(cJSON *object, const struct ert_verify_row *row)
{
    static const char *const words[ERT_N_VERIFY] = {"same", "slower", "faster",
                                                    "cannot tell", "missing"};
    cJSON_AddStringToObject(object, "device", row->device);
    cJSON_AddStringToObject(object, "name", row->name);
    cJSON_AddStringToObject(object, "unit", row->operation);
    cJSON_AddBoolToObject(object, "main", row->is_main);
    cJSON_AddNumberToObject(object, "recorded", row->then);
    cJSON_AddStringToObject(object, "verdict", words[row->verdict]);
    cJSON_AddStringToObject(object, "reason", row->reason);
    if (!row->recorded)
        cJSON_AddNumberToObject(object, "followed_by", (double)row->n_follow);
    if (row->verdict != ERT_VERIFY_MISSING)
        ert_fields_write(object, ERT_ROWS(measured_rows), "", row);
}

static enum ert_status print_json(const struct ert_verify_row *list, size_t n,
                                  const struct options *options, struct ert_error *error)
{
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ert-verify/1");
    cJSON_AddNumberToObject(root, "margin", options->margin);
    cJSON *ceilings = cJSON_AddArrayToObject(root, "ceilings");
    cJSON *clocks = cJSON_AddArrayToObject(root, "clocks");
    for (size_t i = 0; i < n; i++)
        add_row(ert_json_add_object(list[i].recorded ? ceilings : clocks), &list[i]);
    enum ert_status status = errno == ENOMEM
                                 ? ert_fail(error, ERT_FAILED, "no memory for the JSON")
                                 : ert_json_print(stdout, root, error);
    cJSON_Delete(root);
    return status;
}

/*
 * What the fit calls a bad condition makes slow what is sound: nothing of such a device is called slower.
 */
static void apply_conditions(const struct ert_samples *samples, struct ert_verify_row *list,
                             size_t n)
{
    for (size_t i = 0; i < samples->n_devices; i++) {
        const struct ert_device_samples *device = &samples->devices[i];
        char why[256];
        if (ert_conditions_disturbed(&samples->machine.provenance, &device->context.device,
                                     device, why, sizeof why))
            ert_verify_disturbed(list, n, device->device, why);
    }
}

/* One more sample, the turn's, of what needs it; *is_done: nothing does, or it could not run. */
static enum ert_status measure_more(struct ert_verify_row *list, size_t n,
                                    struct ert_samples *samples,
                                    const struct options *options, double budget_s,
                                    unsigned turn, bool *is_done, struct ert_error *error)
{
    struct ert_samples *more = ert_xcalloc(1, sizeof *more);
    struct ert_error run_error = {0};
    enum ert_status status = ERT_OK;
    more->config = samples->config;
    more->config.rounds = (uint64_t)ERT_VERIFY_MORE_ROUNDS << turn;
    more->config.budget_s = budget_s;
    more->config.seed += 1 + turn; /* other data, and of a planted machine other noise */
    ert_verify_plan_more(list, n, options->detect, samples, more);
    *is_done = more->n_devices == 0;
    if (!*is_done) {
        /* What failed is a missing ceiling with its reason. */
        *is_done = ert_cli_measure(more, NULL, &run_error) != ERT_OK;
        status = ert_verify_confirm(list, n, samples, more, options->margin, error);
    }
    ert_samples_free(more);
    free(more);
    return status;
}

/*
 * Measures once more what seems to have changed, and then, while there is time, the main ceilings whose
 * uncertainty allows no verdict, twice as often each turn. Each turn is another chance of a false alarm:
 * of six, at most six in 100,000 (differ.h).
 */
static enum ert_status settle(struct ert_verify_row *list, size_t n,
                              struct ert_samples *samples, const struct options *options,
                              struct ert_error *error)
{
    enum { MOST_TURNS = 6 };
    double begin_s = ert_clock_now_s(), limit_s = options->budget_s / 2, left_s = limit_s;
    bool is_done = false;
    for (unsigned turn = 0; turn < MOST_TURNS && !is_done; turn++) {
        ERT_TRY(measure_more(list, n, samples, options, left_s, turn, &is_done, error));
        if (limit_s > 0) {
            left_s = limit_s - (ert_clock_now_s() - begin_s);
            is_done = is_done || left_s <= 0;
        }
    }
    return ERT_OK;
}

static enum ert_status report(const struct ert_verify_row *list, size_t n,
                              const struct options *options, struct ert_error *error)
{
    struct summary summary = summarize(list, n, options);
    bool is_json = strcmp(options->output, "json") == 0;
    if (is_json)
        ERT_TRY(print_json(list, n, options, error));
    else
        print_text(list, n, &summary, options);
    return judge(&summary, options, error);
}

/* *planned: rows, to which those of clocks are appended. */
static enum ert_status measure(const struct options *options,
                               const struct ert_ceilings *recorded,
                               struct ert_samples *samples, struct ert_verify_row **planned,
                               size_t n, struct ert_error *error)
{
    struct ert_error run_error = {0}, not_written = {0};
    enum ert_status run_status = ert_cli_measure(samples, NULL, &run_error);
    ert_verify_compare(planned, &n, recorded, samples, options->margin);
    struct ert_verify_row *list = *planned;
    /* Where nothing could be called slower, a second measurement would only take time. */
    enum ert_status status = ERT_OK;
    apply_conditions(samples, list, n);
    if (run_status == ERT_OK)
        status = settle(list, n, samples, options, error);
    if (status == ERT_OK && options->out)
        ert_samples_write(options->out, samples, &not_written);
    if (status == ERT_OK)
        apply_conditions(samples, list, n);
    for (size_t i = 0; status == ERT_OK && !options->dedicated && i < samples->n_devices;
         i++)
        ert_verify_shared(list, n, &samples->devices[i].context.device);
    if (status == ERT_OK)
        status = report(list, n, options, error);
    if (not_written.status != ERT_OK) /* the table has said what was found */
        status =
            ert_fail(error, status == ERT_OK ? ERT_FAILED : status, "%s", not_written.text);
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    return status;
}

static enum ert_status run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {
        .device = "all", .output = "text", .margin = 0.01, .detect = 0.1, .budget_s = 30};
    struct ert_ceilings recorded;
    const char *words[1];
    size_t n_words;
    ert_cli_catch_signals();
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words != 1)
        return ert_fail(error, ERT_USAGE, "verify: name one ceilings file");
    ERT_TRY(ert_ceilings_read(words[0], &recorded, error));
    struct ert_samples *samples = ert_xcalloc(1, sizeof *samples);
    struct ert_verify_row *list = NULL;
    size_t n = 0;
    bool is_fake =
        recorded.n_devices > 0 && strncmp(recorded.devices[0].device, "fake", 4) == 0;
    enum ert_status status =
        ert_cli_devices(is_fake ? "fake" : "all", argc, argv, &samples->machine, error);
    for (size_t i = 0;
         i < recorded.n_devices && status == ERT_OK && strcmp(options.output, "text") == 0;
         i++)
        if (!recorded.devices[i].valid)
            printf("note: %s: the recorded run was not valid: %s\n",
                   recorded.devices[i].device, recorded.devices[i].warnings);
    if (status == ERT_OK)
        status = ert_verify_plan(&recorded, options.device, options.budget_s, samples,
                                 &list, &n, error);
    if (status == ERT_OK)
        status = measure(&options, &recorded, samples, &list, n, error);
    free(list);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
    return status;
}

static void notes(FILE *out)
{
    fputs("\nA ceiling whose rate follows the clock of its device (compute, a GPU's L1 and "
          "shared memory, a\n"
          "CPU's caches before the last) is judged per cycle: its rate by the clock of the "
          "same region.\n"
          "The clock itself is one more row, which says how many ceilings follow it; a "
          "lower clock fails\n"
          "as a slower ceiling does. Recorded files without clocks are judged by their "
          "rates.\n",
          out);
}

const struct ert_command ert_command_verify = {
    .name = "verify",
    .words = "CEILINGS",
    .summary = "are the recorded ceilings still attained?",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run_command,
    .notes = notes,
};
