#include "ert/machine/clocks.h"

#include "ert/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ert_clocks_of_name(const char *name)
{
    static const struct {
        const char *unit;
        double hz;
    } units[] = {
        {"GHz", 1e9},
        {"MHz", 1e6},
    };
    const char *at = strrchr(name, '@');
    if (!at)
        return 0;
    char *end;
    double value = strtod(at + 1, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strncmp(end, units[i].unit, 3) == 0 && value > 0 && value < 1e5)
            return value * units[i].hz;
    return 0;
}

/* A file below ROOT/sys/devices/system/cpu as text; "" when it is not there. */
static void read_text(const char *root, const char *name, char *text, size_t size)
{
    char file[512];
    snprintf(file, sizeof file, "%s/sys/devices/system/cpu/%s", root, name);
    ert_file_first_line(file, text, size);
}

/* The same below cpuN as a number; 0 when it is not there. */
static double read_number(const char *root, uint32_t cpu, const char *name)
{
    char file[128], text[64];
    snprintf(file, sizeof file, "cpu%u/%s", cpu, name);
    read_text(root, file, text, sizeof text);
    double value = strtod(text, NULL);
    return value > 0 && value < 1e12 ? value : 0;
}

/*
 * The TSC's frequency as the kernel knows it: BogoMIPS is 2e-6 times it where the delay loop counts
 * the TSC, which it does when the TSC is constant (Linux, arch/x86/kernel/tsc.c).
 */
static double kernel_tsc_hz(const char *root)
{
    char file[512], line[4096];
    double bogomips = 0;
    bool is_constant = false;
    snprintf(file, sizeof file, "%s/proc/cpuinfo", root);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return 0;
    while (fgets(line, sizeof line, stream) && line[0] != '\n') {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, "bogomips", 8) == 0)
            bogomips = strtod(value + 1, NULL);
        if (value && strncmp(line, "flags", 5) == 0)
            is_constant = strstr(value, " constant_tsc") != NULL;
    }
    fclose(stream);
    return is_constant && bogomips > 0 ? bogomips / 2 * 1e6 : 0;
}

static bool set_base(struct ert_device *device, double frequency_hz, const char *source)
{
    if (!(frequency_hz > 0))
        return false;
    device->base_hz = frequency_hz;
    snprintf(device->base_source, sizeof device->base_source, "%s", source);
    return true;
}

/* The best source first; the TSC runs at the nominal clock of Intel's and AMD's processors. */
static void find_base(const char *root, uint32_t cpu, const struct ert_features *features,
                      struct ert_device *device)
{
    if (set_base(device, read_number(root, cpu, "cpufreq/base_frequency") * 1e3,
                 "cpufreq base_frequency") ||
        set_base(device, read_number(root, cpu, "acpi_cppc/nominal_freq") * 1e6,
                 "ACPI CPPC nominal_freq") ||
        set_base(device, features->base_hz, "CPUID 0x16") ||
        set_base(device, ert_clocks_of_name(device->name), "model name") ||
        device->base_hz > 0 ||
        set_base(device, features->tsc_hz,
                 features->tsc_source ? features->tsc_source : ""))
        return;
    set_base(device, kernel_tsc_hz(root), "TSC frequency (kernel, BogoMIPS / 2)");
}

static void find_boost(const char *root, uint32_t cpu, const struct ert_features *features,
                       struct ert_device *device)
{
    char file[64], driver[64];
    snprintf(file, sizeof file, "cpu%u/cpufreq/scaling_driver", cpu);
    read_text(root, file, driver, sizeof driver);
    /* acpi-cpufreq stands for turbo by the base clock plus 1 MHz: no clock at all. */
    double max_hz = read_number(root, cpu, "cpufreq/cpuinfo_max_freq") * 1e3;
    bool is_real = max_hz > 0 && strcmp(driver, "acpi-cpufreq") != 0;
    if (!is_real && !(features->max_hz > 0))
        return;
    device->boost_hz = is_real ? max_hz : features->max_hz;
    snprintf(device->boost_source, sizeof device->boost_source, "%s",
             is_real ? "cpufreq cpuinfo_max_freq" : "CPUID 0x16");
}

static void find_turbo(const char *root, struct ert_cpu *cpu)
{
    static const struct {
        const char *file, *zero, *one;
    } switches[] = {
        {"intel_pstate/no_turbo", "on",  "off"},
        {"cpufreq/boost",         "off", "on" },
    };
    char text[16];
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        read_text(root, switches[i].file, text, sizeof text);
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            continue;
        snprintf(cpu->turbo, sizeof cpu->turbo, "%s",
                 text[0] == '0' ? switches[i].zero : switches[i].one);
        return;
    }
}

void ert_clocks_read(const char *root, uint32_t cpu, const struct ert_features *features,
                     struct ert_device *device)
{
    char file[64];
    find_base(root, cpu, features, device);
    find_boost(root, cpu, features, device);
    snprintf(file, sizeof file, "cpu%u/cpufreq/scaling_governor", cpu);
    read_text(root, file, device->cpu.governor, sizeof device->cpu.governor);
    find_turbo(root, &device->cpu);
}
