/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/valgrind/code.h"

#include <pub_tool_debuginfo.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_xarray.h>

/* Code after an address, as far as blocks go that are translated at once, and what may jump back into it. */
enum { WINDOW = 1024, REACH = 4096, LONGEST_JUMP = 6 };
static Addr window;
static UChar heads[WINDOW];

/* The target of the jump that an address may hold; the address itself: none. */
static Addr jump_target(Addr at)
{
    const UChar *code = (const UChar *)at;
    Int distance;
    if ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb) /* jcc, jmp with 8 bits */
        return at + 2 + (Addr)(signed char)code[1];
    if (code[0] != 0xe9 && !(code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
        return at;
    const UInt size = code[0] == 0xe9 ? 1 : 2;
    VG_(memcpy)(&distance, code + size, sizeof distance);
    return at + size + sizeof distance + (Addr)distance;
}

/*
 * Looks at each byte, since where instructions begin is known only when they are translated: what is no jump
 * makes a piece more, not a loop.
 */
static void look_ahead(Addr begin)
{
    const DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), begin);
    const Addr text = info ? VG_(DebugInfo_get_text_avma)(info) : 0,
               end = text + (info ? VG_(DebugInfo_get_text_size)(info) : 0);
    window = begin;
    VG_(memset)(heads, 0, sizeof heads);
    for (Addr at = begin; at < begin + REACH && at + LONGEST_JUMP <= end && at >= text;
         at++) {
        const Addr target = jump_target(at);
        if (target < at && target >= begin && target < begin + WINDOW)
            heads[target - begin] = 1;
    }
}

Bool rfl_code_may_be_head(Addr address, Bool is_behind)
{
    if (!is_behind || address < window || address >= window + WINDOW)
        look_ahead(address);
    return heads[address - window];
}

/* A jump back: from its head to the end of the loop. */
struct loop {
    Addr head, end;
    HChar place[80]; /* "stream.c:42", or its head's address without lines */
    Bool is_inner;
    struct counts counts;
};

struct function {
    struct function *next;
    HChar *name, *object;
    Addr begin, end; /* of the code seen */
    PtrdiffT bias;   /* of addresses to those of the object */
    struct rfl_code *codes;
    XArray *loops; /* of struct loop */
};

enum { N_BUCKETS = 4096 };
static struct function *functions[N_BUCKETS];

void rfl_add_all(void *sum, const void *more, SizeT bytes, ULong times)
{
    for (SizeT i = 0; i < bytes / sizeof(ULong); i++)
        ((ULong *)sum)[i] += times * ((const ULong *)more)[i];
}

/*
 * "Eigen::Matrix<double, -1, 1>::run(int)" -> "Eigen::Matrix::run": arguments of templates and of functions
 * make names of hundreds of characters. Operators keep their signs.
 */
static void shorten(const HChar *from, HChar *to, SizeT size)
{
    SizeT n = 0;
    Int depth = 0;
    for (; *from && n + 1 < size; from++) {
        const Bool is_sign = n >= 8 && VG_(strncmp)(to + n - 8, "operator", 8) == 0;
        const Bool is_name = n == 0 || to[n - 1] == ':'; /* "(anonymous namespace)::f" */
        if (!is_sign && !(depth == 0 && is_name) && (*from == '<' || *from == '('))
            depth++;
        if (depth == 0)
            to[n++] = (UChar)*from < ' ' ? '?' : *from;
        if (!is_sign && (*from == '>' || *from == ')') && depth > 0)
            depth--;
    }
    to[n] = '\0';
}

static const HChar *base_of(const HChar *path)
{
    const HChar *slash = VG_(strrchr)(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * The function of an address; those of one short name in an object are one, and what no symbol covers is one.
 */
static struct function *find_function(Addr address)
{
    const DiEpoch now = VG_(current_DiEpoch)();
    const HChar *name, *object;
    HChar text[128];
    const DebugInfo *info = VG_(find_DebugInfo)(now, address);
    object = info ? VG_(DebugInfo_get_filename)(info) : "";
    if (VG_(get_fnname)(now, address, &name))
        shorten(name, text, sizeof text);
    else
        VG_(snprintf)
    (text, sizeof text, "%s", *object ? base_of(object) : "made at run time");
    UInt hash = 0;
    for (const HChar *c = text; *c; c++)
        hash = 31 * hash + (UChar)*c;
    struct function **at = &functions[hash % N_BUCKETS];
    while (*at &&
           (VG_(strcmp)((*at)->name, text) != 0 || VG_(strcmp)((*at)->object, object) != 0))
        at = &(*at)->next;
    if (*at)
        return *at;
    struct function *function = *at = VG_(calloc)("rfl.function", 1, sizeof *function);
    function->name = VG_(strdup)("rfl.name", text);
    function->object = VG_(strdup)("rfl.object", object);
    function->begin = address;
    function->bias = info ? VG_(DebugInfo_get_text_bias)(info) : 0;
    function->loops = VG_(newXA)(VG_(malloc), "rfl.loops", VG_(free), sizeof(struct loop));
    return function;
}

void rfl_code_add(struct rfl_code *code)
{
    struct function *function = find_function(code->begin);
    code->next = function->codes;
    function->codes = code;
    function->begin = code->begin < function->begin ? code->begin : function->begin;
    function->end = code->begin >= function->end ? code->begin + 1 : function->end;
}

static void set_place(struct loop *loop, Addr jump, const struct function *function)
{
    const HChar *file, *folder;
    UInt line;
    if (VG_(get_filename_linenum)(VG_(current_DiEpoch)(), jump, &file, &folder, &line))
        VG_(snprintf)(loop->place, sizeof loop->place, "%s:%u", base_of(file), line);
    else
        VG_(snprintf)
    (loop->place, sizeof loop->place, "0x%lx", loop->head - function->bias);
}

void rfl_code_jump(Addr from, Addr to)
{
    if (to >= from) /* a repeated string instruction is no loop */
        return;
    struct function *function = find_function(from);
    if (find_function(to) != function)
        return;
    struct loop loop = {.head = to, .end = from + 1};
    for (Word i = 0; i < VG_(sizeXA)(function->loops); i++) {
        struct loop *other = VG_(indexXA)(function->loops, i);
        if (other->head != to)
            continue;
        if (from >= other->end) { /* "continue": the last jump ends it */
            other->end = from + 1;
            set_place(other, from, function);
        }
        return;
    }
    set_place(&loop, from, function);
    VG_(addToXA)(function->loops, &loop);
}

/* The innermost loop that contains an address; NULL: none does. */
static struct loop *find_loop(const struct function *function, Addr address)
{
    struct loop *found = NULL;
    for (Word i = 0; i < VG_(sizeXA)(function->loops); i++) {
        struct loop *loop = VG_(indexXA)(function->loops, i);
        if (loop->is_inner && loop->head <= address && address < loop->end &&
            (!found || loop->end - loop->head < found->end - found->head))
            found = loop;
    }
    return found;
}

static void mark_inner(const struct function *function)
{
    for (Word i = 0; i < VG_(sizeXA)(function->loops); i++) {
        struct loop *loop = VG_(indexXA)(function->loops, i);
        loop->is_inner = True;
        for (Word j = 0; j < VG_(sizeXA)(function->loops); j++) {
            const struct loop *other = VG_(indexXA)(function->loops, j);
            if (j != i && other->head >= loop->head && other->end <= loop->end)
                loop->is_inner = False;
        }
    }
}

static void add_code(struct counts *sum, const struct rfl_code *code)
{
    rfl_add_all(&sum->work, &code->work, sizeof code->work, code->times);
    rfl_add_all(sum, &code->found, sizeof code->found, 1);
}

/* Parts below 1 / SMALL of all instructions and of all lines fetched are not written. */
enum { SMALL = 2000 };

static Bool is_small(const struct counts *part, const struct counts *all)
{
    Bool small = part->work.instructions < all->work.instructions / SMALL + 1;
    for (UInt i = 0; i < RFL_MAX_CACHES; i++)
        small &= part->moved.read[i] < all->moved.read[i] / SMALL + 1;
    return small;
}

/* Adds a loop to an earlier one of the same place: compilers make several of one, as for a remainder. */
static void join_loop(const struct function *function, Word i)
{
    struct loop *loop = VG_(indexXA)(function->loops, i);
    for (Word j = 0; j < i && loop->is_inner; j++) {
        struct loop *first = VG_(indexXA)(function->loops, j);
        if (!first->is_inner || VG_(strcmp)(first->place, loop->place) != 0)
            continue;
        rfl_add_all(&first->counts, &loop->counts, sizeof loop->counts, 1);
        first->head = loop->head < first->head ? loop->head : first->head;
        first->end = loop->end > first->end ? loop->end : first->end;
        VG_(memset)(&loop->counts, 0, sizeof loop->counts);
        return;
    }
}

static void put_function(const struct function *function, const struct counts *all,
                         void (*put)(const struct rfl_code_row *row, void *to), void *to)
{
    struct counts rest;
    HChar name[256];
    VG_(memset)(&rest, 0, sizeof rest);
    mark_inner(function);
    for (const struct rfl_code *code = function->codes; code; code = code->next) {
        struct loop *loop = find_loop(function, code->begin);
        add_code(loop ? &loop->counts : &rest, code);
    }
    for (Word i = 0; i < VG_(sizeXA)(function->loops); i++)
        join_loop(function, i);
    for (Word i = -1; i < VG_(sizeXA)(function->loops); i++) {
        const struct loop *loop = i < 0 ? NULL : VG_(indexXA)(function->loops, i);
        struct rfl_code_row row = {
            .object = function->object,
            .name = name,
            .begin = (loop ? loop->head : function->begin) - function->bias,
            .end = (loop ? loop->end : function->end) - function->bias,
            .counts = loop ? loop->counts : rest};
        VG_(snprintf)
        (name, sizeof name, "%s%s%s [%s]", function->name, loop ? ": loop at " : "",
         loop ? loop->place : "", base_of(function->object));
        if (!is_small(&row.counts, all))
            put(&row, to);
    }
}

void rfl_code_rows(void (*put)(const struct rfl_code_row *row, void *to), void *to)
{
    struct counts all;
    VG_(memset)(&all, 0, sizeof all);
    for (UInt i = 0; i < N_BUCKETS; i++)
        for (const struct function *function = functions[i]; function;
             function = function->next)
            for (const struct rfl_code *code = function->codes; code; code = code->next)
                add_code(&all, code);
    for (UInt i = 0; i < N_BUCKETS; i++)
        for (const struct function *function = functions[i]; function;
             function = function->next)
            put_function(function, &all, put, to);
}

void rfl_code_forget(void)
{
    for (UInt i = 0; i < N_BUCKETS; i++)
        for (struct function *function = functions[i]; function; function = function->next)
            for (struct rfl_code *code = function->codes; code; code = code->next) {
                code->times = 0;
                VG_(memset)(&code->found, 0, sizeof code->found);
            }
}
