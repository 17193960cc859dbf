/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/machine_json.h"

#include <stdlib.h>
#include <string.h>

static const char *const device_kinds[] = {"cpu", "gpu", NULL};
static const char *const level_kinds[] = {"scratchpad", "cache", "memory", NULL};

/* The keys are the members' names, which include units. */
#define TEXT(type, member) ERT_ROW_TEXT(struct type, NULL, #member, member, false)
#define U32(type, member)  ERT_ROW(struct type, NULL, #member, COUNT, member, OPTIONAL)
#define U64(type, member)  ERT_ROW(struct type, NULL, #member, U64, member, NULL)
#define BYTES(type, member)                                                                \
    ERT_ROW_WITHIN(struct type, #member, U64, member, NULL, 0, 0x1p50)
#define NUMBER(type, member) ERT_ROW(struct type, NULL, #member, NUMBER, member, NULL)
#define FLAG(type, member)   ERT_ROW_FLAG(struct type, NULL, #member, member)

const struct ert_field ert_provenance_rows[ERT_N_PROVENANCE_ROWS] = {
    TEXT(ert_provenance, host),
    TEXT(ert_provenance, os),
    TEXT(ert_provenance, kernel),
    TEXT(ert_provenance, tool_version),
    TEXT(ert_provenance, git),
    TEXT(ert_provenance, compiler),
    TEXT(ert_provenance, flags),
    TEXT(ert_provenance, nvcc),
    TEXT(ert_provenance, cuda_driver),
    TEXT(ert_provenance, cuda_runtime),
    TEXT(ert_provenance, nvidia_driver),
    TEXT(ert_provenance, command),
    TEXT(ert_provenance, topology_source),
};

const struct ert_field ert_device_rows[ERT_N_DEVICE_ROWS] = {
    TEXT(ert_device, id),           TEXT(ert_device, backend),
    TEXT(ert_device, name),         NUMBER(ert_device, base_hz),
    TEXT(ert_device, base_source),  NUMBER(ert_device, boost_hz),
    TEXT(ert_device, boost_source),
};

const struct ert_field ert_level_rows[ERT_N_LEVEL_ROWS] = {
    TEXT(ert_level, name),
    BYTES(ert_level, size_bytes),
    /* Linux has at most this many CPUs (NR_CPUS), and the sum of their bytes fits a uint64_t. */
    ERT_ROW_WITHIN(struct ert_level, "count", COUNT, count, OPTIONAL, 0, 8192),
    U32(ert_level, line_bytes),
    U32(ert_level, ways),
    FLAG(ert_level, memory_side),
    TEXT(ert_level, source),
    ERT_ROW_WORD(struct ert_level, "kind", level_kinds, kind),
    ERT_ROW_WORD(struct ert_level, "path", ert_path_words, path),
};

const struct ert_field ert_cpu_rows[ERT_N_CPU_ROWS] = {
    TEXT(ert_cpu, vendor),
    U32(ert_cpu, family),
    U32(ert_cpu, model),
    U32(ert_cpu, stepping),
    U32(ert_cpu, n_packages),
    U32(ert_cpu, n_cores),
    U32(ert_cpu, n_pus),
    U32(ert_cpu, n_cores_usable),
    U32(ert_cpu, n_pus_usable),
    NUMBER(ert_cpu, cpus_quota),
    TEXT(ert_cpu, governor),
    TEXT(ert_cpu, turbo),
    TEXT(ert_cpu, hypervisor),
    TEXT(ert_cpu, dram_stated),
    U64(ert_cpu, memory_available_bytes),
    U64(ert_cpu, memory_limit_bytes),
};

const struct ert_field ert_isa_rows[ERT_N_ISA_ROWS] = {
    FLAG(ert_isa, sse2),       FLAG(ert_isa, avx),        FLAG(ert_isa, avx2),
    FLAG(ert_isa, fma),        FLAG(ert_isa, avx512f),    FLAG(ert_isa, avx512vnni),
    FLAG(ert_isa, avx512bf16), FLAG(ert_isa, avx512fp16), FLAG(ert_isa, avxvnni),
    FLAG(ert_isa, amx_tile),   FLAG(ert_isa, amx_bf16),   FLAG(ert_isa, amx_int8),
    FLAG(ert_isa, neon),       FLAG(ert_isa, neonfp16),   FLAG(ert_isa, neondot),
    FLAG(ert_isa, sve),        FLAG(ert_isa, sve128),     FLAG(ert_isa, sve256),
    FLAG(ert_isa, sve512),
};

const struct ert_field ert_numa_rows[ERT_N_NUMA_ROWS] = {
    U32(ert_numa_node, os_index),
    TEXT(ert_numa_node, kind),
    BYTES(ert_numa_node, size_bytes),
    U32(ert_numa_node, n_cores),
    NUMBER(ert_numa_node, bandwidth_bytes_per_s),
};

const struct ert_field ert_core_kind_rows[ERT_N_CORE_KIND_ROWS] = {
    TEXT(ert_core_kind, name),
    U32(ert_core_kind, n_cores),
    NUMBER(ert_core_kind, max_hz),
};

const struct ert_field ert_gpu_rows[ERT_N_GPU_ROWS] = {
    U32(ert_gpu, ordinal),
    TEXT(ert_gpu, uuid),
    TEXT(ert_gpu, pci),
    U32(ert_gpu, cc_major),
    U32(ert_gpu, cc_minor),
    U32(ert_gpu, n_sms),
    U32(ert_gpu, warp_size),
    U32(ert_gpu, max_threads_per_sm),
    U64(ert_gpu, shared_per_sm_bytes),
    U64(ert_gpu, shared_per_block_bytes),
    U64(ert_gpu, l1_per_sm_bytes),
    U64(ert_gpu, l2_bytes),
    U64(ert_gpu, memory_bytes),
    U64(ert_gpu, memory_free_bytes),
    U32(ert_gpu, bus_width_bits),
    NUMBER(ert_gpu, memory_clock_hz),
    NUMBER(ert_gpu, power_limit_w),
    TEXT(ert_gpu, ecc),
    TEXT(ert_gpu, mig),
    U32(ert_gpu, utilization_percent),
    TEXT(ert_gpu, busy),
};

/* Written after the part that is specific to the kind, and that has the kind as its key. */
static const struct ert_field kind_rows[] = {
    ERT_ROW_WORD(struct ert_device, "kind", device_kinds, kind),
};

/* The members that are lists, as arguments for writing and reading them. */
#define NUMA(cpu) "numa", ERT_ROWS(ert_numa_rows), (cpu)->numa, sizeof(cpu)->numa[0]
#define CORE_KINDS(cpu)                                                                    \
    "core_kinds", ERT_ROWS(ert_core_kind_rows), (cpu)->core_kinds,                         \
        sizeof(cpu)->core_kinds[0]
#define LEVELS(device)                                                                     \
    "levels", ERT_ROWS(ert_level_rows), (device)->levels, sizeof(device)->levels[0]

static void machine_json_add_cpu(cJSON *object, const struct ert_cpu *cpu)
{
    ert_fields_write(object, ERT_ROWS(ert_cpu_rows), cpu);
    ert_fields_write(cJSON_AddObjectToObject(object, "isa"), ERT_ROWS(ert_isa_rows),
                     &cpu->isa);
    ert_fields_write_list(object, NUMA(cpu), cpu->n_numa);
    ert_fields_write_list(object, CORE_KINDS(cpu), cpu->n_core_kinds);
}

static void machine_json_add_device(cJSON *object, const struct ert_device *device)
{
    ert_fields_write(object, ERT_ROWS(ert_device_rows), device);
    cJSON *own = cJSON_AddObjectToObject(object, device_kinds[device->kind]);
    if (device->kind == ERT_DEVICE_CPU)
        machine_json_add_cpu(own, &device->cpu);
    else
        ert_fields_write(own, ERT_ROWS(ert_gpu_rows), &device->gpu);
    ert_fields_write(object, ERT_ROWS(kind_rows), device);
    ert_fields_write_list(object, LEVELS(device), device->n_levels);
}

cJSON *ert_machine_to_json(const struct ert_machine *machine)
{
    cJSON *object = cJSON_CreateObject();
    ert_fields_write(cJSON_AddObjectToObject(object, "provenance"),
                     ERT_ROWS(ert_provenance_rows), &machine->provenance);
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (uint32_t i = 0; i < machine->n_devices; i++)
        machine_json_add_device(ert_json_add_object(devices), &machine->devices[i]);
    for (uint32_t i = 0; i < machine->n_notes; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(machine->notes[i]));
    return object;
}

static enum ert_status read_part(struct ert_json at, const char *key,
                                 const struct ert_field *rows, size_t n_rows, void *target,
                                 struct ert_error *error)
{
    struct ert_json own;
    if (!ert_json_has(at, key))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, key, &own, error));
    return ert_fields_read(own, rows, n_rows, target, error);
}

static enum ert_status read_cpu(struct ert_json at, struct ert_cpu *cpu,
                                struct ert_error *error)
{
    struct ert_json own;
    if (!ert_json_has(at, "cpu"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "cpu", &own, error));
    ERT_TRY(ert_fields_read(own, ERT_ROWS(ert_cpu_rows), cpu, error));
    ERT_TRY(read_part(own, "isa", ERT_ROWS(ert_isa_rows), &cpu->isa, error));
    if (ert_json_has(own, "numa"))
        ERT_TRY(ert_fields_read_list(own, NUMA(cpu), ERT_MAX_NUMA, &cpu->n_numa, error));
    if (ert_json_has(own, "core_kinds"))
        ERT_TRY(ert_fields_read_list(own, CORE_KINDS(cpu), ERT_MAX_CORE_KINDS,
                                     &cpu->n_core_kinds, error));
    return ERT_OK;
}

static enum ert_status machine_json_read_device(struct ert_json at,
                                                struct ert_device *device,
                                                struct ert_error *error)
{
    ERT_TRY(ert_fields_read(at, ERT_ROWS(kind_rows), device, error));
    if (ert_json_has(at, "levels"))
        ERT_TRY(ert_fields_read_list(at, LEVELS(device), ERT_MAX_LEVELS, &device->n_levels,
                                     error));
    ERT_TRY(read_cpu(at, &device->cpu, error));
    return read_part(at, "gpu", ERT_ROWS(ert_gpu_rows), &device->gpu, error);
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
        ERT_TRY(ert_json_as_string(ert_json_element(&notes, i), &text, error));
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
    struct ert_json list;
    ERT_TRY(read_part(at, "provenance", ERT_ROWS(ert_provenance_rows), &machine->provenance,
                      error));
    if (ert_json_has(at, "devices")) {
        ERT_TRY(ert_fields_read_list(at, "devices", ERT_ROWS(ert_device_rows),
                                     machine->devices, sizeof machine->devices[0],
                                     ERT_MAX_DEVICES, &machine->n_devices, error));
        ERT_TRY(ert_json_array(at, "devices", &list, error));
    }
    for (uint32_t i = 0; i < machine->n_devices; i++)
        ERT_TRY(machine_json_read_device(ert_json_element(&list, i), &machine->devices[i],
                                         error));
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
