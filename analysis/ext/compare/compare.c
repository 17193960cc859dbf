/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/compare/compare.h"

#include "analysis/core/place/roofs.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rfl_verdict_names[RFL_N_VERDICTS] = {
    [RFL_SAME] = "same",        [RFL_FASTER] = "faster",      [RFL_SLOWER] = "slower",
    [RFL_MORE] = "more",        [RFL_LESS] = "less",          [RFL_ONLY_A] = "only in A",
    [RFL_ONLY_B] = "only in B", [RFL_UNSURE] = "cannot tell",
};

static struct ert_differ_side side_of(const struct rfl_change *change, int is_b)
{
    const struct rfl_range *range = is_b ? &change->b : &change->a;
    const struct ert_ceiling *ceiling = is_b ? change->of_b : change->of_a;
    struct ert_differ_side side = {
        .value = range->value,
        .error = ert_differ_error_of(range->low, range->high, range->value),
        .n_samples = range->n_samples};
    if (!ceiling) {
        /* A time of one recording: recordings differ at least as much again (results/ci). */
        if (range->n_samples == 0)
            side.between = (range->high - range->low) / 2 / range->value;
        return side;
    }
    side.between = ceiling->evidence->between;
    if (change->is_sustained) {
        side.between = fmax(side.between, ERT_DIFFER_SUSTAINED);
    } else {
        side.rounds = ceiling->evidence->rounds;
        side.n = ceiling->evidence->n_rounds;
    }
    side.n_runs = ceiling->evidence->n_runs;
    return side;
}

/* A record compared with itself, such as a repeated fit, is one sample, not two. */
static bool is_identical(const struct rfl_range *a, const struct rfl_range *b)
{
    return a->value == b->value && a->low == b->low && a->high == b->high;
}

static bool is_exact(const struct ert_differ_side *side)
{
    return side->n == 0 && !(side->error > 0);
}

static void compare_judge(struct rfl_change *change, double margin)
{
    static const enum rfl_verdict verdicts[][ERT_N_DIFFER] = {
        [RFL_HIGHER] = {RFL_SAME, RFL_SLOWER, RFL_FASTER, RFL_UNSURE},
        [RFL_LOWER] = {RFL_SAME, RFL_SLOWER, RFL_FASTER, RFL_UNSURE},
        [RFL_NEITHER] = {RFL_SAME, RFL_LESS,   RFL_MORE,   RFL_UNSURE},
    };
    const struct ert_differ_side a = side_of(change, 0), b = side_of(change, 1);
    enum ert_better better = change->better == RFL_LOWER ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    struct ert_differ differ = ert_differ(&a, &b, better, margin);
    if (is_exact(&a) && is_exact(&b)) {
        /* relative to A in both directions: 3 % less and 3 % more are each 3 % */
        bool is_higher = change->b.value > change->a.value;
        double apart = fabs(change->b.value - change->a.value);
        differ.detectable = 0;
        differ.verdict = apart <= margin * change->a.value          ? ERT_DIFFER_SAME
                         : is_higher == (better == ERT_BETTER_HIGH) ? ERT_DIFFER_FASTER
                                                                    : ERT_DIFFER_SLOWER;
    }
    if (is_identical(&change->a, &change->b))
        differ.verdict = ERT_DIFFER_SAME;
    change->detectable = differ.detectable;
    if (!is_exact(&a) || !is_exact(&b))
        change->sure =
            differ.detectable < 1
                ? ert_differ_student(ERT_DIFFER_FALSE_ALARM, differ.freedom) * differ.error
                : INFINITY;
    change->verdict = verdicts[change->better][differ.verdict];
    if (change->is_of_moment &&
        (change->verdict == RFL_SLOWER || change->verdict == RFL_FASTER)) {
        change->verdict = RFL_UNSURE;
        change->detectable = 0;
        change->note = "ordinary memory of the host: what its runs differ by takes more "
                       "than one (ert run --repeat)";
    }
}

static void compare_finish(struct rfl_change *change, double margin)
{
    if (!(change->a.value > 0) || !(change->b.value > 0)) {
        change->verdict = change->a.value > 0 ? RFL_ONLY_A : RFL_ONLY_B;
        return;
    }
    change->ratio = change->b.value / change->a.value;
    if (change->better != RFL_NEITHER)
        change->speed = change->better == RFL_HIGHER ? change->ratio : 1 / change->ratio;
    compare_judge(change, margin);
}

static bool compare_is_wanted(const struct rfl_change *change, const char *only)
{
    char text[1024];
    snprintf(text, sizeof text, "%s/%s", change->group, change->name);
    return !only || strstr(text, only);
}

void rfl_compare_add(struct rfl_comparison *comparison,
                     const struct rfl_compare_options *options, struct rfl_change change)
{
    if (!compare_is_wanted(&change, options->only))
        return;
    comparison->changes = ert_xgrow(comparison->changes, comparison->n,
                                    &comparison->capacity, sizeof *comparison->changes);
    if (!change.note)
        change.note = "";
    compare_finish(&change, options->margin);
    change.of_a = change.of_b = NULL;
    comparison->counts[change.verdict]++;
    comparison->changes[comparison->n++] = change;
}

bool rfl_change_below(const struct rfl_change *change, double ratio)
{
    return change->is_headline && change->speed > 0 &&
           log(change->speed) + change->sure < log(ratio);
}

double rfl_comparison_median(const struct rfl_comparison *comparison)
{
    size_t n = 0;
    double *speeds = ert_xcalloc(comparison->n, sizeof *speeds);
    for (size_t i = 0; i < comparison->n; i++)
        if (comparison->changes[i].is_headline && comparison->changes[i].speed > 0)
            speeds[n++] = comparison->changes[i].speed;
    double median = n ? ert_stats_median(speeds, n) : 0;
    free(speeds);
    return median;
}

void rfl_comparison_free(struct rfl_comparison *comparison)
{
    free(comparison->changes);
    free(comparison->differences);
    ert_strings_free(&comparison->notes);
    ert_strings_free(&comparison->strings);
    *comparison = (struct rfl_comparison){0};
}

/* ---- machines ---- */

enum { VALUE_TEXT = 600 };

enum form { TEXT, COUNT, BYTES, CLOCK, POWER };
enum subject { DEVICE, CPU, GPU, RUN };

/* A field of a struct ert_device or, for RUN, of a struct ert_provenance; 0 or "" is unknown. */
struct field {
    enum subject of;
    const char *name;
    enum form form;
    size_t offset;
};

static void write_field(const struct field *field, const void *base, char text[VALUE_TEXT])
{
    const void *at = (const char *)base + field->offset;
    text[0] = '\0';
    if (field->form == TEXT)
        snprintf(text, VALUE_TEXT, "%s", (const char *)at);
    else if (field->form == COUNT && *(const uint32_t *)at)
        snprintf(text, VALUE_TEXT, "%u", *(const uint32_t *)at);
    else if (field->form == BYTES && *(const uint64_t *)at)
        snprintf(text, VALUE_TEXT, "%s", ert_units_capacity(*(const uint64_t *)at).text);
    else if (field->form == CLOCK && *(const double *)at > 0)
        snprintf(text, VALUE_TEXT, "%s", ert_units_frequency(*(const double *)at).text);
    else if (field->form == POWER && *(const double *)at > 0)
        snprintf(text, VALUE_TEXT, "%.0f W", *(const double *)at);
}

#define FIELD(of, name, form, type, member)                                                \
    {                                                                                      \
        of, name, form, offsetof(struct type, member)                                      \
    }
static const struct field fields[] = {
    FIELD(DEVICE, "model", TEXT, ert_device, name),
    FIELD(DEVICE, "base clock", CLOCK, ert_device, base_hz),
    FIELD(DEVICE, "boost clock", CLOCK, ert_device, boost_hz),
    FIELD(CPU, "vendor", TEXT, ert_device, cpu.vendor),
    FIELD(CPU, "family", COUNT, ert_device, cpu.family),
    FIELD(CPU, "model number", COUNT, ert_device, cpu.model),
    FIELD(CPU, "stepping", COUNT, ert_device, cpu.stepping),
    FIELD(CPU, "packages", COUNT, ert_device, cpu.n_packages),
    FIELD(CPU, "cores", COUNT, ert_device, cpu.n_cores),
    FIELD(CPU, "usable cores", COUNT, ert_device, cpu.n_cores_usable),
    FIELD(CPU, "hardware threads", COUNT, ert_device, cpu.n_pus),
    FIELD(CPU, "NUMA nodes", COUNT, ert_device, cpu.n_numa),
    FIELD(CPU, "governor", TEXT, ert_device, cpu.governor),
    FIELD(CPU, "turbo", TEXT, ert_device, cpu.turbo),
    FIELD(CPU, "hypervisor", TEXT, ert_device, cpu.hypervisor),
    FIELD(CPU, "memory limit", BYTES, ert_device, cpu.memory_limit_bytes),
    FIELD(GPU, "SMs", COUNT, ert_device, gpu.n_sms),
    FIELD(GPU, "L2", BYTES, ert_device, gpu.l2_bytes),
    FIELD(GPU, "memory", BYTES, ert_device, gpu.memory_bytes),
    FIELD(GPU, "memory clock", CLOCK, ert_device, gpu.memory_clock_hz),
    FIELD(GPU, "bus width (bit)", COUNT, ert_device, gpu.bus_width_bits),
    FIELD(GPU, "power limit", POWER, ert_device, gpu.power_limit_w),
    FIELD(GPU, "ECC", TEXT, ert_device, gpu.ecc),
    FIELD(GPU, "MIG", TEXT, ert_device, gpu.mig),
    FIELD(GPU, "card (UUID)", TEXT, ert_device, gpu.uuid),
    FIELD(RUN, "NVIDIA driver", TEXT, ert_provenance, nvidia_driver),
    FIELD(RUN, "CUDA driver", TEXT, ert_provenance, cuda_driver),
    FIELD(RUN, "CUDA runtime", TEXT, ert_provenance, cuda_runtime),
    FIELD(RUN, "nvcc", TEXT, ert_provenance, nvcc),
    FIELD(RUN, "operating system", TEXT, ert_provenance, os),
    FIELD(RUN, "kernel", TEXT, ert_provenance, kernel),
    FIELD(RUN, "compiler", TEXT, ert_provenance, compiler),
    FIELD(RUN, "flags", TEXT, ert_provenance, flags),
    FIELD(RUN, "ert", TEXT, ert_provenance, tool_version),
    FIELD(RUN, "git", TEXT, ert_provenance, git),
    FIELD(RUN, "command", TEXT, ert_provenance, command),
};
#undef FIELD

static void add_difference(struct rfl_comparison *comparison, const char *device,
                           const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return;
    comparison->differences =
        ert_xgrow(comparison->differences, comparison->n_differences,
                  &comparison->difference_capacity, sizeof *comparison->differences);
    comparison->differences[comparison->n_differences++] =
        (struct rfl_difference){ert_strings_format(&comparison->strings, "%s%s%s", device,
                                                   *device ? ": " : "", what),
                                ert_strings_keep(&comparison->strings, a),
                                ert_strings_keep(&comparison->strings, b)};
}

static void add_fields(struct rfl_comparison *comparison, const char *device,
                       enum subject of, const void *a, const void *b)
{
    for (size_t i = 0; i < ERT_LENGTH(fields); i++) {
        char text_a[VALUE_TEXT], text_b[VALUE_TEXT];
        if (fields[i].of != of)
            continue;
        write_field(&fields[i], a, text_a);
        write_field(&fields[i], b, text_b);
        add_difference(comparison, device, fields[i].name, text_a, text_b);
    }
}

static void add_level_sizes(struct rfl_comparison *comparison, const struct ert_device *a,
                            const struct ert_device *b)
{
    for (uint32_t i = 0; i < a->n_levels; i++) {
        const struct ert_level *other = ert_device_level(b, a->levels[i].name);
        char what[48];
        /* a CPU's memory is what the kernel leaves free, which differs from boot to boot */
        if (a->levels[i].kind == ERT_LEVEL_MEMORY)
            continue;
        snprintf(what, sizeof what, "%s in all", a->levels[i].name);
        add_difference(comparison, a->id, what,
                       ert_units_capacity(ert_level_total_bytes(&a->levels[i])).text,
                       other ? ert_units_capacity(ert_level_total_bytes(other)).text : "");
    }
}

/* Compares validity and held clocks; clocks that differ by less than 0.5 % vary as much from run to run. */
static void compare_add_conditions(struct rfl_comparison *comparison, const char *id,
                                   const struct ert_device_ceilings *a,
                                   const struct ert_device_ceilings *b)
{
    if (!a || !b)
        return;
    if (a->held_hz > 0 && b->held_hz > 0 && fabs(b->held_hz / a->held_hz - 1) > 0.005)
        add_difference(comparison, id, "held clock", ert_units_frequency(a->held_hz).text,
                       ert_units_frequency(b->held_hz).text);
    if (a->valid != b->valid)
        add_difference(comparison, id, "valid", a->valid ? "yes" : a->warnings,
                       b->valid ? "yes" : b->warnings);
}

static void compare_machines(const struct ert_ceilings *a, const struct ert_ceilings *b,
                             struct rfl_comparison *comparison)
{
    for (uint32_t i = 0; i < a->machine->n_devices; i++) {
        const struct ert_device *device = &a->machine->devices[i];
        const struct ert_device *other = ert_machine_device(b->machine, device->id);
        if (!other || other->kind != device->kind) {
            add_difference(comparison, device->id, "model", device->name, "");
            continue;
        }
        add_fields(comparison, device->id, DEVICE, device, other);
        add_fields(comparison, device->id, device->kind == ERT_DEVICE_CPU ? CPU : GPU,
                   device, other);
        add_level_sizes(comparison, device, other);
        compare_add_conditions(comparison, device->id, ert_ceilings_device(a, device->id),
                               ert_ceilings_device(b, device->id));
    }
    for (uint32_t i = 0; i < b->machine->n_devices; i++) {
        const struct ert_device *device = &b->machine->devices[i];
        const struct ert_device *other = ert_machine_device(a->machine, device->id);
        if (!other || other->kind != device->kind)
            add_difference(comparison, device->id, "model", "", device->name);
    }
    add_fields(comparison, "", RUN, &a->machine->provenance, &b->machine->provenance);
    add_difference(comparison, "", "status of the run", a->status, b->status);
}

/* ---- ceilings ---- */

/*
 * Notes which rows of a device are comparable if one or both sides have levels that LBNL's ERT counted from
 * the fastest (ceilings.mode).
 */
static void note_modes(struct rfl_comparison *comparison, const struct ert_ceilings *a,
                       size_t n_a, const struct ert_ceilings *b, size_t n_b,
                       const char *group)
{
    static const char *const levels[] = {"those of the topology",
                                         "counted by ERT from the fastest"};
    if (!*a->mode && !*b->mode)
        return;
    if (!*a->mode || !*b->mode)
        ert_strings_format(&comparison->notes,
                           "%s: levels of A are %s, those of B %s: the last, DRAM, is "
                           "the memory on both sides if ERT's sets left the caches; a "
                           "cache of the same name need not be the same (a GPU's L1 by "
                           "ERT is its L2). ERT's peak is that of one dependent chain",
                           group, levels[*a->mode != 0], levels[*b->mode != 0]);
    else
        ert_strings_format(&comparison->notes,
                           "%s: both have ERT's labels, A %zu levels and B %zu: comparable "
                           "are the peak, L1 and DRAM, and the others if there are as many",
                           group, n_a, n_b);
}

/* A device's ceiling of a kind and name; NULL: none. */
static const struct ert_ceiling *compare_find(const struct ert_device_ceilings *device,
                                              enum ert_ceiling_kind kind, const char *name)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, kind);
    for (size_t i = 0; i < of.n; i++)
        if (strcmp(of.at[i].name, name) == 0)
            return &of.at[i];
    return NULL;
}

static struct rfl_range range_of(const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    struct rfl_range range = {0};
    if (!(ceiling->value > 0))
        return range;
    range = (struct rfl_range){ceiling->value, ceiling->low, ceiling->high,
                               evidence->n_samples};
    if (!(range.low > 0))
        range.low = range.value;
    if (!(range.high > 0))
        range.high = range.value;
    /* Before files had intervals, low and high were those of the runs. */
    if (evidence->n_runs > 1 && evidence->n_rounds == 0) {
        range.low = fmin(range.low, evidence->runs_low);
        range.high = fmax(range.high, evidence->runs_high);
    }
    return range;
}

static const char *absence_of(const struct ert_device_ceilings *device, const char *name)
{
    for (size_t i = 0; i < device->n_not_measured; i++)
        if (strcmp(device->not_measured[i].name, name) == 0)
            return device->not_measured[i].reason;
    return "";
}

static struct rfl_change compare_change_of(struct rfl_comparison *comparison,
                                           const char *group, const struct ert_ceiling *of)
{
    bool is_multi_gpu = of->kind == ERT_CEILING_MULTI_GPU;
    return (struct rfl_change){
        .group = group,
        .kind = ert_ceiling_kind_words[of->kind],
        /* a rate of all GPUs together has the same name as that of one GPU */
        .name = ert_strings_format(&comparison->strings, "%s%s", of->name,
                                   is_multi_gpu ? " (multi-GPU)" : ""),
        .unit = ert_unit_words[of->unit],
        .better = of->unit == ERT_UNIT_S ? RFL_LOWER : RFL_HIGHER,
        .is_headline = true,
    };
}

/*
 * If a rate changed with its clock, the hardware may be unchanged: returns both clocks, if they differ by
 * more than from sample to sample, and what throttled them.
 */
static const char *clock_note(struct rfl_comparison *comparison,
                              const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    const struct ert_evidence *evidence = a->evidence;
    const char *reasons = *b->evidence->throttle_reasons ? b->evidence->throttle_reasons
                                                         : evidence->throttle_reasons;
    if (!(evidence->clock_hz > 0) || !(b->evidence->clock_hz > 0) ||
        fabs(b->evidence->clock_hz / evidence->clock_hz - 1) <= 0.005)
        return "";
    return ert_strings_format(&comparison->strings,
                              "clock %.4g, then %.4g GHz (%+.1f %%)%s%s",
                              evidence->clock_hz / 1e9, b->evidence->clock_hz / 1e9,
                              100 * (b->evidence->clock_hz / evidence->clock_hz - 1),
                              *reasons ? ": " : "", reasons);
}

static struct rfl_range burst_of(const struct ert_ceiling *ceiling)
{
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    return (struct rfl_range){burst.value, burst.low, burst.high,
                              ceiling->evidence->n_samples};
}

/*
 * Compares a ceiling that both sides have. A ceiling that falls (by a power limit) gives two rows: the
 * sustained rate, if both sides have measured it, and the burst rate.
 */
static void compare_add_pair(struct rfl_change change, const struct ert_ceiling *a,
                             const struct ert_ceiling *b,
                             const struct rfl_compare_options *options,
                             struct rfl_comparison *comparison)
{
    const struct ert_evidence *evidence = a->evidence;
    const bool falls = evidence->falls_after_s > 0 || b->evidence->falls_after_s > 0,
               are_sustained = evidence->sustained_s > 0 && b->evidence->sustained_s > 0;
    change.of_a = a;
    change.of_b = b;
    change.a = range_of(a);
    change.b = range_of(b);
    change.note = clock_note(comparison, a, b);
    change.is_sustained = falls;
    /* Copies from pageable host memory differ by 8 % from run to run, once by 36 % (results/h200). */
    change.is_of_moment =
        strstr(change.name, "pageable") && evidence->n_runs < 2 && b->evidence->n_runs < 2;
    if (!falls || are_sustained)
        rfl_compare_add(comparison, options, change);
    if (!falls)
        return;
    change.name = ert_strings_format(&comparison->strings, "%s (burst)", change.name);
    change.a = burst_of(a);
    change.b = burst_of(b);
    change.note = "";
    change.is_sustained = false;
    change.is_headline = !are_sustained;
    rfl_compare_add(comparison, options, change);
}

/* Compares the ceilings of A, then adds those that only B has. */
static void compare_kind(const struct ert_device_ceilings *a,
                         const struct ert_device_ceilings *b, const char *group,
                         enum ert_ceiling_kind kind,
                         const struct rfl_compare_options *options,
                         struct rfl_comparison *comparison)
{
    const struct ert_device_ceilings *const sides[] = {a, b};
    for (size_t side = 0; side < 2; side++) {
        const struct ert_ceiling_span of = ert_ceilings_of(sides[side], kind);
        for (size_t i = 0; i < of.n; i++) {
            const struct ert_ceiling *own = &of.at[i],
                                     *other = compare_find(sides[!side], kind, own->name);
            struct rfl_change change = compare_change_of(comparison, group, own);
            if (other) {
                if (side == 0)
                    compare_add_pair(change, own, other, options, comparison);
                continue;
            }
            *(side ? &change.b : &change.a) = range_of(own);
            change.note =
                ert_strings_keep(&comparison->strings, absence_of(sides[!side], own->name));
            rfl_compare_add(comparison, options, change);
        }
    }
}

static enum ert_device_kind kind_of(const struct ert_ceilings *ceilings, size_t i)
{
    const struct ert_device *device =
        ert_machine_device(ceilings->machine, ceilings->devices[i].device);
    return device ? device->kind : ERT_DEVICE_CPU;
}

/*
 * Matches devices, first by id, then by kind in order: match[i] is the device of B for A's i-th, or SIZE_MAX;
 * taken[] marks the matched devices of B.
 */
static void match_devices(const struct ert_ceilings *a, const struct ert_ceilings *b,
                          size_t match[ERT_MAX_DEVICES], bool taken[ERT_MAX_DEVICES])
{
    for (size_t i = 0; i < a->n_devices; i++)
        match[i] = SIZE_MAX;
    for (int by_id = 1; by_id >= 0; by_id--)
        for (size_t i = 0; i < a->n_devices; i++)
            for (size_t j = 0; j < b->n_devices && match[i] == SIZE_MAX; j++) {
                if (taken[j] || kind_of(a, i) != kind_of(b, j) ||
                    (by_id && strcmp(a->devices[i].device, b->devices[j].device) != 0))
                    continue;
                match[i] = j;
                taken[j] = true;
            }
}

/* Adds one note for a device that only one side has, instead of a row for each of its ceilings. */
static void note_alone(struct rfl_comparison *comparison,
                       const struct ert_device_ceilings *device, const char *side)
{
    ert_strings_format(&comparison->notes, "%s: only in %s, with %zu ceilings",
                       device->device, side, device->n);
}

void rfl_compare_ceilings(const struct ert_ceilings *a, const struct ert_ceilings *b,
                          const struct rfl_compare_options *options,
                          struct rfl_comparison *comparison)
{
    size_t match[ERT_MAX_DEVICES];
    bool taken[ERT_MAX_DEVICES] = {false};
    compare_machines(a, b, comparison);
    match_devices(a, b, match, taken);
    for (size_t i = 0; i < a->n_devices; i++) {
        const struct ert_device_ceilings *own = &a->devices[i], *other;
        if (match[i] == SIZE_MAX) {
            note_alone(comparison, own, "A");
            continue;
        }
        other = &b->devices[match[i]];
        bool is_same = strcmp(own->device, other->device) == 0;
        const char *group =
            ert_strings_format(&comparison->strings, "%s%s%s", own->device,
                               is_same ? "" : ":", is_same ? "" : other->device);
        note_modes(comparison, a, ert_ceilings_of(own, ERT_CEILING_MEMORY).n, b,
                   ert_ceilings_of(other, ERT_CEILING_MEMORY).n, group);
        for (int kind = 0; kind < ERT_N_CEILING_KINDS; kind++)
            compare_kind(own, other, group, (enum ert_ceiling_kind)kind, options,
                         comparison);
    }
    for (size_t j = 0; j < b->n_devices; j++)
        if (!taken[j])
            note_alone(comparison, &b->devices[j], "B");
}

/* ---- points ---- */

/* The points of a side, and those of the other side that match them, by position; NULL: none. */
struct side {
    const struct rfl_points *points;
    const struct rfl_point **other; /* malloc */
};

/* What a side has of a key: how many points that match none yet, and the last of them. */
struct holders {
    size_t n, last;
};

/* Matches points whose key each side has once: the name; or name, run and which of those with both it is. */
static void compare_match_by(struct side sides[2], bool is_by_run)
{
    struct ert_strings keys = {0};
    const size_t n = sides[0].points->n + sides[1].points->n;
    struct holders(*of)[2] = ert_xcalloc(n + 1, sizeof *of);
    for (size_t s = 0; s < 2; s++) {
        struct ert_strings runs = {0};
        size_t *n_before = ert_xcalloc(n + 1, sizeof *n_before);
        for (size_t i = 0; i < sides[s].points->n; i++) {
            const struct rfl_point *point = &sides[s].points->points[i];
            const char *key = point->name;
            if (sides[s].other[i])
                continue;
            if (is_by_run) {
                const char *run = ert_strings_format(&runs, "%s\x1f%s", key, point->run);
                key = ert_strings_format(&keys, "%s\x1f%zu", run,
                                         n_before[ert_strings_index(&runs, run)]++);
            }
            struct holders *holders = &of[ert_strings_index(&keys, key)][s];
            *holders = (struct holders){holders->n + 1, i};
        }
        ert_strings_free(&runs);
        free(n_before);
    }
    for (size_t k = 0; k < keys.n_texts; k++)
        if (of[k][0].n == 1 && of[k][1].n == 1)
            for (size_t s = 0; s < 2; s++)
                sides[s].other[of[k][s].last] = &sides[!s].points->points[of[k][!s].last];
    ert_strings_free(&keys);
    free(of);
}

/*
 * Matches by name and run; points that have both in common (one per launch) match in order. Runs are often
 * names of files or dates, which differ: then the name alone matches if it is unique. If each side has a
 * single point, the two match: versions of one kernel.
 */
static void compare_match(struct side sides[2])
{
    compare_match_by(sides, true);
    compare_match_by(sides, false);
    if (sides[0].points->n == 1 && sides[1].points->n == 1) {
        sides[0].other[0] = sides[1].points->points;
        sides[1].other[0] = sides[0].points->points;
    }
}

static bool has_interval(const struct rfl_points *points)
{
    for (size_t i = 0; i < points->n; i++)
        if (points->points[i].time_high_s > points->points[i].time_low_s)
            return true;
    return false;
}

/* Stands for a point that one side lacks: it has no numbers. */
static const struct rfl_point absent = {.name = "", .run = ""};

struct adding {
    struct rfl_comparison *comparison;
    const struct rfl_compare_options *options;
    const char *group;
    const struct rfl_point *a, *b;
    const char *note; /* of the next row, or NULL */
    bool has_headline;
};

static struct rfl_range exactly(double value)
{
    return (struct rfl_range){value, value, value, 0};
}

static void add_number(struct adding *adding, const char *kind, const char *name,
                       const char *unit, enum rfl_better better, struct rfl_range a,
                       struct rfl_range b)
{
    if (!(a.value > 0) && !(b.value > 0))
        return;
    struct rfl_change change = {.group = adding->group,
                                .kind = kind,
                                .name = name,
                                .unit = unit,
                                .better = better,
                                .a = a,
                                .b = b,
                                .note = adding->note};
    change.is_headline = better != RFL_NEITHER && !adding->has_headline;
    adding->has_headline = adding->has_headline || change.is_headline;
    rfl_compare_add(adding->comparison, adding->options, change);
}

static struct rfl_range compare_time_of(const struct rfl_point *point)
{
    struct rfl_range range = exactly(point->time_s);
    if (point->time_high_s > 0 && range.value > 0) {
        range.low = point->time_low_s;
        range.high = point->time_high_s;
    }
    return range;
}

static struct rfl_range compare_rate_of(const struct rfl_point *point)
{
    struct rfl_range time = compare_time_of(point);
    double flops = rfl_point_flops(point);
    if (!(time.value > 0) || !(time.low > 0))
        return exactly(time.value > 0 ? flops / time.value : 0);
    return (struct rfl_range){flops / time.value, flops / time.high, flops / time.low, 0};
}

static double compare_bytes_of(const struct rfl_point *point, const char *level)
{
    const struct rfl_traffic *traffic = rfl_point_traffic(point, level);
    return traffic ? traffic->bytes : 0;
}

/* Compares bytes and intensities at the levels of A, then at those that only B has. */
static void compare_add_levels(struct adding *adding)
{
    const struct rfl_point *a = adding->a, *b = adding->b, *const sides[] = {a, b};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side]->n_traffic; i++) {
            const char *level = sides[side]->traffic[i].level;
            double bytes_a = compare_bytes_of(a, level),
                   bytes_b = compare_bytes_of(b, level);
            if (side == 1 && bytes_a > 0)
                continue;
            add_number(adding, "bytes",
                       ert_strings_format(&adding->comparison->strings, "%s bytes", level),
                       "byte", RFL_NEITHER, exactly(bytes_a), exactly(bytes_b));
            add_number(adding, "intensity",
                       ert_strings_format(&adding->comparison->strings, "%s AI", level),
                       "flop/byte", RFL_NEITHER,
                       exactly(bytes_a > 0 ? rfl_point_flops(a) / bytes_a : 0),
                       exactly(bytes_b > 0 ? rfl_point_flops(b) / bytes_b : 0));
        }
}

/*
 * Why the time changed: time = operations / rate, and rate = share x peak for the mix, which is proportional
 * to 1 + f for a share f of FMA (model.h). So the speed-up is a product of three factors.
 */
static const char *factors_of(const struct adding *adding)
{
    const struct rfl_point *a = adding->a, *b = adding->b;
    if (!(a->time_s > 0) || !(b->time_s > 0))
        return NULL;
    const double operations = rfl_point_flops(a) / rfl_point_flops(b);
    const double mix = rfl_point_instructions(a) / rfl_point_instructions(b) / operations;
    const double speed = a->time_s / b->time_s;
    if (!isfinite(operations) || !isfinite(mix) || !(mix > 0))
        return NULL;
    return ert_strings_format(&adding->comparison->strings,
                              "%.2f times as fast: %.2f (operations) x %.2f (FMA share) x "
                              "%.2f (share of the roof for it)",
                              speed, operations, mix, speed / operations / mix);
}

static void compare_add_values(struct adding *adding)
{
    /* Of samples, and of the machine beside the run: how much they differ by chance is not known. */
    static const char *const beside[] = {"system_share", "cpus_used", "memory_now",
                                         "part_of_run", "part_of_rows"};
    char list[ERT_LIST_TEXT];
    const struct rfl_point *const sides[] = {adding->a, adding->b};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sides[side]->n_values; i++) {
            const char *name = sides[side]->values[i].name;
            double a = rfl_point_value(adding->a, name),
                   b = rfl_point_value(adding->b, name);
            if ((side == 0 || isnan(a)) &&
                !ert_list_find(beside, ERT_LENGTH(beside), sizeof *beside, name, list))
                add_number(adding, "value",
                           ert_strings_keep(&adding->comparison->strings, name), "",
                           RFL_NEITHER, exactly(a), exactly(b));
        }
}

static void compare_add_point(struct rfl_comparison *comparison,
                              const struct rfl_compare_options *options,
                              const struct rfl_point *a, const struct rfl_point *b)
{
    struct adding adding = {.comparison = comparison, .options = options, .a = a, .b = b};
    const struct rfl_point *named = a != &absent ? a : b;
    const char *run = strcmp(a->run, b->run) == 0 ? a->run : "";
    adding.group =
        *named->run
            ? ert_strings_format(&comparison->strings, "%s [%s]", named->name, named->run)
            : ert_strings_format(&comparison->strings, "%.900s", named->name);
    if (a != &absent && b != &absent && strcmp(a->name, b->name) != 0)
        adding.group =
            ert_strings_format(&comparison->strings, "%.400s : %.400s%s%.200s%s", a->name,
                               b->name, *run ? " [" : "", run, *run ? "]" : "");
    adding.note = factors_of(&adding);
    add_number(&adding, "time", "time", "s", RFL_LOWER, compare_time_of(a),
               compare_time_of(b));
    adding.note = NULL;
    add_number(&adding, "rate", "rate", "flop/s", RFL_HIGHER, compare_rate_of(a),
               compare_rate_of(b));
    add_number(&adding, "work", "operations", "flop", RFL_NEITHER,
               exactly(rfl_point_flops(a)), exactly(rfl_point_flops(b)));
    compare_add_levels(&adding);
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++) {
        const struct rfl_point_number *number = &rfl_point_numbers[i];
        if (number->is_compared)
            add_number(&adding, number->name, number->name, "", RFL_NEITHER,
                       exactly(rfl_point_number(a, i)), exactly(rfl_point_number(b, i)));
    }
    compare_add_values(&adding);
}

static void note_intervals(struct rfl_comparison *comparison, bool has_interval)
{
    if (!has_interval)
        ert_strings_format(&comparison->notes,
                           "no intervals of times are known: the margin alone decides "
                           "what is a change");
}

void rfl_compare_steps(const struct rfl_points *points,
                       const struct rfl_compare_options *options,
                       struct rfl_comparison *comparison)
{
    struct ert_strings runs = {0};
    const struct rfl_point **before = ert_xcalloc(points->n, sizeof *before); /* of a run */
    for (size_t i = 0; i < points->n; i++) {
        size_t run = ert_strings_index(&runs, points->points[i].run);
        if (before[run])
            compare_add_point(comparison, options, before[run], &points->points[i]);
        before[run] = &points->points[i];
    }
    free(before);
    ert_strings_free(&runs);
    note_intervals(comparison, has_interval(points));
}

void rfl_compare_points(const struct rfl_points *a, const struct rfl_points *b,
                        const struct rfl_compare_options *options,
                        struct rfl_comparison *comparison)
{
    struct side sides[] = {
        {a, ert_xcalloc(a->n, sizeof *sides->other)},
        {b, ert_xcalloc(b->n, sizeof *sides->other)}
    };
    compare_match(sides);
    for (size_t i = 0; i < a->n; i++)
        compare_add_point(comparison, options, &a->points[i],
                          sides[0].other[i] ? sides[0].other[i] : &absent);
    for (size_t j = 0; j < b->n; j++)
        if (!sides[1].other[j])
            compare_add_point(comparison, options, &absent, &b->points[j]);
    note_intervals(comparison, has_interval(a) || has_interval(b));
    free(sides[0].other);
    free(sides[1].other);
}
