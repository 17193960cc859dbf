/*
 * cpu: the OpenMP backend: one thread per core by default, a variant per instruction set.
 * A case is prepared in prepare.c and timed in time.c; its kernels are isa.h.
 */
#include "ert/backend/cpu/compute.h"
#include "ert/backend/cpu/session.h"
#include "ert/base/units.h"
#include "ert/machine/context.h"
#include "ert/machine/discover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *unavailable(char *reason, size_t size)
{
    (void)reason, (void)size;
    return ert_cpu_isas[0] ? NULL : "this build has no kernels for this CPU architecture";
}

static enum ert_status discover(struct ert_machine *machine, struct ert_error *error)
{
    return ert_discover_host(NULL, machine, error);
}

/* A compute kernel of fused multiply-adds needs them in hardware. */
static bool needs_fused(enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return row->class_ == ERT_CLASS_COMPUTE && strncmp(row->op, "fma", 3) == 0;
}

size_t ert_cpu_usable_isas(const struct ert_device *device, enum ert_kernel_id kernel,
                           const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS])
{
    size_t n = 0;
    for (size_t i = 0; ert_cpu_isas[i]; i++)
        if (ert_cpu_isas[i]->available(&device->cpu.isa) &&
            (ert_cpu_isas[i]->kernels[kernel] || ert_cpu_isas[i]->ways[kernel]) &&
            (ert_cpu_isas[i]->fused || !needs_fused(kernel)))
            isas[n++] = ert_cpu_isas[i];
    return n;
}

size_t ert_cpu_choices(const struct ert_device *device, enum ert_kernel_id kernel,
                       struct ert_cpu_choice choices[ERT_MAX_VARIANTS])
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    size_t n = 0, n_isas = ert_cpu_usable_isas(device, kernel, isas);
    for (size_t i = 0; i < n_isas; i++) {
        const struct ert_cpu_way *way = isas[i]->ways[kernel];
        if (!way)
            choices[n++] = (struct ert_cpu_choice){.isa = isas[i]};
        for (; way && way->name; way++)
            choices[n++] = (struct ert_cpu_choice){isas[i], way};
    }
    return n;
}

/* Why no table has a kernel for this CPU. */
static void say_missing(const struct ert_isa *isa, enum ert_kernel_id kernel, char *reason,
                        size_t size)
{
    const struct ert_cpu_need *need = ert_cpu_needs;
    snprintf(reason, size, "no instruction set that this CPU and this build share %s",
             needs_fused(kernel) ? "has a fused multiply-add" : "has this operation");
    for (; need->feature; need++) {
        if (need->kernel != kernel)
            continue;
        if (*((const bool *)isa + need->flag)) {
            snprintf(reason, size,
                     "this CPU has %s, but the compiler of this build has not",
                     need->feature);
            return;
        }
        snprintf(reason, size, "this CPU, or its system, does not have %s", need->feature);
    }
}

static uint32_t threads_wanted(const struct ert_device *device,
                               const struct ert_session_options *options)
{
    return ert_context_threads(device, options->threads);
}

/* Kernels without vectors: one way per access size, the same on every instruction set. */
static size_t scalar_variants(const struct ert_device *device,
                              const struct ert_session_options *options,
                              enum ert_kernel_id kernel,
                              struct ert_variant variants[ERT_MAX_VARIANTS], char *reason,
                              size_t size)
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    const struct ert_cpu_scalar *list;
    bool is_latency = ert_kernel_row(kernel)->class_ == ERT_CLASS_LATENCY;
    if (ert_cpu_usable_isas(device, ERT_KERNEL_load, isas) == 0) {
        snprintf(reason, size, "no instruction set that this CPU and this build share");
        return 0;
    }
    size_t n = ert_cpu_scalar_list(kernel, &list);
    for (size_t i = 0; i < n; i++) {
        variants[i] = (struct ert_variant){
            .threads = is_latency ? 1 : threads_wanted(device, options)};
        snprintf(variants[i].name, sizeof variants[i].name, "%s", list[i].name);
    }
    return n;
}

static size_t variants(const struct ert_device *device,
                       const struct ert_session_options *options, enum ert_kernel_id kernel,
                       enum ert_path path, struct ert_variant variants[ERT_MAX_VARIANTS],
                       char *reason, size_t size)
{
    struct ert_cpu_choice choices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    bool computes = row->class_ == ERT_CLASS_COMPUTE;
    if (!ert_kernel_on_cpu(kernel)) {
        snprintf(reason, size, "%s is a kernel of GPUs", row->name);
        return 0;
    }
    if (path != (computes ? ERT_PATH_NONE : ERT_PATH_CACHED)) {
        snprintf(reason, size, "a CPU has no path '%s' for %s", ert_path_name(path),
                 row->name);
        return 0;
    }
    size_t n = ert_cpu_choices(device, kernel, choices);
    if (ert_cpu_is_scalar(kernel))
        return scalar_variants(device, options, kernel, variants, reason, size);
    if (row->class_ == ERT_CLASS_ERT110 && n > 0)
        return ert_cpu_ert110_variants(device, kernel, variants);
    if (n == 0)
        say_missing(&device->cpu.isa, kernel, reason, size);
    for (size_t i = 0; i < n; i++) {
        variants[i] = (struct ert_variant){.threads = threads_wanted(device, options)};
        const struct ert_cpu_way *way = choices[i].way;
        snprintf(variants[i].name, sizeof variants[i].name, "%s%s%s", choices[i].isa->name,
                 way ? " " : "", way ? way->name : "");
        snprintf(variants[i].isa, sizeof variants[i].isa, "%s", choices[i].isa->name);
    }
    return n;
}

/* Appends one limitation to the notes. */
static void add_note(char *notes, size_t size, const char *note)
{
    size_t used = strlen(notes);
    if (note[0] && used < size)
        snprintf(notes + used, size - used, "%s%s", used ? "; " : "", note);
}

/* R and W are both touched: twice the largest set. */
static enum ert_status check_memory(const struct ert_device *device, uint64_t set_max_bytes,
                                    char *notes, size_t size, struct ert_error *error)
{
    uint64_t limit = device->cpu.memory_limit_bytes;
    uint64_t available = device->cpu.memory_available_bytes;
    char need_text[ERT_UNITS_TEXT], text[ERT_UNITS_TEXT], note[128];
    ert_units_capacity(2 * set_max_bytes, need_text);
    if (limit && set_max_bytes > limit / 2)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "cpu: arrays for the largest working set need %s, the cgroup's limit is %s",
            need_text, ert_units_capacity(limit, text));
    if (available && set_max_bytes > available / 2) {
        snprintf(note, sizeof note, "arrays need up to %s, %s are reported as available",
                 need_text, ert_units_capacity(available, text));
        add_note(notes, size, note);
    }
    return ERT_OK;
}

/* ERT's threads touch all of it in the first case. */
static enum ert_status check_ert110_memory(const struct ert_device *device, uint64_t bytes,
                                           struct ert_error *error)
{
    uint64_t most = device->cpu.memory_available_bytes;
    uint64_t limit = device->cpu.memory_limit_bytes;
    char need_text[ERT_UNITS_TEXT], text[ERT_UNITS_TEXT];
    if (limit && (!most || limit < most))
        most = limit;
    if (!most || bytes <= most)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "cpu: ERT's memory is %s, there are %s",
                    ert_units_capacity(bytes, need_text), ert_units_capacity(most, text));
}

/* Room for the chains of any table. */
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
 * W is touched as well where there are several NUMA nodes: the case that comes first may have
 * other threads on a slice than its owner.
 */
static void fill_part(void *context, uint32_t thread)
{
    const struct ert_session *session = context;
    ert_cpu_fill_source(session, &session->memory, thread);
    if (session->device.cpu.n_numa > 1)
        ert_cpu_memory_touch(&session->memory, thread);
}

/*
 * Says where the arrays lie in small pages after all: L2 and memory bandwidth suffer from
 * it.
 */
static void note_pages(const struct ert_session *session, char *notes, size_t size)
{
    size_t all = session->memory.slice_bytes * session->memory.n_slices;
    size_t huge = ert_cpu_memory_huge_bytes(&session->memory);
    char all_text[ERT_UNITS_TEXT], huge_text[ERT_UNITS_TEXT], note[128];
    if (huge >= all)
        return;
    snprintf(note, sizeof note, "%s of %s source arrays lie in large pages",
             ert_units_capacity(huge, huge_text), ert_units_capacity(all, all_text));
    add_note(notes, size, note);
}

static void close_session(struct ert_session *session)
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
    free(session->ert110_buffer);
    ert_cpu_place_close(&session->place);
    ert_cpu_memory_close(&session->memory);
    ert_cpu_team_close(session->team);
    free(session);
}

static enum ert_status fill(struct ert_session *session, char *notes, size_t size,
                            struct ert_error *error)
{
    uint64_t max_bytes = session->options.working_set_max_bytes;
    char note[128] = "";
    ERT_TRY(check_memory(&session->device, max_bytes, notes, size, error));
    ERT_TRY(check_ert110_memory(&session->device, session->options.ert110.bytes, error));
    ERT_TRY(
        ert_cpu_team_open(session->n_planned, &session->team, note, sizeof note, error));
    add_note(notes, size, note);
    ERT_TRY(ert_cpu_memory_open(max_bytes, session->n_ordinary, session->n_planned,
                                &session->memory, error));
    ERT_TRY(allocate_parts(session, error));
    ert_cpu_pattern_make(&session->pattern, session->options.seed);
    ert_cpu_team_choose(session->team, session->n_ordinary, NULL);
    ERT_TRY(ert_cpu_team_run(session->team, fill_part, session, error));
    ert_cpu_memory_join_prefixes(&session->memory);
    note_pages(session, notes, size);
    return ERT_OK;
}

static enum ert_status open_session(const struct ert_device *device,
                                    const struct ert_session_options *options,
                                    struct ert_session **session, char *notes, size_t size,
                                    struct ert_error *error)
{
    notes[0] = '\0';
    struct ert_session *new = calloc(1, sizeof *new);
    if (!new)
        return ert_fail(error, ERT_FAILED, "cpu: no memory for a session");
    ert_activity_usable(&new->usable);
    new->device = *device;
    new->options = *options;
    new->n_threads = new->n_ordinary = new->n_planned = threads_wanted(device, options);
    if (options->max_threads > new->n_planned)
        new->n_planned = options->max_threads;
    enum ert_status status = fill(new, notes, size, error);
    if (status != ERT_OK) {
        close_session(new);
        return status;
    }
    *session = new;
    return ERT_OK;
}

const struct ert_backend ert_backend_cpu = {
    .name = "cpu",
    .summary = "cores of this machine, with OpenMP",
    .unavailable = unavailable,
    .discover = discover,
    .variants = variants,
    .open = open_session,
    .observe = ert_cpu_observe,
    .prepare = ert_cpu_prepare,
    .time = ert_cpu_time,
    .window = ert_cpu_window,
    .verify = ert_cpu_verify,
    .sustain = ert_cpu_sustain,
    .close = close_session,
    .code = ert_cpu_code,
};
