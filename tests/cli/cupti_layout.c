/* SPDX-License-Identifier: BSD-3-Clause */
/* cupti_layout: our declarations of CUPTI's records against CUDA's own; compiles where they agree. */
#include "analysis/ext/record/cupti/cupti.h"

#include <cupti.h>

#define SAME(ours, member, theirs, name)                                                   \
    _Static_assert(offsetof(struct ours, member) == offsetof(theirs, name) &&              \
                       sizeof(((struct ours *)0)->member) == sizeof(((theirs *)0)->name),  \
                   #name)
#define KERNEL(member, name) SAME(cupti_kernel, member, CUpti_ActivityKernel4, name)
#define COPY(member, name)   SAME(cupti_memcpy, member, CUpti_ActivityMemcpy, name)
#define FILL(member, name)   SAME(cupti_memset, member, CUpti_ActivityMemset, name)

KERNEL(registers, registersPerThread);
KERNEL(start, start);
KERNEL(end, end);
KERNEL(device, deviceId);
KERNEL(static_shared, staticSharedMemory);
KERNEL(dynamic_shared, dynamicSharedMemory);
KERNEL(name, name);
_Static_assert(offsetof(struct cupti_kernel, grid) ==
                       offsetof(CUpti_ActivityKernel4, gridX) &&
                   offsetof(struct cupti_kernel, block) ==
                       offsetof(CUpti_ActivityKernel4, blockX),
               "grid, block");
COPY(copy_kind, copyKind);
COPY(bytes, bytes);
COPY(start, start);
COPY(end, end);
COPY(device, deviceId);
FILL(bytes, bytes);
FILL(start, start);
FILL(end, end);
FILL(device, deviceId);
_Static_assert(CUPTI_DONE == CUPTI_SUCCESS &&
                   CUPTI_NO_MORE_RECORDS == CUPTI_ERROR_MAX_LIMIT_REACHED &&
                   CUPTI_MEMCPY == CUPTI_ACTIVITY_KIND_MEMCPY &&
                   CUPTI_MEMSET == CUPTI_ACTIVITY_KIND_MEMSET &&
                   CUPTI_CONCURRENT_KERNEL == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
                   CUPTI_FLUSH_FORCED == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED &&
                   CUPTI_DOMAIN_RESOURCE == CUPTI_CB_DOMAIN_RESOURCE &&
                   CUPTI_CONTEXT_DESTROY_STARTING ==
                       CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
               "numbers");
