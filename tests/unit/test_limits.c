/* SPDX-License-Identifier: BSD-3-Clause */
/* limits and clocks: read from copies of /proc and /sys as other machines have them. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/machine/host.h"

#define GIB (UINT64_C(1) << 30)

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
    snprintf(root, sizeof root, "/tmp/ert-limits-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    put("proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\n");
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static struct ert_limits read_limits(uint64_t installed_bytes)
{
    struct ert_limits limits;
    ert_limits_read(root, installed_bytes, &limits);
    return limits;
}

static void without_cgroups(void **state)
{
    struct ert_limits limits = read_limits(0);
    assert_int_equal(limits.memory_available_bytes, 8 * GIB);
    assert_int_equal(limits.memory_limit_bytes, 0);
    assert_true(limits.cpus_quota == 0);
}

#define V2_MOUNT                                                                           \
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"

/* The tightest of the own cgroup and its ancestors counts; page cache is not lost. */
static void nested_v2(void **state)
{
    put("proc/self/mountinfo", "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n" V2_MOUNT);
    put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    put("sys/fs/cgroup/slurm/job_7/memory.max", "4294967296\n");
    put("sys/fs/cgroup/slurm/job_7/memory.current", "3221225472\n");
    put("sys/fs/cgroup/slurm/job_7/memory.stat",
        "anon 1\nfile 2\ninactive_file 1073741824\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000\n");
    put("sys/fs/cgroup/slurm/cpu.max", "800000 100000\n");
    put("sys/fs/cgroup/slurm/memory.max", "8589934592\n");
    put("sys/fs/cgroup/slurm/memory.current", "0\n");
    struct ert_limits limits = read_limits(0);
    assert_int_equal(limits.memory_limit_bytes, 4 * GIB);
    assert_int_equal(limits.memory_available_bytes, 2 * GIB);
    assert_close(limits.cpus_quota, 2.5, 1e-12);
}

/* In a container without a cgroup namespace the mount shows the host's path of the container. */
static void container_v2(void **state)
{
    put("proc/self/mountinfo",
        "30 24 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
    put("proc/self/cgroup", "0::/docker/abc/inner\n");
    put("sys/fs/cgroup/inner/cpu.max", "25000 100000\n");
    put("sys/fs/cgroup/memory.max", "1073741824\n");
    put("sys/fs/cgroup/memory.current", "1073741824\n");
    put("sys/fs/cgroup/cpu.max", "50000 100000\n");
    struct ert_limits limits = read_limits(0);
    assert_int_equal(limits.memory_limit_bytes, GIB);
    assert_int_equal(limits.memory_available_bytes, 1); /* full; 0 would say unknown */
    assert_close(limits.cpus_quota, 0.25, 1e-12);
}

/* v1: controllers mounted apart, "no limit" as a huge number, a v2 mount without controllers. */
static void hybrid_v1(void **state)
{
    put("proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "35 31 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("proc/self/cgroup", "5:memory:/a/b\n4:cpuset:/\n3:cpu,cpuacct:/a\n0::/x\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "6442450944\n");
    put("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "2147483648\n");
    put("sys/fs/cgroup/memory/a/b/memory.stat",
        "inactive_file 5\ntotal_inactive_file 1073741824\n");
    put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
    put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    struct ert_limits limits = read_limits(0);
    assert_int_equal(limits.memory_limit_bytes, 6 * GIB);
    assert_int_equal(limits.memory_available_bytes, 5 * GIB);
    assert_close(limits.cpus_quota, 1.5, 1e-12);
}

static void roomy_limit_leaves_what_the_kernel_has(void **state)
{
    put("proc/self/mountinfo", V2_MOUNT);
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "1099511627776\n");
    put("sys/fs/cgroup/memory.current", "4096\n");
    struct ert_limits limits = read_limits(0);
    assert_int_equal(limits.memory_limit_bytes, 1024 * GIB);
    assert_int_equal(limits.memory_available_bytes, 8 * GIB);
}

/* MemTotal grows as memory is touched: what is installed counts, unless a balloon may hold it. */
static void growing_memory(void **state)
{
    assert_int_equal(read_limits(24 * GIB).memory_available_bytes, 8 * GIB);
    put("proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable: 3145728 kB\nBalloon: 0 kB\n");
    assert_int_equal(read_limits(24 * GIB).memory_available_bytes, 23 * GIB);
    assert_int_equal(read_limits(4 * GIB).memory_available_bytes, 3 * GIB);
    put("proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable: 3145728 kB\nBalloon: 8 kB\n");
    assert_int_equal(read_limits(24 * GIB).memory_available_bytes, 3 * GIB);
}

static void memory_blocks(void **state)
{
    assert_int_equal(ert_limits_node_blocks(root, 0), 0);
    put("sys/devices/system/memory/block_size_bytes", "8000000\n");
    put("sys/devices/system/node/node0/memory0/state", "online\n");
    put("sys/devices/system/node/node0/memory12/state", "online\n");
    put("sys/devices/system/node/node0/memory13/state", "offline\n");
    put("sys/devices/system/node/node0/memory_side_cache/index1/size", "1\n");
    assert_int_equal(ert_limits_node_blocks(root, 0), GIB / 4);
}

/* ---- clocks ---- */

static void clock_in_the_model_name(void **state)
{
    assert_close(ert_clocks_of_name("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"), 2.1e9,
                 1e-12);
    assert_true(ert_clocks_of_name("Intel(R) Xeon(R) Processor") == 0);
    assert_true(ert_clocks_of_name("AMD EPYC 9654 96-Core Processor") == 0);
    assert_true(ert_clocks_of_name("odd @ x GHz") == 0);
    assert_true(ert_clocks_of_name("odd @ -2GHz") == 0);
    assert_true(ert_clocks_of_name("") == 0);
}

static struct ert_device read_clocks(const char *name)
{
    struct ert_device device = {.kind = ERT_DEVICE_CPU};
    snprintf(device.name, sizeof device.name, "%s", name);
    ert_clocks_read(root, 3, &device);
    return device;
}

static void cpufreq_is_believed_first(void **state)
{
    put("sys/devices/system/cpu/cpu3/cpufreq/base_frequency", "2600000\n");
    put("sys/devices/system/cpu/cpu3/cpufreq/cpuinfo_max_freq", "3800000\n");
    put("sys/devices/system/cpu/cpu3/cpufreq/scaling_driver", "intel_pstate\n");
    put("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
    put("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    struct ert_device device = read_clocks("CPU @ 2.70GHz");
    assert_close(device.base_hz, 2.6e9, 1e-12);
    assert_string_equal(device.base_source, "cpufreq base_frequency");
    assert_close(device.boost_hz, 3.8e9, 1e-12);
    assert_string_equal(device.cpu.governor, "powersave");
    assert_string_equal(device.cpu.turbo, "off");
}

/* acpi-cpufreq's 2601 MHz stands for turbo and is no clock. */
static void acpi_cpufreq_has_no_boost(void **state)
{
    put("sys/devices/system/cpu/cpu3/cpufreq/cpuinfo_max_freq", "2601000\n");
    put("sys/devices/system/cpu/cpu3/cpufreq/scaling_driver", "acpi-cpufreq\n");
    put("sys/devices/system/cpu/cpufreq/boost", "1\n");
    struct ert_device device = read_clocks("CPU @ 2.60GHz");
    assert_true(device.boost_hz == 0);
    assert_string_equal(device.boost_source, "");
    assert_close(device.base_hz, 2.6e9, 1e-12);
    assert_string_equal(device.base_source, "model name");
    assert_string_equal(device.cpu.turbo, "on");
}

static void kernel_knows_the_tsc(void **state)
{
    struct ert_device device = read_clocks("Some Processor");
    assert_true(device.base_hz == 0);
    put("proc/cpuinfo",
        "processor\t: 0\nflags\t\t: fpu constant_tsc amx\nbogomips\t: 5200.00\n\n"
        "processor\t: 1\nbogomips\t: 1.00\n");
    device = read_clocks("Some Processor");
    assert_close(device.base_hz, 2.6e9, 1e-12);
    assert_contains(device.base_source, "BogoMIPS");
    put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc\nbogomips\t: 5200.00\n");
    device = read_clocks("Some Processor");
    assert_true(device.base_hz == 0);
}

#define LIMITS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITS_TEST(without_cgroups),
        LIMITS_TEST(nested_v2),
        LIMITS_TEST(container_v2),
        LIMITS_TEST(hybrid_v1),
        LIMITS_TEST(roomy_limit_leaves_what_the_kernel_has),
        LIMITS_TEST(growing_memory),
        LIMITS_TEST(memory_blocks),
        LIMITS_TEST(clock_in_the_model_name),
        LIMITS_TEST(cpufreq_is_believed_first),
        LIMITS_TEST(acpi_cpufreq_has_no_boost),
        LIMITS_TEST(kernel_knows_the_tsc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
