/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fma: fused multiply-adds by the CPU's own instruction. Valgrind calls software for each element, which
 * takes 50 times as long; a program of FMAs is counted 2 to 4 times faster so. Same results to the bit:
 * both round once.
 */
#include "analysis/ext/record/valgrind/code.h"

#include <cpuid.h>
#include <libvex.h>
#include <pub_tool_machine.h>

/* Rounds to the nearest, as Valgrind does FMAs whatever the program's mode is. */
#define FMA(name, type, word)                                                              \
    __attribute__((target("fma"))) static ULong name(ULong a, ULong b, ULong c)            \
    {                                                                                      \
        union {                                                                            \
            word bits;                                                                     \
            type value;                                                                    \
        } x = {(word)a}, y = {(word)b}, z = {(word)c};                                     \
        __asm__("vfmadd213" FMA_SUFFIX_##type " %2, %1, %0"                                \
                : "+x"(x.value)                                                            \
                : "x"(y.value), "x"(z.value));                                             \
        return x.bits;                                                                     \
    }
#define FMA_SUFFIX_double "sd"
#define FMA_SUFFIX_float  "ss"
FMA(fma_64, double, ULong)
FMA(fma_32, float, UInt)

static Bool cpu_has_fma(void)
{
    UInt a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_FMA);
}

/* Adds "t = e"; returns t. */
static IRExpr *assign(IRSB *out, IRType type, IRExpr *e)
{
    const IRTemp t = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(t, e));
    return IRExpr_RdTmp(t);
}

/* A double's or a float's bits as a word. */
static IRExpr *bits_of(IRSB *out, IRExpr *e, Bool is_double)
{
    if (is_double)
        return assign(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, e));
    e = assign(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, e));
    return assign(out, Ity_I64, IRExpr_Unop(Iop_32Uto64, e));
}

void rfl_fma_add(IRSB *out, IRStmt *st)
{
    const IRQop *op = st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Qop
                          ? st->Ist.WrTmp.data->Iex.Qop.details
                          : NULL;
    const Bool is_double = op && op->op == Iop_MAddF64;
    if (!op || !(is_double || op->op == Iop_MAddF32) || !cpu_has_fma()) {
        addStmtToIRSB(out, st);
        return;
    }
    void *helper = is_double ? (void *)(Addr)fma_64 : (void *)(Addr)fma_32;
    IRExpr **words =
        mkIRExprVec_3(bits_of(out, op->arg2, is_double), bits_of(out, op->arg3, is_double),
                      bits_of(out, op->arg4, is_double));
    IRExpr *sum =
        assign(out, Ity_I64,
               mkIRExprCCall(Ity_I64, 0, "rfl_fma", VG_(fnptr_to_fnentry)(helper), words));
    if (is_double)
        sum = IRExpr_Unop(Iop_ReinterpI64asF64, sum);
    else
        sum = IRExpr_Unop(Iop_ReinterpI32asF32,
                          assign(out, Ity_I32, IRExpr_Unop(Iop_64to32, sum)));
    addStmtToIRSB(out, IRStmt_WrTmp(st->Ist.WrTmp.tmp, sum));
}
