/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/schedule.h"

#include "ert/core/stats/stats.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plan's order ---- */

/* A stride near the golden section of n that visits all of 0..n-1, since it is coprime to n. */
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
 * The index of the i-th case of a round. The stride separates neighbours in the plan (one kernel's sizes) in
 * time, and each round starts elsewhere: so a slow second of the machine affects many curves a little, not
 * one case in all rounds.
 */
static size_t interleaved(size_t i, size_t n, size_t stride, uint64_t round)
{
    return (i + (size_t)round * (n / 3 + 1)) % n * stride % n;
}

/* Whether a case belongs to the main roofline: multiply-adds of FP64 and FP32, and loads. */
static bool schedule_is_main(const struct ert_point *point)
{
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    bool is_wide = row->type == ERT_FP64 || row->type == ERT_FP32;
    if (point->section == ERT_SECTION_COMPUTE)
        return is_wide && strcmp(row->op, "fma") == 0;
    return point->section == ERT_SECTION_LEVELS && row->stores == 0;
}

/* Whether two cases are of one curve over sets, or, of the compute section, of one kernel. */
static bool is_same_curve(const struct ert_point *a, const struct ert_point *b)
{
    return a->section == b->section && a->spec.kernel == b->spec.kernel &&
           a->spec.path == b->spec.path && a->spec.to == b->spec.to &&
           (a->spec.variant == b->spec.variant || a->section != ERT_SECTION_LEVELS);
}

static bool is_other_variant(const struct ert_point *a, const struct ert_point *b)
{
    struct ert_spec same = a->spec;
    same.variant = b->spec.variant;
    return a->section == b->section && a->spec.kernel == b->spec.kernel &&
           memcmp(&same, &b->spec, sizeof same) == 0;
}

static enum ert_priority priority_of(const struct ert_turn *turn,
                                     const struct ert_point *point)
{
    const struct ert_section_row *row = ert_sections[point->section];
    switch (point->section) {
    case ERT_SECTION_COMPUTE:
        return *point->variant.isa == '\0' || turn->place == 0 ? ERT_PRIORITY_MAIN
                                                               : ERT_PRIORITY_MORE;
    case ERT_SECTION_LEVELS:
        if (turn->is_costly && !(turn->is_main && turn->ends_curve))
            return ERT_PRIORITY_COSTLY;
        if (turn->place % 4 != 0 && !turn->ends_curve)
            return ERT_PRIORITY_BETWEEN;
        return turn->is_main ? ERT_PRIORITY_MAIN : ERT_PRIORITY_CEILINGS;
    default:
        return row->cases_are_ceilings ? ERT_PRIORITY_MAIN : ERT_PRIORITY_MORE;
    }
}

/*
 * Contests in the order of their sustained runs: multiply-adds on the cores, in FP64 and FP32; a GPU's
 * memory; matrix products of each type. The last draw the most power: on an H200 any kernel after one of
 * them, also FP64 FMA, runs at a lower clock for another 0.3 s.
 */
enum {
    CONTEST_NONE,
    CONTEST_CORES,
    CONTEST_MEMORY = CONTEST_CORES + ERT_N_TYPES,
    CONTEST_MATRICES,
    N_CONTESTS = CONTEST_MATRICES + ERT_N_TYPES
};

static int contest_of(const struct ert_device *about, const struct ert_point *point)
{
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    if (point->section == ERT_SECTION_COMPUTE) {
        if (strcmp(row->unit, "tensor") == 0 || strcmp(row->op, "amx") == 0 ||
            strcmp(row->op, "dot") == 0)
            return CONTEST_MATRICES + (int)row->type;
        return schedule_is_main(point) ? CONTEST_CORES + (int)row->type : CONTEST_NONE;
    }
    if (point->section != ERT_SECTION_LEVELS || about->kind != ERT_DEVICE_GPU)
        return CONTEST_NONE;
    const struct ert_level *level = ert_sets_last_level(about, point->spec.path);
    bool is_memory =
        level && level->kind == ERT_LEVEL_MEMORY &&
        (double)point->spec.requested_bytes >= ert_sets_least_bytes(about, level);
    return is_memory ? CONTEST_MEMORY : CONTEST_NONE;
}

/* Costly: more than this many regions. 222 visits of such cases took 41 of 50 s on two CPUs. */
static const double costly_regions = 10;

static void schedule_plan_turn(struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *points = schedule->device->points, *point = &points[index];
    struct ert_turn *turn = &schedule->turns[index];
    size_t before = index;
    *turn = (struct ert_turn){.curve = index,
                              .ends_curve = true,
                              .first_variant = index,
                              .is_main = schedule_is_main(point),
                              .contest = contest_of(schedule->about, point),
                              .width = INFINITY};
    turn->cost_s =
        ert_point_region_s(schedule->config, point) +
        3 * (double)point->spec.requested_bytes / ert_sets_guessed_rate(schedule->about);
    turn->is_costly = turn->cost_s > costly_regions * schedule->config->region_s;
    for (size_t i = index; i > 0 && schedule->stride > 1 && turn->first_variant == index;
         i--)
        if (is_other_variant(&points[i - 1], point))
            turn->first_variant = schedule->turns[i - 1].first_variant;
    while (before > 0 && schedule->stride > 1 && !is_same_curve(&points[before - 1], point))
        before--;
    if (before == 0 || schedule->stride == 1)
        return;
    struct ert_turn *previous = &schedule->turns[before - 1];
    turn->curve = previous->curve;
    turn->place = previous->place + 1;
    previous->ends_curve = false;
}

enum ert_status ert_schedule_open(struct ert_schedule *schedule,
                                  const struct ert_config *config,
                                  const struct ert_device *about,
                                  const struct ert_device_samples *device,
                                  struct ert_error *error)
{
    const size_t n = device->n_points;
    /*
     * A mode's own sweep has its order: ERT runs one flop count after the other. Interleaved with kernels of
     * more flops a core holds a lower clock, and sets in L2 were 11 % slower (2 cores of a Xeon).
     */
    bool is_ordered = n <= 1 || ert_samples_mode(device) != NULL;
    *schedule = (struct ert_schedule){.config = config,
                                      .about = about,
                                      .device = device,
                                      .n = n,
                                      .turns = calloc(n + 1, sizeof *schedule->turns),
                                      .chosen = calloc(n + 1, sizeof *schedule->chosen),
                                      .stride = is_ordered ? 1 : coprime_stride(n),
                                      .n_rounds = config->candidate_rounds};
    if (!schedule->turns || !schedule->chosen)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", n);
    for (size_t i = 0; i < n; i++)
        schedule_plan_turn(schedule, i);
    for (size_t i = 0; i < n; i++) {
        struct ert_turn *turn = &schedule->turns[i];
        turn->compares_variants =
            turn->ends_curve || (turn->place % 4 == 0 && !turn->is_costly);
        turn->priority =
            is_ordered ? ERT_PRIORITY_MAIN : priority_of(turn, &device->points[i]);
    }
    return ERT_OK;
}

void ert_schedule_close(struct ert_schedule *schedule)
{
    free(schedule->turns);
    free(schedule->chosen);
    *schedule = (struct ert_schedule){0};
}

/* ---- estimates ---- */

void ert_schedule_note(struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *point = &schedule->device->points[index];
    struct ert_turn *turn = &schedule->turns[index];
    for (; turn->n_noted < point->n_samples; turn->n_noted++)
        turn->fastest =
            fmax(turn->fastest,
                 ert_point_rate(point, ert_sample_rate(&point->samples[turn->n_noted])));
}

static void schedule_estimate_one(const struct ert_point *point, struct ert_turn *turn)
{
    const size_t n = point->n_samples;
    double *rates = malloc(n * sizeof *rates);
    if (!rates)
        return;
    for (size_t i = 0; i < n; i++)
        rates[i] = ert_point_rate(point, ert_sample_rate(&point->samples[i]));
    struct ert_estimate estimate = ert_estimate_make(rates, n, ERT_BETTER_HIGH);
    free(rates);
    turn->value = estimate.value;
    if (n >= ERT_ENOUGH_SAMPLES)
        turn->width = (estimate.high - estimate.low) / estimate.value;
    turn->n_estimated = n;
}

void ert_schedule_estimate(struct ert_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n; i++)
        if (schedule->turns[i].n_estimated != schedule->device->points[i].n_samples)
            schedule_estimate_one(&schedule->device->points[i], &schedule->turns[i]);
}

/* An estimate with a narrower relative interval needs no more samples. */
static const double converged_width = 0.01;
/* With a wider one a main roofline is measured in every round: it is on its way to not being settled. */
static const double warning_width = 0.05;
/*
 * The interval that `verify` needs for a CPU's main roofline: to find a slowdown of 10 %
 * (ERT_DIFFER_EXCLUDED), the error of both runs together must be below 1.8 % (it takes 5.9 errors,
 * differ.h). Intervals of 2 % use 0.9 % of that; the rest is left for differences between runs.
 */
static const double main_width = 0.02;

/* ---- what each stage wants ---- */

/* Whether the run selects the best variants; in `verify` each case is a ceiling, and none may be left out. */
static bool schedule_selects(const struct ert_schedule *schedule)
{
    return schedule->config->candidate_rounds > 0;
}

/* A variant that another one beats by more than this factor is slower, not just disturbed. */
static const double slower_by = 1.15;

static bool is_slower_variant(const struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *points = schedule->device->points;
    const struct ert_turn *turns = schedule->turns;
    for (size_t i = turns[index].first_variant; i < schedule->n; i++)
        if (turns[i].first_variant == turns[index].first_variant &&
            strcmp(points[i].variant.isa, points[index].variant.isa) == 0 &&
            turns[i].fastest > slower_by * turns[index].fastest)
            return true;
    return false;
}

/*
 * Whether another variant was the fastest at the nearest set with all variants, so that this one is left out
 * here: measuring all variants at all sets would spend most of a run on slower ones.
 */
static bool is_left_to_another(const struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *points = schedule->device->points, *point = &points[index],
                           *best = NULL;
    double distance = INFINITY, most = 0;
    /* A GPU's variants are block shapes, each of which suits other sets. */
    if (point->section != ERT_SECTION_LEVELS || point->status != ERT_POINT_PLANNED ||
        schedule->about->kind != ERT_DEVICE_CPU || !schedule_selects(schedule) ||
        schedule->turns[index].compares_variants)
        return false;
    for (size_t i = 0; i < schedule->n; i++) {
        const struct ert_turn *turn = &schedule->turns[i];
        struct ert_spec same = points[i].spec;
        same.variant = point->spec.variant;
        same.requested_bytes = point->spec.requested_bytes;
        if (!turn->compares_variants || points[i].status != ERT_POINT_MEASURED ||
            points[i].section != point->section ||
            memcmp(&same, &point->spec, sizeof same) != 0)
            continue;
        double away = fabs(log((double)points[i].spec.requested_bytes /
                               (double)point->spec.requested_bytes));
        if (away < distance - 1e-9 || (away < distance + 1e-9 && turn->fastest > most)) {
            distance = away;
            most = turn->fastest;
            best = &points[i];
        }
    }
    return best && best->spec.variant != point->spec.variant;
}

/*
 * Whether `verify` will judge the case's ceiling: it belongs to the main roofline, or no other pattern was
 * faster at sets of about this size, which makes it the level's roof.
 */
static bool is_judged(const struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *points = schedule->device->points, *point = &points[index];
    const struct ert_turn *turn = &schedule->turns[index];
    if (turn->is_main)
        return true;
    for (size_t i = 0; i < schedule->n && turn->fastest > 0; i++) {
        double ratio =
            (double)points[i].spec.requested_bytes / (double)point->spec.requested_bytes;
        if (schedule->chosen[i] && points[i].section == point->section && ratio > 0.5 &&
            ratio < 2 && schedule->turns[i].fastest > turn->fastest)
            return false;
    }
    return turn->fastest > 0 && point->section == ERT_SECTION_LEVELS;
}

static bool is_last_round(const struct ert_schedule *schedule,
                          const struct ert_position *position)
{
    return position->stage == ERT_STAGE_MAIN || position->round + 1 == schedule->n_rounds;
}

static bool wants_to_explore(const struct ert_schedule *schedule,
                             const struct ert_position *position, size_t index)
{
    const struct ert_turn *turn = &schedule->turns[index];
    return turn->priority == position->priority &&
           (position->round == 0 || !schedule_selects(schedule) ||
            !(turn->is_costly || is_slower_variant(schedule, index)));
}

static bool wants_candidate(const struct ert_schedule *schedule,
                            const struct ert_position *position, size_t index)
{
    const struct ert_turn *turn = &schedule->turns[index];
    bool is_due =
        !turn->is_costly || position->round % 3 == 2 || is_last_round(schedule, position);
    return is_due && !(turn->width < converged_width);
}

static bool wants_judged(const struct ert_schedule *schedule,
                         const struct ert_position *position, size_t index)
{
    return is_judged(schedule, index) && (!(schedule->turns[index].width < warning_width) ||
                                          wants_candidate(schedule, position, index));
}

static bool wants_main(const struct ert_schedule *schedule,
                       const struct ert_position *position, size_t index)
{
    (void)position;
    return is_judged(schedule, index) && !(schedule->turns[index].width < main_width);
}

/* Shares of the budget at whose end a stage ends; then sustained rates are measured. */
static const double explored_share = 0.6, converged_share = 0.9;

static const struct stage {
    bool (*wants)(const struct ert_schedule *, const struct ert_position *, size_t);
    bool counts; /* its cases count as done */
} stages[] = {
    [ERT_STAGE_EXPLORE] = {wants_to_explore, true },
    [ERT_STAGE_JUDGED] = {wants_judged,     false},
    [ERT_STAGE_CANDIDATES] = {wants_candidate,  true },
    [ERT_STAGE_MAIN] = {wants_main,       false},
    [ERT_STAGE_END] = {NULL,             false},
};

/* ---- from stage to stage ---- */

/* When a stage must end, in s since the start; 0: never. */
static double schedule_end_s(const struct ert_schedule *schedule,
                             const struct ert_position *position)
{
    double budget_s = schedule->config->budget_s;
    if (position->stage != ERT_STAGE_EXPLORE)
        return converged_share * budget_s;
    if (position->round == 0 && position->priority == ERT_PRIORITY_MAIN)
        return 0;
    return (schedule_selects(schedule) ? explored_share : 1) * budget_s;
}

static bool schedule_has(const struct ert_schedule *schedule, enum ert_point_status status,
                         double width)
{
    for (size_t i = 0; i < schedule->n; i++)
        if (schedule->chosen[i] && schedule->device->points[i].status == status &&
            !(schedule->turns[i].width < width))
            return true;
    return false;
}

static struct ert_position schedule_enter(const struct ert_schedule *schedule,
                                          struct ert_position position,
                                          enum ert_stage stage, uint64_t round)
{
    position.stage = stage;
    position.round = round;
    position.priority = ERT_PRIORITY_MAIN;
    position.at = 0;
    position.is_busy = false;
    if (stage == ERT_STAGE_SELECT)
        position.is_cut = schedule_has(schedule, ERT_POINT_PLANNED, 0);
    return position;
}

/* The first stage of a round of candidates, or what follows all rounds. */
static struct ert_position schedule_begin_round(const struct ert_schedule *schedule,
                                                struct ert_position position,
                                                uint64_t round)
{
    bool is_judged_first =
        schedule->about->kind == ERT_DEVICE_CPU && schedule_selects(schedule);
    if (round < schedule->n_rounds &&
        schedule_has(schedule, ERT_POINT_MEASURED, converged_width))
        return schedule_enter(schedule, position,
                              is_judged_first ? ERT_STAGE_JUDGED : ERT_STAGE_CANDIDATES,
                              round);
    return schedule_enter(schedule, position,
                          is_judged_first ? ERT_STAGE_MAIN : ERT_STAGE_END,
                          schedule->n_rounds);
}

/* What follows a round in which all cases have had their turn. */
static struct ert_position schedule_advance(const struct ert_schedule *schedule,
                                            struct ert_position position)
{
    const uint64_t next = position.round + 1;
    struct ert_position after = position;
    switch (position.stage) {
    case ERT_STAGE_EXPLORE:
        after.at = 0;
        after.priority++;
        if (after.priority < ERT_N_PRIORITIES && schedule->stride > 1)
            return after;
        return schedule_enter(
            schedule, position,
            next < schedule->config->rounds ? ERT_STAGE_EXPLORE : ERT_STAGE_SELECT, next);
    case ERT_STAGE_SELECT:
        return schedule_begin_round(schedule, position, 0);
    case ERT_STAGE_JUDGED:
        return schedule_enter(schedule, position, ERT_STAGE_CANDIDATES, position.round);
    case ERT_STAGE_CANDIDATES:
        return schedule_begin_round(schedule, position, next);
    default:
        return schedule_enter(schedule, position,
                              position.is_busy && next < 4 * schedule->n_rounds
                                  ? ERT_STAGE_MAIN
                                  : ERT_STAGE_END,
                              next);
    }
}

static struct ert_step schedule_measure(const struct ert_schedule *schedule, size_t index,
                                        const struct ert_position *position)
{
    const struct ert_point *point = &schedule->device->points[index];
    bool is_explored = position->stage == ERT_STAGE_EXPLORE;
    /*
     * Tensor kernels run at the clock that power allows at the moment, so that their samples scatter more
     * than others (on an H200 1 % instead of 0.2): a round of candidates takes two samples of each.
     */
    bool is_tensor = strcmp(ert_kernel_row(point->spec.kernel)->unit, "tensor") == 0;
    uint32_t n_samples = is_tensor && !is_explored ? 2 : 1;
    struct ert_step step = {.kind = is_left_to_another(schedule, index) ? ERT_STEP_LEAVE
                                                                        : ERT_STEP_MEASURE,
                            .index = index,
                            .n_samples = n_samples,
                            .next = *position};
    step.next.is_busy = true;
    /* Each of these samples may be the case's last, and that one is verified, too. */
    step.is_checked = !is_explored && (is_last_round(schedule, position) ||
                                       point->n_samples + n_samples >= ERT_ENOUGH_SAMPLES);
    return step;
}

struct ert_step ert_schedule_next(const struct ert_schedule *schedule,
                                  struct ert_position position, double elapsed_s)
{
    const bool is_sweep = stages[position.stage].wants != NULL;
    const double end_s = schedule_end_s(schedule, &position);
    for (; is_sweep && position.at < schedule->n; position.at++) {
        const size_t index =
            interleaved(position.at, schedule->n, schedule->stride, position.round);
        const struct ert_turn *turn = &schedule->turns[index];
        const enum ert_point_status status = schedule->device->points[index].status;
        if (!schedule->chosen[index])
            continue;
        bool is_open = status == ERT_POINT_PLANNED || status == ERT_POINT_MEASURED;
        bool is_wanted =
            is_open && stages[position.stage].wants(schedule, &position, index);
        if (is_wanted && end_s > 0 && elapsed_s > end_s) {
            bool is_explored = position.stage == ERT_STAGE_EXPLORE;
            position = schedule_enter(schedule, position,
                                      is_explored ? ERT_STAGE_SELECT : ERT_STAGE_END, 0);
            return (struct ert_step){.kind = ERT_STEP_ESTIMATE, .next = position};
        }
        if (stages[position.stage].counts &&
            (position.stage != ERT_STAGE_EXPLORE || turn->priority == position.priority))
            position.done_s += turn->cost_s;
        if (is_wanted) {
            position.at++;
            return schedule_measure(schedule, index, &position);
        }
    }
    if (position.stage == ERT_STAGE_END)
        return (struct ert_step){.kind = ERT_STEP_END, .next = position};
    if (position.stage == ERT_STAGE_SELECT && position.at++ == 0)
        return (struct ert_step){.kind = ERT_STEP_SELECT, .next = position};
    if (position.stage == ERT_STAGE_SELECT)
        return ert_schedule_next(schedule, schedule_advance(schedule, position), elapsed_s);
    return (struct ert_step){.kind = ERT_STEP_ESTIMATE,
                             .next = schedule_advance(schedule, position)};
}

/* ---- sustained rates ---- */

static bool schedule_is_open(const struct ert_schedule *schedule, size_t index)
{
    const struct ert_point *point = &schedule->device->points[index];
    return schedule->chosen[index] && point->status == ERT_POINT_MEASURED &&
           point->sustained.n_parts == 0 && !schedule->turns[index].cannot_sustain;
}

/* The open case of a contest with the highest estimate, if it is above all sustained rates. */
static bool schedule_find_rival(const struct ert_schedule *schedule, int contest,
                                size_t *index)
{
    const struct ert_point *points = schedule->device->points;
    const struct ert_turn *turns = schedule->turns;
    double most = 0;
    bool found = false;
    for (size_t i = 0; i < schedule->n; i++)
        if (turns[i].contest == contest && turns[i].cannot_sustain)
            return false;
        else if (turns[i].contest == contest)
            most = fmax(most, ert_point_rate(&points[i], points[i].sustained.rate_per_s));
    for (size_t i = 0; i < schedule->n; i++)
        if (turns[i].contest == contest && turns[i].value > most &&
            schedule_is_open(schedule, i)) {
            most = turns[i].value;
            *index = i;
            found = true;
        }
    return found;
}

/* The first open case outside of the contests: loads of memories or, with sustained_all, any. */
static bool schedule_find_other(const struct ert_schedule *schedule, bool is_matrix,
                                size_t *index)
{
    for (size_t i = 0; i < schedule->n; i++) {
        const struct ert_point *point = &schedule->device->points[i];
        const int contest = schedule->turns[i].contest;
        bool is_sweep =
            point->section == ERT_SECTION_LEVELS || point->section == ERT_SECTION_COMPUTE;
        bool is_wanted =
            schedule->config->sustained_all ||
            (point->spec.kernel == ERT_KERNEL_load && contest == CONTEST_MEMORY);
        *index = i;
        if (is_sweep && is_wanted && (contest >= CONTEST_MATRICES) == is_matrix &&
            schedule_is_open(schedule, i))
            return true;
    }
    return false;
}

bool ert_schedule_sustain(const struct ert_schedule *schedule, size_t *index)
{
    for (int contest = CONTEST_CORES; contest < N_CONTESTS; contest++)
        if (schedule_find_rival(schedule, contest, index) ||
            (contest == CONTEST_MEMORY && schedule_find_other(schedule, false, index)))
            return true;
    return schedule_find_other(schedule, true, index);
}
