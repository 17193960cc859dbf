/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rfl_region: names parts of a program, so that profilers report results by these names. One header, nothing
 * to link; for C and C++, with gcc, clang or compilers that have their builtins:
 *
 *  #include <rfl_region.h>
 *
 *  rfl_region_begin("triad");
 *  for (i = 0; i < n; i++) a[i] = b[i] + s * c[i];
 *  rfl_region_end("triad");
 *  rfl_region_work("triad", 2.0 * n, 24.0 * n);
 *
 * The names are passed to these listeners, which are detected once, at the first region:
 *
 * - our timer, if RFL_REGIONS=FILE is set: writes calls, threads, seconds and work of each region;
 * - our Valgrind tool, if the program runs under it;
 * - LIKWID's markers under `likwid-perfctr -m`, and PAPI's high-level API if PAPI_EVENTS is set: their
 *   libraries are opened at run time;
 * - NVTX, if its header exists at compile time (#define RFL_REGION_NO_NVTX turns it off): push and pop.
 *
 * Without a listener a call is a load and a branch. Each thread has its own regions; they may nest, also
 * recursively, and overlap (NVTX's only nest). A region that one thread begins around a parallel loop counts
 * the work of all threads. An end without a begin, and a region still open at the end of the program, are
 * reported once. A child of fork() starts from zero and writes its own file (RFL_REGIONS with %p, the process
 * ID; else the ID is appended).
 *
 * The file is written at exit, and at ends of regions if 1000 times the time of the last writing has passed
 * since: a program that is killed leaves its regions so far, for 0.1 % of its time.
 */
#ifndef RFL_REGION_H
#define RFL_REGION_H

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if !defined RFL_REGION_NO_NVTX && defined __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RFL_REGION_HAS_NVTX
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Begin and end a region of this thread. Only the first 63 bytes of a name count; it is copied. */
static inline void rfl_region_begin(const char *name);
static inline void rfl_region_end(const char *name);

/*
 * Adds work that the author counted to a region: floating-point operations, and bytes that must be read from
 * and written to memory. Call it once per call of the region, inside or after it.
 */
static inline void rfl_region_work(const char *name, double flops, double bytes);

/* ---- internal ---- */

/* -std=c11 hides what is not in C; C++ compilers never do. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef __cplusplus
extern int madvise(void *, size_t, int);
extern long syscall(long, ...);
#endif
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC 1
extern int clock_gettime(int, struct timespec *);
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* linux/mman.h, Linux 4.14 */
#endif

enum {
    RFL_REGION_ASKED = 1, /* listeners; alone: there is none */
    RFL_REGION_TIMER = 2,
    RFL_REGION_VALGRIND = 4,
    RFL_REGION_NVTX = 8,
    RFL_REGION_LIBRARY = 16,   /* LIKWID or PAPI */
    RFL_REGION_PAGE_SLOTS = 31 /* a page of memory */
};

struct rfl_region_slot { /* a region on a thread */
    char name[64];
    uint64_t depth, calls, begun_ns, sum_ns;
    uint64_t first_ns, last_ns; /* first begin, last end */
    double flops, bytes;
};

/* The regions of a thread. Pages and state are in memory that is zeroed in a child of fork(). */
struct rfl_region_page {
    struct rfl_region_page *more,
        *next;      /* more: of this thread; next: the first page of another thread */
    long n, thread; /* n: slots; thread 0: not in the list */
    struct rfl_region_slot slots[RFL_REGION_PAGE_SLOTS];
};

struct rfl_region_state {
    int listeners; /* 0: not detected yet */
    int has_complained;
    uint64_t written_ns,
        wait_ns; /* time of the last writing, and the wait until the next one */
    struct rfl_region_page *threads;
};

/* Weak: the program has one copy, even if many files include this header. */
#define RFL_REGION_ONE __attribute__((weak))
extern struct rfl_region_state rfl_region_nobody, *rfl_region_state;
extern __thread struct rfl_region_page *rfl_region_mine;
extern int rfl_region_lock, rfl_region_pid;         /* of the first process */
extern int (*rfl_region_calls[2][2])(const char *); /* LIKWID's and PAPI's: begin, end */
extern int (*rfl_region_new_thread)(void);
extern void (*rfl_region_close)(void);
void rfl_region_event(const char *name, int is_end);
void rfl_region_add(const char *name, double flops, double bytes);
void rfl_region_ask(void);
void rfl_region_write(int is_exit);
void rfl_region_exit(void);
void rfl_region_complain(const char *name, const char *what);
void *rfl_region_zeroed(size_t bytes);
struct rfl_region_page *rfl_region_page_of_thread(void);
struct rfl_region_slot *rfl_region_find(struct rfl_region_page *page, const char *name);

static inline void rfl_region_begin(const char *name)
{
    if (rfl_region_state->listeners != RFL_REGION_ASKED)
        rfl_region_event(name, 0);
}

static inline void rfl_region_end(const char *name)
{
    if (rfl_region_state->listeners != RFL_REGION_ASKED)
        rfl_region_event(name, 1);
}

static inline void rfl_region_work(const char *name, double flops, double bytes)
{
    if (rfl_region_state->listeners != RFL_REGION_ASKED)
        rfl_region_add(name, flops, bytes);
}

RFL_REGION_ONE struct rfl_region_state rfl_region_nobody;
RFL_REGION_ONE struct rfl_region_state *rfl_region_state = &rfl_region_nobody;
RFL_REGION_ONE __thread struct rfl_region_page *rfl_region_mine;
RFL_REGION_ONE int rfl_region_lock, rfl_region_pid;
RFL_REGION_ONE int (*rfl_region_calls[2][2])(const char *);
RFL_REGION_ONE int (*rfl_region_new_thread)(void);
RFL_REGION_ONE void (*rfl_region_close)(void);

/* NULL in a program that is linked without them (an old libc without -ldl). */
#pragma weak dlopen
#pragma weak dlsym

static inline uint64_t rfl_region_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Sends a request to the tool that runs the program; 0 without a tool. The instructions do nothing on a
 * processor; Valgrind recognizes them (its ABI for client requests; the numbers are our tool's).
 */
static inline uint64_t rfl_region_request(uint64_t number, const char *name)
{
    uint64_t result = 0;
#if defined __x86_64__ && defined __linux__
    volatile uint64_t request[6] = {
        0x524c0000u + number, (uint64_t)(uintptr_t)name, 0, 0, 0, 0};
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

/* The lock has the holder's process ID: in a child of fork(), a lock of the parent's threads is free. */
static inline void rfl_region_take_lock(void)
{
    const int me = (int)getpid();
    for (int seen = 0;
         seen == me || !__atomic_compare_exchange_n(&rfl_region_lock, &seen, me, 0,
                                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);)
        seen = __atomic_load_n(&rfl_region_lock, __ATOMIC_RELAXED);
}

static inline void rfl_region_give_lock(void)
{
    __atomic_store_n(&rfl_region_lock, 0, __ATOMIC_RELEASE);
}

RFL_REGION_ONE void *rfl_region_zeroed(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_WIPEONFORK);
    return memory;
}

RFL_REGION_ONE void rfl_region_complain(const char *name, const char *what)
{
    if (!__atomic_exchange_n(&rfl_region_state->has_complained, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "rfl_region: '%s' %s (said once)\n", name, what);
}

/* Opens the library of a listener if its variable is set; reports if there is none. */
static inline void *rfl_region_library(const char *variable, const char *const *files)
{
    void *library = NULL;
    if (!getenv(variable) || !dlopen || !dlsym)
        return NULL;
    for (const char *const *file = files; *file && !library; file++)
        library = dlopen(*file, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fprintf(stderr, "rfl_region: %s is set, but there is no %s\n", variable, *files);
    return library;
}

/* Finds a function of a library. POSIX, but not C, converts between pointers to void and to functions. */
static inline void rfl_region_function(void *library, const char *name, void *function)
{
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

static inline int rfl_region_ask_libraries(void)
{
    static const char *const likwid_files[] = {"liblikwid.so", "liblikwid.so.5.4",
                                               "liblikwid.so.5.3", "liblikwid.so.5.2",
                                               NULL},
                             *const papi_files[] = {"libpapi.so",     "libpapi.so.7.2",
                                                    "libpapi.so.7.1", "libpapi.so.7.0",
                                                    "libpapi.so.6.0", NULL};
    void *likwid = rfl_region_library("LIKWID_FILEPATH", likwid_files),
         *papi = rfl_region_library("PAPI_EVENTS", papi_files);
    void (*start)(void);
    rfl_region_function(likwid, "likwid_markerStartRegion", &rfl_region_calls[0][0]);
    rfl_region_function(likwid, "likwid_markerStopRegion", &rfl_region_calls[0][1]);
    rfl_region_function(likwid, "likwid_markerThreadInit", &rfl_region_new_thread);
    rfl_region_function(likwid, "likwid_markerClose", &rfl_region_close);
    rfl_region_function(likwid, "likwid_markerInit", &start);
    rfl_region_function(papi, "PAPI_hl_region_begin", &rfl_region_calls[1][0]);
    rfl_region_function(papi, "PAPI_hl_region_end", &rfl_region_calls[1][1]);
    if (start)
        start();
    return likwid || papi ? RFL_REGION_LIBRARY : 0;
}

/* Detects the listeners; again in a child of fork(). */
RFL_REGION_ONE void rfl_region_ask(void)
{
    struct rfl_region_state *state = rfl_region_state;
    int listeners = RFL_REGION_ASKED;
    rfl_region_take_lock();
    if (!rfl_region_state->listeners) {
        if (getenv("RFL_REGIONS"))
            listeners |= RFL_REGION_TIMER;
        if (rfl_region_request(0, ""))
            listeners |= RFL_REGION_VALGRIND;
#ifdef RFL_REGION_HAS_NVTX
        listeners |= RFL_REGION_NVTX;
#endif
        if (!rfl_region_pid) {
            listeners |= rfl_region_ask_libraries();
            if (listeners & (RFL_REGION_TIMER | RFL_REGION_LIBRARY))
                atexit(rfl_region_exit);
            rfl_region_pid = (int)getpid();
        }
        if (state == &rfl_region_nobody && listeners != RFL_REGION_ASKED)
            state = (struct rfl_region_state *)rfl_region_zeroed(sizeof *state);
        if (!state) { /* no memory: no listeners */
            state = &rfl_region_nobody;
            listeners = RFL_REGION_ASKED;
        }
        state->listeners = listeners;
        __atomic_store_n(&rfl_region_state, state, __ATOMIC_RELEASE);
    }
    rfl_region_give_lock();
}

/* Finds a page of a thread that has ended; the new thread adds to its sums. */
static inline struct rfl_region_page *rfl_region_free_page(long me)
{
    struct rfl_region_page *page = rfl_region_state->threads;
    while (page && page->thread != me &&
           syscall(SYS_tgkill, getpid(), page->thread, 0) == 0)
        page = page->next;
    return page;
}

RFL_REGION_ONE struct rfl_region_page *rfl_region_page_of_thread(void)
{
    struct rfl_region_page *page = rfl_region_mine;
    if (page && page->thread)
        return page;
    long me = syscall(SYS_gettid);
    rfl_region_take_lock();
    if (!page)
        page = rfl_region_free_page(me);
    if (!page)
        page = (struct rfl_region_page *)rfl_region_zeroed(sizeof *page);
    if (page && !page->thread) {
        page->next = rfl_region_state->threads;
        rfl_region_state->threads = page;
    }
    if (page)
        page->thread = me;
    rfl_region_give_lock();
    if (page && !rfl_region_mine && rfl_region_new_thread)
        rfl_region_new_thread();
    return rfl_region_mine = page;
}

/* Finds the slot of a name; NULL if there is none. */
RFL_REGION_ONE struct rfl_region_slot *rfl_region_find(struct rfl_region_page *page,
                                                       const char *name)
{
    for (; page; page = page->more)
        for (long i = 0; i < page->n; i++)
            if (strncmp(page->slots[i].name, name, sizeof page->slots[i].name - 1) == 0)
                return &page->slots[i];
    return NULL;
}

/* Finds or adds the slot of a name on this thread; NULL if memory runs out. */
static inline struct rfl_region_slot *rfl_region_slot_of(const char *name)
{
    struct rfl_region_page *page = rfl_region_page_of_thread();
    struct rfl_region_slot *slot = rfl_region_find(page, name);
    if (slot || !page)
        return slot;
    while (page->n == RFL_REGION_PAGE_SLOTS) {
        if (!page->more)
            page->more = (struct rfl_region_page *)rfl_region_zeroed(sizeof *page);
        if (!(page = page->more))
            return NULL;
    }
    slot = &page->slots[page->n];
    for (size_t i = 0; i + 1 < sizeof slot->name && name[i]; i++)
        slot->name[i] = name[i];
    __atomic_store_n(&page->n, page->n + 1, __ATOMIC_RELEASE);
    return slot;
}

static inline void rfl_region_tell(const char *name, int is_end)
{
    const int listeners = rfl_region_state->listeners;
    for (int i = 0; i < 2 && (listeners & RFL_REGION_LIBRARY); i++)
        if (rfl_region_calls[i][is_end])
            rfl_region_calls[i][is_end](name);
#ifdef RFL_REGION_HAS_NVTX
    if (is_end)
        nvtxRangePop();
    else
        nvtxRangePushA(name);
#endif
}

/*
 * No region contains the cost of listeners: Valgrind is told of a begin last and of an end first, and the
 * clock is read next to that.
 */
RFL_REGION_ONE void rfl_region_event(const char *name, int is_end)
{
    if (!rfl_region_state->listeners)
        rfl_region_ask();
    if (!(rfl_region_state->listeners & ~(RFL_REGION_ASKED | RFL_REGION_NVTX))) {
        rfl_region_tell(name, is_end);
        return;
    }
    const int is_counted = rfl_region_state->listeners & RFL_REGION_VALGRIND;
    if (is_end && is_counted)
        rfl_region_request(2, name);
    uint64_t now_ns = is_end ? rfl_region_now_ns() : 0;
    struct rfl_region_slot *slot = is_end
                                       ? rfl_region_find(rfl_region_page_of_thread(), name)
                                       : rfl_region_slot_of(name);
    if (is_end && (!slot || slot->depth == 0))
        rfl_region_complain(name, "ends without a begin");
    if (!slot || (is_end && slot->depth == 0))
        return;
    rfl_region_tell(name, is_end);
    if (!is_end) {
        if (slot->depth++ == 0)
            slot->begun_ns = rfl_region_now_ns();
        if (!slot->first_ns)
            slot->first_ns = slot->begun_ns;
    } else if (--slot->depth == 0) {
        slot->sum_ns += now_ns - slot->begun_ns;
        slot->last_ns = now_ns;
        slot->calls++;
        if ((rfl_region_state->listeners & RFL_REGION_TIMER) &&
            now_ns - rfl_region_state->written_ns >= rfl_region_state->wait_ns)
            rfl_region_write(0);
    }
    if (!is_end && is_counted)
        rfl_region_request(1, name);
}

RFL_REGION_ONE void rfl_region_add(const char *name, double flops, double bytes)
{
    if (!rfl_region_state->listeners)
        rfl_region_ask();
    struct rfl_region_slot *slot =
        rfl_region_state->listeners & RFL_REGION_TIMER ? rfl_region_slot_of(name) : NULL;
    if (!slot)
        return;
    slot->flops += flops;
    slot->bytes += bytes;
}

static inline void rfl_region_print_s(FILE *file, uint64_t ns)
{
    fprintf(file, "\t%llu.%09llu", (unsigned long long)(ns / 1000000000u),
            (unsigned long long)(ns % 1000000000u));
}

/*
 * Writes the row of a name: sums of work, the seconds of the longest thread, the most calls of a thread; the
 * first begin and last end, on a clock that all processes share, to tell whether they ran concurrently.
 */
static inline void rfl_region_print(FILE *file, const char *name, uint64_t now_ns,
                                    int is_exit)
{
    uint64_t calls = 0, longest_ns = 0, first_ns = now_ns, last_ns = 0;
    double flops = 0, bytes = 0;
    int threads = 0;
    for (struct rfl_region_page *page = rfl_region_state->threads; page;
         page = page->next) {
        const struct rfl_region_slot *slot = rfl_region_find(page, name);
        if (!slot)
            continue;
        int is_open = slot->depth > 0;
        uint64_t sum_ns = slot->sum_ns + (is_open ? now_ns - slot->begun_ns : 0);
        if (is_open && is_exit)
            rfl_region_complain(name,
                                "has a begin without an end: it ends with the program");
        threads += slot->calls > 0 || is_open;
        calls = slot->calls + (uint64_t)is_open > calls ? slot->calls + (uint64_t)is_open
                                                        : calls;
        longest_ns = sum_ns > longest_ns ? sum_ns : longest_ns;
        first_ns = slot->first_ns && slot->first_ns < first_ns ? slot->first_ns : first_ns;
        last_ns = is_open ? now_ns : slot->last_ns > last_ns ? slot->last_ns : last_ns;
        flops += slot->flops;
        bytes += slot->bytes;
    }
    for (; *name; name++) /* a region is one line of the file */
        fputc((unsigned char)*name < ' ' ? '?' : *name, file);
    fprintf(file, "\t%llu\t%d", (unsigned long long)calls, threads);
    rfl_region_print_s(file, longest_ns);
    fprintf(file, "\t%.17g\t%.17g", flops, bytes);
    rfl_region_print_s(file, first_ns);
    rfl_region_print_s(file, last_ns);
    fputc('\n', file);
}

/* Whether a thread before `last` in the list also has the name. */
static inline int rfl_region_is_printed(const struct rfl_region_page *last,
                                        const char *name)
{
    struct rfl_region_page *page = rfl_region_state->threads;
    while (page != last && !rfl_region_find(page, name))
        page = page->next;
    return page != last;
}

/* RFL_REGIONS with %p replaced; without %p a child of fork() appends its process ID. */
static inline void rfl_region_file_name(char *to, size_t size, const char *end)
{
    const char *pattern = getenv("RFL_REGIONS"),
               *place = pattern ? strstr(pattern, "%p") : NULL;
    int pid = (int)getpid();
    if (!pattern)
        pattern = "";
    if (place)
        snprintf(to, size, "%.*s%d%s%s", (int)(place - pattern), pattern, pid, place + 2,
                 end);
    else if (pid != rfl_region_pid)
        snprintf(to, size, "%s.%d%s", pattern, pid, end);
    else
        snprintf(to, size, "%s%s", pattern, end);
}

/* Writes another file and renames it, so that the file is always complete. */
RFL_REGION_ONE void rfl_region_write(int is_exit)
{
    char name[4096], unfinished[4096];
    uint64_t now_ns = rfl_region_now_ns();
    rfl_region_file_name(name, sizeof name, "");
    rfl_region_file_name(unfinished, sizeof unfinished, ".new");
    rfl_region_take_lock();
    FILE *file = fopen(unfinished, "w");
    if (file) {
        fputs("region\tcalls\tthreads\tseconds\tflops\tbytes\tbegun\tended\n", file);
        for (struct rfl_region_page *first = rfl_region_state->threads; first;
             first = first->next)
            for (struct rfl_region_page *page = first; page; page = page->more)
                for (long i = 0; i < page->n; i++)
                    if (!rfl_region_is_printed(first, page->slots[i].name))
                        rfl_region_print(file, page->slots[i].name, now_ns, is_exit);
    }
    if (!file || (ferror(file) | fclose(file) | rename(unfinished, name)))
        rfl_region_complain(name, "cannot be written");
    rfl_region_state->written_ns = rfl_region_now_ns();
    rfl_region_state->wait_ns = 1000 * (rfl_region_state->written_ns - now_ns);
    rfl_region_give_lock();
}

RFL_REGION_ONE void rfl_region_exit(void)
{
    if ((rfl_region_state->listeners & RFL_REGION_TIMER) && rfl_region_state->threads)
        rfl_region_write(1);
    if (rfl_region_close && (int)getpid() == rfl_region_pid)
        rfl_region_close();
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
