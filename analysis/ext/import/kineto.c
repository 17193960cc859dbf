/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of PyTorch's profiler (Kineto, Chrome's trace format): a kernel carries the id of the operator that
 * started it, which carries the shapes of its arguments; operators.def tells what that computes and moves at
 * least. A point is an operator with its shapes; a kernel without an operator is one, too. The trace is read
 * as it streams, since it can be larger than memory: of its events only those of operators and of the device
 * are kept, as a few numbers each, and each text once.
 */
#include "analysis/ext/import/common.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the operations of operators and the bytes that they move at least, by their arguments ---- */

/* What one call of an operator does. */
struct operator_counts {
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
struct operator_call {
    const char *name;
    const char *kernel; /* the longest that it started */
    unsigned units;     /* operator_units() of all that it started */
    const cJSON *dims, *types, *strides, *values;
};

/* PyTorch's names of types, their bytes, and ours, if units compute with them. */
static const struct operator_type {
    const char *name;
    double bytes;
    const char *type;
} operator_types[] = {
    {"float",                4,  "fp32"},
    {"double",               8,  "fp64"},
    {"c10::Half",            2,  "fp16"},
    {"c10::BFloat16",        2,  "bf16"},
    {"c10::Float8_e4m3fn",   1,  "fp8" },
    {"c10::Float8_e5m2",     1,  "fp8" },
    {"c10::Float8_e4m3fnuz", 1,  "fp8" },
    {"c10::Float8_e5m2fnuz", 1,  "fp8" },
    {"signed char",          1,  "int8"},
    {"unsigned char",        1,  ""    },
    {"bool",                 1,  ""    },
    {"short int",            2,  ""    },
    {"int",                  4,  ""    },
    {"long int",             8,  ""    },
    {"c10::complex<float>",  8,  ""    },
    {"c10::complex<double>", 16, ""    },
};

/* Of a list of tensors the types are not recorded; the kernel's name has them (NCCL's: "Sum_bf16"). */
static const struct operator_type *operator_list_type(const char *kernel)
{
    static const char *const names[][3] = {
        {"BFloat16", "bf16", "c10::BFloat16"},
        {"Half",     "f16",  "c10::Half"    },
        {"double",   "f64",  "double"       },
        {"",         "",     "float"        }
    };
    const struct operator_type *type = operator_types;
    size_t i = 0;
    while (!strstr(kernel, names[i][0]) && !strstr(kernel, names[i][1]))
        i++;
    while (strcmp(type->name, names[i][2]) != 0)
        type++;
    return type;
}

/* The type of an argument; NULL: it is no tensor. */
static const struct operator_type *operator_type(const struct operator_call *call, int i)
{
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(call->types, i));
    if (name && strcmp(name, "TensorList") == 0)
        return operator_list_type(call->kernel);
    for (size_t t = 0; t < ERT_LENGTH(operator_types) && name; t++)
        if (strcmp(operator_types[t].name, name) == 0)
            return &operator_types[t];
    return NULL;
}

/* The number at index i of an array, from its end if i is negative; 1 where there is none. */
static double operator_at(const cJSON *array, int i)
{
    const int n = cJSON_GetArraySize(array);
    const cJSON *item = cJSON_GetArrayItem(array, i < 0 ? n + i : i);
    return item ? item->valuedouble : 1;
}

/* The elements of a shape that lie at addresses of their own: those of a dimension with stride 0 do not. */
static double operator_shape_elements(const cJSON *dims, const cJSON *strides)
{
    double n = 1;
    int i = 0;
    for (const cJSON *dim = dims ? dims->child : NULL; dim; dim = dim->next, i++) {
        const cJSON *stride = cJSON_GetArrayItem(strides, i);
        n *= stride && stride->valuedouble == 0 ? fmin(1, dim->valuedouble)
                                                : dim->valuedouble;
    }
    return n;
}

/* The elements of a tensor, or of a list of them, NaN if Kineto left out a long one; 0: it is neither. */
static double operator_elements(const struct operator_call *call, int i)
{
    const cJSON *dims = cJSON_GetArrayItem(call->dims, i),
                *strides = cJSON_GetArrayItem(call->strides, i);
    const char *type = cJSON_GetStringValue(cJSON_GetArrayItem(call->types, i));
    if (!operator_type(call, i))
        return 0;
    if (strcmp(type, "TensorList") == 0 && !cJSON_GetArraySize(dims))
        return NAN;
    if (!dims || !cJSON_IsArray(dims->child))
        return operator_shape_elements(dims, strides);
    double n = 0;
    for (const cJSON *one = dims->child; one; one = one->next)
        n += operator_shape_elements(one, NULL);
    return n;
}

static double operator_bytes(const struct operator_call *call, int i)
{
    const struct operator_type *type = operator_type(call, i);
    return type ? type->bytes * operator_elements(call, i) : 0;
}

/* Bytes of all arguments, each read once. */
static double operator_arguments(const struct operator_call *call)
{
    double bytes = 0;
    for (int i = 0; i < cJSON_GetArraySize(call->dims); i++)
        bytes += operator_bytes(call, i);
    return bytes;
}

/* The dimensions of an argument; NULL: not a tensor. */
static const cJSON *operator_dims(const struct operator_call *call, int i)
{
    return operator_type(call, i) ? cJSON_GetArrayItem(call->dims, i) : NULL;
}

/* Element k of a list of numbers that the trace has as text, "[2, 2]"; one number stands for all. */
static double operator_number(const struct operator_call *call, int i, int k)
{
    const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(call->values, i));
    if (!text)
        return NAN;
    text += *text == '[';
    for (const char *next; k > 0 && (next = strchr(text, ',')); k--)
        text = next + 1;
    text += strspn(text, " ");
    return strncmp(text, "True", 4) == 0    ? 1
           : strncmp(text, "False", 5) == 0 ? 0
                                            : strtod(text, NULL);
}

/* What an operator without products writes, if not something like one of its arguments; ALL of these. */
enum result { NOTHING = -1, STRETCHED = -2, STRETCHED_BOOL = -3, AMONG_READ = -4 };
enum { ALL = 64, LAST = -1, FIRST = 0 };

/*
 * "s1688" is cutlass' name of a product of TF32; its attention ("f32_aligned") makes each product of FP32 of
 * three of them (ncu counts them, of the forward kernel); vectors, and kernels of one channel, are not for
 * tensor cores.
 */
enum {
    UNITS_TF32 = 1,
    UNITS_FP64 = 2,
    UNITS_PLAIN = 4,
    UNITS_TF32_TIMES_3 = 8 | UNITS_TF32
};

/* What a kernel's name tells of the units that it computes with, as bits. */
static unsigned operator_units(const char *kernel)
{
    static const struct {
        const char *part;
        unsigned units;
    } parts[] = {
        {"tf32",        UNITS_TF32        },
        {"s1688",       UNITS_TF32        },
        {"f64f64",      UNITS_FP64        },
        {"f32_aligned", UNITS_TF32_TIMES_3},
        {"d884",        UNITS_FP64        },
        {"dmma",        UNITS_FP64        },
        {"gemv",        UNITS_PLAIN       },
        {"depthwise",   UNITS_PLAIN       },
        {"_c1_k1_",     UNITS_PLAIN       },
        {"dot_kernel",  UNITS_PLAIN       },
    };
    unsigned units = 0;
    for (size_t i = 0; i < ERT_LENGTH(parts); i++)
        units |= strstr(kernel, parts[i].part) ? parts[i].units : 0;
    return units;
}

/* Type and unit of a product: 16 bits and less go to tensor cores, wider types if the kernels say so. */
static void operator_unit(const struct operator_call *call, int i,
                          struct operator_counts *counted)
{
    const struct operator_type *type = operator_type(call, i);
    counted->type = type ? type->type : "";
    const bool is_single = strcmp(counted->type, "fp32") == 0,
               is_double = strcmp(counted->type, "fp64") == 0,
               is_tensor = is_single   ? call->units & UNITS_TF32
                           : is_double ? call->units & UNITS_FP64
                                       : !(call->units & UNITS_PLAIN);
    counted->unit = is_tensor ? "tensor" : "core";
    if (is_single && is_tensor)
        counted->type = "tf32";
    if (is_single && (call->units & UNITS_TF32_TIMES_3) == UNITS_TF32_TIMES_3)
        counted->flops *= 3;
    if (!is_tensor && !is_double)
        counted->type = "fp32"; /* sums are */
}

/* A product of m x k and k x n. Results of operands of a byte are wider: INT8's of 4, FP8's of 2 at least. */
static void rule_product(const struct operator_call *call, const int *at,
                         struct operator_counts *counted)
{
    const cJSON *left = operator_dims(call, at[0]), *right = operator_dims(call, at[0] + 1);
    const struct operator_type *type = operator_type(call, at[0]);
    const double n = cJSON_GetArraySize(right) < 2 ? 1 : operator_at(right, at[1]),
                 k = operator_at(left, -1),
                 m = k > 0 ? operator_shape_elements(left, NULL) / k : 0,
                 out = type ? fmax(strcmp(type->type, "int8") ? 2 : 4, type->bytes) : 0;
    counted->flops = 2 * m * n * k;
    counted->read_bytes = operator_arguments(call);
    counted->bytes = counted->read_bytes + out * m * n;
    operator_unit(call, at[0], counted);
}

/* Each element of the output, or of a transposed one's input, meets the weight (out, in / groups, ...). */
static double operator_convolution_flops(const struct operator_call *call, const cJSON *met,
                                         int weight)
{
    const double channels = operator_at(met, 1);
    return channels > 0 ? 2 * operator_shape_elements(met, NULL) / channels *
                              operator_elements(call, weight)
                        : 0;
}

static void rule_convolution(const struct operator_call *call, const int *at,
                             struct operator_counts *counted)
{
    const cJSON *input = operator_dims(call, 0), *weight = operator_dims(call, 1);
    double out = operator_at(input, 0);
    for (int i = 2; i < cJSON_GetArraySize(input); i++) {
        const double dilation = at[2] ? operator_number(call, at[2], i - 2) : 1,
                     reach = dilation * (operator_at(weight, i) - 1) + 1,
                     room = operator_at(input, i) + 2 * operator_number(call, at[1], i - 2);
        out *= floor((room - reach) / operator_number(call, at[0], i - 2)) + 1;
    }
    const struct operator_type *type = operator_type(call, 0);
    counted->flops = 2 * out * operator_elements(call, 1);
    counted->read_bytes = operator_arguments(call);
    counted->bytes =
        counted->read_bytes + (type ? type->bytes : 0) * out * operator_at(weight, 0);
    operator_unit(call, 0, counted);
}

/* input, weight (in, out / groups, ...), [bias,] padding (at[0]), output padding, stride, dilation, groups */
static void rule_transposed(const struct operator_call *call, const int *at,
                            struct operator_counts *counted)
{
    const cJSON *input = operator_dims(call, 0), *weight = operator_dims(call, 1);
    const struct operator_type *type = operator_type(call, 0);
    double out =
        operator_at(input, 0) * operator_at(weight, 1) * operator_number(call, *at + 4, 0);
    for (int i = 2; i < cJSON_GetArraySize(input); i++)
        out *= (operator_at(input, i) - 1) * operator_number(call, *at + 2, i - 2) -
               2 * operator_number(call, *at, i - 2) +
               operator_number(call, *at + 3, i - 2) * (operator_at(weight, i) - 1) +
               operator_number(call, *at + 1, i - 2) + 1;
    counted->flops = operator_convolution_flops(call, input, 1);
    counted->read_bytes = operator_arguments(call);
    counted->bytes = counted->read_bytes + (type ? type->bytes : 0) * out;
    operator_unit(call, 0, counted);
}

/* gradient, input, weight, ..., transposed (7), ..., gradients that are wanted (10): input, weight, bias */
static void rule_convolution_backward(const struct operator_call *call, const int *at,
                                      struct operator_counts *counted)
{
    (void)at;
    const double of_input = operator_number(call, 10, 0),
                 of_weight = operator_number(call, 10, 1);
    const double one = operator_convolution_flops(
        call, operator_dims(call, operator_number(call, 7, 0) > 0 ? 1 : 0), 2);
    const double gradient = operator_bytes(call, 0), input = operator_bytes(call, 1),
                 weight = operator_bytes(call, 2);
    counted->flops = one * (of_input + of_weight);
    counted->read_bytes = of_input * (gradient + weight) + of_weight * (gradient + input);
    counted->bytes = counted->read_bytes + of_input * input + of_weight * weight;
    operator_unit(call, 0, counted);
}

/*
 * Two products of queries by keys and by values; backward five: those, the first one again, and two gradients
 * more. Where a query sees no later key, only pairs that it sees count (kernels compute whole tiles).
 */
static void rule_attention(const struct operator_call *call, const int *at,
                           struct operator_counts *counted)
{
    const cJSON *q = operator_dims(call, at[0]), *k = operator_dims(call, at[0] + 1),
                *v = operator_dims(call, at[0] + 2);
    const bool is_backward = at[0] > 0;
    const int queries = at[1] == 1 ? 2 : 1;
    const double n_q = operator_at(q, queries), n_k = operator_at(k, queries),
                 causal = operator_number(call, at[2], 0),
                 later =
                     causal > 0 ? (n_k >= n_q ? n_q * (n_q - 1) / 2 : n_q * n_k / 2) : 0;
    const double out =
        operator_bytes(call, at[0]) / operator_at(q, -1) * operator_at(v, -1);
    counted->read_bytes = operator_arguments(call);
    counted->bytes = counted->read_bytes + out;
    if (is_backward)
        counted->bytes = counted->read_bytes + operator_bytes(call, 1) +
                         operator_bytes(call, 2) + operator_bytes(call, 3);
    if (cJSON_GetArraySize(q) != 4)
        counted->why = "the lengths of the sequences are not in the trace";
    else
        counted->flops = (is_backward ? 2.5 : 1) * 2 * operator_at(q, 0) *
                         operator_at(q, at[1]) * (n_q * n_k - later) *
                         (operator_at(q, -1) + operator_at(v, -1));
    operator_unit(call, at[0], counted);
}

/* Each element of the input meets all weights (argument 1, a list with biases); at[0]: products of each. */
static void rule_rnn(const struct operator_call *call, const int *at,
                     struct operator_counts *counted)
{
    const cJSON *input = operator_dims(call, 0),
                *weights = cJSON_GetArrayItem(call->dims, 1);
    double elements = 0;
    for (const cJSON *one = weights ? weights->child : NULL; one; one = one->next)
        elements += cJSON_GetArraySize(one) > 1 ? operator_shape_elements(one, NULL) : 0;
    counted->flops = 2 * *at * operator_at(input, 0) * operator_at(input, 1) * elements;
    counted->read_bytes = operator_arguments(call);
    counted->bytes = counted->read_bytes;
    operator_unit(call, 0, counted);
}

/* Elements of the shape that all arguments are stretched to; *bytes: of one, of the widest type. */
static double operator_stretched(const struct operator_call *call, double *bytes)
{
    const int n_arguments = cJSON_GetArraySize(call->dims);
    double n = 1, longest = 0;
    *bytes = 0;
    for (int at = -1; at == -1 || longest > 0; at--) {
        longest = 0;
        for (int i = 0; i < n_arguments; i++) {
            const cJSON *dims = operator_dims(call, i);
            if (cJSON_GetArraySize(dims) < -at)
                continue;
            longest = fmax(longest, operator_at(dims, at));
            *bytes = fmax(*bytes, operator_type(call, i)->bytes);
        }
        n *= longest > 0 ? longest : 1;
    }
    return n;
}

/* No products: at[1] arguments from at[0] on are read; one like at[2] is written, or a result of the enum. */
static void rule_move(const struct operator_call *call, const int *at,
                      struct operator_counts *counted)
{
    double bytes, elements;
    for (int i = at[0]; i < at[0] + at[1] && i < cJSON_GetArraySize(call->dims); i++)
        counted->read_bytes += operator_bytes(call, i);
    elements = operator_stretched(call, &bytes);
    counted->bytes = counted->read_bytes + (at[2] >= 0 ? operator_bytes(call, at[2])
                                            : at[2] == STRETCHED      ? elements * bytes
                                            : at[2] == STRETCHED_BOOL ? elements
                                                                      : 0);
    if (at[2] == AMONG_READ)
        counted->read_bytes = NAN;
}

/* Rows (at[1] 0) or elements (1) of argument 0 are copied, as many as argument at[0] has indices. */
static void rule_gather(const struct operator_call *call, const int *at,
                        struct operator_counts *counted)
{
    const double n_rows = at[1] ? operator_elements(call, 0)
                                : operator_at(operator_dims(call, 0), 0),
                 bytes = n_rows > 0 ? operator_elements(call, *at) *
                                          operator_bytes(call, 0) / n_rows
                                    : 0;
    counted->read_bytes = bytes + operator_bytes(call, *at);
    counted->bytes = counted->read_bytes + bytes;
}

static const struct operator_row {
    const char *name, *kernel; /* one of them */
    void (*rule)(const struct operator_call *call, const int *at,
                 struct operator_counts *counted); /* NULL: none is known */
    int at[3];
} operator_rows[] = {
#define ROW(...)                                                                           \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define PRODUCT(n, ...)     ROW(.name = (n), .rule = rule_product, .at = {__VA_ARGS__}),
#define CONVOLUTION(n, ...) ROW(.name = (n), .rule = rule_convolution, .at = {__VA_ARGS__}),
#define ATTENTION(n, ...)   ROW(.name = (n), .rule = rule_attention, .at = {__VA_ARGS__}),
#define RULE(n, of, ...)    ROW(.name = (n), .rule = rule_##of, .at = {__VA_ARGS__}),
#define MOVE(n, ...)        ROW(.name = (n), .rule = rule_move, .at = {__VA_ARGS__}),
#define NONE(n)             ROW(.name = (n)),
#define KERNEL(part, result)                                                               \
    ROW(.kernel = (part), .rule = rule_move, .at = {0, ALL, result}),
#include "analysis/ext/import/operators.def"
};

static struct operator_counts operator_count(const struct operator_call *call)
{
    struct operator_counts counted = {.type = "", .unit = ""};
    const char *name = strncmp(call->name, "aten::", 6) == 0 ? call->name + 6 : call->name;
    const struct operator_row *found = NULL;
    for (size_t i = 0; i < ERT_LENGTH(operator_rows) && !found; i++) {
        const struct operator_row *row = &operator_rows[i];
        if (row->name ? strcmp(row->name, name) == 0
                      : strstr(call->kernel, row->kernel) != NULL)
            found = row;
    }
    if (!cJSON_GetArraySize(call->dims))
        counted.why = "the trace has no shapes: record_shapes=True";
    else if (found && found->rule)
        found->rule(call, found->at, &counted);
    else
        counted.why = "no rule for this operator (operators.def)";
    const bool is_known = counted.flops >= 0 && counted.bytes >= 0 &&
                          counted.flops + counted.bytes < HUGE_VAL;
    if (!is_known)
        counted = (struct operator_counts){
            .type = "",
            .unit = "",
            .why = "the trace has not all of its arguments (long lists are left out)"};
    return counted;
}

/* Writes the shapes of the first arguments and their type, "4096x768 768x2304 fp16", to text[size]. */
static void operator_shapes(const struct operator_call *call, char *text, size_t size)
{
    enum { SHOWN = 3 };
    const char *type = "";
    size_t n = 0;
    int n_shown = 0;
    *text = '\0';
    for (int i = 0; i < cJSON_GetArraySize(call->dims) && n_shown < SHOWN; i++) {
        const struct operator_type *of = operator_type(call, i);
        const cJSON *dims = cJSON_GetArrayItem(call->dims, i);
        if (!of || !dims->child)
            continue;
        type = *type ? type : of->type;
        n_shown++;
        if (cJSON_IsArray(dims->child))
            n += (size_t)snprintf(text + n, size - n, " (%d)", cJSON_GetArraySize(dims));
        for (const cJSON *dim = dims->child; cJSON_IsNumber(dim) && n + 24 < size;
             dim = dim->next)
            n += (size_t)snprintf(text + n, size - n, "%s%.12g",
                                  dim == dims->child ? " " : "x", dim->valuedouble);
    }
    if (*type && n + 16 < size)
        snprintf(text + n, size - n, " %s", type);
}

/* ---- the trace ---- */

static const char events_key[] = RFL_TRACE_KEY;

/* A part of the text that was read. */
struct slice {
    const char *text;
    size_t n;
};

/* The text while it streams: what was read and not used yet is buffer[begin, end). */
struct kineto_text {
    struct ert_lines *lines;
    char *buffer; /* malloc */
    size_t begin, end, capacity, offset;
};

enum { KINETO_BLOCK = 1 << 20, KINETO_LONGEST = 64 << 20 };

/* Reads more; false at the end. */
static bool kineto_fill(struct kineto_text *text)
{
    const size_t n = text->end - text->begin;
    if (text->begin)
        memmove(text->buffer, text->buffer + text->begin, n);
    text->offset += text->begin;
    text->begin = 0;
    text->end = n;
    if (n + KINETO_BLOCK > text->capacity) {
        if (n >= KINETO_LONGEST)
            return false;
        text->capacity = 2 * (n + KINETO_BLOCK);
        text->buffer = ert_xrealloc(text->buffer, text->capacity, 1);
    }
    const size_t more = fread(text->buffer + n, 1, KINETO_BLOCK, text->lines->stream);
    text->end += more;
    return more > 0;
}

/* The end of a string whose quotation mark is before `at`; NULL: not before `end`. */
static const char *kineto_string_end(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at)))) {
        size_t n = 0;
        while (at[-1 - (ptrdiff_t)n] == '\\')
            n++;
        at++;
        if (n % 2 == 0)
            return at;
    }
    return NULL;
}

/* The end of a value; NULL: not before `end`. */
static const char *kineto_value_end(const char *at, const char *end)
{
    for (size_t depth = 0; at < end;) {
        const char byte = *at++;
        if (byte == '"' && !(at = kineto_string_end(at, end)))
            return NULL;
        if (byte == '{' || byte == '[')
            depth++;
        else if (depth > 0 && (byte == '}' || byte == ']'))
            depth--;
        else if (depth == 0 && byte != '"')
            while (at < end && !strchr(",}] \t\r\n", *at))
                at++;
        if (depth == 0)
            return at < end ? at : NULL;
    }
    return NULL;
}

static const char *kineto_blank_end(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n,:", *at) && *at)
        at++;
    return at;
}

/* Moves to the first value of the array of events. */
static enum ert_status kineto_begin(struct kineto_text *text, struct ert_error *error)
{
    const size_t n_key = sizeof events_key - 1;
    do {
        const size_t n = text->end - text->begin;
        const char *end = text->buffer + text->end,
                   *found = n < n_key ? NULL : memmem(end - n, n, events_key, n_key),
                   *list = found ? kineto_blank_end(found + n_key, end) : end;
        if (list < end) {
            text->begin = (size_t)(list - text->buffer) + 1;
            if (*list == '[')
                return ERT_OK;
        } else if (!found && n > n_key) {
            text->begin = text->end - n_key;
        }
    } while (kineto_fill(text));
    return ert_fail(error, ERT_USAGE, "%.200s: no array %s", text->lines->file, events_key);
}

/* The next event, an object of the array; *object has no text at the end of the array. */
static enum ert_status kineto_next(struct kineto_text *text, struct slice *object,
                                   struct ert_error *error)
{
    *object = (struct slice){NULL, 0};
    do {
        const char *end = text->buffer + text->end,
                   *at = kineto_blank_end(text->buffer + text->begin, end);
        if (at < end && *at == ']')
            return ERT_OK;
        const char *next = at < end ? kineto_value_end(at, end) : NULL;
        if (next) {
            *object = (struct slice){at, (size_t)(next - at)};
            text->begin = (size_t)(next - text->buffer);
            return ERT_OK;
        }
    } while (kineto_fill(text));
    return ert_fail(
        error, ERT_USAGE,
        text->end - text->begin < KINETO_LONGEST
            ? "%.200s: ends within an event, at byte %zu: the trace is incomplete"
            : "%.200s: the event at byte %zu is longer than 64 MiB",
        text->lines->file, text->offset + text->begin);
}

/* What is read of an event, and its key; the arguments are of its object "args". */
#define MEMBERS(ROW)                                                                       \
    ROW(CATEGORY, "cat")                                                                   \
    ROW(NAME, "name")                                                                      \
    ROW(START, "ts")                                                                       \
    ROW(DURATION, "dur")                                                                   \
    ROW(ID, "External id")                                                                 \
    ROW(LAUNCH, "correlation")                                                             \
    ROW(BYTES, "bytes")                                                                    \
    ROW(DIMS, "Input Dims")                                                                \
    ROW(TYPES, "Input type")                                                               \
    ROW(STRIDES, "Input Strides")                                                          \
    ROW(VALUES, "Concrete Inputs")                                                         \
    ROW(COLLECTIVE, "Collective name")
#define MEMBER(id, key) id,
#define KEY(id, key)    key,
enum member { MEMBERS(MEMBER) N_MEMBERS };
static const char *const member_keys[N_MEMBERS] = {MEMBERS(KEY)};

/* Collects the members of an event or of its "args"; strings without their quotation marks. */
static void kineto_members(struct slice object, bool is_event,
                           struct slice members[N_MEMBERS])
{
    const char *at = object.text + 1, *end = object.text + object.n;
    while ((at = kineto_blank_end(at, end)) < end && *at == '"') {
        const char *key = at + 1, *key_end = kineto_string_end(key, end);
        const char *value = key_end ? kineto_blank_end(key_end, end) : end,
                   *next = value < end ? kineto_value_end(value, end) : NULL;
        if (!next)
            return;
        const size_t n_key = (size_t)(key_end - key) - 1;
        const bool is_text = *value == '"';
        const struct slice found = {value + is_text, (size_t)(next - value) - 2 * is_text};
        if (is_event && n_key == 4 && memcmp(key, "args", 4) == 0)
            kineto_members(found, false, members);
        for (size_t i = 0; i < N_MEMBERS; i++)
            if (strlen(member_keys[i]) == n_key && memcmp(member_keys[i], key, n_key) == 0)
                members[i] = found;
        at = next;
    }
}

static bool kineto_is(struct slice slice, const char *text)
{
    return slice.n == strlen(text) && memcmp(slice.text, text, slice.n) == 0;
}

static double kineto_number(struct slice slice)
{
    return slice.n ? strtod(slice.text, NULL) : NAN;
}

/* An operator that was called, and what the device did for one. */
struct kineto_call {
    double id;
    size_t group;
    bool is_started; /* work on the device; of some traces by one of those with the id */
};
struct kineto_work {
    double start_us, time_us, id, launch, bytes;
    size_t kernel; /* its name's index in the groups' keys */
};

/* Calls of one operator with the same arguments: a point. */
struct kineto_group {
    double time_us, longest_us, n_calls, n_kernels, n_copies, bytes;
    size_t longest; /* the kernel's index in the keys */
    unsigned units;
};

struct kineto {
    const struct rfl_import *in;
    struct kineto_text text;
    /* JSON arrays: ["name", dims, types, strides, values] of an operator, ["name"] of a kernel. */
    struct ert_strings keys;
    struct ert_strings names;    /* of points, in their order */
    struct kineto_call *calls;   /* malloc */
    struct kineto_work *works;   /* malloc */
    struct kineto_group *groups; /* malloc; by the keys' indices */
    double *graphs;              /* malloc; their launches */
    size_t n_calls, room_calls, n_works, room_works, n_graphs, room_graphs;
    char *key; /* malloc */
    size_t room_key;
};

/* The index of the key of an operator, or of a kernel. */
static size_t kineto_key(struct kineto *kineto, const struct slice members[N_MEMBERS],
                         bool is_kernel)
{
    static const enum member parts[] = {NAME, DIMS, TYPES, STRIDES, VALUES};
    /* Longer ones are numbers, and differ from call to call. */
    enum { LONGEST_VALUES = 512 };
    const size_t n_parts = is_kernel ? 1 : ERT_LENGTH(parts);
    size_t n = 0, room = 16;
    for (size_t i = 0; i < n_parts; i++)
        room += members[parts[i]].n + 8;
    if (room > kineto->room_key)
        kineto->key = ert_xrealloc(kineto->key, kineto->room_key = 2 * room, 1);
    for (size_t i = 0; i < n_parts; i++) {
        struct slice part = members[parts[i]];
        const char *quote = parts[i] == NAME ? "\"" : "";
        if (parts[i] != NAME && (!part.n || (i == n_parts - 1 && part.n > LONGEST_VALUES)))
            part = (struct slice){"[]", 2};
        n += (size_t)snprintf(kineto->key + n, kineto->room_key - n, "%s%s%.*s%s",
                              i ? "," : "[", quote, (int)part.n, part.text, quote);
    }
    snprintf(kineto->key + n, kineto->room_key - n, "]");
    return ert_strings_index(&kineto->keys, kineto->key);
}

/* Keeps what is needed of an event; false: the device's work has no time. */
static bool kineto_take(struct kineto *kineto, struct slice object)
{
    struct slice members[N_MEMBERS] = {{0}};
    kineto_members(object, true, members);
    const struct slice category = members[CATEGORY];
    const bool is_kernel = kineto_is(category, "kernel"),
               is_work = is_kernel || kineto_is(category, "gpu_memcpy") ||
                         kineto_is(category, "gpu_memset");
    if (members[COLLECTIVE].n) /* of NCCL's "record_param_comms" */
        members[NAME] = members[COLLECTIVE];
    if (kineto_is(category, "cpu_op") && members[ID].n) {
        kineto->calls = ert_xgrow(kineto->calls, kineto->n_calls, &kineto->room_calls,
                                  sizeof *kineto->calls);
        kineto->calls[kineto->n_calls++] = (struct kineto_call){
            .id = kineto_number(members[ID]), .group = kineto_key(kineto, members, false)};
    }
    const struct slice name = members[NAME];
    if (members[LAUNCH].n && name.n && memmem(name.text, name.n, "GraphLaunch", 11)) {
        kineto->graphs = ert_xgrow(kineto->graphs, kineto->n_graphs, &kineto->room_graphs,
                                   sizeof *kineto->graphs);
        kineto->graphs[kineto->n_graphs++] = kineto_number(members[LAUNCH]);
    }
    if (!is_work)
        return true;
    const struct kineto_work work = {.id = kineto_number(members[ID]),
                                     .launch = kineto_number(members[LAUNCH]),
                                     .start_us = kineto_number(members[START]),
                                     .time_us = kineto_number(members[DURATION]),
                                     .bytes = is_kernel ? 0 : kineto_number(members[BYTES]),
                                     .kernel = kineto_key(kineto, members, true)};
    kineto->works =
        ert_xgrow(kineto->works, kineto->n_works, &kineto->room_works, sizeof work);
    kineto->works[kineto->n_works++] = work;
    return isfinite(work.start_us) && work.time_us >= 0 && work.time_us < 1e15;
}

/* Of structs that begin with a number. */
static int kineto_by_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sums the device's work by the operators that started it; the one that launched a graph is none of them. */
static void kineto_sum(struct kineto *kineto)
{
    kineto->groups = ert_xcalloc(kineto->keys.n_texts + 1, sizeof *kineto->groups);
    if (kineto->n_calls)
        qsort(kineto->calls, kineto->n_calls, sizeof *kineto->calls, kineto_by_first);
    if (kineto->n_graphs)
        qsort(kineto->graphs, kineto->n_graphs, sizeof *kineto->graphs, kineto_by_first);
    for (size_t i = 0; i < kineto->n_works; i++) {
        const struct kineto_work *work = &kineto->works[i];
        const bool is_graph = kineto->n_graphs > 0 && isfinite(work->launch) &&
                              bsearch(&work->launch, kineto->graphs, kineto->n_graphs,
                                      sizeof work->launch, kineto_by_first);
        const struct kineto_call wanted = {.id = work->id};
        struct kineto_call *call = NULL;
        if (kineto->n_calls > 0 && isfinite(work->id) && !is_graph)
            call = bsearch(&wanted, kineto->calls, kineto->n_calls, sizeof wanted,
                           kineto_by_first);
        if (call)
            call->is_started = true;
        struct kineto_group *group = &kineto->groups[call ? call->group : work->kernel];
        group->n_kernels++;
        group->time_us += work->time_us;
        group->units |= operator_units(kineto->keys.texts[work->kernel]);
        group->bytes += work->bytes > 0 ? work->bytes : 0;
        group->n_copies += work->bytes > 0;
        if (work->time_us > group->longest_us) {
            group->longest_us = work->time_us;
            group->longest = work->kernel;
        }
    }
    for (size_t i = 0, end; i < kineto->n_calls;) {
        const struct kineto_call *calls = kineto->calls;
        bool is_started = calls[i].is_started;
        for (end = i + 1; end < kineto->n_calls && calls[end].id == calls[i].id; end++)
            is_started |= calls[end].is_started;
        for (; i < end; i++)
            kineto->groups[calls[i].group].n_calls += is_started;
    }
}

/* The time in which the device worked, and that from its first to its last work. */
static void kineto_times(struct kineto *kineto)
{
    double busy = 0, end = -INFINITY;
    qsort(kineto->works, kineto->n_works, sizeof *kineto->works, kineto_by_first);
    for (size_t i = 0; i < kineto->n_works; i++) {
        const double start = kineto->works[i].start_us,
                     stop = start + kineto->works[i].time_us;
        busy += fmax(0, stop - fmax(start, end));
        end = fmax(end, stop);
    }
    kineto->in->points->busy_s += busy / 1e6;
    kineto->in->points->elapsed_s += (end - kineto->works[0].start_us) / 1e6;
}

/* Copies and fills, of which the trace has the bytes; those from GPU to GPU have no level here. */
static void kineto_put_copy(struct rfl_point *point, const char *kernel, bool is_of_host,
                            double bytes)
{
    static const char recipe[] = "bytes of the trace";
    if (is_of_host)
        rfl_points_accesses(point, "host", bytes, NAN, false, recipe);
    else if (strstr(kernel, "DtoD"))
        rfl_points_accesses(point, "HBM", 2 * bytes, bytes, false, recipe);
    else if (strstr(kernel, "Memset"))
        rfl_points_accesses(point, "HBM", bytes, 0, false, recipe);
}

static void kineto_put_operator(struct rfl_point *point,
                                const struct operator_counts *counted, double n)
{
    static const char recipe[] = "shapes of the arguments (operators.def)";
    if (counted->flops > 0)
        rfl_points_work(point, counted->type, counted->unit, n * counted->flops, 1, recipe);
    if (counted->bytes > 0) {
        rfl_points_accesses(point, "HBM", n * counted->bytes, n * counted->read_bytes,
                            false, recipe);
        rfl_points_accesses(point, "L2", n * counted->bytes, n * counted->read_bytes, false,
                            recipe);
        rfl_points_value(point, "bytes_at_once", counted->bytes);
    }
    if (counted->why) {
        rfl_points_missing(point, "operations", "%s", counted->why);
        rfl_points_missing(point, "HBM bytes", "%s", counted->why);
    }
}

/* The point of a call's name and shapes; NULL: not one that is wanted. */
static struct rfl_point *kineto_point(struct kineto *kineto,
                                      const struct operator_call *call)
{
    struct rfl_points *points = kineto->in->points;
    const char *wanted = kineto->in->options->region;
    char name[1024];
    snprintf(name, sizeof name - 256, "%s", call->name);
    operator_shapes(call, name + strlen(name), sizeof name - strlen(name));
    if (wanted && !strstr(name, wanted) && !strstr(call->kernel, wanted))
        return NULL;
    const size_t n = kineto->names.n_texts, i = ert_strings_index(&kineto->names, name);
    return i < n ? &points->points[kineto->in->first + i] : rfl_points_add(points, name);
}

static void kineto_put(struct kineto *kineto, size_t i)
{
    const struct kineto_group *group = &kineto->groups[i];
    cJSON *root = cJSON_Parse(kineto->keys.texts[i]),
          *longest = cJSON_Parse(kineto->keys.texts[group->longest]);
    const char *kernel = cJSON_GetStringValue(cJSON_GetArrayItem(longest, 0));
    const struct operator_call call = {
        .name = cJSON_GetStringValue(cJSON_GetArrayItem(root, 0)),
        .kernel = kernel ? kernel : "",
        .units = group->units,
        .dims = cJSON_GetArrayItem(root, 1),
        .types = cJSON_GetArrayItem(root, 2),
        .strides = cJSON_GetArrayItem(root, 3),
        .values = cJSON_GetArrayItem(root, 4),
    };
    struct rfl_point *point = call.name ? kineto_point(kineto, &call) : NULL;
    if (point) {
        const struct operator_counts counted =
            call.dims
                ? operator_count(&call)
                : (struct operator_counts){.why = "no operator started it, or a graph did"};
        point->time_s += group->time_us / 1e6;
        point->time_recipe = "kernels of the operator (Kineto)";
        point->launches += group->n_kernels;
        /* Its shapes do not tell that one side of a copy is the host's memory. */
        const bool is_of_host = strstr(call.kernel, "HtoD") || strstr(call.kernel, "DtoH");
        if (group->n_copies == group->n_kernels && (is_of_host || !(counted.bytes > 0)))
            kineto_put_copy(point, call.kernel, is_of_host, group->bytes);
        else
            kineto_put_operator(point, &counted, group->n_calls);
    }
    cJSON_Delete(root);
    cJSON_Delete(longest);
}

static enum ert_status kineto_read_events(struct kineto *kineto, struct ert_error *error)
{
    struct slice object;
    ERT_TRY(kineto_begin(&kineto->text, error));
    for (;;) {
        ERT_TRY(kineto_next(&kineto->text, &object, error));
        if (!object.text)
            break;
        if (*object.text == '{' && !kineto_take(kineto, object))
            return ert_fail(
                error, ERT_USAGE,
                "%.200s: byte %zu: a kernel or copy without a start or duration",
                kineto->in->lines->file, kineto->text.offset + kineto->text.begin);
    }
    if (!kineto->n_works)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no kernel ran on a device: profile with "
                        "ProfilerActivity.CUDA",
                        kineto->in->lines->file);
    kineto_sum(kineto);
    kineto_times(kineto);
    for (size_t i = 0; i < kineto->keys.n_texts; i++)
        if (kineto->groups[i].n_kernels > 0)
            kineto_put(kineto, i);
    return ERT_OK;
}

static enum ert_status kineto_read(const struct rfl_import *in, struct ert_error *error)
{
    struct kineto kineto = {.in = in, .text = {.lines = in->lines}};
    enum ert_status status = kineto_read_events(&kineto, error);
    in->points->origin = "PyTorch profiler (Kineto)";
    ert_strings_free(&kineto.keys);
    ert_strings_free(&kineto.names);
    free(kineto.calls);
    free(kineto.works);
    free(kineto.groups);
    free(kineto.graphs);
    free(kineto.key);
    free(kineto.text.buffer);
    return status;
}

static bool kineto_recognizes(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && strstr(head, events_key);
}

const struct rfl_importer rfl_import_kineto = {
    .name = "kineto",
    .summary = "PyTorch's profiler: operators, by the shapes of their arguments",
    .how = "with torch.profiler.profile(record_shapes=True) as p: ...; "
           "p.export_chrome_trace(\"FILE.json.gz\")",
    .device = RFL_PROFILED_GPU,
    .recognizes = kineto_recognizes,
    .read = kineto_read,
};
