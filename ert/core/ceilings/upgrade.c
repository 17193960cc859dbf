/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/upgrade.h"

#include "ert/core/ceilings/ceilings.h"

#include <string.h>

/* The ends of the keys of rates, and their unit. */
static const struct {
    const char *suffix;
    enum ert_unit unit;
} suffixes[] = {
    {"_inst_per_s",  ERT_UNIT_INST_PER_S}, /* before "_per_s" */
    {"_flop_per_s",  ERT_UNIT_FLOP_PER_S},
    {"_bytes_per_s", ERT_UNIT_BYTE_PER_S},
    {"_op_per_s",    ERT_UNIT_OP_PER_S  },
    {"_per_s",       ERT_UNIT_PER_S     },
    {"_s",           ERT_UNIT_S         },
};

/* Keys of rates in /2, without their ends. */
static const char *const rates[] = {"value",    "interval", "best",      "theory",
                                    "lockstep", "alone",    "aggregate", "low",
                                    "high",     "rounds",   NULL};

/* Keys of a ceiling in /2, and of /3: a group or NULL, and the key in it. */
static const struct move {
    const char *old_group, *old_key, *group, *key;
} moves[] = {
    {NULL,             "unit",               NULL,        "execution_unit"},
    {NULL,             "theory",             "of_theory", "value"         },
    {NULL,             "fraction_of_theory", "of_theory", "fraction"      },
    {NULL,             "theory_name",        "of_theory", "name"          },
    {NULL,             "theory_clock",       "of_theory", "clock"         },
    {NULL,             "of_theory",          NULL,        "theory"        },
    {NULL,             "lockstep",           "at_once",   "value"         },
    {NULL,             "imbalance",          "at_once",   "imbalance"     },
    {"threads",        "lockstep",           "at_once",   "value"         },
    {"threads",        "imbalance",          "at_once",   "imbalance"     },
    {"threads",        "slowest_cpu",        "at_once",   "slowest_cpu"   },
    {"threads",        "slowest_share",      "at_once",   "slowest_share" },
    {NULL,             "at_once",            NULL,        "lockstep"      },
    {"capacity_bytes", "measured",           "capacity",  "measured_bytes"},
    {"capacity_bytes", "reported",           "capacity",  "reported_bytes"},
};

/* The keys of /2's lists of ceilings, by kind. */
static const char *const lists[ERT_N_CEILING_KINDS] = {
    "compute", "memory",     "latency",   "access",  "concurrency", "links",
    "numa",    "core_kinds", "multi_gpu", "network", "collectives"};

/* Null, and a text of nothing, were what is left out now. */
static bool upgrade_is_unknown(const cJSON *value)
{
    return cJSON_IsNull(value) || (cJSON_IsString(value) && !*value->valuestring);
}

/* Takes the units from the keys of rates, and what is unknown. *unit: as the keys say, if any does. */
static void upgrade_keys(cJSON *object, enum ert_unit *unit)
{
    for (cJSON *child = object->child, *next; child; child = next) {
        next = child->next;
        if (upgrade_is_unknown(child)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(object, child));
            continue;
        }
        if (cJSON_IsObject(child))
            upgrade_keys(child, unit);
        for (size_t s = 0; s < ERT_LENGTH(suffixes); s++)
            for (const char *const *rate = rates; *rate; rate++) {
                const size_t n = strlen(*rate);
                if (strncmp(child->string, *rate, n) != 0 ||
                    strcmp(child->string + n, suffixes[s].suffix) != 0)
                    continue;
                child->string[n] = '\0';
                *unit = suffixes[s].unit;
                break;
            }
    }
}

static cJSON *upgrade_detach(cJSON *object, const char *group, const char *key)
{
    cJSON *in = group ? cJSON_GetObjectItemCaseSensitive(object, group) : object;
    return cJSON_DetachItemFromObjectCaseSensitive(in, key);
}

static void upgrade_attach(cJSON *object, const char *group, const char *key, cJSON *value)
{
    cJSON *in = group ? cJSON_GetObjectItemCaseSensitive(object, group) : object;
    if (!in)
        in = cJSON_AddObjectToObject(object, group);
    cJSON_AddItemToObject(in, key, value);
}

/* [first, last] as two members. */
static void upgrade_range(cJSON *object, const char *old_key, const char *group,
                          const char *first, const char *last)
{
    cJSON *range = cJSON_DetachItemFromObjectCaseSensitive(object, old_key);
    if (cJSON_GetArraySize(range) == 2) {
        upgrade_attach(object, group, first, cJSON_DetachItemFromArray(range, 0));
        upgrade_attach(object, group, last, cJSON_DetachItemFromArray(range, 0));
    }
    cJSON_Delete(range);
}

static void upgrade_ceiling(cJSON *object, enum ert_ceiling_kind kind)
{
    enum ert_unit unit = ERT_UNIT_BYTE_PER_S;
    upgrade_keys(object, &unit);
    if (kind > ERT_CEILING_MEMORY) /* their unit was that of the value */
        cJSON_DeleteItemFromObjectCaseSensitive(object, "unit");
    for (size_t i = 0; i < ERT_LENGTH(moves); i++) {
        cJSON *value = upgrade_detach(object, moves[i].old_group, moves[i].old_key);
        if (value)
            upgrade_attach(object, moves[i].group, moves[i].key, value);
    }
    upgrade_range(object, "interval", NULL, "low", "high");
    upgrade_range(object, "plateau_bytes", "plateau", "first_bytes", "last_bytes");
    cJSON_AddStringToObject(object, "unit", ert_unit_words[unit]);
    cJSON_AddStringToObject(object, "kind", ert_ceiling_kind_words[kind]);
}

static void upgrade_device(cJSON *device)
{
    enum ert_unit unit;
    cJSON *ceilings = cJSON_CreateArray(), *element;
    for (int kind = 0; kind < ERT_N_CEILING_KINDS; kind++) {
        cJSON *list = cJSON_DetachItemFromObjectCaseSensitive(device, lists[kind]);
        while (cJSON_IsArray(list) && list->child) {
            element = cJSON_DetachItemFromArray(list, 0);
            if (cJSON_IsObject(element))
                upgrade_ceiling(element, (enum ert_ceiling_kind)kind);
            cJSON_AddItemToArray(ceilings, element);
        }
        cJSON_Delete(list);
    }
    cJSON_AddItemToObject(device, "ceilings", ceilings);
    cJSON_ArrayForEach(element, cJSON_GetObjectItemCaseSensitive(
                                    device, "theory")) if (cJSON_IsObject(element))
        upgrade_keys(element, &unit);
    cJSON_ArrayForEach(element, cJSON_GetObjectItemCaseSensitive(
                                    device, "unattributed")) if (cJSON_IsObject(element))
        upgrade_range(element, "plateau_bytes", NULL, "first_bytes", "last_bytes");
}

void ert_ceilings_upgrade(cJSON *root)
{
    cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(
                                   root, "devices")) if (cJSON_IsObject(device))
        upgrade_device(device);
}
