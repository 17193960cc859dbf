/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * links: copies by the driver between the host, this GPU and another one, or by a kernel between host and
 * GPU, and their buffers, which are allocated when the first spec needs them and kept until the session ends.
 *
 * Copies from and to page-locked memory, and between GPUs, are timed by events on the session's stream. With
 * both directions at once, a second stream begins after the first event and is joined before the last one.
 * Copies from and to ordinary memory pass through the driver's page-locked buffers, which the host fills and
 * empties, so the host's clock times them.
 *
 * Managed memory: of each pass only the way here or back is timed; on the GPU by events around the kernel
 * and the prefetch, on the CPU by the host's clock while one thread writes a byte of each page of 4 KiB.
 */
#include "ert/ext/cuda/session.h"

#include "ert/core/base/clock.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * One memory of a copy. DEVICE: the regions that every session has: sources, whose content is known, and the
 * target, which is checked.
 */
enum ert_cuda_memory {
    ERT_CUDA_DEVICE,
    ERT_CUDA_PINNED_FROM,
    ERT_CUDA_PINNED_TO,
    ERT_CUDA_PAGEABLE,
    ERT_CUDA_MANAGED,
    ERT_CUDA_PEER_FROM,
    ERT_CUDA_PEER_TO,
    ERT_CUDA_N_MEMORIES
};

struct ert_cuda_buffer {
    char *data; /* NULL: not allocated, as always for ERT_CUDA_DEVICE */
    uint64_t size_bytes;
    int ordinal; /* of a peer's buffer: its device */
};

struct ert_cuda_links {
    struct ert_cuda_buffer buffers[ERT_CUDA_N_MEMORIES];
    cudaStream_t stream; /* for the second direction */
    cudaEvent_t fork, join;
};

static bool is_peer(enum ert_cuda_memory memory)
{
    return memory == ERT_CUDA_PEER_FROM || memory == ERT_CUDA_PEER_TO;
}

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
    else if (memory == ERT_CUDA_MANAGED)
        cudaFree(buffer->data);
    else if (is_peer(memory) && buffer->data &&
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

/* Creates session->links unless it exists. */
static enum ert_status take_links(struct ert_session *session, struct ert_error *error)
{
    if (!session->links)
        session->links = (struct ert_cuda_links *)calloc(1, sizeof *session->links);
    struct ert_cuda_links *l = session->links;
    if (!l)
        return ert_fail(error, ERT_FAILED, "%s: no memory for links", session->label);
    if (!l->stream)
        SESSION_TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags");
    for (cudaEvent_t *event : {&l->fork, &l->join})
        if (!*event)
            SESSION_TRY(cudaEventCreateWithFlags(event, cudaEventDisableTiming),
                        "cudaEventCreateWithFlags");
    return ERT_OK;
}

/* Gives the current device direct access to another; it is no error if it has access already. */
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
 * Both devices need access to each other: with access in one direction only, an H200's copies in both
 * directions alternated, 395 instead of 771 GB/s.
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

/*
 * Allocates a buffer of the size; a peer's on the device `ordinal`, with direct access if both devices can,
 * else the driver copies through the host. ERT_UNAVAILABLE if the memory is in use.
 */
static enum ert_status links_take_buffer(struct ert_session *session,
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
    else if (is_peer(memory))
        code = take_peer(session, ordinal, size_bytes, &buffer->data);
    else if (memory == ERT_CUDA_MANAGED)
        code = cudaMallocManaged((void **)&buffer->data, size_bytes);
    else if (!(buffer->data = (char *)malloc(size_bytes)))
        code = cudaErrorMemoryAllocation;
    *buffer = {code == cudaSuccess ? buffer->data : NULL, size_bytes, ordinal};
    if (code == cudaSuccess)
        return ERT_OK;
    cudaGetLastError();
    char where[32] = "";
    if (is_peer(memory))
        snprintf(where, sizeof where, " on gpu%d", ordinal);
    return ert_fail(error, ERT_UNAVAILABLE, "%s: %s: %llu bytes of %s memory%s: %s",
                    session->label, session->kernel_name, (unsigned long long)size_bytes,
                    is_pinned(memory)            ? "page-locked"
                    : memory == ERT_CUDA_MANAGED ? "managed"
                                                 : "ordinary",
                    where, cudaGetErrorString(code));
}

/*
 * The one or two directions of a copy kernel; from device to device: no direction. The direction to the
 * device is first: verify() checks the target before it copies back into it what has left the device.
 */
struct direction {
    enum ert_cuda_memory from, to;
};
/* Who moves the bytes. Of managed memory: the GPU's touch, a prefetch, the CPU's touch. */
enum how { BY_DRIVER, BY_KERNEL, BY_TOUCH, BY_PREFETCH, BY_CPU };
struct link {
    enum how how;
    struct direction ways[2];
};

static bool is_way(struct direction way)
{
    return way.from != ERT_CUDA_DEVICE || way.to != ERT_CUDA_DEVICE;
}

static const struct link *link_of(const struct ert_session *session)
{
    return (const struct link *)session->row->extra;
}

/* The far memory of a direction: the one that is not the session's device. */
static enum ert_cuda_memory far_of(struct direction way)
{
    return way.from == ERT_CUDA_DEVICE ? way.to : way.from;
}

static __global__ void copy_words(double *to, const double *from, uint64_t n)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = from[i];
}

/* One copy in a direction: of from_device if data leaves the device, else to the target. */
static cudaError_t links_copy(struct ert_session *session, struct direction way,
                              const double *from_device, cudaStream_t stream)
{
    const struct ert_cuda_buffer *to = &session->links->buffers[way.to];
    const struct ert_cuda_buffer *from = &session->links->buffers[way.from];
    void *to_data = way.to == ERT_CUDA_DEVICE ? (void *)session->target : to->data;
    const void *from_data =
        way.from == ERT_CUDA_DEVICE ? (const void *)from_device : from->data;
    const size_t n = session->work.actual_bytes;
    if (link_of(session)->how != BY_DRIVER) {
        copy_words<<<ERT_CUDA_CHECK_GRID(session)>>>(
            (double *)to_data, (const double *)from_data, session->n_elements);
        return cudaGetLastError();
    }
    if (far_of(way) == ERT_CUDA_PAGEABLE) {
        /* cudaMemcpy returns when the driver's buffer has the last bytes, before they have arrived. */
        cudaError_t code = cudaMemcpy(to_data, from_data, n, cudaMemcpyDefault);
        return code == cudaSuccess ? cudaStreamSynchronize(cudaStreamLegacy) : code;
    }
    if (is_peer(way.to))
        return cudaMemcpyPeerAsync(to_data, to->ordinal, from_data, session->ordinal, n,
                                   stream);
    if (is_peer(way.from))
        return cudaMemcpyPeerAsync(to_data, session->ordinal, from_data, from->ordinal, n,
                                   stream);
    return cudaMemcpyAsync(to_data, from_data, n, cudaMemcpyDefault, stream);
}

/* Fills the far memory: as a source with the sources, else with the target's poison. */
static enum ert_status fill_far(struct ert_session *session, struct direction way,
                                struct ert_error *error)
{
    const struct direction fill = {ERT_CUDA_DEVICE, far_of(way)};
    const double *content = way.to == ERT_CUDA_DEVICE ? session->sources : session->target;
    SESSION_TRY(links_copy(session, fill, content, session->stream),
                "%s: filling its far memory", session->kernel_name);
    return ert_cuda_wait(session, session->kernel_name, NULL, error);
}

static enum ert_status poison_target(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        cudaMemsetAsync(session->target, 0xff, session->work.actual_bytes, session->stream),
        "cudaMemsetAsync of the target");
    return ert_cuda_wait(session, session->kernel_name, NULL, error);
}

/* Managed memory must migrate on demand, and be far from filling the GPU, which may then hang. */
static enum ert_status check_managed(struct ert_session *session, uint64_t bytes,
                                     struct ert_error *error)
{
    int migrates = 0;
    size_t free_bytes = 0, total_bytes = 0;
    SESSION_TRY(cudaDeviceGetAttribute(&migrates, cudaDevAttrConcurrentManagedAccess,
                                       session->ordinal),
                "cudaDeviceGetAttribute(concurrentManagedAccess)");
    SESSION_TRY(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    if (migrates && bytes <= free_bytes / 4)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "%s: %s: %s", session->label,
                    session->kernel_name,
                    migrates ? "needs more than a quarter of the free memory"
                             : "managed memory does not migrate on demand "
                               "(concurrentManagedAccess is 0)");
}

static enum ert_status links_size(struct ert_session *session, const struct ert_spec *spec,
                                  struct ert_error *error)
{
    const struct link *link = link_of(session);
    const uint64_t wanted = spec->requested_bytes / sizeof(double);
    const uint64_t n = wanted ? wanted : 1, bytes = n * sizeof(double);
    ERT_TRY(ert_cuda_check_region(session, bytes, error));
    ERT_TRY(take_links(session, error));
    if (link->how > BY_KERNEL)
        ERT_TRY(check_managed(session, bytes, error));
    session->n_elements = n;
    session->work.actual_bytes = bytes;
    ERT_TRY(poison_target(session, error));
    for (const struct direction &way : link->ways) {
        const bool has_peer = is_peer(far_of(way));
        if (!is_way(way))
            continue;
        if (has_peer && (spec->to == 0 || (int)spec->to - 1 == session->ordinal))
            return ert_fail(error, ERT_FAILED, "%s: %s: no other GPU is named (to: %u)",
                            session->label, session->kernel_name, spec->to);
        ERT_TRY(links_take_buffer(session, far_of(way),
                                  has_peer ? (int)spec->to - 1 : session->ordinal, bytes,
                                  error));
        ERT_TRY(fill_far(session, way, error));
        session->work.bytes_per_pass += (double)bytes;
    }
    return ERT_OK;
}

/* Enqueues the passes of each direction: of the first on the session's stream, of the second on the other. */
static enum ert_status links_run(struct ert_session *session, uint64_t passes,
                                 struct ert_error *error)
{
    const struct link *link = link_of(session);
    struct ert_cuda_links *l = session->links;
    const bool is_duplex = is_way(link->ways[1]);
    if (is_duplex) {
        SESSION_TRY(cudaEventRecord(l->fork, session->stream), "%s: fork",
                    session->kernel_name);
        SESSION_TRY(cudaStreamWaitEvent(l->stream, l->fork, 0), "%s: fork",
                    session->kernel_name);
    }
    for (uint64_t i = 0; i < (is_duplex ? 2 : 1) * passes; i++) {
        const bool is_second = is_duplex && i % 2;
        SESSION_TRY(links_copy(session, link->ways[is_second], session->sources,
                               is_second ? l->stream : session->stream),
                    "%s: copying %llu bytes", session->kernel_name,
                    (unsigned long long)session->work.actual_bytes);
    }
    if (is_duplex) {
        SESSION_TRY(cudaEventRecord(l->join, l->stream), "%s: join", session->kernel_name);
        SESSION_TRY(cudaStreamWaitEvent(session->stream, l->join, 0), "%s: join",
                    session->kernel_name);
    }
    return ERT_OK;
}

/* Where a prefetch goes. */
#if CUDART_VERSION >= 13000
#define ON(device) cudaMemLocation{cudaMemLocationTypeDevice, device}, 0
#else
#define ON(device) device
#endif

/* The CPU writes into each page; its time in s. */
static double touch_pages(const struct ert_cuda_buffer *buffer)
{
    const double begin_s = ert_clock_now_s();
    volatile char *bytes = buffer->data;
    for (uint64_t i = 0; i < buffer->size_bytes; i += 4096)
        bytes[i] = bytes[i];
    return ert_clock_now_s() - begin_s;
}

/* Between two passes the pages go back, which is not timed. */
static enum ert_status managed_run(struct ert_session *session, uint64_t passes,
                                   struct ert_error *error)
{
    const struct link *link = link_of(session);
    const struct ert_cuda_buffer *buffer = &session->links->buffers[ERT_CUDA_MANAGED];
    const char *name = session->kernel_name;
    session->own_time_s = 0;
    for (; passes > 0; passes--) {
        float time_ms = 0;
        if (link->how != BY_CPU)
            touch_pages(buffer);
        SESSION_TRY(cudaEventRecord(session->begin, session->stream),
                    "cudaEventRecord before %s", name);
        if (link->how == BY_PREFETCH)
            SESSION_TRY(cudaMemPrefetchAsync(buffer->data, buffer->size_bytes,
                                             ON(session->ordinal), session->stream),
                        "cudaMemPrefetchAsync");
        SESSION_TRY(links_copy(session, link->ways[0], session->sources, session->stream),
                    "launch of %s", name);
        ERT_TRY(ert_cuda_wait(session, name, NULL, error));
        SESSION_TRY(cudaEventElapsedTime(&time_ms, session->begin, session->end),
                    "cudaEventElapsedTime");
        session->own_time_s +=
            link->how == BY_CPU ? touch_pages(buffer) : 1e-3 * (double)time_ms;
    }
    return ERT_OK;
}

/* Checks what arrived, bit for bit; what left the device is first copied back into the poisoned target. */
static enum ert_status links_verify(struct ert_session *session, struct ert_error *error)
{
    const struct link *link = link_of(session);
    for (const struct direction &way : link->ways) {
        if (!is_way(way))
            continue;
        if (way.from == ERT_CUDA_DEVICE) {
            const struct direction back = {way.to, ERT_CUDA_DEVICE};
            ERT_TRY(poison_target(session, error));
            SESSION_TRY(links_copy(session, back, NULL, session->stream),
                        "%s: copying the result back", session->kernel_name);
        }
        ERT_TRY(ert_cuda_verify_target(session, true, error));
    }
    return ERT_OK;
}

static bool links_knows(enum ert_kernel_id kernel)
{
    return ert_kernel_row(kernel)->kind == ERT_KIND_LINK;
}

/* The host does a part of the work from and to ordinary memory. */
#define COPIES(by)                                                                         \
    .size = links_size, .verify = links_verify, .max_passes = UINT64_MAX, .run = by,       \
    .knows = links_knows
static const struct ert_cuda_kind by_device = {COPIES(links_run)};
static const struct ert_cuda_kind by_host = {COPIES(links_run), .is_synchronous = true};
static const struct ert_cuda_kind migrating = {COPIES(managed_run), .times_itself = true};

/* The directions of a kernel: from a memory to the device, and from the device to a memory. */
#define LINK(kernel, kind, how, variant, ...)                                              \
    static const struct link kernel = {how, {__VA_ARGS__}};                                \
    ERT_CUDA_KERNEL(kernel, {ERT_KERNEL_##kernel, ERT_PATH_NONE, 0, variant, &kind, 0, 0,  \
                             0, 0, 0, NULL, 0, false, &kernel})
#define COMING(from)                                                                       \
    {                                                                                      \
        ERT_CUDA_##from, ERT_CUDA_DEVICE                                                   \
    }
#define LEAVING(to)                                                                        \
    {                                                                                      \
        ERT_CUDA_DEVICE, ERT_CUDA_##to                                                     \
    }
LINK(h2d_pinned, by_device, BY_DRIVER, "driver", COMING(PINNED_FROM))
LINK(d2h_pinned, by_device, BY_DRIVER, "driver", LEAVING(PINNED_TO))
LINK(duplex_pinned, by_device, BY_DRIVER, "driver", COMING(PINNED_FROM), LEAVING(PINNED_TO))
LINK(h2d_pageable, by_host, BY_DRIVER, "driver", COMING(PAGEABLE))
LINK(d2h_pageable, by_host, BY_DRIVER, "driver", LEAVING(PAGEABLE))
LINK(peer_write, by_device, BY_DRIVER, "driver", LEAVING(PEER_TO))
LINK(peer_read, by_device, BY_DRIVER, "driver", COMING(PEER_FROM))
LINK(peer_duplex, by_device, BY_DRIVER, "driver", COMING(PEER_FROM), LEAVING(PEER_TO))
LINK(zero_copy_read, by_device, BY_KERNEL, "kernel", COMING(PINNED_FROM))
LINK(zero_copy_write, by_device, BY_KERNEL, "kernel", LEAVING(PINNED_TO))
LINK(managed_touch, migrating, BY_TOUCH, "kernel", COMING(MANAGED))
LINK(managed_fetch, migrating, BY_PREFETCH, "driver", COMING(MANAGED))
LINK(managed_return, migrating, BY_CPU, "host", LEAVING(MANAGED))
