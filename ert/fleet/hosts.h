/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hosts: names of hosts, and lists of them as Slurm writes them: "node[001-128,200],gpu[1-4],login".
 */
#ifndef ERT_FLEET_HOSTS_H
#define ERT_FLEET_HOSTS_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* More names than this are a mistake of the list; the largest machines have a tenth of it. */
enum { ERT_HOSTS_MOST = 1000000, ERT_HOST_TEXT = 256 };

/* Letters, digits, '.', '_' and '-', not first '-', at most 255 bytes: safe in lists and commands. */
bool ert_host_is_name(const char *text);

/* Names in the order of the list, each once. All zero is none. */
struct ert_hosts {
    char **names; /* malloc, each, too */
    size_t n;
};

/*
 * The names of a list; *hosts is the caller's (ert_hosts_free), empty after an error. Several brackets in one
 * name multiply. ERT_USAGE for an empty list, a bracket that does not end, a range that is no range, a name
 * that is none, or too many names.
 */
enum ert_status ert_hosts_expand(const char *list, struct ert_hosts *hosts,
                                 struct ert_error *error);

/* The shortest such list of n names, each once; sorts them, numbers by value. malloc, the caller's. */
char *ert_hosts_compress(const char **names, size_t n);

/* Numbers within names by their value: node2 before node10. As strcmp(). */
int ert_hosts_compare(const char *a, const char *b);

/* Sorts the names in that order; the index of a name among such, SIZE_MAX where it is not there. */
void ert_hosts_sort(struct ert_hosts *hosts);
size_t ert_hosts_find(const struct ert_hosts *sorted, const char *name);

void ert_hosts_free(struct ert_hosts *hosts);

#endif
