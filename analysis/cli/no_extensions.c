/* SPDX-License-Identifier: BSD-3-Clause */
/* no_extensions: what analysis/ext/commands.c defines, in a build without it. */
#include "analysis/cli/commands.h"

const struct ert_command *const rfl_extension_commands[] = {NULL};
