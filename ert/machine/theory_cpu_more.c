/* theory_cpu_more: compute peaks of CPUs beside the FP64 and FP32 of the widest vectors. */
#include "ert/machine/theory_tables.h"

#include <stdio.h>
#include <string.h>

/* Halves take the pipes of the other types, twice as many to a vector. */
static const struct ert_peak_op fp16_ops[] = {
    {"fp16-fma", 16, 2, ERT_OP_FMA},
    {"fp16-add", 16, 1, ERT_OP_ADD},
    {"fp16-mul", 16, 1, ERT_OP_MUL},
};
enum { N_FP16_OPS = sizeof fp16_ops / sizeof fp16_ops[0] };

/* What extensions add, whoever's core it is; any of a name's rows. */
static const struct {
    const char *name;
    size_t flag;
} extension_names[] = {
    {"bf16-dot", offsetof(struct ert_isa, avx512bf16)},
    {"int8-dot", offsetof(struct ert_isa, avx512vnni)},
    {"int8-dot", offsetof(struct ert_isa, neondot)   },
    {"bf16-amx", offsetof(struct ert_isa, amx_bf16)  },
    {"int8-amx", offsetof(struct ert_isa, amx_int8)  },
};
enum { N_EXTENSION_NAMES = sizeof extension_names / sizeof extension_names[0] };

static const char *const divider_names[] = {"fp64-div", "fp64-sqrt", "fp32-div",
                                            "fp32-sqrt"};
enum { N_DIVIDER_NAMES = sizeof divider_names / sizeof divider_names[0] };

/* Instruction sets of narrower vectors (bits 0: one number), and the features that they need. */
static const struct lesser {
    const char *name;
    uint32_t bits;
    size_t flag;
    bool fused;
} lessers[] = {
    {"avx2",   256, offsetof(struct ert_isa, avx2), true },
    {"sse2",   128, offsetof(struct ert_isa, sse2), false},
    {"neon",   128, offsetof(struct ert_isa, neon), true },
    {"scalar", 0,   offsetof(struct ert_isa, sse2), true },
    {"scalar", 0,   offsetof(struct ert_isa, neon), true },
};
enum { N_LESSERS = sizeof lessers / sizeof lessers[0] };

static bool has(const struct ert_isa *isa, size_t flag)
{
    return *((const bool *)isa + flag);
}

static void add_fp16(const struct ert_core *core, const struct ert_isa *isa,
                     uint32_t n_cores, const char *source, struct ert_peak_list *list)
{
    for (size_t i = 0; i < N_FP16_OPS; i++) {
        const struct ert_core_width *width;
        double flops = ert_theory_best_width(core, isa, &fp16_ops[i], &width);
        if (flops > 0)
            ert_theory_add_op(fp16_ops[i].name, width, &fp16_ops[i], width->bits / 16,
                              n_cores, source, list);
        else
            ert_peak_add_unknown(list, fp16_ops[i].name, ERT_PEAK_FLOP_PER_S,
                                 "the core's FP16 units are not in the table");
    }
}

/* Units are named by what they count: "op" of integers. */
static void add_extension(const struct ert_core_extension *row, uint32_t n_cores,
                          struct ert_peak_list *list)
{
    char formula[128], clocks[32] = "";
    if (row->clocks > 1)
        snprintf(clocks, sizeof clocks, " / %u clocks", row->clocks);
    snprintf(formula, sizeof formula, "%u core%s x %u unit%s x %u lanes x %u %s%s", n_cores,
             n_cores == 1 ? "" : "s", row->units, row->units == 1 ? "" : "s", row->lanes,
             row->ops, strncmp(row->name, "int", 3) == 0 ? "op" : "flop", clocks);
    ert_peak_add(list, row->name, ERT_PEAK_FLOP_PER_S,
                 (double)n_cores * row->units * row->lanes * row->ops / row->clocks,
                 formula, row->source);
}

static bool is_listed(const struct ert_core *core, const char *name)
{
    const struct ert_core_extension *row;
    for (size_t i = 0; (row = ert_theory_extension(core, i)); i++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

static void add_extensions(const struct ert_core *core, const struct ert_isa *isa,
                           uint32_t n_cores, struct ert_peak_list *list)
{
    const struct ert_core_extension *row;
    for (size_t i = 0; (row = ert_theory_extension(core, i)); i++)
        if (has(isa, row->flag))
            add_extension(row, n_cores, list);
    for (size_t i = 0; i < N_EXTENSION_NAMES; i++)
        if (has(isa, extension_names[i].flag) && !is_listed(core, extension_names[i].name))
            ert_peak_add_unknown(list, extension_names[i].name, ERT_PEAK_FLOP_PER_S,
                                 "no document in the table says how many such instructions "
                                 "the core takes per clock");
}

/* The pipes of narrower vectors are those of the narrowest width that holds them. */
static const struct ert_core_width *holding(const struct ert_core *core, uint32_t bits)
{
    const struct ert_core_width *found = NULL;
    for (int i = 0; i < ERT_CORE_WIDTHS; i++)
        if (core->widths[i].bits > 0 && core->widths[i].bits >= bits)
            found = &core->widths[i];
    return found;
}

static void add_lesser(const struct ert_core *core, const struct ert_isa *isa,
                       const struct lesser *lesser, uint32_t n_cores, const char *source,
                       struct ert_peak_list *list)
{
    char name[32];
    for (int i = 0; i < ERT_N_PEAK_OPS; i++) {
        const struct ert_peak_op *op = &ert_peak_ops[i];
        const struct ert_core_width *best, *width = holding(core, lesser->bits);
        if (ert_theory_best_width(core, isa, op, &best) <= 0 ||
            best->bits <= lesser->bits || !width ||
            width->units[op->op] == ERT_UNITS_UNKNOWN ||
            (op->flops > 1 && !(lesser->fused && isa->fma)))
            continue;
        snprintf(name, sizeof name, "%s-%s", op->name, lesser->name);
        ert_theory_add_op(name, width, op,
                          lesser->bits ? lesser->bits / op->element_bits : 1, n_cores,
                          source, list);
    }
}

/* At one clock, the last: three would be a page of `ert info` that hardly anyone asks for. */
static void add_lessers(const struct ert_core *core, const struct ert_isa *isa,
                        uint32_t n_cores, const char *source, struct ert_peak_list *list)
{
    struct ert_peak_list last = *list;
    if (list->n_clocks > 1) {
        last.clocks[0] = list->clocks[list->n_clocks - 1];
        last.n_clocks = 1;
    }
    for (size_t i = 0; i < N_LESSERS; i++)
        if (has(isa, lessers[i].flag))
            add_lesser(core, isa, &lessers[i], n_cores, source, &last);
    list->n = last.n;
}

void ert_theory_cpu_more(const struct ert_core *core, const struct ert_isa *isa,
                         uint32_t n_cores, const char *source, struct ert_peak_list *list)
{
    if (isa->avx512fp16 || isa->neonfp16)
        add_fp16(core, isa, n_cores, source, list);
    add_extensions(core, isa, n_cores, list);
    for (size_t i = 0; i < N_DIVIDER_NAMES; i++)
        ert_peak_add_unknown(
            list, divider_names[i], ERT_PEAK_FLOP_PER_S,
            "no document in the table gives the rate of the core's divider");
    add_lessers(core, isa, n_cores, source, list);
}
