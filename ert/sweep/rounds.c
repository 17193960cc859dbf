#include "ert/sweep/rounds.h"

#include "ert/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t link_rounds = 3;

/* What a sample of the point should cost: the region, and preparing, which sweeps the set too. */
static double cost_s(const struct ert_bench *bench, const struct ert_point *point)
{
    return ert_sets_regions_s(&bench->samples->config, bench->about, point) +
           3 * (double)point->case_.working_set_bytes / ert_sets_guessed_rate(bench->about);
}

/* A stride near the golden section of n that visits all of 0..n-1 (coprime to n). */
static size_t coprime_stride(size_t n)
{
    for (size_t stride = (size_t)(0.618 * (double)n) + 1;; stride++) {
        size_t a = n, b = stride;
        while (b != 0) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}

/*
 * The index of the i-th point of a round. With the stride neighbours in the plan (one kernel's
 * sizes) are far apart in time, and each round starts elsewhere: a slow second of the machine hits
 * many curves a little, not one point in all rounds.
 */
static size_t interleaved(size_t i, size_t n, size_t stride, uint64_t round)
{
    return (i + (size_t)round * (n / 3 + 1)) % n * stride % n;
}

/* Leaders that cost many regions come in every third round only: they would eat the budget. */
static bool is_due(const struct ert_bench *bench, const struct ert_point *point,
                   uint64_t round)
{
    bool is_costly = cost_s(bench, point) > 20 * bench->samples->config.region_s;
    return !is_costly || round % 3 == 0;
}

/*
 * Tensor kernels run at the clock that power allows in that moment, so that their samples scatter
 * more than the others' (on an H200 1 % against 0.2): a leader's round takes two of each.
 */
static int samples_of(const struct ert_point *point, bool all)
{
    return !all && strcmp(ert_kernel_row(point->case_.kernel)->unit, "tensor") == 0 ? 2 : 1;
}

/*
 * Of ERT's sweep 1: a flop count after the other, as ERT has a process for each. Between kernels of
 * more flops a core holds a lower clock, and sets in L2 were 11 % slower (2 cores of a Xeon).
 */
static size_t stride_of(const struct ert_device_samples *device)
{
    bool is_in_order =
        device->n_points > 0 && device->points[0].section == ERT_SECTION_CLASSIC;
    return is_in_order || device->n_points == 0 ? 1 : coprime_stride(device->n_points);
}

static enum ert_rounds_end pass_over(struct ert_bench *bench, const bool *chosen, bool all,
                                     uint64_t round, bool last_round, bool limited)
{
    struct ert_device_samples *device = bench->device;
    size_t stride = stride_of(device);
    for (size_t i = 0; i < device->n_points; i++) {
        size_t index = interleaved(i, device->n_points, stride, round);
        struct ert_point *point = &device->points[index];
        char name[128];
        struct ert_error error = {0};
        bool waits = !chosen[index] || !(all || last_round || is_due(bench, point, round));
        if (waits || point->status == ERT_POINT_FAILED ||
            point->status == ERT_POINT_SKIPPED)
            continue;
        if (ert_bench_stopped(bench))
            return ERT_ROUNDS_STOPPED;
        if (limited && ert_bench_out_of_time(bench))
            return ERT_ROUNDS_OUT_OF_TIME;
        ert_bench_report(bench, ert_point_describe(point, name, sizeof name), NULL);
        enum ert_status status = ERT_OK;
        for (int k = samples_of(point, all); k > 0 && status == ERT_OK; k--)
            status = ert_bench_measure(bench, point, last_round, &error);
        if (status != ERT_OK) {
            if (ert_bench_stopped(bench))
                return ERT_ROUNDS_STOPPED;
            ert_bench_keep_fault(bench, point, &error);
        }
        if (bench->lost)
            return ERT_ROUNDS_LOST;
        bench->done += cost_s(bench, point);
        ert_bench_checkpoint(bench); /* ERT's rounds take minutes */
    }
    return ERT_ROUNDS_DONE;
}

static double total_cost_s(const struct ert_bench *bench, const bool *chosen)
{
    double sum = 0;
    for (size_t i = 0; i < bench->device->n_points; i++)
        if (chosen[i])
            sum += cost_s(bench, &bench->device->points[i]);
    return sum;
}

enum ert_rounds_end ert_rounds_all(struct ert_bench *bench,
                                   const bool sections[ERT_N_SECTIONS], bool *chosen)
{
    const struct ert_config *config = &bench->samples->config;
    for (size_t i = 0; i < bench->device->n_points; i++)
        chosen[i] = sections[bench->device->points[i].section];
    double round_cost = total_cost_s(bench, chosen);
    bench->todo = bench->done + round_cost * ((double)config->rounds +
                                              0.2 * (double)config->leader_rounds);
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    /* The first round is not cut by the budget: a curve with holes proves no level. */
    for (uint64_t round = 0; round < config->rounds && end == ERT_ROUNDS_DONE; round++) {
        end = pass_over(bench, chosen, true, round, false, round > 0);
        ert_bench_checkpoint(bench);
    }
    if (end != ERT_ROUNDS_DONE || !bench->hooks->leaders)
        return end;
    bench->hooks->leaders(bench->about, bench->device, config->leaders, chosen);
    for (size_t i = 0; i < bench->device->n_points; i++)
        chosen[i] = chosen[i] && sections[bench->device->points[i].section];
    /* Copies by the driver are steady, and a host of many GPUs has many of them. */
    uint64_t n_rounds = config->leader_rounds;
    if (sections[ERT_SECTION_LINKS] && n_rounds > link_rounds)
        n_rounds = link_rounds;
    bench->todo = bench->done + total_cost_s(bench, chosen) * (double)n_rounds;
    for (uint64_t round = 0; round < n_rounds && end == ERT_ROUNDS_DONE; round++) {
        bool last = round + 1 == n_rounds;
        end = pass_over(bench, chosen, false, config->rounds + round, last, true);
        ert_bench_checkpoint(bench);
    }
    return end;
}

enum ert_rounds_end ert_rounds_power(struct ert_bench *bench, bool *chosen)
{
    struct ert_device_samples *device = bench->device;
    if (!(bench->samples->config.power_s > 0) || !bench->hooks->leaders)
        return ERT_ROUNDS_DONE;
    if (!bench->backend->power)
        return ERT_ROUNDS_DONE;
    bench->hooks->leaders(bench->about, device, 1, chosen);
    for (size_t i = 0; i < device->n_points; i++) {
        char name[128];
        struct ert_error error = {0};
        const struct ert_point *point = &device->points[i];
        bool is_metered =
            point->section == ERT_SECTION_LEVELS || point->section == ERT_SECTION_COMPUTE;
        if (!chosen[i] || !is_metered || point->status != ERT_POINT_MEASURED)
            continue;
        if (ert_bench_stopped(bench))
            return ERT_ROUNDS_STOPPED;
        if (ert_bench_out_of_time(bench))
            return ERT_ROUNDS_OUT_OF_TIME;
        ert_bench_report(bench, ert_point_describe(&device->points[i], name, sizeof name),
                         NULL);
        if (ert_bench_power(bench, &device->points[i], &error) == ERT_UNAVAILABLE) {
            size_t used = strlen(device->notes);
            snprintf(device->notes + used, sizeof device->notes - used, "%spower: %s",
                     used ? "; " : "", error.text);
            return ERT_ROUNDS_DONE;
        }
        if (error.status != ERT_OK)
            ert_bench_keep_fault(bench, &device->points[i], &error);
        if (bench->lost)
            return ERT_ROUNDS_LOST;
    }
    ert_bench_checkpoint(bench);
    return ERT_ROUNDS_DONE;
}
