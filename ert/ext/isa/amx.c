/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMX: eight tiles of 16 rows of 64 bytes. TDPBF16PS and TDPBSSD add the product of a 16 x 32 (bytes: 16 x
 * 64) and a 32 x 16 (64 x 16) matrix to 16 x 16 floats (32-bit integers). Four accumulators hide the latency
 * of 52 clocks behind 16 clocks for each instruction (Intel Optimization Reference Manual, Intel AMX); the
 * other four tiles are the operands, two left and two right ones. Four instructions make a step: 4 * 256
 * lanes, each of which combines 64 bytes of each operand.
 */
#include "ert/ext/isa/products.h"

#include <errno.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    TILE_ROWS = 16,
    ROW_BYTES = 64,
    TILE_BYTES = TILE_ROWS * ROW_BYTES,
    ACCUMULATORS = 4
};

#define VEC_REGISTER "x"

#include "ert/core/backend/cpu/kernels_common.inc"

/*
 * LDTILECFG's operand: Intel SDM volume 1, section 18.2. Static, because gcc 12 tells the optimizer that the
 * instruction reads 8 of the 64 bytes, and drops stores to the others.
 */
static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} config = {
    .palette = 1,
    .row_bytes = {ROW_BYTES, ROW_BYTES, ROW_BYTES, ROW_BYTES, ROW_BYTES, ROW_BYTES,
                  ROW_BYTES,                                                                   ROW_BYTES},
    .rows = {TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS, TILE_ROWS,
                  TILE_ROWS                                                                             },
};

static void load_tiles(const struct ert_cpu_sweep *sweep)
{
    const char *chains = sweep->chains, *operands = sweep->operands;
    _tile_loadconfig(&config);
    _tile_loadd(0, chains, ROW_BYTES);
    _tile_loadd(1, chains + TILE_BYTES, ROW_BYTES);
    _tile_loadd(2, chains + 2 * TILE_BYTES, ROW_BYTES);
    _tile_loadd(3, chains + 3 * TILE_BYTES, ROW_BYTES);
    _tile_loadd(4, operands, ROW_BYTES);
    _tile_loadd(5, operands + TILE_BYTES, ROW_BYTES);
    _tile_loadd(6, operands + 2 * TILE_BYTES, ROW_BYTES);
    _tile_loadd(7, operands + 3 * TILE_BYTES, ROW_BYTES);
}

/* Releases the tiles: while they are in use, a core may stay at a lower clock. */
static void store_tiles(struct ert_cpu_sweep *sweep)
{
    char *chains = sweep->chains;
    _tile_stored(0, chains, ROW_BYTES);
    _tile_stored(1, chains + TILE_BYTES, ROW_BYTES);
    _tile_stored(2, chains + 2 * TILE_BYTES, ROW_BYTES);
    _tile_stored(3, chains + 3 * TILE_BYTES, ROW_BYTES);
    _tile_release();
}

/* The operands of each accumulator, as in PRODUCT (extensions.c). */
#define EVEN(multiply)                                                                     \
    multiply(0, 4, 6);                                                                     \
    multiply(1, 5, 6);                                                                     \
    multiply(2, 4, 7);                                                                     \
    multiply(3, 5, 7);
#define ODD(multiply)                                                                      \
    multiply(0, 4, 7);                                                                     \
    multiply(1, 5, 7);                                                                     \
    multiply(2, 4, 6);                                                                     \
    multiply(3, 5, 6);

#define TILES(kernel, multiply)                                                            \
    static void kernel##_sweep(struct ert_cpu_sweep *sweep)                                \
    {                                                                                      \
        load_tiles(sweep);                                                                 \
        if (sweep->first_pass == 0) {                                                      \
            EVEN(multiply)                                                                 \
        }                                                                                  \
        for (uint64_t turn = 0; turn < sweep->passes * (sweep->steps / 4); turn++) {       \
            ODD(multiply)                                                                  \
            EVEN(multiply)                                                                 \
            ODD(multiply)                                                                  \
            EVEN(multiply)                                                                 \
        }                                                                                  \
        store_tiles(sweep);                                                                \
    }

TILES(amx_bf16, _tile_dpbf16ps)
TILES(amx_int8, _tile_dpbssd)

/*
 * Linux provides the tiles' state, 8 KiB per thread, only to processes that request it
 * (Documentation/arch/x86/xstate.rst, from 5.16).
 */
static int enable(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 ? 0
                                                                                 : errno;
}

/* Two tables of one name: a hypervisor may hide either. */
#define TABLE(id)                                                                          \
    static bool has_##id(const struct ert_isa *isa)                                        \
    {                                                                                      \
        return isa->amx_tile && isa->id;                                                   \
    }                                                                                      \
    const struct ert_cpu_isa ert_cpu_isa_##id = {                                          \
        .name = "amx",                                                                     \
        .available = has_##id,                                                             \
        .enable = enable,                                                                  \
        .vector_bytes = TILE_BYTES,                                                        \
        .lane_operand_bytes = ROW_BYTES,                                                   \
        .products = &ert_isa_products,                                                     \
        .chains = ACCUMULATORS,                                                            \
        .add_chain = add_chain,                                                            \
        .variants = {[ERT_KERNEL_##id] = ERT_CPU_ONE_VARIANT(.kernel = id##_sweep)},       \
    };
TABLE(amx_bf16)
TABLE(amx_int8)
