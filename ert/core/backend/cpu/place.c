/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/pin.h"
#include "ert/core/backend/cpu/session.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux's limit of node numbers (MAX_NUMNODES, CONFIG_NODES_SHIFT at most 10). */
enum { MAX_NODES = 1024, BITS = 8 * sizeof(unsigned long) };

/* Pages to check in each region: enough to detect a node that became full. */
enum { N_LOOKS = 64 };

/*
 * Requests the pages of a slice of both regions, untouched so far, on a NUMA node. MPOL_PREFERRED, not
 * MPOL_BIND: if a strict policy cannot be met, Linux kills the process. Direct system calls, since only
 * libnuma's wrappers would be used.
 */
static enum ert_status bind_slice(const struct ert_cpu_memory *memory, uint32_t slice,
                                  uint32_t node, struct ert_error *error)
{
    unsigned long mask[MAX_NODES / BITS] = {0};
    if (node >= MAX_NODES)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: NUMA node %u, must be below %d", node,
                        MAX_NODES);
    mask[node / BITS] |= 1ul << node % BITS;
    for (int i = 0; i < 2; i++)
        if (syscall(SYS_mbind, memory->region[i] + slice * memory->slice_bytes,
                    memory->slice_bytes, MPOL_PREFERRED, mask, MAX_NODES + 1, 0) != 0)
            return ert_fail(error, ERT_UNAVAILABLE,
                            "cpu: the system refuses to place buffers in NUMA node %u: %s",
                            node, strerror(errno));
    return ERT_OK;
}

enum ert_status ert_cpu_place_check(const struct ert_cpu_memory *memory,
                                    const uint32_t *nodes, struct ert_error *error)
{
    void *pages[2 * N_LOOKS];
    uint32_t wanted[2 * N_LOOKS], missed = nodes[0];
    int found[2 * N_LOOKS], n_there = 0;
    size_t step = memory->slice_bytes * memory->n_slices / N_LOOKS / 4096 * 4096;
    for (int i = 0; i < 2 * N_LOOKS; i++) {
        size_t offset = (size_t)(i / 2) * step;
        pages[i] = memory->region[i % 2] + offset;
        wanted[i] = nodes[offset / memory->slice_bytes];
    }
    /* Without a list of target nodes nothing is moved, only reported. */
    if (syscall(SYS_move_pages, 0, 2ul * N_LOOKS, pages, NULL, found, 0) != 0)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cpu: the system does not report the NUMA node of buffers: %s",
                        strerror(errno));
    for (int i = 0; i < 2 * N_LOOKS; i++) {
        bool is_there = found[i] == (int)wanted[i];
        n_there += is_there;
        missed = is_there ? missed : wanted[i];
    }
    if (n_there == 2 * N_LOOKS)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "cpu: %d of %d pages checked are in the requested NUMA node: node %u "
                    "has too little free memory",
                    n_there, 2 * N_LOOKS, missed);
}

static void fill_slice(void *context, uint32_t thread)
{
    const struct ert_session *session = context;
    ert_cpu_fill_source(session, &session->place.memory, thread);
    ert_cpu_memory_touch(&session->place.memory, thread);
}

/* Lists the nodes of the same kind as `node`; only `node` itself if the machine does not list it. */
static uint32_t nodes_of_kind(const struct ert_cpu *cpu, uint32_t node,
                              uint32_t nodes[ERT_MAX_NUMA])
{
    const char *kind = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        if (cpu->numa[i].os_index == node)
            kind = cpu->numa[i].kind;
    for (uint32_t i = 0; kind && i < cpu->n_numa; i++)
        if (strcmp(cpu->numa[i].kind, kind) == 0)
            nodes[n++] = cpu->numa[i].os_index;
    if (n == 0)
        nodes[n++] = node;
    return n;
}

/* Selects the node of each thread's slice: the spec's, or, for all threads, the nearest one of its kind. */
static void choose_nodes(const struct ert_session *session, const struct ert_spec *spec,
                         uint32_t *nodes)
{
    uint32_t candidates[ERT_MAX_NUMA], n = 1;
    candidates[0] = spec->to - 1;
    if (spec->from == 0)
        n = nodes_of_kind(&session->device.cpu, spec->to - 1, candidates);
    for (uint32_t i = 0; i < session->n_threads; i++)
        nodes[i] = ert_cpu_team_cpu(session->team, i);
    ert_pin_near_nodes(nodes, session->n_threads, candidates, n, nodes);
}

static enum ert_status open_place(struct ert_session *session, const struct ert_spec *spec,
                                  uint32_t *nodes, struct ert_error *error)
{
    struct ert_cpu_place *place = &session->place;
    uint32_t n = session->n_threads;
    if (!nodes)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads", n);
    ERT_TRY(ert_cpu_memory_open(spec->requested_bytes, n, n, &place->memory, error));
    choose_nodes(session, spec, nodes);
    for (uint32_t i = 0; i < n; i++)
        ERT_TRY(bind_slice(&place->memory, i, nodes[i], error));
    ERT_TRY(ert_cpu_team_run(session->team, fill_slice, session, error));
    ert_cpu_memory_join_prefixes(&place->memory);
    ERT_TRY(ert_cpu_place_check(&place->memory, nodes, error));
    place->from = spec->from;
    place->to = spec->to;
    place->set_bytes = spec->requested_bytes;
    return ERT_OK;
}

/* Selects the session's threads on the spec's package. */
static enum ert_status place_members(struct ert_session *session,
                                     const struct ert_spec *spec, struct ert_error *error)
{
    session->n_threads =
        ert_cpu_team_choose_of(session->team, session->n_ordinary, spec->from - 1);
    if (session->n_threads > 0)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "cpu: none of %u threads is on package %u",
                    session->n_ordinary, spec->from - 1);
}

enum ert_status ert_cpu_place_choose(struct ert_session *session,
                                     const struct ert_spec *spec, struct ert_error *error)
{
    struct ert_cpu_place *place = &session->place;
    session->n_threads = session->kind->is_one_thread ? 1 : session->n_ordinary;
    if (spec->from)
        ERT_TRY(place_members(session, spec, error));
    else
        ert_cpu_team_choose(session->team, session->n_threads, NULL);
    if (place->from != spec->from || place->to != spec->to ||
        place->memory.n_slices != session->n_threads ||
        place->set_bytes < spec->requested_bytes) {
        ert_cpu_place_close(place);
        uint32_t *nodes = malloc(session->n_threads * sizeof *nodes);
        enum ert_status status = open_place(session, spec, nodes, error);
        free(nodes);
        if (status != ERT_OK) {
            ert_cpu_place_close(place);
            return status;
        }
    }
    session->arrays = &place->memory;
    return ERT_OK;
}

void ert_cpu_place_close(struct ert_cpu_place *place)
{
    ert_cpu_memory_close(&place->memory);
    *place = (struct ert_cpu_place){0};
}
