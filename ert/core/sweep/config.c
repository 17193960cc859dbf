/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/config.h"

#include "ert/core/base/fields.h"
#include "ert/core/machine/dram.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/section.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA "ert-config/2"

static const uint64_t least_size_bytes = 1 << 20;

const char *const ert_section_words[ERT_N_SECTIONS + 1] = {
#define ERT_SECTION_ROW(id, name) #name,
#include "ert/core/sweep/sections.def"
    NULL};

const struct ert_section_row *const ert_sections[ERT_N_SECTIONS] = {
#define ERT_SECTION_ROW(id, name) &ert_section_##name,
#include "ert/core/sweep/sections.def"
};

const struct ert_mode *ert_config_mode(const struct ert_config *config)
{
    const struct ert_mode *mode = NULL;
    for (int s = 0; s < ERT_N_SECTIONS && !mode; s++)
        mode = config->sections[s] ? ert_sections[s]->mode : NULL;
    return mode;
}

const struct ert_mode *ert_mode_of_kernel(enum ert_kernel_id kernel)
{
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const struct ert_mode *mode = ert_sections[s]->mode;
        for (size_t i = 0; mode && mode->kernels[i] != ERT_N_KERNELS; i++)
            if (mode->kernels[i] == kernel)
                return mode;
    }
    return NULL;
}

const struct ert_mode *ert_mode_titled(const char *title)
{
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (ert_sections[s]->mode && strcmp(ert_sections[s]->mode->title, title) == 0)
            return ert_sections[s]->mode;
    return NULL;
}

enum ert_status ert_mode_option(const char *name, struct ert_config *config,
                                struct ert_error *error)
{
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (ert_sections[s]->mode && strcmp(ert_sections[s]->mode->option, name) == 0)
            return ert_sections[s]->mode->preset(config, NULL, error);
    return ert_fail(error, ERT_UNAVAILABLE, "--%s: this build has no mode for it", name);
}

/* Texts and numbers with their limits. */
static const struct ert_field rows[] = {
    ERT_ROW_TEXT(struct ert_config, NULL, "name", name, false),
    ERT_ROW_TEXT(struct ert_config, NULL, "device", device, false),
    ERT_ROW_TEXT(struct ert_config, NULL, "isa", isa, false),
    ERT_ROW_TEXT(struct ert_config, NULL, "dram_bandwidth", dram_bandwidth, false),
#define ROW(key, kind, min, max)                                                           \
    ERT_ROW_WITHIN(struct ert_config, #key, kind, key, OPTIONAL, min, max)
    ROW(threads, U64, 0, 65536),
    ROW(points_per_octave, NUMBER, 0.5, 16),
    ROW(working_set_min_bytes, U64, 0, 0x1p46),
    ROW(working_set_max_bytes, U64, 0, 0x1p46),
    ROW(memory_max_bytes, U64, 0, 0x1p46),
    ROW(region_s, NUMBER, 1e-5, 10),
    ROW(rounds, U64, 1, 1000),
    ERT_ROW_WITHIN(struct ert_config, "leader_rounds", U64, candidate_rounds, OPTIONAL, 0,
                   1000),
    ERT_ROW_WITHIN(struct ert_config, "leaders", U64, candidates, OPTIONAL, 1, 16),
    ROW(sustained_s, NUMBER, 0, 60),
    ROW(sustained_all, SWITCH, 0, 1),
    ROW(libraries, SWITCH, 0, 1),
    ROW(budget_s, NUMBER, 0, 1e6),
    ROW(timeout_s, NUMBER, 1e-3, 3600),
    ROW(seed, U64, 0, 0x1p53),
    ROW(tensor_zeros, SWITCH, 0, 1),
#undef ROW
};

void ert_config_default(struct ert_config *config)
{
    *config = (struct ert_config){
        .name = "default",
        .device = "all",
        .points_per_octave = 3,
        .region_s = 3e-3,
        .rounds = 3,
        .candidate_rounds = 12,
        .candidates = 3,
        .sustained_s = 0.4,
        .budget_s = 28,
        .timeout_s = 20,
        .seed = 1,
    };
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        config->sections[s] = ert_sections[s]->by_default;
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
    config->candidate_rounds = 6;
    config->candidates = 1;
    config->budget_s = 25;
}

void ert_config_full(struct ert_config *config)
{
    snprintf(config->name, sizeof config->name, "full");
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        config->sections[i] = !ert_sections[i]->mode;
    config->libraries = 1;
    config->rounds = 5;
    config->sustained_all = 1;
    config->budget_s = 170;
}

static const char *name_of_section(int i)
{
    return ert_section_words[i];
}

static const char *name_of_kernel(int i)
{
    return ert_kernel_row((enum ert_kernel_id)i)->name;
}

/* The lists that select: what they name becomes true, all else false. */
static const struct list {
    const char *key, *what;
    size_t offset, n;
    const char *(*name_of)(int); /* NULL: of ert_kernel_mixed_flops, may be empty */
} lists[] = {
#define LIST(key, what, member, n, name_of)                                                \
    {                                                                                      \
        key, what, offsetof(struct ert_config, member), n, name_of                         \
    }
    LIST("sections", "section", sections, ERT_N_SECTIONS, name_of_section),
    LIST("kernels", "kernel", kernels, ERT_N_KERNELS, name_of_kernel),
    LIST("mixed_flops_per_element", "", mixed_flops, ERT_N_MIXED_FLOPS, NULL),
#undef LIST
};

static void config_write_list(const struct ert_config *config, const struct list *row,
                              cJSON *root)
{
    const bool *flags = (const bool *)((const char *)config + row->offset);
    cJSON *list = cJSON_AddArrayToObject(root, row->key);
    for (int i = 0; i < (int)row->n; i++)
        if (flags[i])
            cJSON_AddItemToArray(list, row->name_of
                                           ? cJSON_CreateString(row->name_of(i))
                                           : cJSON_CreateNumber(ert_kernel_mixed_flops[i]));
}

cJSON *ert_config_to_json(const struct ert_config *config)
{
    const struct ert_mode *mode = ert_config_mode(config);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", SCHEMA);
    ert_fields_write(root, ERT_ROWS(rows), config);
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        config_write_list(config, &lists[i], root);
    if (mode)
        mode->write(config, root);
    cJSON *remarks = cJSON_AddArrayToObject(root, "remarks");
    for (uint32_t i = 0; i < config->n_remarks; i++)
        cJSON_AddItemToArray(remarks, cJSON_CreateString(config->remarks[i]));
    return root;
}

/* A size that is given must be large enough for a sweep by many threads. */
static enum ert_status check_size(const char *file, const char *key, uint64_t bytes,
                                  struct ert_error *error)
{
    if (bytes == 0 || bytes >= least_size_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %s: %llu, must be 0 or at least %llu", file, key,
                    (unsigned long long)bytes, (unsigned long long)least_size_bytes);
}

static enum ert_status check_numbers(struct ert_json at, const struct ert_config *config,
                                     struct ert_error *error)
{
    ERT_TRY(
        check_size(at.file, "working_set_max_bytes", config->working_set_max_bytes, error));
    ERT_TRY(check_size(at.file, "memory_max_bytes", config->memory_max_bytes, error));
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

/* "" means none, as in the samples file. */
static enum ert_status check_dram(struct ert_json at, const struct ert_config *config,
                                  struct ert_error *error)
{
    struct ert_dram dram;
    char who[512];
    snprintf(who, sizeof who, "%.480s: dram_bandwidth", at.file);
    return *config->dram_bandwidth
               ? ert_dram_parse(who, config->dram_bandwidth, &dram, error)
               : ERT_OK;
}

/* Finds the index of what an element of a list names. */
static enum ert_status config_find(struct ert_json element, const struct list *row,
                                   size_t *index, struct ert_error *error)
{
    const char *name;
    double value;
    char list[1024] = "";
    if (row->name_of)
        ERT_TRY(ert_json_as_string(element, &name, error));
    else
        ERT_TRY(ert_json_as_double(element, 1, 1024, &value, error));
    for (*index = 0; *index < row->n; ++*index) {
        if (row->name_of ? strcmp(row->name_of((int)*index), name) == 0
                         : ert_kernel_mixed_flops[*index] == value)
            return ERT_OK;
        if (row->name_of)
            ert_list_add(list, sizeof list, row->name_of((int)*index));
    }
    if (row->name_of)
        return ert_fail(error, ERT_USAGE, "%s: %s: no %s '%s'; there are: %s", element.file,
                        element.path, row->what, name, list);
    return ert_fail(error, ERT_USAGE, "%s: %s: %g, must be a power of two up to 1024",
                    element.file, element.path, value);
}

/* A kernel that lists of older samples name, most of which did not run it. */
static const char gone[] = "ert_c_fp64";

static enum ert_status config_read_list(struct ert_json at, const struct list *row,
                                        struct ert_config *config, struct ert_error *error)
{
    bool *flags = (bool *)((char *)config + row->offset);
    struct ert_json list;
    if (!ert_json_has(at, row->key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, row->key, &list, error));
    memset(flags, 0, row->n * sizeof *flags);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        size_t index;
        const struct ert_json element = ert_json_element(&list, i);
        if (ert_json_length(list) > 1 && cJSON_IsString(element.node) &&
            strcmp(element.node->valuestring, gone) == 0)
            continue;
        ERT_TRY(config_find(element, row, &index, error));
        flags[index] = true;
    }
    if (ert_json_length(list) == 0 && row->name_of)
        return ert_fail(error, ERT_USAGE, "%s: %s: empty, must name a %s", at.file,
                        list.path, row->what);
    return ERT_OK;
}

static enum ert_status read_remarks(struct ert_json at, struct ert_config *config,
                                    struct ert_error *error)
{
    struct ert_json list;
    if (!ert_json_has(at, "remarks"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "remarks", &list, error));
    config->n_remarks = 0;
    if (ert_json_length(list) > ERT_MAX_REMARKS)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu of them, must be at most %d",
                        at.file, list.path, ert_json_length(list), ERT_MAX_REMARKS);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        const char *text;
        ERT_TRY(ert_json_as_string(ert_json_element(&list, i), &text, error));
        if (strlen(text) >= ERT_REMARK_BYTES)
            return ert_fail(error, ERT_USAGE, "%s: %s[%zu]: %zu bytes, must be at most %d",
                            at.file, list.path, i, strlen(text), ERT_REMARK_BYTES - 1);
        strcpy(config->remarks[config->n_remarks++], text);
    }
    return ERT_OK;
}

static enum ert_status config_check_keys(struct ert_json at, struct ert_error *error)
{
    const char *keys[ERT_LENGTH(rows) + ERT_LENGTH(lists) + 24] = {"schema", "comment",
                                                                   "remarks"};
    size_t n = 3;
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        keys[n++] = rows[i].key;
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        keys[n++] = lists[i].key;
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const struct ert_mode *mode = ert_sections[s]->mode;
        for (size_t i = 0; mode && mode->keys[i] && n + 1 < ERT_LENGTH(keys); i++)
            keys[n++] = mode->keys[i];
    }
    return ert_json_only_keys(at, keys, error);
}

enum ert_status ert_config_from_json(struct ert_json at, struct ert_config *config,
                                     struct ert_error *error)
{
    char schema[32];
    struct ert_config read = *config;
    ERT_TRY(config_check_keys(at, error));
    ERT_TRY(ert_json_copy_string(at, "schema", schema, sizeof schema, error));
    if (strcmp(schema, SCHEMA) != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema: '%s', must be '" SCHEMA "'", at.file,
                        schema);
    ERT_TRY(ert_fields_read(at, rows, ERT_LENGTH(rows), &read, error));
    ERT_TRY(check_dram(at, &read, error));
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ERT_TRY(config_read_list(at, &lists[i], &read, error));
    ERT_TRY(read_remarks(at, &read, error));
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (ert_sections[s]->mode)
            ERT_TRY(ert_sections[s]->mode->read(at, &read, error));
    ERT_TRY(check_numbers(at, &read, error));
    *config = read;
    return ERT_OK;
}

/* The mode of another program's configuration, or NULL. If it cannot be read, reading it as JSON says why. */
static const struct ert_mode *find_mode_of(const char *name)
{
    char text[4096];
    FILE *file = fopen(name, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    const char *line = text;
    text[n] = '\0';
    if (file)
        fclose(file);
    while (*line == '#' || line[strspn(line, " \t\r\f\v")] == '\n') {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    line += strspn(line, " \t\r\f\v");
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const struct ert_mode *mode = ert_sections[s]->mode;
        if (mode && mode->file_begins &&
            strncmp(line, mode->file_begins, strlen(mode->file_begins)) == 0)
            return mode;
    }
    return NULL;
}

enum ert_status ert_config_context(const struct ert_config *config,
                                   const struct ert_device *device,
                                   struct ert_context *context, struct ert_error *error)
{
    bool is_all = false;
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        is_all |= config->sections[s] && ert_sections[s]->uses_all_threads;
    return ert_context_make(device, config->threads, is_all, context, error);
}

enum ert_status ert_config_read(const char *file, struct ert_config *config,
                                struct ert_error *error)
{
    cJSON *root = NULL;
    const struct ert_mode *mode = find_mode_of(file);
    if (mode)
        return ert_fail(error, ERT_USAGE, "%s: %s", file, mode->file_is);
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = ert_config_from_json(ert_json_root(root, file), config, error);
    cJSON_Delete(root);
    return status;
}
