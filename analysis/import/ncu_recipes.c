#include "analysis/import/ncu_recipes.h"

#include "analysis/points.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIELD(member) offsetof(struct rfl_point, member)

#define ROW(quantity, ...) [quantity] = {__VA_ARGS__}
static const struct rfl_ncu_quantity_row quantities[NCU_N_QUANTITIES] = {
    ROW(NCU_Q_TIME, "time", NCU_TO_TIME, "", "", 0, true),
    ROW(NCU_Q_FP64, "fp64 flops", NCU_TO_WORK, "fp64", "core", 0, false),
    ROW(NCU_Q_FP32, "fp32 flops", NCU_TO_WORK, "fp32", "core", 0, false),
    ROW(NCU_Q_FP16, "fp16 flops", NCU_TO_WORK, "fp16", "core", 0, false),
    ROW(NCU_Q_INT32, "int32 operations", NCU_TO_WORK, "int32", "core", 0, false),
    ROW(NCU_Q_TENSOR_FP64, "fp64 tensor flops", NCU_TO_WORK, "fp64", "tensor", 0, false),
    ROW(NCU_Q_TENSOR_TF32, "tf32 tensor flops", NCU_TO_WORK, "tf32", "tensor", 0, false),
    ROW(NCU_Q_TENSOR_BF16, "bf16 tensor flops", NCU_TO_WORK, "bf16", "tensor", 0, false),
    ROW(NCU_Q_TENSOR_FP16, "fp16 tensor flops", NCU_TO_WORK, "fp16", "tensor", 0, false),
    ROW(NCU_Q_TENSOR_FP8, "fp8 tensor flops", NCU_TO_WORK, "fp8", "tensor", 0, false),
    ROW(NCU_Q_TENSOR_INT8, "int8 tensor operations", NCU_TO_WORK, "int8", "tensor", 0,
        false),
    ROW(NCU_Q_L1, "L1 bytes", NCU_TO_TRAFFIC, "L1", "", 0, true),
    ROW(NCU_Q_SHARED, "shared bytes", NCU_TO_TRAFFIC, "shared", "", 0, false),
    ROW(NCU_Q_L2, "L2 bytes", NCU_TO_TRAFFIC, "L2", "", 0, true),
    ROW(NCU_Q_HBM, "HBM bytes", NCU_TO_TRAFFIC, "HBM", "", 0, true),
    ROW(NCU_Q_HOST, "host bytes", NCU_TO_TRAFFIC, "host", "", 0, false),
    ROW(NCU_Q_INSTRUCTIONS, "instructions", NCU_TO_SUM, "", "", FIELD(instructions), false),
    ROW(NCU_Q_CLOCK, "SM clock", NCU_TO_MEAN, "", "", FIELD(clock_hz), false),
    ROW(NCU_Q_MEMORY_CLOCK, "memory clock", NCU_TO_MEAN, "", "", FIELD(memory_clock_hz),
        false),
    ROW(NCU_Q_WARPS, "warps per SM", NCU_TO_MEAN, "", "", FIELD(warps_per_sm), false),
    ROW(NCU_Q_REGISTERS, "registers", NCU_TO_MAX, "", "", FIELD(registers), false),
    ROW(NCU_Q_DADD, "dadd", NCU_TO_VALUE_SUM, "dadd", "", 0, false),
    ROW(NCU_Q_DMUL, "dmul", NCU_TO_VALUE_SUM, "dmul", "", 0, false),
    ROW(NCU_Q_DFMA, "dfma", NCU_TO_VALUE_SUM, "dfma", "", 0, false),
#define VALUE(id, key, ...) ROW(NCU_Q_##id, key, NCU_TO_VALUE_MEAN, key, "", 0, false)
#include "analysis/import/ncu_values.def"
#undef VALUE
};
#undef ROW

#define TIMES(metric)                                                                      \
    {                                                                                      \
        metric, NCU_NONE                                                                   \
    }
#define NO_TIMES   TIMES(NCU_NONE)
#define NO_FACTORS NO_TIMES, NCU_NONE
#define PLAIN      NO_FACTORS, false, NULL, NULL, NULL
#define WITH_FMA   NO_FACTORS, true, NULL, NULL, NULL
/* Counts per cycle times cycles; where those are not there, times clock times time. */
#define PER_CYCLE      TIMES(NCU_CYCLES), NCU_NONE, true, NULL, NULL, NULL
#define PER_CLOCK      {NCU_CLOCK, NCU_TIME}, NCU_NONE, true, NULL, NULL, NULL
#define PER_SECOND(l2) TIMES(NCU_TIME), NCU_NONE, false, l2, NULL, NULL
#define L2(l2)         NO_FACTORS, false, l2, NULL, NULL
#define REASON(text)   NO_FACTORS, false, NULL, NULL, text

#define PER_CYCLE_ROWS(quantity, text, ...)                                                \
    ROW(quantity, text " per cycle x cycles", TERMS(__VA_ARGS__), PER_CYCLE),              \
        ROW(quantity, text " per cycle x clock x time", TERMS(__VA_ARGS__), PER_CLOCK)

/*
 * FP16: each counted instruction is one HADD2, HMUL2 or HFMA2 of a thread, on a pair of numbers. On
 * an H200 (ncu 2025.3) 65536 threads with 64 __hfma2 each count 4194304, and the same with 64 __hfma
 * on single numbers count 4194304 too: from cc 7.0 on there is only the paired instruction. So they
 * count as pairs, as in NVIDIA's own roofline sections (op_hfma_pred_on_x4); code on single numbers
 * does half of that, and no counter tells them apart. bf16 pairs count here as well.
 *
 * ops_dadd_dmul_dfma_pred_on counts an FMA once (on the same GPU: 1048576 dadd + 4194304 dfma give
 * 5242880): no operations come from it.
 *
 * Tensor: sm__ops_path_tensor_* are operations (256 warps with 16 wmma 16x16x16 count
 * 33554432 = 256 * 16 * 2 * 16^3). The instructions of the pipe are of many sizes; 512 operations
 * each is Volta's HMMA (C. Yang, "Hierarchical Roofline Analysis", arXiv:2009.02449).
 *
 * L1: sectors and bytes of the tag stage agree (32768 sectors, 1048576 bytes in the kernel above).
 * Shared memory: a wavefront moves 32 banks of 4 bytes. The total counts one more per warp in kernels
 * without any shared memory, so its parts go first.
 */
#define OPS_REASON                                                                         \
    "this metric counts an FMA once: add ..op_{d,f,h}{add,mul,fma}_pred_on.sum"
#define HALF "2 hadd + 2 hmul + 4 hfma, as pairs (sm__sass_thread_inst)"

#define T(metric, weight)                                                                  \
    {                                                                                      \
        metric, weight                                                                     \
    }
#define TERMS(...)                                                                         \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define ROW(...)                                                                           \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
static const struct rfl_ncu_recipe recipes[] = {
    ROW(NCU_Q_TIME, "gpu__time_duration.sum", TERMS(T(NCU_TIME, 1)), PLAIN),
    ROW(NCU_Q_TIME, "sm__cycles_elapsed.avg / .per_second", TERMS(T(NCU_CYCLES, 1)),
        NO_TIMES, NCU_CLOCK, false, NULL, NULL, NULL),

    ROW(NCU_Q_FP64, "dadd + dmul + 2 dfma (sm__sass_thread_inst)",
        TERMS(T(NCU_DADD, 1), T(NCU_DMUL, 1), T(NCU_DFMA, 2)), WITH_FMA),
    PER_CYCLE_ROWS(NCU_Q_FP64, "dadd + dmul + 2 dfma", T(NCU_DADD_CYCLE, 1),
                   T(NCU_DMUL_CYCLE, 1), T(NCU_DFMA_CYCLE, 2)),
    PER_CYCLE_ROWS(NCU_Q_FP64, "dadd + dmul + dfma_x2", T(NCU_DADD_CYCLE, 1),
                   T(NCU_DMUL_CYCLE, 1), T(NCU_DFMA_X2, 1)),
    ROW(NCU_Q_FP64, "", TERMS(T(NCU_OPS_FP64, 1)), REASON(OPS_REASON)),

    ROW(NCU_Q_FP32, "fadd + fmul + 2 ffma (sm__sass_thread_inst)",
        TERMS(T(NCU_FADD, 1), T(NCU_FMUL, 1), T(NCU_FFMA, 2)), WITH_FMA),
    PER_CYCLE_ROWS(NCU_Q_FP32, "fadd + fmul + 2 ffma", T(NCU_FADD_CYCLE, 1),
                   T(NCU_FMUL_CYCLE, 1), T(NCU_FFMA_CYCLE, 2)),
    PER_CYCLE_ROWS(NCU_Q_FP32, "fadd + fmul + ffma_x2", T(NCU_FADD_CYCLE, 1),
                   T(NCU_FMUL_CYCLE, 1), T(NCU_FFMA_X2, 1)),
    ROW(NCU_Q_FP32, "", TERMS(T(NCU_OPS_FP32, 1)), REASON(OPS_REASON)),

    ROW(NCU_Q_FP16, HALF, TERMS(T(NCU_HADD, 2), T(NCU_HMUL, 2), T(NCU_HFMA, 4)), WITH_FMA),
    PER_CYCLE_ROWS(NCU_Q_FP16, "2 hadd + 2 hmul + 4 hfma, as pairs,", T(NCU_HADD_CYCLE, 2),
                   T(NCU_HMUL_CYCLE, 2), T(NCU_HFMA_CYCLE, 4)),
    PER_CYCLE_ROWS(NCU_Q_FP16, "2 hadd + 2 hmul + hfma_x4, as pairs,", T(NCU_HADD_CYCLE, 2),
                   T(NCU_HMUL_CYCLE, 2), T(NCU_HFMA_X4, 1)),
    ROW(NCU_Q_FP16, "", TERMS(T(NCU_OPS_FP16, 1)), REASON(OPS_REASON)),

    ROW(NCU_Q_INT32, "integer instructions of threads", TERMS(T(NCU_INTEGER, 1)), PLAIN),

    ROW(NCU_Q_TENSOR_FP64, "sm__ops_path_tensor_src_fp64.sum", TERMS(T(NCU_TENSOR_FP64, 1)),
        PLAIN),
    ROW(NCU_Q_TENSOR_TF32, "sm__ops_path_tensor_src_tf32_dst_fp32.sum",
        TERMS(T(NCU_TENSOR_TF32, 1)), PLAIN),
    ROW(NCU_Q_TENSOR_BF16, "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
        TERMS(T(NCU_TENSOR_BF16, 1)), PLAIN),
    ROW(NCU_Q_TENSOR_FP16, "sm__ops_path_tensor_src_fp16.sum", TERMS(T(NCU_TENSOR_FP16, 1)),
        PLAIN),
    ROW(NCU_Q_TENSOR_FP16, "sm__ops_path_tensor_src_fp16_dst_fp32.sum + .._dst_fp16.sum",
        TERMS(T(NCU_TENSOR_FP16_FP32, 1), T(NCU_TENSOR_FP16_FP16, 1)), PLAIN),
    ROW(NCU_Q_TENSOR_FP16, "sm__ops_path_tensor_src_fp16_dst_fp32.sum",
        TERMS(T(NCU_TENSOR_FP16_FP32, 1)), PLAIN),
    ROW(NCU_Q_TENSOR_FP16, "sm__inst_executed_pipe_tensor.sum x 512",
        TERMS(T(NCU_TENSOR_PIPE, 512)), NO_FACTORS, false, NULL, "7.0", NULL),
    ROW(NCU_Q_TENSOR_FP16, "", TERMS(T(NCU_TENSOR_PIPE, 1)),
        REASON("this metric counts instructions of many sizes (512 operations each is true "
               "for cc 7.0 only): add sm__ops_path_tensor_*")),
    ROW(NCU_Q_TENSOR_FP8, "sm__ops_path_tensor_src_fp8.sum", TERMS(T(NCU_TENSOR_FP8, 1)),
        PLAIN),
    ROW(NCU_Q_TENSOR_INT8, "sm__ops_path_tensor_src_int8.sum", TERMS(T(NCU_TENSOR_INT8, 1)),
        PLAIN),

    ROW(NCU_Q_L1, "l1tex__t_bytes.sum", TERMS(T(NCU_L1_BYTES, 1)), PLAIN),
    ROW(NCU_Q_L1, "l1tex__t_bytes.sum.per_second x time", TERMS(T(NCU_L1_RATE, 1)),
        PER_SECOND(NULL)),
    ROW(NCU_Q_L1, "l1tex__t_sectors_pipe_lsu_mem_{global,local}_op_*.sum x 32 B",
        TERMS(T(NCU_L1_GLOBAL_LD, 32), T(NCU_L1_GLOBAL_ST, 32), T(NCU_L1_LOCAL_LD, 32),
              T(NCU_L1_LOCAL_ST, 32), T(NCU_L1_GLOBAL_ATOM, 32), T(NCU_L1_GLOBAL_RED, 32)),
        PLAIN),

    ROW(NCU_Q_SHARED,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st,atom}.sum x 128 B",
        TERMS(T(NCU_SHARED_LD, 128), T(NCU_SHARED_ST, 128), T(NCU_SHARED_ATOM, 128)),
        PLAIN),
    ROW(NCU_Q_SHARED, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}.sum x 128 B",
        TERMS(T(NCU_SHARED_LD, 128), T(NCU_SHARED_ST, 128)), PLAIN),
    ROW(NCU_Q_SHARED, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum x 128 B",
        TERMS(T(NCU_SHARED, 128)), PLAIN),

    ROW(NCU_Q_L2, "lts__t_sectors_srcunit_tex.sum x 32 B", TERMS(T(NCU_L2_TEX, 32)),
        L2("sm")),
    ROW(NCU_Q_L2, "lts__t_sectors_srcunit_tex_op_{read,write}.sum x 32 B",
        TERMS(T(NCU_L2_TEX_READ, 32), T(NCU_L2_TEX_WRITE, 32)), L2("sm")),
    ROW(NCU_Q_L2,
        "l1tex__m_xbar2l1tex_read_bytes.sum + l1tex__m_l1tex2xbar_write_bytes.sum",
        TERMS(T(NCU_L2_XBAR_READ, 1), T(NCU_L2_XBAR_WRITE, 1)), L2("sm")),
    ROW(NCU_Q_L2, "lts__t_bytes.sum (all that L2 serves)", TERMS(T(NCU_L2_BYTES, 1)),
        L2("lts")),
    ROW(NCU_Q_L2, "lts__t_bytes.sum.per_second x time (all that L2 serves)",
        TERMS(T(NCU_L2_RATE, 1)), PER_SECOND("lts")),
    ROW(NCU_Q_L2, "lts__t_sectors.sum x 32 B (all that L2 serves)",
        TERMS(T(NCU_L2_SECTORS, 32)), L2("lts")),

    ROW(NCU_Q_HBM, "dram__bytes.sum", TERMS(T(NCU_DRAM, 1)), PLAIN),
    ROW(NCU_Q_HBM, "dram__bytes_read.sum + dram__bytes_write.sum",
        TERMS(T(NCU_DRAM_READ, 1), T(NCU_DRAM_WRITE, 1)), PLAIN),
    ROW(NCU_Q_HBM, "dram__bytes.sum.per_second x time", TERMS(T(NCU_DRAM_RATE, 1)),
        PER_SECOND(NULL)),
    ROW(NCU_Q_HOST, "lts__t_sectors_srcunit_tex_aperture_sysmem.sum x 32 B",
        TERMS(T(NCU_SYSMEM, 32)), PLAIN),

    ROW(NCU_Q_INSTRUCTIONS, "smsp__inst_executed.sum", TERMS(T(NCU_INSTRUCTIONS, 1)),
        PLAIN),
    ROW(NCU_Q_CLOCK, "sm__cycles_elapsed.avg.per_second", TERMS(T(NCU_CLOCK, 1)), PLAIN),
    ROW(NCU_Q_MEMORY_CLOCK, "dram__cycles_elapsed.avg.per_second",
        TERMS(T(NCU_MEMORY_CLOCK, 1)), PLAIN),
    ROW(NCU_Q_WARPS, "sm__warps_active.avg.per_cycle_active", TERMS(T(NCU_WARPS, 1)),
        PLAIN),
    ROW(NCU_Q_WARPS, "sm__warps_active.avg.pct_of_peak_sustained_active x warps of an SM",
        TERMS(T(NCU_WARPS_PERCENT, 0.01)), TIMES(NCU_WARPS_LIMIT), NCU_NONE, false, NULL,
        NULL, NULL),
    ROW(NCU_Q_REGISTERS, "launch__registers_per_thread", TERMS(T(NCU_REGISTERS, 1)), PLAIN),
    ROW(NCU_Q_DADD, "dadd", TERMS(T(NCU_DADD, 1)), PLAIN),
    ROW(NCU_Q_DMUL, "dmul", TERMS(T(NCU_DMUL, 1)), PLAIN),
    ROW(NCU_Q_DFMA, "dfma", TERMS(T(NCU_DFMA, 1)), PLAIN),
#define VALUE(id, key, factor, name)                                                       \
    ROW(NCU_Q_##id, name, TERMS(T(NCU_V_##id, factor)), PLAIN)
#include "analysis/import/ncu_values.def"
#undef VALUE
};
#undef ROW

const struct rfl_ncu_quantity_row *rfl_ncu_quantity(enum rfl_ncu_quantity quantity)
{
    return &quantities[quantity];
}

const struct rfl_ncu_recipe *rfl_ncu_recipes(size_t *n)
{
    *n = sizeof recipes / sizeof recipes[0];
    return recipes;
}

bool rfl_ncu_recipe_applies(const struct rfl_ncu_recipe *recipe,
                            const struct rfl_ncu_launch *launch, const char *l2)
{
    return (!recipe->cc || strcmp(recipe->cc, launch->cc) == 0) &&
           (!recipe->l2 || !l2 || strcmp(recipe->l2, l2) == 0);
}

static bool has(const struct rfl_ncu_launch *launch, enum rfl_ncu_metric metric)
{
    return metric == NCU_NONE ||
           (launch->names[metric] && launch->kinds[metric] == ERT_NUMBER);
}

enum rfl_ncu_metric rfl_ncu_recipe_lacks(const struct rfl_ncu_recipe *recipe,
                                         const struct rfl_ncu_launch *launch)
{
    for (size_t t = 0; t < RFL_NCU_MAX_TERMS && recipe->terms[t].weight > 0; t++)
        if (!has(launch, recipe->terms[t].metric))
            return recipe->terms[t].metric;
    for (size_t t = 0; t < 2; t++)
        if (!has(launch, recipe->times[t]))
            return recipe->times[t];
    /* A time from a clock that stood is none. */
    if (recipe->per != NCU_NONE &&
        (!has(launch, recipe->per) || !(launch->values[recipe->per] > 0)))
        return recipe->per;
    return NCU_NONE;
}

/*
 * Which metrics tell reads from writes; a pair's units cancel. The first of which the launch has all
 * tells. Atomics are left out: they are both. Local memory is there only where code spills, so it may
 * be absent.
 */
static const struct {
    enum rfl_ncu_quantity quantity;
    enum rfl_ncu_metric read, write, more_read, more_write; /* the last two may be absent */
} splits[] = {
    {NCU_Q_L1,     NCU_L1_GLOBAL_LD, NCU_L1_GLOBAL_ST,  NCU_L1_LOCAL_LD, NCU_L1_LOCAL_ST},
    {NCU_Q_SHARED, NCU_SHARED_LD,    NCU_SHARED_ST,     NCU_NONE,        NCU_NONE       },
    {NCU_Q_L2,     NCU_L2_TEX_READ,  NCU_L2_TEX_WRITE,  NCU_NONE,        NCU_NONE       },
    {NCU_Q_L2,     NCU_L2_XBAR_READ, NCU_L2_XBAR_WRITE, NCU_NONE,        NCU_NONE       },
    {NCU_Q_HBM,    NCU_DRAM_READ,    NCU_DRAM_WRITE,    NCU_NONE,        NCU_NONE       },
};

static double value_of(const struct rfl_ncu_launch *launch, enum rfl_ncu_metric metric)
{
    return metric != NCU_NONE && has(launch, metric) ? launch->values[metric] : 0;
}

double rfl_ncu_read_share(enum rfl_ncu_quantity quantity,
                          const struct rfl_ncu_launch *launch)
{
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        if (splits[i].quantity != quantity || !has(launch, splits[i].read) ||
            !has(launch, splits[i].write))
            continue;
        double read =
            launch->values[splits[i].read] + value_of(launch, splits[i].more_read);
        double written =
            launch->values[splits[i].write] + value_of(launch, splits[i].more_write);
        return read + written > 0 ? read / (read + written) : NAN;
    }
    return NAN;
}

double rfl_ncu_recipe_value(const struct rfl_ncu_recipe *recipe,
                            const struct rfl_ncu_launch *launch, double *fma_share)
{
    double sum = 0, last = 0;
    for (size_t t = 0; t < RFL_NCU_MAX_TERMS && recipe->terms[t].weight > 0; t++)
        sum += last = recipe->terms[t].weight * launch->values[recipe->terms[t].metric];
    /* An FMA is one instruction of two operations. */
    *fma_share = recipe->has_fma && sum > 0 ? last / 2 / (sum - last / 2) : NAN;
    for (size_t t = 0; t < 2; t++)
        sum *= recipe->times[t] == NCU_NONE ? 1 : launch->values[recipe->times[t]];
    return recipe->per == NCU_NONE ? sum : sum / launch->values[recipe->per];
}
