#include "analysis/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const extra_kinds[ERT_N_EXTRA_KINDS] = {
    [ERT_EXTRA_LATENCY] = "latency",
    [ERT_EXTRA_ACCESS] = "access",
    [ERT_EXTRA_CONCURRENCY] = "concurrency",
    [ERT_EXTRA_LINK] = "link",
    [ERT_EXTRA_PLACE] = "place",
    [ERT_EXTRA_TOGETHER] = "together",
};

/* Ceilings of all kinds of a device as one list: compute, memory, then the extras. */
struct entry {
    const struct ert_ceiling *common;
    const char *kind;
    char unit[8];
};
enum { KIND_COMPUTE, KIND_MEMORY, KIND_EXTRA, N_KINDS = KIND_EXTRA + ERT_N_EXTRA_KINDS };

static const char *operation_of(const char *type)
{
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            return ert_type_operation((enum ert_type)i);
    return "flop";
}

static size_t count_of(const struct ert_device_ceilings *device, int kind)
{
    if (kind == KIND_COMPUTE)
        return device->n_compute;
    return kind == KIND_MEMORY ? device->n_memory : device->n_extra[kind - KIND_EXTRA];
}

static struct entry entry_of(const struct ert_device_ceilings *device, int kind, size_t i)
{
    struct entry entry = {.kind = kind == KIND_COMPUTE ? "compute" : "memory"};
    if (kind == KIND_COMPUTE) {
        entry.common = &device->compute[i].common;
        snprintf(entry.unit, sizeof entry.unit, "%.5s/s",
                 operation_of(device->compute[i].type));
    } else if (kind == KIND_MEMORY) {
        entry.common = &device->memory[i].common;
        snprintf(entry.unit, sizeof entry.unit, "byte/s");
    } else {
        const struct ert_extra *extra = &device->extra[kind - KIND_EXTRA][i];
        entry.common = &extra->common;
        entry.kind = extra_kinds[kind - KIND_EXTRA];
        memcpy(entry.unit, extra->operation, sizeof entry.unit);
    }
    return entry;
}

static const struct ert_ceiling *find(const struct ert_device_ceilings *device, int kind,
                                      const char *name)
{
    for (size_t i = 0; device && i < count_of(device, kind); i++) {
        struct entry entry = entry_of(device, kind, i);
        if (strcmp(entry.common->name, name) == 0)
            return entry.common;
    }
    return NULL;
}

static struct rfl_range range_of(const struct ert_ceiling *ceiling)
{
    struct rfl_range range = {0};
    if (!ceiling || !(ceiling->value > 0))
        return range;
    range =
        (struct rfl_range){ceiling->value, ceiling->low, ceiling->high, ceiling->n_samples};
    if (!(range.low > 0))
        range.low = range.value;
    if (!(range.high > 0))
        range.high = range.value;
    /* Files of before the intervals were of the runs. */
    if (ceiling->n_runs > 1 && ceiling->n_rounds == 0) {
        range.low = fmin(range.low, ceiling->runs_low);
        range.high = fmax(range.high, ceiling->runs_high);
    }
    return range;
}

static const char *absence_of(const struct ert_device_ceilings *device, const char *name)
{
    for (size_t i = 0; i < device->n_absent; i++)
        if (strcmp(device->absent[i].name, name) == 0)
            return device->absent[i].reason;
    return "";
}

static struct rfl_change change_of(struct rfl_comparison *comparison, const char *group,
                                   const struct entry *entry)
{
    return (struct rfl_change){
        .group = group,
        .kind = entry->kind,
        /* what all GPUs do at once has the name of what one does alone */
        .name = rfl_compare_text(
            comparison, "%s%s", entry->common->name,
            entry->kind == extra_kinds[ERT_EXTRA_TOGETHER] ? " (together)" : ""),
        .unit = rfl_compare_text(comparison, "%s", entry->unit),
        .better = strcmp(entry->unit, "s") == 0 ? RFL_LOWER : RFL_HIGHER,
        .is_headline = true,
    };
}

/*
 * A rate that went with its clock says little of the hardware: the clocks, where they differ by more
 * than they do from sample to sample, and what held them down.
 */
static const char *clock_note(struct rfl_comparison *comparison,
                              const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    const char *held_by = *b->held_by ? b->held_by : a->held_by;
    if (!(a->clock_hz > 0) || !(b->clock_hz > 0) ||
        fabs(b->clock_hz / a->clock_hz - 1) <= 0.005)
        return "";
    return rfl_compare_text(comparison, "clock %.4g, then %.4g GHz (%+.1f %%)%s%s",
                            a->clock_hz / 1e9, b->clock_hz / 1e9,
                            100 * (b->clock_hz / a->clock_hz - 1), *held_by ? ": " : "",
                            held_by);
}

struct pair {
    const struct ert_device_ceilings *a, *b;
    const char *group;
};

/* The ceilings of A with those of B, then those that only B has. */
static enum ert_status compare_kind(const struct pair *pair, int kind,
                                    const struct rfl_compare_options *options,
                                    struct rfl_comparison *comparison,
                                    struct ert_error *error)
{
    for (size_t i = 0; i < count_of(pair->a, kind); i++) {
        struct entry entry = entry_of(pair->a, kind, i);
        const struct ert_ceiling *other = find(pair->b, kind, entry.common->name);
        struct rfl_change change = change_of(comparison, pair->group, &entry);
        change.a = range_of(entry.common);
        change.b = range_of(other);
        change.of_a = entry.common;
        change.of_b = other;
        change.note = other ? clock_note(comparison, entry.common, other)
                            : rfl_compare_text(comparison, "%s",
                                               absence_of(pair->b, entry.common->name));
        ERT_TRY(rfl_compare_add(comparison, options, change, error));
    }
    for (size_t i = 0; i < count_of(pair->b, kind); i++) {
        struct entry entry = entry_of(pair->b, kind, i);
        if (find(pair->a, kind, entry.common->name))
            continue;
        struct rfl_change change = change_of(comparison, pair->group, &entry);
        change.b = range_of(entry.common);
        change.note =
            rfl_compare_text(comparison, "%s", absence_of(pair->a, entry.common->name));
        ERT_TRY(rfl_compare_add(comparison, options, change, error));
    }
    return ERT_OK;
}

static enum ert_device_kind kind_of(const struct ert_ceilings *ceilings, size_t i)
{
    const struct ert_device *device =
        ert_machine_device(ceilings->machine, ceilings->devices[i].device);
    return device ? device->kind : ERT_DEVICE_CPU;
}

/* Which device of B each of A is compared with (SIZE_MAX none): by id, then by kind in order. */
static void match_devices(const struct ert_ceilings *a, const struct ert_ceilings *b,
                          size_t match[ERT_MAX_DEVICES])
{
    bool taken[ERT_MAX_DEVICES] = {false};
    for (size_t i = 0; i < a->n_devices; i++) {
        match[i] = SIZE_MAX;
        for (size_t j = 0; j < b->n_devices; j++)
            if (strcmp(a->devices[i].device, b->devices[j].device) == 0 &&
                kind_of(a, i) == kind_of(b, j))
                match[i] = j;
        if (match[i] != SIZE_MAX)
            taken[match[i]] = true;
    }
    for (size_t i = 0; i < a->n_devices; i++)
        for (size_t j = 0; j < b->n_devices && match[i] == SIZE_MAX; j++)
            if (!taken[j] && kind_of(a, i) == kind_of(b, j)) {
                match[i] = j;
                taken[j] = true;
            }
}

static size_t count_all(const struct ert_device_ceilings *device)
{
    size_t n = 0;
    for (int kind = 0; kind < N_KINDS; kind++)
        n += count_of(device, kind);
    return n;
}

/* A device that one side lacks is one note, not a row for each of its ceilings. */
static void note_alone(struct rfl_comparison *comparison,
                       const struct ert_device_ceilings *device, const char *side)
{
    rfl_compare_note(comparison,
                     rfl_compare_text(comparison, "%s: only in %s, with %zu ceilings",
                                      device->device, side, count_all(device)));
}

enum ert_status rfl_compare_ceilings(const struct ert_ceilings *a,
                                     const struct ert_ceilings *b,
                                     const struct rfl_compare_options *options,
                                     struct rfl_comparison *comparison,
                                     struct ert_error *error)
{
    size_t match[ERT_MAX_DEVICES];
    bool taken[ERT_MAX_DEVICES] = {false};
    ERT_TRY(rfl_compare_machines(a, b, comparison, error));
    match_devices(a, b, match);
    for (size_t i = 0; i < a->n_devices; i++) {
        if (match[i] == SIZE_MAX) {
            note_alone(comparison, &a->devices[i], "A");
            continue;
        }
        taken[match[i]] = true;
        struct pair pair = {&a->devices[i], &b->devices[match[i]], NULL};
        bool is_same = strcmp(pair.a->device, pair.b->device) == 0;
        pair.group =
            is_same ? rfl_compare_text(comparison, "%s", pair.a->device)
                    : rfl_compare_text(comparison, "%s:%s", pair.a->device, pair.b->device);
        rfl_compare_modes(comparison, a, i, b, match[i], pair.group);
        for (int kind = 0; kind < N_KINDS; kind++)
            ERT_TRY(compare_kind(&pair, kind, options, comparison, error));
    }
    for (size_t j = 0; j < b->n_devices; j++)
        if (!taken[j])
            note_alone(comparison, &b->devices[j], "B");
    return ERT_OK;
}

/* "132 SM x 64 lanes x 2 flop x 1.973 GHz (held)", or why the peak of that name is unknown. */
static const char *theory_note(struct rfl_comparison *comparison,
                               const struct ert_device_ceilings *device,
                               const struct ert_ceiling *ceiling)
{
    for (size_t i = 0; i < device->n_peaks; i++) {
        const struct ert_peak *peak = &device->peaks[i];
        if (!(ceiling->theory > 0) && strcmp(peak->name, ceiling->name) == 0 &&
            *peak->unknown)
            return rfl_compare_text(comparison, "%s", peak->unknown);
        if (!(ceiling->theory > 0) || strcmp(peak->name, ceiling->theory_name) != 0 ||
            strcmp(peak->clock, ceiling->theory_clock) != 0)
            continue;
        /* a ceiling is judged at the clock of its own samples, the row is for the device's */
        const char *clock = strstr(peak->formula, "GHz"), *end = peak->formula;
        for (const char *x = peak->formula; (x = strstr(x, " x ")); x += 3)
            end = x;
        if (clock && peak->per_clock > 0 && end < clock)
            return rfl_compare_text(comparison, "%.*s x %.4g GHz (%s)",
                                    (int)(end - peak->formula), peak->formula,
                                    ceiling->theory / peak->per_clock / 1e9, peak->clock);
        return rfl_compare_text(comparison, "%s (%s)", peak->formula, peak->clock);
    }
    if (ceiling->theory > 0)
        return rfl_compare_text(comparison, "%s clock", ceiling->theory_clock);
    return "no theoretical peak is known";
}

/* Undisturbed machines reach more of nearly every peak: less asks for a reason. */
static const double usual_of_theory = 0.7;

enum ert_status rfl_compare_theory(const struct ert_ceilings *ceilings,
                                   const struct rfl_compare_options *options,
                                   struct rfl_comparison *comparison,
                                   struct ert_error *error)
{
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_device_ceilings *device = &ceilings->devices[d];
        for (int kind = 0; kind < N_KINDS; kind++)
            for (size_t i = 0; i < count_of(device, kind); i++) {
                struct entry entry = entry_of(device, kind, i);
                double theory = entry.common->theory;
                /* of latencies, access sizes and the like no peak is known, of none of them */
                if (kind >= KIND_EXTRA && !(theory > 0))
                    continue;
                struct rfl_change change = change_of(
                    comparison, rfl_compare_text(comparison, "%s", device->device), &entry);
                change.a = (struct rfl_range){theory, theory, theory, 0};
                change.b = range_of(entry.common);
                change.verdict = change.b.value > theory                     ? RFL_CHECK
                                 : change.b.value < usual_of_theory * theory ? RFL_LOW
                                                                             : RFL_UNDER;
                change.note = theory_note(comparison, device, entry.common);
                ERT_TRY(rfl_compare_add(comparison, options, change, error));
            }
    }
    return ERT_OK;
}
