/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operators: the operations of PyTorch's operators and the bytes that they move at least, from the shapes and
 * types of their arguments. Private to import.
 */
#ifndef RFL_IMPORT_OPERATORS_H
#define RFL_IMPORT_OPERATORS_H

#include "ert/core/base/json.h"

/* What one call of an operator does. */
struct rfl_operator {
    double flops;      /* of products; the few of other operators are not counted */
    const char *type;  /* of the operations, "bf16"; "" none */
    const char *unit;  /* "tensor", "core" */
    double read_bytes; /* each argument once; NaN unknown */
    double bytes;      /* with what is written; 0: no rule */
    const char *why;   /* why counts are missing; NULL: a rule knows the operator */
};

/*
 * An operator by its name ("aten::mm") and arguments: arrays with an element per argument, as Kineto writes
 * "Input Dims", "Input type", "Input Strides" and "Concrete Inputs". NULL or short arrays: not recorded.
 */
struct rfl_operator_call {
    const char *name;
    const char *kernel; /* the longest that it started */
    unsigned units;     /* rfl_operator_units() of all that it started */
    const cJSON *dims, *types, *strides, *values;
};

/* What a kernel's name tells of the units that it computes with, as bits. */
unsigned rfl_operator_units(const char *kernel);

struct rfl_operator rfl_operator_count(const struct rfl_operator_call *call);

/* Writes the shapes of the first arguments and their type, "4096x768 768x2304 fp16", to text[size]. */
void rfl_operator_shapes(const struct rfl_operator_call *call, char *text, size_t size);

#endif
