#include "gpp/study/study_fields.h"

#define FIELD(type, kind, key, member)                                                     \
    {                                                                                      \
        key, GPP_FIELD_##kind, offsetof(struct type, member),                              \
            sizeof(((struct type *)0)->member)                                             \
    }
#define FIELDS(name)                                                                       \
    const struct gpp_fields gpp_fields_##name = {sizeof name / sizeof name[0], name}

static const struct gpp_field study[] = {
    FIELD(gpp_study, TEXT, "created", created),
    FIELD(gpp_study, TEXT, "host", host),
    FIELD(gpp_study, TEXT, "os", os),
    FIELD(gpp_study, TEXT, "tool", tool),
    FIELD(gpp_study, TEXT, "compiler", compiler),
    FIELD(gpp_study, TEXT, "command", command),
    FIELD(gpp_study, TEXT, "system", system),
    FIELD(gpp_study, TEXT, "reference", reference),
    FIELD(gpp_study, TEXT, "device", device),
    FIELD(gpp_study, TEXT, "model", model),
    FIELD(gpp_study, TEXT, "counters", counters),
    FIELD(gpp_study, BOOL, "has_counters", has_counters),
    FIELD(gpp_study, TEXT, "ceilings", ceilings),
    FIELD(gpp_study, TEXT, "roofs", roofs),
};
FIELDS(study);

static const struct gpp_field sizes[] = {
    FIELD(gpp_sizes, SIZE, "nbands", nbands),
    FIELD(gpp_sizes, SIZE, "ngpown", ngpown),
    FIELD(gpp_sizes, SIZE, "ncouls", ncouls),
    FIELD(gpp_sizes, SIZE, "nw", nw),
};
FIELDS(sizes);

static const struct gpp_field shares[] = {
    FIELD(gpp_shares, NUMBER, "first_branch", first),
    FIELD(gpp_shares, NUMBER, "second_branch", second),
    FIELD(gpp_shares, NUMBER, "third_branch", third),
    FIELD(gpp_shares, NUMBER, "cutoff", cutoff),
    FIELD(gpp_shares, NUMBER, "negative_w", negative),
    FIELD(gpp_shares, NUMBER, "occupied_bands", occupied),
};
FIELDS(shares);

static const struct gpp_field row[] = {
    FIELD(gpp_study_row, SIZE, "nw", nw),
    FIELD(gpp_study_row, TEXT, "failed", failed),
    FIELD(gpp_study_row, NUMBER, "time_s", m.time_s),
    FIELD(gpp_study_row, NUMBER, "time_low_s", m.low_s),
    FIELD(gpp_study_row, NUMBER, "time_high_s", m.high_s),
    FIELD(gpp_study_row, NUMBER, "time_best_s", m.best_s),
    FIELD(gpp_study_row, SIZE, "repeat", m.repeat),
    FIELD(gpp_study_row, BOOL, "repeats_bit_for_bit", m.is_repeatable),
    FIELD(gpp_study_row, NUMBER, "relative_error", error),
    FIELD(gpp_study_row, TEXT, "ran_on", m.facts.device),
    FIELD(gpp_study_row, U32, "threads", m.facts.threads),
    FIELD(gpp_study_row, BOOL, "is_pinned", m.facts.is_pinned),
    FIELD(gpp_study_row, U32, "registers_per_thread", m.facts.registers),
    FIELD(gpp_study_row, U32, "block_threads", m.facts.block_threads),
    FIELD(gpp_study_row, NUMBER, "resident_warps_per_sm", m.facts.warps_per_sm),
    FIELD(gpp_study_row, TEXT, "notes", m.facts.notes),
};
FIELDS(row);

static const struct gpp_field formulas[] = {
    FIELD(gpp_counts, NUMBER, "flops_per_iteration", flops),
    FIELD(gpp_counts, NUMBER, "fma_share", fma_share),
    FIELD(gpp_counts, NUMBER, "add_per_iteration", add),
    FIELD(gpp_counts, NUMBER, "mul_per_iteration", mul),
    FIELD(gpp_counts, NUMBER, "fma_per_iteration", fma),
    FIELD(gpp_counts, NUMBER, "div_per_iteration", div),
    FIELD(gpp_counts, NUMBER, "sqrt_per_iteration", sqrt),
    FIELD(gpp_counts, NUMBER, "expanded_add_per_iteration", all_add),
    FIELD(gpp_counts, NUMBER, "expanded_mul_per_iteration", all_mul),
    FIELD(gpp_counts, NUMBER, "expanded_fma_per_iteration", all_fma),
    FIELD(gpp_counts, NUMBER, "launches", launches),
    FIELD(gpp_counts, NUMBER, "least_bytes", bytes),
    FIELD(gpp_counts, KEPT, "flops_recipe", flops_recipe),
    FIELD(gpp_counts, KEPT, "bytes_recipe", bytes_recipe),
};
FIELDS(formulas);

static const struct gpp_field counted[] = {
    FIELD(gpp_counted, BOOL, "is_there", is_there),
    FIELD(gpp_counted, TEXT, "reason", reason),
    FIELD(gpp_counted, TEXT, "scaled_from_sizes", sizes),
    FIELD(gpp_counted, NUMBER, "runs", runs),
    FIELD(gpp_counted, NUMBER, "flops", flops),
    FIELD(gpp_counted, NUMBER, "fma_share", fma_share),
    FIELD(gpp_counted, KEPT, "flops_recipe", flops_recipe),
    FIELD(gpp_counted, NUMBER, "l1_traffic_bytes", bytes[GPP_L1]),
    FIELD(gpp_counted, KEPT, "l1_recipe", bytes_recipes[GPP_L1]),
    FIELD(gpp_counted, NUMBER, "shared_traffic_bytes", bytes[GPP_SHARED]),
    FIELD(gpp_counted, KEPT, "shared_recipe", bytes_recipes[GPP_SHARED]),
    FIELD(gpp_counted, NUMBER, "l2_traffic_bytes", bytes[GPP_L2]),
    FIELD(gpp_counted, KEPT, "l2_recipe", bytes_recipes[GPP_L2]),
    FIELD(gpp_counted, NUMBER, "memory_traffic_bytes", bytes[GPP_MEMORY]),
    FIELD(gpp_counted, KEPT, "memory_recipe", bytes_recipes[GPP_MEMORY]),
};
FIELDS(counted);

static const struct gpp_field placed[] = {
    FIELD(gpp_placed, BOOL, "is_there", is_there),
    FIELD(gpp_placed, TEXT, "reason", reason),
    FIELD(gpp_placed, NUMBER, "mix_peak_flop_per_s", mix_flop_per_s),
    FIELD(gpp_placed, NUMBER, "mix_fraction", mix_fraction),
    FIELD(gpp_placed, NUMBER, "l1_fraction", level_fractions[GPP_L1]),
    FIELD(gpp_placed, NUMBER, "shared_fraction", level_fractions[GPP_SHARED]),
    FIELD(gpp_placed, NUMBER, "l2_fraction", level_fractions[GPP_L2]),
    FIELD(gpp_placed, NUMBER, "memory_fraction", level_fractions[GPP_MEMORY]),
    FIELD(gpp_placed, TEXT, "bound", bound),
    FIELD(gpp_placed, NUMBER, "bound_fraction", fraction),
    FIELD(gpp_placed, NUMBER, "attainable_flop_per_s", attainable_flop_per_s),
};
FIELDS(placed);
