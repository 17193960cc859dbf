/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncu-section: a section file of Nsight Compute whose hierarchical rooflines are the measured
 * ceilings. Fields and metrics are those of the section files that ship with it
 * (SpeedOfLight_HierarchicalDoubleRooflineChart.section of 2025, text protobuf); Customization
 * Guide, https://docs.nvidia.com/nsight-compute/CustomizationGuide/index.html.
 *
 * A roof of such a chart is a value per cycle times a counted clock, so that roofs follow the profiled clock
 * if they are given as a fraction of a theoretical value per cycle:
 *   peaks    fraction x op_dfma.sum.peak_sustained x flop of one instruction, clock of the SMs
 *   HBM      fraction x dram__bytes.sum.peak_sustained, clock of the memory
 *   L1, L2   measured bytes per SM and cycle x device__attribute_multiprocessor_count, clock of the SMs: no
 *            theoretical L2 bandwidth is published, and ncu's own number of bytes
 *            (lts__lts2xbar_cycles_active x 32) is less than what L2 attains
 * Achieved bytes are counted as in the ceilings: l1tex__t_bytes, 32 x lts__t_sectors_srcunit_tex (not
 * lts__t_bytes, which counts traffic between the halves of L2 twice), dram__bytes.
 */
#include "analysis/ext/export/export.h"

#include <stdarg.h>
#include <string.h>

/* The names of a type's instructions, and the flops of one thread's instruction. */
struct precision {
    const char *type, *label, *letter;
    int add_flops, fma_flops; /* half precision works on pairs */
};

/* A measured value per cycle: a derived metric, the clock that it follows, its label. */
struct roof {
    char metric[64], base[80], label[96];
    const char *clock;
    double factor; /* metric = base * factor; 0: no such roof */
};

enum { MAX_LEVELS = 3 };

struct chart {
    const struct precision *precision;
    struct roof fma, add;
    size_t n_levels;
    struct roof levels[MAX_LEVELS];
    const char *traffic[MAX_LEVELS]; /* metric of a kernel's bytes per second */
};

static const char *const ops[] = {"add", "mul", "fma"};

#define SM_CLOCK "sm__cycles_elapsed.avg.per_second"

/* Counts the instructions of a type (letter) and operation. */
#define ACHIEVED "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum.per_cycle_elapsed"

static const struct precision precisions[] = {
    {"fp64", "FP64", "d", 1, 2},
    {"fp32", "FP32", "f", 1, 2},
    {"fp16", "FP16", "h", 2, 4},
};
enum { N_PRECISIONS = ERT_LENGTH(precisions) };

/*
 * The fraction of the theoretical value per clock, that is, without the effect of a lower clock; 0 unknown.
 */
static double fraction_of(const struct ert_device_ceilings *device,
                          const struct ert_ceiling *common)
{
    const struct ert_evidence *evidence = common->evidence;
    for (size_t i = 0; i < device->n_peaks; i++) {
        const struct ert_peak *peak = &device->peaks[i];
        if (strcmp(peak->name, evidence->theory_name) == 0 && peak->per_clock > 0 &&
            evidence->clock_hz > 0 && strcmp(evidence->theory_clock, "memory") != 0)
            return common->value / evidence->clock_hz / peak->per_clock;
    }
    return common->fraction_of_theory;
}

static void make_peak(const struct rfl_export_device *device, const struct precision *row,
                      const char *op, int flops, struct roof *roof)
{
    const struct ert_ceiling *ceiling = rfl_export_compute(device, row->type, op);
    double fraction = ceiling ? fraction_of(device->ceilings, ceiling) : 0;
    *roof = (struct roof){.clock = SM_CLOCK, .factor = fraction * flops};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_%s_%s_flops_per_cycle",
             row->type, op);
    snprintf(roof->base, sizeof roof->base,
             "sm__sass_thread_inst_executed_op_%s%s_pred_on.sum.peak_sustained",
             row->letter, op);
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f %% of peak)",
             row->label, strcmp(op, "fma") == 0 ? "FMA" : "no FMA", fraction * 100);
}

/* The roof of a memory: a fraction of the bus bandwidth. */
static void make_memory(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *ceiling, struct roof *roof)
{
    double fraction = fraction_of(device, ceiling);
    *roof =
        (struct roof){.clock = "dram__cycles_elapsed.avg.per_second", .factor = fraction};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_dram_bytes_per_cycle");
    snprintf(roof->base, sizeof roof->base, "dram__bytes.sum.peak_sustained");
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f %% of peak)",
             ceiling->key.level, ceiling->key.pattern, fraction * 100);
}

/* The roof of a cache: bytes per SM and cycle. */
static void ncu_section_make_cache(const struct ert_gpu *gpu,
                                   const struct ert_ceiling *ceiling, struct roof *roof)
{
    double sms = gpu->n_sms, clock_hz = ceiling->evidence->clock_hz;
    double per_sm = sms > 0 && clock_hz > 0 ? ceiling->value / clock_hz / sms : 0;
    *roof = (struct roof){.clock = SM_CLOCK, .factor = per_sm};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_%s_bytes_per_cycle",
             strcmp(ceiling->key.level, "L1") == 0 ? "l1" : "l2");
    snprintf(roof->base, sizeof roof->base, "device__attribute_multiprocessor_count");
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f B/clk/SM)",
             ceiling->key.level, ceiling->key.pattern, per_sm);
}

static void ncu_section_add_level(const struct rfl_export_device *device, const char *level,
                                  const char *traffic, struct chart *chart)
{
    const struct ert_ceiling *ceiling =
        level ? rfl_export_level(device, level, NULL) : NULL;
    struct roof *roof = &chart->levels[chart->n_levels];
    if (!ceiling)
        return;
    if (strcmp(level, "L1") == 0 || strcmp(level, "L2") == 0)
        ncu_section_make_cache(&device->machine->gpu, ceiling, roof);
    else
        make_memory(device->ceilings, ceiling, roof);
    chart->traffic[chart->n_levels] = traffic;
    chart->n_levels += roof->factor > 0;
}

/* False when there is no peak or no level to draw. */
static bool make_chart(const struct rfl_export_device *device, const struct precision *row,
                       struct chart *chart)
{
    *chart = (struct chart){.precision = row};
    make_peak(device, row, "fma", row->fma_flops, &chart->fma);
    make_peak(device, row, "add", row->add_flops, &chart->add);
    ncu_section_add_level(device, "L1", "l1tex__t_bytes.sum.per_second", chart);
    ncu_section_add_level(device, "L2", "derived__ert_l2_bytes_per_second", chart);
    ncu_section_add_level(device, rfl_export_memory(device), "dram__bytes.sum.per_second",
                          chart);
    return chart->fma.factor > 0 && chart->n_levels > 0;
}

__attribute__((format(printf, 2, 3))) static void
ncu_section_collect(FILE *out, const char *format, ...)
{
    va_list arguments;
    fputs("  Metrics {\n    Name: \"", out);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputs("\"\n  }\n", out);
}

static void define(FILE *out, const char *name, const char *base, double factor)
{
    fprintf(out,
            "  MetricDefinitions {\n    Name: \"%s\"\n    Expression: \"%s * %.6g\"\n  }\n",
            name, base, factor);
}

/* The metrics that the expressions need; those of the levels only once, not per chart. */
static void write_metrics(FILE *out, const struct chart *charts, size_t n)
{
    fputs("Metrics {\n", out);
    for (size_t i = 0; i < charts[0].n_levels; i++)
        if (i == 0 || strcmp(charts[0].levels[i].base, charts[0].levels[i - 1].base) != 0)
            ncu_section_collect(out, "%s", charts[0].levels[i].base);
    ncu_section_collect(out, "lts__t_sectors_srcunit_tex.sum.per_second");
    for (size_t i = 0; i < n; i++) {
        ncu_section_collect(out, "%s", charts[i].fma.base);
        if (charts[i].add.factor > 0)
            ncu_section_collect(out, "%s", charts[i].add.base);
        for (size_t k = 0; k < 3; k++)
            ncu_section_collect(out, ACHIEVED, charts[i].precision->letter, ops[k]);
    }
    fputs("}\n", out);
}

static void write_definitions(FILE *out, const struct chart *charts, size_t n)
{
    char name[64], base[96];
    fputs("MetricDefinitions {\n", out);
    for (size_t i = 0; i < charts[0].n_levels; i++)
        define(out, charts[0].levels[i].metric, charts[0].levels[i].base,
               charts[0].levels[i].factor);
    define(out, "derived__ert_l2_bytes_per_second",
           "lts__t_sectors_srcunit_tex.sum.per_second", 32);
    for (size_t i = 0; i < n; i++) {
        const struct precision *row = charts[i].precision;
        define(out, charts[i].fma.metric, charts[i].fma.base, charts[i].fma.factor);
        if (charts[i].add.factor > 0)
            define(out, charts[i].add.metric, charts[i].add.base, charts[i].add.factor);
        for (size_t k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "derived__ert_%s_%s_achieved", row->type, ops[k]);
            snprintf(base, sizeof base, ACHIEVED, row->letter, ops[k]);
            define(out, name, base, k == 2 ? row->fma_flops : row->add_flops);
        }
    }
    fputs("}\n", out);
}

static void ncu_section_write_value(FILE *out, const char *field, const struct roof *roof)
{
    ert_text_print(
        out, ERT_TEXT_QUOTED,
        "        %s {\n          ValueCyclesPerSecondExpression {\n"
        "            ValuePerCycleMetrics {\n              Label: \"%s\"\n"
        "              Name: \"%s\"\n            }\n"
        "            CyclesPerSecondMetric {\n              Name: \"%s\"\n            }\n"
        "          }\n        }\n",
        field, roof->label, roof->metric, roof->clock);
}

static void write_roofline(FILE *out, const struct roof *peak, const struct roof *level)
{
    fputs("      Rooflines {\n", out);
    ncu_section_write_value(out, "PeakWork", peak);
    ncu_section_write_value(out, "PeakTraffic", level);
    ert_text_print(out, ERT_TEXT_QUOTED,
                   "        Options {\n          Label: \"%s, %s\"\n        }\n      }\n",
                   level->label, peak->label);
}

static void write_achieved(FILE *out, const struct chart *chart, size_t level)
{
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

static void write_chart(FILE *out, const struct chart *chart)
{
    const struct roof *memory = &chart->levels[chart->n_levels - 1];
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

static void ncu_section_write_head(FILE *out, const struct ert_ceilings *ceilings,
                                   const char *name, const char *mark,
                                   const struct chart *chart)
{
    ert_text_print(out, ERT_TEXT_QUOTED,
                   "Identifier: \"ErtRoofline\"\n"
                   "DisplayName: \"Measured Roofline (ert)%s\"\n"
                   "Description: \"Rooflines of what %s attained under ert %s on %s, "
                   "scaled to the clocks of this profile. Bytes: "
                   "l1tex__t_bytes, 32 x lts__t_sectors_srcunit_tex, dram__bytes.\"\n"
                   "Order: 13\n"
                   "Header {\n",
                   mark, name, ceilings->machine->provenance.tool_version,
                   ceilings->created);
    for (size_t i = 0; i < chart->n_levels; i++)
        ert_text_print(
            out, ERT_TEXT_QUOTED,
            "  Metrics {\n    Label: \"Roof %s, per cycle\"\n    Name: \"%s\"\n  }\n",
            chart->levels[i].label, chart->levels[i].metric);
    ert_text_print(
        out, ERT_TEXT_QUOTED,
        "  Metrics {\n    Label: \"Roof %s, per cycle\"\n    Name: \"%s\"\n  }\n}\n",
        chart->fma.label, chart->fma.metric);
}

static enum ert_status ncu_section_write(const struct rfl_export *export,
                                         struct ert_error *error)
{
    const struct rfl_export_device *device = &export->devices[0];
    struct chart charts[N_PRECISIONS];
    size_t n = 0;
    bool known = !export->type;
    for (size_t i = 0; i < N_PRECISIONS; i++) {
        if (export->type && strcmp(export->type, precisions[i].type) != 0)
            continue;
        known = true;
        n += make_chart(device, &precisions[i], &charts[n]);
    }
    if (!known)
        return ert_fail(error, ERT_USAGE, "--type %.16s: it has fp64, fp32 and fp16",
                        export->type);
    if (!n)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s has no FMA peak with a known theoretical one, or no level "
                        "whose clock is known",
                        device->ceilings->device);
    ncu_section_write_head(export->out, export->ceilings, device->machine->name,
                           rfl_export_mark(device), &charts[0]);
    write_metrics(export->out, charts, n);
    write_definitions(export->out, charts, n);
    for (size_t i = 0; i < n; i++)
        write_chart(export->out, &charts[i]);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_ncu_section = {
    .name = "ncu-section",
    .summary = "Nsight Compute: ncu --section-folder DIR --section ErtRoofline, of a GPU",
    .extension = ".section",
    .devices = RFL_EXPORT_ONE_GPU,
    .takes_type = true,
    .write = ncu_section_write,
};
