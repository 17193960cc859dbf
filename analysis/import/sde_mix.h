/*
 * sde_mix: the rows of one block of Intel SDE's instruction mix, summed, and what they mean. sde.c
 * finds the blocks.
 *
 * Intel, "Calculating FLOP using Intel SDE", and NERSC's parse-sde.sh (bitbucket.org/dwdoerf/
 * stream-ai-example) give the arithmetic:
 *
 * - "*elements_fp_double_4 N": N instructions of 4 elements each, so 4 N operations;
 * - an FMA is counted once there: one more operation per element of each FMA, whose width is in its
 *   iform (VFMADD213PD_YMMqq_...), so the mix must be made with -iform 1;
 * - "*mem-read-16 N", "*mem-write-16 N": N accesses of 16 bytes, what the core asks of its L1;
 * - masked AVX-512: the mask's share is only in -dyn_mask_profile's XML, which is not read.
 */
#ifndef RFL_IMPORT_SDE_MIX_H
#define RFL_IMPORT_SDE_MIX_H

#include "analysis/points.h"

#include <stdbool.h>

enum { RFL_SDE_TYPES = 2 }; /* fp64, fp32 */

struct rfl_sde_mix {
    double flops[RFL_SDE_TYPES], instructions[RFL_SDE_TYPES];
    double fma[RFL_SDE_TYPES], fma_flops[RFL_SDE_TYPES];
    double masked, read_bytes, written_bytes, total;
    bool lists_instructions, fma_without_width;
};

/* Takes a row: "*mem-read-16", "VADDPD_...", "*total"; others are left alone. */
void rfl_sde_mix_row(struct rfl_sde_mix *mix, const char *name, double count);

void rfl_sde_mix_add(struct rfl_sde_mix *sum, const struct rfl_sde_mix *mix);

/* Adds a block to a point. Errors as rfl_points_work. */
enum ert_status rfl_sde_mix_put(const struct rfl_sde_mix *mix, struct rfl_points *points,
                                struct rfl_point *point, struct ert_error *error);

#endif
