#include "ert/backend/cuda/links.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_pinned(enum ert_cuda_memory memory)
{
    return memory == ERT_CUDA_PINNED_FROM || memory == ERT_CUDA_PINNED_TO;
}

static void free_buffer(struct ert_session *session, enum ert_cuda_memory memory)
{
    struct ert_cuda_buffer *buffer = &session->links->buffers[memory];
    if (is_pinned(memory))
        cudaFreeHost(buffer->data);
    else if (memory == ERT_CUDA_PAGEABLE)
        free(buffer->data);
    else if (ert_cuda_is_peer(memory) && buffer->data &&
             cudaSetDevice(buffer->ordinal) == cudaSuccess)
        cudaFree(buffer->data);
    cudaSetDevice(session->ordinal);
    cudaGetLastError();
    *buffer = {};
}

void ert_cuda_links_free(struct ert_session *session)
{
    struct ert_cuda_links *l = session->links;
    if (!l)
        return;
    for (int memory = ERT_CUDA_DEVICE + 1; memory < ERT_CUDA_N_MEMORIES; memory++)
        free_buffer(session, (enum ert_cuda_memory)memory);
    if (l->join)
        cudaEventDestroy(l->join);
    if (l->fork)
        cudaEventDestroy(l->fork);
    if (l->stream)
        cudaStreamDestroy(l->stream);
    cudaGetLastError();
    free(l);
    session->links = NULL;
}

enum ert_status ert_cuda_links_take(struct ert_session *session, struct ert_error *error)
{
    if (!session->links)
        session->links = (struct ert_cuda_links *)calloc(1, sizeof *session->links);
    struct ert_cuda_links *l = session->links;
    if (!l)
        return ert_fail(error, ERT_FAILED, "%s: no memory for links", session->label);
    if (!l->stream)
        SESSION_TRY(session, error,
                    cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags");
    for (cudaEvent_t *event : {&l->fork, &l->join})
        if (!*event)
            SESSION_TRY(session, error,
                        cudaEventCreateWithFlags(event, cudaEventDisableTiming),
                        "cudaEventCreateWithFlags");
    return ERT_OK;
}

/* Lets the current device reach another directly; that it does already is fine. */
static cudaError_t let_reach(int from, int to)
{
    int can = 0;
    cudaError_t code = cudaDeviceCanAccessPeer(&can, from, to);
    if (code == cudaSuccess && can)
        code = cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
    return code == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : code;
}

/*
 * Both devices must reach each other: with one direction only, an H200's copies there and back took
 * turns, 395 instead of 771 GB/s.
 */
static cudaError_t take_peer(struct ert_session *session, int ordinal, uint64_t size_bytes,
                             char **data)
{
    cudaError_t code = let_reach(session->ordinal, ordinal);
    if (code == cudaSuccess)
        code = cudaSetDevice(ordinal);
    if (code == cudaSuccess)
        code = let_reach(ordinal, session->ordinal);
    if (code == cudaSuccess)
        code = cudaMalloc((void **)data, size_bytes);
    cudaGetLastError();
    cudaError_t back = cudaSetDevice(session->ordinal);
    return code == cudaSuccess ? back : code;
}

enum ert_status ert_cuda_links_buffer(struct ert_session *session,
                                      enum ert_cuda_memory memory, int ordinal,
                                      uint64_t size_bytes, struct ert_error *error)
{
    struct ert_cuda_buffer *buffer = &session->links->buffers[memory];
    cudaError_t code = cudaSuccess;
    if (buffer->data && buffer->size_bytes == size_bytes && buffer->ordinal == ordinal)
        return ERT_OK;
    free_buffer(session, memory);
    if (is_pinned(memory))
        code = cudaHostAlloc((void **)&buffer->data, size_bytes, cudaHostAllocDefault);
    else if (ert_cuda_is_peer(memory))
        code = take_peer(session, ordinal, size_bytes, &buffer->data);
    else if (!(buffer->data = (char *)malloc(size_bytes)))
        code = cudaErrorMemoryAllocation;
    *buffer = {code == cudaSuccess ? buffer->data : NULL, size_bytes, ordinal};
    if (code == cudaSuccess)
        return ERT_OK;
    cudaGetLastError();
    char where[32] = "";
    if (ert_cuda_is_peer(memory))
        snprintf(where, sizeof where, " on gpu%d", ordinal);
    return ert_fail(
        error, ERT_UNAVAILABLE, "%s: %s: %llu bytes of %s memory%s: %s", session->label,
        ert_kernel_row(session->row->kernel)->name, (unsigned long long)size_bytes,
        is_pinned(memory) ? "page-locked" : "ordinary", where, cudaGetErrorString(code));
}
