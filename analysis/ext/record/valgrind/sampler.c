/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sampler: where a program spends its time, without counters and rights. `roofline record` preloads it into a
 * run of its own: each thread has a timer of its CPU time, whose signal notes where the thread is. At the end
 * the process writes "OBJECT ADDRESS THREAD SAMPLES SYSTEM" for each place into RFL_SAMPLES.PID: object.h's
 * number of the file, the address as in its symbols, the thread's number from 0, how many of the samples the
 * operating system worked for it (a page fault). Linux raises such timers at its clock ticks, 100 to 1000
 * times a second. A line with fewer cells is "NANOSECONDS", the CPU time of all threads, or "OBJECT PATH".
 */
#include "analysis/ext/record/valgrind/object.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <valgrind.h>

/* Places in a table with open addressing, as a signal handler can use it; what does not fit is not noted. */
enum { N_PLACES = 1 << 16, MOST_PROBES = 64 };
static struct place {
    _Atomic uint64_t key; /* the address and, above 48 bits, the thread; 0: free */
    _Atomic uint32_t n, n_system;
} places[N_PLACES];

static _Atomic uint32_t n_threads;
static __thread uint32_t thread_number __attribute__((tls_model("initial-exec")));
static __thread timer_t thread_timer __attribute__((tls_model("initial-exec")));
static __thread int has_timer __attribute__((tls_model("initial-exec")));
static __thread int64_t user_us, system_us __attribute__((tls_model("initial-exec")));

/* Whether most of the thread's time since the last call was the operating system's. */
static int was_in_system(void)
{
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    const int64_t user = used.ru_utime.tv_sec * INT64_C(1000000) + used.ru_utime.tv_usec,
                  system = used.ru_stime.tv_sec * INT64_C(1000000) + used.ru_stime.tv_usec;
    const int is_system = system - system_us > user - user_us;
    user_us = user;
    system_us = system;
    return is_system;
}

static void note(int number, siginfo_t *info, void *context)
{
    const uint64_t address = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    const uint64_t key = address | (uint64_t)(thread_number + 1) << 48;
    const uint32_t n = 1 + (uint32_t)info->si_overrun;
    const int is_system = was_in_system();
    (void)number;
    for (uint64_t i = 0, at = key * 0x9e3779b97f4a7c15u >> 48; i < MOST_PROBES; i++) {
        struct place *place = &places[(at + i) % N_PLACES];
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&place->key, &there, key) || there == key) {
            atomic_fetch_add(&place->n, n);
            atomic_fetch_add(&place->n_system, is_system ? n : 0);
            return;
        }
    }
}

static void begin_thread(void)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    const struct itimerspec every = {tick, tick};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    thread_number = atomic_fetch_add(&n_threads, 1) % (UINT16_MAX - 1);
    has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread_timer) == 0;
    if (has_timer)
        timer_settime(thread_timer, 0, &every, NULL);
}

static void end_thread(void)
{
    if (has_timer)
        timer_delete(thread_timer);
    has_timer = 0;
}

struct start {
    void *(*run)(void *);
    void *with;
};

static void *run_thread(void *of)
{
    const struct start start = *(struct start *)of;
    free(of);
    begin_thread();
    void *result = start.run(start.with);
    end_thread();
    return result;
}

/* In place of the C library's: gives each thread its timer. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *with)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = getenv("RFL_SAMPLES") ? malloc(sizeof *start) : NULL;
    if (!start)
        return create(thread, attributes, run, with);
    *start = (struct start){run, with};
    const int failed = create(thread, attributes, run_thread, start);
    if (failed)
        free(start);
    return failed;
}

/* A child of fork() has no timers and starts from zero. */
static void begin_child(void)
{
    memset(places, 0, sizeof places);
    atomic_store(&n_threads, 0);
    begin_thread();
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_sigaction = note,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    if (!getenv("RFL_SAMPLES") || sigaction(SIGPROF, &action, NULL) != 0)
        return;
    pthread_atfork(NULL, NULL, begin_child);
    begin_thread();
}

/* Sends a request of rfl_region.h to our Valgrind tool, for languages that cannot (rfl_region.py). */
__attribute__((visibility("default"))) unsigned long rfl_sampler_request(unsigned long n,
                                                                         const char *name);
unsigned long rfl_sampler_request(unsigned long n, const char *name)
{
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, VG_USERREQ_TOOL_BASE('R', 'L') + n, name, 0,
                                           0, 0, 0);
}

/* ---- the file ---- */

static int write_object(struct dl_phdr_info *object, size_t size, void *file)
{
    char path[PATH_MAX] = "";
    const char *name = *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
    (void)size;
    if (!realpath(name, path))
        return 0;
    fprintf(file, "%u %s\n", rfl_object_id(path), path);
    for (size_t i = 0; i < N_PLACES; i++) {
        const uint64_t key = atomic_load(&places[i].key),
                       address = (key & ((UINT64_C(1) << 48) - 1)) - object->dlpi_addr;
        for (int p = 0; p < object->dlpi_phnum && key; p++) {
            const ElfW(Phdr) *part = &object->dlpi_phdr[p];
            if (part->p_type == PT_LOAD && address - part->p_vaddr < part->p_memsz) {
                fprintf(file, "%u %llu %u %u %u\n", rfl_object_id(path),
                        (unsigned long long)address, (unsigned)(key >> 48) - 1,
                        (unsigned)places[i].n, (unsigned)places[i].n_system);
                atomic_store(&places[i].key, 0);
                break;
            }
        }
    }
    return 0;
}

__attribute__((destructor)) static void end(void)
{
    char name[PATH_MAX];
    const char *prefix = getenv("RFL_SAMPLES");
    struct timespec used = {0};
    signal(SIGPROF, SIG_IGN);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    if (!prefix || snprintf(name, sizeof name, "%s.%d", prefix, (int)getpid()) >= PATH_MAX)
        return;
    FILE *file = fopen(name, "we");
    if (!file)
        return;
    fprintf(file, "%lld\n", used.tv_sec * 1000000000ll + used.tv_nsec);
    dl_iterate_phdr(write_object, file);
    for (size_t i = 0; i < N_PLACES; i++) /* code that was made at run time */
        if (atomic_load(&places[i].key))
            fprintf(file, "0 0 %u %u %u\n", (unsigned)(places[i].key >> 48) - 1,
                    (unsigned)places[i].n, (unsigned)places[i].n_system);
    fclose(file);
}
