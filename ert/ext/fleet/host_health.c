/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/host_health.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/base/units.h"

#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char host[] = "cpu";

/* The files that match a pattern below root; the caller frees the list (globfree). */
static void health_find(const char *root, const char *pattern, glob_t *found)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, pattern);
    if (glob(path, 0, NULL, found) != 0)
        *found = (glob_t){.gl_pathc = 0};
}

/* The number at the beginning of a file; -1 if there is none. */
static double number_in(const char *folder, const char *name)
{
    char text[64], *end;
    ert_file_first_line(text, sizeof text, "%s/%s", folder, name);
    double value = strtod(text, &end);
    return end == text || !(value >= 0) || !isfinite(value) ? -1 : value;
}

/* How many numbers a list like "0-3,8" contains. */
static double count_list(const char *root, const char *name)
{
    char text[1024];
    double count = 0;
    ert_file_first_line(text, sizeof text, "%s%s", root, name);
    for (char *at = text, *next; *at; at = next) {
        long from = strtol(at, &next, 10), to = from;
        if (next == at)
            return -1;
        if (*next == '-')
            to = strtol(next + 1, &next, 10);
        count += (double)to - (double)from + 1;
        next += *next == ',';
    }
    return count;
}

/* ---- CPUs ---- */

static void add_online(const char *root, struct ert_health *health)
{
    char smt[16];
    double online = count_list(root, "/sys/devices/system/cpu/online"),
           present = count_list(root, "/sys/devices/system/cpu/present");
    ert_file_first_line(smt, sizeof smt, "%s/sys/devices/system/cpu/smt/control", root);
    if (!(online > 0) || !(present > 0))
        ert_health_unknown(health, host, "cpus-online", "no list of CPUs in /sys");
    else /* if SMT is switched off, half of them are offline */
        ert_health_of(health, host, "cpus-online", online, present, "CPUs",
                      strstr(smt, "off") ? ERT_HEALTH_NOTE : ERT_HEALTH_BAD);
}

static void add_frequency(const char *root, struct ert_health *health)
{
    char governor[32] = "", other[32];
    double lowest_hz = 0, of_hz = 0;
    size_t n_same = 0;
    glob_t found;
    health_find(root, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq", &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *folder = found.gl_pathv[i];
        double cap_hz = 1e3 * number_in(folder, "scaling_max_freq"),
               most_hz = 1e3 * number_in(folder, "cpuinfo_max_freq");
        ert_file_first_line(other, sizeof other, "%s/scaling_governor", folder);
        if (i == 0)
            memcpy(governor, other, sizeof governor);
        n_same += strcmp(governor, other) == 0;
        if (cap_hz > 0 && most_hz > 0 &&
            (of_hz == 0 || cap_hz / most_hz < lowest_hz / of_hz)) {
            lowest_hz = cap_hz;
            of_hz = most_hz;
        }
    }
    if (!*governor)
        ert_health_unknown(health, host, "governor", "no cpufreq in /sys");
    else
        ert_health_add(health, host, "governor", -1,
                       n_same == found.gl_pathc && strcmp(governor, "performance") == 0
                           ? ERT_HEALTH_OK
                           : ERT_HEALTH_NOTE,
                       n_same == found.gl_pathc ? "%s" : "%s, but not on all CPUs",
                       governor);
    if (of_hz > 0) {
        struct ert_health_fact *fact = ert_health_add(
            health, host, "clock-cap", lowest_hz,
            lowest_hz < of_hz ? ERT_HEALTH_NOTE : ERT_HEALTH_OK, "%s of %s",
            ert_units_frequency(lowest_hz).text, ert_units_frequency(of_hz).text);
        fact->limit = of_hz;
        snprintf(fact->unit, sizeof fact->unit, "Hz");
    }
    globfree(&found);
}

/* The kernel's taint flag M (Documentation/admin-guide/tainted-kernels.rst, bit 4). */
static void add_machine_checks(const char *root, struct ert_health *health)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/proc/sys/kernel", root);
    double taint = number_in(name, "tainted");
    if (taint < 0)
        ert_health_unknown(health, host, "machine-check", "no /proc/sys/kernel/tainted");
    else
        ert_health_count(health, host, "machine-check", (double)((long)taint >> 4 & 1),
                         ERT_HEALTH_BAD, "machine checks that the kernel was tainted by");
}

/* ---- memory, by EDAC (Documentation/admin-guide/RAS) ---- */

enum { MOST_CHANNELS = 256 };

struct memory {
    double sizes_bytes[MOST_CHANNELS];
    char names[MOST_CHANNELS][48]; /* "mc0 channel 1" */
    size_t n_channels, n_modules;
    double module_bytes; /* of the first; -1: modules differ */
    char type[32];
};

static void add_module(struct memory *memory, const char *folder)
{
    char location[64], name[48], type[32];
    double size_bytes = number_in(folder, "size") * 1048576;
    const char *mc = strstr(folder, "/edac/mc/") + strlen("/edac/mc/"), *channel;
    if (!(size_bytes > 0))
        return; /* an empty slot */
    ert_file_first_line(location, sizeof location, "%s/dimm_location", folder);
    ert_file_first_line(type, sizeof type, "%s/dimm_mem_type", folder);
    if (memory->n_modules++ == 0) {
        memory->module_bytes = size_bytes;
        memcpy(memory->type, type, sizeof type);
    }
    if (memory->module_bytes != size_bytes)
        memory->module_bytes = -1;
    channel = strstr(location, "channel ");
    snprintf(name, sizeof name, "%.*s channel %d", (int)strcspn(mc, "/"), mc,
             channel ? atoi(channel + strlen("channel ")) : 0);
    size_t i = 0;
    while (i < memory->n_channels && strcmp(memory->names[i], name) != 0)
        i++;
    if (i == MOST_CHANNELS)
        return;
    memcpy(memory->names[i], name, sizeof name);
    memory->sizes_bytes[i] += size_bytes;
    memory->n_channels += i == memory->n_channels;
}

static void read_memory(const char *root, struct memory *memory)
{
    static const char *const patterns[] = {
        "/sys/devices/system/edac/mc/mc[0-9]*/dimm[0-9]*",
        "/sys/devices/system/edac/mc/mc[0-9]*/rank[0-9]*"};
    glob_t found;
    *memory = (struct memory){.n_channels = 0};
    for (size_t p = 0; p < ERT_LENGTH(patterns) && memory->n_modules == 0; p++) {
        health_find(root, patterns[p], &found);
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_module(memory, found.gl_pathv[i]);
        globfree(&found);
    }
}

static const char no_edac[] = "no EDAC driver counts here";
static const char no_aer[] = "no aer_dev_ files in /sys";

static void add_channels(const char *root, struct ert_health *health)
{
    struct memory *memory = ert_xcalloc(1, sizeof *memory);
    size_t least = 0, most = 0;
    read_memory(root, memory);
    for (size_t i = 1; i < memory->n_channels; i++) {
        least = memory->sizes_bytes[i] < memory->sizes_bytes[least] ? i : least;
        most = memory->sizes_bytes[i] > memory->sizes_bytes[most] ? i : most;
    }
    const double low = memory->sizes_bytes[least], high = memory->sizes_bytes[most];
    if (memory->n_channels == 0)
        ert_health_unknown(health, host, "memory-channels", no_edac);
    else if (low < high)
        ert_health_add(health, host, "memory-channels", (double)memory->n_channels,
                       ERT_HEALTH_NOTE, "%zu populated; %s has %s, %s %s",
                       memory->n_channels, memory->names[least],
                       ert_units_capacity((uint64_t)low).text, memory->names[most],
                       ert_units_capacity((uint64_t)high).text);
    else
        ert_health_add(health, host, "memory-channels", (double)memory->n_channels,
                       ERT_HEALTH_OK, "%zu populated, %s each", memory->n_channels,
                       ert_units_capacity((uint64_t)low).text);
    free(memory);
}

/* ---- PCI devices ---- */

/* Devices that move data for programs: NVMe, networks, displays, InfiniBand, accelerators (pci.ids). */
static bool is_of_interest(const char *folder)
{
    static const char *const classes[] = {"0x0108", "0x02", "0x03", "0x0c06", "0x12"};
    char text[32];
    ert_file_first_line(text, sizeof text, "%s/class", folder);
    for (size_t i = 0; i < ERT_LENGTH(classes); i++)
        if (strncmp(text, classes[i], strlen(classes[i])) == 0)
            return true;
    return false;
}

/* A link's present value, and the smaller maximum of its two ends; false if it has none. */
static bool read_link(const char *folder, const char *what, double *value, double *limit)
{
    char name[64];
    snprintf(name, sizeof name, "current_link_%s", what);
    *value = number_in(folder, name);
    snprintf(name, sizeof name, "max_link_%s", what);
    *limit = number_in(folder, name);
    snprintf(name, sizeof name, "../max_link_%s", what);
    const double upstream = number_in(folder, name);
    if (upstream > 0 && upstream < *limit)
        *limit = upstream;
    return *value > 0 && *limit > 0;
}

/* A link may be slow because it is idle, but not narrow for that reason. */
static void add_links(const char *root, struct ert_health *health)
{
    static const struct {
        const char *what, *fact, *unit;
        enum ert_health_state state;
    } kinds[] = {
        {"width", "pcie-widths", "lanes", ERT_HEALTH_BAD },
        {"speed", "pcie-speeds", "GT/s",  ERT_HEALTH_NOTE}
    };
    glob_t found;
    health_find(root, "/sys/bus/pci/devices/*", &found);
    for (size_t k = 0; k < ERT_LENGTH(kinds); k++) {
        size_t n = 0, n_full = 0;
        char first[128] = "";
        for (size_t i = 0; i < found.gl_pathc; i++) {
            double value, limit;
            const char *folder = found.gl_pathv[i];
            if (!is_of_interest(folder) ||
                !read_link(folder, kinds[k].what, &value, &limit))
                continue;
            n++;
            n_full += value >= limit;
            if (value < limit && !*first)
                snprintf(first, sizeof first, "; %.40s: %g of %g %s",
                         strrchr(folder, '/') + 1, value, limit, kinds[k].unit);
        }
        if (n == 0) {
            ert_health_unknown(health, host, kinds[k].fact, "no PCI Express links in /sys");
            continue;
        }
        struct ert_health_fact *fact = ert_health_add(
            health, host, kinds[k].fact, (double)n_full,
            n_full < n ? kinds[k].state : ERT_HEALTH_OK, "%zu of %zu links at their %s%s",
            n_full, n, kinds[k].what, first);
        fact->limit = (double)n;
        snprintf(fact->unit, sizeof fact->unit, "links");
    }
    globfree(&found);
}

/* ---- counters of events that should not happen ---- */

/* The number of a line that begins with the key, or "" of the first line, of all files of a pattern. */
static const struct event {
    const char *fact, *pattern, *key;
    bool is_shared; /* each file has the events of all: the most counts, else the sum */
    enum ert_health_state state;
    const char *what, *none;
} events[] = {
#define CPUS "/sys/devices/system/cpu/cpu[0-9]*/"
#define EDAC "/sys/devices/system/edac/mc/mc[0-9]*/"
#define PCI  "/sys/bus/pci/devices/*/"
#define EVENT(fact, pattern, key, is_shared, state, ...)                                   \
    {                                                                                      \
        fact, pattern, key, is_shared, ERT_HEALTH_##state, __VA_ARGS__                     \
    }
    /* Core counters are per CPU, package counters the same on all of its CPUs. */
    EVENT("cpu-throttled", CPUS "thermal_throttle/*_throttle_count", "", true, NOTE,
          "times since boot that a CPU was too hot", "no thermal_throttle in /sys"),
    EVENT("memory-corrected", EDAC "ce_count", "", false, NOTE,
          "corrected memory errors since boot", no_edac),
    EVENT("memory-uncorrected", EDAC "ue_count", "", false, BAD,
          "uncorrected memory errors since boot", no_edac),
    /* Advanced Error Reporting (Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats). */
    EVENT("pcie-fatal", PCI "aer_dev_fatal", "TOTAL_ERR_FATAL", false, BAD,
          "fatal PCI Express errors since boot", no_aer),
    EVENT("pcie-nonfatal", PCI "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", false, NOTE,
          "non-fatal PCI Express errors since boot", no_aer),
    EVENT("pcie-corrected", PCI "aer_dev_correctable", "TOTAL_ERR_COR", false, NOTE,
          "corrected PCI Express errors since boot", no_aer),
};

static void add_event(const char *root, const struct event *event,
                      struct ert_health *health)
{
    char what[160];
    double count = -1;
    glob_t found;
    snprintf(what, sizeof what, "%s", event->what);
    health_find(root, event->pattern, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char text[32], *file = found.gl_pathv[i], *end;
        ert_file_value(file, event->key, text, sizeof text);
        const double own = strtod(text, &end);
        if (end == text || !(own >= 0) || !isfinite(own))
            continue;
        *strrchr(file, '/') = '\0'; /* the device's folder */
        if (own > 0 && count <= 0 && *event->key)
            ert_append(what, sizeof what, ", the first of %.40s", strrchr(file, '/') + 1);
        count = event->is_shared ? fmax(count, own) : fmax(count, 0) + own;
    }
    if (count < 0)
        ert_health_unknown(health, host, event->fact, event->none);
    else
        ert_health_count(health, host, event->fact, count, event->state, what);
    globfree(&found);
}

static void add_events(const char *root, struct ert_health *health)
{
    for (size_t i = 0; i < ERT_LENGTH(events); i++)
        add_event(root, &events[i], health);
}

/* ---- all ---- */

void ert_health_host(const char *root, struct ert_health *health)
{
    static void (*const all[])(const char *, struct ert_health *) = {
        add_online, add_frequency, add_events, add_machine_checks, add_channels, add_links};
    for (size_t i = 0; i < ERT_LENGTH(all); i++)
        all[i](root, health);
}

void ert_health_parts(const char *root, struct ert_health_parts *parts)
{
    char file[PATH_MAX], vendor[48], version[48];
    *parts = (struct ert_health_parts){.bios = ""};
    snprintf(file, sizeof file, "%s/proc/cpuinfo", root);
    ert_file_value(file, "microcode", parts->microcode, sizeof parts->microcode);
    ert_file_first_line(vendor, sizeof vendor, "%s/sys/class/dmi/id/bios_vendor", root);
    ert_file_first_line(version, sizeof version, "%s/sys/class/dmi/id/bios_version", root);
    snprintf(parts->bios, sizeof parts->bios, "%s%s%s", vendor,
             *vendor && *version ? " " : "", version);
    struct memory *memory = ert_xcalloc(1, sizeof *memory);
    read_memory(root, memory);
    if (memory->n_modules > 0 && memory->module_bytes > 0)
        snprintf(parts->memory, sizeof parts->memory, "%zu x %s %s", memory->n_modules,
                 ert_units_capacity((uint64_t)memory->module_bytes).text, memory->type);
    else if (memory->n_modules > 0)
        snprintf(parts->memory, sizeof parts->memory, "%zu modules of several sizes, %s",
                 memory->n_modules, memory->type);
    free(memory);
}
