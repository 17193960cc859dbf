/* SPDX-License-Identifier: BSD-3-Clause */
/* no_extensions: what ert/ext/commands.c defines, in a build without it. */
#include "ert/cli/commands.h"

const struct ert_command *const ert_extension_commands[] = {NULL};
