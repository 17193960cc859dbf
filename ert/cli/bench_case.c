#include "ert/cli/bench_case.h"

#include "ert/ert110/config.h"
#include "ert/ert110/ert110.h"
#include "ert/sweep/plan.h"
#include "ert/validate/replay.h"

/* The path of the words, else the first on which the device has the kernel. */
static enum ert_status find_path(const struct ert_bench_words *words,
                                 const struct ert_device *device, struct ert_case *case_,
                                 struct ert_error *error)
{
    struct ert_session_options any = {.threads = (uint32_t)words->threads};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    const struct ert_backend *backend = ert_backend_find(device->backend);
    if (words->path && !ert_path_find(words->path, &case_->path))
        return ert_fail(
            error, ERT_USAGE,
            "--path: '%.32s', must be one of cached, bypass-l1, shared, registers",
            words->path);
    for (int path = 0; !words->path; path++) {
        if (path == ERT_N_PATHS)
            return ert_fail(error, ERT_UNAVAILABLE, "%s: %s: %s", device->id,
                            ert_kernel_row(case_->kernel)->name, reason);
        case_->path = (enum ert_path)path;
        if (backend->variants(device, &any, case_->kernel, case_->path, variants, reason,
                              sizeof reason) > 0)
            break;
    }
    return ert_replay_variant(backend, device, &any, words->variant, case_, error);
}

/* Of ERT's kernels, whose launch is the user's. */
static void set_launch(const struct ert_bench_words *words, const struct ert_device *device,
                       struct ert_case *case_)
{
    if (device->kind == ERT_DEVICE_CPU) {
        uint64_t threads = words->concurrency ? words->concurrency : words->threads;
        case_->concurrency = ert_context_threads(device, threads);
        return;
    }
    case_->ert110.threads = words->block_threads ? (uint32_t)words->block_threads : 256;
    case_->ert110.blocks = words->blocks
                               ? (uint32_t)words->blocks
                               : ert110_blocks(&device->gpu, case_->ert110.threads);
}

/* Words that the kernel or the device has no use for are mistakes. */
static enum ert_status check_words(const struct ert_bench_words *words,
                                   const struct ert_kernel *row,
                                   const struct ert_device *device, struct ert_error *error)
{
    bool is_ert110 = row->class_ == ERT_CLASS_ERT110;
    bool has_launch = words->blocks || words->block_threads;
    if (has_launch && !(is_ert110 && device->kind == ERT_DEVICE_GPU))
        return ert_fail(error, ERT_USAGE,
                        "--blocks and --block-threads: for ERT's kernels on a GPU, not for "
                        "%s on %s",
                        row->name, device->id);
    if (words->flops && !is_ert110 && row->class_ != ERT_CLASS_MIXED)
        return ert_fail(error, ERT_USAGE,
                        "--flops: for mixed and ERT's kernels; %s has %u per element",
                        row->name, row->flops);
    return ERT_OK;
}

enum ert_status ert_bench_case(const struct ert_bench_words *words, const char *kernel,
                               const struct ert_device *device, struct ert_case *case_,
                               struct ert_error *error)
{
    ERT_TRY(ert_kernel_find(kernel, &case_->kernel, error));
    const struct ert_kernel *row = ert_kernel_row(case_->kernel);
    bool is_ert110 = row->class_ == ERT_CLASS_ERT110;
    ERT_TRY(check_words(words, row, device, error));
    if (is_ert110)
        set_launch(words, device, case_);
    ERT_TRY(find_path(words, device, case_, error));
    case_->flops_per_element = row->class_ == ERT_CLASS_MIXED || is_ert110 ? 2 : row->flops;
    if (words->flops)
        case_->flops_per_element = (uint32_t)words->flops;
    case_->stride_bytes = (uint32_t)words->stride_bytes;
    if (!is_ert110)
        case_->concurrency = (uint32_t)words->concurrency;
    case_->working_set_bytes = words->set_bytes;
    if (row->class_ == ERT_CLASS_COMPUTE || words->set_bytes)
        return ERT_OK;
    for (uint32_t i = 0; i < device->n_levels && !case_->working_set_bytes; i++)
        if (device->levels[i].path == case_->path)
            case_->working_set_bytes = ert_level_total_bytes(&device->levels[i]) / 2;
    if (!case_->working_set_bytes)
        return ert_fail(error, ERT_USAGE,
                        "%s: --set is missing: no level is known on path %s", row->name,
                        ert_path_name(case_->path));
    return ERT_OK;
}

struct ert_session_options ert_bench_session(const struct ert_device *device,
                                             const struct ert_case *case_)
{
    struct ert_config config;
    if (ert_kernel_row(case_->kernel)->class_ != ERT_CLASS_ERT110)
        return (struct ert_session_options){.working_set_max_bytes =
                                                case_->working_set_bytes};
    ert_config_default(&config);
    ert110_preset(&config);
    if (config.ert110.memory.bytes < 2 * case_->working_set_bytes)
        config.ert110.memory.bytes = 2 * case_->working_set_bytes;
    config.ert110.n_threads = 1;
    config.ert110.threads[0] = case_->concurrency;
    const struct ert_context context = {.device = *device,
                                        .n_threads = ert_context_threads(device, 0)};
    return ert_plan_options(&config, &context);
}
