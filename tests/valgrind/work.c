/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that is counted by hand, a region a kernel. Prints "REGION COLUMN VALUE" of what each must be counted
 * as, of what the columns that it does not print must be 0. Bytes come with those of an empty region, which
 * the reader takes off. Built with -O2 -mavx2 -mfma and without vectorizing: what runs is what is written.
 */
#include <immintrin.h>
#include <pthread.h>
#include <rfl_region.h>
#include <stdint.h>
#include <sys/wait.h>

enum { N = 1003 }; /* odd, and no multiple of a register */

static double a[N + 8], b[N + 8], c[N + 8];
static float x[N + 8], y[N + 8], z[N + 8];
static int32_t places[N + 8];
static long double extended[N];
static volatile double sink;

#define KERNEL static __attribute__((noinline, noclone)) void
#define KEEP   __asm__ volatile("" ::: "memory")

/* A constant that is in no memory, whose load would count. */
static inline double value(int whole)
{
    __asm__ volatile("" : "+r"(whole));
    return whole;
}

KERNEL empty(void)
{
    KEEP;
}

KERNEL scalar(void)
{
    const double s = value(3);
    for (int i = 0; i < N; i++)
        a[i] = b[i] + s * c[i];
    KEEP;
}

/* 501 pairs and one */
KERNEL sse2(void)
{
    const double one_s = value(3);
    const __m128d s = _mm_set1_pd(one_s);
    int i = 0;
    for (; i + 2 <= N; i += 2)
        _mm_storeu_pd(a + i,
                      _mm_add_pd(_mm_loadu_pd(b + i), _mm_mul_pd(s, _mm_loadu_pd(c + i))));
    for (; i < N; i++)
        a[i] = b[i] + one_s * c[i];
    KEEP;
}

/* 125 octets and three, from addresses that no register's size divides */
KERNEL fma_unaligned(void)
{
    const float one_s = (float)value(3);
    const __m256 s = _mm256_set1_ps(one_s);
    int i = 0;
    for (; i + 8 <= N; i += 8)
        _mm256_storeu_ps(x + i, _mm256_fmadd_ps(s, _mm256_loadu_ps(z + i + 1),
                                                _mm256_loadu_ps(y + i + 3)));
    for (; i < N; i++)
        x[i] = __builtin_fmaf(one_s, z[i + 1], y[i + 3]);
    KEEP;
}

/* the orders and signs of FMA, 128 bits of both types; negated products are no more work */
KERNEL fma_kinds(void)
{
    __m128d d = _mm_set1_pd(value(1)), e = d;
    __m128 f = _mm_set1_ps((float)value(1)), g = f;
    for (int i = 0; i < N; i++) {
        d = _mm_fnmadd_pd(d, e, _mm_fmsub_pd(d, d, _mm_fmaddsub_pd(e, d, d)));
        f = _mm_fnmsub_ps(f, g, _mm_fmsubadd_ps(f, f, g));
        d = _mm_fmadd_sd(d, e, d);
        __asm__ volatile("" : "+x"(d), "+x"(f), "+x"(e), "+x"(g));
    }
}

KERNEL divide(void)
{
    double q = value(2), r = value(3);
    for (int i = 0; i < N; i++) {
        __asm__ volatile("divsd %1, %0\n\tsqrtsd %0, %0\n\tminsd %1, %0\n\tmaxsd %1, %0"
                         : "+x"(q)
                         : "x"(r));
        __asm__ volatile("vsqrtps %%ymm1, %%ymm1\n\tvrcpps %%xmm1, %%xmm2\n\tvdivpd "
                         "%%ymm1, %%ymm1, %%ymm3" ::
                             : "xmm1", "xmm2", "xmm3");
    }
}

KERNEL horizontal(void)
{
    for (int i = 0; i < N; i++)
        __asm__ volatile("haddpd %%xmm1, %%xmm1\n\thsubps %%xmm1, %%xmm1\n\tvaddsubpd "
                         "%%ymm1, %%ymm1, %%ymm1\n\t"
                         "dpps $255, %%xmm1, %%xmm1\n\tdppd $51, %%xmm1, %%xmm1" ::
                             : "xmm1");
}

/* what is no arithmetic: comparison, conversion, signs, integers */
KERNEL none(void)
{
    for (int i = 0; i < N; i++)
        __asm__ volatile("ucomisd %%xmm1, %%xmm1\n\tcmppd $1, %%xmm1, %%xmm1\n\tcvtpd2ps "
                         "%%xmm1, %%xmm1\n\t"
                         "vxorpd %%ymm1, %%ymm1, %%ymm1\n\tpaddd %%xmm1, "
                         "%%xmm1\n\tvroundpd $0, %%ymm1, %%ymm1\n\t"
                         "vpmaddwd %%ymm1, %%ymm1, %%ymm1" ::
                             : "xmm1", "cc");
}

/* 10 bytes from memory and to it, of which two operations are in registers, one with 8 bytes of memory */
KERNEL x87(void)
{
    for (int i = 0; i < N; i++)
        __asm__ volatile("fldt %0\n\tfld1\n\tfaddp\n\tfmull %1\n\tfsqrt\n\tfstpt %0"
                         : "+m"(extended[i])
                         : "m"(b[i]));
}

/* five of eight singles, three of four doubles; the masks are two loads of 32 bytes */
KERNEL masked(void)
{
    const __m256i five = _mm256_setr_epi32(-1, -1, -1, -1, -1, 0, 0, 0),
                  three = _mm256_setr_epi64x(-1, 0, -1, -1);
    for (int i = 0; i + 8 <= N; i += 8) {
        _mm256_maskstore_ps(x + i, five, _mm256_maskload_ps(y + i, five));
        _mm256_maskstore_pd(
            a + i, three,
            _mm256_add_pd(_mm256_maskload_pd(b + i, three), _mm256_setzero_pd()));
    }
    KEEP;
}

/* 4 indices and 4 doubles */
KERNEL gather(void)
{
    __m256d sum = _mm256_setzero_pd();
    for (int i = 0; i + 4 <= N; i += 4)
        sum = _mm256_add_pd(
            sum, _mm256_i32gather_pd(b, _mm_loadu_si128((const __m128i *)(places + i)), 8));
    __asm__ volatile("" : "+x"(sum));
}

/* Three of four doubles, at 4 indices: what the mask leaves out is not loaded. */
KERNEL gather_masked(void)
{
    const __m256d zero = _mm256_setzero_pd(),
                  three = _mm256_castsi256_pd(_mm256_setr_epi64x(-1, 0, -1, -1));
    __m256d sum = zero;
    for (int i = 0; i + 4 <= N; i += 4)
        sum = _mm256_add_pd(
            sum, _mm256_mask_i32gather_pd(
                     zero, b, _mm_loadu_si128((const __m128i *)(places + i)), three, 8));
    __asm__ volatile("" : "+x"(sum));
}

KERNEL streaming(void)
{
    const __m256d s = _mm256_set1_pd(value(3));
    double *to = (double *)(((uintptr_t)a + 31) & ~(uintptr_t)31);
    for (int i = 0; i + 4 <= N; i += 4)
        _mm256_stream_pd(to + i, s);
    for (int i = 0; i + 4 <= N; i += 4)
        _mm_stream_si64((long long *)(to + i), 0);
    _mm_sfence();
    KEEP;
}

/* loads that nothing uses, and one instruction that loads and stores */
KERNEL unused(void)
{
    for (int i = 0; i < N; i++)
        __asm__ volatile("movsd (%0), %%xmm1\n\tmovsd (%0), %%xmm1\n\tmov (%1), "
                         "%%rax\n\tmov (%1), %%rax\n\t"
                         "incl (%1)\n\tlock xaddl %%eax, (%1)" ::"r"(b + i),
                         "r"(places + i)
                         : "xmm1", "rax", "memory", "cc");
}

KERNEL copy_string(void)
{
    void *to = a, *from = b;
    long n = N;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

static const struct kernel {
    const char *name;
    void (*run)(void);
} kernels[] = {
    {"empty",         empty        },
    {"scalar",        scalar       },
    {"sse2",          sse2         },
    {"fma_unaligned", fma_unaligned},
    {"fma_kinds",     fma_kinds    },
    {"divide",        divide       },
    {"horizontal",    horizontal   },
    {"none",          none         },
    {"x87",           x87          },
    {"masked",        masked       },
    {"gather",        gather       },
    {"gather_masked", gather_masked},
    {"streaming",     streaming    },
    {"unused",        unused       },
    {"copy_string",   copy_string  },
};

/* What they must be counted as; all other columns 0. */
static const struct count {
    const char *kernel, *column;
    long value;
} counts[] = {
    {"scalar",        "fp64_flops_scalar",     2 * N                   },
    {"scalar",        "load_bytes",            16 * N                  },
    {"scalar",        "store_bytes",           8 * N                   },
    {"sse2",          "fp64_flops_128",        4 * (N / 2)             },
    {"sse2",          "fp64_flops_scalar",     2                       },
    {"sse2",          "load_bytes",            16 * N                  },
    {"sse2",          "store_bytes",           8 * N                   },
    {"fma_unaligned", "fp32_flops_256",        16 * (N / 8)            },
    {"fma_unaligned", "fp32_fma_flops_256",    16 * (N / 8)            },
    {"fma_unaligned", "fp32_flops_scalar",     2 * (N % 8)             },
    {"fma_unaligned", "fp32_fma_flops_scalar", 2 * (N % 8)             },
    {"fma_unaligned", "load_bytes",            8 * N                   },
    {"fma_unaligned", "store_bytes",           4 * N                   },
    {"fma_kinds",     "fp64_flops_128",        12 * N                  },
    {"fma_kinds",     "fp64_fma_flops_128",    12 * N                  },
    {"fma_kinds",     "fp32_flops_128",        16 * N                  },
    {"fma_kinds",     "fp32_fma_flops_128",    16 * N                  },
    {"fma_kinds",     "fp64_flops_scalar",     2 * N                   },
    {"fma_kinds",     "fp64_fma_flops_scalar", 2 * N                   },
    {"divide",        "fp64_flops_scalar",     4 * N                   },
    {"divide",        "fp32_flops_256",        8 * N                   },
    {"divide",        "fp32_flops_128",        4 * N                   },
    {"divide",        "fp64_flops_256",        4 * N                   },
    {"divide",        "fp64_div_flops_scalar", 2 * N                   },
    {"divide",        "fp32_div_flops_256",    8 * N                   },
    {"divide",        "fp64_div_flops_256",    4 * N                   },
    {"horizontal",    "fp64_flops_128",        2 * N + 4 * N           },
    {"horizontal",    "fp32_flops_128",        4 * N + 8 * N           },
    {"horizontal",    "fp64_flops_256",        4 * N                   },
    {"x87",           "x87_flops",             3 * N                   },
    {"x87",           "load_bytes",            18 * N                  },
    {"x87",           "store_bytes",           10 * N                  },
    {"masked",        "fp64_flops_256",        4 * (N / 8)             },
    {"masked",        "load_bytes",            (20 + 24) * (N / 8) + 64},
    {"masked",        "store_bytes",           (20 + 24) * (N / 8)     },
    {"gather",        "fp64_flops_256",        4 * (N / 4)             },
    {"gather",        "load_bytes",            (16 + 32) * (N / 4)     },
    {"gather_masked", "fp64_flops_256",        4 * (N / 4)             },
    {"gather_masked", "load_bytes",            (16 + 24) * (N / 4) + 32},
    {"streaming",     "store_bytes",           40 * (N / 4)            },
    {"streaming",     "streamed_bytes",        40 * (N / 4)            },
    {"unused",        "load_bytes",            (16 + 16 + 4 + 4) * N   },
    {"unused",        "store_bytes",           (4 + 4) * N             },
    {"copy_string",   "load_bytes",            8 * N                   },
    {"copy_string",   "store_bytes",           8 * N                   },
};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void run_kernels(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = b[i] = c[i] = 1;
        x[i] = y[i] = z[i] = 1;
        extended[i] = 1;
        places[i] = (7 * i) % N;
    }
    for (size_t k = 0; k < LENGTH(kernels); k++) {
        rfl_region_begin(kernels[k].name);
        kernels[k].run();
        rfl_region_end(kernels[k].name);
        printf("%s calls 1\n", kernels[k].name);
    }
    for (size_t i = 0; i < LENGTH(counts); i++)
        printf("%s %s %ld\n", counts[i].kernel, counts[i].column, counts[i].value);
}

/* The thread's own region, and work while "main" is open in the thread that made it. */
static void *work_on_thread(void *unused_argument)
{
    (void)unused_argument;
    scalar();
    rfl_region_begin("on thread");
    scalar();
    rfl_region_end("on thread");
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[2];
    rfl_region_begin("main");
    scalar();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work_on_thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    rfl_region_end("main");
}

/* Passes over arrays of n, the first of which, outside the region, brings them to where they fit. */
static void run_triad(long n, int passes, int is_streamed)
{
    double *to = aligned_alloc(64, (size_t)n * 8), *from = aligned_alloc(64, (size_t)n * 8),
           *more = aligned_alloc(64, (size_t)n * 8);
    const __m256d s = _mm256_set1_pd(3);
    memset(to, 0, (size_t)n * 8);
    memset(from, 0, (size_t)n * 8);
    memset(more, 0, (size_t)n * 8);
    for (int pass = -1; pass < passes; pass++) {
        if (pass == 0)
            rfl_region_begin("triad");
        for (long i = 0; i < n; i += 4) {
            __m256d sum =
                _mm256_fmadd_pd(s, _mm256_loadu_pd(from + i), _mm256_loadu_pd(more + i));
            if (is_streamed)
                _mm256_stream_pd(to + i, sum);
            else
                _mm256_store_pd(to + i, sum);
        }
        KEEP;
    }
    rfl_region_end("triad");
    free(to);
    free(from);
    free(more);
}

/* Passes over one line in every 32 KiB, the first of which is outside the region. */
static void run_strided(long n, int passes)
{
    enum { STRIDE = 32768 };
    volatile char *lines = aligned_alloc(64, (size_t)n * STRIDE);
    for (int pass = -1; pass < passes; pass++) {
        if (pass == 0)
            rfl_region_begin("strided");
        for (long i = 0; i < n; i++)
            (void)lines[i * STRIDE];
    }
    rfl_region_end("strided");
    free((void *)lines);
}

/* A name of which the first 63 bytes count. */
static void run_long(void)
{
    char name[81];
    snprintf(name, sizeof name, "%080d", 1);
    rfl_region_begin(name);
    scalar();
    rfl_region_end(name);
}

static void *do_nothing(void *nothing)
{
    return nothing;
}

static void run_fork(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, do_nothing, NULL);
    pthread_join(thread, NULL);
    rfl_region_begin("before");
    scalar();
    if (fork() == 0) {
        rfl_region_begin("child");
        sse2();
        rfl_region_end("child");
        _exit(0);
    }
    wait(NULL);
    rfl_region_end("before");
}

/* FMAs of all kinds of numbers: their bits. */
static void run_rounds(void)
{
    uint64_t bits[3] = {1}, mixed = 0;
    for (int i = 0; i < 16000; i++) {
        double d[3], of_double;
        float f[3], of_float;
        /* Knuth's MMIX; near each other, so that sums cancel */
        for (int j = 0; j < 3; j++) {
            bits[j] =
                6364136223846793005u * (j ? bits[j - 1] : bits[2]) + 1442695040888963407u;
            const uint64_t near =
                (bits[j] & 0x800fffffffffffff) | (0x3fe0 + (bits[j] >> 60)) << 48;
            const uint32_t word =
                i % 2 ? (uint32_t)(bits[j] >> 32) : 0x3f800000 | (uint32_t)bits[j] >> 9;
            memcpy(&d[j], i % 2 ? &bits[j] : &near, sizeof d[j]);
            memcpy(&f[j], &word, sizeof f[j]);
        }
        _mm_store_sd(&of_double,
                     _mm_fmadd_sd(_mm_set_sd(d[0]), _mm_set_sd(d[1]), _mm_set_sd(d[2])));
        _mm_store_ss(&of_float,
                     _mm_fnmsub_ss(_mm_set_ss(f[0]), _mm_set_ss(f[1]), _mm_set_ss(f[2])));
        uint64_t x = 0;
        uint32_t y = 0;
        if (of_double == of_double) /* the payload of NaN is not part of this */
            memcpy(&x, &of_double, sizeof x);
        if (of_float == of_float)
            memcpy(&y, &of_float, sizeof y);
        mixed = (mixed ^ x) * 1099511628211u; /* FNV */
        mixed = (mixed ^ y) * 1099511628211u;
    }
    printf("%llx\n", (unsigned long long)mixed);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "kernels";
    if (strcmp(word, "kernels") == 0)
        run_kernels();
    else if (strcmp(word, "threads") == 0)
        run_threads();
    else if (strcmp(word, "rounds") == 0)
        run_rounds();
    else if (strcmp(word, "fork") == 0)
        run_fork();
    else if (strcmp(word, "long") == 0)
        run_long();
    else if (argc == 4 && strcmp(word, "strided") == 0)
        run_strided(atol(argv[2]), atoi(argv[3]));
    else if (argc == 4)
        run_triad(atol(argv[2]), atoi(argv[3]), strcmp(word, "streamed") == 0);
    else if (strcmp(word, "evex") == 0) {
        rfl_region_begin("before");
        scalar();
        rfl_region_end("before");
        __asm__ volatile(
            ".byte 0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc1"); /* vaddpd zmm0, zmm1, zmm1 */
    } else if (strcmp(word, "cpuid") == 0) {
        unsigned leaf = 7, index = 0;
        __asm__ volatile("cpuid" : "+a"(leaf), "+c"(index) : : "ebx", "edx");
    } else if (strcmp(word, "unused-evex") == 0) {
        /* As behind a choice by CPUID: in the same block, and jumped over. */
        __asm__ volatile("xor %%eax, %%eax\n\tjz 1f\n\t"
                         ".byte 0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc1\n1:" ::
                             : "eax", "cc");
    }
    return 0;
}
