/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl: energy counters as sysfs shows them, in a folder made here: which count, how they add up,
 * what happens at a wrap, and what is said when there are none or they are not readable.
 */
#include "tests/backend/cpu_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/ert-rapl-XXXXXX";

/* The zones of a two-socket server with one die each, and what else such a folder holds. */
static const struct {
    const char *folder, *name;
} zones[] = {
    {"intel-rapl:0",      "package-0"},
    {"intel-rapl:0:0",    "core"     },
    {"intel-rapl:0:1",    "dram"     },
    {"intel-rapl:1",      "package-1"},
    {"intel-rapl:1:0",    "dram"     },
    {"intel-rapl:2",      "psys"     },
    {"intel-rapl-mmio:0", "package-0"},
};
enum { N_ZONES = sizeof zones / sizeof zones[0] };

static void put(const char *folder, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, file);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void put_energy(const char *folder, unsigned long long energy_uj)
{
    char text[32];
    snprintf(text, sizeof text, "%llu\n", energy_uj);
    put(folder, "energy_uj", text);
}

static int make_zones(void **state)
{
    (void)state;
    char path[256];
    chmod(root, 0755);
    snprintf(path, sizeof path, "%s/intel-rapl", root);
    mkdir(path, 0755);
    for (size_t i = 0; i < N_ZONES; i++) {
        snprintf(path, sizeof path, "%s/%s", root, zones[i].folder);
        mkdir(path, 0755);
        put(zones[i].folder, "name", zones[i].name);
        put(zones[i].folder, "max_energy_range_uj", "262143328850\n");
        put_energy(zones[i].folder, 1000000 * (i + 1));
    }
    return 0;
}

static void remove_zones(void)
{
    static const char *const files[] = {"name", "max_energy_range_uj", "energy_uj"};
    char path[256];
    for (size_t i = 0; i < N_ZONES; i++) {
        for (size_t f = 0; f < 3; f++) {
            snprintf(path, sizeof path, "%s/%s/%s", root, zones[i].folder, files[f]);
            unlink(path);
        }
        snprintf(path, sizeof path, "%s/%s", root, zones[i].folder);
        rmdir(path);
    }
    snprintf(path, sizeof path, "%s/intel-rapl", root);
    rmdir(path);
    rmdir(root);
}

static void packages_in_use_add_up(void **state)
{
    (void)state;
    struct ert_rapl rapl;
    double energy_j;
    const bool both[] = {true, true}, second[] = {false, true};
    assert_int_equal(ert_rapl_open(root, both, 2, &rapl, &error), ERT_OK);
    assert_int_equal(rapl.n, 4);
    assert_true(rapl.has_dram);
    assert_int_equal(ert_rapl_read(&rapl, &energy_j, &error), ERT_OK);
    assert_close(energy_j, 0, 0);
    put_energy("intel-rapl:0", 1000000 + 3500000);
    put_energy("intel-rapl:0:0", 900000000); /* a part of the package */
    put_energy("intel-rapl:1:0", 5000000 + 250000);
    put_energy("intel-rapl:2", 700000000);
    assert_int_equal(ert_rapl_read(&rapl, &energy_j, &error), ERT_OK);
    assert_close(energy_j, 3.75, 1e-12);
    assert_int_equal(ert_rapl_open(root, second, 2, &rapl, &error), ERT_OK);
    assert_int_equal(rapl.n, 2);
}

static void a_counter_may_wrap(void **state)
{
    (void)state;
    struct ert_rapl rapl;
    double energy_j;
    const bool first[] = {true};
    put_energy("intel-rapl:0", 262143328850ull - 2000000);
    assert_int_equal(ert_rapl_open(root, first, 1, &rapl, &error), ERT_OK);
    put_energy("intel-rapl:0", 1000000);
    assert_int_equal(ert_rapl_read(&rapl, &energy_j, &error), ERT_OK);
    assert_close(energy_j, 3, 1e-12);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct ert_rapl rapl;
    const bool third[] = {false, false, true}, first[] = {true};
    double energy_j;
    assert_int_equal(ert_rapl_open("/nowhere/powercap", first, 1, &rapl, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "/nowhere/powercap: No such file");
    assert_int_equal(ert_rapl_open(root, third, 3, &rapl, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "no RAPL zone of a package in use");
    put("intel-rapl:0", "energy_uj", "soon\n");
    assert_int_equal(ert_rapl_open(root, first, 1, &rapl, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "no number can be read");
    put_energy("intel-rapl:0", 7);
    assert_int_equal(ert_rapl_open(root, first, 1, &rapl, &error), ERT_OK);
    char path[256];
    snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", root);
    unlink(path);
    assert_int_equal(ert_rapl_read(&rapl, &energy_j, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "intel-rapl:0/energy_uj: no number can be read");
    put_energy("intel-rapl:0", 7);
    chmod(path, 0);
    /* Root would read it all the same. */
    if (geteuid() == 0 && seteuid(65534) != 0) {
        printf("# not tried: a file without rights, where root is the only user\n");
        chmod(path, 0600);
        return;
    }
    assert_int_equal(ert_rapl_open(root, first, 1, &rapl, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "intel-rapl:0/energy_uj: no number can be read");
    assert_contains(error.text, "only root");
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    chmod(path, 0600);
}

/* Zones have the kernel's numbers of packages, which need not begin with 0. */
static void packages_have_the_systems_numbers(void **state)
{
    (void)state;
    struct ert_cpu_team *team;
    char note[128] = "";
    setenv("HWLOC_SYNTHETIC", "package:1(indexes=3) core:1024 pu:1", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    enum ert_status status = ert_cpu_team_open(1, &team, note, sizeof note, &error);
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_THISSYSTEM");
    assert_int_equal(status, ERT_OK);
    assert_int_equal(ert_cpu_team_package(team, 0), 3);
    ert_cpu_team_close(team);
}

static void long_roots_are_refused(void **state)
{
    (void)state;
    struct ert_rapl rapl;
    const bool first[] = {true};
    char path[160];
    snprintf(path, sizeof path, "%s%090d", root, 0);
    assert_int_equal(ert_rapl_open(path, first, 1, &rapl, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "longer than 96 characters");
}

/*
 * The counters here stand still: the case runs, and 0 W of known passes come back. Without any it runs
 * all the same, and the reason is said.
 */
static void a_case_is_metered(void **state)
{
    (void)state;
    struct ert_spec spec = spec_of(ERT_KERNEL_load, 0, 100000, 0);
    struct ert_work work;
    struct ert_sustained run;
    if (!ert_cpu_isas[0])
        return;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    for (int has_meter = 0; has_meter < 2; has_meter++) {
        if (ert_cpu_sustain_at(has_meter ? root : "/nowhere", session, 0.01, &run,
                               &error) != ERT_OK)
            fail_msg("%s", error.text);
        assert_string_equal(run.source, has_meter ? "RAPL package and dram" : "");
        assert_int_equal(*run.no_power == 0, has_meter);
        assert_close(run.power_w, 0, 0);
        assert_true(run.n_parts >= 4 && run.n_parts <= ERT_MAX_PARTS);
        assert_int_equal(run.n_settling, run.n_parts / 4);
        assert_true(run.rate_per_s > 0 && run.time_s > 0);
        assert_int_equal(backend->verify(session, &error), ERT_OK);
    }
}

int main(void)
{
    if (backend->discover(&machine, &error) != ERT_OK || !mkdtemp(root)) {
        printf("Bail out! %s\n", error.text);
        return 1;
    }
    device = machine.devices[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(packages_in_use_add_up, make_zones),
        cmocka_unit_test_setup(a_counter_may_wrap, make_zones),
        cmocka_unit_test_setup(what_is_missing_is_said, make_zones),
        cmocka_unit_test_setup(a_case_is_metered, make_zones),
        cmocka_unit_test(packages_have_the_systems_numbers),
        cmocka_unit_test(long_roots_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, ert_cpu_isas[0] ? open_session : NULL,
                                        ert_cpu_isas[0] ? close_session : NULL);
    remove_zones();
    return failed;
}
