#include "analysis/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[RFL_N_VERDICTS] = {
    [RFL_SAME] = "same",        [RFL_FASTER] = "faster",       [RFL_SLOWER] = "slower",
    [RFL_MORE] = "more",        [RFL_LESS] = "less",           [RFL_ONLY_A] = "only in A",
    [RFL_ONLY_B] = "only in B", [RFL_CHECK] = "check",         [RFL_LOW] = "low",
    [RFL_UNDER] = "under",      [RFL_NO_THEORY] = "no theory", [RFL_UNSURE] = "cannot tell",
};

const char *rfl_verdict_name(enum rfl_verdict verdict)
{
    return verdict_names[verdict];
}

const char *rfl_compare_text(struct rfl_comparison *comparison, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *kept = rfl_strings_vformat(&comparison->strings, format, arguments);
    va_end(arguments);
    return kept ? kept : "";
}

void rfl_compare_note(struct rfl_comparison *comparison, const char *text)
{
    if (comparison->n_notes < RFL_MAX_COMPARE_NOTES)
        comparison->notes[comparison->n_notes++] = text;
    else
        comparison->notes[RFL_MAX_COMPARE_NOTES - 1] = "more notes are not listed";
}

/* The numbers that are compared: rounds where the file has them, else the value and its interval. */
static struct ert_differ_side side_of(const struct rfl_range *range,
                                      const struct ert_ceiling *ceiling)
{
    struct ert_differ_side side = {
        .value = range->value,
        .error = ert_differ_error_of(range->low, range->high, range->value),
        .n_samples = range->n_samples};
    if (!ceiling)
        return side;
    side.rounds = ceiling->rounds;
    side.n = ceiling->n_rounds;
    side.between = ceiling->between;
    side.n_runs = ceiling->n_runs;
    return side;
}

/* A record beside itself, such as a fit done again: not two samples, but one. */
static bool is_identical(const struct rfl_range *a, const struct rfl_range *b)
{
    return a->value == b->value && a->low == b->low && a->high == b->high;
}

static bool is_exact(const struct ert_differ_side *side)
{
    return side->n == 0 && !(side->error > 0);
}

static void judge(struct rfl_change *change, double margin)
{
    static const enum rfl_verdict verdicts[][ERT_N_DIFFER] = {
        [RFL_HIGHER] = {RFL_SAME, RFL_SLOWER, RFL_FASTER, RFL_UNSURE},
        [RFL_LOWER] = {RFL_SAME, RFL_SLOWER, RFL_FASTER, RFL_UNSURE},
        [RFL_NEITHER] = {RFL_SAME, RFL_LESS,   RFL_MORE,   RFL_UNSURE},
    };
    const struct ert_differ_side a = side_of(&change->a, change->of_a),
                                 b = side_of(&change->b, change->of_b);
    enum ert_better better = change->better == RFL_LOWER ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    struct ert_differ differ = ert_differ(&a, &b, better, margin);
    if (is_exact(&a) && is_exact(&b)) {
        /* relative to A both ways: 3 % less and 3 % more are each 3 % */
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
    change->verdict = verdicts[change->better][differ.verdict];
}

static void finish(struct rfl_change *change, double margin)
{
    bool is_theory = change->verdict == RFL_CHECK || change->verdict == RFL_LOW ||
                     change->verdict == RFL_UNDER;
    if (!(change->a.value > 0) || !(change->b.value > 0)) {
        change->verdict = is_theory             ? RFL_NO_THEORY
                          : change->a.value > 0 ? RFL_ONLY_A
                                                : RFL_ONLY_B;
        return;
    }
    change->ratio = change->b.value / change->a.value;
    if (change->better != RFL_NEITHER)
        change->speed = change->better == RFL_HIGHER ? change->ratio : 1 / change->ratio;
    if (!is_theory)
        judge(change, margin);
}

static bool is_wanted(const struct rfl_change *change, const char *only)
{
    char text[1024];
    snprintf(text, sizeof text, "%s/%s", change->group, change->name);
    return !only || strstr(text, only);
}

enum ert_status rfl_compare_add(struct rfl_comparison *comparison,
                                const struct rfl_compare_options *options,
                                struct rfl_change change, struct ert_error *error)
{
    if (!is_wanted(&change, options->only))
        return ERT_OK;
    if (comparison->n == comparison->room) {
        size_t room = comparison->room ? 2 * comparison->room : 256;
        struct rfl_change *grown = realloc(comparison->changes, room * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu rows", room);
        comparison->changes = grown;
        comparison->room = room;
    }
    if (!change.note)
        change.note = "";
    finish(&change, options->margin);
    change.of_a = change.of_b = NULL;
    comparison->counts[change.verdict]++;
    comparison->changes[comparison->n++] = change;
    return ERT_OK;
}

bool rfl_change_below(const struct rfl_change *change, double ratio)
{
    if (!change->is_headline || !(change->speed > 0))
        return false;
    const struct rfl_range b = change->b;
    if (change->better == RFL_LOWER)
        return b.low * ratio > change->a.value;
    return b.high < ratio * change->a.value;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rfl_comparison_median(const struct rfl_comparison *comparison)
{
    size_t n = 0;
    double *speeds = malloc((comparison->n + 1) * sizeof *speeds);
    if (!speeds)
        return 0;
    for (size_t i = 0; i < comparison->n; i++)
        if (comparison->changes[i].is_headline && comparison->changes[i].speed > 0)
            speeds[n++] = comparison->changes[i].speed;
    qsort(speeds, n, sizeof *speeds, compare_doubles);
    double median = n ? (speeds[(n - 1) / 2] + speeds[n / 2]) / 2 : 0;
    free(speeds);
    return median;
}

void rfl_comparison_free(struct rfl_comparison *comparison)
{
    free(comparison->changes);
    rfl_strings_free(&comparison->strings);
    *comparison = (struct rfl_comparison){0};
}
