/* SPDX-License-Identifier: BSD-3-Clause */
/* ceilings_fixture: a device's ceilings by kind and place, for tests that know where they are. */
#ifndef ERT_TESTS_UNIT_CEILINGS_FIXTURE_H
#define ERT_TESTS_UNIT_CEILINGS_FIXTURE_H

#include "tests/unit/test.h"

#include "ert/core/ceilings/ceilings.h"

static inline size_t n_ceilings(const struct ert_device_ceilings *device,
                                enum ert_ceiling_kind kind)
{
    return ert_ceilings_of(device, kind).n;
}

static inline struct ert_ceiling *ceiling_at(const struct ert_device_ceilings *device,
                                             enum ert_ceiling_kind kind, size_t i)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, kind);
    assert_true(i < of.n);
    return &of.at[i];
}

static inline struct ert_ceiling *compute_at(const struct ert_device_ceilings *device,
                                             size_t i)
{
    return ceiling_at(device, ERT_CEILING_COMPUTE, i);
}

static inline struct ert_ceiling *memory_at(const struct ert_device_ceilings *device,
                                            size_t i)
{
    return ceiling_at(device, ERT_CEILING_MEMORY, i);
}

/* A new ceiling of a name, in the unit that its kind has as a rule. */
static inline struct ert_ceiling *add_ceiling(struct ert_device_ceilings *device,
                                              enum ert_ceiling_kind kind, const char *name)
{
    struct ert_ceiling *ceiling = ert_ceiling_add(device, kind);
    assert_non_null(ceiling);
    ceiling->unit = kind == ERT_CEILING_COMPUTE   ? ERT_UNIT_FLOP_PER_S
                    : kind == ERT_CEILING_LATENCY ? ERT_UNIT_S
                                                  : ERT_UNIT_BYTE_PER_S;
    snprintf(ceiling->name, sizeof ceiling->name, "%s", name);
    return ceiling;
}

/* A new ceiling with all that another one has. */
static inline struct ert_ceiling *copy_ceiling(struct ert_device_ceilings *device,
                                               const struct ert_ceiling *from)
{
    const struct ert_ceiling of = *from;
    struct ert_ceiling *ceiling = add_ceiling(device, of.kind, "");
    struct ert_evidence *evidence = ceiling->evidence;
    *ceiling = of;
    *evidence = *of.evidence;
    ceiling->evidence = evidence;
    return ceiling;
}

/* Keeps the first n ceilings of a kind. */
static inline void keep_ceilings(struct ert_device_ceilings *device,
                                 enum ert_ceiling_kind kind, size_t n)
{
    struct ert_device_ceilings kept = {0};
    for (size_t i = 0; i < n; i++)
        copy_ceiling(&kept, ceiling_at(device, kind, i));
    ert_ceilings_remove(device, kind);
    for (size_t i = 0; i < n; i++)
        copy_ceiling(device, &kept.ceilings[i]);
    ert_device_ceilings_free(&kept);
}

#endif
