/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain: how long operations wait for each other, as far as registers tell. Each register has the time at
 * which its value is ready: that of the operands plus the least latency of the operation on x86-64 cores
 * since Zen and Skylake, with loads from L1: additions and products 3 cycles, FMAs and loads 4, divisions 10,
 * roots 13, others 0 (Fog, "Instruction tables"). The chain is the latest of these times. What depends on
 * nothing may begin one to two windows of instructions earlier, the most that a core looks ahead, so that
 * short chains overlap as they do there. Chains through memory and through flags are not seen.
 */
#include "analysis/ext/record/valgrind/code.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>

/* Lanes of vector registers have ways of their own, for some operations write one half after the other. */
enum { N_GENERAL = RFL_CHAIN_GENERAL, N_REGISTERS = RFL_CHAIN_REGISTERS };
enum { MOST_TEMPORARIES = 8192, NONE = -1 };
enum { GENERAL_BYTES = 8, VECTOR_BYTES = 32, LANE_BYTES = 4 };
enum { N_LANES = N_GENERAL + N_GENERAL * VECTOR_BYTES / LANE_BYTES };

/* From each register at the block's begin to a value: cycles and loads on the longest way; NONE: no way. */
struct ways {
    Short cycles[N_REGISTERS], loads[N_REGISTERS];
};

static struct ways of_temporary[MOST_TEMPORARIES], of_lane[N_LANES];
static Bool is_written[N_LANES];  /* in this block */
static Bool is_kept[N_REGISTERS]; /* as it was when the block began */

/* The lane at an offset of the guest's state, of a general register all of it; NONE: another part of it. */
static Int lane_at(Int offset)
{
    const Int general = offsetof(VexGuestAMD64State, guest_RAX),
              vector = offsetof(VexGuestAMD64State, guest_YMM0);
    if (offset >= general && offset < general + N_GENERAL * GENERAL_BYTES)
        return (offset - general) / GENERAL_BYTES;
    if (offset >= vector && offset < vector + N_GENERAL * VECTOR_BYTES)
        return N_GENERAL + (offset - vector) / LANE_BYTES;
    return NONE;
}

static Int register_of(Int lane)
{
    return lane < N_GENERAL ? lane
                            : N_GENERAL + (lane - N_GENERAL) / (VECTOR_BYTES / LANE_BYTES);
}

#define ALL_TYPES(operation)                                                               \
    Iop_##operation##F64 : case Iop_##operation##F64r32 : case Iop_##operation##64F0x2     \
        : case Iop_##operation##32F0x4 : case Iop_##operation##64Fx2                       \
        : case Iop_##operation##32Fx4 : case Iop_##operation##64Fx4                        \
        : case Iop_##operation##32Fx8

static Short latency(IROp operation)
{
    switch (operation) {
    case ALL_TYPES(Add):
    case ALL_TYPES(Sub):
    case ALL_TYPES(Mul):
        return 3;
    case Iop_MAddF32:
    case Iop_MSubF32:
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF64r32:
    case Iop_MSubF64r32:
        return 4;
    case ALL_TYPES(Div):
        return 10;
    case Iop_SqrtF64:
    case Iop_Sqrt64F0x2:
    case Iop_Sqrt32F0x4:
    case Iop_Sqrt64Fx2:
    case Iop_Sqrt32Fx4:
    case Iop_Sqrt64Fx4:
    case Iop_Sqrt32Fx8:
        return 13;
    default:
        return 0;
    }
}

enum { LOAD_CYCLES = 4 };

static const struct ways no_ways = {{[0 ... N_REGISTERS - 1] = NONE},
                                    {[0 ... N_REGISTERS - 1] = NONE}};

static void lengthen(struct ways *ways, Short cycles, Short loads)
{
    for (UInt r = 0; r < N_REGISTERS; r++)
        if (ways->cycles[r] != NONE) {
            ways->cycles[r] += cycles;
            ways->loads[r] += loads;
        }
}

static void take_longest(struct ways *ways, const struct ways *others)
{
    for (UInt r = 0; r < N_REGISTERS; r++) {
        if (others->cycles[r] > ways->cycles[r])
            ways->cycles[r] = others->cycles[r];
        if (others->loads[r] > ways->loads[r])
            ways->loads[r] = others->loads[r];
    }
}

/* Adds the ways to an operand, which is a temporary or a constant. */
static void add_operand(struct ways *ways, const IRExpr *operand)
{
    if (operand->tag == Iex_RdTmp && operand->Iex.RdTmp.tmp < MOST_TEMPORARIES)
        take_longest(ways, &of_temporary[operand->Iex.RdTmp.tmp]);
}

static void add_load(struct ways *ways, const IRExpr *address)
{
    add_operand(ways, address);
    lengthen(ways, LOAD_CYCLES, 1);
}

/* What sets a register to 0 depends on nothing. */
static Bool is_zero(const IRExpr *value)
{
    const IRExpr *a = value->Iex.Binop.arg1, *b = value->Iex.Binop.arg2;
    switch (value->Iex.Binop.op) {
    case Iop_Xor32:
    case Iop_Xor64:
    case Iop_XorV128:
    case Iop_XorV256:
        return a->tag == Iex_RdTmp && b->tag == Iex_RdTmp &&
               a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
    default:
        return False;
    }
}

static struct ways ways_to(const IRExpr *value)
{
    struct ways ways = no_ways;
    Int lane, offset;
    switch (value->tag) {
    case Iex_Get:
        for (offset = 0; offset < sizeofIRType(value->Iex.Get.ty); offset += LANE_BYTES)
            if ((lane = lane_at(value->Iex.Get.offset + offset)) != NONE)
                take_longest(&ways, &of_lane[lane]);
        break;
    case Iex_RdTmp:
        add_operand(&ways, value);
        break;
    case Iex_Unop:
        add_operand(&ways, value->Iex.Unop.arg);
        lengthen(&ways, latency(value->Iex.Unop.op), 0);
        break;
    case Iex_Binop:
        if (is_zero(value))
            break;
        add_operand(&ways, value->Iex.Binop.arg1);
        add_operand(&ways, value->Iex.Binop.arg2);
        lengthen(&ways, latency(value->Iex.Binop.op), 0);
        break;
    case Iex_Triop: /* the first operand is the mode of rounding */
        add_operand(&ways, value->Iex.Triop.details->arg2);
        add_operand(&ways, value->Iex.Triop.details->arg3);
        lengthen(&ways, latency(value->Iex.Triop.details->op), 0);
        break;
    case Iex_Qop:
        add_operand(&ways, value->Iex.Qop.details->arg2);
        add_operand(&ways, value->Iex.Qop.details->arg3);
        add_operand(&ways, value->Iex.Qop.details->arg4);
        lengthen(&ways, latency(value->Iex.Qop.details->op), 0);
        break;
    case Iex_Load:
        add_load(&ways, value->Iex.Load.addr);
        break;
    case Iex_ITE: /* its condition is predicted, or as fast as its values */
        add_operand(&ways, value->Iex.ITE.iftrue);
        add_operand(&ways, value->Iex.ITE.iffalse);
        break;
    default:
        break;
    }
    return ways;
}

void rfl_chain_begin(void)
{
    for (Int lane = 0; lane < N_LANES; lane++) {
        of_lane[lane] = no_ways;
        of_lane[lane].cycles[register_of(lane)] = of_lane[lane].loads[register_of(lane)] =
            0;
    }
    VG_(memset)(is_written, 0, sizeof is_written);
    VG_(memset)(is_kept, 0, sizeof is_kept);
}

void rfl_chain_take(const IRTypeEnv *types, const IRStmt *statement)
{
    struct ways ways = no_ways;
    IRTemp to = MOST_TEMPORARIES;
    Int lane, offset, size;
    switch (statement->tag) {
    case Ist_WrTmp:
        ways = ways_to(statement->Ist.WrTmp.data);
        to = statement->Ist.WrTmp.tmp;
        break;
    case Ist_LoadG:
        add_load(&ways, statement->Ist.LoadG.details->addr);
        to = statement->Ist.LoadG.details->dst;
        break;
    case Ist_Dirty:
        to = statement->Ist.Dirty.details->tmp;
        break;
    case Ist_Put:
        size = sizeofIRType(typeOfIRExpr(types, statement->Ist.Put.data));
        ways = ways_to(statement->Ist.Put.data);
        for (offset = 0; offset < size; offset += LANE_BYTES) {
            lane = lane_at(statement->Ist.Put.offset + offset);
            if (lane == NONE)
                continue;
            is_written[lane] = True;
            if (size < LANE_BYTES) /* the rest of it stays */
                take_longest(&of_lane[lane], &ways);
            else
                of_lane[lane] = ways;
        }
        return;
    default:
        return;
    }
    if (to < MOST_TEMPORARIES)
        of_temporary[to] = ways;
}

/*
 * The longest ways to a register, over the lanes that the block has written; whether it may have another time
 * than when the block began. Instructions of 128 bits leave the other half of a register as it is.
 */
static Bool ways_to_register(UShort to, struct ways *ways)
{
    Bool is_ever = False, is_changed = is_kept[to];
    *ways = no_ways;
    for (Int lane = 0; lane < N_LANES; lane++)
        if (register_of(lane) == to && is_written[lane]) {
            take_longest(ways, &of_lane[lane]);
            is_ever = True;
        }
    for (UInt r = 0; r < N_REGISTERS && is_ever; r++)
        is_changed |=
            r == to ? ways->cycles[r] != 0 || ways->loads[r] != 0 : ways->cycles[r] != NONE;
    return is_changed;
}

struct rfl_ways *rfl_chain_ways(ULong instructions)
{
    static struct rfl_way found[N_REGISTERS * N_REGISTERS];
    static struct ways all[N_REGISTERS];
    struct rfl_ways ways = {.instructions = instructions}, *copy;
    for (UShort to = 0; to < N_REGISTERS; to++)
        if (ways_to_register(to, &all[to]) && !is_kept[to]) {
            is_kept[to] = True;
            ways.kept[ways.n_kept++] = to;
        }
    for (UShort to = 0; to < N_REGISTERS; to++) {
        const UInt first = ways.n;
        for (UShort r = 0; is_kept[to] && r < N_REGISTERS; r++)
            if (all[to].cycles[r] != NONE) {
                const UShort from = is_kept[r] ? N_REGISTERS + r : r;
                found[ways.n] =
                    (struct rfl_way){_mm_set_pd(all[to].loads[r], all[to].cycles[r]), to,
                                     from, ways.n > first};
                ways.n++;
            }
        if (is_kept[to] && ways.n == first) /* from nothing */
            found[ways.n++] =
                (struct rfl_way){_mm_setzero_pd(), to, 2 * N_REGISTERS, False};
    }
    if (ways.n == 0)
        return NULL;
    copy = VG_(malloc)("rfl.ways", sizeof ways + ways.n * sizeof found[0]);
    *copy = ways;
    VG_(memcpy)(copy->at, found, ways.n * sizeof found[0]);
    return copy;
}

/*
 * Half of 512 instructions, the reorder buffer of Golden Cove (Intel's Optimization Reference Manual). On
 * cores that look ahead less, as Zen 4, chains overlap less than counted.
 */
enum { WINDOW = 256 };

rfl_chain rfl_chain_run(struct rfl_chains *chains, const struct rfl_ways *ways)
{
    const rfl_chain first = chains->latest, least = chains->least;
    rfl_chain *ready = chains->ready, latest = first;
    for (UInt i = 0; i < ways->n_kept; i++)
        ready[N_REGISTERS + ways->kept[i]] = ready[ways->kept[i]];
    for (const struct rfl_way *way = ways->at, *end = way + ways->n; way < end; way++) {
        const rfl_chain begin = _mm_max_pd(ready[way->from], least),
                        there = _mm_add_pd(begin, way->length);
        latest = _mm_max_pd(latest, there);
        ready[way->to] = way->is_more ? _mm_max_pd(ready[way->to], there) : there;
    }
    chains->latest = latest;
    chains->instructions += ways->instructions;
    if (chains->instructions >= WINDOW) {
        chains->instructions = 0;
        chains->least = chains->last_window;
        chains->last_window = chains->latest;
    }
    return _mm_sub_pd(latest, first);
}
