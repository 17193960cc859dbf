/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare_fixture: what the tests of comparisons share.
 */
#ifndef ERT_TESTS_UNIT_COMPARE_FIXTURE_H
#define ERT_TESTS_UNIT_COMPARE_FIXTURE_H

#include "tests/unit/test.h"

#include "analysis/ext/compare/compare.h"

static const struct rfl_compare_options plain = {0.01, NULL};

static const struct rfl_change *find(const struct rfl_comparison *comparison,
                                     const char *group, const char *name)
{
    for (size_t i = 0; i < comparison->n; i++)
        if (strcmp(comparison->changes[i].group, group) == 0 &&
            strcmp(comparison->changes[i].name, name) == 0)
            return &comparison->changes[i];
    fail_msg("no row %s %s", group, name);
    return NULL;
}

#endif
