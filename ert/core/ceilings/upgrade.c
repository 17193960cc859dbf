/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/upgrade.h"

#include "ert/core/ceilings/ceilings.h"

#include <string.h>

/* The end that a unit gives to the keys of rates in /2, after their name and "_". */
static const char *const ends[ERT_N_UNITS] = {
    [ERT_UNIT_FLOP_PER_S] = "flop_per_s",
    [ERT_UNIT_OP_PER_S] = "op_per_s",
    [ERT_UNIT_INST_PER_S] = "inst_per_s",
    [ERT_UNIT_BYTE_PER_S] = "bytes_per_s",
    [ERT_UNIT_S] = "s",
    [ERT_UNIT_PER_S] = "per_s",
};

/* A key of /2, in a group or of an array, and its place in /3. */
static const struct {
    const char *old_group, *old_key, *group, *key;
} moves[] = {
    {NULL,             "unit",     NULL,       "execution_unit"},
    {NULL,             "theory",   "theory",   "value"         },
    {NULL,             "lockstep", "lockstep", "value"         },
    {"threads",        "lockstep", "lockstep", "value"         },
    {"capacity_bytes", "measured", "capacity", "measured_bytes"},
    {"interval",       "0",        NULL,       "low"           },
    {"interval",       "1",        NULL,       "high"          },
    {"plateau_bytes",  "0",        NULL,       "first_bytes"   },
    {"plateau_bytes",  "1",        NULL,       "last_bytes"    },
};

/* The lists of a device: of ceilings, by kind; others. Those of kinds that are gone have no reader. */
static const char *const lists[] = {
    [ERT_CEILING_COMPUTE] = "compute",
    [ERT_CEILING_MEMORY] = "memory",
    [ERT_CEILING_LATENCY] = "latency",
    [ERT_CEILING_CONCURRENCY] = "concurrency",
    [ERT_CEILING_LINK] = "links",
    [ERT_CEILING_NUMA] = "numa",
    [ERT_CEILING_MULTI_GPU] = "multi_gpu",
    [ERT_CEILING_NETWORK] = "network",
    [ERT_CEILING_COLLECTIVE] = "collectives",
    [ERT_N_CEILING_KINDS] = "theory",
    "unattributed",
};

/* Takes away what is unknown (null, ""), and the end of keys. */
static void upgrade_keys(cJSON *object, const char *end)
{
    for (cJSON *child = object->child, *next; child; child = next) {
        next = child->next;
        if (cJSON_IsNull(child) || (cJSON_IsString(child) && !*child->valuestring)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(object, child));
            continue;
        }
        if (cJSON_IsObject(child))
            upgrade_keys(child, end);
        const size_t length = strlen(child->string), of_end = strlen(end) + 1;
        char *at = child->string + length - of_end;
        if (length > of_end && *at == '_' && strcmp(at + 1, end) == 0)
            *at = '\0';
    }
}

/* Moves the value that a row names, if it is there. */
static void upgrade_move(cJSON *element, size_t row)
{
    const char *group = moves[row].old_group;
    cJSON *from = group ? cJSON_GetObjectItemCaseSensitive(element, group) : element,
          *to = element, *value;
    if (cJSON_IsArray(from))
        value = cJSON_Duplicate(cJSON_GetArrayItem(from, *moves[row].old_key - '0'), true);
    else
        value = cJSON_DetachItemFromObjectCaseSensitive(from, moves[row].old_key);
    if (value && moves[row].group)
        to = cJSON_AddObjectToObject(element, moves[row].group);
    if (value)
        cJSON_AddItemToObject(to, moves[row].key, value);
}

/* An element of a list of ceilings of this kind; of another list, if there is none. */
static void upgrade_element(cJSON *element, enum ert_ceiling_kind kind)
{
    const bool is_ceiling = kind < ERT_N_CEILING_KINDS;
    size_t unit = 0;
    char key[32];
    for (; unit < ERT_N_UNITS; unit++) {
        snprintf(key, sizeof key, "value_%s", ends[unit]);
        if (cJSON_HasObjectItem(element, key))
            break;
    }
    upgrade_keys(element, unit < ERT_N_UNITS ? ends[unit] : "");
    if (kind > ERT_CEILING_COMPUTE && is_ceiling) /* not the unit of execution */
        cJSON_DeleteItemFromObjectCaseSensitive(element, "unit");
    for (size_t i = 0; i < ERT_LENGTH(moves); i++)
        if (is_ceiling || moves[i].old_group)
            upgrade_move(element, i);
    if (!is_ceiling)
        return;
    cJSON_AddStringToObject(element, "unit", ert_unit_words[unit]);
    cJSON_AddStringToObject(element, "kind", ert_ceiling_kind_words[kind]);
}

static void upgrade_device(cJSON *device)
{
    cJSON *ceilings = cJSON_CreateArray();
    for (int i = 0; i < (int)ERT_LENGTH(lists); i++) {
        cJSON *list = cJSON_GetObjectItemCaseSensitive(device, lists[i]), *element;
        cJSON_ArrayForEach(element, list) if (cJSON_IsObject(element))
            upgrade_element(element, (enum ert_ceiling_kind)i);
        while (i < ERT_N_CEILING_KINDS && cJSON_GetArraySize(list) > 0)
            cJSON_AddItemToArray(ceilings, cJSON_DetachItemFromArray(list, 0));
    }
    cJSON_AddItemToObject(device, "ceilings", ceilings);
}

void ert_ceilings_upgrade(cJSON *root)
{
    cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(root, "devices"))
        upgrade_device(device);
}
