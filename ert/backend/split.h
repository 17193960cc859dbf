/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split: whether values fall into two groups, and where: latencies of an L2 of two partitions. Pure
 * arithmetic.
 */
#ifndef ERT_BACKEND_SPLIT_H
#define ERT_BACKEND_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ert_split {
    double means[2];   /* of the lower and the upper group */
    size_t n[2];       /* how many values each has */
    uint32_t last_low; /* the largest value of the lower group */
    double explained;  /* share of the variance that lies between the groups; 0 for none */
    bool has_two;      /* two groups, not one that was cut */
};

/*
 * Sorts values[n] and cuts them where the variance within the two groups is least (Otsu, IEEE Trans.
 * SMC 9 (1979), doi:10.1109/TSMC.1979.4310076). Cutting one group explains 64 % of a normal's and
 * 75 % of a uniform's variance: two groups are those that explain 81 %, each with a tenth of the
 * values, and whose means differ by a tenth. Of an H200's 132 SMs, 46 lie so that they see one group,
 * of which a cut explains 74 to 78 %, the others two, 85 to 88 % (results/h200). n = 0 gives one empty
 * group.
 */
void ert_split_values(uint32_t *values, size_t n, struct ert_split *split);

#ifdef __cplusplus
}
#endif
#endif
