/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/topology.h"

#include "ert/base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct named {
    const char *name;
    uint32_t index;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* What a line says; its words are cut in place. */
struct line {
    const char *name, *hosts;
    bool is_above; /* a switch of switches */
};

/* What stands behind the key where the word begins with it; else `old`. */
static const char *value_of(const char *word, const char *key, const char *old)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 ? word + length : old;
}

static struct line parse(char *text)
{
    struct line line = {0};
    text[strcspn(text, "#")] = '\0';
    bool is_plain = !strchr(text, '=');
    for (char *word = ert_lines_word(&text); *word; word = ert_lines_word(&text)) {
        if (is_plain)
            *(line.name ? &line.hosts : &line.name) = word;
        line.name = value_of(word, "SwitchName=", line.name);
        line.name = value_of(word, "BlockName=", line.name);
        line.hosts = value_of(word, "Nodes=", line.hosts);
        line.is_above =
            line.is_above || value_of(word, "Switches=", value_of(word, "Blocks=", NULL));
    }
    return line;
}

static enum ert_status add_group(const struct ert_lines *lines, const struct line *line,
                                 const struct named *by_name, uint32_t n_hosts,
                                 struct ert_topology *topology, struct ert_error *error)
{
    struct ert_error reason;
    struct ert_hosts hosts;
    if (ert_hosts_expand(line->hosts, &hosts, &reason) != ERT_OK)
        return ert_lines_fail(lines, error, "%s", reason.text);
    enum ert_status status = ERT_OK;
    uint32_t group = topology->n_groups++;
    topology->names =
        ert_xrealloc(topology->names, topology->n_groups, sizeof *topology->names);
    topology->names[group] = ert_xstrdup(line->name);
    for (size_t i = 0; i < hosts.n && status == ERT_OK; i++) {
        const struct named key = {hosts.names[i], 0};
        const struct named *found =
            bsearch(&key, by_name, n_hosts, sizeof *by_name, compare);
        if (found && topology->groups[found->index] != UINT32_MAX)
            status =
                ert_lines_fail(lines, error, "host %s is at %s and at %s", found->name,
                               topology->names[topology->groups[found->index]], line->name);
        else if (found)
            topology->groups[found->index] = group;
    }
    ert_hosts_free(&hosts);
    return status;
}

static enum ert_status read_lines(struct ert_lines *lines, const struct named *by_name,
                                  uint32_t n_hosts, struct ert_topology *topology,
                                  struct ert_error *error)
{
    for (char *text = ert_lines_next(lines); text; text = ert_lines_next(lines)) {
        struct line line = parse(text);
        if (line.is_above || (!line.name && !line.hosts))
            continue;
        if (!line.name || !line.hosts)
            return ert_lines_fail(lines, error,
                                  "a group needs its name and its hosts: SwitchName=NAME "
                                  "Nodes=HOSTLIST, or NAME HOSTLIST");
        ERT_TRY(add_group(lines, &line, by_name, n_hosts, topology, error));
    }
    return ert_lines_end(lines, error);
}

enum ert_status ert_topology_read(struct ert_lines *lines, const char *const *hosts,
                                  uint32_t n_hosts, struct ert_topology *topology,
                                  struct ert_error *error)
{
    struct named *by_name = ert_xcalloc(n_hosts, sizeof *by_name);
    *topology = (struct ert_topology){ert_xcalloc(n_hosts, sizeof(uint32_t)), NULL, 0};
    for (uint32_t i = 0; i < n_hosts; i++) {
        by_name[i] = (struct named){hosts[i], i};
        topology->groups[i] = UINT32_MAX;
    }
    if (n_hosts > 0)
        qsort(by_name, n_hosts, sizeof *by_name, compare);
    enum ert_status status = read_lines(lines, by_name, n_hosts, topology, error);
    if (status != ERT_OK)
        ert_topology_free(topology);
    free(by_name);
    return status;
}

void ert_topology_free(struct ert_topology *topology)
{
    for (uint32_t i = 0; i < topology->n_groups; i++)
        free(topology->names[i]);
    free(topology->names);
    free(topology->groups);
    *topology = (struct ert_topology){0};
}
