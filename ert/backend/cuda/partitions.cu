#include "ert/backend/cuda/partitions.h"

#include "ert/backend/cuda/chase.h"
#include "ert/backend/split.h"

#include <stdlib.h>

/* Loads of each line: the fastest counts, so that a refresh or another's access does not. */
enum { REPEATS = 8 };

/*
 * Cycles of one load of each line, by one thread: the clock is read again when the value is there.
 * Line after line, and that REPEATS times: a line is in L2 from the first round on.
 */
static __global__ void time_lines(const char *lines, uint32_t n_lines, uint32_t *cycles,
                                  uint32_t *sm)
{
    asm volatile("mov.u32 %0, %%smid;" : "=r"(*sm));
    for (uint32_t i = 0; i < n_lines; i++)
        cycles[i] = ~0u;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (uint32_t i = 0; i < n_lines; i++) {
            /* Read and written, "+": no register may be the address's, and CUDA 11 knows no "=&". */
            uint32_t begin = 0, end = 0, value = 0;
            asm volatile("mov.u32 %0, %%clock;\n\t"
                         "ld.global.cg.u32 %1, [%3];\n\t"
                         "xor.b32 %1, %1, %0;\n\t" /* waits for the value */
                         "mov.u32 %2, %%clock;"
                         : "+r"(begin), "+r"(value), "+r"(end)
                         : "l"(lines + (size_t)i * ERT_CUDA_LINE_BYTES)
                         : "memory");
            uint32_t took = end - begin;
            if (value == begin) /* never: lines are not zero; keeps the load */
                took = 0;
            if (took < cycles[i])
                cycles[i] = took;
        }
}

static enum ert_status choose(struct ert_session *session, const uint32_t *cycles,
                              uint32_t *scratch, uint32_t n_lines,
                              enum ert_cuda_partition partition, uint64_t *n_chosen,
                              struct ert_error *error)
{
    struct ert_split split;
    for (uint32_t i = 0; i < n_lines; i++)
        scratch[i] = cycles[i];
    ert_split_values(scratch, n_lines, &split);
    if (!split.has_two)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "%s: chase (%s): loads of %u lines of L2 take %u to %u cycles in one "
            "group: no two partitions are seen",
            session->label, session->row->name, n_lines, scratch[0], scratch[n_lines - 1]);
    *n_chosen = 0;
    for (uint32_t i = 0; i < n_lines; i++)
        if ((cycles[i] > split.last_low) == (partition == ERT_CUDA_FAR))
            scratch[(*n_chosen)++] = i;
    return ERT_OK;
}

/* Times the lines once, from whatever SM the block lands on, and chooses. */
static enum ert_status time_and_choose(struct ert_session *session, const void *lines,
                                       uint32_t n_lines, enum ert_cuda_partition partition,
                                       uint32_t *chosen, uint32_t *on_host,
                                       uint64_t *n_chosen, uint32_t *sm,
                                       struct ert_error *error)
{
    const size_t bytes = sizeof *on_host * n_lines;
    time_lines<<<1, 1, 0, session->stream>>>((const char *)lines, n_lines, chosen,
                                             session->sums);
    SESSION_TRY(session, error, cudaGetLastError(), "timing %u lines of L2", n_lines);
    ERT_TRY(ert_cuda_wait(session, "timing lines of L2", NULL, error));
    SESSION_TRY(session, error,
                cudaMemcpy(sm, session->sums, sizeof *sm, cudaMemcpyDeviceToHost),
                "reading which SM timed lines of L2");
    SESSION_TRY(session, error, cudaMemcpy(on_host, chosen, bytes, cudaMemcpyDeviceToHost),
                "reading the times of %u lines of L2", n_lines);
    return choose(session, on_host, on_host + n_lines, n_lines, partition, n_chosen, error);
}

/* How clearly the halves differ depends on where the SM lies: seen on an H200 in half of the tries. */
enum { TRIES = 12 };

enum ert_status ert_cuda_partition_lines(struct ert_session *session, const void *lines,
                                         uint32_t n_lines,
                                         enum ert_cuda_partition partition,
                                         uint32_t *chosen, uint64_t *n_chosen, uint32_t *sm,
                                         struct ert_error *error)
{
    uint32_t *on_host = (uint32_t *)malloc(2 * sizeof *on_host * n_lines);
    if (!on_host)
        return ert_fail(error, ERT_FAILED, "%s: no memory for %u lines", session->label,
                        n_lines);
    enum ert_status status = ERT_UNAVAILABLE;
    for (int i = 0; i < TRIES && status == ERT_UNAVAILABLE; i++)
        status = time_and_choose(session, lines, n_lines, partition, chosen, on_host,
                                 n_chosen, sm, error);
    if (status == ERT_OK)
        status =
            ert_cuda_upload(session, chosen, on_host + n_lines, sizeof *on_host * *n_chosen,
                            "writing the chosen lines of L2", error);
    free(on_host);
    return status;
}
