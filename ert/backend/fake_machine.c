#include "ert/backend/fake_machine.h"

#include "ert/backend/fake_plant.h"

#include <stdio.h>
#include <stdlib.h>

struct planted_level {
    const char *name;
    enum ert_level_kind kind;
    enum ert_path path;
    uint64_t size_bytes;
    uint32_t count;
};

static void add_levels(struct ert_device *device, const struct planted_level *levels,
                       uint32_t n)
{
    device->n_levels = n;
    for (uint32_t i = 0; i < n; i++) {
        struct ert_level *level = &device->levels[i];
        *level = (struct ert_level){.kind = levels[i].kind,
                                    .path = levels[i].path,
                                    .size_bytes = levels[i].size_bytes,
                                    .count = levels[i].count,
                                    .line_bytes = 64};
        snprintf(level->name, sizeof level->name, "%s", levels[i].name);
        snprintf(level->source, sizeof level->source, "planted");
    }
}

/* Memory that first touch does not take, one node to each package; its level goes before DRAM. */
static void add_mcdram(struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    const uint64_t size_bytes = UINT64_C(8) << 30;
    for (int i = 0; i < 2; i++, cpu->n_numa++)
        cpu->numa[cpu->n_numa] = (struct ert_numa_node){.os_index = cpu->n_numa,
                                                        .kind = "MCDRAM",
                                                        .size_bytes = size_bytes,
                                                        .n_cores = 2};
    struct ert_level *dram = &device->levels[device->n_levels - 1];
    dram[1] = dram[0];
    snprintf(dram->name, sizeof dram->name, "MCDRAM");
    dram->size_bytes = size_bytes;
    dram->count = 2;
    device->n_levels++;
}

enum ert_status ert_fake_discover(struct ert_machine *machine, struct ert_error *error)
{
    static const struct planted_level cpu_levels[] = {
        {"L1",   ERT_LEVEL_CACHE,  ERT_PATH_CACHED, 32 << 10,           4},
        {"L2",   ERT_LEVEL_CACHE,  ERT_PATH_CACHED, 1 << 20,            4},
        {"L3",   ERT_LEVEL_CACHE,  ERT_PATH_CACHED, 32 << 20,           1},
        {"DRAM", ERT_LEVEL_MEMORY, ERT_PATH_CACHED, UINT64_C(64) << 30, 1},
    };
    static const struct planted_level gpu_levels[] = {
        {"L1",     ERT_LEVEL_CACHE,      ERT_PATH_CACHED,    256 << 10,          16},
        {"shared", ERT_LEVEL_SCRATCHPAD, ERT_PATH_SHARED,    224 << 10,          16},
        {"L2",     ERT_LEVEL_CACHE,      ERT_PATH_BYPASS_L1, 32 << 20,           1 },
        {"HBM",    ERT_LEVEL_MEMORY,     ERT_PATH_BYPASS_L1, UINT64_C(16) << 30, 1 },
    };
    struct ert_fake_plant plant;
    ERT_TRY(ert_fake_plant_read(getenv("ERT_FAKE"), &plant, error));
    if (machine->n_devices + 1 + plant.gpus > ERT_MAX_DEVICES)
        return ert_fail(error, ERT_FAILED, "no room for %u fake devices beside %u",
                        1 + plant.gpus, machine->n_devices);
    struct ert_device *cpu = &machine->devices[machine->n_devices++];
    *cpu = (struct ert_device){.id = "fake0",
                               .backend = "fake",
                               .kind = ERT_DEVICE_CPU,
                               .name = "planted CPU",
                               .base_hz = ert_fake_held_hz};
    cpu->cpu.n_cores = cpu->cpu.n_cores_usable = plant.cpus;
    cpu->cpu.n_pus = cpu->cpu.n_pus_usable = 2 * plant.cpus;
    cpu->cpu.n_packages = cpu->cpu.n_numa = 2;
    for (uint32_t i = 0; i < cpu->cpu.n_numa; i++)
        cpu->cpu.numa[i] = (struct ert_numa_node){.os_index = i,
                                                  .kind = "DRAM",
                                                  .size_bytes = UINT64_C(32) << 30,
                                                  .n_cores = plant.cpus / 2};
    add_levels(cpu, cpu_levels, 4);
    for (uint32_t i = 0; i < 3; i++)
        cpu->levels[i].count *= plant.cpus / 4;
    if (plant.has_mcdram)
        add_mcdram(cpu);
    for (uint32_t i = 0; i < plant.gpus; i++) {
        struct ert_device *gpu = &machine->devices[machine->n_devices++];
        *gpu = (struct ert_device){.backend = "fake",
                                   .kind = ERT_DEVICE_GPU,
                                   .name = "planted GPU",
                                   .base_hz = ert_fake_held_hz};
        snprintf(gpu->id, sizeof gpu->id, "fake%u", 1 + i);
        gpu->gpu.ordinal = (int)i;
        gpu->gpu.n_sms = 16;
        gpu->gpu.memory_bytes = gpu->gpu.memory_free_bytes = UINT64_C(16) << 30;
        add_levels(gpu, gpu_levels, 4);
    }
    return ERT_OK;
}
