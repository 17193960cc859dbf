/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: names of hosts, and host lists in Slurm's format: "node[001-128,200],gpu[1-4],login". */
#ifndef ERT_FLEET_HOSTS_H
#define ERT_FLEET_HOSTS_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A list with more names is a mistake; the largest machines have a tenth of this. */
enum { ERT_HOSTS_MOST = 1000000, ERT_HOST_TEXT = 256 };

/* Letters, digits, '.', '_' and '-', but not first a '-', at most 255 bytes: safe in lists and commands. */
bool ert_host_is_name(const char *text);

/* Names in the order of the list, each once. Start with all zero. */
struct ert_hosts {
    char **names; /* malloc, as is each name */
    size_t n;
};

/*
 * Expands a list; the caller frees *hosts (ert_hosts_free), which is empty after an error. Several brackets
 * in one name multiply. ERT_USAGE for an empty list, a bracket that is not closed, a bad range, a bad name,
 * or too many names.
 */
enum ert_status ert_hosts_expand(const char *list, struct ert_hosts *hosts,
                                 struct ert_error *error);

/* The shortest list of n names, each once (malloc, owned by the caller); sorts names[], numbers by value. */
char *ert_hosts_compress(const char **names, size_t n);

/* Compares names, numbers within them by value: node2 before node10. Returns as strcmp(). */
int ert_hosts_compare(const char *a, const char *b);

/* Sorts names in that order; finds the index of a name among sorted ones, SIZE_MAX if it is not there. */
void ert_hosts_sort(struct ert_hosts *hosts);
size_t ert_hosts_find(const struct ert_hosts *sorted, const char *name);

void ert_hosts_free(struct ert_hosts *hosts);

#endif
