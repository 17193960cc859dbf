/* SPDX-License-Identifier: BSD-3-Clause */
/* fingerprint: the same machine is known again, another one is not, and doubt is said. */
#include "tests/unit/test.h"

#include "analysis/ext/lib/fingerprint.h"
#include "analysis/ext/lib/nvidia_proc.h"

#include <sys/stat.h>
#include <unistd.h>

/* A host of two GPUs. */
static struct ert_machine *make_machine(void)
{
    struct ert_machine *machine = calloc(1, sizeof *machine);
    assert_non_null(machine);
    machine->n_devices = 3;
    machine->devices[0] = (struct ert_device){
        .id = "cpu",
        .kind = ERT_DEVICE_CPU,
        .name = "Xeon",
        .cpu = {.vendor = "GenuineIntel",
                .family = 6,
                .model = 143,
                .stepping = 8,
                .n_packages = 2,
                .n_cores = 112}
    };
    for (int i = 0; i < 2; i++) {
        struct ert_device *gpu = &machine->devices[1 + i];
        *gpu = (struct ert_device){.kind = ERT_DEVICE_GPU, .name = "NVIDIA H200"};
        snprintf(gpu->id, sizeof gpu->id, "gpu%d", i);
        snprintf(gpu->gpu.uuid, sizeof gpu->gpu.uuid, "GPU-%d%d%d", i, i, i);
    }
    return machine;
}

/* Compares a machine with itself after `spoil`; gives what is said of it. */
static enum rfl_origin compare(void (*spoil)(struct ert_machine *here), bool gpus_known,
                               char why[256])
{
    struct ert_machine *recorded = make_machine(), *here = make_machine();
    if (spoil)
        spoil(here);
    enum rfl_origin origin = rfl_fingerprint_compare(recorded, here, gpus_known, why, 256);
    free(here);
    free(recorded);
    return origin;
}

static void swap_gpus(struct ert_machine *here)
{
    struct ert_device first = here->devices[1];
    here->devices[1] = here->devices[2];
    here->devices[2] = first;
}

static void replace_gpu(struct ert_machine *here)
{
    snprintf(here->devices[2].gpu.uuid, sizeof here->devices[2].gpu.uuid, "GPU-new");
}

static void rename_cpu(struct ert_machine *here)
{
    snprintf(here->devices[0].name, sizeof here->devices[0].name, "EPYC");
}

static void change_stepping(struct ert_machine *here)
{
    here->devices[0].cpu.stepping = 4;
}

static void remove_cores(struct ert_machine *here)
{
    here->devices[0].cpu.n_cores = 56;
}

static void forget_cpu(struct ert_machine *here)
{
    here->devices[0].name[0] = '\0';
}

static void the_same_machine_is_known(void **state)
{
    (void)state;
    char why[256];
    assert_int_equal(compare(NULL, true, why), RFL_SAME_MACHINE);
    assert_string_equal(why, "");
    assert_int_equal(compare(swap_gpus, true, why), RFL_SAME_MACHINE);
}

static void another_machine_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct ert_machine *here);
        const char *why;
    } rows[] = {
        {replace_gpu,     "GPU-111 of the file is not here"},
        {rename_cpu,      "'Xeon' in the file, 'EPYC' here"},
        {change_stepping, "stepping 8 in the file"         },
        {remove_cores,    "112 cores in the file"          },
    };
    char why[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(compare(rows[i].spoil, true, why), RFL_OTHER_MACHINE);
        assert_contains(why, rows[i].why);
    }
    /* A CPU that differs is enough, whatever cannot be seen. */
    assert_int_equal(compare(rename_cpu, false, why), RFL_OTHER_MACHINE);
}

static void doubt_is_said(void **state)
{
    (void)state;
    char why[256];
    assert_int_equal(compare(NULL, false, why), RFL_CANNOT_TELL);
    assert_contains(why, "gpu0: GPUs cannot be seen here");
    assert_int_equal(compare(forget_cpu, true, why), RFL_CANNOT_TELL);
    assert_contains(why, "not known here");
    struct ert_machine *none = calloc(1, sizeof *none);
    assert_int_equal(rfl_fingerprint_compare(none, none, true, why, sizeof why),
                     RFL_CANNOT_TELL);
    free(none);
}

static void write_information(const char *folder, const char *gpu, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, gpu);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/%s/information", folder, gpu);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void gpus_are_read_from_proc(void **state)
{
    (void)state;
    char folder[] = "fingerprint-XXXXXX", command[64];
    struct ert_machine *machine = calloc(1, sizeof *machine);
    assert_non_null(mkdtemp(folder));
    write_information(folder, "0000:01:00.0",
                      "Model: \t\t NVIDIA H200\nIRQ:   \t\t 20\n"
                      "GPU UUID: \t GPU-b5a9\nBus Type: \t PCIe\n");
    assert_true(rfl_nvidia_proc(folder, machine));
    assert_int_equal(machine->n_devices, 1);
    assert_string_equal(machine->devices[0].name, "NVIDIA H200");
    assert_string_equal(machine->devices[0].gpu.uuid, "GPU-b5a9");
    write_information(folder, "0000:02:00.0", "Model: NVIDIA H200\nGPU UUID: GPU-?\n");
    machine->n_devices = 0;
    assert_false(rfl_nvidia_proc(folder, machine));
    assert_false(rfl_nvidia_proc("no-such-folder", machine));
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_machine_is_known),
        cmocka_unit_test(another_machine_is_told_apart),
        cmocka_unit_test(doubt_is_said),
        cmocka_unit_test(gpus_are_read_from_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
