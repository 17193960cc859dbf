/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts: names of hosts and lists of them. */
#ifndef ERT_FLEET_HOSTS_H
#define ERT_FLEET_HOSTS_H

#include "ert/core/base/error.h"
#include "ert/core/base/strings.h"

#include <stdbool.h>

/* A list with more names is a mistake; the largest machines have a tenth of this. */
enum { ERT_HOSTS_MOST = 1000000, ERT_HOST_TEXT = 256 };

/* Letters, digits, '.', '_' and '-', but not first a '-' or '.', at most 200 bytes: safe in lists, commands
 * and file names. */
bool ert_host_is_name(const char *text);

/* The launcher's name of this node (SLURMD_NODENAME), else the host name up to its first dot. */
void ert_host_own(char name[ERT_HOST_TEXT]);

/* The job's number from the batch system, or "". */
const char *ert_host_job(void);

/*
 * Adds the names of a list: separated by commas, or a file ("-": standard input) of names, one a line. A text
 * with a '/', and "-", is a file, as is any other text that is no list of names but the name of a file.
 * ERT_USAGE: a file that cannot be read, no names, what is no name, more than ERT_HOSTS_MOST names.
 */
enum ert_status ert_hosts_read(const char *list, struct ert_strings *hosts,
                               struct ert_error *error);

#endif
