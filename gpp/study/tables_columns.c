/* The columns of a study's tables: what each writes of a row. */
#include "gpp/study/tables_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(char text[GPP_CELL], double value, const char *format)
{
    char number[48];
    snprintf(text, GPP_CELL, "%s", gpp_text(value, format, number));
}

static void put_count(char text[GPP_CELL], double value)
{
    put(text, value > 0 ? value : NAN, "%.0f");
}

static void put_rate(char text[GPP_CELL], double flop_per_s)
{
    char number[ERT_UNITS_TEXT];
    snprintf(text, GPP_CELL, "%s", ert_units_performance(flop_per_s, number));
}

static void version(const struct gpp_place *at, char text[GPP_CELL])
{
    snprintf(text, GPP_CELL, "%s", at->row->m.version->name);
}

static void energies(const struct gpp_place *at, char text[GPP_CELL])
{
    put_count(text, (double)at->row->nw);
}

static void contraction(const struct gpp_place *at, char text[GPP_CELL])
{
    snprintf(text, GPP_CELL, "%s", at->row->m.options.no_fma ? "no" : "yes");
}

static void time_of(const struct gpp_place *at, char text[GPP_CELL])
{
    char time[ERT_UNITS_TEXT];
    snprintf(text, GPP_CELL, "%s", ert_units_time(at->row->m.time_s, time));
}

/* Half of the interval, of the median. */
static void spread(const struct gpp_place *at, char text[GPP_CELL])
{
    const struct gpp_measurement *m = &at->row->m;
    put(text, 50 * (m->high_s - m->low_s) / m->time_s, "%.1f");
}

static void speedup(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, at->first->m.time_s / at->row->m.time_s, "%.2f");
}

static void step(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, at->before ? at->before->m.time_s / at->row->m.time_s : NAN, "%.2f");
}

static void rate(const struct gpp_place *at, char text[GPP_CELL])
{
    put_rate(text, gpp_row_rate(at->study, at->row));
}

static void flops(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, gpp_row_flops(at->study, at->row) / gpp_row_iterations(at->study, at->row),
        "%.1f");
}

static void formula(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, at->row->counted.flops > 0 ? at->row->counts.flops : NAN, "%.1f");
}

static void difference(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * gpp_row_difference(at->study, at->row), "%+.1f");
}

/* Who counted, where some rows were counted. */
static void source(const struct gpp_place *at, char text[GPP_CELL])
{
    snprintf(text, GPP_CELL, "%s",
             !at->study->has_counters     ? "-"
             : at->row->counted.flops > 0 ? "counted"
                                          : "formulas");
}

static void fma_share(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * gpp_row_fma_share(at->row), "%.1f");
}

static void intensity(const struct gpp_place *at, char text[GPP_CELL])
{
    double value = gpp_row_intensity(at->study, at->row, at->argument);
    put(text, value, value < 1000 ? "%.4g" : "%.0f");
}

static void level_share(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * at->row->placed.level_fractions[at->argument], "%.1f");
}

static void registers(const struct gpp_place *at, char text[GPP_CELL])
{
    put_count(text, at->row->m.facts.registers);
}

static void block(const struct gpp_place *at, char text[GPP_CELL])
{
    put_count(text, at->row->m.facts.block_threads);
}

static void resident(const struct gpp_place *at, char text[GPP_CELL])
{
    put_count(text, at->row->m.facts.warps_per_sm);
}

static void threads(const struct gpp_place *at, char text[GPP_CELL])
{
    put_count(text, at->row->m.facts.threads);
}

static void value(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, at->row->counted.values[at->argument], "%.3g");
}

static void percent(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * at->row->counted.values[at->argument], "%.1f");
}

static void pipe(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * gpp_row_fp64_pipe(at->row), "%.1f");
}

static void mix_share(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * at->row->placed.mix_fraction, "%.1f");
}

static void bound(const struct gpp_place *at, char text[GPP_CELL])
{
    snprintf(text, GPP_CELL, "%s", *at->row->placed.bound ? at->row->placed.bound : "-");
}

static void mix_roof(const struct gpp_place *at, char text[GPP_CELL])
{
    put_rate(text, at->row->placed.mix_flop_per_s);
}

static void attainable(const struct gpp_place *at, char text[GPP_CELL])
{
    put_rate(text, at->row->placed.attainable_flop_per_s);
}

static void bound_share(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, 100 * at->row->placed.fraction, "%.1f");
}

static void error_of(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text, at->row->error, "%.1e");
}

static void per_iteration(const struct gpp_place *at, char text[GPP_CELL])
{
    put(text,
        at->row->counted.values[at->argument] / gpp_row_iterations(at->study, at->row),
        "%.2f");
}

static void formula_kind(const struct gpp_place *at, char text[GPP_CELL])
{
    const struct gpp_counts *counts = &at->row->counts;
    const double kinds[] = {counts->all_add, counts->all_mul, counts->all_fma, counts->div,
                            counts->sqrt};
    put(text, kinds[at->argument], "%.2f");
}

#define S (1u << GPP_TABLE_SHORT)
#define V (1u << GPP_TABLE_VERSIONS)
#define K (1u << GPP_TABLE_KINDS)
#define W (1u << GPP_TABLE_STALLS)
#define E (1u << GPP_TABLE_ENERGIES)
#define R (1u << GPP_TABLE_ROOFS)

const struct gpp_column gpp_columns[] = {
    {"version",        true,  S | V | R | K | W, version,       0                         },
    {"nw",             false, E,                 energies,      0                         },
    {"FMA",            true,  E,                 contraction,   0                         },
    {"time",           false, S | V | E,         time_of,       0                         },
    {"+- %",           false, V | E,             spread,        0                         },
    {"speed-up",       false, S | V,             speedup,       0                         },
    {"step",           false, S | V,             step,          0                         },
    {"rate",           false, S | V | R | E,     rate,          0                         },
    {"flop/it",        false, S | V | E,         flops,         0                         },
    {"formulas",       false, K,                 formula,       0                         },
    {"from",           true,  S | V | R | E,     source,        0                         },
    {"vs formulas %",  false, S | V | K,         difference,    0                         },
    {"FMA %",          false, S | V | E,         fma_share,     0                         },
    {"mix roof",       false, R,                 mix_roof,      0                         },
    {"mix roof %",     false, S | V | R | E,     mix_share,     0                         },
    {"bound by",       true,  V | R | E,         bound,         0                         },
    {"of it %",        false, R,                 bound_share,   0                         },
    {"attainable",     false, R,                 attainable,    0                         },
    {"FP64 pipe %",    false, S | V | E,         pipe,          0                         },
    {"AI L1",          false, V | E,             intensity,     GPP_L1                    },
    {"AI shared",      false, V | E,             intensity,     GPP_SHARED                },
    {"AI L2",          false, V | E,             intensity,     GPP_L2                    },
    {"AI %L",          false, S | V | E,         intensity,     GPP_MEMORY                },
    {"L1 hit %",       false, V,                 percent,       GPP_M_L1_HITS             },
    {"L2 hit %",       false, V,                 percent,       GPP_M_L2_HITS             },
    {"L1 roof %",      false, R | E,             level_share,   GPP_L1                    },
    {"shared roof %",  false, R | E,             level_share,   GPP_SHARED                },
    {"L2 roof %",      false, R | E,             level_share,   GPP_L2                    },
    {"%L roof %",      false, R | E,             level_share,   GPP_MEMORY                },
    {"threads",        false, S | V,             threads,       0                         },
    {"regs",           false, S | V,             registers,     0                         },
    {"block",          false, V,                 block,         0                         },
    {"warps",          false, S | V,             resident,      0                         },
    {"achieved",       false, V,                 value,         GPP_M_WARPS               },
    {"error",          false, S | V | E,         error_of,      0                         },
    {"add counted",    false, K,                 per_iteration, GPP_M_DADD                },
    {"add",            false, K,                 formula_kind,  0                         },
    {"mul counted",    false, K,                 per_iteration, GPP_M_DMUL                },
    {"mul",            false, K,                 formula_kind,  1                         },
    {"FMA counted",    false, K,                 per_iteration, GPP_M_DFMA                },
    {"FMA",            false, K,                 formula_kind,  2                         },
    {"div",            false, K,                 formula_kind,  3                         },
    {"sqrt",           false, K,                 formula_kind,  4                         },
    {"issue %",        false, W,                 percent,       GPP_M_ISSUE               },
    {"threads/inst",   false, W,                 value,         GPP_M_THREADS             },
    {"long sb",        false, W,                 value,         GPP_M_STALL_LONG          },
    {"short sb",       false, W,                 value,         GPP_M_STALL_SHORT         },
    {"wait",           false, W,                 value,         GPP_M_STALL_WAIT          },
    {"math pipe",      false, W,                 value,         GPP_M_STALL_MATH          },
    {"branch",         false, W,                 value,         GPP_M_STALL_BRANCH        },
    {"LG throttle",    false, W,                 value,         GPP_M_STALL_LG            },
    {"no instruction", false, W,                 value,         GPP_M_STALL_NO_INSTRUCTION},
    {"barrier",        false, W,                 value,         GPP_M_STALL_BARRIER       },
    {"IMC miss",       false, W,                 value,         GPP_M_STALL_IMC           },
};
const size_t gpp_n_columns = sizeof gpp_columns / sizeof gpp_columns[0];
