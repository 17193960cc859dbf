/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/memory.h"

#include "ert/base/random.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * CUDA's driver as used here (cuda.h): results, devices are ints, handles pointers, device pointers uint64_t.
 */
static struct {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*device_count)(int *count);
    int (*context_retain)(void **context, int device);
    int (*context_set)(void *context);
    int (*alloc)(uint64_t *at, size_t bytes);
    int (*to_device)(uint64_t to, const void *from, size_t bytes);
    int (*to_host)(void *to, uint64_t from, size_t bytes);
    int (*synchronize)(void);
} cuda;

static bool load_driver(void)
{
    static const struct {
        const char *name;
        void *function;
    } rows[] = {
        {"cuInit",                   &cuda.init          },
        {"cuDeviceGet",              &cuda.device_get    },
        {"cuDeviceGetCount",         &cuda.device_count  },
        {"cuDevicePrimaryCtxRetain", &cuda.context_retain},
        {"cuCtxSetCurrent",          &cuda.context_set   },
        {"cuMemAlloc_v2",            &cuda.alloc         },
        {"cuMemcpyHtoD_v2",          &cuda.to_device     },
        {"cuMemcpyDtoH_v2",          &cuda.to_host       },
        {"cuCtxSynchronize",         &cuda.synchronize   },
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; library && i < ERT_LENGTH(rows); i++) {
        void *symbol = dlsym(library, rows[i].name);
        if (!symbol)
            return false;
        memcpy(rows[i].function, &symbol, sizeof symbol);
    }
    return library != NULL;
}

enum ert_status ert_net_memory_open(enum ert_net_memory memory, int index,
                                    struct ert_error *error)
{
    int n = 0, device, code;
    void *context;
    if (memory == ERT_NET_HOST_MEMORY)
        return ERT_OK;
    if (!load_driver())
        return ert_fail(error, ERT_UNAVAILABLE, "GPU memory: no libcuda.so.1 here");
    if (cuda.init(0) != 0 || cuda.device_count(&n) != 0 || n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "GPU memory: the driver shows no GPU");
    if ((code = cuda.device_get(&device, index % n)) != 0 ||
        (code = cuda.context_retain(&context, device)) != 0 ||
        (code = cuda.context_set(context)) != 0)
        return ert_fail(error, ERT_FAILED, "GPU memory: CUDA error %d on GPU %d", code,
                        index % n);
    return ERT_OK;
}

enum ert_status ert_net_buffer_make(enum ert_net_memory memory, size_t bytes,
                                    struct ert_net_buffer *buffer, struct ert_error *error)
{
    uint64_t at = 0;
    enum { PAGE = 4096 };
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    *buffer = (struct ert_net_buffer){
        .host = aligned_alloc(PAGE, bytes), .bytes = bytes, .memory = memory};
    if (!buffer->host || (memory == ERT_NET_GPU_MEMORY && cuda.alloc(&at, bytes) != 0))
        return ert_fail(error, ERT_FAILED, "no memory for messages: %zu bytes", bytes);
    memset(buffer->host, 0, bytes);
    buffer->at = memory == ERT_NET_GPU_MEMORY ? (void *)(uintptr_t)at : buffer->host;
    return ERT_OK;
}

bool ert_net_buffer_put(struct ert_net_buffer *buffer, size_t bytes)
{
    return buffer->memory == ERT_NET_HOST_MEMORY ||
           (cuda.to_device((uintptr_t)buffer->at, buffer->host, bytes) == 0 &&
            cuda.synchronize() == 0);
}

bool ert_net_buffer_get(struct ert_net_buffer *buffer, size_t bytes)
{
    return buffer->memory == ERT_NET_HOST_MEMORY ||
           cuda.to_host(buffer->host, (uintptr_t)buffer->at, bytes) == 0;
}

bool ert_net_buffer_fill(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed)
{
    size_t n = (bytes + 7) / 8;
    for (size_t i = 0; i < n; i++)
        buffer->host[i] = ert_random_u64(seed, i);
    return ert_net_buffer_put(buffer, 8 * n);
}

bool ert_net_buffer_check(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed)
{
    size_t n = bytes / 8;
    bool is_right = ert_net_buffer_get(buffer, 8 * n);
    for (size_t i = 0; i < n && is_right; i++)
        is_right = buffer->host[i] == ert_random_u64(seed, i);
    memset(buffer->host, 0, 8 * n);
    return ert_net_buffer_put(buffer, 8 * n) && is_right;
}
