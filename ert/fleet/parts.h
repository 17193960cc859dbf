/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parts: splits a long line into short ones, and joins them again even if other lines come in between.
 * Launchers forward the output of many nodes in pieces of their own choice: srun in pieces of at most 1024
 * bytes (MAX_MSG_LEN of slurmstepd/io.c), which end with a line if possible. Of 48 lines of 12 KB from 16
 * nodes, 7 to 15 had text of others within; of 1152 lines of 512 bytes none.
 */
#ifndef ERT_FLEET_PARTS_H
#define ERT_FLEET_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The size of a part with its newline, and of the longest text, in bytes. */
enum { ERT_PART_BYTES = 512, ERT_PARTS_MOST = 1 << 20 };

/* Writes a text without newlines, of at most ERT_PARTS_MOST bytes, as parts; errors remain in the stream. */
void ert_parts_write(FILE *out, const char *text);

/* A text that is not yet complete. */
struct ert_parts_text {
    uint64_t hash;
    size_t size, n; /* of the text, and received so far */
    char *text;
};

/* The incomplete texts of all nodes, identified by hash and size. Start with all zero. */
struct ert_parts {
    struct ert_parts_text *texts;
    size_t n, capacity;
    size_t most; /* texts at once, since lines may come from anywhere; 0: no limit */
};

enum ert_part_kind {
    ERT_PART_NONE, /* not a part, the text does not match its hash, or there are too many */
    ERT_PART_KEPT, /* more parts are needed */
    ERT_PART_LAST  /* *text is complete; malloc, owned by the caller */
};

/* Takes a line without its newline. */
enum ert_part_kind ert_parts_add(struct ert_parts *parts, const char *line, char **text);

void ert_parts_free(struct ert_parts *parts);

#endif
