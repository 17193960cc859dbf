/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/operators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static const struct operator_type *operator_type(const struct rfl_operator_call *call,
                                                 int i)
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
static double operator_elements(const struct rfl_operator_call *call, int i)
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

static double operator_bytes(const struct rfl_operator_call *call, int i)
{
    const struct operator_type *type = operator_type(call, i);
    return type ? type->bytes * operator_elements(call, i) : 0;
}

/* Bytes of all arguments, each read once. */
static double operator_arguments(const struct rfl_operator_call *call)
{
    double bytes = 0;
    for (int i = 0; i < cJSON_GetArraySize(call->dims); i++)
        bytes += operator_bytes(call, i);
    return bytes;
}

/* The dimensions of an argument; NULL: not a tensor. */
static const cJSON *operator_dims(const struct rfl_operator_call *call, int i)
{
    return operator_type(call, i) ? cJSON_GetArrayItem(call->dims, i) : NULL;
}

/* Element k of a list of numbers that the trace has as text, "[2, 2]"; one number stands for all. */
static double operator_number(const struct rfl_operator_call *call, int i, int k)
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

unsigned rfl_operator_units(const char *kernel)
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
static void operator_unit(const struct rfl_operator_call *call, int i,
                          struct rfl_operator *counted)
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
static void rule_product(const struct rfl_operator_call *call, const int *at,
                         struct rfl_operator *counted)
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
static double operator_convolution_flops(const struct rfl_operator_call *call,
                                         const cJSON *met, int weight)
{
    const double channels = operator_at(met, 1);
    return channels > 0 ? 2 * operator_shape_elements(met, NULL) / channels *
                              operator_elements(call, weight)
                        : 0;
}

static void rule_convolution(const struct rfl_operator_call *call, const int *at,
                             struct rfl_operator *counted)
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
static void rule_transposed(const struct rfl_operator_call *call, const int *at,
                            struct rfl_operator *counted)
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
static void rule_convolution_backward(const struct rfl_operator_call *call, const int *at,
                                      struct rfl_operator *counted)
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
static void rule_attention(const struct rfl_operator_call *call, const int *at,
                           struct rfl_operator *counted)
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
static void rule_rnn(const struct rfl_operator_call *call, const int *at,
                     struct rfl_operator *counted)
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
static double operator_stretched(const struct rfl_operator_call *call, double *bytes)
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
static void rule_move(const struct rfl_operator_call *call, const int *at,
                      struct rfl_operator *counted)
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
static void rule_gather(const struct rfl_operator_call *call, const int *at,
                        struct rfl_operator *counted)
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
    void (*rule)(const struct rfl_operator_call *call, const int *at,
                 struct rfl_operator *counted); /* NULL: none is known */
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

struct rfl_operator rfl_operator_count(const struct rfl_operator_call *call)
{
    struct rfl_operator counted = {.type = "", .unit = ""};
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
        counted = (struct rfl_operator){
            .type = "",
            .unit = "",
            .why = "the trace has not all of its arguments (long lists are left out)"};
    return counted;
}

void rfl_operator_shapes(const struct rfl_operator_call *call, char *text, size_t size)
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
