/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline_fixture: the whole pipeline on the planted machine: discover, plan, run, fit. */
#ifndef ERT_TESTS_E2E_PIPELINE_FIXTURE_H
#define ERT_TESTS_E2E_PIPELINE_FIXTURE_H

#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/core/fit/fit.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/run.h"
#include "ert/fake/fake.h"

struct rig {
    struct ert_samples samples;
    struct ert_ceilings ceilings;
    struct ert_error error;
    enum ert_status status;
    volatile bool stop;
    int stop_after, n_progress, n_checkpoints;
    int n_inside, n_overlaps,
        n_wrong; /* hooks at the same time; fractions outside of 0 to 1 */
};

static inline void on_progress(const struct ert_progress *state, void *context)
{
    struct rig *rig = context;
    rig->n_overlaps += ++rig->n_inside > 1;
    rig->n_wrong += !(state->fraction >= 0 && state->fraction <= 1);
    if (++rig->n_progress == rig->stop_after)
        rig->stop = true;
    rig->n_inside--;
}

static inline enum ert_status on_checkpoint(const struct ert_samples *samples,
                                            void *context, struct ert_error *error)
{
    (void)samples;
    (void)error;
    ((struct rig *)context)->n_checkpoints++;
    return ERT_OK;
}

/*
 * Runs it with the words of ERT_FAKE; `device` is fake, fake0 or fake1. stop_after: how many
 * reports of progress before an interrupt; 0: none.
 */
static inline struct rig *run_rig(const char *plant, const char *device, int stop_after)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&rig->samples.config);
    rig->samples.config.timeout_s = 0.05;
    snprintf(rig->samples.config.device, sizeof rig->samples.config.device, "%s", device);
    assert_int_equal(ert_backend_fake.discover(&rig->samples.machine, &rig->error), ERT_OK);
    assert_int_equal(ert_plan_make(&rig->samples, &rig->error), ERT_OK);
    rig->stop_after = stop_after;
    const struct ert_run_hooks hooks = {.progress = on_progress,
                                        .checkpoint = on_checkpoint,
                                        .candidates = ert_fit_candidates,
                                        .context = rig,
                                        .stop = &rig->stop};
    rig->status = ert_run(&rig->samples, &hooks, &rig->error);
    assert_int_equal(rig->n_overlaps, 0); /* hooks of different devices take turns */
    assert_int_equal(rig->n_wrong, 0);
    ert_fit(&rig->samples, &rig->ceilings);
    return rig;
}

/* The ceiling of a name ("L1-load", "fp64-fma"), or NULL. */
static inline const struct ert_ceiling *
memory_ceiling(const struct ert_device_ceilings *device, const char *name)
{
    for (size_t i = 0; i < n_ceilings(device, ERT_CEILING_MEMORY); i++)
        if (strcmp(memory_at(device, i)->name, name) == 0)
            return memory_at(device, i);
    return NULL;
}

static inline const struct ert_ceiling *
compute_ceiling(const struct ert_device_ceilings *device, const char *name)
{
    for (size_t i = 0; i < n_ceilings(device, ERT_CEILING_COMPUTE); i++)
        if (strcmp(compute_at(device, i)->name, name) == 0)
            return compute_at(device, i);
    return NULL;
}

static inline void free_rig(struct rig *rig)
{
    ert_ceilings_free(&rig->ceilings);
    ert_samples_free(&rig->samples);
    free(rig);
}

#endif
