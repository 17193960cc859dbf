/* SPDX-License-Identifier: BSD-3-Clause */
/* claims: whether a piece of machine code contains what its kernel's row in kernels.def claims. Pure. */
#ifndef ERT_VALIDATE_CLAIMS_H
#define ERT_VALIDATE_CLAIMS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/ext/validate/listing.h"

/* The values of ert_verdict.word. */
#define ERT_AGREES    "agrees"
#define ERT_DIFFERS   "differs"
#define ERT_NOT_THERE "unavailable"

/* Sets a verdict; a text that is too long is cut. */
void ert_verdict_set(struct ert_verdict *verdict, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the kernel has a claim on this kind of device. */
bool ert_claims_has(enum ert_device_kind kind, enum ert_kernel_id kernel);

/* Writes the claim: what the smallest whole iteration of the loop contains, "256 FMA"; "" without a claim. */
void ert_claims_text(enum ert_device_kind kind, enum ert_kernel_id kernel,
                     const struct ert_code *code, char *text, size_t size);

/*
 * The operations that a region does on a GPU if its kernel counts `flops`: the same, but for ERT's kernels.
 * On CPUs one operation of their chain is folded away (claims.c).
 */
double ert_claims_flops(enum ert_kernel_id kernel, const struct ert_code *code,
                        double flops);

/*
 * Compares the loop of a listing (flat code: all of it up to its end) with the kernel's claim. code: what one
 * iteration is meant to be; kind: of the device that has these instructions; path: of a GPU's memory kernel.
 * Without a claim the verdict is "unavailable", without a loop "differs".
 */
void ert_claims_check(const struct ert_listing *listing, enum ert_device_kind kind,
                      enum ert_kernel_id kernel, enum ert_path path,
                      const struct ert_code *code, struct ert_verdict *verdict);

#endif
