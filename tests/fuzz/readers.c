/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/readers.h"

#include "analysis/core/chart/chart.h"
#include "analysis/core/chart/draw.h"
#include "analysis/core/place/place.h"
#include "analysis/core/place/report.h"
#include "analysis/core/points/reader.h"
#include "analysis/ext/compare/compare.h"
#include "analysis/ext/import/import.h"
#include "analysis/ext/json/json.h"
#include "analysis/ext/record/record.h"
#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/table.h"
#include "ert/core/fit/fit.h"
#include "ert/core/machine/discover.h"
#include "ert/core/machine/machine_json.h"
#include "ert/core/machine/theory.h"
#include "ert/core/sweep/config.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/samples.h"
#include "ert/ext/fleet/fleet.h"
#include "ert/ext/verify/verify.h"
#include "tests/unit/planted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Places points on each device, in all views and all formats of a report. */
static void place(const struct ert_ceilings *ceilings, const struct rfl_points *points)
{
    struct ert_error error;
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct rfl_placer_options options = {.device = ceilings->devices[d].device,
                                                   .force = true};
        struct rfl_placer placer = {0};
        struct rfl_report report = {.placer = &placer, .points = points};
        if (rfl_placer_open(ceilings, points, &options, &placer, &error) != ERT_OK)
            continue;
        for (size_t v = 0; v < rfl_n_views; v++) {
            report.view = rfl_views[v].name;
            report.format = "text";
            rfl_report_write(&report, nowhere(), &error);
        }
        report.view = rfl_views[0].name;
        static const char *const formats[] = {"json", "markdown", "csv"};
        for (size_t i = 0; i < ERT_LENGTH(formats); i++) {
            report.format = formats[i];
            rfl_report_write(&report, nowhere(), &error);
        }
        rfl_placer_close(&placer);
    }
}

static void draw_scene(enum ert_status status, struct rfl_scene *scene)
{
    struct ert_error error;
    if (status == ERT_OK)
        rfl_svg_draw(scene, nowhere(), &error);
    rfl_scene_free(scene);
    free(scene);
}

static void draw_svg(const struct rfl_scene_device *device,
                     const struct rfl_scene_options *options)
{
    struct ert_error error;
    struct rfl_scene *scene = ert_xcalloc(1, sizeof *scene);
    draw_scene(rfl_scene_make(device, options, scene, &error), scene);
}

static void draw_page(const struct rfl_scene_device *device,
                      const struct rfl_scene_options *options)
{
    const struct rfl_page_input input = {device->ceilings, device->index, "ceilings.json"};
    struct ert_error error;
    rfl_page_write(&input, 1, options->points, "/dev/null", &error);
}

/* The chart of each device on one of the canvases, with the points if there are such. */
static void plot(const struct ert_ceilings *ceilings, const struct rfl_points *points,
                 size_t canvas)
{
    static void (*const draw[])(const struct rfl_scene_device *,
                                const struct rfl_scene_options *) = {draw_svg, draw_page};
    const struct rfl_scene_options options = {.trajectory = points != NULL,
                                              .points = points};
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct rfl_scene_device device = {ceilings, d};
        draw[canvas % (sizeof draw / sizeof draw[0])](&device, &options);
    }
}

/* All that is done with points, whoever counted them. */
static void use_points(const struct rfl_points *points)
{
    const struct rfl_compare_options options = {0};
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(PLANTED_BOTH);
    struct rfl_comparison comparison = {0};
    place(&ceilings, points);
    /* A chart takes longer than all else: one, which depends on the file alone. */
    plot(&ceilings, points, points->n ? strlen(points->points[0].name) : 0);
    rfl_compare_points(points, points, &options, &comparison);
    rfl_comparison_free(&comparison);
    rfl_points_print(points, nowhere(), &error);
    ert_ceilings_free(&ceilings);
}

/* All that is done with ceilings, whoever made them. */
static void use_ceilings(const struct ert_ceilings *ceilings)
{
    const struct rfl_hand hand = {.flops = 1e12,
                                  .type = "fp64",
                                  .unit = "core",
                                  .fma_share = -1,
                                  .bytes = "L1=4e12,L2=1e12,DRAM=1e11,NET=1e9",
                                  .time_s = 1};
    const struct rfl_compare_options options = {0};
    struct ert_error error;
    struct rfl_points points = {0};
    ert_ceilings_table(nowhere(), ceilings);
    for (size_t d = 0; d < ceilings->n_devices; d++)
        ert_peaks_table(nowhere(), ceilings->devices[d].peaks,
                        ceilings->devices[d].n_peaks);
    if (rfl_hand_point(&hand, &points, &error) == ERT_OK) {
        place(ceilings, &points);
        plot(ceilings, &points, ceilings->n_devices);
    }
    rfl_points_free(&points);
    for (size_t canvas = 0; canvas < 4; canvas++)
        plot(ceilings, NULL, canvas);
    struct rfl_comparison comparison = {0};
    rfl_compare_ceilings(ceilings, ceilings, &options, &comparison);
    rfl_comparison_free(&comparison);
    ert_ceilings_write("/dev/null", ceilings, &error);
}

/* Gives each point samples, as if it had been measured: the n-th n % slower than the first. */
static void measure(struct ert_samples *samples)
{
    enum { N = ERT_VERIFY_ROUNDS };
    struct ert_error error;
    for (size_t d = 0; d < samples->n_devices; d++)
        for (size_t p = 0; p < samples->devices[d].n_points; p++) {
            struct ert_point *point = &samples->devices[d].points[p];
            point->status = ERT_POINT_MEASURED;
            point->work = (struct ert_work){.bytes_per_pass = 1e9, .flops_per_pass = 1e12};
            for (int i = 0; i < N; i++) {
                const struct ert_sample sample = {.time_s = 1 + 0.01 * i, .passes = 1};
                if (ert_point_add(point, &sample, &error) != ERT_OK)
                    abort();
            }
        }
}

/* `ert verify` on a machine that has the devices of the file, all of them planted. */
static void verify(const struct ert_ceilings *ceilings)
{
    struct ert_error error;
    struct ert_verify_row *rows = NULL;
    size_t n = 0;
    struct ert_samples *now = calloc(2, sizeof *now), *more = now + 1;
    if (!now)
        abort();
    now->machine = *ceilings->machine;
    for (uint32_t d = 0; d < now->machine.n_devices; d++)
        snprintf(now->machine.devices[d].backend, sizeof now->machine.devices[d].backend,
                 "fake");
    if (ert_verify_plan(ceilings, "all", NULL, 0, now, &rows, &n, &error) == ERT_OK) {
        measure(now);
        more->config = now->config;
        ert_verify_compare(rows, n, now, 0.01);
        ert_verify_plan_more(rows, n, now, more);
        measure(more);
        ert_verify_confirm(rows, n, now, more, 0.01, &error);
        for (size_t i = 0; i < n; i++)
            ert_verify_is_open(&rows[i]);
        ert_verify_disturbed(rows, n, &now->devices[0].context.device, ERT_REACH_ALL,
                             "a planted disturbance");
    }
    free(rows);
    ert_samples_free(more);
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
    if (ert_samples_read(file, &samples, &error) == ERT_OK) {
        ert_fit(&samples, &ceilings);
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
    if (rfl_points_read(file, &points, &error) == ERT_OK)
        use_points(&points);
    rfl_points_free(&points);
}

static void read_any(const char *file)
{
    const struct rfl_import_options options = {0};
    struct ert_error error;
    struct rfl_points points = {0};
    if (rfl_import_file(file, NULL, &options, &points, &error) == ERT_OK)
        use_points(&points);
    rfl_points_free(&points);
}

/* What a library writes within the program that is recorded: files of a folder, by their names. */
static void link_in_folder(const char *file, char folder[64], char name[80])
{
    snprintf(folder, 64, "/tmp/readers-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    snprintf(name, 80, "%s/all.1", folder);
    if (symlink(file, name) != 0)
        abort();
}

static void unlink_in_folder(const char *folder, const char *name)
{
    if (unlink(name) != 0 || rmdir(folder) != 0)
        abort();
}

static void read_launches(const char *file)
{
    struct ert_error error;
    struct rfl_launches launches = {.n = 0};
    char folder[64], name[80], base[80];
    char *path = realpath(file, NULL);
    link_in_folder(path ? path : file, folder, name);
    snprintf(base, sizeof base, "%s/all", folder);
    if (rfl_launches_read(base, &launches, &error) == ERT_OK)
        for (size_t i = 0; i < launches.n; i++)
            rfl_launches_spread(&launches.classes[i]);
    unlink_in_folder(folder, name);
    rfl_launches_free(&launches);
    free(path);
}

static void write_fleet(struct ert_fleet *fleet)
{
    struct ert_error error;
    ert_fleet_sort(fleet);
    for (size_t i = 0; i < ERT_N_FLEET_FORMS; i++)
        ert_fleet_forms[i].make(fleet, nowhere(), &error);
    struct ert_strings hosts = ert_fleet_hosts(fleet, ERT_FLEET_DRAINS);
    ert_strings_free(&hosts);
    ert_fleet_status(fleet, &error);
}

/* `ert fleet merge`: lines that are none are passed over. */
static void read_records(const char *file)
{
    struct ert_error error;
    struct ert_fleet fleet;
    ert_fleet_begin(&fleet);
    if (ert_fleet_read(&fleet, file, &error) == ERT_OK) {
        ert_fleet_judge(&fleet, ERT_FLEET_FALSE_ALARMS);
        ert_fleet_judge_network(&fleet);
        write_fleet(&fleet);
    }
    ert_fleet_free(&fleet);
}

static void read_switches(const char *file)
{
    struct ert_error error;
    struct ert_lines lines;
    struct ert_switches switches = {.room_of = 0};
    if (ert_lines_open(file, &lines, &error) != ERT_OK)
        return;
    ert_switches_read(&lines, &switches, &error);
    ert_switches_free(&switches);
    ert_lines_close(&lines);
}

static const struct {
    const char *name;
    void (*read)(const char *file);
} fixed[] = {
    {"ceilings", read_ceilings},
    {"config",   read_config  },
    {"samples",  read_samples },
    {"points",   read_points  },
    {"any",      read_any     },
    {"records",  read_records },
    {"switches", read_switches},
    {"launches", read_launches},
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

/* Each launch by itself, and summed; the sums are used. */
static void import(const struct rfl_importer *importer, const char *file)
{
    for (int list = 0; list < 2; list++) {
        const struct rfl_import_options options = {.list = list != 0};
        struct ert_error error;
        struct rfl_points points = {0};
        if (rfl_import_file(file, importer, &options, &points, &error) == ERT_OK && !list)
            use_points(&points);
        rfl_points_free(&points);
    }
}

void readers_read_bytes(size_t index, const void *data, size_t size)
{
    /* Readers take names of files: one in memory. */
    static char file[64];
    static int descriptor;
    if (!file[0]) {
        descriptor = memfd_create("readers", 0);
        snprintf(file, sizeof file, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != (ssize_t)size)
        abort();
    readers_read(index, file);
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
