/* The rules of steps: each a function that says one sentence, or none. */
#include "gpp/study/steps.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Below this a factor is not worth a word, and below that a share, in points. */
static const double small_change = 0.05, small_points = 0.01;
/* Warps waiting per instruction issued: counters of one kernel repeat within a few hundredths. */
static const double small_stall = 0.15;
/* Parts of a step's logarithm: from here on it is the step, and beyond it works against the rest. */
static const double most_of = 0.75, against = 1.25;

static void say(char text[GPP_SENTENCE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends. */
static void say(char text[GPP_SENTENCE], const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, GPP_SENTENCE - used, format, arguments);
    va_end(arguments);
}

static bool differs(double before, double after)
{
    return before > 0 && after > 0 && fabs(log(after / before)) > log1p(small_change);
}

/* "172.3 to 137.0 (-20.5 %)" */
static void say_change(char text[GPP_SENTENCE], double before, double after, int digits)
{
    say(text, "%.*f to %.*f (%+.1f %%)", digits, before, digits, after,
        100 * (after / before - 1));
}

static double per_iteration(const struct gpp_step *step, const struct gpp_study_row *row,
                            double count)
{
    return count / gpp_row_iterations(step->study, row);
}

static void time_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    char before[ERT_UNITS_TEXT], after[ERT_UNITS_TEXT];
    say(text, "Time %s to %s: ", ert_units_time(step->before->m.time_s, before),
        ert_units_time(step->after->m.time_s, after));
    if (!step->is_significant)
        say(text,
            "a factor of %.3f, and the intervals overlap: no change beyond the noise.",
            step->speedup);
    else if (step->speedup >= 1)
        say(text, "%.2f times as fast.", step->speedup);
    else
        say(text, "slower, by a factor of %.2f.", 1 / step->speedup);
}

static void product_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const bool is_counted =
        step->before->counted.flops > 0 && step->after->counted.flops > 0;
    say(text, "%.2f = %.2f x %.2f x %.2f: operations per iteration ", step->speedup,
        step->operations, step->mix, step->use);
    say_change(
        text, per_iteration(step, step->before, gpp_row_flops(step->study, step->before)),
        per_iteration(step, step->after, gpp_row_flops(step->study, step->after)), 1);
    say(text, "%s, FMA share %.1f to %.1f %%, share of the roof for that mix %+.1f %%.",
        is_counted ? "" : " from the formulas", 100 * gpp_row_fma_share(step->before),
        100 * gpp_row_fma_share(step->after), 100 * (step->use - 1));
}

/* Which of the factors the step is. */
static void verdict_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const double share = step->operations_share;
    const char *fewer = step->operations >= 1 ? "fewer operations" : "more operations",
               *higher = step->rate >= 1 ? "a higher rate" : "a lower rate";
    if (!step->is_significant || isnan(share))
        return;
    if (share > against)
        say(text, "The step is %s; %s takes a part of it back.", fewer, higher);
    else if (share < 1 - against)
        say(text, "The step is %s; %s work against it.", higher, fewer);
    else if (share >= most_of)
        say(text,
            "The step follows the operations: %.0f %% of it (of its logarithm) is %s.",
            fmin(100, 100 * share), fewer);
    else if (share <= 1 - most_of)
        say(text, "The step is %s: operations are %.0f %% of it (of its logarithm).",
            higher, fmax(0, 100 * share));
    else
        say(text, "Both: %s are %.0f %% of the step (of its logarithm), %s the rest.",
            fewer, 100 * share, higher);
}

static void division_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_counts *before = &step->before->counts, *after = &step->after->counts;
    if (fabs(before->div + before->sqrt - after->div - after->sqrt) < 0.05)
        return;
    say(text,
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
    say(text, "Of the roof for its own mix (%s, now %s) it reaches %.1f %%, before %.1f %%",
        ert_units_performance(before->mix_flop_per_s, was),
        ert_units_performance(after->mix_flop_per_s, is), 100 * after->mix_fraction,
        100 * before->mix_fraction);
    /* "FP64 FMA 58 %" and "FP64 FMA 45 %" are one bound for two mixes. */
    if (strncmp(before->bound, after->bound, 4) != 0 && *before->bound && *after->bound)
        say(text, "; bound by %s, before by %s", after->bound, before->bound);
    say(text, ".");
}

static void registers_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_facts *before = &step->before->m.facts, *after = &step->after->m.facts;
    const double *was = step->before->counted.values, *is = step->after->counted.values;
    if (before->registers == after->registers &&
        before->warps_per_sm == after->warps_per_sm &&
        before->block_threads == after->block_threads)
        return;
    say(text,
        "Registers %u to %u per thread, threads per block %u to %u: %.0f to %.0f warps "
        "fit on an SM",
        before->registers, after->registers, before->block_threads, after->block_threads,
        before->warps_per_sm, after->warps_per_sm);
    if (was[GPP_M_WARPS] > 0 && is[GPP_M_WARPS] > 0)
        say(text, ", %.1f to %.1f were there on average", was[GPP_M_WARPS],
            is[GPP_M_WARPS]);
    say(text, ".");
}

static void threads_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct gpp_facts *before = &step->before->m.facts, *after = &step->after->m.facts;
    if (before->threads != after->threads)
        say(text, "Threads %u to %u.", before->threads, after->threads);
    if (before->is_pinned != after->is_pinned)
        say(text, "%sThreads are %s.", *text ? " " : "",
            after->is_pinned ? "now pinned" : "no longer pinned");
}

static void bytes_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    for (size_t level = 0; level < GPP_N_LEVELS; level++) {
        double before = gpp_row_bytes(step->before, level),
               after = gpp_row_bytes(step->after, level);
        if (!differs(before, after))
            continue;
        say(text, "%s%s ", *text ? "; " : "Bytes per iteration at ",
            gpp_level_name(step->study, level));
        say(text, "%.3g to %.3g (%+.1f %%), intensity %.3g to %.3g",
            per_iteration(step, step->before, before),
            per_iteration(step, step->after, after), 100 * (after / before - 1),
            gpp_row_intensity(step->study, step->before, level),
            gpp_row_intensity(step->study, step->after, level));
    }
    if (*text)
        say(text, " FLOP/byte%s.",
            step->after->counted.is_there ? "" : " (the least that must cross)");
}

static void hits_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    static const struct {
        enum gpp_metric metric;
        const char *name;
    } rows[] = {
        {GPP_M_L1_HITS, "L1"},
        {GPP_M_L2_HITS, "L2"}
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double before = step->before->counted.values[rows[i].metric],
               after = step->after->counted.values[rows[i].metric];
        if (fabs(after - before) > 2 * small_points)
            say(text, "%s%s %.1f to %.1f %%", *text ? ", " : "Hit rates: ", rows[i].name,
                100 * before, 100 * after);
    }
    if (*text)
        say(text, ".");
}

/* Two metrics that are shares of the cycles. */
static void pipe_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    static const struct {
        enum gpp_metric metric;
        const char *name;
    } rows[] = {
        {GPP_M_FP64_PIPE,  "the FP64 pipe is busy in"},
        {GPP_M_FP64_ISSUE, "FP64 instructions fill"  },
        {GPP_M_ISSUE,      "schedulers issue in"     }
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double before = step->before->counted.values[rows[i].metric],
               after = step->after->counted.values[rows[i].metric];
        if (fabs(after - before) > small_points)
            say(text, "%s%s %.1f %%, before %.1f %%",
                *text ? "; " : "Of the active cycles ", rows[i].name, 100 * after,
                100 * before);
    }
    if (*text)
        say(text, ".");
}

static void instructions_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const double *was = step->before->counted.values, *is = step->after->counted.values;
    /* Threads' instructions: of a warp's, times 32. */
    double before = per_iteration(step, step->before, 32 * was[GPP_M_INSTRUCTIONS]),
           after = per_iteration(step, step->after, 32 * is[GPP_M_INSTRUCTIONS]);
    double old = per_iteration(step, step->before,
                               was[GPP_M_DADD] + was[GPP_M_DMUL] + was[GPP_M_DFMA]),
           new = per_iteration(step, step->after,
                               is[GPP_M_DADD] + is[GPP_M_DMUL] + is[GPP_M_DFMA]);
    if (!differs(before, after) || !(old > 0) || !(new > 0))
        return;
    say(text, "Issue slots per iteration and thread ");
    say_change(text, before, after, 1);
    say(text, ", of them FP64 %.1f to %.1f.", old, new);
}

static void divergence_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    double before = step->before->counted.values[GPP_M_THREADS],
           after = step->after->counted.values[GPP_M_THREADS];
    if (fabs(after - before) > 0.5)
        say(text, "Threads active per instruction %.1f to %.1f of 32: %s divergence.",
            before, after, after > before ? "less" : "more");
}

/* What warps wait for, by what the counters' documentation says of it. */
static const struct stall {
    enum gpp_metric metric;
    const char *name;
} stalls[] = {
    {GPP_M_STALL_LONG,           "data of L1, L2 or memory (long scoreboard)"       },
    {GPP_M_STALL_SHORT,          "shared memory or special units (short scoreboard)"},
    {GPP_M_STALL_WAIT,           "a fixed latency (wait)"                           },
    {GPP_M_STALL_MATH,           "a busy arithmetic pipe (math pipe throttle)"      },
    {GPP_M_STALL_BRANCH,         "a branch's target (branch resolving)"             },
    {GPP_M_STALL_LG,             "the queue of loads (LG throttle)"                 },
    {GPP_M_STALL_NO_INSTRUCTION, "instructions (no instruction)"                    },
    {GPP_M_STALL_BARRIER,        "other warps (barrier)"                            },
    {GPP_M_STALL_IMC,            "constants (IMC miss)"                             },
};
enum { N_STALLS = sizeof stalls / sizeof stalls[0] };

static void stalls_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const double *was = step->before->counted.values, *is = step->after->counted.values;
    size_t moved = N_STALLS, most = N_STALLS;
    for (size_t i = 0; i < N_STALLS; i++) {
        const enum gpp_metric at = stalls[i].metric;
        double change = fabs(is[at] - was[at]);
        if (change > small_stall &&
            (moved == N_STALLS ||
             change > fabs(is[stalls[moved].metric] - was[stalls[moved].metric])))
            moved = i;
        if (is[at] > 0 && (most == N_STALLS || is[at] > is[stalls[most].metric]))
            most = i;
    }
    if (moved == N_STALLS)
        return;
    say(text, "Warps waiting per instruction issued: for %s %.2f to %.2f",
        stalls[moved].name, was[stalls[moved].metric], is[stalls[moved].metric]);
    if (most != moved && most < N_STALLS)
        say(text, "; now most for %s, %.2f, before %.2f", stalls[most].name,
            is[stalls[most].metric], was[stalls[most].metric]);
    say(text, ".");
}

/* Resources of which one is named as the one that changed most. */
static double flops_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    return per_iteration(step, row, gpp_row_flops(step->study, row));
}

static double registers_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.registers;
}

static double warps_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.warps_per_sm;
}

static double threads_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->m.facts.threads;
}

static double l1_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return gpp_row_bytes(row, GPP_L1);
}

static double l2_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return gpp_row_bytes(row, GPP_L2);
}

static double memory_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return gpp_row_bytes(row, GPP_MEMORY);
}

static const struct resource {
    const char *name;
    double (*of)(const struct gpp_step *step, const struct gpp_study_row *row);
} resources[] = {
    {"operations per iteration", flops_of    },
    {"registers per thread",     registers_of},
    {"warps per SM",             warps_of    },
    {"threads",                  threads_of  },
    {"L1 bytes",                 l1_of       },
    {"L2 bytes",                 l2_of       },
    {"bytes of memory",          memory_of   },
};

static void most_rule(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const struct resource *most = NULL;
    double factor = 1 + small_change;
    for (size_t i = 0; i < sizeof resources / sizeof resources[0]; i++) {
        double before = resources[i].of(step, step->before),
               after = resources[i].of(step, step->after);
        if (differs(before, after) && fabs(log(after / before)) > fabs(log(factor))) {
            most = &resources[i];
            factor = after / before;
        }
    }
    if (most)
        say(text, "Changed most: %s, times %.3g.", most->name, factor);
    else
        say(text,
            "Neither operations nor any resource that was counted changed by more than "
            "%.0f %%.",
            100 * small_change);
}

static void (*const rules[])(const struct gpp_step *step, char text[GPP_SENTENCE]) = {
    time_rule,  product_rule, verdict_rule,    division_rule, roof_rule,
    bytes_rule, hits_rule,    registers_rule,  threads_rule,  instructions_rule,
    pipe_rule,  stalls_rule,  divergence_rule, most_rule,
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

void gpp_row_explain(const struct gpp_study *study, const struct gpp_study_row *row,
                     char text[GPP_SENTENCE])
{
    const struct gpp_counts *counts = &row->counts;
    const double *values = row->counted.values, n = gpp_row_iterations(study, row);
    const struct {
        const char *name;
        double counted, formula, weight;
    } kinds[] = {
        {"additions",       values[GPP_M_DADD] / n, counts->all_add, 1},
        {"multiplications", values[GPP_M_DMUL] / n, counts->all_mul, 1},
        {"FMAs",            values[GPP_M_DFMA] / n, counts->all_fma, 2},
    };
    const char *before = ":";
    *text = '\0';
    if (!(row->counted.flops > 0))
        return;
    say(text,
        "%s: %.1f operations per iteration counted, %.1f from the formulas (%+.1f %%)",
        row->m.version->name, row->counted.flops / n, counts->flops,
        100 * gpp_row_difference(study, row));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (fabs(kinds[i].counted - kinds[i].formula) >= 0.05) {
            say(text, "%s %s %+.1f", before, kinds[i].name,
                kinds[i].counted - kinds[i].formula);
            before = ",";
        }
    say(text, ".");
}
