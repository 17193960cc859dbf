/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input: gives each run of a program that runs more than once the same standard input. A terminal is not
 * kept: later runs read nothing.
 */
#ifndef RFL_RECORD_INPUT_H
#define RFL_RECORD_INPUT_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct rfl_input {
    FILE *kept;  /* read by later runs; NULL: nothing */
    off_t begin; /* offset in `kept` where it begins */
    FILE *first; /* read by run 1 while a copy is made; NULL: our own input */
    pid_t copier;
    bool is_lost; /* the copy could not be written */
};

/* Call before run 1, which reads input->first. ERT_FAILED with the system's reason. */
enum ert_status rfl_input_begin(struct rfl_input *input, const char *folder,
                                struct ert_error *error);

/* Call after run 1: does not wait for input that run 1 did not read. */
void rfl_input_end(struct rfl_input *input);

/* Call before each later run, which reads *stream (owned by *input). ERT_FAILED if the input was not kept. */
enum ert_status rfl_input_rewind(struct rfl_input *input, FILE **stream,
                                 struct ert_error *error);

void rfl_input_free(struct rfl_input *input);

#endif
