/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plant_cpu WHAT CPU SHARE: takes a share of each 5 ms of a CPU until it is killed: `burn` by additions,
 * `hog` by reading 512 MiB. plant_cpu probe CPU 0: prints FLOP/s of FP64 FMA and byte/s of reads of 512 MiB,
 * each for 0.2 s: how much slower another program is.
 *
 *     cc -O3 -march=native -o plant_cpu plant_cpu.c
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 512 << 20, CHAINS = 16, LANES = 8 };
static const double period_s = 5e-3;
static uint64_t *data;
static size_t at;
static volatile double sink;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* FLOP of some microseconds. */
static double burn(void)
{
    static double x[CHAINS][LANES];
    for (int k = 0; k < 2000; k++)
        for (int c = 0; c < CHAINS; c++)
            for (int l = 0; l < LANES; l++)
                x[c][l] = x[c][l] * 0.5 + 1;
    sink = x[0][0];
    return 2. * 2000 * CHAINS * LANES;
}

/* Bytes of some microseconds. */
static double hog(void)
{
    enum { PART = 128 << 10 };
    uint64_t sum = 0;
    for (size_t i = 0; i < PART / sizeof *data; i++)
        sum += data[at + i];
    sink = (double)sum;
    at = (at + PART / sizeof *data) % (N / sizeof *data);
    return PART;
}

static double rate(double (*work)(void))
{
    const double begin_s = now_s();
    double sum = 0, end_s;
    do
        sum += work();
    while ((end_s = now_s()) < begin_s + 0.2);
    return sum / (end_s - begin_s);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(atoi(argv[2]), &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    data = malloc(N);
    if (!data)
        return 1;
    memset(data, 1, N);
    if (strcmp(argv[1], "probe") == 0) {
        const double flops = rate(burn);
        printf("%g %g\n", flops, rate(hog));
        return 0;
    }
    const double share = atof(argv[3]);
    puts("begun");
    fflush(stdout);
    for (double begin_s = now_s();; begin_s += period_s) {
        while (now_s() < begin_s + share * period_s)
            strcmp(argv[1], "hog") == 0 ? hog() : burn();
        const double left_s = begin_s + period_s - now_s();
        if (left_s > 0)
            nanosleep(&(struct timespec){0, (long)(1e9 * left_s)}, NULL);
        else
            begin_s = now_s() - period_s;
    }
}
