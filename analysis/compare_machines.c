#include "analysis/compare.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_TEXT = 600 };

/* Writers of the fields of a struct; one that is 0 or "" is not known and leaves the text empty. */
static void text_field(const void *at, char text[VALUE_TEXT])
{
    snprintf(text, VALUE_TEXT, "%s", (const char *)at);
}

static void count_field(const void *at, char text[VALUE_TEXT])
{
    uint32_t count;
    memcpy(&count, at, sizeof count);
    if (count)
        snprintf(text, VALUE_TEXT, "%u", count);
}

static void bytes_field(const void *at, char text[VALUE_TEXT])
{
    uint64_t bytes;
    char number[ERT_UNITS_TEXT];
    memcpy(&bytes, at, sizeof bytes);
    if (bytes)
        snprintf(text, VALUE_TEXT, "%s", ert_units_capacity(bytes, number));
}

static void clock_field(const void *at, char text[VALUE_TEXT])
{
    double clock_hz;
    char number[ERT_UNITS_TEXT];
    memcpy(&clock_hz, at, sizeof clock_hz);
    if (clock_hz > 0)
        snprintf(text, VALUE_TEXT, "%s", ert_units_frequency(clock_hz, number));
}

static void power_field(const void *at, char text[VALUE_TEXT])
{
    double power_w;
    memcpy(&power_w, at, sizeof power_w);
    if (power_w > 0)
        snprintf(text, VALUE_TEXT, "%.0f W", power_w);
}

struct field {
    const char *name;
    void (*write)(const void *at, char text[VALUE_TEXT]);
    size_t offset;
};

#define DEVICE(name, form, member)                                                         \
    {                                                                                      \
        name, form, offsetof(struct ert_device, member)                                    \
    }
static const struct field common_fields[] = {
    DEVICE("model", text_field, name),
    DEVICE("base clock", clock_field, base_hz),
    DEVICE("boost clock", clock_field, boost_hz),
};
static const struct field cpu_fields[] = {
    DEVICE("vendor", text_field, cpu.vendor),
    DEVICE("family", count_field, cpu.family),
    DEVICE("model number", count_field, cpu.model),
    DEVICE("stepping", count_field, cpu.stepping),
    DEVICE("packages", count_field, cpu.n_packages),
    DEVICE("cores", count_field, cpu.n_cores),
    DEVICE("usable cores", count_field, cpu.n_cores_usable),
    DEVICE("hardware threads", count_field, cpu.n_pus),
    DEVICE("NUMA nodes", count_field, cpu.n_numa),
    DEVICE("governor", text_field, cpu.governor),
    DEVICE("turbo", text_field, cpu.turbo),
    DEVICE("hypervisor", text_field, cpu.hypervisor),
    DEVICE("memory limit", bytes_field, cpu.memory_limit_bytes),
};
static const struct field gpu_fields[] = {
    DEVICE("SMs", count_field, gpu.n_sms),
    DEVICE("L2", bytes_field, gpu.l2_bytes),
    DEVICE("memory", bytes_field, gpu.memory_bytes),
    DEVICE("memory clock", clock_field, gpu.memory_clock_hz),
    DEVICE("bus width (bit)", count_field, gpu.bus_width_bits),
    DEVICE("power limit", power_field, gpu.power_limit_w),
    DEVICE("ECC", text_field, gpu.ecc),
    DEVICE("MIG", text_field, gpu.mig),
    DEVICE("card (UUID)", text_field, gpu.uuid),
};
#undef DEVICE

#define PROVENANCE(name, member)                                                           \
    {                                                                                      \
        name, text_field, offsetof(struct ert_provenance, member)                          \
    }
static const struct field provenance_fields[] = {
    PROVENANCE("NVIDIA driver", nvidia_driver),
    PROVENANCE("CUDA driver", cuda_driver),
    PROVENANCE("CUDA runtime", cuda_runtime),
    PROVENANCE("nvcc", nvcc),
    PROVENANCE("operating system", os),
    PROVENANCE("kernel", kernel),
    PROVENANCE("compiler", compiler),
    PROVENANCE("flags", flags),
    PROVENANCE("ert", tool_version),
    PROVENANCE("git", git),
    PROVENANCE("command", command),
};
#undef PROVENANCE

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void add(struct rfl_comparison *comparison, const char *device, const char *what,
                const char *a, const char *b)
{
    if (strcmp(a, b) == 0 || comparison->n_differences == RFL_MAX_DIFFERENCES)
        return;
    comparison->differences[comparison->n_differences++] = (struct rfl_difference){
        rfl_compare_text(comparison, "%s%s%s", device, *device ? ": " : "", what),
        rfl_compare_text(comparison, "%s", a), rfl_compare_text(comparison, "%s", b)};
}

static void add_fields(struct rfl_comparison *comparison, const char *device,
                       const struct field *fields, size_t n, const void *a, const void *b)
{
    for (size_t i = 0; i < n; i++) {
        char text_a[VALUE_TEXT] = "", text_b[VALUE_TEXT] = "";
        fields[i].write((const char *)a + fields[i].offset, text_a);
        fields[i].write((const char *)b + fields[i].offset, text_b);
        add(comparison, device, fields[i].name, text_a, text_b);
    }
}

static void add_levels(struct rfl_comparison *comparison, const struct ert_device *a,
                       const struct ert_device *b)
{
    for (uint32_t i = 0; i < a->n_levels; i++) {
        const struct ert_level *other = ert_device_level(b, a->levels[i].name);
        char text_a[ERT_UNITS_TEXT], text_b[ERT_UNITS_TEXT] = "", what[48];
        /* the memory of a CPU is what the kernel has left over: it differs from boot to boot */
        if (a->levels[i].kind == ERT_LEVEL_MEMORY)
            continue;
        ert_units_capacity(ert_level_total_bytes(&a->levels[i]), text_a);
        if (other)
            ert_units_capacity(ert_level_total_bytes(other), text_b);
        snprintf(what, sizeof what, "%s in all", a->levels[i].name);
        add(comparison, a->id, what, text_a, text_b);
    }
}

static const struct ert_device_ceilings *ceilings_of(const struct ert_ceilings *ceilings,
                                                     const char *id)
{
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (strcmp(ceilings->devices[i].device, id) == 0)
            return &ceilings->devices[i];
    return NULL;
}

/* The clock that was held, where it differs by more than it does from run to run; distrust. */
static void add_conditions(struct rfl_comparison *comparison, const char *id,
                           const struct ert_device_ceilings *a,
                           const struct ert_device_ceilings *b)
{
    char text_a[ERT_UNITS_TEXT], text_b[ERT_UNITS_TEXT];
    if (!a || !b)
        return;
    if (a->held_hz > 0 && b->held_hz > 0 && fabs(b->held_hz / a->held_hz - 1) > 0.005)
        add(comparison, id, "held clock", ert_units_frequency(a->held_hz, text_a),
            ert_units_frequency(b->held_hz, text_b));
    if (a->trusted != b->trusted)
        add(comparison, id, "trusted", a->trusted ? "yes" : a->distrust,
            b->trusted ? "yes" : b->distrust);
}

enum ert_status rfl_compare_machines(const struct ert_ceilings *a,
                                     const struct ert_ceilings *b,
                                     struct rfl_comparison *comparison,
                                     struct ert_error *error)
{
    for (uint32_t i = 0; i < a->machine->n_devices; i++) {
        const struct ert_device *device = &a->machine->devices[i];
        const struct ert_device *other = ert_machine_device(b->machine, device->id);
        if (!other || other->kind != device->kind) {
            add(comparison, device->id, "model", device->name, "");
            continue;
        }
        bool is_cpu = device->kind == ERT_DEVICE_CPU;
        add_fields(comparison, device->id, common_fields, LENGTH(common_fields), device,
                   other);
        add_fields(comparison, device->id, is_cpu ? cpu_fields : gpu_fields,
                   is_cpu ? LENGTH(cpu_fields) : LENGTH(gpu_fields), device, other);
        add_levels(comparison, device, other);
        add_conditions(comparison, device->id, ceilings_of(a, device->id),
                       ceilings_of(b, device->id));
    }
    for (uint32_t i = 0; i < b->machine->n_devices; i++) {
        const struct ert_device *device = &b->machine->devices[i];
        const struct ert_device *other = ert_machine_device(a->machine, device->id);
        if (!other || other->kind != device->kind)
            add(comparison, device->id, "model", "", device->name);
    }
    add_fields(comparison, "", provenance_fields, LENGTH(provenance_fields),
               &a->machine->provenance, &b->machine->provenance);
    add(comparison, "", "status of the run", a->status, b->status);
    if (comparison->n_differences == RFL_MAX_DIFFERENCES)
        rfl_compare_note(comparison, "more differences of the machines are not listed");
    return comparison->strings.n_texts || !comparison->n_differences
               ? ERT_OK
               : ert_fail(error, ERT_FAILED, "no memory for the differences");
}
