/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cupti: the part of NVIDIA's CUPTI that the library of launches uses, declared here so that it builds
 * without CUDA and works with libcupti of any CUDA from 7.0 on. The first members of a record are the same in
 * all versions of its struct: CUpti_ActivityKernel3 to 10, CUpti_ActivityMemcpy to 6, CUpti_ActivityMemset to
 * 4 (cupti_activity.h, cupti_activity_deprecated.h; tests/cli/test_record_gpu.sh compares them if CUDA is
 * installed).
 */
#ifndef RFL_CUPTI_CUPTI_H
#define RFL_CUPTI_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum { CUPTI_DONE, CUPTI_NO_MORE_RECORDS = 12 };
enum { CUPTI_MEMCPY = 1, CUPTI_MEMSET = 2, CUPTI_CONCURRENT_KERNEL = 10 };
enum { CUPTI_FLUSH_FORCED = 1 };
enum { CUPTI_DOMAIN_RESOURCE = 3, CUPTI_CONTEXT_DESTROY_STARTING = 2 };

/* CUPTI packs its records and aligns them to 8 bytes. Times are nanoseconds, sizes bytes. */
#define CUPTI_RECORD __attribute__((packed, aligned(8)))

struct cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t global_cache_requested, global_cache_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_per_thread, local_total, correlation;
    int64_t grid_id;
    const char *name; /* mangled; owned by CUPTI */
} CUPTI_RECORD;

struct cupti_memcpy {
    uint32_t kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device;
} CUPTI_RECORD;

struct cupti_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device;
} CUPTI_RECORD;

/* The functions, named without "cupti". Each returns CUPTI_DONE or an error. */
struct cupti {
    int (*ActivityRegisterCallbacks)(void (*request)(uint8_t **buffer, size_t *size,
                                                     size_t *max_records),
                                     void (*complete)(void *context, uint32_t stream,
                                                      uint8_t *buffer, size_t size,
                                                      size_t valid_size));
    int (*ActivityEnable)(uint32_t kind);
    int (*ActivityDisable)(uint32_t kind);
    int (*ActivityGetNextRecord)(uint8_t *buffer, size_t valid_size, void **record);
    int (*ActivityGetNumDroppedRecords)(void *context, uint32_t stream, size_t *n);
    int (*ActivityFlushAll)(uint32_t flag);
    int (*Subscribe)(void **subscriber,
                     void (*callback)(void *data, uint32_t domain, uint32_t id,
                                      const void *what),
                     void *data);
    int (*EnableCallback)(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id);
};

#endif
