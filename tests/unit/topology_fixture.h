/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_fixture: the machine that a test of the topology discovers, and why it could not. */
#ifndef ERT_TESTS_UNIT_TOPOLOGY_FIXTURE_H
#define ERT_TESTS_UNIT_TOPOLOGY_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/machine/discover.h"

static struct ert_machine machine;
static struct ert_error error;

static inline enum ert_status discover(const char *file)
{
    machine = (struct ert_machine){0};
    error = (struct ert_error){0};
    return ert_discover_host(file, &machine, &error);
}

/* What the caller's shell says must not decide what the tests see. */
static inline void forget_environment(void)
{
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
}

#endif
