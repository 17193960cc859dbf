/*
 * Kernels with the faults that ert validate must see; their disassembly is recorded here.
 * gcc -O3 -mavx512f -ffp-contract=off -c broken.c && objdump -d --no-show-raw-insn broken.o
 */
#include <immintrin.h>
#include <stddef.h>

enum { CHAINS = 24 };

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
