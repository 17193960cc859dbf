/*
 * features_x86: the instruction sets that CPUID's answers and XCR0 stand for, whoever gives them: this
 * processor to features_x86.c, others' records to its test. On x86 only.
 */
#ifndef ERT_MACHINE_FEATURES_X86_H
#define ERT_MACHINE_FEATURES_X86_H

#include "ert/machine/features.h"

/* EAX, EBX, ECX and EDX of a leaf into words[]; false where there is no leaf of that number. */
typedef bool ert_features_leaf(uint32_t leaf, uint32_t subleaf, uint32_t words[4]);

/* xcr0: the register states that the operating system saves, 0 without XGETBV. */
struct ert_isa ert_features_decode(ert_features_leaf *leaf, uint32_t xcr0);

#endif
