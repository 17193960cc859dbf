/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rfl_region: names parts of a program, so that profilers report results by these names. One header, nothing
 * to link; for C and C++, with gcc, clang or compilers that have their builtins and attributes:
 *
 *  #include <rfl_region.h>
 *
 *  rfl_region_begin("triad");
 *  for (i = 0; i < n; i++) a[i] = b[i] + s * c[i];
 *  rfl_region_end("triad");
 *  rfl_region_work("triad", 2.0 * n, 24.0 * n);
 *
 * Listeners are detected when the program starts: NVTX, if its header exists at compile time (#define
 * RFL_REGION_NO_NVTX turns it off); LIKWID's markers under `likwid-perfctr -m`, whose library is opened at
 * run time; our Valgrind tool, if it runs the program; and RFL_REGIONS=FILE, which sums calls, times and work
 * of each thread and writes them to FILE.PID when the program ends. Without one a call is a load and a
 * branch. Each thread has its own regions; they may nest, also recursively, and overlap (NVTX's only nest). A
 * region that one thread begins around a parallel loop counts the work of all threads. An end without a begin
 * is ignored.
 */
#ifndef RFL_REGION_H
#define RFL_REGION_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#if !defined RFL_REGION_NO_NVTX && defined __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RFL_REGION_PUSH(name) nvtxRangePushA(name)
#define RFL_REGION_POP()      nvtxRangePop()
#endif
#endif
#ifndef RFL_REGION_PUSH
#define RFL_REGION_PUSH(name) ((void)0)
#define RFL_REGION_POP()      ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { RFL_REGION_SLOTS = 1 << 14 };

/* The sums of a region on a thread; times in microseconds. */
struct rfl_region_slot {
    unsigned long long owner; /* process and thread; 0: free */
    char name[64];
    int process, depth; /* depth: begins without ends */
    long long calls, begun_us, sum_us, first_us, last_us;
    double flops, bytes;
};

/* Weak: a program has one of each, even if many of its files include this header. */
__attribute__((weak)) struct rfl_region_state {
    int is_asked, process;                    /* process: that asked */
    int is_heard, has_valgrind;               /* is_heard: by another listener than NVTX */
    int (*calls[2])(const char *);            /* LIKWID's begin and end */
    void (*new_thread)(void), (*close)(void); /* LIKWID's */
    struct rfl_region_slot *slots;            /* a hash table; NULL: no file is asked for */
} rfl_region_state;
__attribute__((weak)) __thread int rfl_region_is_known; /* to LIKWID */

/* NULL in a program that is linked without them (an old libc without -ldl). */
#pragma weak dlopen
#pragma weak dlsym

/*
 * Sends a request to the tool that runs the program; 0 without a tool. The instructions do nothing on a
 * processor; Valgrind recognizes them (its ABI for client requests; the numbers are our tool's).
 */
static inline unsigned long rfl_region_request(unsigned long number, const char *name)
{
    unsigned long result = 0;
#if defined __x86_64__ && defined __linux__
    volatile unsigned long request[6] = {
        0x524c0000ul + number, (unsigned long)name, 0, 0, 0, 0};
    __asm__ volatile(
        "rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
        "xchgq %%rbx, %%rbx"
        : "=d"(result)
        : "a"(&request[0]), "0"(result)
        : "cc", "memory");
#else
    (void)number, (void)name;
#endif
    return result;
}

/* Opens LIKWID's library under `likwid-perfctr -m`. */
static inline void *rfl_region_open(void)
{
    static const char *const files[] = {"liblikwid.so", "liblikwid.so.5.4",
                                        "liblikwid.so.5.3", "liblikwid.so.5.2"};
    void *library = NULL;
    if (!getenv("LIKWID_FILEPATH") || !dlopen || !dlsym)
        return NULL;
    for (int i = 0; i < 4 && !library; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fprintf(stderr, "rfl_region: LIKWID_FILEPATH is set, but there is no %s\n",
                files[0]);
    return library;
}

/* Finds a function of a library. POSIX, but not C, converts between pointers to void and to functions. */
static inline void rfl_region_find(void *library, const char *name, void *function)
{
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

/* Writes a row for each region of a thread, those of a child of fork() to a file of its own. */
static inline void rfl_region_exit(void)
{
    const struct rfl_region_state *state = &rfl_region_state;
    const int process = (int)getpid();
    char name[4096];
    if (state->close && process == state->process)
        state->close();
    if (!state->slots)
        return;
    snprintf(name, sizeof name, "%s.%d", getenv("RFL_REGIONS"), process);
    FILE *file = fopen(name, "w");
    for (int i = 0; i < RFL_REGION_SLOTS && file; i++) {
        const struct rfl_region_slot *slot = &state->slots[i];
        if (slot->process == process)
            fprintf(file,
                    "rfl_region\t%s\t%d\t%llx\t%d\t%lld\t%lld\t%.17g\t%.17g\t%lld\t%lld\n",
                    slot->name, process, slot->owner, slot->depth, slot->calls,
                    slot->sum_us, slot->flops, slot->bytes, slot->first_us, slot->last_us);
    }
    if (!file || (ferror(file) | fclose(file)))
        fprintf(stderr, "rfl_region: '%s' cannot be written\n", name);
}

/* Detects the listeners, before main() and its threads. */
__attribute__((constructor)) static void rfl_region_ask(void)
{
    struct rfl_region_state *state = &rfl_region_state;
    const char *file = getenv("RFL_REGIONS");
    void (*start)(void);
    if (state->is_asked++)
        return;
    void *likwid = rfl_region_open();
    rfl_region_find(likwid, "likwid_markerStartRegion", &state->calls[0]);
    rfl_region_find(likwid, "likwid_markerStopRegion", &state->calls[1]);
    rfl_region_find(likwid, "likwid_markerThreadInit", &state->new_thread);
    rfl_region_find(likwid, "likwid_markerClose", &state->close);
    rfl_region_find(likwid, "likwid_markerInit", &start);
    if (start)
        start();
    state->process = (int)getpid();
    state->has_valgrind = rfl_region_request(0, "") != 0;
    if (file && *file)
        state->slots =
            (struct rfl_region_slot *)calloc(RFL_REGION_SLOTS, sizeof *state->slots);
    state->is_heard = likwid || state->has_valgrind || state->slots;
    atexit(rfl_region_exit);
}

/* Finds or takes the slot of a name on this thread; NULL: all are taken. A later thread can have its ID. */
static inline struct rfl_region_slot *rfl_region_slot_of(const char *name)
{
    const int process = (int)getpid();
    unsigned long long owner = ((unsigned long long)process << 42) ^
                               ((unsigned long long)pthread_self() >> 4),
                       hash = owner;
    char text[64] = ""; /* as our Valgrind tool cuts and writes names */
    for (int i = 0; i < 63 && name[i]; i++) {
        text[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
        hash = hash * 31 + (unsigned char)text[i];
    }
    for (int i = 0; i < RFL_REGION_SLOTS; i++) {
        struct rfl_region_slot *slot = &rfl_region_state.slots[hash++ % RFL_REGION_SLOTS];
        unsigned long long found = 0;
        if (__atomic_compare_exchange_n(&slot->owner, &found, owner, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            slot->process = process;
            memcpy(slot->name, text, sizeof text);
            return slot;
        }
        if (found == owner && strcmp(slot->name, text) == 0)
            return slot;
    }
    return NULL;
}

static inline long long rfl_region_now_us(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec * 1000000ll + now.tv_usec;
}

static inline void rfl_region_time(const char *name, int is_end)
{
    const long long end_us = is_end ? rfl_region_now_us() : 0;
    struct rfl_region_slot *slot = rfl_region_slot_of(name);
    if (slot && is_end && slot->depth > 0 && --slot->depth == 0) {
        slot->sum_us += end_us - slot->begun_us;
        slot->last_us = end_us;
    } else if (slot && !is_end && slot->depth++ == 0) {
        slot->begun_us = rfl_region_now_us();
        slot->first_us = slot->calls++ ? slot->first_us : slot->begun_us;
    }
}

/* No region has the cost of listeners: Valgrind hears of a begin last and of an end first, the clock next. */
static inline void rfl_region_tell(const char *name, int is_end)
{
    const struct rfl_region_state *state = &rfl_region_state;
    if (is_end && state->has_valgrind)
        rfl_region_request(2, name);
    if (is_end && state->slots)
        rfl_region_time(name, 1);
    if (!rfl_region_is_known++ && state->new_thread)
        state->new_thread();
    if (state->calls[is_end])
        state->calls[is_end](name);
    if (!is_end && state->slots)
        rfl_region_time(name, 0);
    if (!is_end && state->has_valgrind)
        rfl_region_request(1, name);
}

/* Begin and end a region of this thread. Only the first 63 bytes of a name count; it is copied. */
static inline void rfl_region_begin(const char *name)
{
    RFL_REGION_PUSH(name);
    if (rfl_region_state.is_heard)
        rfl_region_tell(name, 0);
}

static inline void rfl_region_end(const char *name)
{
    if (rfl_region_state.is_heard)
        rfl_region_tell(name, 1);
    RFL_REGION_POP();
}

/*
 * Adds work that the author counted to a region: floating-point operations, and bytes that must be read from
 * and written to memory. Call it once per call of the region, inside or after it.
 */
static inline void rfl_region_work(const char *name, double flops, double bytes)
{
    struct rfl_region_slot *slot = rfl_region_state.slots ? rfl_region_slot_of(name) : NULL;
    if (!slot)
        return;
    slot->flops += flops;
    slot->bytes += bytes;
}

#ifdef __cplusplus
}

/* A region from here to the end of the block. */
class rfl_region
{
  public:
    explicit rfl_region(const char *name) : name_(name)
    {
        rfl_region_begin(name);
    }
    ~rfl_region()
    {
        rfl_region_end(name_);
    }
    rfl_region(const rfl_region &) = delete;
    rfl_region &operator=(const rfl_region &) = delete;

  private:
    const char *name_;
};
#endif

#endif
