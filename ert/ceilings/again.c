#include "ert/ceilings/again.h"

#include "ert/base/clock.h"
#include "ert/ceilings/again_targets.h"
#include "ert/ceilings/classic_case.h"
#include "ert/ceilings/levels.h"
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
        if (target->section == ERT_SECTION_CLASSIC)
            ert_classic_name(case_, &variants[i]);
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
    struct ert_point point = {
        .section = target->section, .trials = target->trials, .case_ = target->case_};
    struct ert_error why = {0};
    enum ert_status found =
        ert_kernel_find(target->common->kernel, &point.case_.kernel, &why);
    if (found == ERT_OK && target->section != ERT_SECTION_CLASSIC)
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
    struct planning planning = {.device = now, .out = out};
    planning.options = ert_plan_options(&samples->config, now);
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
                               struct ert_samples *samples, struct ert_error *error)
{
    size_t n = 0;
    ert_config_default(&samples->config);
    if (*recorded->mode)
        ert_classic_config(recorded, &samples->config);
    snprintf(samples->config.name, sizeof samples->config.name, "verify");
    samples->config.rounds = ERT_AGAIN_ROUNDS;
    samples->config.leader_rounds = 0;
    samples->config.budget_s = 0;
    samples->config.sections[ERT_SECTION_TOGETHER] = false;
    samples->config.threads = recorded_threads(recorded);
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
    const struct ert_device_samples *samples;
    double margin;
    struct ert_again_row *rows;
    size_t n, index; /* of the device's next point: the plan's order is this one */
};

static double now_of(const struct ert_again_target *target, const struct ert_point *point)
{
    if (point->section == ERT_SECTION_LATENCY)
        return ert_levels_latency(point);
    return strcmp(target->operation, "byte/s") == 0 ? ert_levels_bandwidth(point)
                                                    : ert_levels_performance(point);
}

static enum ert_again_verdict judge(const struct ert_again_row *row, double margin)
{
    bool is_time = strcmp(row->operation, "s") == 0;
    if (row->now < row->low * (1 - margin))
        return is_time ? ERT_AGAIN_FASTER : ERT_AGAIN_SLOWER;
    if (row->now > row->high * (1 + margin))
        return is_time ? ERT_AGAIN_SLOWER : ERT_AGAIN_FASTER;
    return ERT_AGAIN_SAME;
}

static enum ert_status compare_target(const struct ert_again_target *target, void *context,
                                      struct ert_error *error)
{
    struct comparing *comparing = context;
    const struct ert_point *point = &comparing->samples->points[comparing->index++];
    struct ert_again_row *grown =
        realloc(comparing->rows, (comparing->n + 1) * sizeof *grown);
    if (!grown)
        return ert_fail(error, ERT_FAILED, "no memory for %zu rows", comparing->n + 1);
    comparing->rows = grown;
    struct ert_again_row *row = &comparing->rows[comparing->n++];
    const struct ert_ceiling *common = target->common;
    *row = (struct ert_again_row){.recorded = common->value,
                                  .low = common->low,
                                  .high = common->high,
                                  .n_samples = (uint32_t)point->n_samples,
                                  .verdict = ERT_AGAIN_MISSING};
    if (common->n_runs > 1) {
        row->low = fmin(row->low, common->runs_low);
        row->high = fmax(row->high, common->runs_high);
    }
    snprintf(row->device, sizeof row->device, "%s", comparing->samples->device);
    snprintf(row->name, sizeof row->name, "%s", common->name);
    snprintf(row->operation, sizeof row->operation, "%s", target->operation);
    snprintf(row->reason, sizeof row->reason, "%.191s",
             *point->reason ? point->reason : comparing->samples->reason);
    if (point->status == ERT_POINT_MEASURED && point->n_samples > 0) {
        row->now = now_of(target, point);
        row->verdict = judge(row, comparing->margin);
    }
    return ERT_OK;
}

enum ert_status ert_again_compare(const struct ert_ceilings *recorded,
                                  const struct ert_samples *samples, double margin,
                                  struct ert_again_row **rows, size_t *n,
                                  struct ert_error *error)
{
    struct comparing comparing = {.margin = margin};
    for (size_t s = 0; s < samples->n_devices; s++)
        for (size_t d = 0; d < recorded->n_devices; d++) {
            const char *id = samples->devices[s].device;
            if (strcmp(id, recorded->devices[d].device) != 0)
                continue;
            comparing.samples = &samples->devices[s];
            comparing.index = 0;
            enum ert_status status =
                ert_again_each(&samples->machine, ert_machine_device(&samples->machine, id),
                               &recorded->devices[d], compare_target, &comparing, error);
            if (status != ERT_OK) {
                free(comparing.rows);
                return status;
            }
        }
    *rows = comparing.rows;
    *n = comparing.n;
    return ERT_OK;
}
