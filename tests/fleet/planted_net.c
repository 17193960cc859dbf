/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted_net: a network with faults, by MPI's profiling interface: preloaded, or linked, into a program that
 * sends by MPI_Isend and polls by MPI_Testall, as ert-net does. Deterministic, without privilege, no time of
 * the machine's own network in it. PLANTED_NET holds words, for a pair of hosts or all pairs of one:
 *     n1-n2:latency_s,bytes_per_s   messages wait, one behind the other in each direction
 *     n3:hang                       messages never leave
 *     n3-n4:wrong                   one bit of each message of 4 KiB and more is wrong
 *     n3-n4:wrong-once              the same, of the 61st of 64 such messages
 *     n4:stuck                      its MPI_Isend never returns
 * Each rank stands for a host, n1, n2 ..., as with ert-net --hosts-by-rank.
 */
#define _GNU_SOURCE
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FAULTS = 64, MAX_RANKS = 4096, LARGE = 4096 };

static struct fault {
    int a, b; /* hosts from 1; b 0: all */
    double latency_s, bytes_per_s;
    int hangs, is_wrong, is_wrong_once;
} faults[MAX_FAULTS];
static int n_faults = -1, own_host, is_stuck, n_large;
static double free_s[MAX_RANKS]; /* when the link to a rank is free again */

/* A message that has not left yet, or that has and is not done. */
static struct pending {
    struct pending *next;
    void *data;
    int count, to, tag, has_left;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Request outer, inner;
    double at_s;
} * first, **last = &first;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void read_word(char *word)
{
    struct fault *fault = &faults[n_faults];
    int length = 0;
    if (sscanf(word, "n%d-n%d:%n", &fault->a, &fault->b, &length) < 2 || !length)
        fault->b = length = 0, sscanf(word, "n%d:%n", &fault->a, &length);
    const char *what = word + length;
    fault->hangs = strcmp(what, "hang") == 0;
    fault->is_wrong = strncmp(what, "wrong", 5) == 0;
    fault->is_wrong_once = strcmp(what, "wrong-once") == 0;
    if (length && strcmp(what, "stuck") == 0) {
        is_stuck |= fault->a == own_host;
        return; /* its messages are sound */
    }
    if (!length || (!fault->hangs && !fault->is_wrong &&
                    sscanf(what, "%lf,%lf", &fault->latency_s, &fault->bytes_per_s) != 2)) {
        fprintf(stderr, "PLANTED_NET: '%s' is no fault\n", word);
        exit(2);
    }
    n_faults++;
}

static void read_faults(void)
{
    const char *text = getenv("PLANTED_NET");
    char *copy = strdup(text ? text : ""), *at = copy;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own_host = rank + 1;
    n_faults = 0;
    for (char *word; (word = strsep(&at, " ;"));)
        if (*word && n_faults < MAX_FAULTS)
            read_word(word);
    free(copy);
}

static int world_rank(MPI_Comm comm, int rank)
{
    MPI_Group own, world;
    int found;
    PMPI_Comm_group(comm, &own);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(own, 1, &rank, world, &found);
    PMPI_Group_free(&own);
    PMPI_Group_free(&world);
    return found;
}

static const struct fault *fault_to(int host)
{
    for (int i = 0; i < n_faults; i++) {
        const struct fault *fault = &faults[i];
        if ((fault->a == own_host && (fault->b == host || !fault->b)) ||
            (fault->a == host && (fault->b == own_host || !fault->b)))
            return fault;
    }
    return NULL;
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int not_cancelled(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

/* Sends what is due, in order, and completes what has arrived. */
static void progress(void)
{
    const double time_s = now_s(); /* one for all: none overtakes another */
    for (struct pending **at = &first, *message; (message = *at);) {
        int done = 0;
        if (!message->has_left && time_s >= message->at_s) {
            PMPI_Isend(message->data, message->count, message->type, message->to,
                       message->tag, message->comm, &message->inner);
            message->has_left = 1;
        }
        if (message->has_left)
            PMPI_Test(&message->inner, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &message->next;
            continue;
        }
        PMPI_Grequest_complete(message->outer);
        *at = message->next;
        if (last == &message->next)
            last = at;
        free(message->data);
        free(message);
    }
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    if (n_faults < 0)
        read_faults();
    while (is_stuck)
        pause();
    int rank = to < 0 || n_faults == 0 ? -1 : world_rank(comm, to), size;
    const struct fault *fault = rank < 0 ? NULL : fault_to(rank + 1);
    if (!fault)
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    PMPI_Type_size(type, &size);
    double bytes = (double)size * count;
    struct pending *message = calloc(1, sizeof *message);
    *message = (struct pending){.data = malloc((size_t)bytes + 1),
                                .count = count,
                                .to = to,
                                .tag = tag,
                                .type = type,
                                .comm = comm};
    memcpy(message->data, data, (size_t)bytes);
    if (fault->is_wrong && bytes >= LARGE &&
        (!fault->is_wrong_once || n_large++ % 64 == 60))
        ((char *)message->data)[(size_t)bytes / 2] ^= 4;
    if (fault->bytes_per_s > 0) {
        double start_s = free_s[rank] > now_s() ? free_s[rank] : now_s();
        free_s[rank] = start_s + bytes / fault->bytes_per_s;
        message->at_s = free_s[rank] + fault->latency_s;
    }
    PMPI_Grequest_start(query, nothing, not_cancelled, NULL, request);
    message->outer = *request;
    if (!fault->hangs) {
        *last = message;
        last = &message->next;
    }
    return MPI_SUCCESS;
}

int MPI_Testall(int n, MPI_Request requests[], int *done, MPI_Status statuses[])
{
    progress();
    return PMPI_Testall(n, requests, done, statuses);
}
