/* ert validate: whether the ceilings of a file are what they say: machine code, counters, conditions. */
#include "ert/cli/cmd.h"
#include "ert/cli/devices.h"
#include "ert/cli/validate_build.h"
#include "ert/cli/validate_text.h"
#include "ert/validate/code.h"
#include "ert/validate/ncu.h"
#include "ert/validate/perf.h"
#include "ert/validate/profiler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *device, *out, *only, *profiler, *samples, *code_for;
};

static const char *const parts[] = {"code", "counters", "conditions", NULL};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("device", ERT_OPT_TEXT, device, "NAME",
        "only this device of the file (default all)", 0, 0, NULL),
    ROW("only", ERT_OPT_CHOICE, only, "PART", "only one part", 0, 0, parts),
    ROW("samples", ERT_OPT_TEXT, samples, "FILE",
        "the run's samples, for its conditions (default: beside CEILINGS, ceilings in its "
        "name made samples)",
        0, 0, NULL),
    ROW("profiler", ERT_OPT_CHOICE, profiler, "NAME",
        "instead of CEILINGS: whether this profiler counts right", 0, 0,
        ert_profiler_names),
    ROW("code-for", ERT_OPT_TEXT, code_for, "N.N",
        "instead of CEILINGS: the machine code of all kernels of this build for GPUs of "
        "this compute capability, e.g. 7.0; needs no GPU",
        0, 0, NULL),
    ROW("out", ERT_OPT_TEXT, out, "FILE",
        "where the ceilings with their proof go (default: the same file)", 0, 0, NULL),
#undef ROW
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static bool is_wanted(const struct options *options, const char *part)
{
    return !options->only || strcmp(options->only, part) == 0;
}

static void prove(const struct options *options, const char *file,
                  const struct ert_ceilings *ceilings, const struct ert_device *device,
                  struct ert_replay *replays, size_t n)
{
    if (is_wanted(options, "code"))
        ert_code_prove(device, replays, n);
    if (is_wanted(options, "counters") && device->kind == ERT_DEVICE_GPU)
        ert_ncu_prove(device, file, replays, n);
    else if (is_wanted(options, "counters"))
        ert_perf_prove(ceilings, device, replays, n);
}

/* The run's samples; NULL where there are none, which is an error only for a file that was named. */
static enum ert_status read_samples(const struct options *options, const char *file,
                                    struct ert_samples **samples, struct ert_error *error)
{
    static const char ours[] = "ceilings";
    char beside[4096] = "";
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    /* "ceilings-untrusted.json", "ceilings.DATE.json": each has samples of its own. */
    if (strncmp(name, ours, sizeof ours - 1) == 0)
        snprintf(beside, sizeof beside, "%.*ssamples%s", (int)(name - file), file,
                 name + sizeof ours - 1);
    *samples = NULL;
    if (!options->samples && (!*beside || access(beside, R_OK) != 0))
        return ERT_OK;
    struct ert_samples *read = calloc(1, sizeof *read);
    if (!read)
        return ert_fail(error, ERT_FAILED, "no memory for the samples");
    enum ert_status status =
        ert_samples_read(options->samples ? options->samples : beside, read, error);
    if (status == ERT_OK)
        *samples = read;
    else
        free(read);
    return status;
}

static void show_conditions(const struct ert_ceilings *ceilings,
                            const struct ert_device_ceilings *of,
                            const struct ert_samples *samples)
{
    struct ert_condition conditions[ERT_MAX_CONDITIONS];
    /* Without samples the ceilings still say who had the CPUs' time. */
    const struct ert_device_samples without = {.activity = of->activity};
    const struct ert_device_samples *taken = &without;
    for (size_t i = 0; samples && i < samples->n_devices; i++)
        if (strcmp(samples->devices[i].device, of->device) == 0)
            taken = &samples->devices[i];
    size_t n = ert_conditions_list(&ceilings->machine->provenance,
                                   ert_machine_device(ceilings->machine, of->device), taken,
                                   conditions);
    ert_validate_print_conditions(stdout, of, conditions, n);
}

/* The exit code, as the README says it. */
static enum ert_status conclude(const struct ert_validate_counts *counts,
                                struct ert_error *error)
{
    if (counts->n_differ)
        return ert_fail(error, ERT_FAILED, "%zu of %zu ceilings differ: see above",
                        counts->n_differ, counts->n);
    if (counts->n_agree == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "nothing could be looked at: see above");
    return ERT_OK;
}

static enum ert_status validate(const struct options *options, const char *file,
                                struct ert_ceilings *ceilings,
                                const struct ert_samples *samples, struct ert_error *error)
{
    struct ert_validate_counts counts = {0};
    bool found = false;
    struct ert_replay *replays = calloc(ERT_MAX_REPLAYS, sizeof *replays);
    if (!replays)
        return ert_fail(error, ERT_FAILED, "no memory for %d ceilings", ERT_MAX_REPLAYS);
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        struct ert_device_ceilings *of = &ceilings->devices[i];
        if (options->device && strcmp(options->device, of->device) != 0)
            continue;
        found = true;
        const struct ert_device *device = ert_machine_device(ceilings->machine, of->device);
        size_t n = ert_replay_list(ceilings->machine, of, replays, ERT_MAX_REPLAYS);
        printf("%s: %s\n", device->id, device->name);
        if (is_wanted(options, "conditions"))
            show_conditions(ceilings, of, samples);
        if (options->only && strcmp(options->only, "conditions") == 0)
            continue;
        prove(options, file, ceilings, device, replays, n);
        ert_validate_print(stdout, replays, n, options->only, &counts);
    }
    free(replays);
    if (!found)
        return ert_fail(error, ERT_USAGE, "%s: no ceilings of device '%.32s'", file,
                        options->device ? options->device : "");
    if (options->only && strcmp(options->only, "conditions") == 0)
        return ERT_OK;
    ERT_TRY(ert_ceilings_write(options->out ? options->out : file, ceilings, error));
    return conclude(&counts, error);
}

/* Counted by the profiler / known; more than 1 % apart is a failure. */
static enum ert_status judge_profiler(const char *name, const struct ert_profiled *results,
                                      size_t n, struct ert_error *error)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double ratio = results[i].counted / results[i].ours;
        printf("%s: %-10s %-10s counted %.6g, ours %.6g: ratio %.4f\n", name,
               results[i].kernel, results[i].what, results[i].counted, results[i].ours,
               ratio);
        worst = fmax(worst, fabs(ratio - 1));
    }
    if (worst > 0.01)
        return ert_fail(error, ERT_FAILED, "%s counts up to %.3g %% off", name,
                        100 * worst);
    return ERT_OK;
}

static enum ert_status check_profiler(const char *name, struct ert_error *error)
{
    struct ert_profiled results[ERT_MAX_PROFILED];
    size_t n;
    struct ert_machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return ert_fail(error, ERT_FAILED, "no memory for a machine");
    enum ert_status status = ert_cli_devices("all", 0, NULL, machine, error);
    if (status == ERT_OK)
        status = ert_profiler_check(name, machine, results, &n, error);
    free(machine);
    ERT_TRY(status);
    return judge_profiler(name, results, n, error);
}

enum ert_status ert_cmd_validate(int argc, char **argv, struct ert_error *error)
{
    struct options options = {0};
    const char *words[1];
    size_t n_words;
    if (ert_cmd_help("validate", rows, N_ROWS, argc, argv))
        return ERT_OK;
    ERT_TRY(ert_opt_parse(rows, N_ROWS, argc, argv, &options, words, 1, &n_words, error));
    if (n_words + !!options.profiler + !!options.code_for != 1)
        return ert_fail(error, ERT_USAGE,
                        "validate: name one ceilings file, or --profiler, or --code-for");
    if (options.profiler)
        return check_profiler(options.profiler, error);
    if (options.code_for)
        return ert_validate_build(stdout, options.code_for, error);
    struct ert_ceilings ceilings;
    ERT_TRY(ert_ceilings_read(words[0], &ceilings, error));
    struct ert_samples *samples = NULL;
    enum ert_status status = read_samples(&options, words[0], &samples, error);
    if (status == ERT_OK)
        status = validate(&options, words[0], &ceilings, samples, error);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&ceilings);
    return status;
}
