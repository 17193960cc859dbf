#include "ert/sweep/config_lists.h"

#include <stdio.h>
#include <string.h>

static const char *const section_names[ERT_N_SECTIONS] = {
    "levels",      "compute", "mixed",  "latency",  "access",
    "concurrency", "links",   "places", "together", "ert110"};

const char *ert_section_name(enum ert_section section)
{
    return section_names[section];
}

bool ert_section_find(const char *name, enum ert_section *section)
{
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        if (strcmp(section_names[i], name) == 0) {
            *section = (enum ert_section)i;
            return true;
        }
    return false;
}

static enum ert_status read_kernels(struct ert_json at, struct ert_config *config,
                                    struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, "kernels", &list, error));
    memset(config->kernels, 0, sizeof config->kernels);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        const char *name;
        struct ert_json element = ert_json_element(list, i);
        enum ert_kernel_id id;
        struct ert_error why;
        ERT_TRY(ert_json_as_string(element, &name, error));
        if (ert_kernel_find(name, &id, &why) != ERT_OK)
            return ert_fail(error, ERT_USAGE, "%s: %s: %s", at.file, element.path,
                            why.text);
        config->kernels[id] = true;
    }
    if (ert_json_length(list) == 0)
        return ert_fail(error, ERT_USAGE, "%s: %s: empty, must name a kernel", at.file,
                        list.path);
    return ERT_OK;
}

static enum ert_status read_sections(struct ert_json at, struct ert_config *config,
                                     struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, "sections", &list, error));
    memset(config->sections, 0, sizeof config->sections);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        const char *name;
        enum ert_section section;
        struct ert_json element = ert_json_element(list, i);
        ERT_TRY(ert_json_as_string(element, &name, error));
        if (!ert_section_find(name, &section))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: no section '%s'; there are: levels, compute, mixed, "
                            "latency, access, concurrency, links, places, together, "
                            "ert110",
                            at.file, element.path, name);
        config->sections[section] = true;
    }
    if (ert_json_length(list) == 0)
        return ert_fail(error, ERT_USAGE, "%s: %s: empty, must name a section", at.file,
                        list.path);
    return ERT_OK;
}

static enum ert_status read_mixed_flops(struct ert_json at, struct ert_config *config,
                                        struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, "mixed_flops_per_element", &list, error));
    memset(config->mixed_flops, 0, sizeof config->mixed_flops);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        double value;
        struct ert_json element = ert_json_element(list, i);
        int match = 0;
        ERT_TRY(ert_json_as_double(element, 1, 1024, &value, error));
        while (match < ERT_N_MIXED_FLOPS && ert_kernel_mixed_flops[match] != value)
            match++;
        if (match == ERT_N_MIXED_FLOPS)
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %g, must be a power of two up to 1024", at.file,
                            element.path, value);
        config->mixed_flops[match] = true;
    }
    return ERT_OK;
}

static enum ert_status read_remarks(struct ert_json at, struct ert_config *config,
                                    struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, "remarks", &list, error));
    config->n_remarks = 0;
    if (ert_json_length(list) > ERT_MAX_REMARKS)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu of them, must be at most %d",
                        at.file, list.path, ert_json_length(list), ERT_MAX_REMARKS);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        const char *text;
        ERT_TRY(ert_json_as_string(ert_json_element(list, i), &text, error));
        if (strlen(text) >= ERT_REMARK_BYTES)
            return ert_fail(error, ERT_USAGE, "%s: %s[%zu]: %zu bytes, must be at most %d",
                            at.file, list.path, i, strlen(text), ERT_REMARK_BYTES - 1);
        strcpy(config->remarks[config->n_remarks++], text);
    }
    return ERT_OK;
}

void ert_config_lists_to_json(const struct ert_config *config, cJSON *root)
{
    cJSON *sections = cJSON_AddArrayToObject(root, "sections");
    for (int i = 0; i < ERT_N_SECTIONS; i++)
        if (config->sections[i])
            cJSON_AddItemToArray(sections, cJSON_CreateString(section_names[i]));
    cJSON *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (int i = 0; i < ERT_N_KERNELS; i++)
        if (config->kernels[i])
            cJSON_AddItemToArray(
                kernels, cJSON_CreateString(ert_kernel_row((enum ert_kernel_id)i)->name));
    cJSON *flops = cJSON_AddArrayToObject(root, "mixed_flops_per_element");
    for (int i = 0; i < ERT_N_MIXED_FLOPS; i++)
        if (config->mixed_flops[i])
            cJSON_AddItemToArray(flops, cJSON_CreateNumber(ert_kernel_mixed_flops[i]));
    ert110_to_json(&config->ert110, root);
    cJSON *remarks = cJSON_AddArrayToObject(root, "remarks");
    for (uint32_t i = 0; i < config->n_remarks; i++)
        cJSON_AddItemToArray(remarks, cJSON_CreateString(config->remarks[i]));
}

enum ert_status ert_config_lists_from_json(struct ert_json at, struct ert_config *config,
                                           struct ert_error *error)
{
    if (ert_json_has(at, "sections"))
        ERT_TRY(read_sections(at, config, error));
    if (ert_json_has(at, "kernels"))
        ERT_TRY(read_kernels(at, config, error));
    if (ert_json_has(at, "mixed_flops_per_element"))
        ERT_TRY(read_mixed_flops(at, config, error));
    if (ert_json_has(at, "remarks"))
        ERT_TRY(read_remarks(at, config, error));
    ERT_TRY(ert110_from_json(at, &config->ert110, error));
    return ERT_OK;
}
