#include "ert/sweep/config.h"

#include "ert/base/units.h"
#include "ert/ert110/file.h"
#include "ert/ert110/keys.h"
#include "ert/machine/dram.h"
#include "ert/sweep/config_lists.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "ert-config/1"

static const uint64_t least_size_bytes = 1 << 20;

/* The numbers of a config as rows: key, where, range. JSON writing and reading iterate over them. */
enum number_kind { NUMBER_DOUBLE, NUMBER_U64 };

static const struct number_row {
    const char *key;
    enum number_kind kind;
    size_t offset;
    double min, max;
} number_rows[] = {
#define ROW(key, kind, field, min, max)                                                    \
    {                                                                                      \
        key, kind, offsetof(struct ert_config, field), min, max                            \
    }
    ROW("threads", NUMBER_U64, threads, 0, 65536),
    ROW("points_per_octave", NUMBER_DOUBLE, points_per_octave, 0.5, 16),
    ROW("working_set_min_bytes", NUMBER_U64, working_set_min_bytes, 0, 0x1p46),
    ROW("working_set_max_bytes", NUMBER_U64, working_set_max_bytes, 0, 0x1p46),
    ROW("memory_max_bytes", NUMBER_U64, memory_max_bytes, 0, 0x1p46),
    ROW("region_s", NUMBER_DOUBLE, region_s, 1e-5, 10),
    ROW("rounds", NUMBER_U64, rounds, 1, 1000),
    ROW("leader_rounds", NUMBER_U64, leader_rounds, 0, 1000),
    ROW("leaders", NUMBER_U64, leaders, 1, 16),
    ROW("sustained_s", NUMBER_DOUBLE, sustained_s, 0, 60),
    ROW("sustained_all", NUMBER_U64, sustained_all, 0, 1),
    ROW("budget_s", NUMBER_DOUBLE, budget_s, 0, 1e6),
    ROW("timeout_s", NUMBER_DOUBLE, timeout_s, 1e-3, 3600),
    ROW("seed", NUMBER_U64, seed, 0, 0x1p53),
    ROW("ert110_memory_bytes", NUMBER_U64, ert110.memory_bytes, 1, 0x1p46),
    ROW("ert110_set_min", NUMBER_U64, ert110.set_min, 1, 0x1p40),
    ROW("ert110_trials_min", NUMBER_U64, ert110.trials_min, 1, 0x1p40),
    ROW("ert110_align_bytes", NUMBER_U64, ert110.align_bytes, 8, 4096),
    ROW("ert110_is_aligned", NUMBER_U64, ert110.is_aligned, 0, 1),
    ROW("ert110_copies", NUMBER_U64, ert110.copies, 0, 1),
    ROW("ert110_at_once", NUMBER_U64, ert110.at_once, 1, 2),
    ROW("ert110_growth", NUMBER_DOUBLE, ert110.growth, 1.001, 16),
    ROW("tensor_zeros", NUMBER_U64, tensor_zeros, 0, 1),
#undef ROW
};
enum { N_NUMBER_ROWS = sizeof number_rows / sizeof number_rows[0] };

void ert_config_default(struct ert_config *config)
{
    *config = (struct ert_config){
        .name = "default",
        .device = "all",
        .points_per_octave = 3,
        .region_s = 3e-3,
        .rounds = 3,
        .leader_rounds = 12,
        .leaders = 3,
        .sustained_s = 0.4,
        .budget_s = 28,
        .timeout_s = 20,
        .seed = 1,
        .ert110 = ert110_defaults,
        .sections = {[ERT_SECTION_LEVELS] = true,
                     [ERT_SECTION_COMPUTE] = true,
                     [ERT_SECTION_MIXED] = true,
                     [ERT_SECTION_LATENCY] = true,
                     [ERT_SECTION_LINKS] = true,
                     [ERT_SECTION_TOGETHER] = true},
    };
    for (int i = 0; i < ERT_N_KERNELS; i++)
        config->kernels[i] = true;
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        config->mixed_flops[i] = true;
}

void ert_config_quick(struct ert_config *config)
{
    snprintf(config->name, sizeof config->name, "quick");
    config->points_per_octave = 2;
    config->region_s = 1e-3;
    config->rounds = 1;
    config->leader_rounds = 6;
    config->leaders = 1;
    config->budget_s = 25;
}

void ert110_preset(struct ert_config *config)
{
    snprintf(config->name, sizeof config->name, "ert-1.1.0");
    memset(config->sections, 0, sizeof config->sections);
    config->sections[ERT_SECTION_ERT110] = true;
    for (int i = 0; i < ERT_N_KERNELS; i++)
        config->kernels[i] = i == ERT_KERNEL_ert_fp64;
    /* As ERT's examples, of CPUs and GPUs. */
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        config->mixed_flops[i] = ert_kernel_mixed_flops[i] <= 256;
    config->region_s = 2e-3;
    config->rounds = 1;
    config->leader_rounds = 0;
    config->sustained_s = 0;
    config->budget_s = 0;
}

void ert_config_full(struct ert_config *config)
{
    snprintf(config->name, sizeof config->name, "full");
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        config->sections[i] = i != ERT_SECTION_ERT110;
    config->rounds = 5;
    config->sustained_all = 1;
    config->budget_s = 170;
}

cJSON *ert_config_to_json(const struct ert_config *config)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", SCHEMA);
    cJSON_AddStringToObject(root, "name", config->name);
    cJSON_AddStringToObject(root, "device", config->device);
    cJSON_AddStringToObject(root, "isa", config->isa);
    cJSON_AddStringToObject(root, "dram_bandwidth", config->dram_bandwidth);
    for (size_t i = 0; i < N_NUMBER_ROWS; i++) {
        const char *at = (const char *)config + number_rows[i].offset;
        double value = number_rows[i].kind == NUMBER_DOUBLE ? *(const double *)at
                                                            : (double)*(const uint64_t *)at;
        cJSON_AddNumberToObject(root, number_rows[i].key, value);
    }
    ert_config_lists_to_json(config, root);
    return root;
}

/* A size that is given at all must leave room for a sweep by many threads. */
static enum ert_status check_size(const char *file, const char *key, uint64_t bytes,
                                  struct ert_error *error)
{
    if (bytes == 0 || bytes >= least_size_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %s: %llu, must be 0 or at least %llu", file, key,
                    (unsigned long long)bytes, (unsigned long long)least_size_bytes);
}

static enum ert_status read_numbers(struct ert_json at, struct ert_config *config,
                                    struct ert_error *error)
{
    for (size_t i = 0; i < N_NUMBER_ROWS; i++) {
        const struct number_row *row = &number_rows[i];
        char *target = (char *)config + row->offset;
        if (!ert_json_has(at, row->key))
            continue;
        if (row->kind == NUMBER_DOUBLE)
            ERT_TRY(
                ert_json_double(at, row->key, row->min, row->max, (double *)target, error));
        else
            ERT_TRY(ert_json_u64(at, row->key, (uint64_t)row->min, (uint64_t)row->max,
                                 (uint64_t *)target, error));
    }
    ERT_TRY(
        check_size(at.file, "working_set_max_bytes", config->working_set_max_bytes, error));
    ERT_TRY(check_size(at.file, "memory_max_bytes", config->memory_max_bytes, error));
    if (config->ert110.align_bytes & (config->ert110.align_bytes - 1))
        return ert_fail(error, ERT_USAGE,
                        "%s: ert110_align_bytes: %llu, must be a power of two", at.file,
                        (unsigned long long)config->ert110.align_bytes);
    if (config->timeout_s < 10 * config->region_s)
        return ert_fail(error, ERT_USAGE,
                        "%s: timeout_s: %g, must be at least ten times region_s, %g",
                        at.file, config->timeout_s, config->region_s);
    if (config->working_set_max_bytes &&
        config->working_set_min_bytes > config->working_set_max_bytes)
        return ert_fail(
            error, ERT_USAGE,
            "%s: working_set_min_bytes: %llu, must be at most working_set_max_bytes, %llu",
            at.file, (unsigned long long)config->working_set_min_bytes,
            (unsigned long long)config->working_set_max_bytes);
    return ERT_OK;
}

/* "" stands for none, as the samples file has it. */
static enum ert_status read_dram(struct ert_json at, struct ert_config *config,
                                 struct ert_error *error)
{
    struct ert_dram dram;
    char who[512];
    ERT_TRY(ert_json_copy_string(at, "dram_bandwidth", config->dram_bandwidth,
                                 sizeof config->dram_bandwidth, error));
    snprintf(who, sizeof who, "%.480s: dram_bandwidth", at.file);
    return *config->dram_bandwidth
               ? ert_dram_parse(who, config->dram_bandwidth, &dram, error)
               : ERT_OK;
}

enum ert_status ert_config_from_json(struct ert_json at, struct ert_config *config,
                                     struct ert_error *error)
{
    static const char *const texts[] = {
        "schema",         "name",           "device",        "isa",
        "dram_bandwidth", "sections",       "kernels",       "mixed_flops_per_element",
        "comment",        "ert110_threads", "ert110_shapes", "remarks"};
    enum { N_TEXTS = sizeof texts / sizeof texts[0] };
    const char *keys[N_TEXTS + N_NUMBER_ROWS + 1] = {NULL};
    for (size_t i = 0; i < N_TEXTS; i++)
        keys[i] = texts[i];
    for (size_t i = 0; i < N_NUMBER_ROWS; i++)
        keys[N_TEXTS + i] = number_rows[i].key;
    ERT_TRY(ert_json_only_keys(at, keys, error));

    char schema[32];
    struct ert_config read = *config;
    ERT_TRY(ert_json_copy_string(at, "schema", schema, sizeof schema, error));
    if (strcmp(schema, SCHEMA) != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema: '%s', must be '" SCHEMA "'", at.file,
                        schema);
    if (ert_json_has(at, "name"))
        ERT_TRY(ert_json_copy_string(at, "name", read.name, sizeof read.name, error));
    if (ert_json_has(at, "device"))
        ERT_TRY(ert_json_copy_string(at, "device", read.device, sizeof read.device, error));
    if (ert_json_has(at, "isa"))
        ERT_TRY(ert_json_copy_string(at, "isa", read.isa, sizeof read.isa, error));
    if (ert_json_has(at, "dram_bandwidth"))
        ERT_TRY(read_dram(at, &read, error));
    ERT_TRY(ert_config_lists_from_json(at, &read, error));
    ERT_TRY(read_numbers(at, &read, error));
    *config = read;
    return ERT_OK;
}

/* By content; a file that cannot be read is not: reading it as JSON then says why. */
static bool is_of_ert(const char *name)
{
    char head[4096];
    FILE *file = fopen(name, "r");
    size_t n = file ? fread(head, 1, sizeof head - 1, file) : 0;
    head[n] = '\0';
    if (file)
        fclose(file);
    return ert110_recognizes(head);
}

enum ert_status ert_config_read(const char *file, struct ert_config *config,
                                struct ert_error *error)
{
    cJSON *root = NULL;
    if (is_of_ert(file))
        return ert110_file_read(file, config, error);
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = ert_config_from_json(ert_json_root(root, file), config, error);
    cJSON_Delete(root);
    return status;
}
