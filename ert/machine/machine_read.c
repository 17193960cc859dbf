/* The reading half of machine_json.h. */
#include "ert/machine/machine_json.h"

#include "ert/machine/machine_rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* JSON numbers are doubles: integers above 2^53 do not come back. */
#define INTEGER_MAX (UINT64_C(1) << 53)
/* Above any clock, rate or power of a machine; what is larger is a mistake of the file. */
#define NUMBER_MAX 1e24

static enum ert_status read_text(struct ert_json at, const struct ert_member *row,
                                 void *place, struct ert_error *error)
{
    return ert_json_copy_string(at, row->key, place, row->size, error);
}

static enum ert_status read_u32(struct ert_json at, const struct ert_member *row,
                                void *place, struct ert_error *error)
{
    uint64_t value;
    ERT_TRY(ert_json_u64(at, row->key, 0, UINT32_MAX, &value, error));
    *(uint32_t *)place = (uint32_t)value;
    return ERT_OK;
}

static enum ert_status read_u64(struct ert_json at, const struct ert_member *row,
                                void *place, struct ert_error *error)
{
    return ert_json_u64(at, row->key, 0, INTEGER_MAX, place, error);
}

static enum ert_status read_number(struct ert_json at, const struct ert_member *row,
                                   void *place, struct ert_error *error)
{
    return ert_json_double(at, row->key, 0, NUMBER_MAX, place, error);
}

static enum ert_status read_ordinal(struct ert_json at, const struct ert_member *row,
                                    void *place, struct ert_error *error)
{
    uint64_t value;
    ERT_TRY(ert_json_u64(at, row->key, 0, INT_MAX, &value, error));
    *(int *)place = (int)value;
    return ERT_OK;
}

static enum ert_status read_flag(struct ert_json at, const struct ert_member *row,
                                 void *place, struct ert_error *error)
{
    return ert_json_bool(at, row->key, place, error);
}

typedef enum ert_status read_function(struct ert_json, const struct ert_member *, void *,
                                      struct ert_error *);
static read_function *const read_of[ERT_N_MEMBER_KINDS] = {
    read_text, read_u32, read_u64, read_number, read_number, read_ordinal, read_flag,
};

static enum ert_status read_rows(struct ert_json at, const struct ert_member *rows,
                                 void *target, struct ert_error *error)
{
    for (; rows->key; rows++)
        if (ert_json_has(at, rows->key))
            ERT_TRY(read_of[rows->kind](at, rows, (char *)target + rows->offset, error));
    return ERT_OK;
}

/* An optional array of at most n_max objects into structs of size_bytes each. */
static enum ert_status read_array(struct ert_json at, const char *key,
                                  const struct ert_member *rows, void *target,
                                  size_t size_bytes, size_t n_max, uint32_t *n,
                                  struct ert_error *error)
{
    struct ert_json array;
    if (!ert_json_has(at, key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, key, &array, error));
    size_t length = ert_json_length(array);
    if (length > n_max)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %zu", array.file,
                        array.path, length, n_max);
    for (size_t i = 0; i < length; i++)
        ERT_TRY(read_rows(ert_json_element(array, i), rows, (char *)target + i * size_bytes,
                          error));
    *n = (uint32_t)length;
    return ERT_OK;
}

/* A required word out of a list; *index is its place there. */
static enum ert_status read_word(struct ert_json at, const char *key,
                                 const char *const *words, int *index,
                                 struct ert_error *error)
{
    const char *word;
    char list[96] = "";
    ERT_TRY(ert_json_string(at, key, &word, error));
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            *index = i;
            return ERT_OK;
        }
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, words[i], sizeof list - strlen(list) - 1);
    }
    return ert_fail(error, ERT_USAGE, "%s: %s.%s: '%.40s', must be one of %s", at.file,
                    at.path, key, word, list);
}

static enum ert_status read_levels(struct ert_json at, struct ert_device *device,
                                   struct ert_error *error)
{
    ERT_TRY(read_array(at, "levels", ert_level_rows, device->levels,
                       sizeof device->levels[0], ERT_MAX_LEVELS, &device->n_levels, error));
    if (device->n_levels == 0)
        return ERT_OK;
    struct ert_json array;
    ERT_TRY(ert_json_array(at, "levels", &array, error));
    for (uint32_t i = 0; i < device->n_levels; i++) {
        struct ert_json level = ert_json_element(array, i);
        int kind;
        const char *path;
        ERT_TRY(read_word(level, "kind", ert_level_kind_words, &kind, error));
        device->levels[i].kind = (enum ert_level_kind)kind;
        ERT_TRY(ert_json_string(level, "path", &path, error));
        if (!ert_path_find(path, &device->levels[i].path))
            return ert_fail(error, ERT_USAGE, "%s: %s.path: '%.40s' is no path", level.file,
                            level.path, path);
    }
    return ERT_OK;
}

static enum ert_status read_cpu(struct ert_json at, struct ert_cpu *cpu,
                                struct ert_error *error)
{
    struct ert_json own;
    if (!ert_json_has(at, "cpu"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "cpu", &own, error));
    ERT_TRY(read_rows(own, ert_cpu_rows, cpu, error));
    if (ert_json_has(own, "isa")) {
        struct ert_json isa;
        ERT_TRY(ert_json_object(own, "isa", &isa, error));
        ERT_TRY(read_rows(isa, ert_isa_rows, &cpu->isa, error));
    }
    ERT_TRY(read_array(own, "numa", ert_numa_rows, cpu->numa, sizeof cpu->numa[0],
                       ERT_MAX_NUMA, &cpu->n_numa, error));
    return read_array(own, "core_kinds", ert_core_kind_rows, cpu->core_kinds,
                      sizeof cpu->core_kinds[0], ERT_MAX_CORE_KINDS, &cpu->n_core_kinds,
                      error);
}

static enum ert_status read_gpu(struct ert_json at, struct ert_gpu *gpu,
                                struct ert_error *error)
{
    struct ert_json own;
    if (!ert_json_has(at, "gpu"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "gpu", &own, error));
    return read_rows(own, ert_gpu_rows, gpu, error);
}

static enum ert_status read_device(struct ert_json at, struct ert_device *device,
                                   struct ert_error *error)
{
    int kind;
    ERT_TRY(read_word(at, "kind", ert_device_kind_words, &kind, error));
    device->kind = (enum ert_device_kind)kind;
    ERT_TRY(read_levels(at, device, error));
    ERT_TRY(read_cpu(at, &device->cpu, error));
    return read_gpu(at, &device->gpu, error);
}

static enum ert_status read_notes(struct ert_json at, struct ert_machine *machine,
                                  struct ert_error *error)
{
    struct ert_json notes;
    if (!ert_json_has(at, "notes"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "notes", &notes, error));
    for (size_t i = 0; i < ert_json_length(notes); i++) {
        const char *text;
        ERT_TRY(ert_json_as_string(ert_json_element(notes, i), &text, error));
        if (strlen(text) >= sizeof machine->notes[0])
            return ert_fail(error, ERT_USAGE, "%s: %s[%zu]: %zu bytes, must be at most %zu",
                            at.file, notes.path, i, strlen(text),
                            sizeof machine->notes[0] - 1);
        ert_machine_note(machine, "%s", text);
    }
    return ERT_OK;
}

static enum ert_status read_machine(struct ert_json at, struct ert_machine *machine,
                                    struct ert_error *error)
{
    struct ert_json own;
    machine->provenance.load_average = machine->provenance.running = -1;
    if (ert_json_has(at, "provenance")) {
        ERT_TRY(ert_json_object(at, "provenance", &own, error));
        ERT_TRY(read_rows(own, ert_provenance_rows, &machine->provenance, error));
    }
    ERT_TRY(read_array(at, "devices", ert_device_rows, machine->devices,
                       sizeof machine->devices[0], ERT_MAX_DEVICES, &machine->n_devices,
                       error));
    if (machine->n_devices > 0)
        ERT_TRY(ert_json_array(at, "devices", &own, error));
    for (uint32_t i = 0; i < machine->n_devices; i++)
        ERT_TRY(read_device(ert_json_element(own, i), &machine->devices[i], error));
    return read_notes(at, machine, error);
}

enum ert_status ert_machine_from_json(struct ert_json at, struct ert_machine *machine,
                                      struct ert_error *error)
{
    /* On the heap: the struct is a few hundred KiB, too much for a small stack. */
    struct ert_machine *read = calloc(1, sizeof *read);
    if (!read)
        return ert_fail(error, ERT_FAILED, "out of memory: %zu bytes for a machine",
                        sizeof *read);
    enum ert_status status = read_machine(at, read, error);
    if (status == ERT_OK)
        *machine = *read;
    free(read);
    return status;
}
