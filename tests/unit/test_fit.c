/* SPDX-License-Identifier: BSD-3-Clause */
/* fit: which samples make a ceiling, and what stands beside its value. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/fit/fit.h"

enum { MAX_POINTS = 4, MAX_SAMPLES = 32 };

struct fit_rig {
    struct ert_samples samples;
    struct ert_point points[MAX_POINTS];
    struct ert_sample sample[MAX_POINTS][MAX_SAMPLES];
    struct ert_ceilings ceilings;
};

/* An H200 whose only kernel is fma_fp64. */
static struct fit_rig *make_rig(void)
{
    struct fit_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    struct ert_device *device = &rig->samples.machine.devices[0];
    rig->samples.machine.n_devices = 1;
    *device = (struct ert_device){
        .id = "gpu0", .backend = "cuda", .kind = ERT_DEVICE_GPU, .base_hz = 1.98e9};
    device->gpu.cc_major = 9;
    device->gpu.n_sms = 132;
    device->gpu.max_threads_per_sm = 2048;
    rig->samples.n_devices = 1;
    snprintf(rig->samples.devices[0].device, sizeof rig->samples.devices[0].device, "gpu0");
    rig->samples.devices[0].points = rig->points;
    rig->samples.devices[0].context.device = *device;
    return rig;
}

/* A variant of a kernel with n samples of `rate` flop/s, every other one 1 % faster or slower. */
static void add_variant_of(struct fit_rig *rig, enum ert_kernel_id kernel, const char *name,
                           double rate, size_t n, double hz)
{
    size_t p = rig->samples.devices[0].n_points++;
    struct ert_point *point = &rig->points[p];
    point->section = ERT_SECTION_COMPUTE;
    point->spec = (struct ert_spec){.kernel = kernel, .path = ERT_PATH_NONE};
    point->work.flops_per_pass = 1e9;
    point->status = ERT_POINT_MEASURED;
    snprintf(point->variant.name, sizeof point->variant.name, "%s", name);
    point->samples = rig->sample[p];
    point->n_samples = n;
    for (size_t i = 0; i < n; i++) {
        double off = i == 0 ? 0 : i % 2 ? 0.01 : -0.01;
        rig->sample[p][i] = (struct ert_sample){
            .time_s = 1e9 / (rate * (1 + off)), .passes = 1, .clock_hz = hz};
    }
}

static void add_variant(struct fit_rig *rig, const char *name, double rate, size_t n,
                        double hz)
{
    add_variant_of(rig, ERT_KERNEL_fma_fp64, name, rate, n, hz);
}

static const struct ert_ceiling *fit(struct fit_rig *rig)
{
    ert_fit(&rig->samples, &rig->ceilings);
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_COMPUTE), 1);
    return compute_at(&rig->ceilings.devices[0], 0);
}

static void free_rig(struct fit_rig *rig)
{
    ert_ceilings_free(&rig->ceilings);
    free(rig);
}

/* One lucky sample does not beat a configuration that was measured fifteen times. */
static void few_samples_do_not_win(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant(rig, "lucky", 33.4e12, 1, 1.98e9);
    add_variant(rig, "steady", 33.0e12, 15, 1.98e9);
    const struct ert_ceiling *ceiling = fit(rig);
    assert_string_equal(ceiling->evidence->launch.name, "steady");
    assert_close(ceiling->value, 33.33e12, 1e-9); /* five of its samples are 1 % faster */
    assert_int_equal(ceiling->evidence->n_samples, 15);
    free_rig(rig);
}

/* What settles early gets no more samples; what is noisy gets many, and is slower all the same. */
static void what_settled_early_wins(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant(rig, "noisy", 4e12, 27, 1.98e9);
    add_variant(rig, "settled", 33e12, 8, 1.98e9);
    assert_string_equal(fit(rig)->evidence->launch.name, "settled");
    free_rig(rig);
}

/* Two variants within the error of the estimate are one measurement; a third, 5 % slower, is not. */
static void tied_variants_are_pooled(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant(rig, "a", 33.00e12, 15, 1.98e9);
    add_variant(rig, "b", 32.95e12, 15, 1.98e9);
    add_variant(rig, "c", 31.50e12, 15, 1.98e9);
    const struct ert_ceiling *ceiling = fit(rig);
    assert_string_equal(ceiling->evidence->launch.name, "a");
    assert_int_equal(ceiling->evidence->n_samples, 30);
    assert_true(ceiling->value >= 33.27e12 && ceiling->value <= 33.33e12);
    assert_close(ceiling->evidence->best, 33.33e12, 1e-6);
    free_rig(rig);
}

/* The theory is taken at the clock that was held: 132 x 64 x 2 x 1.5 GHz. */
static void theory_is_at_the_held_clock(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant(rig, "a", 25e12, 15, 1.5e9);
    const struct ert_ceiling *ceiling = fit(rig);
    assert_close(ceiling->theory, 132 * 64 * 2 * 1.5e9, 1e-9);
    assert_close(ceiling->fraction_of_theory, 1.01 * 25e12 / (132 * 64 * 2 * 1.5e9), 1e-9);
    assert_contains(ceiling->evidence->warning, "the clock fell to 1.500 GHz");
    assert_false(rig->ceilings.devices[0].valid);
    free_rig(rig);
}

/* Nothing is clipped: a ceiling above its theory stays, and is marked if its interval is above, too. */
static void above_theory_is_kept_and_marked(void **state)
{
    const double theory = 132 * 64 * 2 * 1.98e9;
    struct fit_rig *rig = make_rig();
    add_variant(rig, "a", 1.003 * theory, 15, 1.98e9);
    const struct ert_ceiling *inside = fit(rig);
    assert_true(inside->fraction_of_theory > 1.01 && inside->low < 1.01 * theory);
    assert_string_equal(inside->evidence->warning, "");
    free_rig(rig);

    rig = make_rig();
    add_variant(rig, "a", 40e12, 15, 1.98e9);
    const struct ert_ceiling *ceiling = fit(rig);
    assert_close(ceiling->value, 1.01 * 40e12, 1e-9);
    assert_true(ceiling->fraction_of_theory > 1.19);
    assert_int_equal(ceiling->confidence, ERT_CONFIDENCE_LOW);
    assert_contains(ceiling->evidence->warning, "above its theoretical peak");
    free_rig(rig);
}

/* A kernel without a sample is not measured, with the reason of its point. */
static void zeros_are_marked(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant_of(rig, ERT_KERNEL_mma_fp16, "m16n8k16", 600e12, 20, 1.8e9);
    add_variant(rig, "8 chains", 33e12, 20, 1.98e9);
    rig->samples.config.tensor_zeros = 1;
    ert_fit(&rig->samples, &rig->ceilings);
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_COMPUTE), 2);
    for (int i = 0; i < 2; i++) {
        const struct ert_ceiling *ceiling = compute_at(&rig->ceilings.devices[0], i);
        bool is_tensor = strcmp(ceiling->key.unit, "tensor") == 0;
        assert_int_equal(strstr(ceiling->evidence->warning, "zeros") != NULL, is_tensor);
        assert_int_equal(ceiling->confidence == ERT_CONFIDENCE_LOW, is_tensor);
    }
    ert_ceilings_free(&rig->ceilings);
    rig->samples.config.tensor_zeros = 0;
    ert_fit(&rig->samples, &rig->ceilings);
    for (int i = 0; i < 2; i++)
        assert_null(
            strstr(compute_at(&rig->ceilings.devices[0], i)->evidence->warning, "zeros"));
    free_rig(rig);
}

static void nothing_measured_is_not_measured_and_says_why(void **state)
{
    struct fit_rig *rig = make_rig();
    add_variant(rig, "a", 33e12, 0, 0);
    rig->points[0].status = ERT_POINT_FAILED;
    snprintf(rig->points[0].reason, sizeof rig->points[0].reason, "no luck");
    ert_fit(&rig->samples, &rig->ceilings);
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_COMPUTE), 0);
    assert_int_equal(rig->ceilings.devices[0].n_not_measured, 1);
    assert_string_equal(rig->ceilings.devices[0].not_measured[0].name, "fp64-fma");
    assert_string_equal(rig->ceilings.devices[0].not_measured[0].reason, "no luck");
    free_rig(rig);
}

/* No list has a size that a machine could exceed; a name that is there is not repeated. */
static void lists_grow(void **state)
{
    struct ert_device_ceilings out = {.n = 0};
    char name[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "kernel%d", i);
        ert_extras_not_measured(&out, name, "no luck");
        ert_extras_not_measured(&out, name, "again");
        ert_extras_add(&out, i % 2 ? ERT_CEILING_COMPUTE : ERT_CEILING_LINK)->value = i;
        ert_extras_add(&out, ERT_CEILING_MEMORY)->value = i;
    }
    assert_int_equal(out.n_not_measured, 1000);
    assert_string_equal(out.not_measured[999].name, "kernel999");
    assert_string_equal(out.not_measured[999].reason, "no luck");
    assert_int_equal(n_ceilings(&out, ERT_CEILING_COMPUTE), 500);
    assert_int_equal(n_ceilings(&out, ERT_CEILING_MEMORY), 1000);
    assert_close(compute_at(&out, 499)->value, 999, 0);
    assert_close(memory_at(&out, 999)->value, 999, 0);
    assert_close(ceiling_at(&out, ERT_CEILING_LINK, 0)->value, 0, 0);
    ert_ceilings_remove(&out, ERT_CEILING_MEMORY);
    assert_int_equal(out.n, 1000);
    assert_close(ceiling_at(&out, ERT_CEILING_LINK, 499)->value, 998, 0);
    ert_device_ceilings_free(&out);
}

static void set_rounds(struct ert_ceiling *ceiling, double second_half, uint64_t seed)
{
    ceiling->evidence->n_rounds = 16;
    for (uint64_t i = 0; i < 16; i++)
        ceiling->evidence->rounds[i] =
            (i < 8 ? 1 : second_half) * (1 + 0.002 * ert_random_unit(seed, i));
}

/* A cache that is shared with strangers drifts by 10 %, the cores do not: each has its own. */
static void levels_drift_by_themselves(void **state)
{
    struct ert_device_ceilings *out = calloc(1, sizeof *out);
    for (int i = 0; i < 20; i++)
        add_ceiling(out, i < 8 ? ERT_CEILING_COMPUTE : ERT_CEILING_MEMORY, "");
    for (size_t i = 0; i < n_ceilings(out, ERT_CEILING_COMPUTE); i++)
        set_rounds(compute_at(out, i), 1, i);
    for (size_t i = 0; i < n_ceilings(out, ERT_CEILING_MEMORY); i++) {
        bool is_shared = i >= 6;
        snprintf(memory_at(out, i)->key.level, sizeof memory_at(out, i)->key.level, "%s",
                 is_shared ? "L3" : "L1");
        set_rounds(memory_at(out, i), is_shared ? 0.9 : 1, 100 + i);
    }
    assert_true(ert_evidence_drift(out, "") < 0.01);
    assert_true(ert_evidence_drift(out, "L1") < 0.01);
    assert_true(ert_evidence_drift(out, "L3") > 0.04);
    ert_device_ceilings_free(out);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_drift_by_themselves),
        cmocka_unit_test(few_samples_do_not_win),
        cmocka_unit_test(what_settled_early_wins),
        cmocka_unit_test(tied_variants_are_pooled),
        cmocka_unit_test(theory_is_at_the_held_clock),
        cmocka_unit_test(above_theory_is_kept_and_marked),
        cmocka_unit_test(zeros_are_marked),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(nothing_measured_is_not_measured_and_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
