/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * claims: whether a piece of machine code holds what its kernel's row says, by kernels.def. Pure.
 */
#ifndef ERT_VALIDATE_CLAIMS_H
#define ERT_VALIDATE_CLAIMS_H

#include "ert/ceilings/ceilings.h"
#include "ert/validate/listing.h"

/* The words of a verdict. */
#define ERT_AGREES    "agrees"
#define ERT_DIFFERS   "differs"
#define ERT_NOT_THERE "unavailable"

/* Sets a verdict; a text that is too long is cut. */
void ert_verdict_set(struct ert_verdict *verdict, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether there is a claim for the kernel on this kind of device. */
bool ert_claims_has(enum ert_device_kind kind, enum ert_kernel_id kernel);

/* The claim in words: what the least whole turn of the loop holds, "256 FMA"; "" without a claim. */
void ert_claims_text(enum ert_device_kind kind, enum ert_kernel_id kernel,
                     const struct ert_code *code, char *text, size_t size);

/*
 * The operations that a region of so many passes does where its kernel counts `flops`: the same, but of ERT's
 * chain CPUs have one folded away (claims.c), and in the C sources each thread's addend decays by a
 * multiplication a pass, which ERT does not count.
 */
double ert_claims_flops(enum ert_device_kind kind, const struct ert_spec *spec,
                        const struct ert_code *code, double flops, uint64_t passes);

/*
 * Compares the loop of a listing (of flat code all up to its end) with the kernel's claim. `code` says what
 * one turn is meant to be; kind: whose instructions these are; path: of a GPU's memory kernel.
 * Without a claim for the kernel, or without a loop, the verdict is "unavailable" or "differs".
 */
void ert_claims_check(const struct ert_listing *listing, enum ert_device_kind kind,
                      enum ert_kernel_id kernel, enum ert_path path,
                      const struct ert_code *code, struct ert_verdict *verdict);

#endif
