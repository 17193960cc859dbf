/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/verify/verify.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/fit/levels.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ert_verify_words[ERT_N_VERIFY] = {"same", "slower", "faster",
                                                    "cannot tell", "missing"};

/* On CPUs a larger set takes a tenth of a second or more to prepare. */
static const double costly_bytes = 256.0 * 1024 * 1024;

/* The plan of one device while it is made: rows, and a point for each. */
struct planner {
    const char *only;                  /* a text in the names of ceilings; NULL: all */
    const struct ert_machine *machine; /* the present one, for the far ends of links */
    const struct ert_device *device;   /* the present one, as the run uses it */
    struct ert_session_options options;
    struct ert_device_samples *out;
    double sustain_s; /* of the sustained run of a device */
    size_t device_index;
    const struct ert_mode *mode; /* of the recorded ceilings; NULL: ert's own */
    struct ert_verify_row *rows;
    size_t n, capacity;
};

/* Finds the variant that won; ERT_UNAVAILABLE when this build or machine lacks it or its level. */
static enum ert_status verify_find_case(const struct planner *planner,
                                        const struct ert_ceiling *recorded,
                                        struct ert_point *point, struct ert_error *error)
{
    const char *const name = recorded->evidence->launch.name;
    if (planner->mode)
        return planner->mode->recall(recorded, planner->device, &planner->options, point,
                                     error);
    if (ert_kernel_has_set(point->spec.kernel) && point->section != ERT_SECTION_LINKS &&
        point->spec.path == ERT_PATH_NONE)
        return ert_fail(error, ERT_UNAVAILABLE, "this machine has no such level");
    if (!*name)
        return ert_fail(error, ERT_UNAVAILABLE, "its launch is not recorded");
    point->spec.flops_per_element = ert_kernel_row(point->spec.kernel)->flops;
    return ert_plan_variant(planner->device, &planner->options, name, &point->spec,
                            &point->variant, error);
}

static struct ert_point *verify_add_point(struct ert_device_samples *out)
{
    out->points = ert_xrealloc(out->points, out->n_points + 1, sizeof *out->points);
    return &out->points[out->n_points++];
}

/*
 * Adds a row and its point. spec: without kernel and variant, which the ceiling names. ERT_USAGE for a kernel
 * that this program does not have: that is no fault of the machine.
 */
static enum ert_status verify_add_row(struct planner *planner,
                                      const struct ert_ceiling *recorded,
                                      enum ert_section section, struct ert_spec spec,
                                      struct ert_error *error)
{
    const char *operation = ert_unit_words[recorded->unit];
    struct ert_point point = {.section = section, .spec = spec};
    struct ert_error why = {0};
    if (ert_kernel_find(recorded->kernel, &point.spec.kernel, NULL) != ERT_OK)
        return ert_fail(
            error, ERT_USAGE,
            "%s: %.31s: this program has no kernel '%.23s'; measure anew, or use "
            "the program that measured it",
            planner->out->device, recorded->name, recorded->kernel);
    enum ert_kernel_kind kind = ert_kernel_row(point.spec.kernel)->kind;
    if ((section == ERT_SECTION_COMPUTE && kind == ERT_KIND_MEMORY) ||
        (section == ERT_SECTION_LEVELS && kind == ERT_KIND_COMPUTE))
        return ert_fail(error, ERT_USAGE, "%s: %.31s: kernel '%.23s' does not measure %s",
                        planner->out->device, recorded->name, recorded->kernel, operation);
    if (verify_find_case(planner, recorded, &point, &why) != ERT_OK) {
        point.status = ERT_POINT_SKIPPED;
        snprintf(point.reason, sizeof point.reason, "%.255s", why.text);
    }
    planner->rows =
        ert_xgrow(planner->rows, planner->n, &planner->capacity, sizeof *planner->rows);
    planner->rows[planner->n++] =
        (struct ert_verify_row){.recorded = recorded,
                                .device = planner->out->device,
                                .operation = operation,
                                .is_main = recorded->kind == ERT_CEILING_MEMORY
                                               ? recorded->is_roof
                                               : strcmp(recorded->name, "fp64-fma") == 0,
                                .then = ert_ceiling_burst(recorded).value,
                                .device_index = planner->device_index,
                                .point = planner->out->n_points,
                                .verdict = ERT_VERIFY_MISSING};
    struct ert_verify_row *row = &planner->rows[planner->n - 1];
    snprintf(row->name, sizeof row->name, "%s", recorded->name);
    *verify_add_point(planner->out) = point;
    return ERT_OK;
}

/* The set and path of a level and, if first touch does not allocate from it, its nodes. */
static struct ert_spec spec_at(const struct planner *planner,
                               const struct ert_ceiling *ceiling)
{
    const struct ert_level *found = ert_device_level(planner->device, ceiling->key.level);
    const struct ert_evidence *evidence = ceiling->evidence;
    double set =
        evidence->requested_bytes > 0 ? evidence->requested_bytes : evidence->actual_bytes;
    return (struct ert_spec){.path = found ? found->path : ERT_PATH_NONE,
                             .to = found ? ert_sets_far_node(planner->device, found) : 0,
                             .requested_bytes = (uint64_t)set};
}

/* Adds a memory ceiling if it is cheap, its level's roof, or load. */
static enum ert_status verify_add_memory(struct planner *planner,
                                         const struct ert_ceiling *ceiling,
                                         struct ert_error *error)
{
    if (planner->device->kind != ERT_DEVICE_GPU &&
        ceiling->evidence->actual_bytes >= costly_bytes && !ceiling->is_roof &&
        strcmp(ceiling->key.pattern, "load") != 0)
        return ERT_OK;
    return verify_add_row(planner, ceiling, ERT_SECTION_LEVELS, spec_at(planner, ceiling),
                          error);
}

static enum ert_status add_extra(struct planner *planner, enum ert_section section,
                                 const struct ert_ceiling *extra, struct ert_error *error)
{
    struct ert_spec spec = spec_at(planner, extra);
    /* On CPUs one thread chases (plan.c). */
    spec.concurrency =
        section == ERT_SECTION_LATENCY && planner->device->kind == ERT_DEVICE_CPU;
    /* The other end of a link, which may be `from`; for the host 0. */
    bool is_from = strcmp(extra->key.from, planner->device->id) == 0;
    if (*extra->key.from && *extra->key.to) {
        const struct ert_device *other =
            ert_machine_device(planner->machine, is_from ? extra->key.to : extra->key.from);
        bool is_gpu = other && other->kind == ERT_DEVICE_GPU;
        spec.to = is_gpu ? 1 + (uint32_t)other->gpu.ordinal : 0;
    }
    /* Not copies of pageable memory: they depend on the host, and vary by 8 % from run to run. */
    if (strstr(extra->key.pattern, "pageable"))
        return ERT_OK;
    return verify_add_row(planner, extra, section, spec, error);
}

static bool verify_is_wanted(const char *word, const struct ert_device *device)
{
    return strcmp(word, "all") == 0 || strcmp(word, device->id) == 0 ||
           (strcmp(word, "gpu") == 0 && device->kind == ERT_DEVICE_GPU) ||
           (strcmp(word, "fake") == 0 && strcmp(device->backend, "fake") == 0);
}

/*
 * Adds a row for the sustained rate that took the most power of those that a power limit lowered: a lower
 * limit or worse cooling shows there, and not in short regions. Its point is one that is planned already.
 */
static void add_sustained(struct planner *planner, size_t first)
{
    size_t most = SIZE_MAX;
    double most_w = 0;
    for (size_t i = first; i < planner->n; i++) {
        const struct ert_evidence *evidence = planner->rows[i].recorded->evidence;
        if (evidence->falls_after_s > 0 && evidence->power_w > most_w) {
            most = i;
            most_w = evidence->power_w;
        }
    }
    if (most == SIZE_MAX)
        return;
    struct ert_verify_row row = planner->rows[most];
    row.is_sustained = row.is_main = true;
    row.then = row.recorded->value;
    snprintf(row.name, sizeof row.name, "%.63s (sustained)", row.recorded->name);
    row.power_then_w = most_w;
    planner->out->points[row.point].sustain_s = planner->sustain_s;
    planner->rows =
        ert_xgrow(planner->rows, planner->n, &planner->capacity, sizeof *planner->rows);
    planner->rows[planner->n++] = row;
}

/* Whether the recorded machine has a device of the same model here: what it lacks otherwise is missing. */
static bool verify_is_of(const struct ert_machine *recorded, const struct ert_machine *now)
{
    bool is_of = false;
    for (size_t i = 0; i < recorded->n_devices; i++) {
        const struct ert_device *one = ert_machine_device(now, recorded->devices[i].id);
        is_of = is_of || (one && strcmp(one->name, recorded->devices[i].name) == 0);
    }
    return is_of;
}

static enum ert_status verify_plan_device(const struct ert_ceilings *recorded, size_t index,
                                          struct ert_samples *samples,
                                          struct planner *planner, struct ert_error *error)
{
    const struct ert_device_ceilings *ceilings = &recorded->devices[index];
    const struct ert_device *then = ert_machine_device(recorded->machine, ceilings->device);
    const struct ert_device *now = ert_machine_device(&samples->machine, ceilings->device);
    if (!now)
        return ert_fail(error,
                        verify_is_of(recorded->machine, &samples->machine)
                            ? ERT_FAILED
                            : ERT_UNAVAILABLE,
                        "no device '%s' on this machine", ceilings->device);
    if (strcmp(then->name, now->name) != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: the recorded device is '%.100s', this one is '%.100s'",
                        ceilings->device, then->name, now->name);
    planner->device_index = samples->n_devices++;
    planner->out = &samples->devices[planner->device_index];
    *planner->out = (struct ert_device_samples){.status = "planned"};
    memcpy(planner->out->device, ceilings->device, sizeof planner->out->device);
    ERT_TRY(ert_config_context(&samples->config, now, &planner->out->context, error));
    planner->device = &planner->out->context.device;
    const size_t first = planner->n;
    planner->options = ert_plan_options(&samples->config, &planner->out->context);
    for (size_t i = 0; i < ceilings->n; i++) {
        const struct ert_ceiling *ceiling = &ceilings->ceilings[i];
        if (planner->only && !strstr(ceiling->name, planner->only))
            continue;
        if (ceiling->kind == ERT_CEILING_MEMORY)
            ERT_TRY(verify_add_memory(planner, ceiling, error));
        else if (ceiling->kind == ERT_CEILING_LATENCY)
            ERT_TRY(add_extra(planner, ERT_SECTION_LATENCY, ceiling, error));
        else if (ceiling->kind == ERT_CEILING_LINK)
            ERT_TRY(add_extra(planner, ERT_SECTION_LINKS, ceiling, error));
        else if (ceiling->kind == ERT_CEILING_COMPUTE || ert_ceiling_is_of_section(ceiling))
            ERT_TRY(add_extra(planner, ERT_SECTION_COMPUTE, ceiling, error));
    }
    add_sustained(planner, first);
    return ERT_OK;
}

/* The threads with which the CPU ceilings were measured; 0: one per core. */
static uint64_t recorded_threads(const struct ert_ceilings *recorded)
{
    for (size_t d = 0; d < recorded->n_devices; d++) {
        const struct ert_device_ceilings *ceilings = &recorded->devices[d];
        const struct ert_device *device =
            ert_machine_device(recorded->machine, ceilings->device);
        const struct ert_ceiling_span compute =
            ert_ceilings_of(ceilings, ERT_CEILING_COMPUTE);
        if (device->kind == ERT_DEVICE_CPU && compute.n > 0 &&
            compute.at[0].evidence->launch.threads != device->cpu.n_cores_usable)
            return compute.at[0].evidence->launch.threads;
    }
    return 0;
}

enum ert_status ert_verify_plan(const struct ert_ceilings *recorded, const char *device,
                                const char *only, double budget_s,
                                struct ert_samples *samples, struct ert_verify_row **rows,
                                size_t *n, struct ert_error *error)
{
    struct planner planner = {.machine = &samples->machine,
                              .only = only,
                              .mode = ert_mode_titled(recorded->mode)};
    if (*recorded->mode && !planner.mode)
        return ert_fail(error, ERT_USAGE, "ceilings of mode '%.31s': not in this build",
                        recorded->mode);
    ert_config_default(&samples->config);
    if (planner.mode)
        ERT_TRY(planner.mode->preset(&samples->config, recorded, error));
    snprintf(samples->config.name, sizeof samples->config.name, "verify");
    samples->config.rounds = ERT_VERIFY_ROUNDS;
    samples->config.candidate_rounds = 0;
    samples->config.budget_s = budget_s;
    planner.sustain_s = samples->config.sustained_s;
    samples->config.sustained_s = 0; /* of no other */
    samples->config.sections[ERT_SECTION_MULTI_GPU] = false;
    samples->config.threads = recorded_threads(recorded);
    samples->config.seed++; /* other data than the recorded run */
    ert_clock_date(samples->created, sizeof samples->created);
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < recorded->n_devices && status == ERT_OK; i++)
        if (verify_is_wanted(
                device, ert_machine_device(recorded->machine, recorded->devices[i].device)))
            status = verify_plan_device(recorded, i, samples, &planner, error);
    *rows = planner.rows;
    *n = planner.n;
    if (status == ERT_OK && planner.n == 0)
        return ert_fail(
            error, ERT_USAGE,
            "no ceiling of a device '%s'%s%.64s%s is recorded that verify can repeat",
            device, only ? " with '" : "", only ? only : "", only ? "' in its name" : "");
    return status;
}

static enum ert_better verify_better_of(const struct ert_verify_row *row)
{
    return strcmp(row->operation, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
}

/* The recorded side: rounds, or in older files an interval of single samples. */
static struct ert_differ_side recorded_side(const struct ert_verify_row *row)
{
    const struct ert_ceiling *ceiling = row->recorded;
    /* The present measurement has short regions. */
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    struct ert_differ_side side = {.rounds = ceiling->evidence->rounds,
                                   .n = ceiling->evidence->n_rounds,
                                   .value = burst.value,
                                   .between = ceiling->evidence->between,
                                   .n_runs = ceiling->evidence->n_runs};
    if (ceiling->evidence->n_rounds == 0) {
        side.error = ert_differ_error_of(burst.low, burst.high, burst.value);
        side.n_samples = ceiling->evidence->n_samples;
    }
    return side;
}

static ert_rate rate_of(const struct ert_verify_row *row)
{
    return verify_better_of(row) == ERT_BETTER_LOW ? ert_point_latency
           : strcmp(row->operation, "byte/s") == 0 ? ert_point_bandwidth
                                                   : ert_point_performance;
}

/* The rates of the samples from index `first` on, in the row's unit; the caller frees them. */
static double *verify_rates_of(const struct ert_verify_row *row,
                               const struct ert_point *point, size_t first)
{
    double *rates = ert_xcalloc(point->n_samples - first, sizeof *rates);
    const ert_rate rate = rate_of(row);
    for (size_t i = first; i < point->n_samples; i++)
        rates[i - first] = rate(point, &point->samples[i]);
    return rates;
}

/* The median clock of the samples; 0 if one is unknown. */
static double clock_of(const struct ert_point *point)
{
    double *clocks = ert_xcalloc(point->n_samples, sizeof *clocks), clock = 0;
    for (size_t i = 0; i < point->n_samples; i++)
        clocks[i] = point->samples[i].clock_hz;
    if (point->n_samples > 0 && ert_stats_order(clocks, point->n_samples, 1, NAN, 0) > 0)
        clock = ert_stats_median(clocks, point->n_samples);
    free(clocks);
    return clock;
}

/*
 * A GPU's own clock differs that much between regions of milliseconds: an H100 that did nothing but FP64 had
 * 1.98 GHz, and between other kernels 2.01, so that five verifications of its FP64 alone in 30 called it
 * slower, by 1.4 % (results/field-trial).
 */
static const double boost_range = 0.02;

/* The least change of a row that counts: what such a change of the clock explains does not. */
static double margin_of(const struct ert_verify_row *row, double margin)
{
    const double clock = fabs(row->clock_change);
    return row->is_boosted && clock <= boost_range ? margin + clock : margin;
}

static struct ert_differ differ_from(const struct ert_verify_row *row,
                                     const struct ert_point *point, size_t first,
                                     double margin)
{
    double *rates = verify_rates_of(row, point, first);
    const struct ert_differ_side then = recorded_side(row),
                                 now = {.rounds = rates,
                                        .n = point->n_samples - first,
                                        .between = row->between,
                                        .excluded = row->excluded};
    struct ert_differ differ =
        ert_differ(&then, &now, verify_better_of(row), margin_of(row, margin));
    free(rates);
    return differ;
}

/* Judges the rate of the point's long run. */
static struct ert_differ differ_sustained(const struct ert_verify_row *row,
                                          const struct ert_point *point, double margin,
                                          double *now)
{
    const struct ert_ceiling *recorded = row->recorded;
    const struct ert_sample sample = {.rate_per_s = point->sustained.rate_per_s};
    *now = rate_of(row)(point, &sample);
    const struct ert_differ_side then = {.value = recorded->value,
                                         .n_runs = recorded->evidence->n_runs,
                                         .between = ERT_DIFFER_SUSTAINED},
                                 here = {.value = *now, .between = ERT_DIFFER_SUSTAINED};
    return ert_differ(&then, &here, ERT_BETTER_HIGH, margin);
}

static double change_of(double now, double then)
{
    return now > 0 && then > 0 ? now / then - 1 : 0;
}

/* With more samples than this that show the system, so does a rate (results/field-trial). */
static const double most_waited_samples = 0.25;

/* What is slower while its threads waited for a CPU tells of other programs. */
static void doubt_waited(struct ert_verify_row *row, const struct ert_point *point)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_samples; i++)
        n += fmax(point->samples[i].waited, point->samples[i].steal) > ERT_MOST_WAITED;
    if (row->verdict != ERT_VERIFY_SLOWER ||
        (double)n <= most_waited_samples * (double)point->n_samples)
        return;
    row->verdict = ERT_VERIFY_CANNOT_TELL;
    snprintf(row->reason, sizeof row->reason,
             "disturbed: slower, but threads waited for a CPU in %zu of %zu samples", n,
             point->n_samples);
}

static void verify_judge(struct ert_verify_row *row, const struct ert_point *point,
                         double margin)
{
    const struct ert_evidence *evidence = row->recorded->evidence;
    if (row->is_sustained) {
        row->n_samples = 1;
        row->differ = differ_sustained(row, point, margin, &row->now);
        row->like = row->now;
        row->power_w = point->sustained.power_w;
        row->clock_change = change_of(point->sustained.clock_hz, evidence->clock_hz);
        row->verdict = (enum ert_verify_verdict)row->differ.verdict;
        return;
    }
    double *rates = verify_rates_of(row, point, 0);
    row->n_samples = (uint32_t)point->n_samples;
    row->now = ert_estimate_of(rates, point->n_samples, verify_better_of(row));
    row->clock_change =
        change_of(clock_of(point),
                  evidence->burst > 0 ? evidence->burst_clock_hz : evidence->clock_hz);
    row->differ = differ_from(row, point, 0, margin);
    row->like = verify_better_of(row) == ERT_BETTER_LOW
                    ? row->then / (1 + row->differ.change)
                    : row->then * (1 + row->differ.change);
    row->verdict = (enum ert_verify_verdict)row->differ.verdict;
    free(rates);
    doubt_waited(row, point);
}

void ert_verify_level(const struct ert_verify_row *row, char level[16])
{
    bool is_memory =
        strcmp(row->operation, "byte/s") == 0 || strcmp(row->operation, "s") == 0;
    snprintf(level, 16, "%.*s", is_memory ? (int)strcspn(row->name, "-") : 0, row->name);
}

/* Whether a row of a long run has none to judge. */
static bool lacks_long_run(const struct ert_verify_row *row, const struct ert_point *point)
{
    return row->is_sustained && point->sustained.n_parts == 0;
}

/* Samples stay valid if a later region could not run. */
static bool has_samples(const struct ert_point *point)
{
    return point->n_samples > 0 && point->status != ERT_POINT_FAILED;
}

/* Sets a row's first verdict, or why it has none. */
static void verify_compare(struct ert_verify_row *row,
                           const struct ert_device_samples *device, double margin)
{
    const struct ert_point *point = &device->points[row->point];
    if (has_samples(point) && lacks_long_run(row, point)) {
        row->verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason, "its long run was not measured");
    } else if (has_samples(point)) {
        verify_judge(row, point, margin);
    } else if (point->status == ERT_POINT_PLANNED &&
               strcmp(device->status, "budget") == 0) {
        row->verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason,
                 "the time budget ended before it was measured");
    } else {
        snprintf(row->reason, sizeof row->reason, "%.191s",
                 *point->reason ? point->reason : device->reason);
    }
}

/* The relative standard error of a row's rounds; 0 without any. */
static double error_of_rounds(const struct ert_verify_row *row,
                              const struct ert_samples *samples)
{
    const struct ert_point *point = &samples->devices[row->device_index].points[row->point];
    if (!has_samples(point))
        return 0;
    double *rates = verify_rates_of(row, point, 0);
    const struct ert_estimate estimate =
        ert_estimate_make(rates, point->n_samples, verify_better_of(row));
    free(rates);
    return estimate.error;
}

/* The median error of a device's rows: a run of this machine, as it is now, repeats no better. */
static double verify_between(const struct ert_verify_row *rows, size_t n, size_t device,
                             const struct ert_samples *samples)
{
    double *errors = ert_xcalloc(n, sizeof *errors), between = 0;
    size_t n_errors = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].device_index == device)
            errors[n_errors++] = error_of_rounds(&rows[i], samples);
    if (n_errors > 0)
        between = ert_stats_median(errors, n_errors);
    free(errors);
    return between;
}

void ert_verify_compare(struct ert_verify_row *rows, size_t n,
                        const struct ert_samples *samples, double margin)
{
    for (size_t i = 0; i < n; i++) {
        const size_t device = rows[i].device_index;
        rows[i].excluded = *samples->devices[device].context.device.cpu.hypervisor
                               ? ERT_DIFFER_EXCLUDED_SHARED
                               : ERT_DIFFER_EXCLUDED;
        rows[i].is_boosted =
            samples->devices[device].context.device.kind == ERT_DEVICE_GPU &&
            rows[i].recorded->kind == ERT_CEILING_COMPUTE;
        rows[i].between = i > 0 && rows[i - 1].device_index == device
                              ? rows[i - 1].between
                              : verify_between(rows, n, device, samples);
        verify_compare(&rows[i], &samples->devices[device], margin);
    }
}

double ert_verify_error(const struct ert_verify_row *row, const struct ert_samples *samples,
                        double *clock_hz)
{
    const struct ert_point *point = &samples->devices[row->device_index].points[row->point];
    *clock_hz = 0;
    if (row->verdict == ERT_VERIFY_MISSING || !has_samples(point))
        return 0;
    if (row->is_sustained) {
        *clock_hz = point->sustained.clock_hz;
        return ERT_DIFFER_SUSTAINED;
    }
    double *rates = verify_rates_of(row, point, 0);
    const struct ert_differ_side now = {.rounds = rates,
                                        .n = point->n_samples,
                                        .between = row->recorded->evidence->between};
    const struct ert_differ twice = ert_differ(&now, &now, verify_better_of(row), 0);
    *clock_hz = clock_of(point);
    free(rates);
    return twice.error / sqrt(2); /* the error of one side */
}

static bool seems_changed(const struct ert_verify_row *row)
{
    return row->verdict == ERT_VERIFY_SLOWER || row->verdict == ERT_VERIFY_FASTER ||
           row->differ.chance < ERT_DIFFER_SUSPECT;
}

/* Whether a case was available when planned but not when run, which may have been an accident. */
static bool could_not_run(const struct ert_verify_row *row, const struct ert_point *point)
{
    return row->verdict == ERT_VERIFY_MISSING && point->status == ERT_POINT_SKIPPED &&
           *point->variant.name;
}

/* Whether a ceiling is worth measuring once more; if it is confirmed already, only while it is open. */
static bool is_suspect(const struct ert_verify_row *row, const struct ert_point *point)
{
    if (row->verdict == ERT_VERIFY_MISSING || *row->reason)
        return !row->is_confirmed && could_not_run(row, point);
    if (row->is_confirmed)
        return ert_verify_is_open(row);
    return seems_changed(row) || (row->is_main && row->verdict != ERT_VERIFY_SAME);
}

void ert_verify_plan_more(struct ert_verify_row *rows, size_t n,
                          const struct ert_samples *samples, struct ert_samples *more)
{
    more->machine = samples->machine;
    memcpy(more->created, samples->created, sizeof more->created);
    for (size_t i = 0; i < n; i++) {
        const struct ert_device_samples *of = &samples->devices[rows[i].device_index];
        const struct ert_point *point = &of->points[rows[i].point];
        rows[i].is_measured_more = is_suspect(&rows[i], point);
        if (!rows[i].is_measured_more)
            continue;
        if (more->n_devices == 0 ||
            strcmp(more->devices[more->n_devices - 1].device, of->device) != 0) {
            struct ert_device_samples *opened = &more->devices[more->n_devices++];
            snprintf(opened->status, sizeof opened->status, "planned");
            memcpy(opened->device, of->device, sizeof opened->device);
            opened->context = of->context;
        }
        /* A copy without samples. */
        *verify_add_point(&more->devices[more->n_devices - 1]) =
            (struct ert_point){.section = point->section,
                               .at_once = point->at_once,
                               .most_passes = point->most_passes,
                               .sustain_s = rows[i].is_sustained ? point->sustain_s : 0,
                               .region_s = point->region_s,
                               .spec = point->spec,
                               .variant = point->variant};
    }
}

/* Sets "cannot tell" unless the second sample alone agrees, if less surely. */
static void doubt(struct ert_verify_row *row, const struct ert_differ *alone)
{
    if ((row->verdict == ERT_VERIFY_SLOWER && alone->chance > ERT_DIFFER_SUSPECT) ||
        (row->verdict == ERT_VERIFY_FASTER && alone->chance < 1 - ERT_DIFFER_SUSPECT)) {
        row->verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason,
                 "a second sample does not confirm it: %+.1f %%", 100 * alone->change);
    }
}

static enum ert_status confirm(struct ert_verify_row *row, struct ert_point *point,
                               const struct ert_point *second, double margin,
                               struct ert_error *error)
{
    const size_t first = point->n_samples;
    bool is_first = could_not_run(row, point);
    row->is_confirmed = true;
    if (!has_samples(second)) {
        /* A wrong result is a fault; not so if it could not run, for instance because the CPUs are busy. */
        row->verdict = is_first || second->status == ERT_POINT_FAILED
                           ? ERT_VERIFY_MISSING
                           : ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason, "when measured again: %.170s",
                 *second->reason ? second->reason : "no sample");
        return ERT_OK;
    }
    for (size_t i = 0; i < second->n_samples; i++)
        ERT_TRY(ert_point_add(point, &second->samples[i], error));
    if (is_first) { /* its first sample: as always, a change needs another one */
        point->status = second->status;
        row->reason[0] = '\0';
        row->is_confirmed = false;
    }
    struct ert_differ alone;
    if (row->is_sustained) {
        double now;
        if (lacks_long_run(row, second))
            return ERT_OK;
        alone = differ_sustained(row, second, margin, &now);
    } else {
        verify_judge(row, point, margin);
        alone = differ_from(row, point, first, margin);
    }
    doubt(row, &alone);
    return ERT_OK;
}

enum ert_status ert_verify_confirm(struct ert_verify_row *rows, size_t n,
                                   struct ert_samples *samples,
                                   const struct ert_samples *more, double margin,
                                   struct ert_error *error)
{
    size_t device = 0, index = 0;
    for (size_t i = 0; i < n && device < more->n_devices; i++) {
        if (!rows[i].is_measured_more)
            continue;
        ERT_TRY(confirm(&rows[i],
                        &samples->devices[rows[i].device_index].points[rows[i].point],
                        &more->devices[device].points[index], margin, error));
        if (++index == more->devices[device].n_points) {
            device++;
            index = 0;
        }
    }
    return ERT_OK;
}

void ert_verify_disturbed(struct ert_verify_row *rows, size_t n,
                          const struct ert_device *device, enum ert_reach reach,
                          const char *reason)
{
    for (size_t i = 0; i < n; i++) {
        char level[16];
        ert_verify_level(&rows[i], level);
        if (strcmp(rows[i].device, device->id) != 0 ||
            rows[i].verdict == ERT_VERIFY_MISSING || !ert_reach_has(reach, device, level))
            continue;
        rows[i].verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(rows[i].reason, sizeof rows[i].reason, "disturbed: %.170s", reason);
    }
}

void ert_verify_shared(struct ert_verify_row *rows, size_t n,
                       const struct ert_device *device)
{
    for (size_t i = 0; i < n && *device->cpu.hypervisor; i++) {
        if (rows[i].verdict != ERT_VERIFY_SLOWER || strcmp(rows[i].device, device->id) != 0)
            continue;
        rows[i].verdict = ERT_VERIFY_CANNOT_TELL;
        rows[i].is_shared = true;
        snprintf(rows[i].reason, sizeof rows[i].reason,
                 "slower, but other guests of this host (%s) may use it too; if there are "
                 "none, use --dedicated",
                 device->cpu.hypervisor);
    }
}

bool ert_verify_is_open(const struct ert_verify_row *row)
{
    return row->verdict == ERT_VERIFY_CANNOT_TELL && (row->is_main || row->is_shared);
}
