/* The text protobuf of a section file; ncu_section.h. */
#include "analysis/export/ncu_section.h"

#include <string.h>

static void collect(FILE *out, const char *name)
{
    fprintf(out, "  Metrics {\n    Name: \"%s\"\n  }\n", name);
}

static void define(FILE *out, const char *name, const char *base, double factor)
{
    fprintf(out,
            "  MetricDefinitions {\n    Name: \"%s\"\n    Expression: \"%s * %.6g\"\n  }\n",
            name, base, factor);
}

/* What ncu must count for the expressions; those of the levels once, not per chart. */
static void write_metrics(FILE *out, const struct rfl_ncu_chart *charts, size_t n)
{
    fputs("Metrics {\n", out);
    for (size_t i = 0; i < charts[0].n_levels; i++)
        if (i == 0 || strcmp(charts[0].levels[i].base, charts[0].levels[i - 1].base) != 0)
            collect(out, charts[0].levels[i].base);
    collect(out, "lts__t_sectors_srcunit_tex.sum.per_second");
    for (size_t i = 0; i < n; i++) {
        static const char *const ops[] = {"add", "mul", "fma"};
        collect(out, charts[i].fma.base);
        if (charts[i].add.factor > 0)
            collect(out, charts[i].add.base);
        for (size_t k = 0; k < 3; k++)
            fprintf(
                out,
                "  Metrics {\n    Name: \"smsp__sass_thread_inst_executed_op_%s%s_pred_on"
                ".sum.per_cycle_elapsed\"\n  }\n",
                charts[i].precision->letter, ops[k]);
    }
    fputs("}\n", out);
}

/* "derived__ert_fp64_fma_achieved" = smsp__...dfma...per_cycle_elapsed * 2, and add and mul. */
static void define_achieved(FILE *out, const struct rfl_ncu_precision *row)
{
    static const char *const ops[] = {"add", "mul", "fma"};
    for (size_t k = 0; k < 3; k++) {
        char name[64], base[96];
        snprintf(name, sizeof name, "derived__ert_%s_%s_achieved", row->type, ops[k]);
        snprintf(base, sizeof base,
                 "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum.per_cycle_elapsed",
                 row->letter, ops[k]);
        define(out, name, base, k == 2 ? row->fma_flops : row->add_flops);
    }
}

static void write_definitions(FILE *out, const struct rfl_ncu_chart *charts, size_t n)
{
    fputs("MetricDefinitions {\n", out);
    for (size_t i = 0; i < charts[0].n_levels; i++)
        define(out, charts[0].levels[i].metric, charts[0].levels[i].base,
               charts[0].levels[i].factor);
    define(out, "derived__ert_l2_bytes_per_second",
           "lts__t_sectors_srcunit_tex.sum.per_second", 32);
    for (size_t i = 0; i < n; i++) {
        define(out, charts[i].fma.metric, charts[i].fma.base, charts[i].fma.factor);
        if (charts[i].add.factor > 0)
            define(out, charts[i].add.metric, charts[i].add.base, charts[i].add.factor);
        define_achieved(out, charts[i].precision);
    }
    fputs("}\n", out);
}

static void write_value(FILE *out, const char *field, const struct rfl_ncu_roof *roof)
{
    fprintf(
        out,
        "        %s {\n          ValueCyclesPerSecondExpression {\n"
        "            ValuePerCycleMetrics {\n              Label: \"%s\"\n"
        "              Name: \"%s\"\n            }\n"
        "            CyclesPerSecondMetric {\n              Name: \"%s\"\n            }\n"
        "          }\n        }\n",
        field, roof->label, roof->metric, roof->clock);
}

static void write_roofline(FILE *out, const struct rfl_ncu_roof *peak,
                           const struct rfl_ncu_roof *level)
{
    fputs("      Rooflines {\n", out);
    write_value(out, "PeakWork", peak);
    write_value(out, "PeakTraffic", level);
    fprintf(out, "        Options {\n          Label: \"%s, %s\"\n        }\n      }\n",
            level->label, peak->label);
}

static void write_achieved(FILE *out, const struct rfl_ncu_chart *chart, size_t level)
{
    static const char *const ops[] = {"add", "mul", "fma"};
    fputs("      AchievedValues {\n        AchievedWork {\n"
          "          ValueCyclesPerSecondExpression {\n",
          out);
    for (size_t k = 0; k < 3; k++)
        fprintf(out,
                "            ValuePerCycleMetrics {\n"
                "              Name: \"derived__ert_%s_%s_achieved\"\n            }\n",
                chart->precision->type, ops[k]);
    fprintf(out,
            "            CyclesPerSecondMetric {\n"
            "              Name: \"smsp__cycles_elapsed.avg.per_second\"\n            }\n"
            "          }\n        }\n        AchievedTraffic {\n          Metric {\n"
            "            Name: \"%s\"\n          }\n        }\n"
            "        Options {\n          Label: \"%.*s achieved\"\n        }\n      }\n",
            chart->traffic[level], (int)strcspn(chart->levels[level].label, " "),
            chart->levels[level].label);
}

static void write_chart(FILE *out, const struct rfl_ncu_chart *chart)
{
    const struct rfl_ncu_roof *memory = &chart->levels[chart->n_levels - 1];
    fprintf(
        out,
        "Body {\n  DisplayName: \"Measured roofline %s\"\n  Items {\n    RooflineChart {\n"
        "      Label: \"Measured roofline, %s\"\n"
        "      AxisIntensity {\n        Label: \"Arithmetic Intensity [FLOP/byte]\"\n"
        "      }\n      AxisWork {\n        Label: \"Performance [FLOP/s]\"\n      }\n",
        chart->precision->label, chart->precision->label);
    for (size_t i = 0; i < chart->n_levels; i++)
        write_roofline(out, &chart->fma, &chart->levels[i]);
    if (chart->add.factor > 0)
        write_roofline(out, &chart->add, memory);
    for (size_t i = 0; i < chart->n_levels; i++)
        write_achieved(out, chart, i);
    fputs("    }\n  }\n}\n", out);
}

static void write_head(FILE *out, const struct ert_ceilings *ceilings, const char *name,
                       const struct rfl_ncu_chart *chart)
{
    fputs("Identifier: \"ErtRoofline\"\n"
          "DisplayName: \"Measured Roofline (ert)\"\n"
          "Description: \"Rooflines of what ",
          out);
    rfl_export_escaped(out, name, "\\\"");
    fprintf(out,
            " attained under ert %s on %s, scaled to the clocks of this profile. Bytes: "
            "l1tex__t_bytes, 32 x lts__t_sectors_srcunit_tex, dram__bytes.\"\n"
            "Order: 13\n"
            "Header {\n",
            ceilings->machine->provenance.tool_version, ceilings->created);
    for (size_t i = 0; i < chart->n_levels; i++)
        fprintf(out,
                "  Metrics {\n    Label: \"Roof %s, per cycle\"\n    Name: \"%s\"\n  }\n",
                chart->levels[i].label, chart->levels[i].metric);
    fprintf(out,
            "  Metrics {\n    Label: \"Roof %s, per cycle\"\n    Name: \"%s\"\n  }\n}\n",
            chart->fma.label, chart->fma.metric);
}

void rfl_ncu_write(FILE *out, const struct ert_ceilings *ceilings, const char *name,
                   const struct rfl_ncu_chart *charts, size_t n)
{
    write_head(out, ceilings, name, &charts[0]);
    write_metrics(out, charts, n);
    write_definitions(out, charts, n);
    for (size_t i = 0; i < n; i++)
        write_chart(out, &charts[i]);
}
