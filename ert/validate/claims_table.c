#include "ert/validate/claims_table.h"

#include "ert/backend/ert110.h"

#define PART(operation, count)                                                             \
    {                                                                                      \
        ERT_OP_##operation, count                                                          \
    }
#define BESIDE     ERT_CLAIM_BESIDE
#define CHAIN      ERT_CLAIM_CHAIN
#define AS_FP16    ERT_CLAIM_AS_FP16
#define AS_FMA     ERT_CLAIM_AS_FMA
#define ONE_RESULT ERT_CLAIM_ONE_RESULT
#define OF(share, beside, ...)                                                             \
    {                                                                                      \
        {__VA_ARGS__}, share, beside                                                       \
    }
#define NONE OF(0, 0, PART(OTHER, 0))
#define CLAIMS(cpu, gpu)                                                                   \
    {                                                                                      \
        cpu, gpu                                                                           \
    }
#define CLAIM(...) CLAIMS(OF(__VA_ARGS__), OF(__VA_ARGS__))
#define NO_CLAIM   CLAIMS(NONE, NONE)

/* Of CPUs and of GPUs; all 0 where there is none. */
static const struct ert_claim claims[ERT_N_KERNELS][2] = {
#define ERT_KERNEL(id, class, type, op, flops, loads, stores, formula, purpose, leaves,    \
                   planted, ...)                                                           \
    [ERT_KERNEL_##id] = __VA_ARGS__,
#include "ert/kernels/kernels.def"
};

const struct ert_claim *ert_claim_find(enum ert_device_kind kind, enum ert_kernel_id kernel)
{
    return &claims[kernel][kind == ERT_DEVICE_GPU];
}

/* Adds a number of operations; without fused ones an FMA is two. */
static void want(const struct ert_code *code, enum ert_operation operation, size_t count,
                 size_t wanted[ERT_N_OPERATIONS])
{
    if (operation == ERT_OP_FMA && !code->is_fused) {
        wanted[ERT_OP_MUL] += count;
        wanted[ERT_OP_ADD] += count;
    } else {
        wanted[operation] += count;
    }
}

/*
 * ERT's chain (ert110.h), x = x*w + addend from `first` on. From 1 the compiler adds in the first step: w +
 * addend. A negation is an addition on GPUs, on CPUs a bit.
 */
static void want_chain(enum ert_device_kind kind, enum ert_kernel_id kernel,
                       const struct ert_code *code, size_t wanted[ERT_N_OPERATIONS])
{
    struct ert110_rule rule = ert110_rule(kernel);
    size_t steps = code->flops / 2;
    bool adds = rule.first == 1 || steps == 0;
    size_t fmas = steps - (adds && steps > 0);
    want(code, ERT_OP_FMA, code->passes * fmas, wanted);
    want(code, ERT_OP_ADD, code->passes * adds, wanted);
    want(code, ERT_OP_ADD, rule.negates && kind == ERT_DEVICE_GPU, wanted);
}

/* The vectors, or groups of four operations, that a part of the claim is for one of. */
static size_t unit_of(enum ert_device_kind kind, const struct ert_code *code)
{
    bool is_gpu = kind == ERT_DEVICE_GPU;
    if (code->passes > 0)
        return 1;
    if (code->chains > 0)
        return is_gpu ? (size_t)code->chains * code->steps : 4 * (size_t)code->chains;
    return code->vectors;
}

void ert_claim_wanted(enum ert_device_kind kind, enum ert_kernel_id kernel,
                      const struct ert_code *code, size_t wanted[ERT_N_OPERATIONS])
{
    const struct ert_claim *claim = ert_claim_find(kind, kernel);
    bool computes = code->chains > 0;
    size_t unit = unit_of(kind, code);
    size_t elements = 1; /* that one instruction of a memory kernel's arithmetic works on */
    if (kind == ERT_DEVICE_GPU && !computes)
        elements = code->vector_bytes / ert_type_bytes(ert_kernel_row(kernel)->type);
    for (int i = 0; i < ERT_N_OPERATIONS; i++)
        wanted[i] = 0;
    for (size_t i = 0; i < ERT_N_CLAIM_PARTS; i++) {
        struct ert_claim_part part = claim->parts[i];
        size_t count = computes ? part.count * unit / 4 : part.count * unit;
        if (code->is_moves && ert_operation_computes(part.operation))
            continue;
        want(code, part.operation,
             ert_operation_computes(part.operation) ? count * elements : count, wanted);
    }
    wanted[ERT_OP_OTHER] = 0;
    wanted[ERT_OP_PREFETCH] = code->prefetches;
    if (code->passes > 0)
        want_chain(kind, kernel, code, wanted);
}
