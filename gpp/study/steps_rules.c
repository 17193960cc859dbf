/* The rules of steps: each a function that says one sentence, or none. */
#include "gpp/study/steps_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Parts of a step's logarithm: from here on it is the step, and beyond it works against the rest. */
static const double most_of = 0.75, against = 1.25;

void gpp_say(char text[GPP_SENTENCE], const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, GPP_SENTENCE - used, format, arguments);
    va_end(arguments);
}

const char *gpp_joint(const char *text, const char *first)
{
    return *text ? ", " : first;
}

bool gpp_differs(double before, double after)
{
    return before > 0 && after > 0 && fabs(log(after / before)) > log1p(GPP_SMALL_CHANGE);
}

double gpp_per_iteration(const struct gpp_step *step, const struct gpp_study_row *row,
                         double count)
{
    return count / gpp_row_iterations(step->study, row);
}

static void time_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    char before[ERT_UNITS_TEXT], after[ERT_UNITS_TEXT];
    gpp_say(text, "Time %s to %s: ", ert_units_time(step->before->m.time_s, before),
            ert_units_time(step->after->m.time_s, after));
    if (!step->is_significant)
        gpp_say(text,
                "a factor of %.3f, and the intervals overlap: no change beyond the noise.",
                step->speedup);
    else if (step->speedup >= 1)
        gpp_say(text, "%.2f times as fast.", step->speedup);
    else
        gpp_say(text, "slower, by a factor of %.2f.", 1 / step->speedup);
    if (step->before->m.repeat == 1 || step->after->m.repeat == 1)
        gpp_say(text, " One run tells nothing of the noise.");
}

static void product_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    double before = gpp_flops_of(step, step->before),
           after = gpp_flops_of(step, step->after);
    gpp_say(text,
            "%.2f = %.2f (operations per iteration %.1f to %.1f, %+.1f %%%s) x %.2f (FMA "
            "share %.1f to %.1f %%) x %.2f (share of the roof for that mix).",
            step->speedup, step->operations, before, after, 100 * (after / before - 1),
            step->is_counted ? "" : ", from the formulas", step->mix,
            100 * gpp_step_fma_share(step, step->before),
            100 * gpp_step_fma_share(step, step->after), step->use);
}

/* Which of the factors the step is. */
static void verdict_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const double share = step->operations_share;
    const char *fewer = step->operations >= 1 ? "fewer operations" : "more operations",
               *higher = step->rate >= 1 ? "a higher rate" : "a lower rate";
    if (!step->is_significant || isnan(share))
        return;
    if (!gpp_differs(1, step->operations) && fabs(share) <= 1 - most_of)
        gpp_say(text, "The step is %s: the operations are the same within %.0f %%.", higher,
                100 * GPP_SMALL_CHANGE);
    else if (share > against)
        gpp_say(text, "The step is %s; %s takes a part of it back.", fewer, higher);
    else if (share < 1 - against)
        gpp_say(text, "The step is %s; %s work against it.", higher, fewer);
    else if (share >= most_of)
        gpp_say(text,
                "The step follows the operations: %.0f %% of it (of its logarithm) is %s.",
                fmin(100, 100 * share), fewer);
    else if (share <= 1 - most_of)
        gpp_say(text, "The step is %s: operations are %.0f %% of it (of its logarithm).",
                higher, fmax(0, 100 * share));
    else
        gpp_say(text, "Both: %s are %.0f %% of the step (of its logarithm), %s the rest.",
                fewer, 100 * share, higher);
}

static void division_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_counts *before = &step->before->counts, *after = &step->after->counts;
    if (fabs(before->div + before->sqrt - after->div - after->sqrt) < 0.05)
        return;
    gpp_say(
        text,
        "Divisions or reciprocals %.2f to %.2f, square roots %.2f to %.2f per iteration "
        "(from the formulas).",
        before->div, after->div, before->sqrt, after->sqrt);
}

static void roof_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_placed *before = &step->before->placed, *after = &step->after->placed;
    char was[ERT_UNITS_TEXT], is[ERT_UNITS_TEXT];
    if (!(before->mix_fraction > 0) || !(after->mix_fraction > 0))
        return;
    gpp_say(text,
            "Of the roof for its own mix (%s, now %s) it reaches %.1f %%, before %.1f %%",
            ert_units_performance(before->mix_flop_per_s, was),
            ert_units_performance(after->mix_flop_per_s, is), 100 * after->mix_fraction,
            100 * before->mix_fraction);
    /* "FP64 FMA 58 %" and "FP64 FMA 45 %" are one bound for two mixes. */
    if (strncmp(before->bound, after->bound, 4) != 0 && *before->bound && *after->bound)
        gpp_say(text, "; bound by %s, before by %s", after->bound, before->bound);
    gpp_say(text, ".");
}

static void registers_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_facts *before = &step->before->m.facts, *after = &step->after->m.facts;
    const double was = step->before->counted.values[GPP_M_WARPS],
                 is = step->after->counted.values[GPP_M_WARPS];
    if (before->registers != after->registers)
        gpp_say(text, "Registers per thread %u to %u", before->registers, after->registers);
    if (before->block_threads != after->block_threads)
        gpp_say(text, "%s %u to %u", *text ? ", threads per block" : "Threads per block",
                before->block_threads, after->block_threads);
    if (before->warps_per_sm != after->warps_per_sm)
        gpp_say(text, "%s on an SM %.0f to %.0f",
                *text ? ": room for warps" : "Room for warps", before->warps_per_sm,
                after->warps_per_sm);
    else if (*text && after->warps_per_sm > 0)
        gpp_say(text, ", room for %.0f warps on an SM as before", after->warps_per_sm);
    if (*text && gpp_differs(was, is))
        gpp_say(text, ", on average there %.1f to %.1f", was, is);
    gpp_say(text, "%s", *text ? "." : "");
}

static void threads_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_facts *before = &step->before->m.facts, *after = &step->after->m.facts;
    if (before->threads != after->threads)
        gpp_say(text, "Threads %u to %u.", before->threads, after->threads);
    if (before->is_pinned != after->is_pinned)
        gpp_say(text, "%sThreads are %s.", *text ? " " : "",
                after->is_pinned ? "now pinned" : "no longer pinned");
}

/* "1.6 to 0.05 (-96.9 %)"; what grew many times says how many. */
static void say_change(char text[GPP_SENTENCE], double before, double after)
{
    gpp_say(text, "%.3g to %.3g", before, after);
    if (after < 10 * before)
        gpp_say(text, " (%+.1f %%)", 100 * (after / before - 1));
    else
        gpp_say(text, " (times %.0f)", after / before);
}

static void bytes_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    for (size_t level = 0; level < GPP_N_LEVELS; level++) {
        double before = gpp_step_bytes(step, step->before, level),
               after = gpp_step_bytes(step, step->after, level);
        if (!gpp_differs(before, after))
            continue;
        gpp_say(text, "%s%s ",
                *text ? "; " : "Bytes per iteration: ", gpp_level_name(step->study, level));
        say_change(text, gpp_per_iteration(step, step->before, before),
                   gpp_per_iteration(step, step->after, after));
        gpp_say(text, ", intensity %.4g to %.4g",
                gpp_step_flops(step, step->before) / before,
                gpp_step_flops(step, step->after) / after);
    }
    if (*text)
        gpp_say(text, " FLOP/byte%s.",
                step->is_counted ? "" : " (the least that must cross)");
}

double gpp_flops_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return gpp_per_iteration(step, row, gpp_step_flops(step, row));
}

double gpp_registers_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.registers;
}

double gpp_warps_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.warps_per_sm;
}

double gpp_threads_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.threads;
}

double gpp_l1_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return gpp_per_iteration(step, row, gpp_step_bytes(step, row, GPP_L1));
}

double gpp_shared_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return gpp_per_iteration(step, row, gpp_step_bytes(step, row, GPP_SHARED));
}

double gpp_l2_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return gpp_per_iteration(step, row, gpp_step_bytes(step, row, GPP_L2));
}

double gpp_memory_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return gpp_per_iteration(step, row, gpp_step_bytes(step, row, GPP_MEMORY));
}

/* Of these one is named as the one that changed most. */
static const struct resource {
    const char *name;
    gpp_quantity *of;
} resources[] = {
    {"operations per iteration", gpp_flops_of    },
    {"registers per thread",     gpp_registers_of},
    {"warps per SM",             gpp_warps_of    },
    {"threads",                  gpp_threads_of  },
    {"bytes of L1",              gpp_l1_of       },
    {"bytes of shared memory",   gpp_shared_of   },
    {"bytes of L2",              gpp_l2_of       },
    {"bytes of memory",          gpp_memory_of   },
};

static void most_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct resource *most = NULL;
    double factor = 1 + GPP_SMALL_CHANGE;
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
        double before = resources[i].of(step, step->before),
               after = resources[i].of(step, step->after);
        if (gpp_differs(before, after) && fabs(log(after / before)) > fabs(log(factor))) {
            most = &resources[i];
            factor = after / before;
        }
    }
    if (most)
        gpp_say(text, "Changed most: %s, times %.*f.", most->name, factor < 10 ? 3 : 0,
                factor);
    else
        gpp_say(text,
                "Neither operations nor any resource that was counted changed by more than "
                "%.0f %%.",
                100 * GPP_SMALL_CHANGE);
}

static void (*const rules[])(const struct gpp_step *step, char text[GPP_SENTENCE]) = {
    time_rule,     product_rule,    verdict_rule,        gpp_rule_causes,
    most_rule,     division_rule,   roof_rule,           bytes_rule,
    gpp_rule_hits, registers_rule,  threads_rule,        gpp_rule_instructions,
    gpp_rule_pipe, gpp_rule_stalls, gpp_rule_divergence,
};

void gpp_step_explain(const struct gpp_step *step, struct gpp_sentences *sentences)
{
    sentences->n = 0;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        char *text = sentences->texts[sentences->n];
        *text = '\0';
        rules[i](step, text);
        sentences->n += *text != '\0';
    }
}
