/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers: everything that reads a file which others wrote, as one table: for the fuzzer (fuzz.c) and
 * for the test that runs what it has found (tests/unit/test_corpus.c).
 */
#ifndef ERT_TESTS_FUZZ_READERS_H
#define ERT_TESTS_FUZZ_READERS_H

#include <stddef.h>

/*
 * The index-th reader: "ceilings", "ncu", also the name of its folder in tests/data/corpus; NULL past
 * the last. Importers come from their own table.
 */
const char *readers_name(size_t index);

/* Reads a file as the index-th reader does, and uses what it read; the same of a file of these bytes. */
void readers_read(size_t index, const char *file);
void readers_read_bytes(size_t index, const void *data, size_t size);

#endif
