/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input: the standard input of a program that runs more than once: each run reads the same. A terminal is not
 * kept: later runs read nothing.
 */
#ifndef RFL_RECORD_INPUT_H
#define RFL_RECORD_INPUT_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct rfl_input {
    FILE *kept;  /* what later runs read; NULL: nothing */
    off_t begin; /* where in it they begin */
    FILE *first; /* what run 1 reads while a copy is made; NULL: our own input */
    pid_t copier;
    bool is_lost; /* the copy could not be written */
};

/* Before run 1, which reads input->first. ERT_FAILED with the system's reason. */
enum ert_status rfl_input_begin(struct rfl_input *input, const char *folder,
                                struct ert_error *error);

/* After run 1: what it did not read is not waited for. */
void rfl_input_end(struct rfl_input *input);

/* Before each later run: *stream is what it reads, the input's. ERT_FAILED where it was not kept. */
enum ert_status rfl_input_rewind(struct rfl_input *input, FILE **stream,
                                 struct ert_error *error);

void rfl_input_free(struct rfl_input *input);

#endif
