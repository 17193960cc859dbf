#include "ert/ceilings/again.h"

#include "ert/base/clock.h"
#include "ert/ceilings/again_targets.h"
#include "ert/ert110/hook.h"
#include "ert/sweep/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct planning {
    const struct ert_device *device;
    struct ert_session_options options;
    struct ert_device_samples *out;
};

/* The variant that won, by its name; ERT_UNAVAILABLE when this build or machine has it no more. */
static enum ert_status find_variant(const struct planning *planning,
                                    const struct ert_again_target *target,
                                    struct ert_case *case_, struct ert_variant *variant,
                                    struct ert_error *error)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    size_t n = ert_backend_find(planning->device->backend)
                   ->variants(planning->device, &planning->options, case_->kernel,
                              case_->path, variants, reason, sizeof reason);
    for (size_t i = 0; i < n; i++) {
        if (target->section == ERT_SECTION_ERT110)
            ert110_hook.name(case_, &variants[i]);
        if (strcmp(variants[i].name, target->common->launch.name) == 0 &&
            strcmp(variants[i].isa, target->common->launch.isa) == 0) {
            case_->variant = (uint32_t)i;
            *variant = variants[i];
            return ERT_OK;
        }
    }
    return ert_fail(error, ERT_UNAVAILABLE, "the configuration '%s' is not here%s%s",
                    target->common->launch.name, *reason ? ": " : "", reason);
}

static enum ert_status plan_target(const struct ert_again_target *target, void *context,
                                   struct ert_error *error)
{
    struct planning *planning = context;
    struct ert_device_samples *out = planning->out;
    struct ert_point point = {.section = target->section,
                              .ert110_trials = target->trials,
                              .case_ = target->case_};
    struct ert_error why = {0};
    enum ert_status found =
        ert_kernel_find(target->common->kernel, &point.case_.kernel, &why);
    if (found == ERT_OK && target->section != ERT_SECTION_ERT110)
        point.case_.flops_per_element = ert_kernel_row(point.case_.kernel)->flops;
    if (found == ERT_OK)
        found = find_variant(planning, target, &point.case_, &point.variant, &why);
    if (found != ERT_OK) {
        point.status = ERT_POINT_SKIPPED;
        snprintf(point.reason, sizeof point.reason, "%.255s", why.text);
    }
    struct ert_point *grown =
        realloc(out->points, (out->n_points + 1) * sizeof *out->points);
    if (!grown)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", out->n_points + 1);
    out->points = grown;
    out->points[out->n_points++] = point;
    if (point.case_.working_set_bytes > planning->options.working_set_max_bytes)
        planning->options.working_set_max_bytes = point.case_.working_set_bytes;
    return ERT_OK;
}

static bool is_wanted(const char *word, const struct ert_device *device)
{
    return strcmp(word, "all") == 0 || strcmp(word, device->id) == 0 ||
           (strcmp(word, "gpu") == 0 && device->kind == ERT_DEVICE_GPU) ||
           (strcmp(word, "fake") == 0 && strcmp(device->backend, "fake") == 0);
}

static enum ert_status plan_device(const struct ert_ceilings *recorded, size_t index,
                                   struct ert_samples *samples, struct ert_error *error)
{
    const struct ert_device_ceilings *ceilings = &recorded->devices[index];
    const struct ert_device *then = ert_machine_device(recorded->machine, ceilings->device);
    const struct ert_device *now = ert_machine_device(&samples->machine, ceilings->device);
    if (!now)
        return ert_fail(error, ERT_UNAVAILABLE, "no device '%s' on this machine",
                        ceilings->device);
    if (strcmp(then->name, now->name) != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: the recorded device is '%.100s', this one is '%.100s'",
                        ceilings->device, then->name, now->name);
    struct ert_device_samples *out = &samples->devices[samples->n_devices++];
    *out = (struct ert_device_samples){.status = "planned"};
    memcpy(out->device, ceilings->device, sizeof out->device);
    ERT_TRY(ert_config_context(&samples->config, now, &out->context, error));
    now = &out->context.device;
    struct planning planning = {.device = now, .out = out};
    planning.options = ert_plan_options(&samples->config, &out->context);
    return ert_again_each(&samples->machine, now, ceilings, plan_target, &planning, error);
}

/* The threads that the CPU ceilings were measured with, where it was not one per core. */
static uint64_t recorded_threads(const struct ert_ceilings *recorded)
{
    for (size_t d = 0; d < recorded->n_devices; d++) {
        const struct ert_device_ceilings *ceilings = &recorded->devices[d];
        const struct ert_device *device =
            ert_machine_device(recorded->machine, ceilings->device);
        if (device->kind == ERT_DEVICE_CPU && ceilings->n_compute > 0 &&
            ceilings->compute[0].common.launch.threads != device->cpu.n_cores_usable)
            return ceilings->compute[0].common.launch.threads;
    }
    return 0;
}

enum ert_status ert_again_plan(const struct ert_ceilings *recorded, const char *device,
                               double budget_s, struct ert_samples *samples,
                               struct ert_error *error)
{
    size_t n = 0;
    ert_config_default(&samples->config);
    if (*recorded->mode)
        ert110_hook.config_of(recorded, &samples->config);
    snprintf(samples->config.name, sizeof samples->config.name, "verify");
    samples->config.rounds = ERT_AGAIN_ROUNDS;
    samples->config.leader_rounds = 0;
    samples->config.sustained_s = 0;
    samples->config.budget_s = budget_s;
    samples->config.sections[ERT_SECTION_TOGETHER] = false;
    samples->config.threads = recorded_threads(recorded);
    samples->config.seed++; /* not the recorded run's data */
    for (size_t i = 0; i < recorded->n_devices; i++) {
        const struct ert_device *then =
            ert_machine_device(recorded->machine, recorded->devices[i].device);
        if (!is_wanted(device, then))
            continue;
        ERT_TRY(plan_device(recorded, i, samples, error));
        n += samples->devices[samples->n_devices - 1].n_points;
    }
    if (n == 0)
        return ert_fail(error, ERT_USAGE, "no ceiling of a device '%s' is recorded",
                        device);
    ert_clock_date(samples->created, sizeof samples->created);
    return ERT_OK;
}

struct comparing {
    const struct ert_samples *samples;
    size_t device; /* its index in samples */
    double margin;
    struct ert_again_row *rows;
    size_t n, index; /* of the device's next point: the plan's order is this one */
};

static enum ert_better better_of(const struct ert_again_row *row)
{
    return strcmp(row->operation, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
}

/* The unit's own number of a sample. */
static double rate_of(const struct ert_again_row *row, const struct ert_point *point,
                      const struct ert_sample *sample)
{
    if (better_of(row) == ERT_BETTER_LOW)
        return ert_point_latency(point, sample);
    return strcmp(row->operation, "byte/s") == 0 ? ert_point_bandwidth(point, sample)
                                                 : ert_point_performance(point, sample);
}

/* What was recorded: rounds, or in older files an interval of single samples. */
static struct ert_differ_side recorded_side(const struct ert_ceiling *ceiling)
{
    /* What is measured now are short regions. */
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    struct ert_differ_side side = {.rounds = ceiling->rounds,
                                   .n = ceiling->n_rounds,
                                   .value = burst.value,
                                   .between = ceiling->between,
                                   .n_runs = ceiling->n_runs};
    if (ceiling->n_rounds == 0) {
        side.error = ert_differ_error_of(burst.low, burst.high, burst.value);
        side.n_samples = ceiling->n_samples;
    }
    return side;
}

/*
 * Compares the point's samples from `first` on with what was recorded. ERT_FAILED when memory runs out.
 */
static enum ert_status differ_from(const struct ert_again_row *row,
                                   const struct ert_point *point, size_t first,
                                   double margin, struct ert_differ *differ, double *now,
                                   struct ert_error *error)
{
    size_t n = point->n_samples - first;
    double *rates = malloc((n + 1) * sizeof *rates);
    if (!rates)
        return ert_fail(error, ERT_FAILED, "no memory for %zu rates", n);
    for (size_t i = 0; i < n; i++)
        rates[i] = rate_of(row, point, &point->samples[first + i]);
    const struct ert_differ_side then = recorded_side(row->recorded),
                                 here = {.rounds = rates, .n = n, .between = row->between};
    *differ = ert_differ(&then, &here, better_of(row), margin);
    *now = ert_estimate_of(rates, n, better_of(row));
    free(rates);
    return ERT_OK;
}

static enum ert_again_verdict verdict_of(enum ert_differ_verdict verdict)
{
    static const enum ert_again_verdict verdicts[ERT_N_DIFFER] = {
        [ERT_DIFFER_SAME] = ERT_AGAIN_SAME,
        [ERT_DIFFER_SLOWER] = ERT_AGAIN_SLOWER,
        [ERT_DIFFER_FASTER] = ERT_AGAIN_FASTER,
        [ERT_DIFFER_CANNOT_TELL] = ERT_AGAIN_CANNOT_TELL,
    };
    return verdicts[verdict];
}

static enum ert_status judge(struct ert_again_row *row, const struct ert_point *point,
                             double margin, struct ert_error *error)
{
    row->n_samples = (uint32_t)point->n_samples;
    ERT_TRY(differ_from(row, point, 0, margin, &row->differ, &row->now, error));
    row->verdict = verdict_of(row->differ.verdict);
    return ERT_OK;
}

/* Whether a row has a drift of its own, and how far. */
static bool drift_of(const struct ert_again_row *row, const struct ert_point *point,
                     struct ert_drift *drift)
{
    double *rates = malloc((point->n_samples + 1) * sizeof *rates);
    for (size_t i = 0; rates && i < point->n_samples; i++)
        rates[i] = rate_of(row, point, &point->samples[i]);
    bool has = rates && row->verdict != ERT_AGAIN_MISSING &&
               ert_drift_of(rates, point->n_samples, better_of(row), drift);
    free(rates);
    return has;
}

/* What rows share a drift with: their level, by the ceilings' names; "" for compute. */
static void group_of(const struct ert_again_row *row, char group[16])
{
    bool is_memory =
        strcmp(row->operation, "byte/s") == 0 || strcmp(row->operation, "s") == 0;
    snprintf(group, 16, "%.*s", is_memory ? (int)strcspn(row->name, "-") : 0, row->name);
}

/* The drift of the rows of a group, NULL for all; *n: how many have one. NaN: no memory. */
static double drift_of_group(const struct ert_again_row *rows, size_t n_rows,
                             const struct ert_device_samples *device, const char *group,
                             size_t *n)
{
    struct ert_drift *drifts = calloc(n_rows + 1, sizeof *drifts);
    *n = 0;
    for (size_t i = 0; drifts && i < n_rows; i++) {
        char own[16];
        group_of(&rows[i], own);
        if (!group || strcmp(group, own) == 0)
            *n += drift_of(&rows[i], &device->points[rows[i].point], &drifts[*n]);
    }
    double between = !drifts ? NAN : *n ? ert_differ_between(drifts, *n) : 0;
    free(drifts);
    return between;
}

/* Judges the rows of one device with what its runs differ by, as far as this one shows it. */
static enum ert_status judge_device(struct ert_again_row *rows, size_t n,
                                    const struct ert_device_samples *device, double margin,
                                    struct ert_error *error)
{
    size_t n_all, n_own;
    double all = drift_of_group(rows, n, device, NULL, &n_all);
    for (size_t i = 0; i < n; i++) {
        char group[16];
        group_of(&rows[i], group);
        double own = drift_of_group(rows, n, device, group, &n_own);
        if (isnan(all) || isnan(own))
            return ert_fail(error, ERT_FAILED, "no memory for %zu drifts", n);
        rows[i].between = n_own ? ert_differ_between_group(own, n_own, all) : all;
    }
    for (size_t i = 0; i < n; i++)
        if (rows[i].verdict != ERT_AGAIN_MISSING)
            ERT_TRY(judge(&rows[i], &device->points[rows[i].point], margin, error));
    return ERT_OK;
}

/* What was measured before a later region could not run is as good as ever. */
static bool has_samples(const struct ert_point *point)
{
    return point->n_samples > 0 && point->status != ERT_POINT_FAILED;
}

static enum ert_status compare_target(const struct ert_again_target *target, void *context,
                                      struct ert_error *error)
{
    struct comparing *comparing = context;
    const struct ert_device_samples *device =
        &comparing->samples->devices[comparing->device];
    size_t index = comparing->index++;
    const struct ert_point *point = &device->points[index];
    struct ert_again_row *grown =
        realloc(comparing->rows, (comparing->n + 1) * sizeof *grown);
    if (!grown)
        return ert_fail(error, ERT_FAILED, "no memory for %zu rows", comparing->n + 1);
    comparing->rows = grown;
    struct ert_again_row *row = &comparing->rows[comparing->n++];
    *row = (struct ert_again_row){.recorded = target->common,
                                  .is_main = target->is_main,
                                  .device_index = comparing->device,
                                  .point = index,
                                  .verdict = ERT_AGAIN_MISSING};
    snprintf(row->device, sizeof row->device, "%s", device->device);
    snprintf(row->name, sizeof row->name, "%s", target->common->name);
    snprintf(row->operation, sizeof row->operation, "%s", target->operation);
    if (has_samples(point))
        return judge(row, point, comparing->margin, error);
    if (point->status == ERT_POINT_PLANNED && strcmp(device->status, "budget") == 0) {
        row->verdict = ERT_AGAIN_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason,
                 "the time budget ended before it was measured");
        return ERT_OK;
    }
    snprintf(row->reason, sizeof row->reason, "%.191s",
             *point->reason ? point->reason : device->reason);
    return ERT_OK;
}

enum ert_status ert_again_compare(const struct ert_ceilings *recorded,
                                  const struct ert_samples *samples, double margin,
                                  struct ert_again_row **rows, size_t *n,
                                  struct ert_error *error)
{
    struct comparing comparing = {.samples = samples, .margin = margin};
    for (size_t s = 0; s < samples->n_devices; s++)
        for (size_t d = 0; d < recorded->n_devices; d++) {
            const char *id = samples->devices[s].device;
            if (strcmp(id, recorded->devices[d].device) != 0)
                continue;
            comparing.device = s;
            comparing.index = 0;
            size_t before = comparing.n;
            enum ert_status status =
                ert_again_each(&samples->machine, ert_machine_device(&samples->machine, id),
                               &recorded->devices[d], compare_target, &comparing, error);
            if (status == ERT_OK)
                status = judge_device(comparing.rows + before, comparing.n - before,
                                      &samples->devices[s], margin, error);
            if (status != ERT_OK) {
                free(comparing.rows);
                return status;
            }
        }
    *rows = comparing.rows;
    *n = comparing.n;
    return ERT_OK;
}

/* Whether a row is worth measuring once more; after that only a main one that is still uncertain. */
static bool is_suspect(const struct ert_again_row *row, double limit)
{
    if (row->verdict == ERT_AGAIN_MISSING || *row->reason)
        return false;
    if (row->is_confirmed)
        return ert_again_is_open(row, limit);
    return row->verdict == ERT_AGAIN_SLOWER || row->verdict == ERT_AGAIN_FASTER ||
           row->differ.chance < ERT_DIFFER_SUSPECT ||
           (row->is_main && row->verdict != ERT_AGAIN_SAME);
}

/* The point of a row, unmeasured, at the end of a device's list; the passes are known already. */
static enum ert_status plan_more(const struct ert_point *point,
                                 struct ert_device_samples *out, struct ert_error *error)
{
    struct ert_point *grown =
        realloc(out->points, (out->n_points + 1) * sizeof *out->points);
    if (!grown)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", out->n_points + 1);
    out->points = grown;
    out->points[out->n_points++] = (struct ert_point){.section = point->section,
                                                      .at_once = point->at_once,
                                                      .ert110_trials = point->ert110_trials,
                                                      .case_ = point->case_,
                                                      .variant = point->variant};
    return ERT_OK;
}

enum ert_status ert_again_plan_more(struct ert_again_row *rows, size_t n, double limit,
                                    const struct ert_samples *samples,
                                    struct ert_samples *more, struct ert_error *error)
{
    more->machine = samples->machine;
    memcpy(more->created, samples->created, sizeof more->created);
    for (size_t i = 0; i < n; i++) {
        const struct ert_device_samples *of = &samples->devices[rows[i].device_index];
        rows[i].is_measured_more = is_suspect(&rows[i], limit);
        if (!rows[i].is_measured_more)
            continue;
        if (more->n_devices == 0 ||
            strcmp(more->devices[more->n_devices - 1].device, of->device) != 0) {
            struct ert_device_samples *opened = &more->devices[more->n_devices++];
            snprintf(opened->status, sizeof opened->status, "planned");
            memcpy(opened->device, of->device, sizeof opened->device);
            opened->context = of->context;
        }
        ERT_TRY(plan_more(&of->points[rows[i].point], &more->devices[more->n_devices - 1],
                          error));
    }
    return ERT_OK;
}

/* The second sample must say the same by itself, if not as surely. */
static enum ert_status confirm(struct ert_again_row *row, struct ert_point *point,
                               const struct ert_point *second, double margin,
                               struct ert_error *error)
{
    struct ert_differ alone;
    double now;
    size_t first = point->n_samples;
    row->is_confirmed = true;
    if (!has_samples(second)) {
        /* A wrong result is a fault. Where it could not run, as when the CPUs are taken, is none. */
        row->verdict =
            second->status == ERT_POINT_FAILED ? ERT_AGAIN_MISSING : ERT_AGAIN_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason, "when measured again: %.170s",
                 *second->reason ? second->reason : "no sample");
        return ERT_OK;
    }
    for (size_t i = 0; i < second->n_samples; i++)
        ERT_TRY(ert_point_add(point, &second->samples[i], error));
    ERT_TRY(judge(row, point, margin, error));
    ERT_TRY(differ_from(row, point, first, margin, &alone, &now, error));
    if ((row->verdict == ERT_AGAIN_SLOWER && alone.chance > ERT_DIFFER_SUSPECT) ||
        (row->verdict == ERT_AGAIN_FASTER && alone.chance < 1 - ERT_DIFFER_SUSPECT)) {
        row->verdict = ERT_AGAIN_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason,
                 "a second sample does not confirm it: %+.1f %%", 100 * alone.change);
    }
    return ERT_OK;
}

enum ert_status ert_again_confirm(struct ert_again_row *rows, size_t n,
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

void ert_again_disturbed(struct ert_again_row *rows, size_t n, const char *device,
                         const char *reason)
{
    for (size_t i = 0; i < n; i++) {
        bool is_doubtful = rows[i].is_main || rows[i].verdict == ERT_AGAIN_SLOWER ||
                           rows[i].verdict == ERT_AGAIN_FASTER;
        if (strcmp(rows[i].device, device) != 0 || !is_doubtful ||
            rows[i].verdict == ERT_AGAIN_MISSING)
            continue;
        rows[i].verdict = ERT_AGAIN_CANNOT_TELL;
        snprintf(rows[i].reason, sizeof rows[i].reason, "disturbed: %.170s", reason);
    }
}

/* Of a CPU whose host may have other guests: its memory, and the cache before it. */
static bool may_be_shared(const struct ert_device *device, const char *level)
{
    const struct ert_level *found = ert_device_level(device, level), *last = NULL;
    if (device->kind != ERT_DEVICE_CPU || !*device->cpu.hypervisor || !found)
        return false;
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_CACHE)
            last = &device->levels[i];
    return found->kind == ERT_LEVEL_MEMORY || found == last;
}

void ert_again_shared(struct ert_again_row *rows, size_t n, const struct ert_device *device)
{
    for (size_t i = 0; i < n; i++) {
        char level[16];
        group_of(&rows[i], level);
        if (rows[i].verdict != ERT_AGAIN_SLOWER ||
            strcmp(rows[i].device, device->id) != 0 || !may_be_shared(device, level))
            continue;
        rows[i].verdict = ERT_AGAIN_CANNOT_TELL;
        rows[i].is_shared = true;
        snprintf(rows[i].reason, sizeof rows[i].reason,
                 "slower, but other guests of this host (%s) may use %s too; if there are "
                 "none: --dedicated",
                 device->cpu.hypervisor, level);
    }
}

bool ert_again_is_open(const struct ert_again_row *row, double limit)
{
    static const double may_be_slower = 1e-3;
    return row->verdict == ERT_AGAIN_CANNOT_TELL && (row->is_main || row->is_shared) &&
           (*row->reason || row->differ.detectable > limit ||
            row->differ.chance < may_be_slower);
}
