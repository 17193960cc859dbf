/* SPDX-License-Identifier: BSD-3-Clause */
/* ert schema: prints the JSON schema of a ceilings file. */
#include "ert/cli/commands.h"
#include "ert/core/ceilings/ceilings.h"

static enum ert_status schema_run_command(int argc, char **argv, struct ert_error *error)
{
    size_t n_words;
    ERT_TRY(ert_opt_parse(NULL, 0, argc, argv, NULL, NULL, 0, &n_words, error));
    return ert_ceilings_schema(stdout, error);
}

const struct ert_command ert_command_schema = {
    .name = "schema",
    .words = "",
    .summary = "print the JSON schema of ceilings.json",
    .run = schema_run_command,
};
