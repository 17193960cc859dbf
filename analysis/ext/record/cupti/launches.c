/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launches: the library that CUDA loads into a program (CUDA_INJECTION64_PATH) for `roofline record`. It gets
 * a record from CUPTI of every kernel, copy and fill on the GPU, sums them by class (device, name, grid,
 * block, dynamic shared memory), and writes the sums to $RFL_LAUNCHES.PID-START, one file per process: a
 * header and a row per class, tab-separated (analysis/ext/record/launches.c reads them).
 *
 * It must not disturb the program: it depends only on libc, prints only if it cannot write the file, and does
 * nothing without CUPTI. Every second and at exit it writes a new file and renames it, so that after a crash
 * the file is complete, and at most a second old.
 */
#include "analysis/ext/record/cupti/cupti.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* NVIDIA recommends 1 to 10 MiB per buffer (CUPTI, Activity API); 4 MiB hold 20,000 kernels. */
enum { BUFFER_BYTES = 4 << 20, PERIOD_S = 1, FIRST_TABLE = 256 };

/* A class of equal launches, and their sums. */
struct class
{
    const char *kind;
    char *name, *mangled; /* name: demangled, else the same text */
    uint32_t device, registers;
    int32_t grid[3], block[3], dynamic_shared;
    uint64_t hash, launches, sum_ns, bytes;
    double sum_ns2; /* of squared times, for their spread */
};

static struct {
    struct cupti cupti;
    pthread_mutex_t lock;
    char *file, *file_new;
    pid_t process;
    struct class *classes;
    size_t n, capacity; /* of classes; the table has twice the capacity */
    uint32_t *table;    /* open addressing: index of a class + 1 */
    uint64_t n_dropped;
    bool is_started, has_news, has_failed;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- classes ---- */

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    for (const unsigned char *at = data, *end = at + size; at < end; at++)
        hash = (hash ^ *at) * 0x100000001b3;
    return hash;
}

static uint64_t hash_class(const struct class *wanted)
{
    uint64_t hash =
        hash_bytes(0xcbf29ce484222325, wanted->mangled, strlen(wanted->mangled));
    hash = hash_bytes(hash, wanted->grid, sizeof wanted->grid);
    hash = hash_bytes(hash, wanted->block, sizeof wanted->block);
    hash = hash_bytes(hash, &wanted->dynamic_shared, sizeof wanted->dynamic_shared);
    return hash_bytes(hash, &wanted->device, sizeof wanted->device);
}

static bool cupti_launches_is_same(const struct class *a, const struct class *b)
{
    return a->hash == b->hash && a->device == b->device && a->kind == b->kind &&
           a->dynamic_shared == b->dynamic_shared &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           strcmp(a->mangled, b->mangled) == 0;
}

/* Uses the C++ library, which most programs with kernels load; this library must not depend on it. */
static char *demangle(const char *mangled)
{
    char *(*function)(const char *, char *, size_t *, int *) = NULL;
    void *library = dlsym(RTLD_DEFAULT, "__cxa_demangle")
                        ? RTLD_DEFAULT
                        : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    *(void **)&function = dlsym(library, "__cxa_demangle");
    char *name = function ? function(mangled, NULL, NULL, NULL) : NULL;
    return name ? name : strdup(mangled);
}

/* Doubles the capacity; false if memory runs out. */
static bool grow(void)
{
    size_t capacity = state.capacity ? 2 * state.capacity : FIRST_TABLE;
    struct class *classes = realloc(state.classes, capacity * sizeof *classes);
    if (classes)
        state.classes = classes;
    uint32_t *table = calloc(2 * capacity, sizeof *table);
    if (!classes || !table) {
        free(table);
        return false;
    }
    for (size_t i = 0; i < state.n; i++) {
        size_t at = classes[i].hash % (2 * capacity);
        while (table[at])
            at = (at + 1) % (2 * capacity);
        table[at] = (uint32_t)i + 1;
    }
    free(state.table);
    state.table = table;
    state.capacity = capacity;
    return true;
}

/* Finds or adds the class equal to `wanted`; NULL if memory runs out. */
static struct class *cupti_launches_find_class(struct class *wanted)
{
    if (state.n == state.capacity && !grow())
        return NULL;
    wanted->hash = hash_class(wanted);
    size_t size = 2 * state.capacity, at = wanted->hash % size;
    for (; state.table[at]; at = (at + 1) % size)
        if (cupti_launches_is_same(&state.classes[state.table[at] - 1], wanted))
            return &state.classes[state.table[at] - 1];
    struct class *found = &state.classes[state.n];
    *found = *wanted;
    found->mangled = strdup(wanted->mangled);
    found->name = demangle(wanted->mangled);
    if (!found->mangled || !found->name)
        return NULL;
    state.table[at] = (uint32_t)++state.n;
    return found;
}

static void cupti_launches_add(struct class *wanted, uint64_t start, uint64_t end,
                               uint64_t bytes)
{
    /* Both 0: "timestamp information could not be collected" (cupti_activity.h). */
    struct class *found =
        end > start && wanted->mangled ? cupti_launches_find_class(wanted) : NULL;
    if (!found) {
        state.n_dropped++;
        return;
    }
    const uint64_t time = end - start;
    found->launches++;
    found->sum_ns += time;
    found->sum_ns2 += (double)time * (double)time;
    found->bytes += bytes;
}

/* ---- CUPTI's records ---- */

static void cupti_launches_add_kernel(const struct cupti_kernel *record)
{
    struct class wanted = {.kind = "kernel",
                           .mangled = (char *)(uintptr_t)record->name,
                           .device = record->device,
                           .registers = record->registers,
                           .dynamic_shared = record->dynamic_shared};
    memcpy(wanted.grid, record->grid, sizeof wanted.grid);
    memcpy(wanted.block, record->block, sizeof wanted.block);
    cupti_launches_add(&wanted, record->start, record->end, 0);
}

static void add_memcpy(const struct cupti_memcpy *record)
{
    /* CUpti_ActivityMemcpyKind; arrays (textures) are device memory, too. */
    static const char *const names[] = {"memcpy",      "memcpy HtoD", "memcpy DtoH",
                                        "memcpy HtoD", "memcpy DtoH", "memcpy DtoD",
                                        "memcpy DtoD", "memcpy DtoD", "memcpy DtoD",
                                        "memcpy HtoH", "memcpy PtoP"};
    size_t i = record->copy_kind < sizeof names / sizeof *names ? record->copy_kind : 0;
    struct class wanted = {
        .kind = "memcpy", .mangled = (char *)(uintptr_t)names[i], .device = record->device};
    cupti_launches_add(&wanted, record->start, record->end, record->bytes);
}

static void add_memset(const struct cupti_memset *record)
{
    char name[] = "memset";
    struct class wanted = {.kind = "memset", .mangled = name, .device = record->device};
    cupti_launches_add(&wanted, record->start, record->end, record->bytes);
}

static void add_record(const void *record)
{
    switch (*(const uint32_t *)record) {
    case CUPTI_CONCURRENT_KERNEL:
        cupti_launches_add_kernel(record);
        break;
    case CUPTI_MEMCPY:
        add_memcpy(record);
        break;
    case CUPTI_MEMSET:
        add_memset(record);
        break;
    default: /* no other kind is enabled */
        break;
    }
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    void *memory = NULL;
    bool is_there = posix_memalign(&memory, 8, BUFFER_BYTES) == 0;
    *buffer = is_there ? memory : NULL;
    *size = is_there ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void cupti_launches_complete(void *context, uint32_t stream, uint8_t *buffer,
                                    size_t size, size_t valid_size)
{
    void *record = NULL;
    size_t n_dropped = 0;
    (void)size;
    pthread_mutex_lock(&state.lock);
    while (buffer && valid_size > 0 &&
           state.cupti.ActivityGetNextRecord(buffer, valid_size, &record) == CUPTI_DONE)
        add_record(record);
    if (state.cupti.ActivityGetNumDroppedRecords(context, stream, &n_dropped) == CUPTI_DONE)
        state.n_dropped += n_dropped;
    state.has_news = true;
    pthread_mutex_unlock(&state.lock);
    free(buffer);
}

/* ---- the file ---- */

static void cupti_launches_write_rows(FILE *out)
{
    fprintf(out, "kind\tdevice\tname\tmangled\tgrid\tblock\tregisters\tlaunches\tsum_ns\t"
                 "bytes\tsum_ns2\n");
    for (size_t i = 0; i < state.n; i++) {
        const struct class *row = &state.classes[i];
        fprintf(out,
                "%s\t%u\t%s\t%s\t(%d, %d, %d)\t(%d, %d, %d)\t%u\t%llu\t%llu\t%llu\t%.17g\n",
                row->kind, row->device, row->name, row->mangled, row->grid[0], row->grid[1],
                row->grid[2], row->block[0], row->block[1], row->block[2], row->registers,
                (unsigned long long)row->launches, (unsigned long long)row->sum_ns,
                (unsigned long long)row->bytes, row->sum_ns2);
    }
    if (state.n_dropped > 0)
        fprintf(out, "dropped\t0\t\t\t\t\t0\t%llu\t0\t0\t0\n",
                (unsigned long long)state.n_dropped);
}

static void write_file(void)
{
    pthread_mutex_lock(&state.lock);
    FILE *out = state.has_news ? fopen(state.file_new, "we") : NULL;
    bool is_written = out != NULL;
    if (out) {
        cupti_launches_write_rows(out);
        is_written = !ferror(out);
        is_written = fclose(out) == 0 && is_written;
        is_written = is_written && rename(state.file_new, state.file) == 0;
    }
    if (state.has_news && !is_written && !state.has_failed) {
        fprintf(stderr, "roofline: %s: %s\n", state.file, strerror(errno));
        state.has_failed = true; /* prints once; the program continues */
    }
    if (state.has_news && !is_written)
        unlink(state.file_new);
    state.has_news = false;
    pthread_mutex_unlock(&state.lock);
}

/* A forked child inherits the handlers but no threads of CUPTI: the records are the parent's. */
static bool is_ours(void)
{
    return getpid() == state.process;
}

static void at_exit(void)
{
    if (!is_ours())
        return;
    state.cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
    write_file();
}

static void *flush_often(void *unused)
{
    for (;;) {
        nanosleep(&(struct timespec){.tv_sec = PERIOD_S}, NULL);
        state.cupti.ActivityFlushAll(0);
        write_file();
    }
    return unused;
}

/* Blocks all signals in this thread: they are for the program. */
static void start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, flush_often, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Destroying a context (cudaDeviceReset()) also discards its records. */
static void on_destroy(void *data, uint32_t domain, uint32_t id, const void *what)
{
    (void)data;
    (void)domain;
    (void)id;
    (void)what;
    if (is_ours())
        state.cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
}

/* ---- the start ---- */

/* Loads all functions; false if the library lacks one. */
static bool has_all(void *library)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define FUNCTION(name) {"cupti" #name, offsetof(struct cupti, name)}
        FUNCTION(ActivityRegisterCallbacks),
        FUNCTION(ActivityEnable),
        FUNCTION(ActivityDisable),
        FUNCTION(ActivityGetNextRecord),
        FUNCTION(ActivityGetNumDroppedRecords),
        FUNCTION(ActivityFlushAll),
        FUNCTION(Subscribe),
        FUNCTION(EnableCallback),
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = library ? dlsym(library, functions[i].name) : NULL;
        if (!function)
            return false;
        memcpy((char *)&state.cupti + functions[i].offset, &function, sizeof function);
    }
    return true;
}

/* Turns recording of launches on or off. */
static void cupti_launches_enable(bool is_on)
{
    static const uint32_t kinds[] = {CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && state.is_started; i++)
        (is_on ? state.cupti.ActivityEnable : state.cupti.ActivityDisable)(kinds[i]);
}

/*
 * ---- ranges ----
 *
 * Recording is restricted to launches that are made while the NVTX range $RFL_NVTX, if set, is open in
 * any thread. NVTX loads the library as CUDA does (NVTX_INJECTION64_PATH).
 */

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

/* Whether launches are recorded now; always if no range was named. */
static bool ranges_are_open(void)
{
    return !getenv("RFL_NVTX") || ranges.n_open > 0;
}

static void change(int by)
{
    pthread_mutex_lock(&ranges.lock);
    bool was_open = ranges.n_open > 0;
    ranges.n_open += (uint64_t)(int64_t)by;
    if (was_open != (ranges.n_open > 0))
        cupti_launches_enable(!was_open);
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

/* ---- which libcupti ---- */

/* Kernels must be recorded; copies and fills are optional. */
static bool starts(void *library)
{
    return has_all(library) &&
           state.cupti.ActivityRegisterCallbacks(request, cupti_launches_complete) ==
               CUPTI_DONE &&
           state.cupti.ActivityEnable(CUPTI_CONCURRENT_KERNEL) == CUPTI_DONE;
}

/* Tries the files of a folder in reverse alphabetical order, in which the newest is mostly first. */
static bool starts_from(const char *pattern)
{
    glob_t found = {0};
    bool is_started = false;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !is_started;)
            is_started = starts(dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL));
    globfree(&found);
    return is_started;
}

/*
 * On most machines the loader does not find libcupti, and there may be several. Tries first the one that the
 * program has loaded (as PyTorch does), since two in one process conflict; then the loader's paths
 * (LD_LIBRARY_PATH), CUDA's variables, CUDA's folders.
 */
static bool start_any(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                        "libcupti.so.11.8"};
    static const char *const folders[] = {"/usr/local/cuda/extras/CUPTI/lib64",
                                          "/usr/local/cuda/lib64", "/usr/local/cuda/lib",
                                          "/opt/cuda/extras/CUPTI/lib64",
                                          "/usr/local/cuda-*/extras/CUPTI/lib64"};
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    char pattern[4096];
    for (int only_loaded = 1; only_loaded >= 0; only_loaded--)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (starts(dlopen(names[i], RTLD_NOW | (only_loaded ? RTLD_NOLOAD : 0))))
                return true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *root = getenv(variables[i]);
        snprintf(pattern, sizeof pattern, "%s/extras/CUPTI/lib64/libcupti.so*",
                 root ? root : "");
        if (root && starts_from(pattern))
            return true;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(pattern, sizeof pattern, "%s/libcupti.so*", folders[i]);
        if (starts_from(pattern))
            return true;
    }
    return false;
}

static bool name_files(const char *base)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    /* A program that replaces itself (exec) keeps its process ID. */
    long long start = (long long)now.tv_sec * 1000000000 + now.tv_nsec;
    return asprintf(&state.file, "%s.%ld-%lld", base, (long)state.process, start) > 0 &&
           asprintf(&state.file_new, "%s.new", state.file) > 0;
}

/* CUDA calls this at the program's first use of CUDA, and ignores the result. */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    const char *base = getenv("RFL_LAUNCHES");
    void *subscriber = NULL;
    state.process = getpid();
    if (state.file || !base || !*base || !name_files(base))
        return 1;
    /* A file without rows tells that the program uses a GPU. */
    state.has_news = true;
    write_file();
    if (!start_any())
        return 1;
    state.is_started = true;
    cupti_launches_enable(ranges_are_open());
    /* CUPTI allows one subscriber: a profiler of the program itself takes precedence. */
    if (state.cupti.Subscribe(&subscriber, on_destroy, NULL) == CUPTI_DONE)
        state.cupti.EnableCallback(1, subscriber, CUPTI_DOMAIN_RESOURCE,
                                   CUPTI_CONTEXT_DESTROY_STARTING);
    start_thread();
    atexit(at_exit);
    return 1;
}
