/*
 * Kernels with the faults that ert validate must see; their disassembly is recorded here.
 * gcc -O3 -mavx512f -ffp-contract=off -c broken.c && objdump -d --no-show-raw-insn broken.o
 */
#include <immintrin.h>
#include <stddef.h>

enum { CHAINS = 24, STEPS = 8 };

/* All chains start from one value: the compiler keeps one of them. */
void merged(double *x, double a, double b, size_t turns)
{
    __m512d v[CHAINS], va = _mm512_set1_pd(a), vb = _mm512_set1_pd(b);
#pragma GCC unroll 64
    for (int i = 0; i < CHAINS; i++)
        v[i] = _mm512_set1_pd(*x);
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
#pragma GCC unroll 64
            for (int i = 0; i < CHAINS; i++)
                v[i] = _mm512_fmadd_pd(va, v[i], vb);
#pragma GCC unroll 64
    for (int i = 0; i < CHAINS; i++)
        _mm512_storeu_pd(x + 8 * i, v[i]);
}

/* Addresses that do not change: the loads are taken out of the loop. */
void hoisted(double *x, const double *r, size_t turns)
{
    __m512i sum = _mm512_setzero_si512();
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int i = 0; i < 16; i += 2) {
            sum = _mm512_ternarylogic_epi64(sum, _mm512_loadu_si512(r + 8 * i),
                                            _mm512_loadu_si512(r + 8 * i + 8), 0x96);
            __asm__("" : "+v"(sum));
        }
    _mm512_storeu_si512(x, sum);
}

/* More chains than registers: some live on the stack. */
void spilled(double *x, double a, double b, size_t turns)
{
    __m512d v[40], va = _mm512_set1_pd(a), vb = _mm512_set1_pd(b);
#pragma GCC unroll 64
    for (int i = 0; i < 40; i++)
        v[i] = _mm512_loadu_pd(x + 8 * i);
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 4
        for (int s = 0; s < 2; s++)
#pragma GCC unroll 64
            for (int i = 0; i < 40; i++) {
                v[i] = _mm512_fmadd_pd(va, v[i], vb);
                __asm__("" : "+v"(v[i]));
            }
#pragma GCC unroll 64
    for (int i = 0; i < 40; i++)
        _mm512_storeu_pd(x + 8 * i, v[i]);
}

/* One element an instruction. */
void scalar(double *x, double a, double b, size_t turns)
{
    double v[8];
#pragma GCC unroll 64
    for (int i = 0; i < 8; i++)
        v[i] = x[i];
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 4
        for (int s = 0; s < 2; s++)
#pragma GCC unroll 64
            for (int i = 0; i < 8; i++) {
                v[i] = __builtin_fma(a, v[i], b);
                __asm__("" : "+v"(v[i]));
            }
#pragma GCC unroll 64
    for (int i = 0; i < 8; i++)
        x[i] = v[i];
}

/* Walks of pointers that take less, or more, than the latency of a load. Two at a time: */
void **two_walks(void **a, void **b, size_t turns)
{
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++) {
            a = *a;
            b = *b;
        }
    return *a < *b ? a : b;
}

/* A load beside the walk, of an address that does not depend on it. */
size_t beside(void **at, const volatile size_t *other, size_t turns)
{
    size_t sum = 0;
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++) {
            at = *at;
            sum += *other;
        }
    return sum + (size_t)at;
}

/* An addition between two loads. */
char *added(char *at, size_t offset, size_t turns)
{
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++) {
            at = *(char **)at;
            __asm__("add %1,%0" : "+r"(at) : "r"(offset));
        }
    return at;
}

/* An index: the next address is a sum of two registers. */
size_t indexed(const size_t *base, size_t at, size_t turns)
{
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++)
            at = base[at];
    return at;
}

/* Ends of half the width: 4 byte addresses. */
size_t narrow(size_t at, size_t turns)
{
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++)
            at = *(const unsigned *)at;
    return at;
}

/* Nobody needs what the loads give: the same address again. */
size_t repeated(const volatile size_t *at, size_t turns)
{
    size_t last = 0;
    for (size_t t = 0; t < turns; t++)
#pragma GCC unroll 64
        for (int s = 0; s < STEPS; s++)
            last = *at;
    return last;
}

/* One load a turn, and a division that takes longer than it. */
void **divided(void **at, size_t n, size_t turns)
{
    for (size_t t = 0; t < turns; t++) {
        at = *at;
        n /= t + 2;
        __asm__("" : "+r"(n));
    }
    return n ? at : 0;
}
