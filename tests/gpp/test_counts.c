/* SPDX-License-Identifier: BSD-3-Clause */
/* counts: sums by hand for two versions, and no version without counts. */
#include "tests/unit/test.h"

#include "gpp/versions.h"

static const struct gpp_sizes sizes = {100, 10, 10, 2};
static const struct gpp_shares shares = {
    .first = 0.5, .second = 0.25, .third = 0.25, .cuttable = 0.125, .occupied = 0.75};

static struct gpp_counts of(enum gpp_version_id id, bool no_fma)
{
    struct gpp_counts counts;
    gpp_counts_of(&gpp_versions[id], &sizes, &shares, no_fma, &counts);
    return counts;
}

static void c0_by_hand(void **state)
{
    struct gpp_counts c = of(GPP_c0, false);
    assert_close(c.fma, 6. / 2 + 13 + 6 * 0.5 + 7 * 0.25, 1e-15);
    assert_close(c.add + c.fma, 6. / 2 + 14 + 6 * 0.5 + 8 * 0.25, 1e-15);
    assert_close(c.mul + c.fma, 17. / 2 + 22 + 11 * 0.5 + 16 * 0.25, 1e-15);
    assert_close(c.div, 2 + 2 * 0.75, 1e-15);
    assert_close(c.sqrt, 1.5, 1e-15);
    assert_close(c.flops, c.add + c.mul + 2 * c.fma + 3.5 + 1.5, 1e-15);
    assert_close(c.bytes, 16. * (2 * 100 + 2 * 1000) + 8. * (200 + 10 + 100), 1e-15);
}

/* Contraction changes the kinds, not the flops. */
static void contraction_keeps_the_flops(void **state)
{
    for (size_t i = 0; i < GPP_N_VERSIONS; i++) {
        struct gpp_counts fused = of(i, false), apart = of(i, true);
        assert_true(fused.flops > 10 && fused.flops < 250);
        assert_true(fused.add >= 0 && fused.mul >= 0 && fused.fma > 0);
        assert_close(apart.flops, fused.flops, 1e-14);
        assert_true(apart.fma_share < fused.fma_share);
        assert_true(fused.bytes > 0 && fused.flops_recipe && fused.bytes_recipe);
    }
}

/* Newton steps stay FMAs without contraction: one of v13, of v16 one a pole. */
static void newton_steps_keep_their_fmas(void **state)
{
    assert_close(of(GPP_v9, true).fma, 0, 1e-15);
    assert_close(of(GPP_v13, true).fma, 3, 1e-15);
    assert_close(of(GPP_v16, true).fma, 3 * 1.75, 1e-15);
    assert_close(of(GPP_v16, false).fma, 2. / 2 + 18 * 0.75 + 9 * 0.25, 1e-15);
}

/* Steps that save operations do; a launch per energy reads again. */
static void versions_fall_as_they_say(void **state)
{
    assert_true(of(GPP_v1, false).flops < of(GPP_v0, false).flops);
    assert_true(of(GPP_v2, false).flops == of(GPP_v1, false).flops);
    assert_true(of(GPP_v3, false).flops < of(GPP_v2, false).flops);
    assert_true(of(GPP_v4, false).flops < of(GPP_v3, false).flops);
    assert_true(of(GPP_v12, false).flops < of(GPP_v11, false).flops);
    assert_close(of(GPP_v5, false).bytes, 2 * of(GPP_v4, false).bytes, 1e-15);
    /* v12, by hand: M 6 / 2, occupied 15 + 18, empty 9 + 9. */
    assert_close(of(GPP_v12, false).flops, 3 + 0.75 * 33 + 0.25 * 18, 1e-15);
    /* v16: as v12 with 18 + 18 and 9 + 9, and a product where w < 0 and occ > 0. */
    assert_close(of(GPP_v16, false).flops, 3 + 0.75 * 36 + 0.25 * 18 + 0.125, 1e-15);
    /* c11: M, occupied 12 + 15 and half a division, empty 6 + 6 and half of 3 + 4; half of 3 products. */
    assert_close(of(GPP_c11, false).flops, 3 + 0.75 * 27.5 + 0.25 * 15.5 + 1.5, 1e-15);
    assert_close(of(GPP_c11, false).div, 0.375, 1e-15);
    assert_close(of(GPP_c10, false).flops - of(GPP_c11, false).flops, 0.75 * 3, 1e-15);
    /* One energy alone shares nothing. */
    struct gpp_sizes one = sizes;
    struct gpp_counts c9, c10, c11;
    one.nw = 1;
    gpp_counts_of(&gpp_versions[GPP_c9], &one, &shares, false, &c9);
    gpp_counts_of(&gpp_versions[GPP_c10], &one, &shares, false, &c10);
    gpp_counts_of(&gpp_versions[GPP_c11], &one, &shares, false, &c11);
    assert_close(c10.flops, c9.flops, 1e-15);
    assert_close(c11.flops, c9.flops, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c0_by_hand),
        cmocka_unit_test(contraction_keeps_the_flops),
        cmocka_unit_test(newton_steps_keep_their_fmas),
        cmocka_unit_test(versions_fall_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
