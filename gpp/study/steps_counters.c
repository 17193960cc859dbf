/* The rules of steps over counters: why a rate moved. */
#include "gpp/study/steps_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of cycles and of accesses that a sentence is worth, in points. */
static const double small_hits = 0.05, small_share = 0.02;
/* Warps waiting per instruction issued: counters of one kernel repeat within a few hundredths. */
static const double small_stall = 0.15;

/* FP64 instructions of all threads. */
static double all_fp64(const struct gpp_study_row *row)
{
    const double *values = row->counted.values;
    return values[GPP_M_DADD] + values[GPP_M_DMUL] + values[GPP_M_DFMA];
}

/* A warp's instruction is a slot of each of its 32 threads. */
double gpp_slots_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return 32 * row->counted.values[GPP_M_INSTRUCTIONS] / all_fp64(row);
}

double gpp_lanes_of(const struct gpp_step *step, const struct gpp_study_row *row)
{
    (void)step;
    return row->counted.values[GPP_M_THREADS];
}

/* What warps wait for, by what the profiler's guide says of each reason. */
static const struct stall {
    enum gpp_metric metric;
    const char *name;
} stalls[] = {
    {GPP_M_STALL_LONG,           "data from L1, L2 or memory (long scoreboard)"         },
    {GPP_M_STALL_SHORT,          "shared memory or special functions (short scoreboard)"},
    {GPP_M_STALL_WAIT,           "a fixed latency (wait)"                               },
    {GPP_M_STALL_MATH,           "a busy arithmetic pipe (math pipe throttle)"          },
    {GPP_M_STALL_BRANCH,         "a branch's target (branch resolving)"                 },
    {GPP_M_STALL_LG,             "the queue of loads (LG throttle)"                     },
    {GPP_M_STALL_NO_INSTRUCTION, "instructions to arrive (no instruction)"              },
    {GPP_M_STALL_BARRIER,        "other warps (barrier)"                                },
    {GPP_M_STALL_IMC,            "constants (IMC miss)"                                 },
};
enum { N_STALLS = sizeof stalls / sizeof stalls[0] };

/* The stall that changed most; N_STALLS when none did. */
static size_t find_moved(const struct gpp_step *step)
{
    const double *was = step->before->counted.values, *is = step->after->counted.values;
    double most = small_stall;
    size_t moved = N_STALLS;
    for (size_t i = 0; i < N_STALLS; i++) {
        double change = fabs(is[stalls[i].metric] - was[stalls[i].metric]);
        if (change > most) {
            most = change;
            moved = i;
        }
    }
    return moved;
}

void gpp_rule_stalls(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const double *was = step->before->counted.values, *is = step->after->counted.values;
    const size_t moved = find_moved(step);
    size_t most = 0;
    if (moved == N_STALLS)
        return;
    for (size_t i = 1; i < N_STALLS; i++)
        if (is[stalls[i].metric] > is[stalls[most].metric])
            most = i;
    gpp_say(text, "Warps waiting per instruction issued: for %s %.2f to %.2f",
            stalls[moved].name, was[stalls[moved].metric], is[stalls[moved].metric]);
    if (most != moved)
        gpp_say(text, "; most now for %s, %.2f, before %.2f", stalls[most].name,
                is[stalls[most].metric], was[stalls[most].metric]);
    gpp_say(text, ".");
}

void gpp_rule_hits(const struct gpp_step *step, char text[GPP_SENTENCE])
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
        if (fabs(after - before) >= small_hits)
            gpp_say(text, "%s%s %.1f to %.1f %%", gpp_joint(text, "Hit rates: "),
                    rows[i].name, 100 * before, 100 * after);
    }
    gpp_say(text, "%s", *text ? "." : "");
}

static double issue_of(const struct gpp_study_row *row)
{
    return row->counted.values[GPP_M_ISSUE];
}

/* Shares of the cycles in which a unit works. */
void gpp_rule_pipe(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    static const struct {
        double (*of)(const struct gpp_study_row *row);
        const char *name;
    } rows[] = {
        {gpp_row_fp64_pipe, "the FP64 pipe is busy in"},
        {issue_of,          "an instruction issues in"}
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double before = rows[i].of(step->before), after = rows[i].of(step->after);
        if (fabs(after - before) >= small_share)
            gpp_say(text, "%s%s %.1f %%, before %.1f %%",
                    gpp_joint(text, "Of the active cycles "), rows[i].name, 100 * after,
                    100 * before);
    }
    gpp_say(text, "%s", *text ? "." : "");
}

void gpp_rule_instructions(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    double before = gpp_slots_of(step, step->before),
           after = gpp_slots_of(step, step->after);
    double old = gpp_per_iteration(step, step->before, all_fp64(step->before)),
           new = gpp_per_iteration(step, step->after, all_fp64(step->after));
    if (gpp_differs(before, after) || gpp_differs(old, new))
        gpp_say(text,
                "FP64 instructions per iteration %.1f to %.1f; issue slots for each, lost "
                "lanes and all other instructions included, %.2f to %.2f.",
                old, new, before, after);
}

void gpp_rule_divergence(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    double before = gpp_lanes_of(step, step->before),
           after = gpp_lanes_of(step, step->after);
    if (fabs(after - before) > 0.5)
        gpp_say(text, "Threads active per instruction %.1f to %.1f of 32: %s divergence.",
                before, after, after > before ? "less" : "more");
}

/* What can raise the share of a roof, and which way. */
static const struct cause {
    const char *name;
    gpp_quantity *of;
    int better; /* 1: more of it, -1: less */
} causes[] = {
    {"warps per SM",                     gpp_warps_of,   1 },
    {"issue slots per FP64 instruction", gpp_slots_of,   -1},
    {"threads active per instruction",   gpp_lanes_of,   1 },
    {"bytes of L1 per iteration",        gpp_l1_of,      -1},
    {"bytes of L2 per iteration",        gpp_l2_of,      -1},
    {"bytes of memory per iteration",    gpp_memory_of,  -1},
    {"threads",                          gpp_threads_of, 1 },
};
enum { N_CAUSES = sizeof causes / sizeof causes[0], MAX_NAMED = 3 };

/* How far a cause moved the way that the share did, as a logarithm; 0 when it did not. */
static double pull(const struct gpp_step *step, const struct cause *cause)
{
    double before = cause->of(step, step->before), after = cause->of(step, step->after);
    if (!gpp_differs(before, after))
        return 0;
    double moved = cause->better * log(after / before);
    return moved * log(step->use) > 0 ? fabs(moved) : 0;
}

/* A cause goes with a change of the share when both moved the same way: what it explains is not known. */
void gpp_rule_causes(const struct gpp_step *step, char text[GPP_SENTENCE])
{
    const char *direction = step->use > 1 ? "higher" : "lower";
    double pulls[N_CAUSES];
    const size_t moved = find_moved(step);
    if (!step->is_significant || !gpp_differs(1, step->use))
        return;
    for (size_t i = 0; i < N_CAUSES; i++)
        pulls[i] = pull(step, &causes[i]);
    for (size_t n = 0; n < MAX_NAMED; n++) {
        size_t most = 0;
        for (size_t i = 1; i < N_CAUSES; i++)
            if (pulls[i] > pulls[most])
                most = i;
        if (pulls[most] == 0)
            break;
        pulls[most] = 0;
        double before = causes[most].of(step, step->before),
               after = causes[most].of(step, step->after);
        if (!*text)
            gpp_say(text, "With the %s share of the roof go ", direction);
        else
            gpp_say(text, ", ");
        gpp_say(text, "%s %.4g to %.4g", causes[most].name, before, after);
    }
    if (moved < N_STALLS) {
        const enum gpp_metric at = stalls[moved].metric;
        bool is_less = step->after->counted.values[at] < step->before->counted.values[at];
        if (is_less == (step->use > 1))
            gpp_say(text, "%s %s waiting for %s",
                    *text ? ", and" : "With the share of the roof goes",
                    is_less ? "less" : "more", stalls[moved].name);
    }
    if (*text)
        gpp_say(text, ".");
    else if (step->before->counted.is_there && step->after->counted.is_there)
        gpp_say(text, "Nothing that was counted says why the share of the roof is %s.",
                direction);
}

void gpp_row_explain(const struct gpp_study *study, const struct gpp_study_row *row,
                     char text[GPP_SENTENCE])
{
    const struct gpp_counts *counts = &row->counts;
    const double *values = row->counted.values, n = gpp_row_iterations(study, row);
    const struct {
        const char *name;
        double counted, formula;
    } kinds[] = {
        {"additions",       values[GPP_M_DADD] / n, counts->all_add},
        {"multiplications", values[GPP_M_DMUL] / n, counts->all_mul},
        {"FMAs",            values[GPP_M_DFMA] / n, counts->all_fma},
    };
    const char *joint = ":";
    *text = '\0';
    if (!(row->counted.flops > 0))
        return;
    gpp_say(text,
            "%s: %.1f operations per iteration counted, %.1f from the formulas (%+.1f %%)",
            row->m.version->name, row->counted.flops / n, counts->flops,
            100 * gpp_row_difference(study, row));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (fabs(kinds[i].counted - kinds[i].formula) >= 0.05) {
            gpp_say(text, "%s %s %+.1f", joint, kinds[i].name,
                    kinds[i].counted - kinds[i].formula);
            joint = ",";
        }
    gpp_say(text, ".");
}
