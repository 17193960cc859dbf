/* SPDX-License-Identifier: BSD-3-Clause */
/* knl_fixture: a Knights Landing machine (knl.h) and its plan, for the tests of both. */
#ifndef ERT_TESTS_UNIT_KNL_FIXTURE_H
#define ERT_TESTS_UNIT_KNL_FIXTURE_H

#include "tests/unit/knl.h"
#include "tests/unit/test.h"

#include "ert/core/machine/discover.h"
#include "ert/core/sweep/plan.h"

#include <unistd.h>

#define GIB(n) ((uint64_t)(n) << 30)
#define MIB(n) ((uint64_t)(n) << 20)

static struct ert_samples samples;
static struct ert_error error;

/* Discovers a machine of knl.h and plans its default run and its threads. */
static inline const struct ert_device *plan(const char *name, uint64_t memory_max_bytes)
{
    char file[] = "/tmp/ert-knl-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    ert_samples_free(&samples);
    samples = (struct ert_samples){0};
    assert_non_null(knl_find(name));
    assert_int_equal(knl_write(knl_find(name), file), 0);
    enum ert_status status = ert_discover_host(file, &samples.machine, &error);
    unlink(file);
    if (status != ERT_OK)
        fail_msg("%s", error.text);
    struct ert_device *device = &samples.machine.devices[0];
    device->cpu.isa = (struct ert_isa){
        .sse2 = true, .avx = true, .avx2 = true, .fma = true, .avx512f = true};
    ert_config_default(&samples.config);
    samples.config.memory_max_bytes = memory_max_bytes;
    samples.config.sections[ERT_SECTION_CONCURRENCY] = true;
    snprintf(samples.config.device, sizeof samples.config.device, "cpu");
    if (ert_plan_make(&samples, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return device;
}

static inline int free_samples(void **state)
{
    ert_samples_free(&samples);
    return 0;
}

/* Whether this build has AVX-512F kernels to plan with; and the caller's shell decides nothing. */
static inline bool can_plan(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    struct ert_device any = {.kind = ERT_DEVICE_CPU, .cpu.isa = {.avx512f = true}};
    struct ert_session_options options = {0};
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    return ert_backend_cpu.variants(&any, &options, ERT_KERNEL_load, ERT_PATH_CACHED,
                                    variants, reason, sizeof reason) > 0;
}

#endif
