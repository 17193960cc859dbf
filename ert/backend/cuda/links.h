/*
 * links: copies by the driver between the host, this GPU and another one, and the memories that
 * they need: taken when the first case needs them, kept until the session ends. C++ only.
 *
 * Copies from and to page-locked memory, and between GPUs, are timed by events on the session's
 * stream; with both directions at once a second stream begins with it and joins it before the end.
 * Copies from and to ordinary memory pass through the driver's page-locked buffers, filled and
 * emptied by the host: the host's clock times them.
 */
#ifndef ERT_BACKEND_CUDA_LINKS_H
#define ERT_BACKEND_CUDA_LINKS_H

#include "ert/backend/cuda/session.h"

/*
 * One memory of a copy. DEVICE stands for the regions that every session has: sources, whose
 * content is known, and the target, which is checked.
 */
enum ert_cuda_memory {
    ERT_CUDA_DEVICE,
    ERT_CUDA_PINNED_FROM,
    ERT_CUDA_PINNED_TO,
    ERT_CUDA_PAGEABLE,
    ERT_CUDA_PEER_FROM,
    ERT_CUDA_PEER_TO,
    ERT_CUDA_N_MEMORIES
};

struct ert_cuda_buffer {
    char *data; /* NULL: not taken; never taken for ERT_CUDA_DEVICE */
    uint64_t size_bytes;
    int ordinal; /* of a peer's: its device */
};

struct ert_cuda_links {
    struct ert_cuda_buffer buffers[ERT_CUDA_N_MEMORIES];
    cudaStream_t stream; /* of the other direction */
    cudaEvent_t fork, join;
};

static inline bool ert_cuda_is_peer(enum ert_cuda_memory memory)
{
    return memory == ERT_CUDA_PEER_FROM || memory == ERT_CUDA_PEER_TO;
}

/* Whether it is known which memories a kernel copies between. Pure. */
bool ert_cuda_link_is_known(enum ert_kernel_id kernel);

/* Makes session->links, if it is not there yet. */
enum ert_status ert_cuda_links_take(struct ert_session *session, struct ert_error *error);

/*
 * Makes a buffer of the size; a peer's on the device of the ordinal, reached directly where the two
 * can, else by the driver through the host. ERT_UNAVAILABLE where others hold the memory.
 */
enum ert_status ert_cuda_links_buffer(struct ert_session *session,
                                      enum ert_cuda_memory memory, int ordinal,
                                      uint64_t size_bytes, struct ert_error *error);

/* Gives back all that a session has of these; its device must be the current one. */
void ert_cuda_links_free(struct ert_session *session);

#endif
