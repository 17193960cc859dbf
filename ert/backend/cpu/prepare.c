/* prepare: one case of the CPU backend: its kernel, threads and arrays, and a first pass. */
#include "ert/backend/cpu/compute.h"
#include "ert/backend/cpu/session.h"
#include "ert/base/clock.h"

#include <inttypes.h>
#include <string.h>

static bool is_power_of_two(uint32_t value)
{
    return value && (value & (value - 1)) == 0;
}

/* A kernel without vectors; the clock is looked at with the best instruction set's chain. */
static enum ert_status find_scalar(struct ert_session *session,
                                   const struct ert_case *case_, struct ert_error *error)
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    const struct ert_cpu_scalar *list;
    size_t n = ert_cpu_scalar_list(case_->kernel, &list);
    if (case_->variant >= n ||
        ert_cpu_usable_isas(&session->device, ERT_KERNEL_load, isas) == 0)
        return ert_fail(error, ERT_USAGE, "cpu: %s: variant %u of %zu",
                        ert_kernel_row(case_->kernel)->name, case_->variant, n);
    session->isa = isas[0];
    session->scalar = &list[case_->variant];
    session->kernel = session->scalar->kernel;
    return ERT_OK;
}

static enum ert_status find_kernel(struct ert_session *session,
                                   const struct ert_case *case_, struct ert_error *error)
{
    struct ert_cpu_choice choices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(case_->kernel);
    size_t n = ert_cpu_choices(&session->device, case_->kernel, choices);
    session->scalar = NULL;
    if (ert_cpu_is_scalar(case_->kernel))
        return find_scalar(session, case_, error);
    if (case_->variant >= n)
        return ert_fail(error, ERT_USAGE, "cpu: %s: variant %u of %zu", row->name,
                        case_->variant, n);
    session->isa = choices[case_->variant].isa;
    session->way = choices[case_->variant].way;
    session->kernel =
        session->way ? session->way->kernel : session->isa->kernels[case_->kernel];
    int refused = session->isa->enable ? session->isa->enable() : 0;
    if (refused)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cpu: %s: the system refuses the registers of %s: %s", row->name,
                        session->isa->name, strerror(refused));
    if (row->class_ != ERT_CLASS_MIXED)
        return ERT_OK;
    uint32_t flops = case_->flops_per_element;
    if (!is_power_of_two(flops) || flops >> ERT_N_MIXED_FLOPS)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %u flops per element, must be a power of two up to %u",
                        row->name, flops, 1u << (ERT_N_MIXED_FLOPS - 1));
    session->kernel = session->isa->mixed[__builtin_ctz(flops)];
    return ERT_OK;
}

/* Elements per array and thread: what is asked for, down to whole granules. */
static enum ert_status size_arrays(struct ert_session *session,
                                   const struct ert_case *case_, struct ert_error *error)
{
    const struct ert_kernel *row = ert_kernel_row(case_->kernel);
    uint64_t max_bytes = session->options.working_set_max_bytes;
    size_t granule =
        row->class_ == ERT_CLASS_MIXED ? session->isa->mixed_granule : ERT_CPU_GRANULE;
    uint64_t step_bytes = (uint64_t)session->n_threads * ert_kernel_arrays(case_->kernel) *
                          granule * ert_type_bytes(row->type);
    if (case_->to == 0 && case_->working_set_bytes > max_bytes)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: working set of %" PRIu64
                        " bytes, must be at most %" PRIu64
                        ", for which the session was opened",
                        row->name, case_->working_set_bytes, max_bytes);
    if (case_->working_set_bytes < step_bytes)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: working set of %" PRIu64
                        " bytes, must be at least %" PRIu64 " (%u threads)",
                        row->name, case_->working_set_bytes, step_bytes,
                        session->n_threads);
    session->elements = case_->working_set_bytes / step_bytes * granule;
    uint64_t share_max = ert_cpu_memory_share_max(session->arrays, session->n_threads);
    uint64_t share =
        case_->working_set_bytes / step_bytes * (step_bytes / session->n_threads);
    if (share > share_max)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %" PRIu64
                        " bytes for each of %u threads, must be at most "
                        "%" PRIu64 ", for which the session was opened",
                        row->name, share, session->n_threads, share_max);
    return ERT_OK;
}

/* Who works: as many threads as the case says. */
static enum ert_status choose_threads(struct ert_session *session,
                                      const struct ert_case *case_, struct ert_error *error)
{
    uint32_t n = case_->concurrency ? case_->concurrency : session->n_ordinary;
    if (case_->from || case_->to)
        return ert_cpu_place_choose(session, case_, error);
    if (ert_kernel_row(case_->kernel)->class_ == ERT_CLASS_LATENCY)
        n = 1; /* a chain of loads has nothing for a second one */
    if (n > session->n_planned)
        return ert_fail(
            error, ERT_USAGE,
            "cpu: %s: %u threads, must be at most %u, for which the session was "
            "opened",
            ert_kernel_row(case_->kernel)->name, n, session->n_planned);
    ert_cpu_team_choose(session->team, n, NULL);
    session->arrays = &session->memory;
    session->n_threads = n;
    return ERT_OK;
}

static void set_sweep(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    struct ert_cpu_arrays arrays =
        ert_cpu_memory_arrays(session->arrays, thread, session->n_threads,
                              session->elements, ert_kernel_arrays(session->case_.kernel));
    /*
     * b - a*x = x + 2^-48: counts the operations. One flop per element is b - x: there and
     * back.
     */
    bool single = session->case_.flops_per_element == 1;
    part->sweep = (struct ert_cpu_sweep){.w = arrays.w,
                                         .r1 = arrays.r1,
                                         .r2 = arrays.r2,
                                         .elements = session->elements,
                                         .stride_bytes = session->case_.stride_bytes,
                                         .a = -1,
                                         .b = single ? 1 : ERT_CPU_PATTERN_UNIT,
                                         .chains = part->chains};
}

static void prepare_part(void *context, uint32_t thread)
{
    struct ert_session *session = context;
    struct ert_cpu_part *part = &session->parts[thread];
    if (ert_kernel_row(session->case_.kernel)->class_ == ERT_CLASS_ERT110) {
        ert_cpu_ert110_init(session, thread);
    } else {
        set_sweep(session, thread);
        ert_cpu_init_target(session, thread);
    }
    ert_cpu_team_barrier(session->team);
    part->passes = 0;
    part->begin_s = ert_clock_now_s();
    ert_cpu_run_passes(session, thread, 1);
    part->end_s = ert_clock_now_s();
}

static struct ert_work work_of(const struct ert_session *session)
{
    enum ert_kernel_id kernel = session->case_.kernel;
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ert_work work = {.threads = session->n_threads};
    if (row->class_ == ERT_CLASS_COMPUTE) {
        work.flops_per_pass =
            ert_cpu_compute_operations(session->isa, kernel) * session->n_threads;
        return work;
    }
    double elements = (double)session->elements * session->n_threads;
    uint32_t flops =
        row->class_ == ERT_CLASS_MIXED ? session->case_.flops_per_element : row->flops;
    if (session->way && session->way->rotated)
        flops = 0;
    work.working_set_bytes = (uint64_t)session->elements * session->n_threads *
                             ert_kernel_arrays(kernel) * ert_type_bytes(row->type);
    if (session->scalar) {
        session->scalar->count(session, &work);
        return work;
    }
    work.bytes_per_pass = elements * (double)ert_kernel_bytes_per_element(kernel);
    work.flops_per_pass = elements * flops;
    return work;
}

enum ert_status ert_cpu_prepare(struct ert_session *session, const struct ert_case *case_,
                                struct ert_work *work, struct ert_error *error)
{
    enum ert_kernel_class class_ = ert_kernel_row(case_->kernel)->class_;
    session->prepared = false;
    session->way = NULL;
    if (class_ == ERT_CLASS_ERT110) {
        ERT_TRY(ert_cpu_ert110_prepare(session, case_, work, error));
    } else {
        ERT_TRY(find_kernel(session, case_, error));
        ERT_TRY(choose_threads(session, case_, error));
        session->elements = 0;
    }
    if (class_ != ERT_CLASS_COMPUTE && class_ != ERT_CLASS_ERT110)
        ERT_TRY(size_arrays(session, case_, error));
    session->case_ = *case_;
    if (class_ == ERT_CLASS_ACCESS)
        ERT_TRY(ert_cpu_access_prepare(session, error));
    ERT_TRY(ert_cpu_team_run(session->team, prepare_part, session, error));
    session->pass_time_s = ert_cpu_fastest_time_s(session);
    session->prepared = true;
    if (class_ != ERT_CLASS_ERT110)
        *work = work_of(session);
    return ERT_OK;
}
