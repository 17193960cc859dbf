/* compare_modes: which levels mean the same where one side, or both, has those that ERT counts. */
#include "analysis/compare.h"

static const char *levels_of(const struct ert_ceilings *ceilings)
{
    return *ceilings->mode ? "counted by ERT from the fastest" : "those of the topology";
}

void rfl_compare_modes(struct rfl_comparison *comparison, const struct ert_ceilings *a,
                       size_t device_a, const struct ert_ceilings *b, size_t device_b,
                       const char *group)
{
    size_t n_a = a->devices[device_a].n_memory, n_b = b->devices[device_b].n_memory;
    const char *text = NULL;
    if (!*a->mode && !*b->mode)
        return;
    if (!*a->mode || !*b->mode)
        text = rfl_compare_text(
            comparison,
            "%s: levels of A are %s, those of B %s: the last, DRAM, is the memory on both "
            "sides if ERT's sets left the caches; a cache of the same name need not be the "
            "same (a GPU's L1 by ERT is its L2). ERT's peak is that of one dependent chain",
            group, levels_of(a), levels_of(b));
    else if (n_a == n_b)
        text = rfl_compare_text(comparison,
                                "%s: both have ERT's labels, %zu levels each: peak and all "
                                "levels are comparable",
                                group, n_a);
    else
        text = rfl_compare_text(
            comparison,
            "%s: both have ERT's labels, but A %zu levels and B %zu: comparable are the "
            "peak, L1 and DRAM; in between a plateau was found on one side only",
            group, n_a, n_b);
    rfl_compare_note(comparison, text);
}
