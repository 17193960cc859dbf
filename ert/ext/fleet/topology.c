/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/topology.h"

#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A parsed line, split into words in place. */
struct line {
    const char *name, *hosts;
    bool is_above; /* a switch of switches */
    bool has_more; /* more words than GROUP HOSTLIST */
};

/* The text after `key` if the word begins with it; else `old`. */
static const char *topology_value_of(const char *word, const char *key, const char *old)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 ? word + length : old;
}

static struct line topology_parse(char *text)
{
    static const char *const above[] = {"Switches=", "Blocks=", "AggregatedBlock="};
    struct line line = {0};
    text[strcspn(text, "#")] = '\0';
    bool is_plain = !strchr(text, '=');
    for (char *word = ert_lines_word(&text); *word; word = ert_lines_word(&text)) {
        line.has_more |= is_plain && line.hosts;
        if (is_plain)
            *(line.name ? &line.hosts : &line.name) = word;
        line.name = topology_value_of(word, "SwitchName=", line.name);
        line.name = topology_value_of(word, "BlockName=", line.name);
        line.hosts = topology_value_of(word, "Nodes=", line.hosts);
        for (size_t i = 0; i < ERT_LENGTH(above); i++)
            line.is_above |= topology_value_of(word, above[i], NULL) != NULL;
    }
    return line;
}

/* A group whose hosts are being read. */
struct group {
    const struct ert_strings *hosts;
    struct ert_topology *topology;
    uint32_t index;
};

/* Hosts that nobody has are passed over. */
static enum ert_status topology_take(void *about, const char *name, struct ert_error *error)
{
    const struct group *group = about;
    const size_t host = ert_strings_find(group->hosts, name);
    uint32_t *own = host < group->hosts->n_texts ? &group->topology->groups[host] : NULL;
    if (own && *own != UINT32_MAX && *own != group->index)
        return ert_fail(error, ERT_USAGE, "host %s is at %s and at %s", name,
                        group->topology->names.texts[*own],
                        group->topology->names.texts[group->index]);
    if (own)
        *own = group->index;
    return ERT_OK;
}

static enum ert_status topology_add(const struct ert_lines *lines, const struct line *line,
                                    const struct ert_strings *hosts, size_t *left,
                                    struct ert_topology *topology, struct ert_error *error)
{
    struct ert_error why = {0};
    struct group group = {hosts, topology,
                          (uint32_t)ert_strings_index(&topology->names, line->name)};
    if (ert_hosts_expand(line->hosts, left, topology_take, &group, &why) == ERT_OK)
        return ERT_OK;
    return ert_lines_fail(lines, error, "%s", why.text);
}

static enum ert_status topology_read_lines(struct ert_lines *lines,
                                           const struct ert_strings *hosts,
                                           struct ert_topology *topology,
                                           struct ert_error *error)
{
    size_t left = ERT_HOSTS_MOST; /* names in the file */
    for (char *text = ert_lines_next(lines); text; text = ert_lines_next(lines)) {
        struct line line = topology_parse(text);
        if (line.is_above || (!line.name && !line.hosts))
            continue;
        if (!line.name || !line.hosts || line.has_more)
            return ert_lines_fail(lines, error,
                                  "a group needs its name and its hosts: SwitchName=NAME "
                                  "Nodes=HOSTLIST, or NAME HOSTLIST");
        ERT_TRY(topology_add(lines, &line, hosts, &left, topology, error));
    }
    return ert_lines_end(lines, error);
}

enum ert_status ert_topology_read(struct ert_lines *lines, const struct ert_strings *hosts,
                                  struct ert_topology *topology, struct ert_error *error)
{
    *topology =
        (struct ert_topology){.groups = ert_xcalloc(hosts->n_texts, sizeof(uint32_t))};
    for (size_t i = 0; i < hosts->n_texts; i++)
        topology->groups[i] = UINT32_MAX;
    enum ert_status status = topology_read_lines(lines, hosts, topology, error);
    if (status != ERT_OK)
        ert_topology_free(topology);
    return status;
}

void ert_topology_free(struct ert_topology *topology)
{
    ert_strings_free(&topology->names);
    free(topology->groups);
    topology->groups = NULL;
}
