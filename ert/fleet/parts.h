/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parts: cuts a line of any length into short lines, and joins these again whoever writes in between.
 * Launchers of many nodes forward what these print in pieces that they choose themselves: srun of at most
 * 1024 bytes (MAX_MSG_LEN of slurmstepd/io.c), which end with a line where they can. Of 48 lines of 12 KB
 * from 16 nodes 7 to 15 had another's text within; of 1152 lines of 512 bytes none.
 */
#ifndef ERT_FLEET_PARTS_H
#define ERT_FLEET_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of a part with its newline, and of the longest text. */
enum { ERT_PART_BYTES = 512, ERT_PARTS_MOST = 1 << 20 };

/*
 * Writes the text, which has no newline and at most ERT_PARTS_MOST bytes, as parts; faults stay in the
 * stream.
 */
void ert_parts_write(FILE *out, const char *text);

/* A text of which not all is there. */
struct ert_parts_text {
    uint64_t hash;
    size_t size, n; /* of it, and what came */
    char *text;
};

/* Those of all nodes: a text is known by its hash and size. All zero is none. */
struct ert_parts {
    struct ert_parts_text *texts;
    size_t n, capacity;
};

enum ert_part_kind {
    ERT_PART_NONE, /* the line is no part, or its text is not what was written */
    ERT_PART_KEPT, /* more are needed */
    ERT_PART_LAST  /* *text is whole; malloc, the caller's */
};

/* Takes a line without its newline. */
enum ert_part_kind ert_parts_add(struct ert_parts *parts, const char *line, char **text);

void ert_parts_free(struct ert_parts *parts);

#endif
