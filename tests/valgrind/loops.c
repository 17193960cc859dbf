/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions and loops without marks, counted by hand: `loops REPEATS` prints nothing. The line of each loop
 * has its name. Built with -O1 -g, which keeps each loop one.
 */
#include <stdlib.h>
#include <sys/mman.h>

enum { N = 100003 };

double a[N], b[N], c[N]; /* not static: their stores would go */

#define APART __attribute__((noinline, noclone)) static
#define KEEP  __asm__ volatile("" ::: "memory")

/* 2 flops, 16 bytes loaded, 8 stored */
APART void triad(double s)
{
    for (int i = 0; i < N; i++) /* triad */
        a[i] = b[i] + s * c[i];
    KEEP;
}

/* an outer loop, whose inner one is the row: 2 flops x N, twice */
APART double inner(double s)
{
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < N; i++) /* inner */
            s = s * 0.5 + b[i];
        KEEP;
    }
    return s;
}

/* each load's address is from the one before, a load more of the node's value; indices chain nothing */
struct node {
    struct node *next;
    double value;
} nodes[N];
int places[N];

APART double chase(void)
{
    double sum = 0;
    for (struct node *node = nodes; node; node = node->next) /* chase */
        sum += node->value;
    return sum;
}

APART double indexed(void)
{
    double product = 1;
    for (int i = 0; i < N; i++) /* indexed */
        product = product * b[places[i]] / 3;
    return product;
}

/* sums of four terms each, which overlap: no chain of all */
APART void sums(void)
{
    for (int i = 0; i + 4 <= N; i += 4) {
        double sum = 0;
        for (int j = 0; j < 4; j++) /* sums */
            sum += b[i + j];
        a[i] = sum;
    }
    KEEP;
}

/* a chain through blocks of a loop */
APART double blocks(void)
{
    double sum = 1;
    for (int i = 0; i < N; i++) { /* blocks */
        if (places[i] == 0)
            sum = sum * 0.5;
        else
            sum = sum * 0.25;
        sum += b[i];
    }
    return sum;
}

/* pages that the operating system gives when they are touched */
APART void touch(void)
{
    enum { PAGE = 4096, BYTES = 128 * PAGE };
    char *bytes =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED)
        return;
    for (int i = 0; i < BYTES; i += PAGE) /* touch */
        bytes[i] = 1;
    KEEP;
    munmap(bytes, BYTES);
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i + 1 < N; i++)
        nodes[i].next = &nodes[i + 1];
    double sum = chase() + indexed() + blocks();
    sums();
    for (int r = 0; r < repeats; r++) {
        touch();
        triad(r);
        sum += inner(r);
        for (int i = 0; i < N; i++) /* main */
            c[i] = 1 / (b[i] + 2);
        KEEP;
    }
    return sum < 0;
}
