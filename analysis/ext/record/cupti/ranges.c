/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranges: restricts recording to launches that are made while the NVTX range $RFL_NVTX, if set, is open in
 * any thread. NVTX loads the library as CUDA does (NVTX_INJECTION64_PATH).
 */
#include "analysis/ext/record/cupti/cupti.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* NVTX 3's interface for tools: nvtx3/nvtxDetail/nvtxTypes.h defines names and numbers. */
enum { NVTX_CALLBACKS = 1, NVTX_CORE = 1, NVTX_CORE2 = 5, NVTX_ASCII = 1 };

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
    size_t struct_size;
    int (*get_module_functions)(int module, nvtx_function ***table, unsigned *size);
};

/* nvtxEventAttributes_v2 */
struct nvtx_event {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

static struct {
    pthread_mutex_t lock;
    const char *name;
    uint64_t n_open, n_started;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A bit for each range that this thread has pushed: whether it is the named one; 0 for deeper ones. */
static _Thread_local uint64_t named;
static _Thread_local unsigned depth;
enum { MOST_DEPTH = 64 };

bool rfl_ranges_are_open(void)
{
    return !getenv("RFL_NVTX") || ranges.n_open > 0;
}

static void change(int by)
{
    pthread_mutex_lock(&ranges.lock);
    bool was_open = ranges.n_open > 0;
    ranges.n_open += (uint64_t)(int64_t)by;
    if (was_open != (ranges.n_open > 0))
        rfl_launches_enable(!was_open);
    pthread_mutex_unlock(&ranges.lock);
}

static bool ranges_is_named(const char *name)
{
    return name && ranges.name && strcmp(name, ranges.name) == 0;
}

static const char *message(const struct nvtx_event *event)
{
    return event && event->message_type == NVTX_ASCII ? event->message : NULL;
}

static int push(const char *name)
{
    bool is_wanted = ranges_is_named(name) && depth < MOST_DEPTH;
    if (depth < MOST_DEPTH)
        named = (named & ~(1ull << depth)) | (uint64_t)is_wanted << depth;
    if (is_wanted)
        change(1);
    return (int)depth++;
}

static int pop(void)
{
    if (depth == 0)
        return -1;
    depth--;
    if (depth < MOST_DEPTH && (named >> depth & 1))
        change(-1);
    return (int)depth;
}

/* Returns an ID of the range, which is odd if it is the named one. */
static uint64_t ranges_start(const char *name)
{
    bool is_wanted = ranges_is_named(name);
    if (is_wanted)
        change(1);
    return __atomic_add_fetch(&ranges.n_started, 1, __ATOMIC_RELAXED) << 1 | is_wanted;
}

static void ranges_end(uint64_t range)
{
    if (range & 1)
        change(-1);
}

static int push_event(const struct nvtx_event *event)
{
    return push(message(event));
}

static uint64_t start_event(const struct nvtx_event *event)
{
    return ranges_start(message(event));
}

/* Only the default domain, as for ncu's --nvtx-include NAME; other domains have stacks of their own. */
static int push_in(const void *domain, const struct nvtx_event *event)
{
    return domain ? 0 : push_event(event);
}

static int pop_in(const void *domain)
{
    return domain ? 0 : pop();
}

static uint64_t start_in(const void *domain, const struct nvtx_event *event)
{
    return domain ? 0 : start_event(event);
}

static void end_in(const void *domain, uint64_t range)
{
    ranges_end(domain ? 0 : range);
}

/* NVTX_CBID_CORE_* and NVTX_CBID_CORE2_*. */
static const struct {
    int module;
    unsigned number;
    nvtx_function function;
} functions[] = {
    {NVTX_CORE,  4,  (nvtx_function)start_event },
    {NVTX_CORE,  5,  (nvtx_function)ranges_start},
    {NVTX_CORE,  7,  (nvtx_function)ranges_end  },
    {NVTX_CORE,  8,  (nvtx_function)push_event  },
    {NVTX_CORE,  9,  (nvtx_function)push        },
    {NVTX_CORE,  11, (nvtx_function)pop         },
    {NVTX_CORE2, 2,  (nvtx_function)start_in    },
    {NVTX_CORE2, 3,  (nvtx_function)end_in      },
    {NVTX_CORE2, 4,  (nvtx_function)push_in     },
    {NVTX_CORE2, 5,  (nvtx_function)pop_in      },
};

/* NVTX calls this at the program's first range; returning 1 accepts. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id))
{
    const struct nvtx_callbacks *callbacks = get_export_table(NVTX_CALLBACKS);
    ranges.name = getenv("RFL_NVTX");
    for (size_t i = 0; callbacks && i < sizeof functions / sizeof *functions; i++) {
        nvtx_function **table = NULL;
        unsigned size = 0;
        if (callbacks->get_module_functions(functions[i].module, &table, &size) &&
            functions[i].number < size && table[functions[i].number])
            *table[functions[i].number] = functions[i].function;
    }
    return callbacks != NULL;
}
