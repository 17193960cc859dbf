/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/levels.h"

#include "ert/core/base/error.h"

#include <string.h>

const char *const rfl_level_names[RFL_N_LEVELS] = {
    "L1", "shared", "L2", "L3", "L4", "HBM", "MCDRAM", "DRAM", "memory", "host", "NET"};

static const int depths[RFL_N_LEVELS + 1] = {
    1, 0, 2, 3, 4, RFL_DEPTH_MEMORY, RFL_DEPTH_MEMORY, RFL_DEPTH_MEMORY, RFL_DEPTH_MEMORY};

int rfl_level_rank(const char *level)
{
    int i = 0;
    while (i < RFL_N_LEVELS &&
           (*rfl_level_names[i] != *level || strcmp(rfl_level_names[i], level) != 0))
        i++;
    return i;
}

int rfl_level_depth(const char *level)
{
    return depths[rfl_level_rank(level)];
}

void rfl_names_add(struct rfl_names *names, size_t limit, const char *name)
{
    if (strlen(names->text) + strlen(name) + 3 > limit)
        names->left_out++;
    else
        ert_list_add(names->text, sizeof names->text, name);
}

const char *rfl_names_end(struct rfl_names *names)
{
    if (names->left_out)
        ert_append(names->text, sizeof names->text, " and %zu more", names->left_out);
    return names->text;
}
