#include "analysis/import/sde_mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *type, *element;
    char suffix;              /* of the instruction: PD, SD; PS, SS */
    double register_elements; /* of 16 bytes */
} types[RFL_SDE_TYPES] = {
    {"fp64", "double", 'D', 2},
    {"fp32", "single", 'S', 4}
};

/* "*elements_fp_double_4": type and elements; masked ones end in _masked. */
static void count_elements(struct rfl_sde_mix *mix, const char *name, double count)
{
    for (size_t i = 0; i < RFL_SDE_TYPES; i++) {
        size_t length = strlen(types[i].element);
        char *end;
        if (strncmp(name, types[i].element, length) != 0 || name[length] != '_')
            continue;
        double width = (double)strtoul(name + length + 1, &end, 10);
        if (strcmp(end, "_masked") == 0) {
            mix->masked += count;
        } else if (!*end && width >= 1 && width <= 64) {
            mix->flops[i] += width * count;
            mix->instructions[i] += count;
        }
    }
}

/* VFMADD213PD_YMMqq_YMMqq_MEMqq, VFNMSUB231SS_...: one more operation per element. */
static void count_fma(struct rfl_sde_mix *mix, const char *iform, double count)
{
    static const struct {
        const char *operand;
        double registers;
    } widths[] = {
        {"_XMM", 1},
        {"_YMM", 2},
        {"_ZMM", 4}
    };
    size_t length = strcspn(iform, "_");
    if (length < 8)
        return;
    bool is_scalar = iform[length - 2] == 'S';
    if (!is_scalar && iform[length - 2] != 'P')
        return;
    for (size_t i = 0; i < RFL_SDE_TYPES; i++) {
        double elements = is_scalar;
        if (iform[length - 1] != types[i].suffix)
            continue;
        for (size_t j = 0; j < 3 && !is_scalar; j++)
            if (strncmp(iform + length, widths[j].operand, 4) == 0)
                elements = widths[j].registers * types[i].register_elements;
        mix->fma_without_width |= elements == 0;
        mix->fma[i] += count;
        mix->fma_flops[i] += elements * count;
    }
}

/* Of "16"; what is no number has none (mem-read-... of other kinds). */
static double size_of(const char *text)
{
    char *end;
    unsigned long bytes = strtoul(text, &end, 10);
    return *end || bytes > 4096 ? 0 : (double)bytes;
}

void rfl_sde_mix_row(struct rfl_sde_mix *mix, const char *name, double count)
{
    mix->lists_instructions |= *name != '*';
    if (strncmp(name, "*elements_fp_", 13) == 0)
        count_elements(mix, name + 13, count);
    else if (strncmp(name, "VFM", 3) == 0 || strncmp(name, "VFNM", 4) == 0)
        count_fma(mix, name, count);
    else if (strcmp(name, "*total") == 0)
        mix->total += count;
    else if (strncmp(name, "*mem-read-", 10) == 0)
        mix->read_bytes += size_of(name + 10) * count;
    else if (strncmp(name, "*mem-write-", 11) == 0)
        mix->written_bytes += size_of(name + 11) * count;
}

void rfl_sde_mix_add(struct rfl_sde_mix *sum, const struct rfl_sde_mix *mix)
{
    for (size_t i = 0; i < RFL_SDE_TYPES; i++) {
        sum->flops[i] += mix->flops[i];
        sum->instructions[i] += mix->instructions[i];
        sum->fma[i] += mix->fma[i];
        sum->fma_flops[i] += mix->fma_flops[i];
    }
    sum->masked += mix->masked;
    sum->read_bytes += mix->read_bytes;
    sum->written_bytes += mix->written_bytes;
    sum->total += mix->total;
    sum->lists_instructions |= mix->lists_instructions;
    sum->fma_without_width |= mix->fma_without_width;
}

static enum ert_status put_work(const struct rfl_sde_mix *mix, struct rfl_points *points,
                                struct rfl_point *point, struct ert_error *error)
{
    for (size_t i = 0; i < RFL_SDE_TYPES; i++) {
        char what[16], recipe[128];
        if (mix->fma[i] > 0 && mix->fma_without_width) {
            snprintf(what, sizeof what, "%s flops", types[i].type);
            rfl_points_missing(points, point, what,
                               "%.0f FMA instructions are listed without their width: run "
                               "sde with -iform 1",
                               mix->fma[i]);
            continue;
        }
        if (mix->flops[i] > 0 && !mix->lists_instructions) {
            snprintf(what, sizeof what, "%s flops", types[i].type);
            rfl_points_missing(points, point, what,
                               "the block lists no instructions, so the FMA among them are "
                               "not known");
            continue;
        }
        snprintf(recipe, sizeof recipe,
                 "sum of N x elements_fp_%s_N + elements of the FMA iforms (SDE)",
                 types[i].element);
        ERT_TRY(rfl_points_work(
            points, point, types[i].type, "core", mix->flops[i] + mix->fma_flops[i],
            mix->fma[i] <= mix->instructions[i] && mix->instructions[i] > 0
                ? mix->fma[i] / mix->instructions[i]
                : NAN,
            recipe, error));
    }
    return ERT_OK;
}

enum ert_status rfl_sde_mix_put(const struct rfl_sde_mix *mix, struct rfl_points *points,
                                struct rfl_point *point, struct ert_error *error)
{
    ERT_TRY(put_work(mix, points, point, error));
    ERT_TRY(rfl_points_accesses(points, point, "L1", mix->read_bytes + mix->written_bytes,
                                mix->read_bytes, false,
                                "sum of N x mem-read-N + N x mem-write-N (SDE)", error));
    point->instructions = mix->total;
    if (mix->masked > 0)
        rfl_points_warn(
            points, point,
            "%.0f masked AVX-512 instructions are not in the operations: how many "
            "of their elements were active is only in the XML of "
            "-dyn_mask_profile, which is not read",
            mix->masked);
    return ERT_OK;
}
