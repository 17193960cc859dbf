#include "ert/machine/theory_tables.h"

#include <stdio.h>
#include <string.h>

/* theory_cores.def is read four times: the cores' numbers, the cores, extensions, models. */
enum core_id {
#define ERT_CORE(id, ...) CORE_##id,
#define ERT_EXTENSION(...)
#define ERT_MODEL(...)
#include "ert/machine/theory_cores.def"
#undef ERT_CORE
    N_CORES
};

#define UNITS_UNKNOWN                                                                      \
    "this model comes with one or two 512-bit FMA units, and its name does not say"

static const struct ert_core cores[N_CORES] = {
#define ERT_WIDTH(bits, fma, add, mul, either, load, store, total)                         \
    {                                                                                      \
        bits, {fma, add, mul, either}, load, store, total                                  \
    }
#define ERT_CORE(id, name, l2, source, ...)                                                \
    {name, {__VA_ARGS__}, l2, source, UNITS_UNKNOWN},
#include "ert/machine/theory_cores.def"
#undef ERT_CORE
#undef ERT_EXTENSION
};

static const struct ert_core_extension extensions[] = {
#define FLAG(feature) offsetof(struct ert_isa, feature)
#define ERT_CORE(...)
#define ERT_EXTENSION(core, name, feature, ...)                                            \
    {CORE_##core, name, FLAG(feature), __VA_ARGS__},
#include "ert/machine/theory_cores.def"
#undef ERT_EXTENSION
#undef ERT_MODEL
};

static const struct {
    const char *vendor;
    uint32_t family, first, last;
    enum core_id core;
} models[] = {
#define ERT_EXTENSION(...)
#define ERT_MODEL(vendor, family, first, last, core)                                       \
    {vendor, family, first, last, CORE_##core},
#include "ert/machine/theory_cores.def"
#undef ERT_CORE
#undef ERT_EXTENSION
#undef ERT_MODEL
};

/*
 * 512-bit FMA units of model 0x55 by name: ark.intel.com, "# of AVX-512 FMA Units". The longer
 * name stands first. Xeon D and Gold 53xx come either way and are not here.
 */
static const struct {
    const char *name;
    enum core_id core;
} skylake_names[] = {
    {"Platinum 8", CORE_SKYLAKE_SP_2},
    {"Platinum 9", CORE_SKYLAKE_SP_2},
    {"Gold 6",     CORE_SKYLAKE_SP_2},
    {"Gold 5122",  CORE_SKYLAKE_SP_2},
    {"Gold 5222",  CORE_SKYLAKE_SP_2},
    {"Gold 51",    CORE_SKYLAKE_SP_1},
    {"Gold 52",    CORE_SKYLAKE_SP_1},
    {"Silver 4",   CORE_SKYLAKE_SP_1},
    {"Bronze 3",   CORE_SKYLAKE_SP_1},
    {"W-21",       CORE_SKYLAKE_SP_2},
    {"W-22",       CORE_SKYLAKE_SP_2},
    {"W-31",       CORE_SKYLAKE_SP_2},
    {"W-32",       CORE_SKYLAKE_SP_2},
};

static enum core_id by_name(const char *name)
{
    for (size_t i = 0; i < sizeof skylake_names / sizeof skylake_names[0]; i++)
        if (strstr(name, skylake_names[i].name))
            return skylake_names[i].core;
    return CORE_SKYLAKE_SP;
}

/* The core by vendor, family and model; N_CORES when it is not in the table. */
static enum core_id by_model(const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].vendor, cpu->vendor) == 0 && models[i].family == cpu->family &&
            models[i].first <= cpu->model && cpu->model <= models[i].last)
            return models[i].core == CORE_SKYLAKE_SP ? by_name(device->name)
                                                     : models[i].core;
    return N_CORES;
}

/*
 * Hypervisors show models that the processor is not, but a feature that is there is there: AMX came
 * with the Golden Cove server core, so a processor with AMX is that core or a later one.
 */
static bool is_disguised(const struct ert_cpu *cpu, enum core_id core)
{
    bool has_amx_by_model = core == CORE_GOLDEN_COVE_SP || core == CORE_REDWOOD_COVE_SP;
    return strcmp(cpu->vendor, "GenuineIntel") == 0 && cpu->isa.amx_tile &&
           !has_amx_by_model && (core != N_CORES || cpu->hypervisor[0]);
}

/*
 * Whether hwloc names more than one type of core ("IntelAtom", "IntelCore"). On x86 a mere rank by
 * capacity is no type: favoured cores of one kind differ in it.
 */
static bool is_hybrid(const struct ert_cpu *cpu)
{
    bool is_x86 = strcmp(cpu->vendor, "GenuineIntel") == 0 ||
                  strcmp(cpu->vendor, "AuthenticAMD") == 0;
    for (uint32_t i = 1; i < cpu->n_core_kinds; i++) {
        const char *name = cpu->core_kinds[i].name;
        bool is_rank = strncmp(name, "capacity ", 9) == 0;
        if (strcmp(name, cpu->core_kinds[0].name) != 0 && !(is_rank && is_x86))
            return true;
    }
    return false;
}

const struct ert_core *ert_theory_core(const struct ert_device *device, char *note,
                                       size_t note_size, char *reason, size_t reason_size)
{
    const struct ert_cpu *cpu = &device->cpu;
    enum core_id core = by_model(device);
    note[0] = '\0';
    if (is_hybrid(cpu)) {
        snprintf(reason, reason_size, "cores of several types: %s, %s",
                 cpu->core_kinds[0].name, cpu->core_kinds[1].name);
        return NULL;
    }
    if (is_disguised(cpu, core)) {
        snprintf(note, note_size, "by AMX, which model 0x%x lacks: ", cpu->model);
        return &cores[CORE_GOLDEN_COVE_SP];
    }
    if (core != N_CORES)
        return &cores[core];
    if (cpu->vendor[0])
        snprintf(reason, reason_size, "%s family 0x%x model 0x%x is not in the table",
                 cpu->vendor, cpu->family, cpu->model);
    else
        snprintf(reason, reason_size, "the processor's vendor and model are not known");
    return NULL;
}

/* All of the family: "For high-AVX instruction frequency, subtract 200 MHz". */
static const double phi_avx_step_hz = 200e6;

double ert_theory_avx_hz(const struct ert_device *device, const char **source)
{
    *source = "AVX clock: Xeon Phi product brief, note 3";
    if (device->kind != ERT_DEVICE_CPU || by_model(device) != CORE_KNIGHTS_LANDING ||
        device->base_hz <= phi_avx_step_hz)
        return 0;
    return device->base_hz - phi_avx_step_hz;
}

const struct ert_core_extension *ert_theory_extension(const struct ert_core *core, size_t i)
{
    for (size_t k = 0; k < sizeof extensions / sizeof extensions[0]; k++)
        if (&cores[extensions[k].core] == core && i-- == 0)
            return &extensions[k];
    return NULL;
}

struct ert_isa ert_theory_isa(const struct ert_device *device)
{
    struct ert_isa isa = {0};
    enum core_id id = by_model(device);
    bool is_x86 = strcmp(device->cpu.vendor, "GenuineIntel") == 0 ||
                  strcmp(device->cpu.vendor, "AuthenticAMD") == 0;
    isa.sse2 = id != N_CORES && is_x86;
    isa.neon = id != N_CORES && !is_x86;
    for (int i = 0; isa.sse2 && i < ERT_CORE_WIDTHS; i++) {
        const struct ert_core_width *width = &cores[id].widths[i];
        /* All x86 cores with fused multiply-adds have AVX2, if on units of 128 bits (Zen). */
        bool is_fused = width->units[ERT_OP_FMA] != 0;
        isa.avx |= width->bits >= 256 || is_fused;
        isa.avx2 |= is_fused;
        isa.fma |= is_fused;
        isa.avx512f |= width->bits == 512;
    }
    return isa;
}
