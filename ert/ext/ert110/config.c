/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/ert110.h"

#include "ert/core/base/fields.h"

#include <stdio.h>
#include <string.h>

/* The numbers: keys, members, limits. */
#define NUMBERS(ROW)                                                                       \
    ROW("ert110_memory_bytes", U64, memory.bytes, 1, 0x1p46)                               \
    ROW("ert110_set_min", U64, set_min, 1, 0x1p40)                                         \
    ROW("ert110_trials_min", U64, trials_min, 1, 0x1p40)                                   \
    ROW("ert110_align_bytes", COUNT, memory.align_bytes, 8, 4096)                          \
    ROW("ert110_is_aligned", SWITCH, memory.is_aligned, 0, 1)                              \
    ROW("ert110_at_once", COUNT, at_once, 1, 2)                                            \
    ROW("ert110_growth", NUMBER, growth, 1.001, 16)
#define FIELD(key, kind, member, min, max)                                                 \
    ERT_ROW_WITHIN(struct ert110_options, key, kind, member, OPTIONAL, min, max),
#define KEY(key, ...) key,

static const struct ert_field number_rows[] = {NUMBERS(FIELD)};

#define LAUNCHES "ert110_launches"
static const struct ert_field launch_rows[] = {
    ERT_ROW_WITHIN(struct ert110_launch, "blocks", COUNT, blocks, LEFT_OUT, 0, INT32_MAX),
    ERT_ROW_WITHIN(struct ert110_launch, "threads", COUNT, threads, VALUE, 1, 65536),
};

/* The last keys are of older files, and are not looked at. */
const char *const ert110_config_keys[] = {NUMBERS(KEY) LAUNCHES, "ert110_threads",
                                          "ert110_shapes", "ert110_copies", NULL};

_Static_assert(sizeof(struct ert110_options) <=
                   sizeof((struct ert_config *)NULL)->mode_options,
               "the core keeps all options");

struct ert110_options *ert110_own_options(struct ert_config *config)
{
    struct ert110_options *own = (struct ert110_options *)(void *)config->mode_options;
    if (own->growth == 0)
        *own = (struct ert110_options){
            .memory = {.bytes = UINT64_C(1) << 30, .align_bytes = 64},
            .set_min = 1,
            .trials_min = 1,
            .at_once = 2,
            .growth = 1.1
        };
    return own;
}

struct ert110_options ert110_options_of(const struct ert_config *config)
{
    struct ert_config copy = *config;
    return *ert110_own_options(&copy);
}

void ert110_config_write(const struct ert_config *config, cJSON *root)
{
    const struct ert110_options own = ert110_options_of(config);
    ert_fields_write(root, ERT_ROWS(number_rows), &own);
    ert_fields_write_list(root, LAUNCHES, ERT_ROWS(launch_rows), own.launches,
                          sizeof own.launches[0], own.n_launches);
}

static enum ert_status read_launches(struct ert_json at, struct ert110_options *own,
                                     struct ert_error *error)
{
    enum { MOST = 1024 }; /* of a block */
    if (!ert_json_has(at, LAUNCHES))
        return ERT_OK;
    ERT_TRY(ert_fields_read_list(at, LAUNCHES, ERT_ROWS(launch_rows), own->launches,
                                 sizeof own->launches[0], ERT110_MAX_LIST, &own->n_launches,
                                 error));
    for (uint32_t i = 0; i < own->n_launches; i++)
        if (own->launches[i].blocks > 0 && own->launches[i].threads > MOST)
            return ert_fail(error, ERT_USAGE,
                            "%s: " LAUNCHES
                            "[%u].threads: %u, must be at most %d per block",
                            at.file, i, own->launches[i].threads, MOST);
    return ERT_OK;
}

static enum ert_status check_align(const char *who, const struct ert110_memory *memory,
                                   struct ert_error *error)
{
    if ((memory->align_bytes & (memory->align_bytes - 1)) == 0)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %u, must be a power of two", who,
                    memory->align_bytes);
}

/* Of the memory, in a file of ceilings. */
static const struct ert_field memory_rows[] = {
#define ROW(key, kind, min, max)                                                           \
    ERT_ROW_WITHIN(struct ert110_memory, #key, kind, key, VALUE, min, max)
    ROW(bytes, U64, 1, 0x1p46),
    ROW(align_bytes, COUNT, 8, 4096),
    ROW(is_aligned, SWITCH, 0, 1),
#undef ROW
};

void ert110_memory_write(const struct ert110_memory *memory, char *text, size_t size)
{
    cJSON *object = cJSON_CreateObject();
    ert_fields_write(object, ERT_ROWS(memory_rows), memory);
    if (!cJSON_PrintPreallocated(object, text, (int)size, 0))
        *text = '\0';
    cJSON_Delete(object);
}

/* The same back; ERT_USAGE for a bad value. */
static enum ert_status ert110_memory_read(const char *text, struct ert110_memory *memory,
                                          struct ert_error *error)
{
    if (!*text) /* an older file */
        return ERT_OK;
    cJSON *object = cJSON_Parse(text);
    enum ert_status status = ert_fields_read(ert_json_root(object, "mode_data"),
                                             ERT_ROWS(memory_rows), memory, error);
    cJSON_Delete(object);
    return status != ERT_OK ? status : check_align("mode_data: align_bytes", memory, error);
}

enum ert_status ert110_config_read(struct ert_json at, struct ert_config *config,
                                   struct ert_error *error)
{
    struct ert_config read = *config;
    struct ert110_options *options = ert110_own_options(&read);
    char who[512];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(number_rows), options, error));
    snprintf(who, sizeof who, "%.480s: ert110_align_bytes", at.file);
    ERT_TRY(check_align(who, &options->memory, error));
    ERT_TRY(read_launches(at, options, error));
    if (config->sections[ERT_SECTION_ert110])
        *config = read;
    return ERT_OK;
}

/* Of a file's ceilings; those of a GPU's blocks do not count. */
static uint32_t most_threads(const struct ert_ceilings *ceilings)
{
    uint32_t most = 0;
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_ceiling_span of = ert_ceilings_main(&ceilings->devices[d]);
        for (size_t i = 0; i < of.n; i++) {
            const struct ert_evidence *evidence = of.at[i].evidence;
            if (evidence->blocks == 0 && evidence->launch.threads > most)
                most = evidence->launch.threads;
        }
    }
    return most;
}

enum ert_status ert110_preset(struct ert_config *config,
                              const struct ert_ceilings *recorded, struct ert_error *error)
{
    struct ert110_options *own = ert110_own_options(config);
    snprintf(config->name, sizeof config->name, "ert-1.1.0");
    memset(config->sections, 0, sizeof config->sections);
    config->sections[ERT_SECTION_ert110] = true;
    for (int i = 0; i < ERT_N_KERNELS; i++)
        config->kernels[i] = i == ERT_KERNEL_ert_fp64;
    /* As ERT's examples, of CPUs and GPUs. */
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        config->mixed_flops[i] = ert_kernel_mixed_flops[i] <= 256;
    config->region_s = 2e-3;
    config->rounds = 1;
    config->candidate_rounds = 0;
    config->sustained_s = 0;
    config->budget_s = 0;
    if (!recorded)
        return ERT_OK;
    own->n_launches = 1;
    own->launches[0] = (struct ert110_launch){.threads = most_threads(recorded)};
    return ert110_memory_read(recorded->mode_data, &own->memory, error);
}
