/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/backend/cuda/names.h"

#include <stdlib.h>

struct name {
    const void *stub;
    const char *kernel;
};
static struct name *names; /* malloc, for as long as the file is open */
static size_t n;

/*
 * What nvcc and clang generate calls this for each kernel, before main() or within dlopen(). The linker
 * hands over the calls (--wrap in configure.ac's CUDA_LIBS).
 */
void __real___cudaRegisterFunction(void **file, const char *stub, char *function,
                                   const char *kernel, int thread_limit, void *thread,
                                   void *block, void *block_size, void *grid_size,
                                   int *warp_size);
void __wrap___cudaRegisterFunction(void **file, const char *stub, char *function,
                                   const char *kernel, int thread_limit, void *thread,
                                   void *block, void *block_size, void *grid_size,
                                   int *warp_size);

void __wrap___cudaRegisterFunction(void **file, const char *stub, char *function,
                                   const char *kernel, int thread_limit, void *thread,
                                   void *block, void *block_size, void *grid_size,
                                   int *warp_size)
{
    struct name *grown = realloc(names, (n + 1) * sizeof *names);
    if (grown) { /* else its name is not known */
        names = grown;
        names[n++] = (struct name){stub, kernel};
    }
    __real___cudaRegisterFunction(file, stub, function, kernel, thread_limit, thread, block,
                                  block_size, grid_size, warp_size);
}

const char *ert_cuda_kernel_name(const void *stub)
{
    for (size_t i = 0; i < n; i++)
        if (names[i].stub == stub)
            return names[i].kernel;
    return NULL;
}
