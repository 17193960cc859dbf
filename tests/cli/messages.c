/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that tests/cli/test_messages.sh counts by hand; for 4 ranks, all arrays of doubles. */
#include <mpi.h>

#define ALL MPI_COMM_WORLD

static double a[1000], b[1000];
static int rank, n, next, previous;

static void point_to_point(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Send(a, 10, MPI_DOUBLE, next, 1, ALL);
    MPI_Recv(b, 10, MPI_DOUBLE, previous, 1, ALL, statuses);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(b, 1000, MPI_DOUBLE, previous, 2, ALL, requests);
        MPI_Isend(a, 1000, MPI_DOUBLE, next, 2, ALL, requests + 1);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Send_init(a, 5, MPI_DOUBLE, next, 4, ALL, requests);
    MPI_Recv_init(b, 5, MPI_DOUBLE, previous, 4, ALL, requests + 1);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
    MPI_Send(a, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, ALL);
}

/* Ranks 0 and 2, and 1 and 3, whose ranks in their own communicator are others. */
static void halves(void)
{
    MPI_Comm half;
    MPI_Datatype pair;
    MPI_Status status;
    int own;
    MPI_Comm_split(ALL, rank % 2, rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Sendrecv(a, 7, pair, 1 - own, 3, b, 7, pair, 1 - own, 3, half, &status);
    MPI_Type_free(&pair);
    MPI_Comm_free(&half);
}

static void collectives(void)
{
    const int counts[4] = {1, 2, 3, 4};
    MPI_Request request;
    MPI_Allreduce(MPI_IN_PLACE, a, 1000, MPI_DOUBLE, MPI_SUM, ALL);
    MPI_Ibcast(a, 100, MPI_DOUBLE, 0, ALL, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoall(a, 10, MPI_DOUBLE, b, 10, MPI_DOUBLE, ALL);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 10, MPI_DOUBLE, ALL);
    MPI_Gather(a, 10, MPI_DOUBLE, b, 10, MPI_DOUBLE, 0, ALL);
    MPI_Scatter(b, 10, MPI_DOUBLE, rank ? (void *)a : MPI_IN_PLACE, 10, MPI_DOUBLE, 0, ALL);
    MPI_Reduce(rank ? (void *)a : MPI_IN_PLACE, a, 10, MPI_DOUBLE, MPI_SUM, 0, ALL);
    MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, ALL);
    MPI_Barrier(ALL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ALL, &rank);
    MPI_Comm_size(ALL, &n);
    next = (rank + 1) % n;
    previous = (rank + n - 1) % n;
    point_to_point();
    halves();
    collectives();
    MPI_Finalize();
    return 0;
}
