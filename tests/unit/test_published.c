/* SPDX-License-Identifier: BSD-3-Clause */
/* results/published: the tables of the papers come out of our arithmetic. */
#include "tests/unit/test.h"

#include "analysis/core/place/model.h"
#include "analysis/core/place/place.h"
#include "analysis/core/points/reader.h"
#include "analysis/ext/advice/advice.h"

static struct ert_ceilings ceilings;
static struct rfl_points points;
static struct rfl_placer placer;

static void path_of(const char *name, char path[512])
{
    const char *top = getenv("top_srcdir");
    snprintf(path, 512, "%s/results/published/%s", top ? top : "..", name);
}

static void load(const char *roofs, const char *counts)
{
    struct ert_error error = {ERT_OK, ""};
    const struct rfl_placer_options options = {.device = NULL};
    char path[512];
    path_of(roofs, path);
    if (ert_ceilings_read(path, &ceilings, &error) != ERT_OK)
        fail_msg("%s", error.text);
    path_of(counts, path);
    if (rfl_points_read(path, &points, &error) != ERT_OK)
        fail_msg("%s", error.text);
    if (rfl_placer_open(&ceilings, &points, &options, &placer, &error) != ERT_OK)
        fail_msg("%s", error.text);
}

static int unload(void **state)
{
    rfl_placer_close(&placer);
    rfl_points_free(&points);
    ert_ceilings_free(&ceilings);
    return 0;
}

static struct rfl_placement placed(const char *name, const char *run)
{
    struct rfl_placement placement;
    for (size_t i = 0; i < points.n; i++)
        if (strcmp(points.points[i].name, name) == 0 &&
            strcmp(points.points[i].run, run) == 0) {
            rfl_placer_place(&placer, &points.points[i], &placement);
            return placement;
        }
    fail_msg("no point %s of %s", name, run);
    exit(1);
}

static double theory(uint32_t n_cores, double held_hz, const char *clock)
{
    static struct ert_peak peaks[ERT_MAX_PEAKS];
    size_t n;
    ert_backend_peaks(&ceilings.machine->devices[0], n_cores, held_hz, peaks, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(peaks[i].name, "fp64-fma") == 0 && strcmp(peaks[i].clock, clock) == 0)
            return peaks[i].value;
    return 0;
}

/* arXiv:2008.11326: 58 % FMA of 6.71 TFLOP/s is 5.3; v8 reaches 70 % of it and 55 % of peak. */
static void eight_steps(void **state)
{
    load("v100-8steps-ceilings.json", "v100-8steps.json");
    assert_true(points.n == 18);
    struct rfl_placement v8 = placed("v8", "si214");
    assert_close(v8.placed[v8.n_levels].value, 5.3e12, 0.001);
    assert_close(v8.fraction, 0.70, 0.001);
    assert_close(v8.perf_flop_per_s / 6.71e12, 0.55, 0.006);
    assert_contains(v8.advice, "at 70 % of the roof for its mix, 55 % of the FMA peak");
    struct rfl_placement v0 = placed("v0", "si510");
    assert_close(v0.perf_flop_per_s, 2.216e12, 1e-12);
    assert_contains(v0.advice, "below half of every roof");
    assert_contains(v0.advice, "12 warps per SM of the 12 that its registers allow");
    /* 303.11 and 122.92 GB/s of L2 and HBM (figure 8); for v0 only the machine's balance is printed. */
    assert_close(v8.flops / v8.point->traffic[0].bytes, 3.71e12 / 303.11e9, 1e-4);
    assert_close(v8.flops / v8.point->traffic[1].bytes, 3.71e12 / 122.92e9, 1e-4);
    assert_string_equal(placed("v0", "si214").point->missing[0].what, "bytes");
    assert_true(theory(0, 0, "base") > 6.71e12 && theory(0, 0, "base") < 6.72e12);
}

/* Efficiencies printed for nw = 1 to 6: under HBM up to the ridge of 8.53, under FMA after it. */
static void v100_of_nersc(void **state)
{
    static const double printed[] = {97.36, 91.50, 76.70, 65.44, 65.07, 66.38};
    load("v100-ceilings.json", "v100-gpp-nw.json");
    for (int nw = 1; nw <= 6; nw++) {
        char name[16];
        snprintf(name, sizeof name, "GPP nw=%d", nw);
        struct rfl_placement placement = placed(name, "V100");
        assert_string_equal(placement.bound_name, nw <= 3 ? "HBM" : "FP64");
        assert_close(100 * placement.fraction, printed[nw - 1], 1e-4);
        assert_int_equal(placement.n_levels, 3);
        assert_string_equal(placement.placed[0].traffic->level, "L1");
        assert_string_equal(placement.placed[2].traffic->level, "HBM");
    }
    assert_close(rfl_model_ridge(828.758e9, 7068.86e9), 8.53, 0.001);
    assert_close(theory(0, 0, "boost"), 7.83e12, 0.001);
}

/* STREAM on KNL: 4000000400 flops over SDE's and VTune's bytes. */
static void knl_of_nersc(void **state)
{
    load("knl-ceilings.json", "knl-points.json");
    struct rfl_placement stream = placed("STREAM by SDE and VTune", "KNL");
    assert_close(stream.placed[0].intensity_flop_per_byte, 0.0802, 0.001);
    assert_close(stream.placed[1].intensity_flop_per_byte, 0.0825, 0.001);
    assert_string_equal(stream.bound_name, "MCDRAM");
    assert_true(stream.fraction == 0);
    assert_contains(stream.advice, "MCDRAM would bound it");
    assert_string_equal(placed("GPP nw=1", "KNL").bound_name, "MCDRAM");
    assert_close(theory(64, 1.2e9, "held"), 2.46e12, 0.001);
}

/* The same intensities from numbers typed by hand. */
static void stream_by_hand(void **state)
{
    struct ert_error error = {ERT_OK, ""};
    const struct rfl_hand hand = {.name = "STREAM",
                                  .flops = 4000000400,
                                  .type = "fp64",
                                  .unit = "",
                                  .fma_share = -1,
                                  .bytes = "L1=49869806228,MCDRAM=48511113024"};
    load("knl-ceilings.json", "knl-points.json");
    assert_int_equal(rfl_hand_point(&hand, &points, &error), ERT_OK);
    struct rfl_placement stream = placed("STREAM", "");
    assert_close(stream.placed[0].intensity_flop_per_byte, 0.0802, 0.001);
    assert_close(stream.placed[1].intensity_flop_per_byte, 0.0825, 0.001);
}

/* arXiv:2008.11326, table I: registers per thread and warps per SM of v0 to v8 on a V100. */
static void registers_limit_warps_by_quarters_of_an_sm(void **state)
{
    static const double rows[][2] = {
        {154, 12},
        {160, 12},
        {160, 12},
        {154, 12},
        {170, 8 },
        {136, 12},
        {178, 8 },
        {184, 8 },
        {128, 16}
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        assert_true(rfl_advice_warps(rows[i][0]) == rows[i][1]);
    assert_true(rfl_advice_warps(255) == 8 && rfl_advice_warps(32) == 64);
    assert_true(rfl_advice_warps(33) == 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(eight_steps, unload),
        cmocka_unit_test_teardown(v100_of_nersc, unload),
        cmocka_unit_test_teardown(knl_of_nersc, unload),
        cmocka_unit_test_teardown(stream_by_hand, unload),
        cmocka_unit_test(registers_limit_warps_by_quarters_of_an_sm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
