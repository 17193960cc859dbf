#include "tests/fuzz/readers.h"

#include "analysis/compare.h"
#include "analysis/hand.h"
#include "analysis/import/ert_json.h"
#include "analysis/import/import.h"
#include "analysis/placer.h"
#include "analysis/points_json.h"
#include "analysis/report.h"
#include "analysis/roofline.h"
#include "ert/ceilings/again.h"
#include "ert/ceilings/fit.h"
#include "ert/ceilings/table.h"
#include "ert/sweep/config.h"
#include "ert/sweep/samples.h"
#include "tests/unit/planted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where all output goes. */
static FILE *nowhere(void)
{
    static FILE *out;
    if (!out)
        out = fopen("/dev/null", "w");
    if (!out)
        abort();
    return out;
}

/* Places points on each device, in all formats of a report. */
static void place(const struct ert_ceilings *ceilings, const struct rfl_points *points)
{
    struct ert_error error;
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct rfl_placer_options options = {.device = ceilings->devices[d].device};
        struct rfl_placer placer = {NULL};
        struct rfl_report report = {.placer = &placer, .points = points};
        if (rfl_view_find("hierarchical", &report.view, &error) != ERT_OK)
            abort();
        if (rfl_placer_open(ceilings, points, &options, &placer, &error) != ERT_OK)
            continue;
        for (size_t i = 0; i < RFL_N_REPORT_FORMATS; i++)
            rfl_report_formats[i].write(&report, nowhere(), &error);
        rfl_placer_close(&placer);
    }
}

/* All that is done with ceilings, whoever made them. */
static void use_ceilings(const struct ert_ceilings *ceilings)
{
    const struct rfl_hand hand = {.flops = 1e12,
                                  .type = "fp64",
                                  .unit = "core",
                                  .fma_share = -1,
                                  .bytes = "L1=4e12,L2=1e12,DRAM=1e11",
                                  .time_s = 1};
    struct ert_error error;
    struct rfl_points points = {0};
    ert_ceilings_table(nowhere(), ceilings);
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        ert_peaks_table(nowhere(), ceilings->devices[d].peaks,
                        ceilings->devices[d].n_peaks);
        rfl_plot_text(ceilings, d, true, 80, true, nowhere(), &error);
        rfl_plot_svg(ceilings, d, false, "/dev/null", &error);
    }
    if (rfl_hand_point(&hand, &points, &error) == ERT_OK)
        place(ceilings, &points);
    rfl_points_free(&points);
    const struct rfl_compare_options options = {0};
    struct rfl_comparison comparison = {0};
    if (rfl_compare_ceilings(ceilings, ceilings, &options, &comparison, &error) == ERT_OK)
        rfl_compare_machines(ceilings, ceilings, &comparison, &error);
    rfl_comparison_free(&comparison);
}

/* The pure part of `ert verify`, with the samples that were read as those of now. */
static void verify(const struct ert_ceilings *ceilings)
{
    struct ert_error error;
    struct ert_again_row *rows = NULL;
    size_t n = 0;
    struct ert_samples *now = calloc(1, sizeof *now);
    if (!now)
        abort();
    now->machine = *ceilings->machine;
    bool is_known = true;
    for (uint32_t d = 0; d < now->machine.n_devices; d++)
        is_known = is_known && strcmp(now->machine.devices[d].backend, "fake") == 0;
    if (is_known && ert_again_plan(ceilings, "all", 0, now, &error) == ERT_OK)
        ert_again_compare(ceilings, now, 0.01, &rows, &n, &error);
    free(rows);
    ert_samples_free(now);
    free(now);
}

static void read_ceilings(const char *file)
{
    struct ert_error error;
    struct ert_ceilings ceilings = {0};
    if (ert_ceilings_read(file, &ceilings, &error) == ERT_OK) {
        use_ceilings(&ceilings);
        verify(&ceilings);
    }
    ert_ceilings_free(&ceilings);
}

static void read_config(const char *file)
{
    struct ert_error error;
    struct ert_config config;
    ert_config_default(&config);
    ert_config_read(file, &config, &error);
}

static void read_samples(const char *file)
{
    struct ert_error error;
    struct ert_samples samples = {0};
    struct ert_ceilings ceilings = {0};
    if (ert_samples_read(file, &samples, &error) == ERT_OK &&
        ert_fit(&samples, &ceilings, &error) == ERT_OK) {
        use_ceilings(&ceilings);
        verify(&ceilings);
        ert_ceilings_free(&ceilings);
    }
    ert_samples_free(&samples);
}

static void read_points(const char *file)
{
    struct ert_error error;
    struct rfl_points points = {0};
    if (rfl_points_read(file, &points, &error) == ERT_OK) {
        struct ert_ceilings ceilings = planted_make(PLANTED_BOTH);
        place(&ceilings, &points);
        ert_ceilings_free(&ceilings);
    }
    rfl_points_free(&points);
}

static void read_ert(const char *file)
{
    struct ert_error error;
    struct ert_ceilings ceilings = {0};
    if (rfl_ert_read(file, &ceilings, &error) == ERT_OK) {
        use_ceilings(&ceilings);
        ert_ceilings_free(&ceilings);
    }
}

static void read_any(const char *file)
{
    const struct rfl_import_options options = {0};
    struct ert_error error;
    struct rfl_points points = {0};
    rfl_import_file(file, NULL, &options, &points, &error);
    rfl_points_free(&points);
}

static const struct {
    const char *name;
    void (*read)(const char *file);
} fixed[] = {
    {"ceilings", read_ceilings},
    {"config",   read_config  },
    {"samples",  read_samples },
    {"points",   read_points  },
    {"ert",      read_ert     },
    {"any",      read_any     },
};
enum { N_FIXED = sizeof fixed / sizeof fixed[0] };

const char *readers_name(size_t index)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    if (index < N_FIXED)
        return fixed[index].name;
    return index - N_FIXED < n ? importers[index - N_FIXED]->name : NULL;
}

/* Each launch by itself, and summed. */
static void import(const struct rfl_importer *importer, const char *file)
{
    for (int list = 0; list < 2; list++) {
        const struct rfl_import_options options = {.list = list != 0};
        struct ert_error error;
        struct rfl_points points = {0};
        rfl_import_file(file, importer, &options, &points, &error);
        rfl_points_free(&points);
    }
}

void readers_read(size_t index, const char *file)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    if (index < N_FIXED)
        fixed[index].read(file);
    else
        import(importers[index - N_FIXED], file);
}
