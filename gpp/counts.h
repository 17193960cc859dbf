/*
 * counts: the operations and the least bytes of every version, from the formulas (counts.def, line by
 * line) and the shares of its branches. For points without counters, and to hold counters against.
 */
#ifndef GPP_COUNTS_H
#define GPP_COUNTS_H

#include "gpp/versions.h"

/* Per (n, igp, ig, iw), averages over all. add and mul are those left beside the FMAs. */
struct gpp_counts {
    double add, mul, fma, div, sqrt;
    double flops;     /* add + mul + 2 fma, and div and sqrt as `expanded` says */
    double fma_share; /* of the instructions that these flops are */
    /* add, mul and fma with divisions and roots as `flops` has them: what counters count. */
    double all_add, all_mul, all_fma;
    double launches; /* GPU: of a kernel per run: 1, or one per energy; CPU: 1 */
    double bytes;    /* of the whole run: the least that crosses to memory */
    const char *flops_recipe, *bytes_recipe;
};

/*
 * CPU: a division or square root is one operation. GPU: what nvcc 13 makes of it for sm_90 (cuobjdump),
 * as its counters see it: counts.c has the sequences. no_fma: the build without contraction (where
 * the sequences of divisions keep their FMAs).
 * Bytes: every input once, for versions with a launch per energy once per energy.
 */
void gpp_counts_of(const struct gpp_version *version, const struct gpp_sizes *sizes,
                   const struct gpp_shares *shares, bool no_fma, struct gpp_counts *counts);

#endif
