/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/lists.h"

#include "ert/core/base/error.h"

#include <string.h>

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
