/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: names of hosts and lists of them. */
#ifndef ERT_FLEET_HOSTS_H
#define ERT_FLEET_HOSTS_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A list with more names is a mistake; the largest machines have a tenth of this. */
enum { ERT_HOSTS_MOST = 1000000, ERT_HOST_TEXT = 256 };

/* Letters, digits, '.', '_' and '-', but not first a '-' or '.', at most 200 bytes: safe in lists, commands
 * and file names. */
bool ert_host_is_name(const char *text);

/* The launcher's name of this node (SLURMD_NODENAME), else the host name up to its first dot. */
void ert_host_own(char name[ERT_HOST_TEXT]);

/* The job's number from the batch system, or "". */
const char *ert_host_job(void);

/* Names, each once, sorted by ert_hosts_compare(). Start with all zero. */
struct ert_hosts {
    char **names; /* malloc, as is each name */
    size_t n;
};

/*
 * Reads a list: names separated by commas, or a file ("-": standard input) of names, one a line. A text with
 * a '/', and "-", is a file, as is any other text that is no list of names but the name of a file. The caller
 * frees *hosts (ert_hosts_free), which is empty after an error. ERT_USAGE: a file that cannot be read, no
 * names, what is no name, more than ERT_HOSTS_MOST names.
 */
enum ert_status ert_hosts_read(const char *list, struct ert_hosts *hosts,
                               struct ert_error *error);

/* Compares names, numbers within them by value: node2 before node10. Returns as strcmp(). */
int ert_hosts_compare(const char *a, const char *b);

/* The index of a name, SIZE_MAX if it is not there. */
size_t ert_hosts_find(const struct ert_hosts *hosts, const char *name);

void ert_hosts_free(struct ert_hosts *hosts);

#endif
