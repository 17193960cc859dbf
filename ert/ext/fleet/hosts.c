/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/hosts.h"

#include "ert/ext/base/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 200 }; /* file names, which have it and more, may have 255 bytes */

static bool hosts_is_part(char c)
{
    return (unsigned char)c < 0x80 && c && (isalnum((unsigned char)c) || strchr("._-", c));
}

bool ert_host_is_name(const char *text)
{
    size_t length = 0;
    while (hosts_is_part(text[length]))
        length++;
    return length > 0 && !text[length] && length <= LONGEST_NAME && !strchr("-.", *text);
}

void ert_host_own(char name[ERT_HOST_TEXT])
{
    const char *slurm = getenv("SLURMD_NODENAME");
    memset(name, 0, ERT_HOST_TEXT);
    if (slurm && *slurm) {
        snprintf(name, ERT_HOST_TEXT, "%s", slurm);
        return;
    }
    gethostname(name, ERT_HOST_TEXT - 1);
    name[strcspn(name, ".")] = '\0';
}

const char *ert_host_job(void)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                        "FLUX_JOB_ID"};
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        const char *job = getenv(names[i]);
        if (job && *job)
            return job;
    }
    return "";
}

static enum ert_status hosts_read_lines(const char *file, struct ert_lines *lines,
                                        struct ert_strings *hosts, struct ert_error *error)
{
    static const char separators[] = ", \t";
    for (char *line = ert_lines_next(lines); line; line = ert_lines_next(lines))
        for (char *next, *name = strtok_r(line, separators, &next); name;
             name = strtok_r(NULL, separators, &next)) {
            if (!ert_host_is_name(name))
                return ert_fail(error, ERT_USAGE,
                                "%.100s: '%.100s' is not a host name; for lists with "
                                "brackets: scontrol show hostnames LIST",
                                file, name);
            if (hosts->n_texts >= ERT_HOSTS_MOST)
                return ert_fail(error, ERT_USAGE, "%.100s: more than %d names", file,
                                ERT_HOSTS_MOST);
            ert_strings_keep(hosts, name);
        }
    ERT_TRY(ert_lines_end(lines, error));
    return hosts->n_texts
               ? ERT_OK
               : ert_fail(error, ERT_USAGE, "'%.100s': the list of hosts is empty", file);
}

/* Whether the text is rather the name of a file: one that no list of names has, or that is there. */
static bool hosts_is_file(const char *list)
{
    return strchr(list, '/') || (!strchr(list, ',') && access(list, F_OK) == 0);
}

enum ert_status ert_hosts_read(const char *list, struct ert_strings *hosts,
                               struct ert_error *error)
{
    struct ert_lines lines;
    if (strcmp(list, "-") == 0)
        ERT_TRY(ert_lines_open("/dev/stdin", &lines, error));
    else if (hosts_is_file(list))
        ERT_TRY(ert_lines_open(list, &lines, error));
    else
        ERT_TRY(ert_lines_open_text(list, list, &lines, error));
    enum ert_status status = hosts_read_lines(list, &lines, hosts, error);
    ert_lines_close(&lines);
    return status;
}
