#include "ert/ert110/case.h"

bool ert110_is(const struct ert_ceiling *ceiling)
{
    return ceiling->flops_per_element > 0;
}

void ert110_keep(const struct ert_config *config, struct ert_ceilings *ceilings)
{
    const struct ert110_options *ert110 = &config->ert110;
    ceilings->ert110 = (struct ert110_memory){
        .bytes = (double)ert110->memory_bytes,
        .align_bytes = (uint32_t)ert110->align_bytes,
        .is_aligned = ert110->is_aligned != 0,
        .copies = ert110->copies != 0,
    };
}

/* More of the two; those of a GPU's blocks do not count. */
static uint32_t more_threads(const struct ert_ceiling *ceiling, uint32_t most)
{
    uint32_t threads = ceiling->launch.threads;
    return ceiling->blocks == 0 && threads > most ? threads : most;
}

/* The most threads of a CPU's ceilings: a session is opened for so many. */
static uint32_t most_threads(const struct ert_ceilings *ceilings)
{
    uint32_t most = 0;
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_device_ceilings *device = &ceilings->devices[d];
        for (size_t i = 0; i < device->n_compute; i++)
            most = more_threads(&device->compute[i].common, most);
        for (size_t i = 0; i < device->n_memory; i++)
            most = more_threads(&device->memory[i].common, most);
    }
    return most;
}

void ert110_config_of(const struct ert_ceilings *ceilings, struct ert_config *config)
{
    const struct ert110_memory *memory = &ceilings->ert110;
    struct ert110_options *ert110 = &config->ert110;
    ert_config_default(config);
    ert110_preset(config);
    if (memory->bytes > 0)
        ert110->memory_bytes = (uint64_t)memory->bytes;
    if (memory->align_bytes > 0)
        ert110->align_bytes = memory->align_bytes;
    ert110->is_aligned = memory->is_aligned;
    ert110->copies = memory->copies;
    ert110->n_threads = 1;
    ert110->threads[0] = most_threads(ceilings);
}

void ert110_case(const struct ert_ceiling *ceiling, enum ert_device_kind kind,
                 struct ert_case *case_)
{
    case_->path = ERT_PATH_CACHED;
    case_->working_set_bytes = (uint64_t)ceiling->asked_bytes;
    case_->flops_per_element = ceiling->flops_per_element;
    if (kind == ERT_DEVICE_CPU) {
        case_->concurrency = ceiling->launch.threads;
        return;
    }
    case_->blocks = ceiling->blocks;
    case_->block_threads = ceiling->launch.threads;
}
