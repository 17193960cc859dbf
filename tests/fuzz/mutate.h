/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mutate: damages a file where it hurts those who read it. One mutator for libFuzzer (fuzz.c), for the round
 * in the suite (tests/unit/test_corpus.c).
 *
 * A file is pieces: of JSON its values, and the elements and members around them; of all else lines and the
 * cells in them. Pieces are dropped, doubled, made many, exchanged; values become extremes, long, of
 * another type. So JSON stays JSON, and a table one. Inputs of ert-gpp are words of 64 bits, and get the
 * checksum that fits.
 */
#ifndef ERT_TESTS_FUZZ_MUTATE_H
#define ERT_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Changes data[size] in place, to at most max_size bytes, for the same seed always in the same way. Returns
 * the new size; 0, with data as it was, where that does not fit.
 */
size_t mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed);

#endif
