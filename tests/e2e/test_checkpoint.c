/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run has measured is in samples.json before anything else is made of it. */
#include "tests/unit/test.h"

#include "ert/cli/measure.h"
#include "ert/core/sweep/plan.h"
#include "ert/fake/fake.h"

#include <unistd.h>

static void all_samples_are_in_the_file_when_a_run_ends(void **state)
{
    char folder[] = "/tmp/ert-checkpoint-XXXXXX", file[128];
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_samples *kept = calloc(1, sizeof *kept);
    struct ert_cli_results results;
    struct ert_error error = {0};
    assert_true(samples && kept && mkdtemp(folder));
    setenv("ERT_FAKE", "noise=0", 1);
    ert_config_default(&samples->config);
    snprintf(samples->config.device, sizeof samples->config.device, "fake");
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    assert_int_equal(ert_cli_results_open(folder, &results, &error), ERT_OK);
    assert_int_equal(ert_cli_measure(samples, &results, stderr, &error), ERT_OK);

    snprintf(file, sizeof file, "%.100s/samples.json", results.folder);
    assert_int_equal(ert_samples_read(file, kept, &error), ERT_OK);
    assert_string_equal(kept->status, "complete");
    assert_int_equal(kept->n_devices, 2);
    for (size_t d = 0; d < 2; d++) {
        const struct ert_device_samples *all = &samples->devices[d],
                                        *in = &kept->devices[d];
        size_t n_samples = 0;
        assert_int_equal(in->n_points, all->n_points);
        for (size_t i = 0; i < all->n_points; i++) {
            assert_int_equal(in->points[i].n_samples, all->points[i].n_samples);
            n_samples += all->points[i].n_samples;
        }
        assert_true(n_samples > 0);
    }
    unlink(file);
    ert_cli_results_close(&results);
    assert_int_equal(rmdir(folder), 0);
    ert_samples_free(samples);
    ert_samples_free(kept);
    free(samples);
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_samples_are_in_the_file_when_a_run_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
