#include "ert/backend/cpu/place.h"

#include "ert/backend/cpu/session.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux's own bound on node numbers (MAX_NUMNODES, CONFIG_NODES_SHIFT at most 10). */
enum { MAX_NODES = 1024, BITS = 8 * sizeof(unsigned long) };

/* Pages looked at, in each region: enough to see a node that filled up on the way. */
enum { N_LOOKS = 64 };

/*
 * Asks for the pages of both regions, untouched so far, in a NUMA node. A preference and not an
 * order: where an order cannot be kept, Linux kills the process. The system calls themselves:
 * libnuma's wrappers are all of it that would be used.
 */
static enum ert_status bind_memory(const struct ert_cpu_memory *memory, uint32_t node,
                                   struct ert_error *error)
{
    unsigned long mask[MAX_NODES / BITS] = {0};
    if (node >= MAX_NODES)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: NUMA node %u, must be below %d", node,
                        MAX_NODES);
    mask[node / BITS] |= 1ul << node % BITS;
    for (int i = 0; i < 2; i++)
        if (syscall(SYS_mbind, memory->map[i], memory->map_bytes, MPOL_PREFERRED, mask,
                    MAX_NODES + 1, 0) != 0)
            return ert_fail(error, ERT_UNAVAILABLE,
                            "cpu: the system refuses to place buffers in NUMA node %u: %s",
                            node, strerror(errno));
    return ERT_OK;
}

enum ert_status ert_cpu_place_check(const struct ert_cpu_memory *memory, uint32_t node,
                                    struct ert_error *error)
{
    void *pages[2 * N_LOOKS];
    int nodes[2 * N_LOOKS], n_there = 0;
    size_t step = memory->slice_bytes * memory->n_slices / N_LOOKS / 4096 * 4096;
    for (int i = 0; i < 2 * N_LOOKS; i++)
        pages[i] = memory->region[i % 2] + (size_t)(i / 2) * step;
    /* Without a list of wanted nodes nothing moves: it only tells. */
    if (syscall(SYS_move_pages, 0, 2ul * N_LOOKS, pages, NULL, nodes, 0) != 0)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cpu: the system does not tell in which NUMA node buffers lie: %s",
                        strerror(errno));
    for (int i = 0; i < 2 * N_LOOKS; i++)
        n_there += nodes[i] == (int)node;
    if (n_there == 2 * N_LOOKS)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "cpu: %d of %d pages looked at lie in NUMA node %u: it has too little "
                    "free memory",
                    n_there, 2 * N_LOOKS, node);
}

static void fill_slice(void *context, uint32_t thread)
{
    const struct ert_session *session = context;
    ert_cpu_fill_source(session, &session->place.memory, thread);
    ert_cpu_memory_touch(&session->place.memory, thread);
}

static enum ert_status open_place(struct ert_session *session, const struct ert_case *case_,
                                  struct ert_error *error)
{
    struct ert_cpu_place *place = &session->place;
    uint32_t n = session->n_threads, node = case_->to - 1;
    ERT_TRY(ert_cpu_memory_open(case_->working_set_bytes, n, n, &place->memory, error));
    ERT_TRY(bind_memory(&place->memory, node, error));
    ERT_TRY(ert_cpu_team_run(session->team, fill_slice, session, error));
    ert_cpu_memory_join_prefixes(&place->memory);
    ERT_TRY(ert_cpu_place_check(&place->memory, node, error));
    place->from = case_->from;
    place->to = case_->to;
    place->set_bytes = case_->working_set_bytes;
    return ERT_OK;
}

static enum ert_status choose_members(struct ert_session *session,
                                      const struct ert_case *case_, struct ert_error *error)
{
    uint32_t *members = malloc(session->n_ordinary * sizeof *members);
    if (!members)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads",
                        session->n_ordinary);
    uint32_t n = ert_cpu_team_of_package(session->team, session->n_ordinary,
                                         case_->from - 1, members);
    if (n > 0)
        ert_cpu_team_choose(session->team, n, members);
    session->n_threads = n;
    free(members);
    if (n > 0)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "cpu: none of %u threads is on package %u",
                    session->n_ordinary, case_->from - 1);
}

enum ert_status ert_cpu_place_choose(struct ert_session *session,
                                     const struct ert_case *case_, struct ert_error *error)
{
    struct ert_cpu_place *place = &session->place;
    if (case_->to == 0 || case_->concurrency)
        return ert_fail(error, ERT_USAGE,
                        "cpu: threads of package %u: the NUMA node of their arrays must be "
                        "given, and no number of threads",
                        case_->from - 1);
    session->n_threads = session->n_ordinary;
    if (case_->from)
        ERT_TRY(choose_members(session, case_, error));
    else
        ert_cpu_team_choose(session->team, session->n_ordinary, NULL);
    if (place->from != case_->from || place->to != case_->to ||
        place->set_bytes < case_->working_set_bytes) {
        ert_cpu_place_close(place);
        enum ert_status status = open_place(session, case_, error);
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
