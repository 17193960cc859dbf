/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * example: what the examples share: options, threads, repetitions, regions, the check, the table. An example
 * is its steps; each does the same work in another way and is a region of its own, so that a recorder sees a
 * row per step. Every step runs as often as --repeat says, never "for a second": a recorder runs a program
 * twice.
 */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Loops that the compiler vectorizes, for the widest vectors that the CPU has, chosen when the program
 * starts. Under Valgrind, which knows no AVX-512, the same program takes AVX2: same operations, narrower.
 */
#if defined __x86_64__ && defined __linux__ && !defined __SANITIZE_ADDRESS__
#define EXAMPLE_WIDEST __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define EXAMPLE_WIDEST
#endif

/* One call of a step, counted from the algorithm with pen and paper: the least that any machine must do. */
struct example_work {
    double flops; /* an FMA counts 2 */
    double
        bytes; /* read and written, each element once; 0: the step says nothing of bytes */
};

/* A row of steps[]. */
#define EXAMPLE_STEP(name, run, parameter, is_first, idea)                                 \
    {                                                                                      \
        name, idea, run, parameter, is_first                                               \
    }

/* The members of a team; on a GPU one. */
struct example_team {
    size_t thread, threads;
};

struct example_step {
    const char *name; /* its region's, too */
    const char *idea;
    /* One call; every thread of the team makes it. */
    void (*run)(void *data, const struct example_step *step, struct example_team team);
    double parameter; /* the step's own */
    bool is_first;    /* speed-ups count from here on */
};

struct example {
    const char *name, *purpose;
    const char *n_is; /* what --n counts */
    size_t n, least, most;
    size_t repeat; /* calls of a step, by default */
    bool is_gpu;   /* one thread, which launches */
    const struct example_step *steps;
    size_t n_steps;
    /* Arrays for a size, touched first by the threads that use them; freed by close. */
    enum ert_status (*open)(size_t n, size_t threads, void **data, struct ert_error *error);
    void (*close)(void *data);
    /* NULL, or why a step cannot run here: "no OpenBLAS". NULL: all can. */
    const char *(*lacks)(void *data, const struct example_step *step);
    /* Before a step: what it must write is spoiled, so that the check sees what was not written. */
    void (*spoil)(void *data, const struct example_step *step);
    struct example_work (*work)(const void *data, const struct example_step *step);
    /* Elements that differ from the reference. */
    size_t (*wrong)(void *data, const struct example_step *step);
    /* Joules used so far, to subtract; NULL: the CPU's counters are read. Negative: *why says why not. */
    double (*energy_j)(const char **why);
};

/*
 * Runs the steps that the options choose and prints a row for each. Returns the exit code: 1 when one is
 * wrong.
 */
int example_main(const struct example *example, int argc, char **argv);

/* The share of a thread of n items: from begin up to end. */
struct example_range {
    size_t begin, end;
};
struct example_range example_share(size_t n, struct example_team team);

/* Memory for n doubles at a multiple of 64 bytes; NULL where there is none. free() it. */
double *example_doubles(size_t n);

/* Bytes of the data cache of a level (1 to 3) here; a common size where the system does not say. */
size_t example_cache_bytes(int level);

/* Small whole numbers: sums and products of them are exact in any order, so that results compare as equal. */
double example_whole(size_t index);

#ifdef __cplusplus
}
#endif
#endif
