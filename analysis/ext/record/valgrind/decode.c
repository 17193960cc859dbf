/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode: finds the floating-point operations of one x86-64 instruction from its bytes. Valgrind's own
 * representation splits an FMA, and its optimizer may merge equal operations; the program's code has neither.
 *
 * It counts as Intel's FP_ARITH_INST_RETIRED does, per element of the register: add, sub, mul, div, sqrt,
 * min, max, rcp, rsqrt, hadd, hsub, addsub 1; FMA and dot products (dpps, dppd) 2. Comparisons, conversions,
 * rounding, and logic on signs do not count. Intel, "Software Developer's Manual", volumes 2 (opcodes) and 3
 * (events).
 */
#include "analysis/ext/record/valgrind/code.h"

/* The mandatory prefix gives the elements; as bits, since a row can have several. */
enum form { PS = 1, PD = 2, SS = 4, SD = 8 };
enum { ALL = PS | PD | SS | SD, PACKED = PS | PD, SINGLE = PS | SS };

static const struct row {
    unsigned char map, first, last, forms, flops; /* per element; 0: a streaming store */
} rows[] = {
    {1, 0x51, 0x51, ALL,     1}, /* sqrt */
    {1, 0x52, 0x53, SINGLE,  1}, /* rsqrt, rcp */
    {1, 0x58, 0x59, ALL,     1}, /* add, mul */
    {1, 0x5c, 0x5f, ALL,     1}, /* sub, min, div, max */
    {1, 0x7c, 0x7d, PD | SD, 1}, /* hadd, hsub; SD's prefix stands for PS */
    {1, 0xd0, 0xd0, PD | SD, 1}, /* addsub; the same */
    {3, 0x40, 0x41, PD,      2}, /* dpps, dppd */
    {1, 0x2b, 0x2b, PACKED,  0}, /* movntps, movntpd */
    {1, 0xc3, 0xc3, PS,      0}, /* movnti */
    {1, 0xe7, 0xe7, PACKED,  0}, /* movntq, movntdq */
};

struct opcode {
    unsigned map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a */
    unsigned char code, next;
    enum form form;
    bool is_vex, is_256, is_w;
};

static bool is_legacy_prefix(unsigned char byte)
{
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x36 ||
           byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 || byte == 0x67 ||
           byte == 0xf0;
}

static enum form decode_form_of(unsigned vex_pp)
{
    static const enum form forms[] = {PS, PD, SS, SD};
    return forms[vex_pp & 3];
}

/* c5 RvvvvLpp; c4 RXBmmmmm WvvvvLpp */
static size_t read_vex(const unsigned char *at, struct opcode *op)
{
    const unsigned char last = at[0] == 0xc5 ? at[1] : at[2];
    op->is_vex = true;
    op->map = at[0] == 0xc5 ? 1 : at[1] & 0x1f;
    op->is_w = at[0] == 0xc4 && (last & 0x80);
    op->is_256 = last & 4;
    op->form = decode_form_of(last);
    return at[0] == 0xc5 ? 2 : 3;
}

/* False if the bytes are too few for an opcode. */
static bool read_opcode(const unsigned char *code, size_t size, struct opcode *op)
{
    size_t i = 0;
    bool has_66 = false;
    for (; i < size && is_legacy_prefix(code[i]); i++) {
        has_66 |= code[i] == 0x66;
        if (code[i] == 0xf3 || code[i] == 0xf2)
            op->form = code[i] == 0xf3 ? SS : SD;
    }
    if (!op->form)
        op->form = has_66 ? PD : PS;
    if (i < size && (code[i] & 0xf0) == 0x40) /* REX */
        i++;
    if (i + 3 < size && (code[i] == 0xc4 || code[i] == 0xc5)) {
        i += read_vex(code + i, op);
    } else if (i + 1 < size && code[i] == 0x0f) {
        op->map = code[i + 1] == 0x38 ? 2 : code[i + 1] == 0x3a ? 3 : 1;
        i += op->map == 1 ? 1 : 2;
    }
    if (i >= size)
        return false;
    op->code = code[i];
    op->next = i + 1 < size ? code[i + 1] : 0;
    return true;
}

/* Sets type, width and operations for registers of 16 or 32 bytes, or one element. */
static void decode_set_elements(struct rfl_instruction *to, bool is_double, bool is_scalar,
                                bool is_256, unsigned flops)
{
    to->type = is_double ? RFL_FP64 : RFL_FP32;
    to->width = is_scalar ? RFL_SCALAR : is_256 ? RFL_256 : RFL_128;
    to->flops = flops * (is_scalar ? 1 : (is_double ? 2 : 4) * (is_256 ? 2 : 1));
}

/* d8 to df: add, mul, sub, subr, div, divr with memory or a register; fsqrt. */
static struct rfl_instruction x87(const struct opcode *op)
{
    struct rfl_instruction found = {.type = RFL_X87};
    unsigned operation = op->next >> 3 & 7;
    bool is_register = op->next >= 0xc0;
    bool computes = operation != 2 && operation != 3;
    if (op->code == 0xd9)
        found.flops = op->next == 0xfa;
    else if (op->code == 0xd8 || op->code == 0xdc || op->code == 0xde ||
             (op->code == 0xda && !is_register))
        found.flops = computes;
    return found;
}

/* vfmadd132ps to vfnmsub231sd: three operand orders of ten opcodes; odd ones from 9 on are scalar. */
static bool is_fma(const struct opcode *op)
{
    return op->is_vex && op->map == 2 && op->form == PD && (op->code & 0xf) >= 6 &&
           op->code >= 0x96 && op->code <= 0xbf;
}

/* vpgatherdd to vgatherqpd */
static bool is_gather(const struct opcode *op)
{
    return op->is_vex && op->map == 2 && op->form == PD && op->code >= 0x90 &&
           op->code <= 0x93;
}

struct rfl_instruction rfl_decode(const unsigned char *code, size_t size)
{
    struct rfl_instruction found = {0};
    struct opcode op = {0};
    if (!read_opcode(code, size, &op))
        return found;
    if (op.map == 0 && op.code >= 0xd8 && op.code <= 0xdf)
        return x87(&op);
    found.is_gather = is_gather(&op);
    if (is_fma(&op)) {
        found.is_fma = true;
        decode_set_elements(&found, op.is_w, (op.code & 0xf) >= 9 && (op.code & 1),
                            op.is_256, 2);
        return found;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        if (row->map != op.map || op.code < row->first || op.code > row->last ||
            !(row->forms & op.form))
            continue;
        found.is_division = op.map == 1 && (op.code == 0x51 || op.code == 0x5e);
        if (row->flops == 0)
            found.is_streaming = true;
        else if (op.map == 3)
            decode_set_elements(&found, op.code == 0x41, false, op.is_256, row->flops);
        else if (!(row->forms & PS)) /* hadd, hsub, addsub */
            decode_set_elements(&found, op.form == PD, false, op.is_256, row->flops);
        else
            decode_set_elements(&found, op.form == PD || op.form == SD,
                                op.form == SS || op.form == SD, op.is_256, row->flops);
    }
    return found;
}
