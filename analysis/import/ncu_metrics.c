#include "analysis/import/ncu_metrics.h"

#include <stdlib.h>
#include <string.h>

/* Counters of the SMs stand under sm__ and, the same sums, under smsp__ (its four partitions). */
#define SASS(op, id)                                                                       \
    {"sm__sass_thread_inst_executed_op_" op "_pred_on.sum", id, NCU_IN_COUNTS, false},     \
    {                                                                                      \
        "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum", id, NCU_IN_COUNTS, false  \
    }
#define SASS_CYCLE(op, id)                                                                 \
    {"smsp__sass_thread_inst_executed_op_" op "_pred_on.sum.per_cycle_elapsed", id,        \
     NCU_IN_COUNTS, false},                                                                \
    {                                                                                      \
        "sm__sass_thread_inst_executed_op_" op "_pred_on.sum.per_cycle_elapsed", id,       \
            NCU_IN_COUNTS, false                                                           \
    }
#define SASS_OPS(ops, id)                                                                  \
    {"sm__sass_thread_inst_executed_ops_" ops "_pred_on.sum", id, NCU_IN_COUNTS, false},   \
    {                                                                                      \
        "smsp__sass_thread_inst_executed_ops_" ops "_pred_on.sum", id, NCU_IN_COUNTS,      \
            false                                                                          \
    }
#define COUNT(name, id)                                                                    \
    {                                                                                      \
        name, id, NCU_IN_COUNTS, false                                                     \
    }

#define IN(name, id, measure)                                                              \
    {                                                                                      \
        name, id, measure, false                                                           \
    }
#define LABEL(name, id, measure)                                                           \
    {                                                                                      \
        name, id, measure, true                                                            \
    }

static const struct rfl_ncu_name rows[] = {
    {"gpu__time_duration.sum",                            NCU_TIME,          NCU_IN_SECONDS,     false},
    {"gpu__time_duration.avg",                            NCU_TIME,          NCU_IN_SECONDS,     false},
    {"Duration",                                          NCU_TIME,          NCU_IN_SECONDS,     true },
    COUNT("sm__cycles_elapsed.avg", NCU_CYCLES),
    COUNT("smsp__cycles_elapsed.avg", NCU_CYCLES),
    {"Elapsed Cycles",                                    NCU_CYCLES,        NCU_IN_COUNTS,      true },
    {"sm__cycles_elapsed.avg.per_second",                 NCU_CLOCK,         NCU_IN_HZ,          false},
    {"smsp__cycles_elapsed.avg.per_second",               NCU_CLOCK,         NCU_IN_HZ,          false},
    {"SM Frequency",                                      NCU_CLOCK,         NCU_IN_HZ,          true },
    {"dram__cycles_elapsed.avg.per_second",               NCU_MEMORY_CLOCK,  NCU_IN_HZ,          false},
    {"DRAM Frequency",                                    NCU_MEMORY_CLOCK,  NCU_IN_HZ,          true },
    {"Memory Frequency",                                  NCU_MEMORY_CLOCK,  NCU_IN_HZ,          true },
    SASS("dadd", NCU_DADD),
    SASS("dmul", NCU_DMUL),
    SASS("dfma", NCU_DFMA),
    SASS("fadd", NCU_FADD),
    SASS("fmul", NCU_FMUL),
    SASS("ffma", NCU_FFMA),
    SASS("hadd", NCU_HADD),
    SASS("hmul", NCU_HMUL),
    SASS("hfma", NCU_HFMA),
    SASS_CYCLE("dadd", NCU_DADD_CYCLE),
    SASS_CYCLE("dmul", NCU_DMUL_CYCLE),
    SASS_CYCLE("dfma", NCU_DFMA_CYCLE),
    SASS_CYCLE("fadd", NCU_FADD_CYCLE),
    SASS_CYCLE("fmul", NCU_FMUL_CYCLE),
    SASS_CYCLE("ffma", NCU_FFMA_CYCLE),
    SASS_CYCLE("hadd", NCU_HADD_CYCLE),
    SASS_CYCLE("hmul", NCU_HMUL_CYCLE),
    SASS_CYCLE("hfma", NCU_HFMA_CYCLE),
    COUNT("derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", NCU_DFMA_X2),
    COUNT("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", NCU_FFMA_X2),
    COUNT("derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4", NCU_HFMA_X4),
    SASS_OPS("dadd_dmul_dfma", NCU_OPS_FP64),
    SASS_OPS("fadd_fmul_ffma", NCU_OPS_FP32),
    SASS_OPS("hadd_hmul_hfma", NCU_OPS_FP16),
    SASS("integer", NCU_INTEGER),
    COUNT("sm__ops_path_tensor_src_fp64.sum", NCU_TENSOR_FP64),
    COUNT("sm__ops_path_tensor_src_tf32_dst_fp32.sum", NCU_TENSOR_TF32),
    COUNT("sm__ops_path_tensor_src_bf16_dst_fp32.sum", NCU_TENSOR_BF16),
    COUNT("sm__ops_path_tensor_src_fp16.sum", NCU_TENSOR_FP16),
    COUNT("sm__ops_path_tensor_src_fp16_dst_fp32.sum", NCU_TENSOR_FP16_FP32),
    COUNT("sm__ops_path_tensor_src_fp16_dst_fp16.sum", NCU_TENSOR_FP16_FP16),
    COUNT("sm__ops_path_tensor_src_fp8.sum", NCU_TENSOR_FP8),
    COUNT("sm__ops_path_tensor_src_int8.sum", NCU_TENSOR_INT8),
    COUNT("sm__inst_executed_pipe_tensor.sum", NCU_TENSOR_PIPE),
    COUNT("smsp__inst_executed_pipe_tensor.sum", NCU_TENSOR_PIPE),
    COUNT("smsp__inst_executed.sum", NCU_INSTRUCTIONS),
    COUNT("sm__inst_executed.sum", NCU_INSTRUCTIONS),
    {"l1tex__t_bytes.sum",                                NCU_L1_BYTES,      NCU_IN_BYTES,       false},
    {"l1tex__t_bytes.sum.per_second",                     NCU_L1_RATE,       NCU_IN_BYTES_PER_S, false},
    COUNT("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", NCU_L1_GLOBAL_LD),
    COUNT("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", NCU_L1_GLOBAL_ST),
    COUNT("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", NCU_L1_GLOBAL_ATOM),
    COUNT("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", NCU_L1_GLOBAL_RED),
    COUNT("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", NCU_L1_LOCAL_LD),
    COUNT("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", NCU_L1_LOCAL_ST),
    COUNT("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", NCU_SHARED),
    COUNT("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", NCU_SHARED_LD),
    COUNT("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", NCU_SHARED_ST),
    COUNT("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", NCU_SHARED_ATOM),
    COUNT("lts__t_sectors_srcunit_tex.sum", NCU_L2_TEX),
    COUNT("lts__t_sectors_srcunit_tex_op_read.sum", NCU_L2_TEX_READ),
    COUNT("lts__t_sectors_srcunit_tex_op_write.sum", NCU_L2_TEX_WRITE),
    {"l1tex__m_xbar2l1tex_read_bytes.sum",                NCU_L2_XBAR_READ,  NCU_IN_BYTES,       false},
    {"l1tex__m_l1tex2xbar_write_bytes.sum",               NCU_L2_XBAR_WRITE, NCU_IN_BYTES,       false},
    {"lts__t_bytes.sum",                                  NCU_L2_BYTES,      NCU_IN_BYTES,       false},
    {"lts__t_bytes.sum.per_second",                       NCU_L2_RATE,       NCU_IN_BYTES_PER_S, false},
    COUNT("lts__t_sectors.sum", NCU_L2_SECTORS),
    {"dram__bytes.sum",                                   NCU_DRAM,          NCU_IN_BYTES,       false},
    {"dram__bytes_read.sum",                              NCU_DRAM_READ,     NCU_IN_BYTES,       false},
    {"dram__bytes_write.sum",                             NCU_DRAM_WRITE,    NCU_IN_BYTES,       false},
    {"dram__bytes.sum.per_second",                        NCU_DRAM_RATE,     NCU_IN_BYTES_PER_S, false},
    {"Memory Throughput",                                 NCU_DRAM_RATE,     NCU_IN_BYTES_PER_S, true },
    COUNT("lts__t_sectors_srcunit_tex_aperture_sysmem.sum", NCU_SYSMEM),
    COUNT("sm__warps_active.avg.per_cycle_active", NCU_WARPS),
    {"Achieved Active Warps Per SM",                      NCU_WARPS,         NCU_IN_COUNTS,      true },
    {"sm__warps_active.avg.pct_of_peak_sustained_active", NCU_WARPS_PERCENT, NCU_IN_PERCENT,
     false                                                                                            },
    COUNT("device__attribute_max_warps_per_multiprocessor", NCU_WARPS_LIMIT),
    COUNT("launch__registers_per_thread", NCU_REGISTERS),
    {"Registers Per Thread",                              NCU_REGISTERS,     NCU_IN_COUNTS,      true },
#define VALUE(id, key, factor, name) IN(name, NCU_V_##id, NCU_AS_PRINTED)
#include "analysis/import/ncu_values.def"
#undef VALUE
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };
_Static_assert((int)N_ROWS <= (int)RFL_NCU_MAX_NAMES, "an index holds all names");

static int compare(const void *a, const void *b)
{
    return strcmp((*(const struct rfl_ncu_name *const *)a)->name,
                  (*(const struct rfl_ncu_name *const *)b)->name);
}

void rfl_ncu_names_sort(struct rfl_ncu_names *names)
{
    names->n = N_ROWS;
    for (size_t i = 0; i < N_ROWS; i++)
        names->sorted[i] = &rows[i];
    qsort(names->sorted, N_ROWS, sizeof names->sorted[0], compare);
}

const struct rfl_ncu_name *rfl_ncu_names_find(const struct rfl_ncu_names *names,
                                              const char *name)
{
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, names->sorted[middle]->name);
        if (order == 0)
            return names->sorted[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *rfl_ncu_metric_name(enum rfl_ncu_metric metric)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].metric == metric)
            return rows[i].name;
    return "?";
}

/* What a unit's word counts. */
enum base { BASE_SECOND, BASE_BYTE, BASE_HZ, BASE_CYCLE, BASE_PERCENT, BASE_COUNT };

/* "Kbyte" is 1000 bytes: ncu prints 64 KiB of shared memory as 65.54 Kbyte. */
static const struct prefix {
    const char *prefix;
    double factor;
} big[] =
    {
        {"",   1   },
        {"K",  1e3 },
        {"k",  1e3 },
        {"M",  1e6 },
        {"G",  1e9 },
        {"T",  1e12},
        {"P",  1e15},
        {NULL, 0   }
},
  small[] = {{"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {NULL, 0}},
  binary[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {NULL, 0}};

static const struct {
    const char *word;
    enum base base;
    const struct prefix *prefixes;
} words[] = {
    {"second",   BASE_SECOND,  small },
    {"sec",      BASE_SECOND,  small },
    {"s",        BASE_SECOND,  small },
    {"byte",     BASE_BYTE,    big   },
    {"B",        BASE_BYTE,    big   },
    {"byte",     BASE_BYTE,    binary},
    {"B",        BASE_BYTE,    binary},
    {"hz",       BASE_HZ,      big   },
    {"Hz",       BASE_HZ,      big   },
    {"cycle",    BASE_CYCLE,   big   },
    {"%",        BASE_PERCENT, big   },
    {"",         BASE_COUNT,   big   },
    {"inst",     BASE_COUNT,   big   },
    {"sector",   BASE_COUNT,   big   },
    {"thread",   BASE_COUNT,   big   },
    {"warp",     BASE_COUNT,   big   },
    {"register", BASE_COUNT,   big   },
};

/* One word of a unit, as "Mbyte" or "nsecond" are. */
static bool read_word(const char *text, size_t length, enum base *base, double *factor)
{
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        for (const struct prefix *p = words[w].prefixes; p->prefix; p++) {
            size_t n = strlen(p->prefix);
            if (n + strlen(words[w].word) != length || strncmp(text, p->prefix, n) != 0 ||
                strncmp(text + n, words[w].word, length - n) != 0)
                continue;
            *base = words[w].base;
            *factor = p->factor;
            return true;
        }
    return false;
}

/* The measure of a unit, "" or one word or a quotient of two. */
static bool read_unit(const char *unit, enum rfl_ncu_measure *measure, double *factor)
{
    size_t length = strcspn(unit, "/");
    enum base above, below = BASE_COUNT;
    double divisor = 1;
    if (!read_word(unit, length, &above, factor) ||
        (unit[length] &&
         !read_word(unit + length + 1, strlen(unit + length + 1), &below, &divisor)))
        return false;
    bool per_second = unit[length] && below == BASE_SECOND, whole = !unit[length];
    *factor /= divisor;
    *measure = above == BASE_SECOND && whole       ? NCU_IN_SECONDS
               : above == BASE_BYTE && whole       ? NCU_IN_BYTES
               : above == BASE_BYTE && per_second  ? NCU_IN_BYTES_PER_S
               : above == BASE_HZ && whole         ? NCU_IN_HZ
               : above == BASE_CYCLE && per_second ? NCU_IN_HZ
               : above == BASE_PERCENT && whole    ? NCU_IN_PERCENT
                                                   : NCU_IN_COUNTS;
    return *measure != NCU_IN_COUNTS || above == BASE_CYCLE || above == BASE_COUNT;
}

enum ert_status rfl_ncu_unit(const struct ert_lines *lines, const struct rfl_ncu_name *name,
                             const char *unit, double *factor, bool *fits,
                             struct ert_error *error)
{
    static const char *const wanted[] = {
        "a time (ns, usecond ...)",
        "bytes (byte, Mbyte, GB ...)",
        "a rate of bytes (Gbyte/s ...)",
        "a frequency (hz, Ghz, cycle/nsecond ...)",
        "a percentage (%)",
        "a count (inst, cycle, sector, warp ...)",
    };
    enum rfl_ncu_measure measure = NCU_IN_COUNTS;
    *factor = 1;
    *fits = name->measure == NCU_AS_PRINTED;
    if (*fits)
        return ERT_OK;
    *fits = read_unit(unit, &measure, factor) && measure == name->measure;
    if (*fits || name->is_label)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%.200s: row %zu: %.100s: unit '%.40s', must be %s",
                    lines->file, lines->number, name->name, unit, wanted[name->measure]);
}
