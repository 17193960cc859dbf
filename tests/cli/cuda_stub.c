/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cuda_stub: a program that uses a GPU, where there is none: it loads what CUDA_INJECTION64_PATH names as
 * CUDA would, and "launches" as its words say, in their order:
 *
 *   N      N launches of each of three kernels, one of them with two grids, and copies
 *   unlike one of five times the time of its like   other  one on a second GPU
 *   reset  cudaDeviceReset()         wait   so long that the library flushes
 *   push NAME, pop, start NAME, finish   NVTX ranges
 *   end    waits, and sends SIGTERM to roofline, which passes it on
 *   crash  SIGSEGV                   fork   a child that ends, and one that launches one kernel itself
 *   exec   replaces itself by the words that follow
 */
#include "analysis/ext/record/cupti/cupti.h"
#include "tests/cli/cupti_stub.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t now_ns = 1000;

static void inject(void)
{
    const char *file = getenv("CUDA_INJECTION64_PATH");
    void *library = file ? dlopen(file, RTLD_NOW) : NULL;
    int (*start)(void) = NULL;
    if (library)
        *(void **)&start = dlsym(library, "InitializeInjection");
    if (start)
        start();
}

static void launch(const char *name, int grid, uint32_t device, uint64_t time_ns)
{
    const struct cupti_kernel record = {
        .kind = CUPTI_CONCURRENT_KERNEL,
        .registers = 32,
        .start = now_ns,
        .end = now_ns + time_ns,
        .device = device,
        .grid = {grid, 1, 1},
        .block = {256,  1, 1},
        .name = name
    };
    cupti_stub_add(&record);
    now_ns += time_ns + 10;
}

static void launch_all(long n)
{
    const struct cupti_memcpy copy = {.kind = CUPTI_MEMCPY,
                                      .copy_kind = 1,
                                      .bytes = 4096,
                                      .start = now_ns,
                                      .end = now_ns + 500};
    const struct cupti_memset fill = {
        .kind = CUPTI_MEMSET, .bytes = 1024, .start = now_ns + 600, .end = now_ns + 700};
    cupti_stub_add(&copy);
    cupti_stub_add(&fill);
    now_ns += 1000;
    for (long i = 0; i < n; i++) {
        launch("_Z4bulkIdLi64EEvPT_i", 256, 0,
               3000); /* void bulk<double, 64>(double*, int) */
        launch("_Z4bulkIdLi64EEvPT_i", 512, 0, 6000);
        launch("second", 8, 0, 800);
        launch("tiny", 1, 0, 100);
    }
}

static void fork_two(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0 && i == 0)
            exit(0);
        if (child == 0)
            execl("/proc/self/exe", "cuda_stub", "1", (char *)NULL);
        waitpid(child, NULL, 0);
    }
}

/* NVTX's side of a range: what the library puts into its table is called. */
typedef void (*function)(void);
static function core[16];

static int functions_of(int module, function ***table, unsigned *size)
{
    static function *slots[16];
    for (size_t i = 0; i < 16; i++)
        slots[i] = &core[i];
    *table = slots;
    *size = module == 1 ? 16 : 0;
    return module == 1;
}

static const void *table_of(uint32_t id)
{
    static const struct {
        size_t size;
        int (*functions)(int, function ***, unsigned *);
    } callbacks = {sizeof callbacks, functions_of};
    return id == 1 ? &callbacks : NULL;
}

static void inject_nvtx(void)
{
    const char *file = getenv("NVTX_INJECTION64_PATH");
    void *library = file ? dlopen(file, RTLD_NOW) : NULL;
    int (*start)(const void *(*)(uint32_t)) = NULL;
    if (library)
        *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    if (start)
        start(table_of);
}

/* NVTX_CBID_CORE_RangeStartA 5, RangeEnd 7, RangePushA 9, RangePop 11; false: no such word. */
static bool range(char **words, int *i)
{
    static uint64_t started;
    if (strcmp(words[*i], "push") == 0 && core[9])
        ((int (*)(const char *))core[9])(words[++*i]);
    else if (strcmp(words[*i], "pop") == 0 && core[11])
        ((int (*)(void))core[11])();
    else if (strcmp(words[*i], "start") == 0 && core[5])
        started = ((uint64_t(*)(const char *))core[5])(words[++*i]);
    else if (strcmp(words[*i], "finish") == 0 && core[7])
        ((void (*)(uint64_t))core[7])(started);
    else
        return false;
    return true;
}

static void end(void)
{
    usleep(1500000);
    kill(getppid(), SIGTERM);
    pause();
}

int main(int argc, char **argv)
{
    inject();
    inject_nvtx();
    for (int i = 1; i < argc; i++) {
        if (range(argv, &i))
            continue;
        if (strcmp(argv[i], "reset") == 0)
            cupti_stub_reset();
        else if (strcmp(argv[i], "unlike") == 0)
            launch("second", 8, 0, 4000);
        else if (strcmp(argv[i], "other") == 0)
            launch("second", 8, 1, 800);
        else if (strcmp(argv[i], "wait") == 0)
            usleep(1500000);
        else if (strcmp(argv[i], "crash") == 0)
            raise(SIGSEGV);
        else if (strcmp(argv[i], "end") == 0)
            end();
        else if (strcmp(argv[i], "fork") == 0)
            fork_two();
        else if (strcmp(argv[i], "exec") == 0)
            execvp(argv[i + 1], argv + i + 1);
        else
            launch_all(atol(argv[i]));
    }
    puts("the program's own words");
    return 0;
}
