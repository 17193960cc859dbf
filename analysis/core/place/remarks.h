/* SPDX-License-Identifier: BSD-3-Clause */
/* remarks: what is to be said on a placement besides its rows and advice. */
#ifndef RFL_REMARKS_H
#define RFL_REMARKS_H

#include "analysis/core/place/place.h"

enum rfl_remark_kind {
    RFL_REMARK_CEILINGS, /* on all points: the machine was disturbed, or the device is another one */
    RFL_REMARK_WRONG,   /* more than 120 % of a roof */
    RFL_REMARK_NO_ROOF, /* what: a level, or a type and unit */
    RFL_REMARK_MISSING, /* what: the missing part of the point */
    RFL_REMARK_WARNING, /* of the point */
    RFL_REMARK_REACH,   /* how a level's roof was derived */
    RFL_REMARK_ROOFS    /* what was scaled, and by how much */
};

struct rfl_remark {
    enum rfl_remark_kind kind;
    const char *what, *text; /* of the strings */
};

enum { RFL_MAX_REMARKS = 64 }; /* at most 3 + the sizes of the arrays that it reads */

struct rfl_remarks {
    size_t n;
    struct rfl_remark list[RFL_MAX_REMARKS];
    struct ert_strings strings;
};

/* Add those on all points of a placer; those on one. The caller frees the strings. */
void rfl_remarks_common(const struct rfl_placer *placer, struct rfl_remarks *remarks);
void rfl_remarks_of(const struct rfl_placer *placer, const struct rfl_placement *placement,
                    struct rfl_remarks *remarks);

#endif
