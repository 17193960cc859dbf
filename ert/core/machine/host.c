/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/host.h"

#include "ert/core/base/file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* v1 writes "no limit" as the largest multiple of a page below 2^63. */
#define NO_LIMIT_BYTES (UINT64_C(1) << 62)

/* One mounted hierarchy of cgroups (cgroups(7), proc(5): /proc/self/mountinfo). */
struct hierarchy {
    bool is_v2;
    char root[PATH_MAX];  /* the cgroup that the mount point shows */
    char mount[PATH_MAX]; /* where it is mounted */
};

/* The number in a file; UINT64_MAX for "max", no limit, and an unreadable file. */
static uint64_t read_bytes(const char *folder, const char *name)
{
    char text[64];
    ert_file_first_line(text, sizeof text, "%s/%s", folder, name);
    if (text[0] < '0' || text[0] > '9')
        return UINT64_MAX;
    uint64_t value = strtoull(text, NULL, 10);
    return value >= NO_LIMIT_BYTES ? UINT64_MAX : value;
}

/* A "key value" line of a file like memory.stat or meminfo ("key: value kB"); 0 when absent. */
static uint64_t read_key(const char *file, const char *key)
{
    char text[64];
    ert_file_value(file, key, text, sizeof text);
    return strtoull(text, NULL, 10);
}

bool ert_host_has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || strchr(", ", at[-1])) &&
            (!at[length] || strchr(",: \n", at[length])))
            return true;
    return false;
}

/* mountinfo: "id parent dev ROOT MOUNT options... - TYPE source SUPER". Whether it mounts the controller. */
static bool parse_mount(char *line, const char *controller, struct hierarchy *found)
{
    char *separator = strstr(line, " - ");
    char type[32], super[1024];
    if (!separator || sscanf(separator + 3, "%31s %*s %1023s", type, super) != 2)
        return false;
    found->is_v2 = strcmp(type, "cgroup2") == 0;
    if (!found->is_v2 &&
        (strcmp(type, "cgroup") != 0 || !ert_host_has_word(super, controller)))
        return false;
    return sscanf(line, "%*s %*s %*s %4095s %4095s", found->root, found->mount) == 2;
}

/*
 * The hierarchy that has a controller. If both versions are mounted, a v1 mount that names the controller
 * wins, since a controller belongs to only one of them.
 */
static bool find_hierarchy(const char *root, const char *controller,
                           struct hierarchy *found)
{
    char file[PATH_MAX], line[3 * PATH_MAX];
    struct hierarchy candidate;
    bool is_found = false;
    snprintf(file, sizeof file, "%s/proc/self/mountinfo", root);
    FILE *stream = fopen(file, "r");
    while (stream && fgets(line, sizeof line, stream))
        if (parse_mount(line, controller, &candidate) && (!is_found || !candidate.is_v2)) {
            *found = candidate;
            is_found = true;
        }
    if (stream)
        fclose(stream);
    return is_found;
}

/* The path of this process's cgroup ("id:controllers:path"; v2 has no controllers). */
static bool host_find_path(const char *root, const char *controller, bool is_v2, char *path,
                           size_t size)
{
    char file[PATH_MAX], line[2 * PATH_MAX];
    bool is_found = false;
    snprintf(file, sizeof file, "%s/proc/self/cgroup", root);
    FILE *stream = fopen(file, "r");
    while (stream && !is_found && fgets(line, sizeof line, stream)) {
        char *controllers = strchr(line, ':');
        char *own = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!own)
            continue;
        *own++ = '\0';
        controllers++;
        own[strcspn(own, "\n")] = '\0';
        is_found =
            is_v2 ? controllers[0] == '\0' : ert_host_has_word(controllers, controller);
        if (is_found)
            snprintf(path, size, "%s", own);
    }
    if (stream)
        fclose(stream);
    return is_found;
}

typedef void visit_function(const char *folder, bool is_v2, struct ert_limits *limits);

static void visit_cpu(const char *folder, bool is_v2, struct ert_limits *limits)
{
    double quota_us = 0, period_us = 0;
    char text[64];
    if (is_v2) {
        ert_file_first_line(text, sizeof text, "%s/cpu.max", folder);
        if (sscanf(text, "%lf %lf", &quota_us, &period_us) != 2)
            return; /* "max 100000": no quota */
    } else {
        uint64_t quota = read_bytes(folder, "cpu.cfs_quota_us");
        uint64_t period = read_bytes(folder, "cpu.cfs_period_us");
        if (quota == UINT64_MAX || period == UINT64_MAX)
            return;
        quota_us = (double)quota;
        period_us = (double)period;
    }
    if (!(quota_us > 0) || !(period_us > 0))
        return;
    double cpus = quota_us / period_us;
    if (limits->cpus_quota <= 0 || cpus < limits->cpus_quota)
        limits->cpus_quota = cpus;
}

/* Page cache counts as used, but the kernel reclaims it before it refuses memory. */
static void visit_memory(const char *folder, bool is_v2, struct ert_limits *limits)
{
    char file[2 * PATH_MAX];
    uint64_t limit = read_bytes(folder, is_v2 ? "memory.max" : "memory.limit_in_bytes");
    if (limit == UINT64_MAX)
        return;
    if (!limits->memory_limit_bytes || limit < limits->memory_limit_bytes)
        limits->memory_limit_bytes = limit;
    uint64_t used = read_bytes(folder, is_v2 ? "memory.current" : "memory.usage_in_bytes");
    if (used == UINT64_MAX)
        return;
    snprintf(file, sizeof file, "%s/memory.stat", folder);
    uint64_t cache = read_key(file, is_v2 ? "inactive_file" : "total_inactive_file");
    used = used > cache ? used - cache : 0;
    uint64_t left = limit > used ? limit - used : 1; /* 0 would mean unknown */
    if (left < limits->memory_available_bytes)
        limits->memory_available_bytes = left;
}

/* Visits this process's cgroup and its ancestors up to the mount point: the tightest limit applies. */
static void walk(const char *root, const char *controller, visit_function *visit,
                 struct ert_limits *limits)
{
    struct hierarchy found;
    char path[PATH_MAX], folder[3 * PATH_MAX];
    if (!find_hierarchy(root, controller, &found) ||
        !host_find_path(root, controller, found.is_v2, path, sizeof path))
        return;
    /* In a container the mount shows a cgroup below the host's root: remove the path above it. */
    size_t shown = strcmp(found.root, "/") == 0 ? 0 : strlen(found.root);
    const char *below = strncmp(path, found.root, shown) == 0 ? path + shown : "";
    /* "/../.." is a cgroup outside of the namespace, and "/" the mount point itself. */
    if (strncmp(below, "/..", 3) == 0 || strcmp(below, "/") == 0)
        below = "";
    int n = snprintf(folder, sizeof folder, "%s%s", root, found.mount);
    size_t top = n > 0 ? (size_t)n : 0;
    snprintf(folder + top, sizeof folder - top, "%s", below);
    for (;;) {
        visit(folder, found.is_v2, limits);
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || !slash)
            return;
        *slash = '\0';
    }
}

/*
 * MemAvailable, plus memory that the kernel has not counted yet. A balloon makes MemTotal smaller, too, but
 * its memory belongs to the host: so nothing is added unless the kernel reports that there is none.
 */
static uint64_t kernel_available(const char *root, uint64_t installed_bytes)
{
    char file[PATH_MAX], balloon[64];
    snprintf(file, sizeof file, "%s/proc/meminfo", root);
    uint64_t available = read_key(file, "MemAvailable") << 10;
    uint64_t total = read_key(file, "MemTotal") << 10;
    bool has_no_balloon = ert_file_value(file, "Balloon", balloon, sizeof balloon) &&
                          strtoull(balloon, NULL, 10) == 0;
    /* A kernel reserves at most a tenth. */
    bool grows =
        has_no_balloon && total > 0 && total < installed_bytes - installed_bytes / 10;
    return available > 0 && grows ? available + (installed_bytes - total) : available;
}

uint64_t ert_limits_node_blocks(const char *root, uint32_t node)
{
    char folder[PATH_MAX], text[64];
    uint64_t n = 0;
    ert_file_first_line(text, sizeof text, "%s/sys/devices/system/memory/block_size_bytes",
                        root);
    uint64_t block_bytes = strtoull(text, NULL, 16);
    snprintf(folder, sizeof folder, "%s/sys/devices/system/node/node%u", root, node);
    DIR *entries = opendir(folder);
    if (!entries)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, "memory", 6) != 0 || entry->d_name[6] < '0' ||
            entry->d_name[6] > '9')
            continue;
        ert_file_first_line(text, sizeof text, "%s/%s/state", folder, entry->d_name);
        n += strcmp(text, "online") == 0;
    }
    closedir(entries);
    return n * block_bytes;
}

void ert_limits_read(const char *root, uint64_t installed_bytes, struct ert_limits *limits)
{
    *limits = (struct ert_limits){0};
    uint64_t available = kernel_available(root, installed_bytes);
    limits->memory_available_bytes = available ? available : UINT64_MAX;
    walk(root, "memory", visit_memory, limits);
    walk(root, "cpu", visit_cpu, limits);
    if (limits->memory_available_bytes == UINT64_MAX)
        limits->memory_available_bytes = 0;
}

double ert_clocks_of_name(const char *name)
{
    const char *at = strrchr(name, '@');
    char *end = NULL;
    double ghz = at ? strtod(at + 1, &end) : 0;
    bool is_clock = ghz > 0 && ghz < 100 && strncmp(end + strspn(end, " "), "GHz", 3) == 0;
    return is_clock ? ghz * 1e9 : 0;
}

#define CPUS "%s/sys/devices/system/cpu/"

/* A file below cpuN as a number; 0 when it is not there. */
static double host_read_number(const char *root, uint32_t cpu, const char *name)
{
    char text[64];
    ert_file_first_line(text, sizeof text, CPUS "cpu%u/%s", root, cpu, name);
    double value = strtod(text, NULL);
    return value > 0 && value < 1e12 ? value : 0;
}

/*
 * The TSC's frequency by the kernel: BogoMIPS is 2e-6 times the frequency if the delay loop counts the TSC,
 * as it does when the TSC is constant (Linux, arch/x86/kernel/tsc.c).
 */
static double kernel_tsc_hz(const char *root)
{
    char file[512], bogomips[64], flags[4096];
    snprintf(file, sizeof file, "%s/proc/cpuinfo", root);
    ert_file_value(file, "bogomips", bogomips, sizeof bogomips);
    ert_file_value(file, "flags", flags, sizeof flags);
    double value = strtod(bogomips, NULL);
    return strstr(flags, " constant_tsc") && value > 0 ? value / 2 * 1e6 : 0;
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
static void find_base(const char *root, uint32_t cpu, struct ert_device *device)
{
    if (set_base(device, host_read_number(root, cpu, "cpufreq/base_frequency") * 1e3,
                 "cpufreq base_frequency") ||
        set_base(device, host_read_number(root, cpu, "acpi_cppc/nominal_freq") * 1e6,
                 "ACPI CPPC nominal_freq") ||
        set_base(device, ert_clocks_of_name(device->name), "model name") ||
        device->base_hz > 0)
        return;
    set_base(device, kernel_tsc_hz(root), "TSC frequency (kernel, BogoMIPS / 2)");
}

static void find_boost(const char *root, uint32_t cpu, struct ert_device *device)
{
    char driver[64];
    ert_file_first_line(driver, sizeof driver, CPUS "cpu%u/cpufreq/scaling_driver", root,
                        cpu);
    /* acpi-cpufreq denotes turbo by the base clock plus 1 MHz, which is not a real clock. */
    double max_hz = host_read_number(root, cpu, "cpufreq/cpuinfo_max_freq") * 1e3;
    if (!(max_hz > 0) || strcmp(driver, "acpi-cpufreq") == 0)
        return;
    device->boost_hz = max_hz;
    snprintf(device->boost_source, sizeof device->boost_source, "cpufreq cpuinfo_max_freq");
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
    for (size_t i = 0; i < ERT_LENGTH(switches); i++) {
        ert_file_first_line(text, sizeof text, CPUS "%s", root, switches[i].file);
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            continue;
        snprintf(cpu->turbo, sizeof cpu->turbo, "%s",
                 text[0] == '0' ? switches[i].zero : switches[i].one);
        return;
    }
}

void ert_clocks_read(const char *root, uint32_t cpu, struct ert_device *device)
{
    find_base(root, cpu, device);
    find_boost(root, cpu, device);
    ert_file_first_line(device->cpu.governor, sizeof device->cpu.governor,
                        CPUS "cpu%u/cpufreq/scaling_governor", root, cpu);
    find_turbo(root, &device->cpu);
}
