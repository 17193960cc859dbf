/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline, a tool of Valgrind: counts operations and bytes of a program, by region and thread, without
 * hardware counters. It uses Valgrind's public interface for tools (pub_tool_*.h).
 *
 * A superblock (code that Valgrind translates at once) is split into segments that end where control can
 * leave it. The work of a segment is known when it is translated, so running it only adds one to its counter;
 * the addresses of its accesses are stored in a buffer, and one call per run simulates the caches with them.
 * When the thread changes or a region begins or ends, the segments run since then are added to the counts of
 * the thread that ran.
 */
#include "analysis/ext/record/valgrind/code.h"
#include "analysis/ext/record/valgrind/object.h"

#include <libvex_guest_amd64.h>
#include <pub_tool_clientstate.h>
#include <pub_tool_clreq.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_transtab.h>
#include <pub_tool_vki.h>
#include <pub_tool_xarray.h>

/* The requests of rfl_region.h. */
enum { REQUEST_PRESENT = VG_USERREQ_TOOL_BASE('R', 'L'), REQUEST_BEGIN, REQUEST_END };

enum { MAX_ACCESSES = 256 };

/* A region on a thread. */
struct part {
    struct part *next;
    ULong calls, counted_calls, depth;
    ULong threads;             /* the most other threads that ran during one call */
    Bool is_counted;           /* the open call */
    ULong begun_at;            /* n_switches at its begin */
    struct counts own, others; /* sums */
    struct counts own_before, all_before; /* at its begin: the thread's, all threads' */
    ThreadId thread;
};

/* The length of names, as in the file of rfl_region.h, whose times are joined with these counts. */
enum { NAME_BYTES = 63 };

struct region {
    struct region *next;
    HChar name[NAME_BYTES + 1];
    struct part *parts;
};

struct thread {
    Bool is_used;
    ULong ran_at; /* the last switch to this thread */
    struct counts counts;
    struct rfl_core core;
    struct rfl_chains chains;
};

static struct thread *threads, *now; /* VG_N_THREADS; the running one */
static struct region *regions;
static ULong n_switches;
static const HChar *stopped_at; /* the instruction that ended the counting; NULL: none */

static Bool has_avx512;
static HChar chooses[64]; /* the first library that chooses its code by the CPU; "" none */

/* ---------------- segments ---------------- */

/* GUARDED accesses are conditional: address 0 means none. Their bytes are not in a segment's work. */
enum access_kind { LOAD, STORE, STREAM, GUARDED };

struct access {
    UShort bytes, kind; /* LOAD, STORE or STREAM, plus GUARDED */
};

struct segment {
    ULong n; /* times that it ran since `epoch` began */
    ULong epoch;
    struct segment *next; /* another segment that ran in this epoch */
    struct rfl_code code; /* before this epoch */
    struct counts found;  /* in this epoch */
    struct rfl_ways *ways;
    UInt n_accesses;
    struct access accesses[];
};

static struct segment *ran;
static ULong epoch = 1;
static Addr addresses[MAX_ACCESSES];
static ULong plain_instructions; /* of segments that neither compute nor access memory */
static Bool by_code;             /* whether functions and loops are counted */
static ULong window;    /* the first calls of each part, which alone count; 0: all */
static ULong n_counted; /* open calls that are counted */

static __attribute__((noinline)) void run_access(struct segment *segment,
                                                 const struct access *access, Addr address)
{
    struct rfl_core *core = &now->core;
    enum access_kind kind = access->kind;
    if (kind >= GUARDED) {
        if (address == 0)
            return;
        kind -= GUARDED;
        segment->found.work.load_bytes += kind == LOAD ? access->bytes : 0;
        segment->found.work.store_bytes += kind == LOAD ? 0 : access->bytes;
    }
    if (kind == STREAM)
        rfl_core_stream(core, address, access->bytes, &segment->found.moved);
    else
        rfl_core_access(core, address, access->bytes, kind == STORE, &segment->found.moved);
}

/* Chains of loads count as far as the segment fetches lines: those that hit L1 do not wait. */
static void run_chains(struct segment *segment, uint64_t read_before)
{
    const rfl_chain grown = rfl_chain_run(&now->chains, segment->ways);
    struct counts *found = &segment->found;
    const ULong lines = (found->moved.read[0] - read_before) >> now->core.line_bits;
    const ULong loads = grown[1];
    found->work.chain_cycles += grown[0];
    found->work.chain_loads += loads < lines ? loads : lines;
}

static VG_REGPARM(1) void run_segment(struct segment *segment)
{
    const uint64_t read_before = segment->found.moved.read[0];
    if (segment->epoch != epoch) {
        segment->epoch = epoch;
        segment->n = 0;
        segment->next = ran;
        ran = segment;
    }
    segment->n++;
    const struct rfl_cache first = *now->core.caches[0];
    const UInt line_bits = now->core.line_bits;
    const struct access *access = segment->accesses, *end = access + segment->n_accesses;
    for (const Addr *address = addresses; access < end; access++, address++)
        if (access->kind > STORE ||
            !rfl_cache_is_newest(first, line_bits, *address, access->bytes,
                                 access->kind == STORE))
            run_access(segment, access, *address);
    if (segment->ways)
        run_chains(segment, read_before);
}

/* Adds the segments run since the last call to the counts of the running thread, and of their code. */
static void tool_settle(void)
{
    for (struct segment *segment = ran; segment; segment = segment->next) {
        struct rfl_code *code = &segment->code;
        struct counts *counts = &now->counts;
        rfl_add_all(&counts->work, &code->work, sizeof code->work, segment->n);
        rfl_add_all(counts, &segment->found, sizeof segment->found, 1);
        rfl_add_all(&code->found, &segment->found, sizeof segment->found, 1);
        code->times += segment->n;
        VG_(memset)(&segment->found, 0, sizeof segment->found);
    }
    now->counts.work.instructions += plain_instructions;
    plain_instructions = 0;
    ran = NULL;
    epoch++;
}

/* A segment during translation. */
struct builder {
    IRSB *out;
    Addr begin;         /* of the segment */
    Addr address, next; /* of the current instruction, and behind it */
    struct rfl_instruction instruction;
    Bool has_loaded; /* the current instruction has */
    struct work work;
    UInt n_accesses;
    struct access accesses[MAX_ACCESSES];
};

/* Adds code that adds a constant to a counter. */
static void add_to(IRSB *out, ULong *counter, ULong more)
{
    IRExpr *where = mkIRExpr_HWord((HWord)counter);
    IRTemp before = newIRTemp(out->tyenv, Ity_I64), after = newIRTemp(out->tyenv, Ity_I64);
    addStmtToIRSB(out, IRStmt_WrTmp(before, IRExpr_Load(Iend_LE, Ity_I64, where)));
    addStmtToIRSB(out, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before),
                                                        mkIRExpr_HWord(more))));
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, where, IRExpr_RdTmp(after)));
}

/* Counts the instructions of a segment that neither computes nor accesses memory. */
static void end_plain(struct builder *b)
{
    add_to(b->out, &plain_instructions, b->work.instructions);
    if (!by_code)
        return;
    struct rfl_code *code = VG_(calloc)("rfl.code", 1, sizeof *code);
    code->begin = b->begin;
    code->work = b->work;
    rfl_code_add(code);
    add_to(b->out, &code->times, 1);
}

static void end_segment(struct builder *b)
{
    struct rfl_ways *ways =
        b->work.instructions ? rfl_chain_ways(b->work.instructions) : NULL;
    Bool computes = b->n_accesses > 0 || ways;
    for (SizeT i = 0; i < sizeof b->work / sizeof(ULong); i++)
        computes |=
            ((ULong *)&b->work)[i] != 0 && (ULong *)&b->work + i != &b->work.instructions;
    if (computes) {
        SizeT bytes = b->n_accesses * sizeof b->accesses[0];
        struct segment *segment = VG_(calloc)("rfl.segment", 1, sizeof *segment + bytes);
        segment->code.work = b->work;
        segment->code.begin = b->begin;
        segment->n_accesses = b->n_accesses;
        segment->ways = ways;
        VG_(memcpy)(segment->accesses, b->accesses, bytes);
        if (by_code)
            rfl_code_add(&segment->code);
        addStmtToIRSB(b->out, IRStmt_Dirty(unsafeIRDirty_0_N(
                                  1, "run_segment", VG_(fnptr_to_fnentry)(run_segment),
                                  mkIRExprVec_1(mkIRExpr_HWord((HWord)segment)))));
    } else if (b->work.instructions > 0) {
        end_plain(b);
    }
    VG_(memset)(&b->work, 0, sizeof b->work);
    b->n_accesses = 0;
    b->begin = b->next;
}

/* Adds code that stores the address in the buffer, or 0 if there is a guard and it is false. */
static void add_access(struct builder *b, IRExpr *address, Int bytes, enum access_kind kind,
                       IRExpr *guard)
{
    if (b->n_accesses == MAX_ACCESSES)
        end_segment(b);
    if (kind == STORE && b->instruction.is_streaming)
        kind = STREAM;
    b->has_loaded |= kind == LOAD;
    if (guard) {
        IRTemp chosen = newIRTemp(b->out->tyenv, Ity_I64);
        addStmtToIRSB(b->out,
                      IRStmt_WrTmp(chosen, IRExpr_ITE(guard, address, mkIRExpr_HWord(0))));
        address = IRExpr_RdTmp(chosen);
    } else {
        b->work.load_bytes += kind == LOAD ? bytes : 0;
        b->work.store_bytes += kind == LOAD ? 0 : bytes;
    }
    b->work.streamed_bytes += kind == STREAM ? bytes : 0;
    addStmtToIRSB(
        b->out,
        IRStmt_Store(Iend_LE, mkIRExpr_HWord((HWord)&addresses[b->n_accesses]), address));
    b->accesses[b->n_accesses++] = (struct access){bytes, kind + (guard ? GUARDED : 0)};
}

static void begin_instruction(struct builder *b, const IRStmt *mark)
{
    const struct rfl_instruction found =
        rfl_decode((const UChar *)(Addr)mark->Ist.IMark.addr, mark->Ist.IMark.len);
    const Addr address = mark->Ist.IMark.addr;
    const Bool is_behind =
        address == b->next; /* behind a jump it is maybe another function's */
    if ((by_code && rfl_code_may_be_head(address, is_behind)) || !is_behind) {
        end_segment(b);
        b->begin = mark->Ist.IMark.addr;
    }
    b->address = mark->Ist.IMark.addr;
    b->next = b->address + mark->Ist.IMark.len;
    b->instruction = found;
    b->has_loaded = False;
    b->work.instructions++;
    if (found.type == RFL_X87) {
        b->work.x87_flops += found.flops;
    } else {
        b->work.flops[found.type][found.width] += found.flops;
        b->work.fma_flops[found.type][found.width] += found.is_fma ? found.flops : 0;
        b->work.div_flops[found.type][found.width] += found.is_division ? found.flops : 0;
    }
}

/*
 * Runs where a program asks CPUID: notes a library that asks for the CPU's features, to choose its code by
 * them. Where this CPU has AVX-512, which Valgrind's has not, it may choose another way when it is timed. The
 * dynamic linker asks for libc, whose strings compute nothing; libgcc_s and libgfortran whenever they are
 * there.
 */
static VG_REGPARM(2) void note_choice(HWord leaf, Addr address)
{
    static const HChar *const askers[] = {"ld-linux", "libgcc_s", "libgfortran"};
    enum { FEATURES = 7 };
    const HChar *name;
    if (chooses[0] || (UInt)leaf != FEATURES ||
        !VG_(get_objname)(VG_(current_DiEpoch)(), address, &name))
        return;
    const HChar *slash = VG_(strrchr)(name, '/');
    name = slash ? slash + 1 : name;
    for (UInt i = 0; i < sizeof askers / sizeof askers[0]; i++)
        if (VG_(strncmp)(name, askers[i], VG_(strlen)(askers[i])) == 0)
            return;
    VG_(strncpy)(chooses, name, sizeof chooses - 1);
}

static void add_choice(struct builder *b, const IRDirty *call)
{
    if (!has_avx512 || VG_(strstr)(call->cee->name, "CPUID") == NULL)
        return;
    IRTemp leaf = newIRTemp(b->out->tyenv, Ity_I64);
    addStmtToIRSB(
        b->out,
        IRStmt_WrTmp(leaf, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RAX), Ity_I64)));
    addStmtToIRSB(b->out,
                  IRStmt_Dirty(unsafeIRDirty_0_N(
                      2, "note_choice", VG_(fnptr_to_fnentry)((void *)(Addr)note_choice),
                      mkIRExprVec_2(IRExpr_RdTmp(leaf), mkIRExpr_HWord(b->address)))));
}

static void add_dirty(struct builder *b, const IRDirty *call)
{
    IRExpr *guard = call->guard && call->guard->tag != Iex_Const ? call->guard : NULL;
    if (call->mFx == Ifx_Read || call->mFx == Ifx_Modify)
        add_access(b, call->mAddr, call->mSize, LOAD, guard);
    if (call->mFx == Ifx_Write || call->mFx == Ifx_Modify)
        add_access(b, call->mAddr, call->mSize, STORE, guard);
}

/*
 * The guard of a load in a gather: the condition that selects its address, since Valgrind loads elements that
 * the mask excludes from the stack. NULL for other loads.
 */
static IRExpr *mask_of(const struct builder *b, const IRSB *in, Int i)
{
    const IRExpr *address = in->stmts[i]->Ist.WrTmp.data->Iex.Load.addr;
    if (!b->instruction.is_gather)
        return NULL;
    while (address->tag == Iex_RdTmp && in->stmts[--i]->tag != Ist_IMark)
        if (in->stmts[i]->tag == Ist_WrTmp &&
            in->stmts[i]->Ist.WrTmp.tmp == address->Iex.RdTmp.tmp)
            address = in->stmts[i]->Ist.WrTmp.data; /* can be a copy of another */
    return address->tag == Iex_ITE ? address->Iex.ITE.cond : NULL;
}

/* Adds the accesses of the i-th statement of a block. */
static void add_accesses(struct builder *b, const IRSB *in, Int i)
{
    const IRStmt *st = in->stmts[i];
    const IRTypeEnv *types = b->out->tyenv;
    IRType result, loaded;
    Int bytes;
    switch (st->tag) {
    case Ist_WrTmp:
        if (st->Ist.WrTmp.data->tag == Iex_Load)
            add_access(b, st->Ist.WrTmp.data->Iex.Load.addr,
                       sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty), LOAD,
                       mask_of(b, in, i));
        break;
    case Ist_Store:
        add_access(b, st->Ist.Store.addr,
                   sizeofIRType(typeOfIRExpr(types, st->Ist.Store.data)), STORE, NULL);
        break;
    case Ist_StoreG:
        add_access(b, st->Ist.StoreG.details->addr,
                   sizeofIRType(typeOfIRExpr(types, st->Ist.StoreG.details->data)), STORE,
                   st->Ist.StoreG.details->guard);
        break;
    case Ist_LoadG:
        typeOfIRLoadGOp(st->Ist.LoadG.details->cvt, &result, &loaded);
        add_access(b, st->Ist.LoadG.details->addr, sizeofIRType(loaded), LOAD,
                   st->Ist.LoadG.details->guard);
        break;
    case Ist_Dirty:
        add_choice(b, st->Ist.Dirty.details);
        add_dirty(b, st->Ist.Dirty.details);
        break;
    case Ist_CAS:
        bytes = sizeofIRType(typeOfIRExpr(types, st->Ist.CAS.details->dataLo)) *
                (st->Ist.CAS.details->dataHi ? 2 : 1);
        if (!b->has_loaded) /* lock add is a load and a CAS, lock cmpxchg only a CAS */
            add_access(b, st->Ist.CAS.details->addr, bytes, LOAD, NULL);
        add_access(b, st->Ist.CAS.details->addr, bytes, STORE, NULL);
        break;
    default:
        break;
    }
}

/* Runs where the program comes to an instruction that Valgrind does not know, which raises SIGILL. */
static VG_REGPARM(1) void stop_at(Addr address)
{
    if (stopped_at)
        return;
    stopped_at = *(const UChar *)address == 0x62 ? "AVX-512" : "unknown";
    VG_(umsg)
    ("the program has %s instructions, which Valgrind does not know: build it for counting "
     "with -march=x86-64-v3 (gcc, clang) or -mno-avx512f\n",
     stopped_at);
}

/*
 * Calls that at the end of a block that ends so. Not when the block is translated: programs that choose by
 * CPUID have such instructions beside the way that they take, since Valgrind's CPU has no AVX-512.
 */
static void add_stop(IRSB *out)
{
    if (out->jumpkind == Ijk_NoDecode && out->next->tag == Iex_Const)
        addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                               1, "stop_at", VG_(fnptr_to_fnentry)((void *)(Addr)stop_at),
                               mkIRExprVec_1(out->next))));
}

/* Ends a segment at a jump. Calls and returns make no loop. */
static void end_block(struct builder *b, Addr to, IRJumpKind kind)
{
    if (by_code && kind == Ijk_Boring)
        rfl_code_jump(b->address, to);
    end_segment(b);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host,
                        IRType guest_word, IRType host_word)
{
    static struct builder b; /* static since large; only one translation runs at a time */
    Int i = 0;
    (void)closure, (void)layout, (void)extents, (void)host;
    if (guest_word != host_word)
        VG_(tool_panic)("the program's words are not this machine's");
    if (window && !n_counted) { /* code between the windows */
        b.out = deepCopyIRSBExceptStmts(in);
        for (; i < in->stmts_used; i++)
            rfl_fma_add(b.out, in->stmts[i]);
        add_stop(b.out);
        return b.out;
    }
    b.out = deepCopyIRSBExceptStmts(in);
    rfl_chain_begin();
    for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(b.out, in->stmts[i]);
    for (; i < in->stmts_used; i++) {
        IRStmt *st = in->stmts[i];
        if (st->tag == Ist_IMark)
            begin_instruction(&b, st);
        else if (st->tag == Ist_Exit)
            end_block(&b, st->Ist.Exit.dst->Ico.U64, st->Ist.Exit.jk);
        else
            add_accesses(&b, in, i);
        rfl_chain_take(in->tyenv, st);
        rfl_fma_add(b.out, st);
    }
    end_block(&b, in->next->tag == Iex_Const ? in->next->Iex.Const.con->Ico.U64 : b.next,
              in->jumpkind);
    add_stop(b.out);
    return b.out;
}

/* ---------------- threads and regions ---------------- */

static struct rfl_cache_shape shapes[RFL_MAX_CACHES];
static struct rfl_cache shared; /* the third level */

static void tool_make_cache(struct rfl_cache *cache, const struct rfl_cache_shape *shape)
{
    cache->sets = rfl_cache_sets(shape);
    cache->mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
    cache->is_hashed = cache == &shared;
    cache->ways = shape->ways;
    cache->lines =
        VG_(calloc)("rfl.cache", cache->sets * cache->ways, sizeof *cache->lines);
}

/* A bit for each line of the address space, in pieces that are made when they are needed. */
enum { PIECE_BITS = 20, N_PIECES = 1 << 22 };
static UChar **touched;

static bool touch(uint64_t line)
{
    UChar **piece = &touched[line >> PIECE_BITS & (N_PIECES - 1)];
    if (!*piece)
        *piece = VG_(calloc)("rfl.touched", 1 << PIECE_BITS >> 3, 1);
    const UInt at = line & ((1 << PIECE_BITS) - 1), bit = 1u << (at & 7);
    const bool is_first = !((*piece)[at >> 3] & bit);
    (*piece)[at >> 3] |= bit;
    return is_first;
}

/* Makes a thread's caches. A later thread with the same ID inherits their contents, as on a core. */
static void make_core(struct rfl_core *core)
{
    for (UInt bits = shapes[0].line_bytes; bits > 1; bits /= 2)
        core->line_bits++;
    core->touch = touch;
    for (; core->n < RFL_MAX_CACHES && shapes[core->n].size_bytes; core->n++) {
        struct rfl_cache *cache = &shared;
        if (core->n < RFL_MAX_CACHES - 1)
            cache = VG_(calloc)("rfl.core", 1, sizeof *cache);
        if (!cache->lines)
            tool_make_cache(cache, &shapes[core->n]);
        core->caches[core->n] = cache;
    }
}

static void switch_to(ThreadId id)
{
    struct thread *next = &threads[id];
    if (next == now)
        return;
    if (now)
        tool_settle();
    now = next;
    now->ran_at = ++n_switches;
    if (now->is_used)
        return;
    now->is_used = True;
    make_core(&now->core);
}

static void start_client_code(ThreadId id, ULong blocks)
{
    (void)blocks;
    switch_to(id);
}

static struct counts count_all(void)
{
    struct counts sum;
    VG_(memset)(&sum, 0, sizeof sum);
    for (UInt i = 0; i < VG_N_THREADS; i++)
        if (threads[i].is_used)
            rfl_add_all(&sum, &threads[i].counts, sizeof sum, 1);
    return sum;
}

static struct part *tool_part_of(const HChar *name, ThreadId thread)
{
    struct region **at = &regions; /* a new one is the last: in the order of the program */
    while (*at && VG_(strncmp)((*at)->name, name, NAME_BYTES) != 0)
        at = &(*at)->next;
    if (!*at) {
        *at = VG_(calloc)("rfl.region", 1, sizeof **at);
        VG_(strncpy)((*at)->name, name, NAME_BYTES);
    }
    struct region *region = *at;
    struct part *part = region->parts;
    while (part && part->thread != thread)
        part = part->next;
    if (!part) {
        part = VG_(calloc)("rfl.part", 1, sizeof *part);
        part->thread = thread;
        part->next = region->parts;
        region->parts = part;
    }
    return part;
}

/* Between the windows code runs as it is, several times faster; each kind is translated anew. */
static void open_calls(ULong more)
{
    const Bool was_counting = n_counted > 0;
    n_counted += more;
    if (window && was_counting != (n_counted > 0))
        VG_(discard_translations_safely)(0x1000, ~(SizeT)0xfff, "roofline");
}

static void tool_begin(struct part *part)
{
    tool_settle();
    if (part->depth++ > 0)
        return;
    part->calls++;
    part->is_counted = !window || part->counted_calls < window;
    if (!part->is_counted)
        return;
    open_calls(1);
    part->begun_at = n_switches;
    part->own_before = threads[part->thread].counts;
    part->all_before = count_all();
}

/* Adds the difference since the begin: the thread's to own, that of all other threads to others. */
static void tool_end(struct part *part)
{
    tool_settle();
    if (part->depth == 0 || --part->depth > 0 || !part->is_counted)
        return;
    open_calls(-1ull);
    struct counts own = threads[part->thread].counts, others = count_all();
    ULong n = 0;
    rfl_add_all(&own, &part->own_before, sizeof own, -1ull);
    rfl_add_all(&others, &part->all_before, sizeof others, -1ull);
    rfl_add_all(&others, &own, sizeof others, -1ull);
    rfl_add_all(&part->own, &own, sizeof own, 1);
    rfl_add_all(&part->others, &others, sizeof others, 1);
    for (UInt i = 0; i < VG_N_THREADS; i++)
        n += i != part->thread && threads[i].is_used && threads[i].ran_at > part->begun_at;
    part->threads = n > part->threads ? n : part->threads;
    part->counted_calls++;
}

static Bool handle_request(ThreadId id, UWord *args, UWord *result)
{
    if (!VG_IS_TOOL_USERREQ('R', 'L', args[0]))
        return False;
    *result = 1;
    if (args[0] == REQUEST_PRESENT)
        return True;
    switch_to(id);
    struct part *part = tool_part_of((const HChar *)args[1], id);
    if (args[0] == REQUEST_BEGIN)
        tool_begin(part);
    else
        tool_end(part);
    return True;
}

/* A child of fork() starts from zero: its parent has the counts so far. */
static void forget_counts(ThreadId id)
{
    tool_settle();
    for (UInt i = 0; i < VG_N_THREADS; i++)
        VG_(memset)(&threads[i].counts, 0, sizeof threads[i].counts);
    rfl_code_forget();
    open_calls(-n_counted);
    while (regions) {
        struct region *region = regions;
        regions = region->next;
        for (struct part *next; region->parts; region->parts = next) {
            next = region->parts->next;
            VG_(free)(region->parts);
        }
        VG_(free)(region);
    }
    (void)id;
}

/* ---------------- the file ---------------- */

/*
 * Comments, column names, and a row per thread, for the whole run and for each region. A region begun by only
 * one thread counts the work of all: the row "others" has what the other threads did while it was open.
 */

static const HChar *out_file = "roofline-valgrind.%p.txt";
static const HChar *const levels[RFL_MAX_CACHES] = {"L1", "L2", "L3"};

/* The level next to cache i. */
static const HChar *behind(UInt i)
{
    return i + 1 < RFL_MAX_CACHES && shapes[i + 1].size_bytes ? levels[i + 1] : "DRAM";
}

/* Replaces control characters, since lines and tabs separate rows and cells. */
static void tool_write_text(VgFile *file, const HChar *text)
{
    for (; *text; text++)
        VG_(fprintf)(file, "%c", (UChar)*text < ' ' ? '?' : *text);
}

static void tool_write_header(VgFile *file)
{
    XArray *words = VG_(args_for_client);
    VG_(fprintf)(file, "# roofline-valgrind 1\n# command: ");
    tool_write_text(file, VG_(args_the_exename));
    for (Word i = 0; i < VG_(sizeXA)(words); i++) {
        VG_(fprintf)(file, " ");
        tool_write_text(file, *(HChar **)VG_(indexXA)(words, i));
    }
    VG_(fprintf)(file, "\n# pid: %d\n", VG_(getpid)());
    if (stopped_at)
        VG_(fprintf)(file, "# stopped: %s\n", stopped_at);
    if (chooses[0])
        VG_(fprintf)(file, "# chooses: %s\n", chooses);
    if (window)
        VG_(fprintf)(file, "# window: %llu\n", window);
    for (UInt i = 0; i < RFL_MAX_CACHES && shapes[i].size_bytes; i++)
        VG_(fprintf)
    (file, "# %s: %llu bytes, %u ways, lines of %u bytes\n", levels[i],
     (ULong)shapes[i].size_bytes, shapes[i].ways, shapes[i].line_bytes);
    VG_(fprintf)
    (file, "region\tthread\tcalls\tthreads\tinstructions\tload_bytes\tstore_bytes\t"
           "streamed_bytes\tx87_flops\tchain_cycles\tchain_loads");
    static const HChar *const kinds[] = {"flops", "fma_flops", "div_flops"},
                              *const types[] = {"fp64", "fp32"},
                              *const widths[] = {"scalar", "128", "256"};
    for (UInt k = 0; k < 3; k++)
        for (UInt t = 0; t < N_FP_TYPES; t++)
            for (UInt w = 0; w < N_WIDTHS; w++)
                VG_(fprintf)(file, "\t%s_%s_%s", types[t], kinds[k], widths[w]);
    for (UInt i = 0; i < RFL_MAX_CACHES && shapes[i].size_bytes; i++)
        VG_(fprintf)
    (file, "\t%s_read\t%s_written\t%s_left", behind(i), behind(i), levels[i]);
    VG_(fprintf)(file, "\tfirst_touched\tcode_object\tcode_begin\tcode_end\n");
}

static void tool_write_row(VgFile *file, const HChar *name, const HChar *thread,
                           ULong calls, ULong n_threads, const struct counts *counts,
                           const struct rfl_code_row *code)
{
    const ULong *work = (const ULong *)&counts->work;
    tool_write_text(file, name);
    VG_(fprintf)(file, "\t%s\t%llu\t%llu", thread, calls, n_threads);
    for (SizeT i = 0; i < sizeof counts->work / sizeof(ULong); i++)
        VG_(fprintf)(file, "\t%llu", work[i]);
    for (UInt i = 0; i < RFL_MAX_CACHES && shapes[i].size_bytes; i++)
        VG_(fprintf)
    (file, "\t%llu\t%llu\t%lld", (ULong)counts->moved.read[i],
     (ULong)counts->moved.written[i], (Long)counts->moved.left[i]);
    VG_(fprintf)(file, "\t%llu", (ULong)counts->moved.first_touched);
    if (code)
        VG_(fprintf)
    (file, "\t%u\t%lu\t%lu\n", rfl_object_id(code->object), code->begin, code->end);
    else VG_(fprintf)(file, "\t0\t0\t0\n");
}

/* The counts of all calls, if each was as those counted. */
static const struct counts *scale(const struct part *part, const struct counts *counted)
{
    static struct counts scaled;
    const Long *from = (const Long *)counted;
    Long *to = (Long *)&scaled;
    for (SizeT i = 0; i < sizeof scaled / sizeof *to; i++)
        to[i] = (Double)from[i] * part->calls / part->counted_calls;
    return part->calls == part->counted_calls ? counted : &scaled;
}

static void put_code(const struct rfl_code_row *row, void *file)
{
    tool_write_row(file, row->name, "code", 1, 0, &row->counts, row);
}

static void close_regions(void)
{
    for (struct region *region = regions; region; region = region->next)
        for (struct part *part = region->parts; part; part = part->next)
            if (part->depth > 0) {
                VG_(umsg)
                ("region '%s' was begun and not ended: counted to the end\n", region->name);
                part->depth = 1;
                tool_end(part);
            }
}

/* A thread with less than this part of the busiest's instructions only waits, as a library's spare ones. */
enum { IDLE = 20 };

static void fini(Int exit_code)
{
    ULong most = 0;
    HChar *name = VG_(expand_file_name)("--out-file", out_file), thread[16];
    VgFile *file = VG_(fopen)(name, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0666);
    (void)exit_code;
    tool_settle();
    close_regions();
    if (!file) {
        VG_(umsg)("%s: cannot be written, so the counts are lost\n", name);
        return;
    }
    tool_write_header(file);
    /* In a child of fork() other threads of the parent have no counts. */
    for (UInt i = 0; i < VG_N_THREADS; i++)
        most = threads[i].counts.work.instructions > most
                   ? threads[i].counts.work.instructions
                   : most;
    for (UInt i = 0; i < VG_N_THREADS; i++)
        if (threads[i].counts.work.instructions && !window) {
            const Bool works = threads[i].counts.work.instructions >= most / IDLE;
            VG_(sprintf)(thread, "%u", i);
            tool_write_row(file, "whole run", thread, 1, works, &threads[i].counts, NULL);
        }
    for (struct region *region = regions; region; region = region->next)
        for (struct part *part = region->parts; part; part = part->next) {
            if (part->counted_calls == 0)
                continue;
            VG_(sprintf)(thread, "%u", part->thread);
            tool_write_row(file, region->name, thread, part->calls, 1,
                           scale(part, &part->own), NULL);
            if (part->threads > 0 && !region->parts->next)
                tool_write_row(file, region->name, "others", 0, part->threads,
                               scale(part, &part->others), NULL);
        }
    if (by_code && !regions && !window)
        rfl_code_rows(put_code, file);
    if (window && !regions)
        VG_(umsg)("--window: the program has no regions, so nothing was counted\n");
    VG_(fprintf)(file, "# end\n"); /* detects a full disk, which Valgrind does not report */
    VG_(fclose)(file);
    VG_(free)(name);
}

/* ---------------- options and start ---------------- */

/* "49152,12,64" or "none". */
static Bool parse_shape(const HChar *text, struct rfl_cache_shape *shape)
{
    HChar *end;
    VG_(memset)(shape, 0, sizeof *shape);
    if (VG_(strcmp)(text, "none") == 0)
        return True;
    shape->size_bytes = VG_(strtoull10)(text, &end);
    if (*end++ != ',')
        return False;
    const ULong ways = VG_(strtoull10)(end, &end);
    if (*end++ != ',')
        return False;
    const ULong line_bytes = VG_(strtoull10)(end, &end);
    shape->ways = ways;
    shape->line_bytes = line_bytes;
    return !*end && shape->ways == ways && rfl_cache_sets(shape) > 0 &&
           (line_bytes & (line_bytes - 1)) == 0 && line_bytes >= 16 && line_bytes <= 4096;
}

static Bool process_option(const HChar *arg)
{
    static const HChar *const names[RFL_MAX_CACHES] = {"--L1=", "--L2=", "--L3="};
    for (UInt i = 0; i < RFL_MAX_CACHES; i++)
        if (VG_(strncmp)(arg, names[i], 5) == 0) {
            if (!parse_shape(arg + 5, &shapes[i]) || (i == 0 && !shapes[0].size_bytes))
                VG_(fmsg_bad_option)
            (arg,
             "must be SIZE,WAYS,LINE in bytes, a whole number of sets, lines "
             "of a power of two%s\n",
             i ? ", or none" : "");
            return True;
        }
    return VG_STR_CLO(arg, "--out-file", out_file) ||
                   VG_BOOL_CLO(arg, "--by-code", by_code) ||
                   VG_BINT_CLO(arg, "--window", window, 1, 1000000000)
               ? True
               : False;
}

static void print_usage(void)
{
    VG_(printf)
    ("    --out-file=FILE           where the counts go; %%p is the process [%s]\n"
     "    --by-code=no|yes          rows of functions and loops, too [no]\n"
     "    --window=N                count each region's first N calls on each thread, for "
     "all\n"
     "    --L1=SIZE,WAYS,LINE       the first cache, in bytes [this machine's]\n"
     "    --L2=SIZE,WAYS,LINE|none  the second, as the first a thread's own\n"
     "    --L3=SIZE,WAYS,LINE|none  the third, of all threads together\n",
     out_file);
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void cpuid(UInt leaf, UInt index, UInt r[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
                     : "0"(leaf), "2"(index));
}

/*
 * Finds this machine's data and unified caches: leaf 4, or on AMD and Hygon 8000001d, with the same fields.
 * Old CPUs and some virtual machines lack it: beyond its last leaf a CPU returns that one.
 */
static void find_caches(void)
{
    UInt r[4], leaf = 4, last;
    cpuid(0, 0, r);
    last = r[0];
    if (last >= 7) {
        cpuid(7, 0, r);
        has_avx512 = r[1] >> 16 & 1;
        cpuid(0, 0, r);
    }
    if (r[1] == 0x68747541 || r[1] == 0x6f677948) /* "Auth"enticAMD, "Hygo"nGenuine */
        leaf = 0x8000001d;
    cpuid(leaf & 0x80000000, 0, r);
    last = r[0];
    for (UInt i = 0; i < 16 && last >= leaf; i++) {
        cpuid(leaf, i, r);
        UInt kind = r[0] & 31, level = r[0] >> 5 & 7;
        if (kind == 0)
            break;
        if (kind == 2 || level < 1 || level > RFL_MAX_CACHES) /* 2: instructions */
            continue;
        struct rfl_cache_shape *shape = &shapes[level - 1];
        shape->line_bytes = (r[1] & 4095) + 1;
        shape->ways = (r[1] >> 22) + 1;
        shape->size_bytes = (ULong)shape->ways * ((r[1] >> 12 & 1023) + 1) *
                            shape->line_bytes * ((ULong)r[2] + 1);
    }
}

static void post_clo_init(void)
{
    if (!shapes[0].size_bytes)
        VG_(fmsg_bad_option)("--L1", "is needed: this CPU does not tell its caches\n");
    for (UInt i = 1; i < RFL_MAX_CACHES; i++)
        if (shapes[i].size_bytes &&
            (!shapes[i - 1].size_bytes || shapes[i].line_bytes != shapes[0].line_bytes))
            VG_(fmsg_bad_option)
    (levels[i], "needs the cache before it, with lines of the same size\n");
    touched = VG_(calloc)("rfl.touched", N_PIECES, sizeof *touched);
    threads = VG_(calloc)("rfl.threads", VG_N_THREADS, sizeof *threads);
    VG_(atfork)(NULL, NULL, forget_counts);
}

static void pre_clo_init(void)
{
    VG_(details_name)("roofline");
    VG_(details_version)(NULL);
    VG_(details_description)("counts operations and bytes by region");
    VG_(details_copyright_author)("BSD-3-Clause; linked with Valgrind, GPL-2.0-or-later");
    VG_(details_bug_reports_to)("its authors");
    VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
    VG_(needs_client_requests)(handle_request);
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
    VG_(track_start_client_code)(start_client_code);
    /* Keeps loads whose result is overwritten before it is read. */
    VG_(clo_vex_control).iropt_register_updates_default = VG_(clo_px_file_backed) =
        VexRegUpdAllregsAtMemAccess;
    find_caches();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
