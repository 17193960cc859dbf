/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu: the OpenMP backend: one thread per core by default, a variant per instruction set. This file lists
 * the variants to run a kernel, opens sessions, and prepares specs; time.c times them. Its kernels are
 * those of isa.h and those in their own files.
 */
#include "ert/core/backend/cpu/compute.h"
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/file.h"
#include "ert/core/base/units.h"
#include "ert/core/machine/discover.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *cpu_unavailable(char *reason, size_t size)
{
    (void)reason, (void)size;
    return ert_cpu_isas[0] ? NULL : "this build has no kernels for this CPU architecture";
}

static enum ert_status cpu_discover(struct ert_machine *machine, struct ert_error *error)
{
    return ert_discover_host(NULL, machine, error);
}

/* A compute kernel of fused multiply-adds needs them in hardware. */
static bool needs_fused(enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return row->kind == ERT_KIND_COMPUTE && strncmp(row->op, "fma", 3) == 0;
}

size_t ert_cpu_usable_isas(const struct ert_device *device, enum ert_kernel_id kernel,
                           const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS])
{
    size_t n = 0;
    for (size_t i = 0; ert_cpu_isas[i]; i++)
        if (ert_cpu_isas[i]->variants[kernel] &&
            ert_cpu_isas[i]->available(&device->cpu.isa) && /* may open a library */
            (ert_cpu_isas[i]->fused || !needs_fused(kernel)))
            isas[n++] = ert_cpu_isas[i];
    return n;
}

/* By kernel; NULL for GPU kernels. A row without its file does not link. */
#define ERT_KERNEL_GPU(...)
#define ERT_OF_OWN(id, ...) extern const struct ert_cpu_kind ert_cpu_own_##id;
#include "ert/core/kernels/kernels.def"
static const struct ert_cpu_kind *const kinds[ERT_N_KERNELS] = {
#define ERT_KERNEL_GPU(...)
#define ERT_OF_MEMORY(id, ...)  [ERT_KERNEL_##id] = &ert_cpu_of_arrays,
#define ERT_OF_COMPUTE(id, ...) [ERT_KERNEL_##id] = &ert_cpu_of_chains,
#define ERT_OF_OWN(id, ...)     [ERT_KERNEL_##id] = &ert_cpu_own_##id,
#include "ert/core/kernels/kernels.def"
};

/* A variant of a kernel. */
struct choice {
    const struct ert_cpu_isa *isa;
    const struct ert_cpu_variant *variant;
};

/* The choices for a kernel on this device in the order of the variants; returns how many. */
static size_t choices_of(const struct ert_device *device, enum ert_kernel_id kernel,
                         struct choice choices[ERT_MAX_VARIANTS])
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    const struct ert_cpu_variant *own = kinds[kernel] ? kinds[kernel]->variants : NULL;
    size_t n = 0,
           n_isas = ert_cpu_usable_isas(device, own ? ERT_KERNEL_load : kernel, isas);
    n_isas = own && n_isas ? 1 : n_isas;
    for (size_t i = 0; i < n_isas; i++)
        for (const struct ert_cpu_variant *variant = own ? own : isas[i]->variants[kernel];
             variant->name; variant++)
            if (!variant->available || variant->available(&device->cpu.isa))
                choices[n++] = (struct choice){isas[i], variant};
    return n;
}

/* "avx2 ascending x4", "avx2, 2 passes at once"; for a kernel in its own file "8 B". */
static void name_variant(const struct choice *choice, enum ert_kernel_id kernel, char *name,
                         size_t size)
{
    const char *isa = kinds[kernel]->variants ? "" : choice->isa->name;
    bool has_both = *isa && *choice->variant->name;
    snprintf(name, size, "%s%s%s", isa,
             !has_both                 ? ""
             : choice->variant->passes ? ", "
                                       : " ",
             choice->variant->name);
}

/* The function of a choice; ERT_USAGE if it has none for the spec's flops. */
static enum ert_status cpu_find_function(const struct choice *choice,
                                         const struct ert_spec *spec,
                                         ert_cpu_kernel **function, struct ert_error *error)
{
    uint32_t flops = spec->flops_per_element;
    *function = choice->variant->kernel;
    if (!choice->variant->by_flops)
        return ERT_OK;
    if (flops == 0 || (flops & (flops - 1)) != 0 || flops >> ERT_N_MIXED_FLOPS)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %u flops per element, must be a power of two up to %u",
                        ert_kernel_row(spec->kernel)->name, flops,
                        1u << (ERT_N_MIXED_FLOPS - 1));
    *function = choice->variant->by_flops[__builtin_ctz(flops)];
    return ERT_OK;
}

/* Why no table has a kernel for this CPU. */
static void say_missing(const struct ert_isa *isa, enum ert_kernel_id kernel, char *reason,
                        size_t size)
{
    const struct ert_cpu_need *need = ert_cpu_needs;
    if (ert_kernel_row(kernel)->limits & ERT_LIBRARY) {
        snprintf(reason, size, "%s: none is where the loader finds it",
                 ert_kernel_row(kernel)->purpose);
        return;
    }
    snprintf(reason, size, "no instruction set that this CPU and this build share %s",
             needs_fused(kernel) ? "has a fused multiply-add" : "has this operation");
    for (; need->feature; need++) {
        if (need->kernel != kernel)
            continue;
        if (*((const bool *)isa + need->flag)) {
            snprintf(reason, size,
                     "this CPU has %s, but the compiler of this build lacks it",
                     need->feature);
            return;
        }
        snprintf(reason, size, "this CPU, or its system, does not have %s", need->feature);
    }
}

static size_t cpu_variants(const struct ert_device *device,
                           const struct ert_session_options *options,
                           enum ert_kernel_id kernel, enum ert_path path,
                           struct ert_variant variants[ERT_MAX_VARIANTS], char *reason,
                           size_t size)
{
    struct choice choices[ERT_MAX_VARIANTS];
    const struct ert_cpu_kind *kind = kinds[kernel];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    if (!kind) {
        snprintf(reason, size, "%s is a kernel for GPUs", row->name);
        return 0;
    }
    if (path != (ert_kernel_has_set(kernel) ? ERT_PATH_CACHED : ERT_PATH_NONE)) {
        snprintf(reason, size, "a CPU has no path '%s' for %s", ert_path_name(path),
                 row->name);
        return 0;
    }
    size_t n = choices_of(device, kernel, choices);
    if (n == 0 && kind->variants)
        snprintf(reason, size, "no instruction set that this CPU and this build share");
    else if (n == 0)
        say_missing(&device->cpu.isa, kernel, reason, size);
    for (size_t i = 0; i < n; i++) {
        variants[i] =
            (struct ert_variant){.threads = ert_context_threads(device, options->threads)};
        if (kind->is_one_thread)
            variants[i].threads = 1;
        if (kind->call_passes) /* as many as the spec says */
            variants[i].threads = 0;
        name_variant(&choices[i], kernel, variants[i].name, sizeof variants[i].name);
        if (!kind->variants)
            snprintf(variants[i].isa, sizeof variants[i].isa, "%s", choices[i].isa->name);
    }
    return n;
}

/* Both R and W are touched: twice the largest set. */
static enum ert_status check_memory(const struct ert_device *device, uint64_t set_max_bytes,
                                    char *notes, size_t size, struct ert_error *error)
{
    uint64_t limit = device->cpu.memory_limit_bytes;
    uint64_t available = device->cpu.memory_available_bytes;
    const struct ert_text need = ert_units_capacity(2 * set_max_bytes);
    if (limit && set_max_bytes > limit / 2)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "cpu: arrays for the largest working set need %s, the cgroup's limit is %s",
            need.text, ert_units_capacity(limit).text);
    if (available && set_max_bytes > available / 2)
        ert_append(notes, size, "arrays need up to %s, %s are reported as available",
                   need.text, ert_units_capacity(available).text);
    return ERT_OK;
}

/* The bytes of the chains of the table with the most. */
static size_t most_chains_bytes(void)
{
    size_t bytes = 0;
    for (size_t i = 0; ert_cpu_isas[i]; i++) {
        size_t needed = ert_cpu_chains_bytes(ert_cpu_isas[i]);
        bytes = needed > bytes ? needed : bytes;
    }
    return (bytes + 127) / 128 * 128;
}

static enum ert_status allocate_parts(struct ert_session *session, struct ert_error *error)
{
    size_t parts_bytes = session->n_planned * sizeof *session->parts;
    session->parts = aligned_alloc(128, parts_bytes);
    session->window_passes = calloc(session->n_planned, sizeof *session->window_passes);
    session->cpus = calloc(session->n_planned, sizeof *session->cpus);
    if (!session->parts || !session->window_passes || !session->cpus)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads",
                        session->n_planned);
    memset(session->parts, 0, parts_bytes);
    for (uint32_t i = 0; i < session->n_planned; i++) {
        struct ert_cpu_part *part = &session->parts[i];
        part->chains = aligned_alloc(128, most_chains_bytes());
        part->operands = aligned_alloc(128, ERT_CPU_OPERANDS_BYTES);
        if (!part->chains || !part->operands)
            return ert_fail(error, ERT_FAILED, "cpu: no memory for %u threads",
                            session->n_planned);
    }
    return ERT_OK;
}

/*
 * W is touched, too: otherwise the first spec might let other threads than the owner touch a slice first, and
 * one thread all of it (a guest whose memory grows as it is used takes 3 s a GiB and thread).
 */
static void fill_part(void *context, uint32_t thread)
{
    const struct ert_session *session = context;
    ert_cpu_fill_source(session, &session->memory, thread);
    ert_cpu_memory_touch(&session->memory, thread);
}

/* Arrays are in large pages where the kernel has them; small ones lower L2 and memory bandwidth. */
static void note_pages(char *notes, size_t size)
{
    char setting[64];
    ert_file_first_line(setting, sizeof setting,
                        "/sys/kernel/mm/transparent_hugepage/enabled");
    if (strstr(setting, "[never]"))
        ert_append(notes, size, "%stransparent huge pages are switched off",
                   *notes ? "; " : "");
}

static void cpu_close_session(struct ert_session *session)
{
    if (!session)
        return;
    for (uint32_t i = 0; session->parts && i < session->n_planned; i++) {
        free(session->parts[i].chains);
        free(session->parts[i].operands);
    }
    free(session->parts);
    free(session->window_passes);
    free(session->cpus);
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (kinds[k] && kinds[k]->close)
            kinds[k]->close(session);
    ert_cpu_place_close(&session->place);
    ert_cpu_memory_close(&session->memory);
    ert_cpu_team_close(session->team);
    free(session);
}

static enum ert_status cpu_fill(struct ert_session *session, char *notes, size_t size,
                                struct ert_error *error)
{
    uint64_t max_bytes = session->options.working_set_max_bytes;
    char note[128] = "";
    ERT_TRY(check_memory(&session->device, max_bytes, notes, size, error));
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (kinds[k] && kinds[k]->open)
            ERT_TRY(kinds[k]->open(session, error));
    ERT_TRY(
        ert_cpu_team_open(session->n_planned, &session->team, note, sizeof note, error));
    if (*note)
        ert_append(notes, size, "%s%s", *notes ? "; " : "", note);
    ERT_TRY(ert_cpu_memory_open(max_bytes, session->n_ordinary, session->n_planned,
                                &session->memory, error));
    ERT_TRY(allocate_parts(session, error));
    ert_cpu_pattern_make(&session->pattern, session->options.seed);
    ert_cpu_team_choose(session->team, session->n_ordinary, NULL);
    ERT_TRY(ert_cpu_team_run(session->team, fill_part, session, error));
    ert_cpu_memory_join_prefixes(&session->memory);
    note_pages(notes, size);
    return ERT_OK;
}

static enum ert_status cpu_open_session(const struct ert_device *device,
                                        const struct ert_session_options *options,
                                        struct ert_session **session, char *notes,
                                        size_t size, struct ert_error *error)
{
    notes[0] = '\0';
    struct ert_session *new = calloc(1, sizeof *new);
    if (!new)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for a session");
    ert_activity_usable(&new->usable);
    new->device = *device;
    new->options = *options;
    new->n_threads = new->n_ordinary = new->n_planned =
        ert_context_threads(device, options->threads);
    if (options->max_threads > new->n_planned)
        new->n_planned = options->max_threads;
    enum ert_status status = cpu_fill(new, notes, size, error);
    if (status != ERT_OK) {
        cpu_close_session(new);
        return status;
    }
    *session = new;
    return ERT_OK;
}

static enum ert_status cpu_find_kernel(struct ert_session *session,
                                       const struct ert_spec *spec, struct ert_error *error)
{
    struct choice choices[ERT_MAX_VARIANTS];
    const char *name = ert_kernel_row(spec->kernel)->name;
    size_t n = choices_of(&session->device, spec->kernel, choices);
    if (spec->variant >= n)
        return ert_fail(error, ERT_USAGE, "cpu: %s: variant %u of %zu", name, spec->variant,
                        n);
    const struct choice *choice = &choices[spec->variant];
    session->kind = kinds[spec->kernel];
    session->isa = choice->isa;
    session->variant = choice->variant;
    name_variant(choice, spec->kernel, session->variant_name, sizeof session->variant_name);
    int refused = session->isa->enable ? session->isa->enable() : 0;
    if (refused)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cpu: %s: the system refuses the registers of %s: %s", name,
                        session->isa->name, strerror(refused));
    return cpu_find_function(choice, spec, &session->kernel, error);
}

/* Sets the elements per array and thread: the requested set, rounded down. */
enum ert_status ert_cpu_size_arrays(struct ert_session *session, struct ert_error *error)
{
    const struct ert_spec *spec = &session->spec;
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    uint64_t max_bytes = session->options.working_set_max_bytes;
    uint64_t step_bytes = (uint64_t)session->n_threads * ERT_CPU_MULTIPLE *
                          ert_kernel_set_bytes_per_element(spec->kernel);
    if (spec->to == 0 && spec->requested_bytes > max_bytes)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: working set of %" PRIu64
                        " bytes, must be at most %" PRIu64
                        ", for which the session was opened",
                        row->name, spec->requested_bytes, max_bytes);
    if (spec->requested_bytes < step_bytes)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: working set of %" PRIu64
                        " bytes, must be at least %" PRIu64 " (%u threads)",
                        row->name, spec->requested_bytes, step_bytes, session->n_threads);
    session->elements = spec->requested_bytes / step_bytes * ERT_CPU_MULTIPLE;
    uint64_t share_max = ert_cpu_memory_share_max(session->arrays, session->n_threads);
    uint64_t share = spec->requested_bytes / step_bytes * (step_bytes / session->n_threads);
    if (share > share_max)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %" PRIu64
                        " bytes for each of %u threads, must be at most "
                        "%" PRIu64 ", for which the session was opened",
                        row->name, share, session->n_threads, share_max);
    return ERT_OK;
}

/* Selects the threads: as many as the spec says, or those on the cores of a kind. */
static enum ert_status choose_threads(struct ert_session *session,
                                      const struct ert_spec *spec, struct ert_error *error)
{
    uint32_t n = spec->concurrency ? spec->concurrency : session->n_ordinary;
    /* A kernel of one thread has a concurrency, 1, and may also have a node. */
    if ((spec->from || spec->to) && spec->concurrency && !session->kind->is_one_thread)
        return ert_fail(
            error, ERT_USAGE,
            "cpu: %s: %u threads and a package or a NUMA node exclude each other",
            ert_kernel_row(spec->kernel)->name, spec->concurrency);
    if (spec->to)
        return ert_cpu_place_choose(session, spec, error);
    session->arrays = &session->memory;
    if (session->kind->is_one_thread)
        n = 1;
    if (n > session->n_planned)
        return ert_fail(
            error, ERT_USAGE,
            "cpu: %s: %u threads, must be at most %u, for which the session was "
            "opened",
            ert_kernel_row(spec->kernel)->name, n, session->n_planned);
    ert_cpu_team_choose(session->team, n, NULL);
    session->n_threads = n;
    return ERT_OK;
}

static void set_sweep(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    struct ert_cpu_arrays arrays = {0};
    if (session->arrays)
        arrays = ert_cpu_memory_arrays(session->arrays, thread, session->n_threads,
                                       session->elements,
                                       ert_kernel_arrays(session->spec.kernel));
    part->sweep = (struct ert_cpu_sweep){.w = arrays.w,
                                         .r1 = arrays.r1,
                                         .r2 = arrays.r2,
                                         .elements = session->elements,
                                         .a = ERT_TARGET_A,
                                         .b = ERT_TARGET_B,
                                         .chains = part->chains};
}

/*
 * Whether a pass leaves in the caches what the next one finds there. Of a set that is twice as large as they
 * are it does not, and each sample in memory would take half as long again.
 */
static bool cpu_passes_warm(const struct ert_session *session)
{
    const struct ert_device *device = &session->device;
    double cache = 0, set = (double)session->elements * session->n_threads *
                            (double)ert_kernel_set_bytes_per_element(session->spec.kernel);
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_CACHE)
            cache = fmax(cache, (double)ert_level_total_bytes(&device->levels[i]));
    return session->kind->is_one_thread || cache == 0 || set < 2 * cache;
}

static void prepare_part(void *context, uint32_t thread)
{
    struct ert_session *session = context;
    struct ert_cpu_part *part = &session->parts[thread];
    set_sweep(session, thread);
    if (session->kind->init)
        session->kind->init(session, thread);
    ert_cpu_team_barrier(session->team);
    part->passes = 0;
    part->begin_s = ert_clock_now_s();
    part->end_s = INFINITY; /* unknown: a window looks at the clock after each pass */
    if (!cpu_passes_warm(session))
        return;
    ert_cpu_run_passes(session, thread, 1);
    part->end_s = ert_clock_now_s();
}

void ert_cpu_count_arrays(const struct ert_session *session, struct ert_work *work)
{
    enum ert_kernel_id kernel = session->spec.kernel;
    double elements = (double)session->elements * session->n_threads;
    uint32_t flops = session->variant->by_flops ? session->spec.flops_per_element
                                                : ert_kernel_row(kernel)->flops;
    work->actual_bytes = (uint64_t)session->elements * session->n_threads *
                         ert_kernel_set_bytes_per_element(kernel);
    work->bytes_per_pass = elements * (double)ert_kernel_bytes_per_element(kernel);
    work->flops_per_pass = session->variant->rotated ? 0 : elements * flops;
}

enum ert_status ert_cpu_prepare(struct ert_session *session, const struct ert_spec *spec,
                                struct ert_work *work, struct ert_error *error)
{
    session->prepared = false;
    ERT_TRY(cpu_find_kernel(session, spec, error));
    ERT_TRY(choose_threads(session, spec, error));
    session->spec = *spec;
    session->elements = 0;
    if (session->kind->size)
        ERT_TRY(session->kind->size(session, error));
    ERT_TRY(ert_cpu_team_run(session->team, prepare_part, session, error));
    session->pass_time_s = ert_cpu_fastest_time_s(session);
    session->prepared = true;
    *work = (struct ert_work){.threads = session->n_threads};
    session->kind->count(session, work);
    return ERT_OK;
}

/* Function pointers and data pointers have one representation in POSIX (dlsym). */
static void set_function(ert_cpu_kernel *function, struct ert_code *code)
{
    memcpy(&code->function, &function, sizeof code->function);
}

static enum ert_status code_of(const struct ert_device *device, const struct ert_spec *spec,
                               struct ert_code *code, struct ert_error *error)
{
    struct choice choices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    size_t n = choices_of(device, spec->kernel, choices);
    if (spec->variant >= n)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: variant %u of %zu in this build",
                        row->name, spec->variant, n);
    const struct ert_cpu_isa *isa = choices[spec->variant].isa;
    const struct ert_cpu_variant *variant = choices[spec->variant].variant;
    ert_cpu_kernel *function;
    *code = (struct ert_code){.vector_bytes = variant->access_bytes
                                                  ? variant->access_bytes
                                                  : (uint32_t)isa->vector_bytes,
                              .vectors = variant->vectors,
                              .prefetches = variant->prefetches,
                              .passes = variant->passes,
                              .is_moves = variant->rotated > 0,
                              .is_fused = isa->fused};
    if (code->vector_bytes == 0) /* one number at a time */
        code->vector_bytes = (uint32_t)ert_type_bytes(row->type);
    if (row->kind == ERT_KIND_COMPUTE)
        code->chains = (uint32_t)ert_cpu_chains(isa, spec->kernel);
    if (variant->passes)
        code->flops = spec->flops_per_element;
    ERT_TRY(cpu_find_function(&choices[spec->variant], spec, &function, error));
    set_function(function, code);
    return ERT_OK;
}

const struct ert_backend ert_backend_cpu = {
    .name = "cpu",
    .summary = "cores of this machine, with OpenMP",
    .disassembler = "objdump",
    .unavailable = cpu_unavailable,
    .discover = cpu_discover,
    .variants = cpu_variants,
    .open = cpu_open_session,
    .observe = ert_cpu_observe,
    .prepare = ert_cpu_prepare,
    .time = ert_cpu_time,
    .window = ert_cpu_window,
    .verify = ert_cpu_verify,
    .sustain = ert_cpu_sustain,
    .close = cpu_close_session,
    .code = code_of,
};
