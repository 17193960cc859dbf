/*
 * ncu-section: a section file of Nsight Compute whose hierarchical rooflines are the measured
 * ceilings. Fields and metrics are those of the section files that ship with it
 * (SpeedOfLight_HierarchicalDoubleRooflineChart.section of 2025, text protobuf); Customization
 * Guide, https://docs.nvidia.com/nsight-compute/CustomizationGuide/index.html.
 *
 * A roof of such a chart is a value per cycle times a clock that is counted, so roofs follow the
 * profiled clock when they are given as a fraction of a theoretical value per cycle:
 *   peaks    fraction x op_dfma.sum.peak_sustained x flop of one instruction, clock of the SMs
 *   HBM      fraction x dram__bytes.sum.peak_sustained, clock of the memory
 *   L1, L2   bytes per SM and cycle as measured x device__attribute_multiprocessor_count, clock of
 *            the SMs: no theoretical L2 is published, and the bytes of ncu's own
 *            (lts__lts2xbar_cycles_active x 32) are less than what L2 attains
 * Achieved bytes are those that the ceilings count: l1tex__t_bytes, 32 x
 * lts__t_sectors_srcunit_tex (not lts__t_bytes, which counts what the halves of L2 exchange twice),
 * dram__bytes.
 */
#include "analysis/export/ncu_section.h"

#include <string.h>

#define SM_CLOCK "sm__cycles_elapsed.avg.per_second"

static const struct rfl_ncu_precision precisions[] = {
    {"fp64", "FP64", "d", 1, 2},
    {"fp32", "FP32", "f", 1, 2},
    {"fp16", "FP16", "h", 2, 4},
};
enum { N_PRECISIONS = sizeof precisions / sizeof precisions[0] };

/*
 * The fraction of the theoretical value per clock, so without what a lower clock took; 0 unknown.
 */
static double fraction_of(const struct ert_device_ceilings *device,
                          const struct ert_ceiling *common)
{
    for (size_t i = 0; i < device->n_peaks; i++) {
        const struct ert_peak *peak = &device->peaks[i];
        if (strcmp(peak->name, common->theory_name) == 0 && peak->per_clock > 0 &&
            common->clock_hz > 0 && strcmp(common->theory_clock, "memory") != 0)
            return common->value / common->clock_hz / peak->per_clock;
    }
    return common->fraction_of_theory;
}

static void make_peak(const struct rfl_export_device *device,
                      const struct rfl_ncu_precision *row, const char *op, int flops,
                      struct rfl_ncu_roof *roof)
{
    const struct ert_compute_ceiling *ceiling = rfl_export_compute(device, row->type, op);
    double fraction = ceiling ? fraction_of(device->ceilings, &ceiling->common) : 0;
    *roof = (struct rfl_ncu_roof){.clock = SM_CLOCK, .factor = fraction * flops};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_%s_%s_flops_per_cycle",
             row->type, op);
    snprintf(roof->base, sizeof roof->base,
             "sm__sass_thread_inst_executed_op_%s%s_pred_on.sum.peak_sustained",
             row->letter, op);
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f %% of peak)",
             row->label, strcmp(op, "fma") == 0 ? "FMA" : "no FMA", fraction * 100);
}

/* The roof of a memory: a fraction of the bus. */
static void make_memory(const struct ert_device_ceilings *device,
                        const struct ert_memory_ceiling *ceiling, struct rfl_ncu_roof *roof)
{
    double fraction = fraction_of(device, &ceiling->common);
    *roof = (struct rfl_ncu_roof){.clock = "dram__cycles_elapsed.avg.per_second",
                                  .factor = fraction};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_dram_bytes_per_cycle");
    snprintf(roof->base, sizeof roof->base, "dram__bytes.sum.peak_sustained");
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f %% of peak)",
             ceiling->level, ceiling->pattern, fraction * 100);
}

/* The roof of a cache: bytes per SM and cycle. */
static void make_cache(const struct ert_gpu *gpu, const struct ert_memory_ceiling *ceiling,
                       struct rfl_ncu_roof *roof)
{
    double sms = gpu->n_sms, clock_hz = ceiling->common.clock_hz;
    double per_sm = sms > 0 && clock_hz > 0 ? ceiling->common.value / clock_hz / sms : 0;
    *roof = (struct rfl_ncu_roof){.clock = SM_CLOCK, .factor = per_sm};
    snprintf(roof->metric, sizeof roof->metric, "derived__ert_%s_bytes_per_cycle",
             strcmp(ceiling->level, "L1") == 0 ? "l1" : "l2");
    snprintf(roof->base, sizeof roof->base, "device__attribute_multiprocessor_count");
    snprintf(roof->label, sizeof roof->label, "%s %s measured (%.1f B/clk/SM)",
             ceiling->level, ceiling->pattern, per_sm);
}

static void add_level(const struct rfl_export_device *device, const char *level,
                      const char *traffic, struct rfl_ncu_chart *chart)
{
    const struct ert_memory_ceiling *ceiling =
        level ? rfl_export_level(device, level, NULL) : NULL;
    struct rfl_ncu_roof *roof = &chart->levels[chart->n_levels];
    if (!ceiling)
        return;
    if (strcmp(level, "L1") == 0 || strcmp(level, "L2") == 0)
        make_cache(&device->machine->gpu, ceiling, roof);
    else
        make_memory(device->ceilings, ceiling, roof);
    chart->traffic[chart->n_levels] = traffic;
    chart->n_levels += roof->factor > 0;
}

/* False when there is no peak or no level to draw. */
static bool make_chart(const struct rfl_export_device *device,
                       const struct rfl_ncu_precision *row, struct rfl_ncu_chart *chart)
{
    *chart = (struct rfl_ncu_chart){.precision = row};
    make_peak(device, row, "fma", row->fma_flops, &chart->fma);
    make_peak(device, row, "add", row->add_flops, &chart->add);
    add_level(device, "L1", "l1tex__t_bytes.sum.per_second", chart);
    add_level(device, "L2", "derived__ert_l2_bytes_per_second", chart);
    add_level(device, rfl_export_memory(device), "dram__bytes.sum.per_second", chart);
    return chart->fma.factor > 0 && chart->n_levels > 0;
}

static enum ert_status write(const struct ert_ceilings *ceilings,
                             const struct rfl_points *points,
                             const struct rfl_export_options *options, FILE *out,
                             struct ert_error *error)
{
    struct rfl_export_device device;
    struct rfl_ncu_chart charts[N_PRECISIONS];
    size_t n = 0;
    bool known = !options->type;
    ERT_TRY(rfl_export_no_points(points, "ncu-section", error));
    ERT_TRY(rfl_export_pick(ceilings, options, RFL_EXPORT_FOR_GPU, "ncu-section", &device,
                            error));
    for (size_t i = 0; i < N_PRECISIONS; i++) {
        if (options->type && strcmp(options->type, precisions[i].type) != 0)
            continue;
        known = true;
        n += make_chart(&device, &precisions[i], &charts[n]);
    }
    if (!known)
        return ert_fail(error, ERT_USAGE,
                        "ncu-section: --type %.16s: it has fp64, fp32 and fp16",
                        options->type);
    if (!n)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "ncu-section: %s has no FMA peak with a known theoretical one, or no "
            "level whose clock is known",
            device.ceilings->device);
    rfl_ncu_write(out, ceilings, device.machine->name, charts, n);
    return ERT_OK;
}

const struct rfl_exporter rfl_export_ncu_section = {
    "ncu-section",
    "Nsight Compute: ncu --section-folder DIR --section ErtRoofline, of a GPU", ".section",
    write};
