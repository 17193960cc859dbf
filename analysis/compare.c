#include "analysis/compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[RFL_N_VERDICTS] = {
    [RFL_SAME] = "same",           [RFL_FASTER] = "faster", [RFL_SLOWER] = "slower",
    [RFL_MORE] = "more",           [RFL_LESS] = "less",     [RFL_ONLY_A] = "only in A",
    [RFL_ONLY_B] = "only in B",    [RFL_CHECK] = "check",   [RFL_UNDER] = "under",
    [RFL_NO_THEORY] = "no theory",
};

const char *rfl_verdict_name(enum rfl_verdict verdict)
{
    return verdict_names[verdict];
}

const char *rfl_compare_text(struct rfl_comparison *comparison, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = rfl_strings_keep(&comparison->strings, text);
    return kept ? kept : "";
}

void rfl_compare_note(struct rfl_comparison *comparison, const char *text)
{
    if (comparison->n_notes < RFL_MAX_COMPARE_NOTES)
        comparison->notes[comparison->n_notes++] = text;
    else
        comparison->notes[RFL_MAX_COMPARE_NOTES - 1] = "more notes are not listed";
}

/*
 * An interval as it would be of many samples. Of few it is their whole range, which falls short: n
 * samples of an even distribution cover (n - 1) / (n + 1) of its width on the mean (order statistics
 * of the uniform distribution). On the fake machine, whose noise is even, 1.0 % of the rows, most of them
 * of five samples, were called changes without this, and 0.1 % with it (noise of 2 % and of 5 %).
 */
static struct rfl_range widened(struct rfl_range range)
{
    enum { MANY = 19 }; /* ceilings.json, interval_of: from there on it holds 90 % */
    if (range.n_samples < 2 || range.n_samples >= MANY)
        return range;
    double more = (range.high - range.low) / (range.n_samples - 1);
    range.low -= more;
    range.high += more;
    return range;
}

static enum rfl_verdict judge(const struct rfl_change *change, double margin)
{
    /* Indexed by whether B is the higher: a latency that rises is slower. */
    static const enum rfl_verdict verdicts[][2] = {
        [RFL_HIGHER] = {RFL_SLOWER, RFL_FASTER},
        [RFL_LOWER] = {RFL_FASTER, RFL_SLOWER},
        [RFL_NEITHER] = {RFL_LESS,   RFL_MORE  },
    };
    const struct rfl_range a = widened(change->a), b = widened(change->b);
    bool is_apart = b.low > a.high || b.high < a.low;
    bool is_higher = b.value > a.value;
    /* relative to A both ways: 3 % less and 3 % more are each 3 % */
    double apart = is_higher ? b.value - a.value : a.value - b.value;
    if (!is_apart || apart <= margin * a.value)
        return RFL_SAME;
    return verdicts[change->better][is_higher];
}

static void finish(struct rfl_change *change, double margin)
{
    bool is_theory = change->verdict == RFL_CHECK || change->verdict == RFL_UNDER;
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
        change->verdict = judge(change, margin);
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
    comparison->counts[change.verdict]++;
    comparison->changes[comparison->n++] = change;
    return ERT_OK;
}

bool rfl_change_below(const struct rfl_change *change, double ratio)
{
    if (!change->is_headline || !(change->speed > 0))
        return false;
    struct rfl_range b = widened(change->b);
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
