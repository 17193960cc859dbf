#include "ert/ceilings/ceilings_json.h"

#include "ert/base/fields.h"
#include "ert/ceilings/ceilings_rows.h"
#include "ert/machine/machine_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Said in the file, so that nobody takes it for the scatter of single samples. */
#define INTERVAL_OF                                                                        \
    "the value of the next run falls into it with 90 % probability: bootstrap of the "     \
    "estimate over the rounds, and what runs differ by"

static const char schema_name[] = "ert-ceilings/";
enum { SCHEMA_MAJOR = 1, MAX_CURVE = 1 << 20 };

static const struct ert_field curve_rows[] = {
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "kernel", kernel, true),
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "path", path, true),
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "variant", variant, false),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "flops_per_element", COUNT,
                    flops_per_element),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "working_set_bytes", NUMBER,
                    working_set_bytes),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "rate_bytes_per_s", NUMBER,
                    rate_bytes_per_s),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "perf_flop_per_s", NUMBER,
                    perf_flop_per_s),
    ERT_ROW_EXACT(struct ert_curve_point, "n_samples", COUNT, n_samples),
};

static const struct ert_field device_rows[] = {
    ERT_ROW_TEXT(struct ert_device_ceilings, NULL, "id", device, true),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, NULL, "held_hz", NUMBER, held_hz),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, "activity", "elapsed_s", NUMBER,
                    activity.elapsed_s),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, "activity", "n_cpus", COUNT,
                    activity.n_cpus),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, "activity", "own_share", NUMBER,
                    activity.own),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, "activity", "foreign_share", NUMBER,
                    activity.foreign),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, "activity", "steal_share", NUMBER,
                    activity.steal),
    ERT_ROW_UNKNOWN(struct ert_device_ceilings, NULL, "between_runs", NUMBER, between),
    ERT_ROW_EXACT(struct ert_device_ceilings, "trusted", FLAG, trusted),
    ERT_ROW_TEXT(struct ert_device_ceilings, NULL, "distrust", distrust, false),
};

static const struct ert_field file_rows[] = {
    ERT_ROW_TEXT(struct ert_ceilings, NULL, "created", created, true),
    ERT_ROW_TEXT(struct ert_ceilings, NULL, "status", status, true),
    ERT_ROW_TEXT(struct ert_ceilings, NULL, "mode", mode, false),
};

/* Written in ERT's mode only. */
static const struct ert_field ert110_rows[] = {
    ERT_ROW_UNKNOWN(struct ert_ceilings, "ert110", "memory_bytes", U64, ert110.bytes),
    ERT_ROW_UNKNOWN(struct ert_ceilings, "ert110", "align_bytes", COUNT,
                    ert110.align_bytes),
    ERT_ROW_FLAG(struct ert_ceilings, "ert110", "is_aligned", ert110.is_aligned),
    ERT_ROW_FLAG(struct ert_ceilings, "ert110", "copies", ert110.copies),
};

/* What made the file, for readers that do not want the whole machine. Not read back. */
static bool write_tool(cJSON *root, const struct ert_provenance *provenance)
{
    const struct {
        const char *key, *value;
    } rows[] = {
        {"version",  provenance->tool_version},
        {"git",      provenance->git         },
        {"compiler", provenance->compiler    },
        {"flags",    provenance->flags       },
    };
    cJSON *tool = cJSON_AddObjectToObject(root, "tool");
    bool good = tool != NULL;
    for (size_t i = 0; good && i < sizeof rows / sizeof rows[0]; i++)
        good = cJSON_AddStringToObject(tool, rows[i].key, rows[i].value) != NULL;
    return good;
}

static cJSON *add_element(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    if (object && !cJSON_AddItemToArray(array, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static bool write_list(cJSON *device, const struct ert_ceilings_list *list,
                       const struct ert_device_ceilings *from)
{
    size_t n = *(const size_t *)(const void *)((const char *)from + list->count);
    const char *elements = (const char *)from + list->list;
    cJSON *array = cJSON_AddArrayToObject(device, list->key);
    for (size_t i = 0; array && i < n; i++) {
        cJSON *object = add_element(array);
        if (!object || !list->write(object, elements + i * list->size_bytes))
            return false;
    }
    return array != NULL;
}

static bool write_curve(cJSON *device, const struct ert_device_ceilings *from)
{
    cJSON *array = cJSON_AddArrayToObject(device, "curve");
    for (size_t i = 0; array && i < from->n_curve; i++) {
        cJSON *object = add_element(array);
        if (!object || !ert_fields_write(object, ERT_ROWS(curve_rows), "", &from->curve[i]))
            return false;
    }
    return array != NULL;
}

static bool write_device(cJSON *array, const struct ert_ceilings *ceilings, size_t index)
{
    const struct ert_device_ceilings *from = &ceilings->devices[index];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    const char *kind = device && device->kind == ERT_DEVICE_GPU ? "gpu" : "cpu";
    cJSON *object = add_element(array);
    bool good = object && ert_fields_write(object, ERT_ROWS(device_rows), "", from) &&
                cJSON_AddStringToObject(object, "kind", kind) &&
                cJSON_AddStringToObject(object, "name", device ? device->name : "");
    for (size_t i = 0; good && i < ERT_N_CEILINGS_LISTS; i++)
        good = write_list(object, &ert_ceilings_lists[i], from);
    return good && write_curve(object, from);
}

static bool write_root(cJSON *root, const struct ert_ceilings *ceilings)
{
    char schema[32];
    snprintf(schema, sizeof schema, "%s%d", schema_name, SCHEMA_MAJOR);
    if (!cJSON_AddStringToObject(root, "schema", schema) ||
        !write_tool(root, &ceilings->machine->provenance) ||
        !ert_fields_write(root, ERT_ROWS(file_rows), "", ceilings) ||
        (*ceilings->mode && !ert_fields_write(root, ERT_ROWS(ert110_rows), "", ceilings)) ||
        !cJSON_AddStringToObject(root, "interval_of", INTERVAL_OF))
        return false;
    cJSON *machine = ert_machine_to_json(ceilings->machine);
    if (!machine || !cJSON_AddItemToObject(root, "machine", machine)) {
        cJSON_Delete(machine);
        return false;
    }
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    bool good = devices != NULL;
    for (size_t i = 0; good && i < ceilings->n_devices; i++)
        good = write_device(devices, ceilings, i);
    return good;
}

cJSON *ert_ceilings_to_json(const struct ert_ceilings *ceilings)
{
    cJSON *root = cJSON_CreateObject();
    if (root && write_root(root, ceilings))
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* "ert-ceilings/1" and "ert-ceilings/1.4" are read; a newer major version is refused by name. */
static enum ert_status check_schema(struct ert_json root, struct ert_error *error)
{
    const char *schema;
    char *end;
    ERT_TRY(ert_json_string(root, "schema", &schema, error));
    size_t length = strlen(schema_name);
    long major =
        strncmp(schema, schema_name, length) ? 0 : strtol(schema + length, &end, 10);
    if (major > SCHEMA_MAJOR)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema '%s' is newer than this program, which reads %s%d",
                        root.file, schema, schema_name, SCHEMA_MAJOR);
    if (major != SCHEMA_MAJOR || (*end != '\0' && *end != '.'))
        return ert_fail(error, ERT_USAGE, "%s: schema '%s', must be %s%d", root.file,
                        schema, schema_name, SCHEMA_MAJOR);
    return ERT_OK;
}

/* Within the limits of a configuration (sweep/config.c); 0: not in the file. */
static enum ert_status check_ert110(struct ert_json root,
                                    const struct ert110_memory *memory,
                                    struct ert_error *error)
{
    uint32_t align = memory->align_bytes;
    if (ert_json_has(root, "classic"))
        return ert_fail(error, ERT_USAGE,
                        "%s: classic: the key of an older ert, this one reads ert110: fit "
                        "the samples again, or rename the key",
                        root.file);
    if (memory->bytes > UINT64_C(1) << 46)
        return ert_fail(error, ERT_USAGE,
                        "%s: ert110.memory_bytes: %.12g, must be from 1 to 2^46", root.file,
                        (double)memory->bytes);
    if (align != 0 && (align < 8 || align > 4096 || (align & (align - 1)) != 0))
        return ert_fail(error, ERT_USAGE,
                        "%s: ert110.align_bytes: %u, must be a power of two from 8 to "
                        "4096",
                        root.file, align);
    return ERT_OK;
}

static enum ert_status check_length(struct ert_json array, size_t max,
                                    struct ert_error *error)
{
    if (ert_json_length(array) <= max)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %zu are read",
                    array.file, array.path, ert_json_length(array), max);
}

static enum ert_status read_list(struct ert_json at, const struct ert_ceilings_list *list,
                                 struct ert_device_ceilings *to, struct ert_error *error)
{
    struct ert_json array;
    if (!list->required && !ert_json_has(at, list->key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, list->key, &array, error));
    ERT_TRY(check_length(array, list->max, error));
    size_t n = ert_json_length(array);
    for (size_t i = 0; i < n; i++)
        ERT_TRY(list->read(ert_json_element(array, i),
                           (char *)to + list->list + i * list->size_bytes, error));
    *(size_t *)(void *)((char *)to + list->count) = n;
    return ERT_OK;
}

static enum ert_status read_curve(struct ert_json at, struct ert_device_ceilings *to,
                                  struct ert_error *error)
{
    struct ert_json array;
    if (!ert_json_has(at, "curve"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "curve", &array, error));
    ERT_TRY(check_length(array, MAX_CURVE, error));
    size_t n = ert_json_length(array);
    to->curve = calloc(n ? n : 1, sizeof *to->curve);
    if (!to->curve)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu points", at.file, n);
    for (size_t i = 0; i < n; i++)
        ERT_TRY(ert_fields_read(ert_json_element(array, i), ERT_ROWS(curve_rows), "",
                                &to->curve[i], error));
    to->n_curve = n;
    return ERT_OK;
}

/* The index-th of the devices, those before it read. */
static enum ert_status read_device(struct ert_json at, const struct ert_machine *machine,
                                   struct ert_device_ceilings *devices, size_t index,
                                   struct ert_error *error)
{
    struct ert_device_ceilings *to = &devices[index];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(device_rows), "", to, error));
    if (!ert_machine_device(machine, to->device))
        return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' is no device of the machine",
                        at.file, at.path, to->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(devices[i].device, to->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' stands twice", at.file,
                            at.path, to->device);
    for (size_t i = 0; i < ERT_N_CEILINGS_LISTS; i++)
        ERT_TRY(read_list(at, &ert_ceilings_lists[i], to, error));
    return read_curve(at, to, error);
}

static enum ert_status read_root(struct ert_json root, struct ert_ceilings *to,
                                 struct ert_error *error)
{
    struct ert_json machine, devices;
    ERT_TRY(check_schema(root, error));
    ERT_TRY(ert_fields_read(root, ERT_ROWS(file_rows), "", to, error));
    ERT_TRY(ert_fields_read(root, ERT_ROWS(ert110_rows), "", to, error));
    ERT_TRY(check_ert110(root, &to->ert110, error));
    ERT_TRY(ert_json_object(root, "machine", &machine, error));
    ERT_TRY(ert_json_array(root, "devices", &devices, error));
    ERT_TRY(check_length(devices, ERT_MAX_DEVICES, error));
    size_t n = ert_json_length(devices);
    to->machine = calloc(1, sizeof *to->machine);
    to->devices = calloc(n ? n : 1, sizeof *to->devices);
    if (!to->machine || !to->devices)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu devices", root.file,
                        n);
    to->n_devices = n;
    ERT_TRY(ert_machine_from_json(machine, to->machine, error));
    for (size_t i = 0; i < n; i++)
        ERT_TRY(
            read_device(ert_json_element(devices, i), to->machine, to->devices, i, error));
    return ERT_OK;
}

enum ert_status ert_ceilings_from_json(struct ert_json root, struct ert_ceilings *ceilings,
                                       struct ert_error *error)
{
    struct ert_ceilings read = {0};
    enum ert_status status = read_root(root, &read, error);
    if (status == ERT_OK)
        *ceilings = read;
    else
        ert_ceilings_free(&read);
    return status;
}
