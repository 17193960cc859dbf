#include "ert/ceilings/verify.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/ert110/hook.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On CPUs a set above this takes a tenth of a second and more to prepare. */
static const double costly_bytes = 256.0 * 1024 * 1024;

/* Of the extra kinds, those that are measured again. */
static const struct {
    enum ert_extra_kind kind;
    enum ert_section section;
} extra_kinds[] = {
    {ERT_EXTRA_LATENCY, ERT_SECTION_LATENCY},
    {ERT_EXTRA_LINK,    ERT_SECTION_LINKS  },
};

static uint32_t ordinal_of(const struct ert_machine *machine, const char *id)
{
    const struct ert_device *device = *id ? ert_machine_device(machine, id) : NULL;
    return device && device->kind == ERT_DEVICE_GPU ? 1 + (uint32_t)device->gpu.ordinal : 0;
}

static uint64_t set_of(const struct ert_ceiling *common, double actual_bytes)
{
    return (uint64_t)(common->requested_bytes > 0 ? common->requested_bytes : actual_bytes);
}

/* Of ERT's mode, whose levels say nothing of paths. */
static void as_ert110(const struct ert_device *device, struct ert_verify_target *target)
{
    if (!ert110_hook.is_of(target->common))
        return;
    target->section = ERT_SECTION_ERT110;
    target->trials = (uint64_t)target->common->ert110.trials;
    target->spec = (struct ert_spec){0};
    ert110_hook.spec_of(target->common, device, &target->spec);
}

/* Path and, of a memory that first touch does not take, nodes of a level. */
static void set_level(const struct ert_device *device, const char *level,
                      struct ert_spec *spec)
{
    const struct ert_level *found = ert_device_level(device, level);
    spec->path = found ? found->path : ERT_PATH_NONE;
    spec->to = found ? ert_sets_far_node(device, found) : 0;
}

static struct ert_verify_target compute_target(const struct ert_device *device,
                                               const struct ert_compute_ceiling *ceiling)
{
    struct ert_verify_target target = {.common = &ceiling->common,
                                       .section = ERT_SECTION_COMPUTE,
                                       .operation = "flop/s",
                                       .is_main =
                                           strcmp(ceiling->common.name, "fp64-fma") == 0,
                                       .spec.path = ERT_PATH_NONE};
    if (strncmp(ceiling->type, "int", 3) == 0)
        target.operation = "op/s";
    if (strcmp(ceiling->type, "inst") == 0)
        target.operation = "inst/s";
    as_ert110(device, &target);
    return target;
}

static struct ert_verify_target memory_target(const struct ert_device *device,
                                              const struct ert_memory_ceiling *ceiling)
{
    struct ert_verify_target target = {.common = &ceiling->common,
                                       .section = ERT_SECTION_LEVELS,
                                       .operation = "byte/s",
                                       .is_main = ceiling->roof};
    set_level(device, ceiling->level, &target.spec);
    target.spec.requested_bytes = set_of(&ceiling->common, ceiling->actual_bytes);
    as_ert110(device, &target);
    return target;
}

static struct ert_verify_target extra_target(const struct ert_machine *machine,
                                             const struct ert_device *device,
                                             enum ert_section section,
                                             const struct ert_extra *extra)
{
    struct ert_verify_target target = {
        .common = &extra->common, .section = section, .operation = extra->operation};
    set_level(device, extra->level, &target.spec);
    target.spec.requested_bytes = set_of(&extra->common, extra->actual_bytes);
    /* On CPUs a chase is one thread's (plan.c). */
    target.spec.concurrency =
        section == ERT_SECTION_LATENCY && device->kind == ERT_DEVICE_CPU;
    /* The other end of a link, which may be where it begins; the host is no GPU. */
    bool is_from = strcmp(extra->from, device->id) == 0;
    if (*extra->from && *extra->to)
        target.spec.to = ordinal_of(machine, is_from ? extra->to : extra->from);
    return target;
}

/* Whether a ceiling is cheap enough, or is what its level is known by. */
static bool is_worth(const struct ert_device *device,
                     const struct ert_memory_ceiling *ceiling)
{
    return device->kind == ERT_DEVICE_GPU || ceiling->actual_bytes < costly_bytes ||
           ceiling->roof || strcmp(ceiling->pattern, "load") == 0;
}

size_t ert_verify_targets(const struct ert_machine *machine,
                          const struct ert_device *device,
                          const struct ert_device_ceilings *ceilings,
                          struct ert_verify_target **targets)
{
    size_t n = 0, most = ceilings->n_compute + ceilings->n_memory;
    for (size_t k = 0; k < ERT_LENGTH(extra_kinds); k++)
        most += ceilings->n_extra[extra_kinds[k].kind];
    struct ert_verify_target *list = ert_xcalloc(most, sizeof *list);
    for (size_t i = 0; i < ceilings->n_compute; i++)
        list[n++] = compute_target(device, &ceilings->compute[i]);
    for (size_t i = 0; i < ceilings->n_memory; i++)
        if (is_worth(device, &ceilings->memory[i]))
            list[n++] = memory_target(device, &ceilings->memory[i]);
    for (size_t k = 0; k < ERT_LENGTH(extra_kinds); k++)
        for (size_t i = 0; i < ceilings->n_extra[extra_kinds[k].kind]; i++) {
            const struct ert_extra *extra = &ceilings->extra[extra_kinds[k].kind][i];
            /* Copies of ordinary memory are the host's, and of the moment: 8 % from run to run. */
            if (!strstr(extra->pattern, "pageable"))
                list[n++] = extra_target(machine, device, extra_kinds[k].section, extra);
        }
    *targets = list;
    return n;
}

/* The variant that won, by its name; ERT_UNAVAILABLE when this build or machine has it no more. */
static enum ert_status find_variant(const struct ert_device *device,
                                    const struct ert_session_options *options,
                                    const struct ert_verify_target *target,
                                    struct ert_spec *spec, struct ert_variant *variant,
                                    struct ert_error *error)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    size_t n = ert_backend_find(device->backend)
                   ->variants(device, options, spec->kernel, spec->path, variants, reason,
                              sizeof reason);
    for (size_t i = 0; i < n; i++) {
        if (target->section == ERT_SECTION_ERT110)
            ert110_hook.name(spec, &variants[i]);
        if (strcmp(variants[i].name, target->common->launch.name) == 0 &&
            strcmp(variants[i].isa, target->common->launch.isa) == 0) {
            spec->variant = (uint32_t)i;
            *variant = variants[i];
            return ERT_OK;
        }
    }
    return ert_fail(error, ERT_UNAVAILABLE, "the configuration '%s' is not here%s%s",
                    target->common->launch.name, *reason ? ": " : "", reason);
}

static struct ert_point plan_target(const struct ert_device *device,
                                    const struct ert_session_options *options,
                                    const struct ert_verify_target *target)
{
    struct ert_point point = {
        .section = target->section, .ert110_trials = target->trials, .spec = target->spec};
    struct ert_error why = {0};
    enum ert_status found =
        ert_kernel_find(target->common->kernel, &point.spec.kernel, &why);
    if (found == ERT_OK && target->section != ERT_SECTION_ERT110)
        point.spec.flops_per_element = ert_kernel_row(point.spec.kernel)->flops;
    if (found == ERT_OK)
        found = find_variant(device, options, target, &point.spec, &point.variant, &why);
    if (found != ERT_OK) {
        point.status = ERT_POINT_SKIPPED;
        snprintf(point.reason, sizeof point.reason, "%.255s", why.text);
    }
    return point;
}

static struct ert_point *add_point(struct ert_device_samples *out)
{
    out->points = ert_xrealloc(out->points, out->n_points + 1, sizeof *out->points);
    return &out->points[out->n_points++];
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
    struct ert_session_options options = ert_plan_options(&samples->config, &out->context);
    struct ert_verify_target *targets;
    size_t n = ert_verify_targets(&samples->machine, now, ceilings, &targets);
    for (size_t i = 0; i < n; i++) {
        uint64_t set = targets[i].spec.requested_bytes;
        *add_point(out) = plan_target(now, &options, &targets[i]);
        if (set > options.working_set_max_bytes)
            options.working_set_max_bytes = set;
    }
    free(targets);
    return ERT_OK;
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

enum ert_status ert_verify_plan(const struct ert_ceilings *recorded, const char *device,
                                double budget_s, struct ert_samples *samples,
                                struct ert_error *error)
{
    size_t n = 0;
    ert_config_default(&samples->config);
    if (*recorded->mode)
        ert110_hook.config_of(recorded, &samples->config);
    snprintf(samples->config.name, sizeof samples->config.name, "verify");
    samples->config.rounds = ERT_VERIFY_ROUNDS;
    samples->config.leader_rounds = 0;
    samples->config.sustained_s = 0;
    samples->config.budget_s = budget_s;
    samples->config.sections[ERT_SECTION_MULTI_GPU] = false;
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

static enum ert_better better_of(const struct ert_verify_row *row)
{
    return strcmp(row->operation, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
}

/* The unit's own number of a sample. */
static double rate_of(const struct ert_verify_row *row, const struct ert_point *point,
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

static double *rates_of(const struct ert_verify_row *row, const struct ert_point *point,
                        size_t first)
{
    double *rates = ert_xcalloc(point->n_samples - first, sizeof *rates);
    for (size_t i = first; i < point->n_samples; i++)
        rates[i - first] = rate_of(row, point, &point->samples[i]);
    return rates;
}

static void differ_from(const struct ert_verify_row *row, const struct ert_point *point,
                        size_t first, double margin, struct ert_differ *differ, double *now)
{
    size_t n = point->n_samples - first;
    double *rates = rates_of(row, point, first);
    const struct ert_differ_side then = recorded_side(row->recorded),
                                 here = {.rounds = rates, .n = n, .between = row->between};
    *differ = ert_differ(&then, &here, better_of(row), margin);
    *now = ert_estimate_of(rates, n, better_of(row));
    free(rates);
}

static enum ert_verify_verdict verdict_of(enum ert_differ_verdict verdict)
{
    static const enum ert_verify_verdict verdicts[ERT_N_DIFFER] = {
        [ERT_DIFFER_SAME] = ERT_VERIFY_SAME,
        [ERT_DIFFER_SLOWER] = ERT_VERIFY_SLOWER,
        [ERT_DIFFER_FASTER] = ERT_VERIFY_FASTER,
        [ERT_DIFFER_CANNOT_TELL] = ERT_VERIFY_CANNOT_TELL,
    };
    return verdicts[verdict];
}

static void judge(struct ert_verify_row *row, const struct ert_point *point, double margin)
{
    row->n_samples = (uint32_t)point->n_samples;
    differ_from(row, point, 0, margin, &row->differ, &row->now);
    row->verdict = verdict_of(row->differ.verdict);
}

/* What rows share a drift with: their level, by the ceilings' names; "" for compute. */
static void group_of(const struct ert_verify_row *row, char group[16])
{
    bool is_memory =
        strcmp(row->operation, "byte/s") == 0 || strcmp(row->operation, "s") == 0;
    snprintf(group, 16, "%.*s", is_memory ? (int)strcspn(row->name, "-") : 0, row->name);
}

/* The drift of the rows of a group, NULL for all; *n: how many have one. */
static double drift_of_group(const struct ert_verify_row *rows, size_t n_rows,
                             const struct ert_device_samples *device, const char *group,
                             size_t *n)
{
    struct ert_drift *drifts = ert_xcalloc(n_rows, sizeof *drifts);
    *n = 0;
    for (size_t i = 0; i < n_rows; i++) {
        const struct ert_point *point = &device->points[rows[i].point];
        char own[16];
        group_of(&rows[i], own);
        if (rows[i].verdict == ERT_VERIFY_MISSING || (group && strcmp(group, own) != 0))
            continue;
        double *rates = rates_of(&rows[i], point, 0);
        *n += ert_drift_of(rates, point->n_samples, better_of(&rows[i]), &drifts[*n]);
        free(rates);
    }
    double between = *n ? ert_differ_between(drifts, *n) : 0;
    free(drifts);
    return between;
}

/* Judges the rows of one device with what its runs differ by, as far as this one shows it. */
static void judge_device(struct ert_verify_row *rows, size_t n,
                         const struct ert_device_samples *device, double margin)
{
    size_t n_all, n_own;
    double all = drift_of_group(rows, n, device, NULL, &n_all);
    for (size_t i = 0; i < n; i++) {
        char group[16];
        group_of(&rows[i], group);
        double own = drift_of_group(rows, n, device, group, &n_own);
        rows[i].between = n_own ? ert_differ_between_group(own, n_own, all) : all;
    }
    for (size_t i = 0; i < n; i++)
        if (rows[i].verdict != ERT_VERIFY_MISSING)
            judge(&rows[i], &device->points[rows[i].point], margin);
}

/* What was measured before a later region could not run is as good as ever. */
static bool has_samples(const struct ert_point *point)
{
    return point->n_samples > 0 && point->status != ERT_POINT_FAILED;
}

/* A row of the device's index-th target, whose point is the index-th, too. */
static struct ert_verify_row compare_target(const struct ert_verify_target *target,
                                            const struct ert_device_samples *device,
                                            size_t index, double margin)
{
    const struct ert_point *point = &device->points[index];
    struct ert_verify_row row = {.recorded = target->common,
                                 .is_main = target->is_main,
                                 .point = index,
                                 .verdict = ERT_VERIFY_MISSING};
    snprintf(row.device, sizeof row.device, "%s", device->device);
    snprintf(row.name, sizeof row.name, "%s", target->common->name);
    snprintf(row.operation, sizeof row.operation, "%s", target->operation);
    if (has_samples(point)) {
        judge(&row, point, margin);
    } else if (point->status == ERT_POINT_PLANNED &&
               strcmp(device->status, "budget") == 0) {
        row.verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(row.reason, sizeof row.reason,
                 "the time budget ended before it was measured");
    } else {
        snprintf(row.reason, sizeof row.reason, "%.191s",
                 *point->reason ? point->reason : device->reason);
    }
    return row;
}

size_t ert_verify_compare(const struct ert_ceilings *recorded,
                          const struct ert_samples *samples, double margin,
                          struct ert_verify_row **rows)
{
    size_t n = 0;
    *rows = NULL;
    for (size_t s = 0; s < samples->n_devices; s++)
        for (size_t d = 0; d < recorded->n_devices; d++) {
            const struct ert_device_samples *device = &samples->devices[s];
            struct ert_verify_target *targets;
            if (strcmp(device->device, recorded->devices[d].device) != 0)
                continue;
            size_t n_own = ert_verify_targets(
                &samples->machine, ert_machine_device(&samples->machine, device->device),
                &recorded->devices[d], &targets);
            *rows = ert_xrealloc(*rows, n + n_own, sizeof **rows);
            for (size_t i = 0; i < n_own; i++) {
                (*rows)[n + i] = compare_target(&targets[i], device, i, margin);
                (*rows)[n + i].device_index = s;
            }
            free(targets);
            judge_device(*rows + n, n_own, device, margin);
            n += n_own;
        }
    return n;
}

/* Whether a row is worth measuring once more; after that only a main one that is still uncertain. */
static bool is_suspect(const struct ert_verify_row *row, double limit)
{
    if (row->verdict == ERT_VERIFY_MISSING || *row->reason)
        return false;
    if (row->is_confirmed)
        return ert_verify_is_open(row, limit);
    return row->verdict == ERT_VERIFY_SLOWER || row->verdict == ERT_VERIFY_FASTER ||
           row->differ.chance < ERT_DIFFER_SUSPECT ||
           (row->is_main && row->verdict != ERT_VERIFY_SAME);
}

void ert_verify_plan_more(struct ert_verify_row *rows, size_t n, double limit,
                          const struct ert_samples *samples, struct ert_samples *more)
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
        /* Unmeasured. */
        const struct ert_point *point = &of->points[rows[i].point];
        *add_point(&more->devices[more->n_devices - 1]) =
            (struct ert_point){.section = point->section,
                               .at_once = point->at_once,
                               .ert110_trials = point->ert110_trials,
                               .spec = point->spec,
                               .variant = point->variant};
    }
}

/* The second sample must say the same by itself, if not as surely. */
static enum ert_status confirm(struct ert_verify_row *row, struct ert_point *point,
                               const struct ert_point *second, double margin,
                               struct ert_error *error)
{
    struct ert_differ alone;
    double now;
    size_t first = point->n_samples;
    row->is_confirmed = true;
    if (!has_samples(second)) {
        /* A wrong result is a fault. Where it could not run, as when the CPUs are taken, is none. */
        row->verdict = second->status == ERT_POINT_FAILED ? ERT_VERIFY_MISSING
                                                          : ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason, "when measured again: %.170s",
                 *second->reason ? second->reason : "no sample");
        return ERT_OK;
    }
    for (size_t i = 0; i < second->n_samples; i++)
        ERT_TRY(ert_point_add(point, &second->samples[i], error));
    judge(row, point, margin);
    differ_from(row, point, first, margin, &alone, &now);
    if ((row->verdict == ERT_VERIFY_SLOWER && alone.chance > ERT_DIFFER_SUSPECT) ||
        (row->verdict == ERT_VERIFY_FASTER && alone.chance < 1 - ERT_DIFFER_SUSPECT)) {
        row->verdict = ERT_VERIFY_CANNOT_TELL;
        snprintf(row->reason, sizeof row->reason,
                 "a second sample does not confirm it: %+.1f %%", 100 * alone.change);
    }
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

void ert_verify_disturbed(struct ert_verify_row *rows, size_t n, const char *device,
                          const char *reason)
{
    for (size_t i = 0; i < n; i++) {
        bool is_judged = rows[i].is_main || rows[i].verdict == ERT_VERIFY_SLOWER ||
                         rows[i].verdict == ERT_VERIFY_FASTER;
        if (strcmp(rows[i].device, device) != 0 || !is_judged ||
            rows[i].verdict == ERT_VERIFY_MISSING)
            continue;
        rows[i].verdict = ERT_VERIFY_CANNOT_TELL;
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

void ert_verify_shared(struct ert_verify_row *rows, size_t n,
                       const struct ert_device *device)
{
    for (size_t i = 0; i < n; i++) {
        char level[16];
        group_of(&rows[i], level);
        if (rows[i].verdict != ERT_VERIFY_SLOWER ||
            strcmp(rows[i].device, device->id) != 0 || !may_be_shared(device, level))
            continue;
        rows[i].verdict = ERT_VERIFY_CANNOT_TELL;
        rows[i].is_shared = true;
        snprintf(rows[i].reason, sizeof rows[i].reason,
                 "slower, but other guests of this host (%s) may use %s too; if there are "
                 "none: --dedicated",
                 device->cpu.hypervisor, level);
    }
}

bool ert_verify_is_open(const struct ert_verify_row *row, double limit)
{
    static const double may_be_slower = 1e-3;
    return row->verdict == ERT_VERIFY_CANNOT_TELL && (row->is_main || row->is_shared) &&
           (*row->reason || row->differ.detectable > limit ||
            row->differ.chance < may_be_slower);
}
