#include "ert/cli/info_text.h"

#include "ert/base/units.h"

#include <stdarg.h>
#include <string.h>

enum { COLUMNS = 100, LABEL = 14 };

/* Features in the order in which people look for them. */
static const struct {
    const char *name;
    size_t offset;
} features[] = {
    {"sse2",       offsetof(struct ert_isa, sse2)      },
    {"avx",        offsetof(struct ert_isa, avx)       },
    {"avx2",       offsetof(struct ert_isa, avx2)      },
    {"fma",        offsetof(struct ert_isa, fma)       },
    {"avx512f",    offsetof(struct ert_isa, avx512f)   },
    {"avx512vnni", offsetof(struct ert_isa, avx512vnni)},
    {"avx512bf16", offsetof(struct ert_isa, avx512bf16)},
    {"avx512fp16", offsetof(struct ert_isa, avx512fp16)},
    {"avxvnni",    offsetof(struct ert_isa, avxvnni)   },
    {"amx_tile",   offsetof(struct ert_isa, amx_tile)  },
    {"amx_bf16",   offsetof(struct ert_isa, amx_bf16)  },
    {"amx_int8",   offsetof(struct ert_isa, amx_int8)  },
    {"neon",       offsetof(struct ert_isa, neon)      },
    {"neonfp16",   offsetof(struct ert_isa, neonfp16)  },
    {"neondot",    offsetof(struct ert_isa, neondot)   },
    {"sve",        offsetof(struct ert_isa, sve)       },
};

void ert_info_print_wrapped(FILE *out, const char *first, const char *text)
{
    size_t indent = strlen(first);
    fputs(first, out);
    while (strlen(text) > COLUMNS - indent) {
        size_t length = COLUMNS - indent;
        while (length > 0 && text[length] != ' ')
            length--;
        if (length == 0)
            length = COLUMNS - indent; /* a word longer than a line */
        fprintf(out, "%.*s\n%*s", (int)length, text, (int)indent, "");
        text += length + (text[length] == ' ');
    }
    fprintf(out, "%s\n", text);
}

/* "  label       text", wrapped. */
static void row(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void row(FILE *out, const char *label, const char *format, ...)
{
    char first[32], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(first, sizeof first, "  %-*s", LABEL, label);
    ert_info_print_wrapped(out, first, text);
}

static void row_if(FILE *out, const char *label, const char *text)
{
    if (text[0])
        row(out, label, "%s", text);
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static const char *capacity_or(uint64_t size_bytes, const char *otherwise,
                               char text[ERT_UNITS_TEXT])
{
    return size_bytes ? ert_units_capacity(size_bytes, text) : otherwise;
}

void ert_info_print_provenance(FILE *out, const struct ert_provenance *provenance)
{
    char text[ERT_UNITS_TEXT];
    fprintf(out, "machine\n");
    row_if(out, "host", provenance->host);
    row(out, "system", "%s%s%s", provenance->os, provenance->os[0] ? ", " : "",
        provenance->kernel);
    row(out, "ert", "%s, git %s", provenance->tool_version, provenance->git);
    row_if(out, "compiler", provenance->compiler);
    row_if(out, "nvcc", provenance->nvcc);
    row_if(out, "NVIDIA driver", provenance->nvidia_driver);
    if (provenance->load_average >= 0) {
        snprintf(text, sizeof text, "%.2f", provenance->load_average);
        row(out, "load", "%s over one minute", text);
    }
    row(out, "topology", "%s", provenance->topology_source);
    fputc('\n', out);
}

/* ---- CPU ---- */

static void print_cores(FILE *out, const struct ert_cpu *cpu)
{
    if (cpu->n_packages > 0)
        row(out, "packages", "%u", cpu->n_packages);
    row(out, "cores", "%u core%s, %u PU%s (%.3g per core)", cpu->n_cores,
        plural(cpu->n_cores), cpu->n_pus, plural(cpu->n_pus),
        cpu->n_cores ? (double)cpu->n_pus / cpu->n_cores : 0);
    if (cpu->n_pus_usable < cpu->n_pus)
        row(out, "usable", "%u core%s, %u PU%s (cgroup, CPU set or affinity)",
            cpu->n_cores_usable, plural(cpu->n_cores_usable), cpu->n_pus_usable,
            plural(cpu->n_pus_usable));
    if (cpu->cpus_quota > 0)
        row(out, "quota", "%.4g CPUs (cgroup)", cpu->cpus_quota);
    for (uint32_t i = 0; i < cpu->n_core_kinds; i++) {
        char text[ERT_UNITS_TEXT];
        const struct ert_core_kind *kind = &cpu->core_kinds[i];
        row(out, i == 0 ? "core kinds" : "", "%u %s, up to %s", kind->n_cores,
            kind->name[0] ? kind->name : "unnamed",
            kind->max_hz > 0 ? ert_units_frequency(kind->max_hz, text)
                             : "an unknown clock");
    }
}

static void print_features(FILE *out, const struct ert_isa *isa)
{
    char text[256] = "";
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (!*(const bool *)((const char *)isa + features[i].offset))
            continue;
        if (text[0])
            strncat(text, " ", sizeof text - strlen(text) - 1);
        strncat(text, features[i].name, sizeof text - strlen(text) - 1);
    }
    row(out, "features", "%s", text[0] ? text : "unknown");
}

static void print_clock(FILE *out, const char *label, double clock_hz, const char *source)
{
    char text[ERT_UNITS_TEXT];
    if (clock_hz > 0)
        row(out, label, "%s, from %s", ert_units_frequency(clock_hz, text),
            source[0] ? source : "an unnamed source");
    else
        row(out, label, "unknown");
}

/* Nodes that differ in their number only share a row. */
static bool is_same_node(const struct ert_numa_node *a, const struct ert_numa_node *b)
{
    return strcmp(a->kind, b->kind) == 0 && a->size_bytes == b->size_bytes &&
           a->n_cores == b->n_cores;
}

static void print_numa(FILE *out, const struct ert_cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->n_numa; i++) {
        char numbers[256] = "", text[ERT_UNITS_TEXT];
        uint32_t n = 0;
        bool is_printed = false;
        for (uint32_t j = 0; j < i; j++)
            is_printed = is_printed || is_same_node(&cpu->numa[i], &cpu->numa[j]);
        for (uint32_t j = i; j < cpu->n_numa && !is_printed; j++) {
            if (!is_same_node(&cpu->numa[i], &cpu->numa[j]))
                continue;
            size_t used = strlen(numbers);
            snprintf(numbers + used, sizeof numbers - used, "%s%u", n ? "," : "",
                     cpu->numa[j].os_index);
            n++;
        }
        if (is_printed)
            continue;
        bool is_named = strcmp(cpu->numa[i].kind, "unknown") != 0;
        row(out, i == 0 ? "NUMA nodes" : "", "%u x %s, %s%s, local to %u core%s (P#%s)", n,
            is_named ? cpu->numa[i].kind : "memory of unknown kind",
            capacity_or(cpu->numa[i].size_bytes, "size unknown", text),
            n > 1 ? " each" : "", cpu->numa[i].n_cores, plural(cpu->numa[i].n_cores),
            numbers);
    }
}

static void print_cpu(FILE *out, const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    char text[ERT_UNITS_TEXT];
    if (cpu->vendor[0])
        row(out, "identity", "%s family %u model %u (0x%x) stepping %u", cpu->vendor,
            cpu->family, cpu->model, cpu->model, cpu->stepping);
    row_if(out, "hypervisor", cpu->hypervisor);
    print_cores(out, cpu);
    print_features(out, &cpu->isa);
    print_clock(out, "base clock", device->base_hz, device->base_source);
    print_clock(out, "boost clock", device->boost_hz, device->boost_source);
    row_if(out, "governor", cpu->governor);
    row_if(out, "turbo", cpu->turbo);
    print_numa(out, cpu);
    if (cpu->cluster_mode[0] || cpu->memory_mode[0])
        row(out, "modes", "cluster %s, memory %s",
            cpu->cluster_mode[0] ? cpu->cluster_mode : "unknown",
            cpu->memory_mode[0] ? cpu->memory_mode : "unknown");
    if (cpu->memory_available_bytes)
        row(out, "memory", "%s available",
            ert_units_capacity(cpu->memory_available_bytes, text));
    if (cpu->memory_limit_bytes)
        row(out, "memory limit", "%s (cgroup)",
            ert_units_capacity(cpu->memory_limit_bytes, text));
}

/* ---- GPU ---- */

static void print_gpu(FILE *out, const struct ert_device *device)
{
    const struct ert_gpu *gpu = &device->gpu;
    char a[ERT_UNITS_TEXT], b[ERT_UNITS_TEXT];
    row(out, "identity", "compute capability %u.%u, PCI %s, %s", gpu->cc_major,
        gpu->cc_minor, gpu->pci[0] ? gpu->pci : "unknown",
        gpu->uuid[0] ? gpu->uuid : "UUID unknown");
    row(out, "SMs", "%u, warps of %u, up to %u threads per SM", gpu->n_sms, gpu->warp_size,
        gpu->max_threads_per_sm);
    print_clock(out, "base clock", device->base_hz, device->base_source);
    print_clock(out, "boost clock", device->boost_hz, device->boost_source);
    row(out, "memory", "%s, %s free, bus of %u bit",
        capacity_or(gpu->memory_bytes, "size unknown", a),
        capacity_or(gpu->memory_free_bytes, "an unknown part", b), gpu->bus_width_bits);
    print_clock(out, "memory clock", gpu->memory_clock_hz, "the driver");
    if (gpu->power_limit_w > 0)
        row(out, "power limit", "%.0f W", gpu->power_limit_w);
    row(out, "state", "ECC %s, MIG %s", gpu->ecc[0] ? gpu->ecc : "unknown",
        gpu->mig[0] ? gpu->mig : "unknown");
    row_if(out, "busy", gpu->busy);
}

/* ---- both ---- */

static void print_levels(FILE *out, const struct ert_device *device)
{
    char size[ERT_UNITS_TEXT], total[ERT_UNITS_TEXT];
    if (device->n_levels == 0)
        return;
    fprintf(out, "\n  %-12s %-10s %10s %9s %10s %6s   %s\n", "level", "kind", "size each",
            "instances", "total", "line", "reached by, source");
    static const char *const kinds[] = {"scratchpad", "cache", "memory"};
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        char line[16] = "-";
        if (level->line_bytes)
            snprintf(line, sizeof line, "%u B", level->line_bytes);
        fprintf(out, "  %-12s %-10s %10s %9u %10s %6s   %s, %s\n", level->name,
                kinds[level->kind], capacity_or(level->size_bytes, "unknown", size),
                level->count, capacity_or(ert_level_total_bytes(level), "unknown", total),
                line, ert_path_name(level->path), level->source);
    }
}

void ert_info_print_device(FILE *out, const struct ert_device *device)
{
    fprintf(out, "%s: %s\n", device->id, device->name);
    if (device->kind == ERT_DEVICE_CPU)
        print_cpu(out, device);
    else
        print_gpu(out, device);
    print_levels(out, device);
}

void ert_info_print_line(FILE *out, const struct ert_device *device)
{
    fprintf(out, "%-6s %-32s %s  %s\n", device->id, device->name,
            device->gpu.pci[0] ? device->gpu.pci : "PCI unknown", device->gpu.uuid);
}

void ert_info_print_notes(FILE *out, const struct ert_machine *machine)
{
    for (uint32_t i = 0; i < machine->n_notes; i++)
        ert_info_print_wrapped(out, "note: ", machine->notes[i]);
}
