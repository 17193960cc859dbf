/*
 * wgmma: a warpgroup's matrix product, C = C + A*B with wgmma.mma_async (PTX ISA, "Asynchronous
 * warpgroup level matrix multiply-accumulate instructions"), a struct per type: A in registers, B in
 * shared memory. Device code for sm_90a only.
 */
#ifndef ERT_BACKEND_CUDA_WGMMA_CUH
#define ERT_BACKEND_CUDA_WGMMA_CUH

#include "ert/backend/cuda/tensor.cuh"

enum {
    WGMMA_M = 64,
    WGMMA_N = 256,
    WGMMA_ROW_BYTES = 128,  /* of a tile's row: four slices of k, the span of the swizzle */
    WGMMA_SLICE_BYTES = 32, /* k of one instruction, of every type */
    WGMMA_A_BYTES = WGMMA_M * WGMMA_ROW_BYTES,
    WGMMA_B_BYTES = WGMMA_N * WGMMA_ROW_BYTES,
    WGMMA_SHARED_BYTES = WGMMA_B_BYTES + 1024 /* to align */
};

/* The 64 or 128 registers of an accumulator, as operands and as text. */
#define WGMMA_8(io, d, i)                                                                  \
    io(d[i]), io(d[i + 1]), io(d[i + 2]), io(d[i + 3]), io(d[i + 4]), io(d[i + 5]),        \
        io(d[i + 6]), io(d[i + 7])
#define WGMMA_64(io, d, i)                                                                 \
    WGMMA_8(io, d, i), WGMMA_8(io, d, i + 8), WGMMA_8(io, d, i + 16),                      \
        WGMMA_8(io, d, i + 24), WGMMA_8(io, d, i + 32), WGMMA_8(io, d, i + 40),            \
        WGMMA_8(io, d, i + 48), WGMMA_8(io, d, i + 56)
#define WGMMA_OPERANDS_64(io, d)  WGMMA_64(io, d, 0)
#define WGMMA_OPERANDS_128(io, d) WGMMA_64(io, d, 0), WGMMA_64(io, d, 64)
#define WGMMA_FIRST_64                                                                     \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,"   \
    "%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43," \
    "%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define WGMMA_TEXT_64 "{" WGMMA_FIRST_64 "}, "
#define WGMMA_TEXT_128                                                                     \
    "{" WGMMA_FIRST_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
    "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,"     \
    "%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,"     \
    "%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, "
#define WGMMA_INPUTS_64  "{%64,%65,%66,%67}, %68"
#define WGMMA_INPUTS_128 "{%128,%129,%130,%131}, %132"

/*
 * An instruction: products in it, how many slices of k of a row are used, type and operands of the
 * accumulators, scale and transposition words behind the predicate.
 */
#define WGMMA(name, text, k, slices, acc_type, io, n, scales)                              \
    struct name {                                                                          \
        typedef acc_type acc;                                                              \
        enum { N_ACC = n, K = k, SLICES = slices };                                        \
        static __device__ __forceinline__ void step(acc (&d)[n], const uint32_t (&a)[4],   \
                                                    uint64_t b)                            \
        {                                                                                  \
            asm volatile("{.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"                          \
                         "wgmma.mma_async.sync.aligned." text                              \
                         " " WGMMA_TEXT_##n WGMMA_INPUTS_##n ", p" scales ";}"             \
                         : WGMMA_OPERANDS_##n(io, d)                                       \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));            \
        }                                                                                  \
    };

// clang-format off
WGMMA(wg_tf32,       "m64n256k8.f32.tf32.tf32",  8,  4, float,    "+f", 128, ", 1, 1")
WGMMA(wg_bf16,       "m64n256k16.f32.bf16.bf16", 16, 4, float,    "+f", 128, ", 1, 1, 0")
WGMMA(wg_fp16,       "m64n256k16.f32.f16.f16",   16, 4, float,    "+f", 128, ", 1, 1, 0")
WGMMA(wg_fp16_acc16, "m64n256k16.f16.f16.f16",   16, 4, uint32_t, "+r", 64,  ", 1, 1, 0")
WGMMA(wg_fp8,        "m64n256k32.f32.e4m3.e4m3", 32, 2, float,    "+f", 128, ", 1, 1")
WGMMA(wg_int8,       "m64n256k32.s32.s8.s8",     32, 4, int,      "+r", 128, "")
// clang-format on

/*
 * The descriptor of a tile in shared memory, k along its rows of 128 bytes, swizzled (PTX ISA,
 * "Matrix descriptor format"): address / 16 in bits 0-13, 1024 bytes / 16 from one group of 8 rows
 * to the next in bits 32-45, 1 (128-byte swizzle) in bits 62-63. The leading offset is unused here.
 */
static __device__ __forceinline__ uint64_t wgmma_descriptor(uint32_t address)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 / 16) << 32 | (uint64_t)1 << 16 |
           (address & 0x3ffff) / 16;
}

static __device__ __forceinline__ void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int PENDING> static __device__ __forceinline__ void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

#endif
