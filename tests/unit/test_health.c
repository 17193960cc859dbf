/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * health: read from copies of /sys and /proc as other machines have them, and from an NVML
 * that is planted here: dlopen() and dlsym() of this program give its functions.
 */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/ext/cuda/nvml.h"
#include "ert/ext/fleet/host_health.h"

#include <unistd.h>

static char root[64];

/* Writes a file below the test's root, with its folders. */
static void put(const char *name, const char *text)
{
    char file[256];
    struct ert_error error = {0};
    snprintf(file, sizeof file, "%s/%s", root, name);
    char *slash = strrchr(file, '/');
    *slash = '\0';
    assert_int_equal(ert_file_make_folder(file, &error), ERT_OK);
    *slash = '/';
    put_file(file, text, strlen(text));
}

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/ert-health-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static const struct ert_health_fact *fact_of(const struct ert_health *health,
                                             const char *name)
{
    for (uint32_t i = 0; i < health->n; i++)
        if (strcmp(health->facts[i].fact, name) == 0)
            return &health->facts[i];
    fail_msg("no fact '%s'", name);
    return NULL;
}

static void is(const struct ert_health *health, const char *name,
               enum ert_health_state state, double value, const char *words)
{
    const struct ert_health_fact *fact = fact_of(health, name);
    if (fact->state != state || fact->value != value || !strstr(fact->text, words))
        fail_msg("%s: %s, %g, '%s', expected %s, %g, '%s'", name,
                 ert_health_words[fact->state], fact->value, fact->text,
                 ert_health_words[state], value, words);
}

static void nothing_can_be_read(void **state)
{
    (void)state;
    struct ert_health health = {0};
    struct ert_health_parts parts;
    ert_health_host(root, &health);
    ert_health_parts(root, &parts);
    assert_true(health.n > 10);
    for (uint32_t i = 0; i < health.n; i++) {
        assert_int_equal(health.facts[i].state, ERT_HEALTH_UNKNOWN);
        assert_true(*health.facts[i].text && health.facts[i].value < 0);
    }
    assert_string_equal(parts.bios, "");
    assert_string_equal(parts.memory, "");
    free(health.facts);
}

#define CPU   "sys/devices/system/cpu/"
#define MC(n) "sys/devices/system/edac/mc/mc" #n "/"
#define NIC   "sys/bus/pci/devices/0000:3b:00.0/"
#define GPU   "sys/bus/pci/devices/0000:5e:00.0/"
#define PORT  "sys/bus/pci/devices/0000:00:01.0/"

/* A host in order: two CPUs, two memory channels, a network card and a port, which is of no interest. */
static void put_sound(void)
{
    put(CPU "present", "0-1\n");
    put(CPU "online", "0-1\n");
    for (int i = 0; i < 2; i++) {
        static const struct {
            const char *name, *text;
        } files[] = {
            {"cpufreq/scaling_governor",                "performance\n"},
            {"cpufreq/scaling_max_freq",                "3700000\n"    },
            {"cpufreq/cpuinfo_max_freq",                "3700000\n"    },
            {"thermal_throttle/core_throttle_count",    "0\n"          },
            {"thermal_throttle/package_throttle_count", "0\n"          }
        };
        for (size_t k = 0; k < ERT_LENGTH(files); k++) {
            char name[128];
            snprintf(name, sizeof name, CPU "cpu%d/%s", i, files[k].name);
            put(name, files[k].text);
        }
    }
    put("proc/sys/kernel/tainted", "4096\n");
    put("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xa101148\n");
    put("sys/class/dmi/id/bios_vendor", "AMI\n");
    put("sys/class/dmi/id/bios_version", "1.7\n");
    put(MC(0) "ce_count", "0\n");
    put(MC(0) "ue_count", "0\n");
    put(MC(0) "dimm0/size", "32768\n");
    put(MC(0) "dimm0/dimm_mem_type", "Registered-DDR5\n");
    put(MC(0) "dimm0/dimm_location", "channel 0 slot 0\n");
    put(MC(0) "dimm1/size", "32768\n");
    put(MC(0) "dimm1/dimm_mem_type", "Registered-DDR5\n");
    put(MC(0) "dimm1/dimm_location", "channel 1 slot 0\n");
    put(MC(0) "dimm2/size", "0\n");
    put(NIC "class", "0x020700\n");
    put(NIC "current_link_width", "16\n");
    put(NIC "max_link_width", "16\n");
    put(NIC "current_link_speed", "32.0 GT/s PCIe\n");
    put(NIC "max_link_speed", "32.0 GT/s PCIe\n");
    put(NIC "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 0\n");
    put(NIC "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL 0\n");
    put(NIC "aer_dev_correctable", "RxErr 0\nTOTAL_ERR_COR 0\n");
    put(PORT "class", "0x060400\n");
    put(PORT "current_link_width", "1\n");
    put(PORT "max_link_width", "16\n");
}

static void a_sound_host(void **state)
{
    (void)state;
    struct ert_health health = {0};
    struct ert_health_parts parts;
    put_sound();
    ert_health_host(root, &health);
    ert_health_parts(root, &parts);
    for (uint32_t i = 0; i < health.n; i++)
        if (health.facts[i].state != ERT_HEALTH_OK)
            fail_msg("%s: %s", health.facts[i].fact, health.facts[i].text);
    is(&health, "cpus-online", ERT_HEALTH_OK, 2, "2 of 2 CPUs");
    is(&health, "governor", ERT_HEALTH_OK, -1, "performance");
    is(&health, "clock-cap", ERT_HEALTH_OK, 3.7e9, "3.700 GHz of 3.700 GHz");
    is(&health, "memory-channels", ERT_HEALTH_OK, 2, "2 populated, 32 GiB each");
    is(&health, "pcie-widths", ERT_HEALTH_OK, 1, "1 of 1 links at their width");
    assert_string_equal(parts.microcode, "0xa101148");
    assert_string_equal(parts.bios, "AMI 1.7");
    assert_string_equal(parts.memory, "2 x 32 GiB Registered-DDR5");
    free(health.facts);
}

static void a_sick_host(void **state)
{
    (void)state;
    struct ert_health health = {0};
    put_sound();
    put(CPU "present", "0-3,8\n");
    put(CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
    put(CPU "cpu1/cpufreq/scaling_max_freq", "2100000\n");
    put(CPU "cpu1/thermal_throttle/core_throttle_count", "17\n");
    put("proc/sys/kernel/tainted", "4112\n"); /* 4096 + 16: M */
    put(MC(0) "ce_count", "5\n");
    put(MC(1) "ce_count", "2\n");
    put(MC(1) "ue_count", "1\n");
    put(MC(1) "dimm0/size", "16384\n");
    put(MC(1) "dimm0/dimm_location", "channel 0 slot 0\n");
    put(GPU "class", "0x030200\n");
    put(GPU "current_link_width", "8\n");
    put(GPU "max_link_width", "16\n");
    put(GPU "current_link_speed", "2.5 GT/s PCIe\n");
    put(GPU "max_link_speed", "32.0 GT/s PCIe\n");
    put(GPU "aer_dev_fatal", "TOTAL_ERR_FATAL 1\n");
    put(GPU "aer_dev_correctable", "TOTAL_ERR_COR 12\n");
    ert_health_host(root, &health);
    is(&health, "cpus-online", ERT_HEALTH_BAD, 2, "2 of 5 CPUs");
    is(&health, "governor", ERT_HEALTH_NOTE, -1, "performance, but not on all CPUs");
    is(&health, "clock-cap", ERT_HEALTH_NOTE, 2.1e9, "2.100 GHz of 3.700 GHz");
    is(&health, "cpu-throttled", ERT_HEALTH_NOTE, 17, "17 times");
    is(&health, "machine-check", ERT_HEALTH_BAD, 1, "1 machine check");
    is(&health, "memory-corrected", ERT_HEALTH_NOTE, 7, "7 corrected");
    is(&health, "memory-uncorrected", ERT_HEALTH_BAD, 1, "1 uncorrected");
    is(&health, "memory-channels", ERT_HEALTH_NOTE, 3,
       "3 populated; mc1 channel 0 has 16 GiB, mc0 channel 0 32 GiB");
    is(&health, "pcie-widths", ERT_HEALTH_BAD, 1,
       "1 of 2 links at their width; 0000:5e:00.0: 8 of 16 lanes");
    is(&health, "pcie-speeds", ERT_HEALTH_NOTE, 1, "0000:5e:00.0: 2.5 of 32 GT/s");
    is(&health, "pcie-fatal", ERT_HEALTH_BAD, 1, "the first of 0000:5e:00.0");
    is(&health, "pcie-nonfatal", ERT_HEALTH_OK, 0, "0 non-fatal");
    is(&health, "pcie-corrected", ERT_HEALTH_NOTE, 12, "12 corrected");
    free(health.facts);
}

/* More CPUs than a long can count, where some are offline. */
static void a_list_without_a_sensible_end(void **state)
{
    (void)state;
    struct ert_health health = {0};
    put_sound();
    put(CPU "present", "0-99999999999999999999\n");
    ert_health_host(root, &health);
    is(&health, "cpus-online", ERT_HEALTH_BAD, 2, "2 of 9.22337e+18 CPUs");
    free(health.facts);
}

/* What the site wants so is no fault: SMT switched off; a card in a slot of half its width. */
static void settings_are_no_faults(void **state)
{
    (void)state;
    struct ert_health health = {0};
    put_sound();
    put(CPU "present", "0-3\n");
    put(CPU "smt/control", "off\n");
    put(NIC "current_link_width", "8\n");
    put("sys/bus/pci/devices/max_link_width", "8\n"); /* of what is above the card */
    ert_health_host(root, &health);
    is(&health, "cpus-online", ERT_HEALTH_NOTE, 2, "2 of 4 CPUs");
    is(&health, "pcie-widths", ERT_HEALTH_OK, 1, "1 of 1 links");
    free(health.facts);
}

static void damaged_files(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    "\n",  "x",  "-",  "0-", "999999999999999999999999",
        "nan", "inf", "-1", "4,", ",,,"};
    static const char *const files[] = {CPU "present",
                                        CPU "online",
                                        "proc/sys/kernel/tainted",
                                        MC(0) "ce_count",
                                        MC(0) "dimm0/size",
                                        MC(0) "dimm0/dimm_location",
                                        NIC "current_link_width",
                                        NIC "max_link_speed",
                                        NIC "aer_dev_fatal"};
    for (size_t i = 0; i < ERT_LENGTH(files) * ERT_LENGTH(texts); i++) {
        struct ert_health health = {0};
        put_sound();
        put(files[i / ERT_LENGTH(texts)], texts[i % ERT_LENGTH(texts)]);
        ert_health_host(root, &health);
        for (uint32_t k = 0; k < health.n; k++)
            assert_true(isfinite(health.facts[k].value));
        free(health.facts);
    }
}

/* ---- the planted NVML ---- */

static struct planted {
    bool is_absent, is_sick;
    int answer; /* of what is asked of the device; 0: success */
} planted;

static int give(unsigned int *to, unsigned int sound, unsigned int sick)
{
    *to = planted.is_sick ? sick : sound;
    return planted.answer;
}

static int begin(void)
{
    return 0;
}

static int find_device(const char *uuid, void **handle)
{
    *handle = &planted;
    return strcmp(uuid, "GPU-1") == 0 ? 0 : 6; /* NVML_ERROR_NOT_FOUND */
}

static int vbios(void *device, char *text, unsigned int size)
{
    (void)device;
    snprintf(text, size, "96.00.99");
    return planted.answer;
}

static int ecc(void *device, int type, int counter, unsigned long long *count)
{
    (void)device;
    *count = planted.is_sick ? 100 * (unsigned)counter + 10 * (unsigned)type + 1 : 0;
    return planted.answer;
}

static int remapped(void *device, unsigned int *corrected, unsigned int *uncorrected,
                    unsigned int *pending, unsigned int *failed)
{
    (void)device;
    give(corrected, 0, 2);
    give(uncorrected, 0, 1);
    give(failed, 0, 1);
    return give(pending, 0, 1);
}

static int retired(void *device, int cause, unsigned int *count, unsigned long long *pages)
{
    (void)device, (void)cause;
    assert_null(pages);
    *count = 0;
    return 3; /* not supported, as from Ampere on */
}

static int width(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 16, 8);
}

static int max_width(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 16, 16);
}

static int generation(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 5, 1);
}

static int max_generation(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 5, 5);
}

static int nvlink(void *device, unsigned int link, unsigned int *is_active)
{
    (void)device;
    *is_active = !(planted.is_sick && link == 3);
    return link < 6 ? planted.answer : 2; /* invalid argument */
}

static int nvlink_errors(void *device, unsigned int link, int counter,
                         unsigned long long *count)
{
    (void)device;
    *count = planted.is_sick && link == 0 && counter == 1 ? 9 : 0;
    return planted.answer;
}

/* nvmlFieldValue_t; 164 is a link's speed in MB/s, an unsigned int. */
struct field {
    unsigned int id, scope;
    long long time_us, latency_us;
    int type, result;
    unsigned long long value;
};

static int fields(void *device, int n, struct field *field)
{
    (void)device;
    assert_int_equal(n, 1);
    assert_int_equal(field->id, 164);
    field->type = 1;
    field->value = planted.is_sick && field->scope == 2 ? 13281 : 26562;
    return planted.answer;
}

static int reasons(void *device, unsigned long long *bits)
{
    (void)device;
    *bits = planted.is_sick ? 0x40 | 1 : 1; /* idle; HW thermal slowdown */
    return planted.answer;
}

static int temperature(void *device, int sensor, unsigned int *value)
{
    (void)device, (void)sensor;
    return give(value, 40, 92);
}

static int threshold(void *device, int kind, unsigned int *value)
{
    (void)device;
    assert_int_equal(kind, 1);
    return give(value, 90, 90);
}

static int power_limit(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 700000, 500000);
}

static int default_power(void *device, unsigned int *value)
{
    (void)device;
    return give(value, 700000, 700000);
}

/* By name; a driver that lacks the others: replay counter, violations. */
static const struct {
    const char *name;
    void *function;
} functions[] = {
#define FUNCTION(name, function)                                                           \
    {                                                                                      \
        name, (void *)(uintptr_t)(function)                                                \
    }
    FUNCTION("nvmlInit_v2", begin),
    FUNCTION("nvmlShutdown", begin),
    FUNCTION("nvmlDeviceGetHandleByUUID", find_device),
    FUNCTION("nvmlDeviceGetVbiosVersion", vbios),
    FUNCTION("nvmlDeviceGetTotalEccErrors", ecc),
    FUNCTION("nvmlDeviceGetRemappedRows", remapped),
    FUNCTION("nvmlDeviceGetRetiredPages", retired),
    FUNCTION("nvmlDeviceGetCurrPcieLinkWidth", width),
    FUNCTION("nvmlDeviceGetMaxPcieLinkWidth", max_width),
    FUNCTION("nvmlDeviceGetCurrPcieLinkGeneration", generation),
    FUNCTION("nvmlDeviceGetMaxPcieLinkGeneration", max_generation),
    FUNCTION("nvmlDeviceGetNvLinkState", nvlink),
    FUNCTION("nvmlDeviceGetNvLinkErrorCounter", nvlink_errors),
    FUNCTION("nvmlDeviceGetFieldValues", fields),
    FUNCTION("nvmlDeviceGetCurrentClocksThrottleReasons", reasons),
    FUNCTION("nvmlDeviceGetTemperature", temperature),
    FUNCTION("nvmlDeviceGetTemperatureThreshold", threshold),
    FUNCTION("nvmlDeviceGetEnforcedPowerLimit", power_limit),
    FUNCTION("nvmlDeviceGetPowerManagementDefaultLimit", default_power),
};

void *dlopen(const char *file, int flags);
void *dlsym(void *restrict library, const char *restrict name);
int dlclose(void *library);

void *dlopen(const char *file, int flags)
{
    (void)flags;
    return planted.is_absent || strcmp(file, "libnvidia-ml.so.1") != 0 ? NULL : &planted;
}

void *dlsym(void *restrict library, const char *restrict name)
{
    (void)library;
    for (size_t i = 0; i < ERT_LENGTH(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

int dlclose(void *library)
{
    (void)library;
    return 0;
}

static struct ert_health look(const char *uuid)
{
    struct ert_health health = {0};
    struct ert_device device = {.id = "gpu3", .kind = ERT_DEVICE_GPU};
    snprintf(device.gpu.uuid, sizeof device.gpu.uuid, "%s", uuid);
    ert_nvml_health(&device, &health);
    return health;
}

static void a_sound_gpu(void **state)
{
    (void)state;
    planted = (struct planted){0};
    struct ert_health health = look("GPU-1");
    for (uint32_t i = 0; i < health.n; i++) {
        assert_string_equal(health.facts[i].device, "gpu3");
        assert_true(health.facts[i].state == ERT_HEALTH_OK ||
                    health.facts[i].state == ERT_HEALTH_UNKNOWN);
    }
    is(&health, "ecc-uncorrected", ERT_HEALTH_OK, 0, "0 uncorrected");
    is(&health, "pcie-width", ERT_HEALTH_OK, 16, "16 of 16 lanes");
    is(&health, "nvlinks", ERT_HEALTH_OK, 6, "6 of 6 links");
    is(&health, "nvlink-speed", ERT_HEALTH_OK, 26562, "26562 of 26562 MB/s");
    is(&health, "throttle", ERT_HEALTH_OK, -1, "no reason now");
    is(&health, "temperature", ERT_HEALTH_OK, 40, "slows down at 90 C");
    is(&health, "power-limit", ERT_HEALTH_OK, 700, "700 of 700 W");
    is(&health, "vbios", ERT_HEALTH_OK, -1, "96.00.99");
    is(&health, "pages-retired", ERT_HEALTH_UNKNOWN, -1, "this GPU does not say");
    is(&health, "pcie-replays", ERT_HEALTH_UNKNOWN, -1, "the driver is too old");
    free(health.facts);
}

static void a_sick_gpu(void **state)
{
    (void)state;
    planted = (struct planted){.is_sick = true};
    struct ert_health health = look("GPU-1");
    is(&health, "ecc-uncorrected", ERT_HEALTH_BAD, 11, "11 uncorrected");
    is(&health, "ecc-corrected", ERT_HEALTH_NOTE, 1, "1 corrected");
    is(&health, "ecc-uncorrected-ever", ERT_HEALTH_NOTE, 111, "111 uncorrected");
    is(&health, "rows-remapped", ERT_HEALTH_NOTE, 3, "3 rows");
    is(&health, "rows-pending", ERT_HEALTH_BAD, 1, "wait for a reset");
    is(&health, "rows-failed", ERT_HEALTH_BAD, 1, "no spare rows");
    is(&health, "pcie-width", ERT_HEALTH_BAD, 8, "8 of 16 lanes");
    is(&health, "pcie-generation", ERT_HEALTH_NOTE, 1, "1 of 5");
    is(&health, "nvlinks", ERT_HEALTH_BAD, 5, "5 of 6 links");
    is(&health, "nvlink-speed", ERT_HEALTH_BAD, 13281, "13281 of 26562 MB/s");
    is(&health, "nvlink-errors", ERT_HEALTH_NOTE, 9, "9 errors");
    is(&health, "throttle", ERT_HEALTH_BAD, -1, "HW thermal slowdown");
    is(&health, "temperature", ERT_HEALTH_BAD, 92, "92 C");
    is(&health, "power-limit", ERT_HEALTH_NOTE, 500, "500 of 700 W");
    free(health.facts);
}

static void a_gpu_that_does_not_answer(void **state)
{
    (void)state;
    planted = (struct planted){.answer = 15};
    struct ert_health health = look("GPU-1");
    is(&health, "ecc-uncorrected", ERT_HEALTH_BAD, -1, "the GPU is lost");
    free(health.facts);
    planted = (struct planted){.answer = 4};
    health = look("GPU-1");
    is(&health, "rows-remapped", ERT_HEALTH_UNKNOWN, -1, "only root may ask");
    is(&health, "nvlinks", ERT_HEALTH_UNKNOWN, -1, "only root may ask");
    free(health.facts);
    planted = (struct planted){0};
    health = look("MIG-2");
    assert_int_equal(health.n, 1);
    is(&health, "nvml", ERT_HEALTH_UNKNOWN, -1, "NVML's error 6");
    free(health.facts);
    planted = (struct planted){.is_absent = true};
    health = look("GPU-1");
    is(&health, "nvml", ERT_HEALTH_UNKNOWN, -1, "NVML is not here");
    free(health.facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sound_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sick_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_without_a_sensible_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settings_are_no_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_files, set_up, tear_down),
        cmocka_unit_test(a_sound_gpu),
        cmocka_unit_test(a_sick_gpu),
        cmocka_unit_test(a_gpu_that_does_not_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
