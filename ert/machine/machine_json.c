#include "ert/machine/machine_json.h"

#include "ert/machine/machine_rows.h"

#include <math.h>

static cJSON *text_value(const void *place)
{
    return cJSON_CreateString(place);
}

static cJSON *u32_value(const void *place)
{
    return cJSON_CreateNumber(*(const uint32_t *)place);
}

static cJSON *u64_value(const void *place)
{
    uint64_t value = *(const uint64_t *)place;
    return value ? cJSON_CreateNumber((double)value) : cJSON_CreateNull();
}

static cJSON *number_value(const void *place)
{
    double value = *(const double *)place;
    return value > 0 && isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static cJSON *load_value(const void *place)
{
    double value = *(const double *)place;
    return value >= 0 && isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static cJSON *ordinal_value(const void *place)
{
    return cJSON_CreateNumber(*(const int *)place);
}

static cJSON *flag_value(const void *place)
{
    return cJSON_CreateBool(*(const bool *)place);
}

static cJSON *(*const value_of[ERT_N_MEMBER_KINDS])(const void *) = {
    text_value, u32_value, u64_value, number_value, load_value, ordinal_value, flag_value,
};

/* Adds an item to the object; false (and nothing leaks) when memory runs out. */
static bool add_item(cJSON *object, const char *key, cJSON *item)
{
    if (item && cJSON_AddItemToObject(object, key, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool add_rows(cJSON *object, const struct ert_member *rows, const void *source)
{
    for (; rows->key; rows++)
        if (!add_item(object, rows->key,
                      value_of[rows->kind]((const char *)source + rows->offset)))
            return false;
    return true;
}

static cJSON *rows_object(const struct ert_member *rows, const void *source)
{
    cJSON *object = cJSON_CreateObject();
    if (object && add_rows(object, rows, source))
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* n structs of size_bytes each as an array of objects. */
static bool add_array(cJSON *object, const char *key, const struct ert_member *rows,
                      const void *source, size_t size_bytes, size_t n)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; array && i < n; i++) {
        cJSON *item = rows_object(rows, (const char *)source + i * size_bytes);
        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            return false;
        }
    }
    return array != NULL;
}

static bool add_levels(cJSON *object, const struct ert_device *device)
{
    if (!add_array(object, "levels", ert_level_rows, device->levels,
                   sizeof device->levels[0], device->n_levels))
        return false;
    cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "levels");
    for (uint32_t i = 0; i < device->n_levels; i++) {
        cJSON *level = cJSON_GetArrayItem(array, (int)i);
        if (!cJSON_AddStringToObject(level, "kind",
                                     ert_level_kind_words[device->levels[i].kind]) ||
            !cJSON_AddStringToObject(level, "path", ert_path_name(device->levels[i].path)))
            return false;
    }
    return true;
}

static bool add_cpu(cJSON *object, const struct ert_cpu *cpu)
{
    return add_rows(object, ert_cpu_rows, cpu) &&
           add_item(object, "isa", rows_object(ert_isa_rows, &cpu->isa)) &&
           add_array(object, "numa", ert_numa_rows, cpu->numa, sizeof cpu->numa[0],
                     cpu->n_numa) &&
           add_array(object, "core_kinds", ert_core_kind_rows, cpu->core_kinds,
                     sizeof cpu->core_kinds[0], cpu->n_core_kinds);
}

static bool add_device(cJSON *array, const struct ert_device *device)
{
    cJSON *object = rows_object(ert_device_rows, device);
    if (!object || !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return false;
    }
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    cJSON *own = cJSON_AddObjectToObject(object, ert_device_kind_words[device->kind]);
    return own &&
           cJSON_AddStringToObject(object, "kind", ert_device_kind_words[device->kind]) &&
           add_levels(object, device) &&
           (is_cpu ? add_cpu(own, &device->cpu)
                   : add_rows(own, ert_gpu_rows, &device->gpu));
}

static bool add_machine(cJSON *object, const struct ert_machine *machine)
{
    if (!add_item(object, "provenance",
                  rows_object(ert_provenance_rows, &machine->provenance)))
        return false;
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    for (uint32_t i = 0; devices && i < machine->n_devices; i++)
        if (!add_device(devices, &machine->devices[i]))
            return false;
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (uint32_t i = 0; notes && i < machine->n_notes; i++) {
        cJSON *note = cJSON_CreateString(machine->notes[i]);
        if (!note || !cJSON_AddItemToArray(notes, note)) {
            cJSON_Delete(note);
            return false;
        }
    }
    return devices && notes;
}

cJSON *ert_machine_to_json(const struct ert_machine *machine)
{
    cJSON *object = cJSON_CreateObject();
    if (object && add_machine(object, machine))
        return object;
    cJSON_Delete(object);
    return NULL;
}
