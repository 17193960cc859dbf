/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/valgrind/chain.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_libcbase.h>

/* General registers, then vector registers, whose lanes have chains of their own. */
enum { N_GENERAL = 16, N_REGISTERS = 2 * N_GENERAL, MOST_TEMPORARIES = 8192, NONE = -1 };
enum { GENERAL_BYTES = 8, VECTOR_BYTES = 32, LANE_BYTES = 4 };
enum { N_LANES = N_GENERAL + N_GENERAL * VECTOR_BYTES / LANE_BYTES };

/* From each register at the block's begin to a value: cycles and loads on the longest way; NONE: no way. */
struct ways {
    Short cycles[N_REGISTERS], loads[N_REGISTERS];
};

static struct ways of_temporary[MOST_TEMPORARIES], of_lane[N_LANES];
static struct rfl_chain before;

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
    before.cycles = before.loads = 0;
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
            if (lane != NONE && size < LANE_BYTES) /* the rest of it stays */
                take_longest(&of_lane[lane], &ways);
            else if (lane != NONE)
                of_lane[lane] = ways;
        }
        return;
    default:
        return;
    }
    if (to < MOST_TEMPORARIES)
        of_temporary[to] = ways;
}

struct rfl_chain rfl_chain_grown(void)
{
    struct rfl_chain now = {0, 0}, grown;
    for (Int lane = 0; lane < N_LANES; lane++) {
        const Short cycles = of_lane[lane].cycles[register_of(lane)],
                    loads = of_lane[lane].loads[register_of(lane)];
        now.cycles = cycles > 0 && (ULong)cycles > now.cycles ? (ULong)cycles : now.cycles;
        now.loads = loads > 0 && (ULong)loads > now.loads ? (ULong)loads : now.loads;
    }
    grown.cycles = now.cycles > before.cycles ? now.cycles - before.cycles : 0;
    grown.loads = now.loads > before.loads ? now.loads - before.loads : 0;
    before = now;
    return grown;
}
