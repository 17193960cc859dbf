/* ert verify: measures recorded ceilings again and says which differ: the check of a node. */
#include "ert/base/units.h"
#include "ert/ceilings/again.h"
#include "ert/ceilings/evidence.h"
#include "ert/cli/cmd.h"
#include "ert/cli/devices.h"
#include "ert/cli/measure.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *device, *out;
    double margin;
    bool all;
};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("device", ERT_OPT_TEXT, device, "NAME",
        "which devices: all that are recorded (default), cpu, gpu, gpuN, fake", 0, 0, NULL),
    ROW("margin", ERT_OPT_NUMBER, margin, "SHARE",
        "how far outside the recorded interval is still the same (default 0.01)", 0, 1,
        NULL),
    ROW("all", ERT_OPT_FLAG, all, NULL, "list every ceiling, not only those that differ", 0,
        0, NULL),
    ROW("out", ERT_OPT_TEXT, out, "FILE", "write the new samples there", 0, 0, NULL),
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const char *const verdicts[] = {"same", "SLOWER", "FASTER", "missing"};

static const char *value_text(const struct ert_again_row *row, double value,
                              char text[ERT_UNITS_TEXT])
{
    if (strcmp(row->operation, "s") == 0)
        return ert_units_time(value, text);
    return strcmp(row->operation, "byte/s") == 0 ? ert_units_bandwidth(value, text)
                                                 : ert_units_performance(value, text);
}

static void print_row(const struct ert_again_row *row)
{
    char recorded[ERT_UNITS_TEXT], now[ERT_UNITS_TEXT], low[ERT_UNITS_TEXT],
        high[ERT_UNITS_TEXT];
    printf("%-6s %-24s %-8s recorded %s (%s .. %s)", row->device, row->name,
           verdicts[row->verdict], value_text(row, row->recorded, recorded),
           value_text(row, row->low, low), value_text(row, row->high, high));
    if (row->verdict == ERT_AGAIN_MISSING)
        printf(": %s\n", row->reason);
    else
        printf(", now %s: %+.1f %%\n", value_text(row, row->now, now),
               100 * (row->now / row->recorded - 1));
}

/* Prints what differs; ERT_FAILED when anything does. */
static enum ert_status report(const struct ert_again_row *list, size_t n, bool all,
                              struct ert_error *error)
{
    size_t counts[4] = {0};
    for (size_t i = 0; i < n; i++) {
        counts[list[i].verdict]++;
        if (all || list[i].verdict != ERT_AGAIN_SAME)
            print_row(&list[i]);
    }
    printf("%zu ceilings: %zu the same, %zu slower, %zu faster, %zu missing\n", n,
           counts[ERT_AGAIN_SAME], counts[ERT_AGAIN_SLOWER], counts[ERT_AGAIN_FASTER],
           counts[ERT_AGAIN_MISSING]);
    if (counts[ERT_AGAIN_SAME] == n)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%zu of %zu ceilings are not as recorded",
                    n - counts[ERT_AGAIN_SAME], n);
}

/* Conditions that make the comparison doubtful, as the fit finds them. */
static enum ert_status check_trust(const struct ert_samples *samples,
                                   struct ert_error *error)
{
    for (size_t i = 0; i < samples->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(&samples->machine, samples->devices[i].device);
        struct ert_device_ceilings *judged = calloc(1, sizeof *judged);
        if (!judged)
            return ert_fail(error, ERT_FAILED, "no memory for the verdict");
        ert_evidence_trust(&samples->machine.provenance, device, &samples->devices[i],
                           judged);
        if (!judged->trusted)
            ert_fail(error, ERT_UNTRUSTED, "%s: not trustworthy: %.200s", device->id,
                     judged->distrust);
        bool trusted = judged->trusted;
        free(judged);
        if (!trusted)
            return ERT_UNTRUSTED;
    }
    return ERT_OK;
}

static enum ert_status verify(const struct options *options,
                              const struct ert_ceilings *recorded,
                              struct ert_samples *samples, struct ert_error *error)
{
    struct ert_again_row *list = NULL;
    size_t n = 0;
    ERT_TRY(ert_again_plan(recorded, options->device ? options->device : "all", samples,
                           error));
    struct ert_error run_error = {0};
    enum ert_status run_status = ert_cli_measure(samples, NULL, &run_error);
    if (options->out)
        ERT_TRY(ert_samples_write(options->out, samples, error));
    double margin = options->margin >= 0 ? options->margin : 0.01;
    ERT_TRY(ert_again_compare(recorded, samples, margin, &list, &n, error));
    enum ert_status status = report(list, n, options->all, error);
    free(list);
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    struct ert_error doubt = {0};
    if (check_trust(samples, &doubt) != ERT_OK && status == ERT_OK)
        return ert_fail(error, doubt.status, "%s", doubt.text);
    if (doubt.status != ERT_OK)
        printf("note: %s\n", doubt.text);
    return status;
}

enum ert_status ert_cmd_verify(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.margin = -1};
    struct ert_ceilings recorded;
    const char *words[1];
    size_t n_words;
    if (ert_cmd_help("verify", rows, N_ROWS, argc, argv))
        return ERT_OK;
    ERT_TRY(ert_opt_parse(rows, N_ROWS, argc, argv, &options, words, 1, &n_words, error));
    if (n_words != 1)
        return ert_fail(error, ERT_USAGE, "verify: name one ceilings file");
    ERT_TRY(ert_ceilings_read(words[0], &recorded, error));
    struct ert_samples *samples = calloc(1, sizeof *samples);
    bool is_fake =
        recorded.n_devices > 0 && strncmp(recorded.devices[0].device, "fake", 4) == 0;
    enum ert_status status = samples
                                 ? ert_cli_devices(is_fake ? "fake" : "all", argc, argv,
                                                   &samples->machine, error)
                                 : ert_fail(error, ERT_FAILED, "no memory for the samples");
    if (status == ERT_OK)
        status = verify(&options, &recorded, samples, error);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
    return status;
}
