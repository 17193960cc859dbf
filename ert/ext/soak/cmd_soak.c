/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert soak: runs the winning configurations of recorded ceilings in turn, for hours, and checks every result:
 * burn-in with a search for silent corruption. A file of JSON lines is its output and its checkpoint: the
 * same command goes on where it ended. Its memory does not grow.
 */
#include "ert/cli/commands.h"
#include "ert/cli/measure.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/json.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/fleet/hosts.h"
#include "ert/ext/validate/replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema[] = "ert-soak/1";
static const double line_s = 60; /* of load, between two lines */

/*
 * The first and the last tenth of a soak are compared. A drop counts if it is above 1 %, the margin of `ert
 * verify`, and 5 standard errors: with noise of 3 % on the planted GPU none was seen where there was none; no
 * real card was tried (results/soak).
 */
static const double part_of_all = 0.1, least_drop = 0.01, least_errors = 5;

enum { MOST_WRONG = 100 }; /* more of them tell nothing */

struct options {
    const char *device, *out;
    double time_s, region_s;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "NAME",
            "cpu, gpuN: one device (default the only one of CEILINGS)"),
    ERT_OPT_WITHIN("time", TIME, time_s, "TIME", "time under load (default 1 h)", 1, 1e8),
    ERT_OPT_WITHIN("region", TIME, region_s, "TIME",
                   "time between two checks of results (default 1 s)", 1e-3, 60),
    ERT_OPT("out", TEXT, out, "FILE",
            "where the lines go; one that is there is continued (default soak.ndjson)"),
};

/* Rates of a part of the soak: mean and sum of squared differences (Welford). */
struct rates {
    double n, mean, squares;
};

struct kernel {
    struct ert_region region;
    struct rates early, late,
        before;           /* late: the part that began last; before: the one before it */
    uint64_t n_late_part; /* which part `late` is of */
};

/* Sums over all runs of the file. */
struct sums {
    double busy_s, regions, operations, bytes, wrong, corrected, uncorrected;
};

struct soak {
    const struct options *options;
    const struct ert_device *device;
    const char *owner; /* a GPU's UUID; else the host's name */
    char host[ERT_HOST_TEXT];
    const struct ert_backend *backend;
    struct ert_session_options session_options;
    struct ert_session *session;
    struct ert_replay *replays; /* malloc */
    struct kernel *kernels;     /* malloc; one for each of replays[n] */
    size_t n, next;             /* next: the one whose turn it is */
    FILE *out;
    struct sums sums;
    struct ert_memory_errors
        errors; /* of the driver's counters, when they were read last */
    bool counts_errors;
    double begun_busy_s, next_line_s; /* of this run; the next line */
    double power_ws, most_w, clock_s, metered_s;
    uint64_t throttle;
};

/* ---- lines ---- */

static cJSON *line_begin(const struct soak *soak, const char *word)
{
    char date[32];
    cJSON *line = cJSON_CreateObject();
    ert_clock_date(date, sizeof date);
    cJSON_AddStringToObject(line, "schema", schema);
    cJSON_AddStringToObject(line, "line", word);
    cJSON_AddStringToObject(line, "date", date);
    cJSON_AddStringToObject(line, "device", soak->device->id);
    cJSON_AddStringToObject(line, "name", soak->device->name);
    cJSON_AddStringToObject(line, "owner", soak->owner);
    cJSON_AddStringToObject(line, "host", soak->host);
    cJSON_AddStringToObject(line, "next",
                            soak->n ? soak->replays[soak->next].ceiling->name : "");
    cJSON_AddNumberToObject(line, "busy_s", soak->sums.busy_s);
    cJSON_AddNumberToObject(line, "regions", soak->sums.regions);
    cJSON_AddNumberToObject(line, "operations", soak->sums.operations);
    cJSON_AddNumberToObject(line, "bytes", soak->sums.bytes);
    cJSON_AddNumberToObject(line, "wrong", soak->sums.wrong);
    if (soak->counts_errors) {
        cJSON_AddNumberToObject(line, "ecc_corrected", soak->sums.corrected);
        cJSON_AddNumberToObject(line, "ecc_uncorrected", soak->sums.uncorrected);
    }
    return line;
}

/* Adds what the driver's counters of memory errors grew by; the first time they are read alone. */
static void soak_count_errors(struct soak *soak)
{
    struct ert_memory_errors now;
    if (!soak->backend->errors || !soak->backend->errors(soak->session, &now))
        return;
    if (soak->counts_errors && now.corrected >= soak->errors.corrected)
        soak->sums.corrected += (double)(now.corrected - soak->errors.corrected);
    if (soak->counts_errors && now.uncorrected >= soak->errors.uncorrected)
        soak->sums.uncorrected += (double)(now.uncorrected - soak->errors.uncorrected);
    soak->errors = now;
    soak->counts_errors = true;
}

/* Writes and frees the line; on the disk when it returns. */
static enum ert_status line_end(const struct soak *soak, cJSON *line,
                                struct ert_error *error)
{
    enum ert_status status = ert_json_print_line(soak->out, line, error);
    cJSON_Delete(line);
    if (status == ERT_OK && (fflush(soak->out) != 0 || fsync(fileno(soak->out)) != 0) &&
        errno != EINVAL) /* a pipe */
        return ert_fail(error, ERT_FAILED, "%s: %s", soak->options->out, strerror(errno));
    return status;
}

/* A kernel's present rate as a share of the recorded one; 0: it had no turn. */
static double share_of(const struct soak *soak, size_t i)
{
    const struct ert_ceiling *ceiling = soak->replays[i].ceiling;
    const struct kernel *kernel = &soak->kernels[i];
    const double rate = kernel->late.n > 0 ? kernel->late.mean : kernel->before.mean;
    return ceiling->unit == ERT_UNIT_S ? ceiling->value * rate : rate / ceiling->value;
}

/* The time's power and clock, and each kernel's present rate as a share of the recorded one. */
static enum ert_status write_line(struct soak *soak, struct ert_error *error)
{
    soak_count_errors(soak);
    cJSON *line = line_begin(soak, "rates"),
          *shares = cJSON_AddObjectToObject(line, "of_recorded");
    for (size_t i = 0; i < soak->n; i++) {
        const double share = share_of(soak, i);
        if (share > 0)
            cJSON_AddNumberToObject(shares, soak->replays[i].ceiling->name,
                                    round(1e4 * share) / 1e4);
    }
    if (soak->power_ws > 0) {
        cJSON_AddNumberToObject(line, "power_w", soak->power_ws / soak->metered_s);
        cJSON_AddNumberToObject(line, "most_power_w", soak->most_w);
    }
    if (soak->clock_s > 0)
        cJSON_AddNumberToObject(line, "clock_hz", soak->clock_s / soak->metered_s);
    char text[256] = "";
    for (const struct ert_throttle *row = soak->backend->throttle; row && row->name; row++)
        if (soak->throttle & row->bit)
            ert_list_add(text, sizeof text, row->name);
    cJSON_AddStringToObject(line, "throttle_reasons", text);
    soak->power_ws = soak->most_w = soak->clock_s = soak->metered_s = 0;
    soak->throttle = 0;
    soak->next_line_s = soak->sums.busy_s + line_s;
    return line_end(soak, line, error);
}

static double line_number(const cJSON *line, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(line, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

static const char *line_text(const cJSON *line, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, key));
    return text ? text : "";
}

/* Goes on where a line ended: else a soak that is interrupted often has its first ceilings alone. */
static void take_line(struct soak *soak, const cJSON *line)
{
    for (size_t i = 0; i < soak->n; i++)
        if (strcmp(soak->replays[i].ceiling->name, line_text(line, "next")) == 0)
            soak->next = i;
    soak->sums = (struct sums){
        line_number(line, "busy_s"),         line_number(line, "regions"),
        line_number(line, "operations"),     line_number(line, "bytes"),
        line_number(line, "wrong"),          line_number(line, "ecc_corrected"),
        line_number(line, "ecc_uncorrected")};
}

static enum ert_status check_line(const struct soak *soak, const cJSON *line, size_t row,
                                  struct ert_error *error)
{
    const char *id = line_text(line, "device"), *name = line_text(line, "name"),
               *owner = line_text(line, "owner");
    if (strcmp(line_text(line, "schema"), schema) != 0)
        return ert_fail(error, ERT_USAGE, "%s: row %zu: no line of %s", soak->options->out,
                        row, schema);
    if (strcmp(id, soak->device->id) == 0 && strcmp(name, soak->device->name) == 0 &&
        (!*owner || strcmp(owner, soak->owner) == 0))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: row %zu: of %.32s, %.80s (%.64s), this is %.32s, %.80s (%.64s)",
                    soak->options->out, row, id, name, owner, soak->device->id,
                    soak->device->name, soak->owner);
}

/* Takes the last whole line of a file of this device. *is_torn: its last line has no end. */
static enum ert_status resume(struct soak *soak, bool *is_torn, struct ert_error *error)
{
    char *text = NULL;
    size_t room = 0;
    struct stat about;
    if (stat(soak->options->out, &about) == 0 && !S_ISREG(about.st_mode))
        return ERT_OK; /* a pipe, a terminal */
    FILE *in = fopen(soak->options->out, "re");
    if (!in)
        return errno == ENOENT ? ERT_OK
                               : ert_fail(error, ERT_USAGE, "%s: %s", soak->options->out,
                                          strerror(errno));
    enum ert_status status = ERT_OK;
    for (size_t row = 1; status == ERT_OK && getline(&text, &room, in) > 0; row++) {
        cJSON *line = cJSON_Parse(text);
        *is_torn = !strchr(text, '\n');
        if (line || *text != '{') /* else torn */
            status = check_line(soak, line, row, error);
        if (line && status == ERT_OK)
            take_line(soak, line);
        cJSON_Delete(line);
    }
    free(text);
    fclose(in);
    if (status == ERT_OK && soak->sums.busy_s >= soak->options->time_s)
        return ert_fail(
            error, ERT_USAGE,
            "%s: has %.6g s already, %.0f wrong: a longer --time goes on, another "
            "--out begins",
            soak->options->out, soak->sums.busy_s, soak->sums.wrong);
    return status;
}

/* ---- the work ---- */

static void rates_add(struct rates *rates, double rate)
{
    const double before = rate - rates->mean;
    rates->n++;
    rates->mean += before / rates->n;
    rates->squares += before * (rate - rates->mean);
}

/* Operations, bytes or loads of a pass: what the ceiling's rate counts. */
static double soak_counted(const struct ert_region *region)
{
    const enum ert_counted counted = ert_kernel_counts(region->spec.kernel);
    return counted == ERT_COUNTS_OPERATIONS ? region->work.flops_per_pass
           : counted == ERT_COUNTS_LOADS    ? region->work.loads_per_pass
                                            : region->work.bytes_per_pass;
}

/* How many passes fill a region at the recorded rate; 0: to be found by trying. */
static uint64_t soak_passes(const struct soak *soak, const struct ert_ceiling *ceiling,
                            struct ert_region *region)
{
    struct ert_error error;
    if (soak->backend->prepare(soak->session, &region->spec, &region->work, &error) !=
        ERT_OK)
        return 0;
    const double rate = ceiling->unit == ERT_UNIT_S ? 1 / ceiling->value : ceiling->value,
                 passes = soak->options->region_s * rate / soak_counted(region);
    return passes < 1 ? 1 : passes < 0x1p62 ? (uint64_t)passes : 0;
}

static void soak_account(struct soak *soak, struct kernel *kernel)
{
    const struct ert_region *region = &kernel->region;
    const struct ert_sample *sample = &region->sample;
    const double passes = (double)sample->passes,
                 part_s = part_of_all * soak->options->time_s,
                 run_s = soak->sums.busy_s - soak->begun_busy_s;
    const uint64_t part = (uint64_t)(run_s / part_s);
    const double rate = passes / sample->time_s * soak_counted(region);
    if (part == 0)
        rates_add(&kernel->early, rate);
    if (part != kernel->n_late_part) {
        kernel->before = kernel->late;
        kernel->late = (struct rates){0};
        kernel->n_late_part = part;
    }
    rates_add(&kernel->late, rate);
    soak->sums.busy_s += sample->time_s;
    soak->sums.regions++;
    soak->sums.operations += passes * region->work.flops_per_pass;
    soak->sums.bytes += passes * region->work.bytes_per_pass;
    soak->metered_s += sample->time_s;
    soak->power_ws += sample->power_w * sample->time_s;
    soak->most_w = fmax(soak->most_w, sample->power_w);
    soak->clock_s += sample->clock_hz * sample->time_s;
    soak->throttle |= sample->throttle;
}

static enum ert_status soak_open(struct soak *soak, struct ert_error *error)
{
    char notes[512] = "";
    if (soak->session)
        soak->backend->close(soak->session);
    soak->session = NULL;
    ERT_TRY(soak->backend->open(soak->device, &soak->session_options, &soak->session, notes,
                                sizeof notes, error));
    soak_count_errors(soak);
    return ERT_OK;
}

/*
 * A wrong result, of a region that ran, is a line, and fresh data after it. Another failure, such as a device
 * that does not answer, is a line and the end.
 */
static enum ert_status run_region(struct soak *soak, size_t i, struct ert_error *error)
{
    struct ert_error why = {0};
    struct kernel *kernel = &soak->kernels[i];
    bool lost = false;
    if (kernel->region.passes == 0)
        kernel->region.passes =
            soak_passes(soak, soak->replays[i].ceiling, &kernel->region);
    kernel->region.sample.time_s = 0;
    const enum ert_status status =
        ert_region_run(soak->backend, soak->session, &kernel->region, &lost, &why);
    if (status == ERT_OK) {
        soak_account(soak, kernel);
        return ERT_OK;
    }
    if (*soak->session_options.stop)
        return ERT_OK;
    if (status == ERT_UNAVAILABLE && !lost) { /* memory that others have taken */
        snprintf(soak->replays[i].reason, sizeof soak->replays[i].reason, "%.191s",
                 why.text);
        return ERT_OK;
    }
    const bool is_wrong = !lost && kernel->region.sample.time_s > 0;
    const char *name = soak->replays[i].ceiling->name;
    soak->sums.wrong += is_wrong;
    cJSON *line = line_begin(soak, is_wrong ? "wrong" : "failed");
    cJSON_AddStringToObject(line, "ceiling", name);
    cJSON_AddStringToObject(line, "text", why.text);
    fprintf(stderr, "ert: %s: %s\n", name, why.text);
    ERT_TRY(line_end(soak, line, error));
    return is_wrong ? soak_open(soak, error)
                    : ert_fail(error, ERT_FAILED, "%s: %s", name, why.text);
}

static enum ert_status soak_run(struct soak *soak, struct ert_error *error)
{
    const volatile bool *stop = soak->session_options.stop;
    while (soak->sums.busy_s < soak->options->time_s && !*stop &&
           soak->sums.wrong < MOST_WRONG) {
        const double before = soak->sums.regions + soak->sums.wrong;
        for (size_t turns = 0; turns < soak->n && !*stop; turns++) {
            const size_t i = soak->next;
            soak->next = (i + 1) % soak->n;
            if (!*soak->replays[i].reason)
                ERT_TRY(run_region(soak, i, error));
            if (soak->sums.busy_s >= soak->next_line_s)
                ERT_TRY(write_line(soak, error));
            if (soak->sums.busy_s >= soak->options->time_s)
                break;
        }
        if (soak->sums.regions + soak->sums.wrong == before && !*stop)
            return ert_fail(error, ERT_UNAVAILABLE,
                            "%s: none of %zu ceilings can be run: %s", soak->device->id,
                            soak->n, soak->n ? soak->replays[0].reason : "");
    }
    return ERT_OK;
}

/* ---- the verdict ---- */

/* The last two parts against the first: how many standard errors it is slower; *drop: by which share. */
static double drift(const struct kernel *kernel, double *drop)
{
    const struct rates *a = &kernel->early, *b = kernel->before.n > kernel->late.n
                                                     ? &kernel->before
                                                     : &kernel->late;
    *drop = 1 - b->mean / a->mean;
    if (a->n < 5 || b->n < 5 || kernel->n_late_part == 0)
        return 0;
    const double error =
        sqrt(a->squares / (a->n - 1) / a->n + b->squares / (b->n - 1) / b->n);
    return (a->mean - b->mean) / fmax(error, 1e-12 * a->mean);
}

static enum ert_status conclude(struct soak *soak, struct ert_error *error)
{
    char slower[512] = "";
    size_t n_run = 0;
    double *shares = ert_xcalloc(soak->n + 1, sizeof *shares);
    for (size_t i = 0; i < soak->n; i++) {
        shares[n_run] = share_of(soak, i);
        n_run += shares[n_run] > 0;
    }
    const double median = n_run ? ert_stats_median(shares, n_run) : 0;
    free(shares);
    /* Of a virtual machine other guests change the rates. */
    const bool is_judged = !*soak->device->cpu.hypervisor;
    for (size_t i = 0; i < soak->n && is_judged; i++) {
        double drop;
        if (drift(&soak->kernels[i], &drop) > least_errors && drop > least_drop)
            ert_append(slower, sizeof slower, "%s%.31s by %.1f %%", *slower ? ", " : "",
                       soak->replays[i].ceiling->name, 100 * drop);
    }
    const bool is_whole = soak->sums.busy_s >= soak->options->time_s;
    const char *verdict = soak->sums.wrong > 0         ? "wrong results"
                          : soak->sums.uncorrected > 0 ? "memory errors"
                          : *slower                    ? "slower over time"
                          : is_whole                   ? "clean"
                                                       : "interrupted";
    cJSON *line = line_begin(soak, "end");
    cJSON_AddStringToObject(line, "verdict", verdict);
    if (*slower)
        cJSON_AddStringToObject(line, "slower", slower);
    ERT_TRY(line_end(soak, line, error));
    printf(
        "%s: %s: %.6g s under load, %.0f regions checked, %.4g operations and %.4g bytes, "
        "%.0f wrong%s%s\n",
        soak->device->id, verdict, soak->sums.busy_s, soak->sums.regions,
        soak->sums.operations, soak->sums.bytes, soak->sums.wrong,
        *slower ? "; slower: " : "", slower);
    printf(
        "%s: %zu of %zu ceilings had their turn, at %.1f %% of the recorded rates in the "
        "median (ert verify judges them)\n",
        soak->device->id, n_run, soak->n, 100 * median);
    return soak->sums.wrong > 0 || soak->sums.uncorrected > 0 || *slower
               ? ert_fail(error, ERT_FAILED, "%s: %s", soak->device->id, verdict)
           : is_whole
               ? ERT_OK
               : ert_fail(error, ERT_NOT_VALID, "%s: interrupted: the same command goes on",
                          soak->device->id);
}

/* A variant that checks all of what it reads, where the fastest one checks a part (isa.h: folds). */
static void check_whole(const struct ert_device *device, const struct ert_backend *backend,
                        struct ert_spec *spec)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    const struct ert_session_options any = {.working_set_max_bytes = spec->requested_bytes};
    const size_t n = backend->variants(device, &any, spec->kernel, spec->path, variants,
                                       reason, sizeof reason);
    for (uint32_t i = 0; i < n && strstr(variants[spec->variant].name, "folded"); i++)
        spec->variant = i;
}

/* Finds the device, and what of its ceilings can be run. */
static enum ert_status soak_prepare(struct soak *soak, struct ert_ceilings *ceilings,
                                    struct ert_machine *machine, struct ert_error *error)
{
    const char *id = soak->options->device;
    if (!id && ceilings->n_devices != 1)
        return ert_fail(error, ERT_USAGE,
                        "soak: the file has %zu devices: name one by --device, and start "
                        "ert soak for each",
                        ceilings->n_devices);
    id = id ? id : ceilings->devices[0].device;
    struct ert_device_ceilings *of = ert_ceilings_device(ceilings, id);
    if (!of)
        return ert_fail(error, ERT_USAGE, "soak: no ceilings of device '%.32s'", id);
    ERT_TRY(ert_cli_devices(id, 0, NULL, machine, error));
    soak->device = ert_machine_device(machine, id);
    if (!soak->device)
        return ert_fail(error, ERT_UNAVAILABLE, "no device '%.32s' on this machine", id);
    const struct ert_device *then = ert_machine_device(ceilings->machine, id);
    if (then && strcmp(then->name, soak->device->name) != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: the recorded device is '%.100s', this one is '%.100s'", id,
                        then->name, soak->device->name);
    ert_host_own(soak->host);
    soak->owner =
        *soak->device->gpu.uuid ? soak->device->gpu.uuid : machine->provenance.host;
    soak->backend = ert_backend_find(soak->device->backend);
    soak->replays = ert_xcalloc(ERT_MAX_REPLAYS, sizeof *soak->replays);
    soak->n = ert_replay_list(ceilings->machine, of, soak->replays);
    soak->kernels = ert_xcalloc(soak->n + 1, sizeof *soak->kernels);
    for (size_t i = 0; i < soak->n; i++) {
        check_whole(soak->device, soak->backend, &soak->replays[i].spec);
        soak->kernels[i].region = (struct ert_region){.spec = soak->replays[i].spec,
                                                      .time_s = soak->options->region_s};
    }
    return ert_replay_options(ceilings, soak->device, soak->replays, soak->n,
                              &soak->session_options, error);
}

static enum ert_status soak_all(struct soak *soak, struct ert_ceilings *ceilings,
                                struct ert_machine *machine, struct ert_error *error)
{
    struct ert_config config;
    ert_config_default(&config);
    ERT_TRY(soak_prepare(soak, ceilings, machine, error));
    ert_cli_catch_signals();
    soak->session_options.seed = config.seed;
    soak->session_options.stop = ert_cli_stop();
    soak->session_options.timeout_s = fmax(config.timeout_s, 10 * soak->options->region_s);
    bool is_torn = false;
    ERT_TRY(resume(soak, &is_torn, error));
    soak->begun_busy_s = soak->sums.busy_s;
    soak->next_line_s = soak->sums.busy_s + line_s;
    soak->out = fopen(soak->options->out, "ae");
    if (!soak->out)
        return ert_fail(error, ERT_FAILED, "%s: %s", soak->options->out, strerror(errno));
    if (is_torn)
        fputc('\n', soak->out);
    ERT_TRY(soak_open(soak, error));
    ERT_TRY(line_end(soak, line_begin(soak, "begin"), error));
    ERT_TRY(soak_run(soak, error));
    ERT_TRY(write_line(soak, error));
    return conclude(soak, error);
}

static enum ert_status soak_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.out = "soak.ndjson", .time_s = 3600, .region_s = 1};
    const char *words[1];
    size_t n_words = 0;
    struct ert_ceilings ceilings = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, 1, &n_words,
                          error));
    if (n_words == 0)
        return ert_fail(error, ERT_USAGE,
                        "soak: no ceilings file given; `ert run` makes one");
    ERT_TRY(ert_ceilings_read(words[0], &ceilings, error));
    struct soak soak = {.options = &options};
    struct ert_machine *machine = ert_xcalloc(1, sizeof *machine);
    enum ert_status status = soak_all(&soak, &ceilings, machine, error);
    if (soak.session)
        soak.backend->close(soak.session);
    if (soak.out)
        fclose(soak.out);
    free(soak.replays);
    free(soak.kernels);
    free(machine);
    ert_ceilings_free(&ceilings);
    return status;
}

const struct ert_command ert_command_soak = {
    .name = "soak",
    .words = "CEILINGS",
    .summary = "run the ceilings for hours, and check every result",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = soak_command,
};
