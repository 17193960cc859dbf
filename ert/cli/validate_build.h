/*
 * validate_build: `ert validate --code-for`: the machine code of this build, without ceilings.
 */
#ifndef ERT_CLI_VALIDATE_BUILD_H
#define ERT_CLI_VALIDATE_BUILD_H

#include "ert/base/error.h"

#include <stdio.h>

/*
 * Writes a table of the CUDA backend's kernels that a GPU of this compute capability ("7.0") runs:
 * kernel, variant, what the claim says, what the code holds, verdict. ERT_USAGE for a text that is
 * no capability; ERT_FAILED when code differs from its claim; ERT_UNAVAILABLE when nothing could be
 * looked at, with the reason.
 */
enum ert_status ert_validate_build(FILE *out, const char *capability,
                                   struct ert_error *error);

#endif
