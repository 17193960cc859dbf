/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/topology.h"

#include "ert/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A parsed line, split into words in place. */
struct line {
    const char *name, *hosts;
    bool is_above; /* a switch of switches */
    bool has_more; /* more words than GROUP HOSTLIST */
};

/* The text after `key` if the word begins with it; else `old`. */
static const char *value_of(const char *word, const char *key, const char *old)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 ? word + length : old;
}

static struct line parse(char *text)
{
    static const char *const above[] = {"Switches=", "Blocks=", "AggregatedBlock="};
    struct line line = {0};
    text[strcspn(text, "#")] = '\0';
    bool is_plain = !strchr(text, '=');
    for (char *word = ert_lines_word(&text); *word; word = ert_lines_word(&text)) {
        line.has_more |= is_plain && line.hosts;
        if (is_plain)
            *(line.name ? &line.hosts : &line.name) = word;
        line.name = value_of(word, "SwitchName=", line.name);
        line.name = value_of(word, "BlockName=", line.name);
        line.hosts = value_of(word, "Nodes=", line.hosts);
        for (size_t i = 0; i < ERT_LENGTH(above); i++)
            line.is_above |= value_of(word, above[i], NULL) != NULL;
    }
    return line;
}

static enum ert_status add_group(const struct ert_lines *lines, const struct line *line,
                                 const struct ert_strings *all,
                                 struct ert_topology *topology, struct ert_error *error)
{
    struct ert_error reason;
    struct ert_hosts hosts;
    if (ert_hosts_expand(line->hosts, &hosts, &reason) != ERT_OK)
        return ert_lines_fail(lines, error, "%s", reason.text);
    enum ert_status status = ERT_OK;
    const uint32_t group = (uint32_t)ert_strings_index(&topology->names, line->name);
    for (size_t i = 0; i < hosts.n && status == ERT_OK; i++) {
        const size_t host = ert_strings_find(all, hosts.names[i]);
        uint32_t *own = host < all->n_texts ? &topology->groups[host] : NULL;
        if (own && *own != UINT32_MAX && *own != group)
            status =
                ert_lines_fail(lines, error, "host %s is at %s and at %s", hosts.names[i],
                               topology->names.texts[*own], line->name);
        else if (own)
            *own = group;
    }
    ert_hosts_free(&hosts);
    return status;
}

static enum ert_status read_lines(struct ert_lines *lines, const struct ert_strings *hosts,
                                  struct ert_topology *topology, struct ert_error *error)
{
    for (char *text = ert_lines_next(lines); text; text = ert_lines_next(lines)) {
        struct line line = parse(text);
        if (line.is_above || (!line.name && !line.hosts))
            continue;
        if (!line.name || !line.hosts || line.has_more)
            return ert_lines_fail(lines, error,
                                  "a group needs its name and its hosts: SwitchName=NAME "
                                  "Nodes=HOSTLIST, or NAME HOSTLIST");
        ERT_TRY(add_group(lines, &line, hosts, topology, error));
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
    enum ert_status status = read_lines(lines, hosts, topology, error);
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
