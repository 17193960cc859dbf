/* SPDX-License-Identifier: BSD-3-Clause */
/* answer: what a run ends with, line by line, of a machine whose numbers are round. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/cli/results.h"
#include "ert/core/fit/conditions.h"
#include "ert/core/fit/evidence.h"

/* A run of up to three devices, without samples unless a test adds some. */
struct rig {
    struct ert_ceilings ceilings;
    struct ert_cli_results results;
    struct ert_samples *samples;
    char *text; /* malloc */
};

static struct ert_device_ceilings *add_device(struct rig *rig, const char *id,
                                              enum ert_device_kind kind, const char *name)
{
    struct ert_machine *machine = rig->ceilings.machine;
    struct ert_device *device = &machine->devices[machine->n_devices++];
    struct ert_device_ceilings *ceilings =
        &rig->ceilings.devices[rig->ceilings.n_devices++];
    device->kind = kind;
    snprintf(device->id, sizeof device->id, "%s", id);
    snprintf(device->name, sizeof device->name, "%s", name);
    snprintf(device->backend, sizeof device->backend, "%s",
             kind == ERT_DEVICE_CPU ? "cpu" : "cuda");
    snprintf(ceilings->device, sizeof ceilings->device, "%s", id);
    ceilings->activity.n_cpus = 4;
    ceilings->valid = true;
    return ceilings;
}

/* An interval of 2 %; fraction: of theory, 0 for none. */
static void set_common(struct ert_ceiling *ceiling, const char *name, double value,
                       double fraction)
{
    snprintf(ceiling->name, sizeof ceiling->name, "%s", name);
    ceiling->value = value;
    ceiling->low = 0.99 * value;
    ceiling->high = 1.01 * value;
    ceiling->evidence->n_samples = 9;
    ceiling->theory = fraction > 0 ? value / fraction : 0;
    ceiling->fraction_of_theory = fraction;
    ceiling->evidence->launch.threads = 4;
}

static struct ert_ceiling *add_compute(struct ert_device_ceilings *device, const char *type,
                                       const char *op, const char *unit, double value,
                                       double fraction)
{
    struct ert_ceiling *ceiling = add_ceiling(device, ERT_CEILING_COMPUTE, "");
    char name[32];
    snprintf(name, sizeof name, "%s-%s", type, op);
    set_common(ceiling, name, value, fraction);
    snprintf(ceiling->key.type, sizeof ceiling->key.type, "%s", type);
    snprintf(ceiling->key.op, sizeof ceiling->key.op, "%s", op);
    snprintf(ceiling->key.unit, sizeof ceiling->key.unit, "%s", unit);
    ceiling->is_roof = true;
    return ceiling;
}

static struct ert_ceiling *add_memory(struct ert_device_ceilings *device, const char *level,
                                      const char *pattern, double value, double fraction)
{
    struct ert_ceiling *ceiling = add_ceiling(device, ERT_CEILING_MEMORY, "");
    ceiling->is_roof = false;
    char name[32];
    snprintf(name, sizeof name, "%.15s-%.15s", level, pattern);
    set_common(ceiling, name, value, fraction);
    snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", level);
    snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "%s", pattern);
    return ceiling;
}

static void add_level(struct rig *rig, uint32_t device, const char *name,
                      enum ert_level_kind kind)
{
    struct ert_device *about = &rig->ceilings.machine->devices[device];
    struct ert_level *level = &about->levels[about->n_levels++];
    level->kind = kind;
    snprintf(level->name, sizeof level->name, "%s", name);
}

static void empty_rig(struct rig *rig)
{
    *rig = (struct rig){
        .results = {.folder = "out/node", .has_samples = true}
    };
    rig->ceilings.machine = calloc(1, sizeof *rig->ceilings.machine);
    rig->ceilings.devices = calloc(3, sizeof *rig->ceilings.devices);
    assert_non_null(rig->ceilings.machine);
    assert_non_null(rig->ceilings.devices);
    snprintf(rig->ceilings.status, sizeof rig->ceilings.status, "complete");
    snprintf(rig->ceilings.machine->provenance.command,
             sizeof rig->ceilings.machine->provenance.command, "ert run --full");
    rig->results.plots.n_plots = 2;
    snprintf(rig->results.plots.plots[0].file, sizeof rig->results.plots.plots[0].file,
             "out/node/roofline.svg");
}

/* A CPU with two levels; its bandwidths fill a line of 80 columns. */
static void make(struct rig *rig)
{
    empty_rig(rig);
    struct ert_device_ceilings *cpu = add_device(rig, "cpu", ERT_DEVICE_CPU, "Some CPU");
    add_level(rig, 0, "L1", ERT_LEVEL_CACHE);
    add_level(rig, 0, "DRAM", ERT_LEVEL_MEMORY);
    add_compute(cpu, "fp64", "fma", "avx2", 100e9, 0.8);
    add_compute(cpu, "fp32", "fma", "avx2", 200e9, 0);
    add_memory(cpu, "L1", "load", 400e9, 0.5);
    add_memory(cpu, "L1", "copy", 600e9, 0)->is_roof = true;
    add_memory(cpu, "DRAM", "copy", 25e9, 0)->is_roof = true;
    add_memory(cpu, "DRAM", "load", 20e9, 0);
    memory_at(cpu, 2)->high = 1.03 * 25e9; /* 4 % wide: the widest of the main ones */
}

static const char *answer(struct rig *rig)
{
    size_t size;
    free(rig->text);
    FILE *out = open_memstream(&rig->text, &size);
    assert_non_null(out);
    ert_cli_answer(out, &rig->ceilings, rig->samples, &rig->results);
    assert_int_equal(fclose(out), 0);
    /* Where lines are wrapped does not matter. */
    for (char *at; (at = strstr(rig->text, "\n            "));) {
        *at = ' ';
        memmove(at + 1, at + 13, strlen(at + 13) + 1);
    }
    return rig->text;
}

/* Fails unless the answer has these whole lines. */
static void says(struct rig *rig, const char *lines)
{
    char wanted[1024];
    snprintf(wanted, sizeof wanted, "\n%s\n", lines);
    assert_contains(answer(rig), wanted);
}

static void unmake(struct rig *rig)
{
    ert_ceilings_free(&rig->ceilings);
    free(rig->samples);
    free(rig->text);
}

static void all_of_it(void **state)
{
    struct rig rig;
    make(&rig);
    assert_string_equal(
        answer(&rig),
        "\n"
        "cpu: Some CPU, 4 threads\n"
        "  peak      FP64 100.0 GFLOP/s, FP32 200.0 GFLOP/s\n"
        "  bandwidth L1 400.0 / 600.0 GB/s, DRAM 20.00 / 25.00 GB/s (load / best pattern)\n"
        "  ridge     FP64: L1 0.25, DRAM 5 FLOP/byte (of loads)\n"
        "  of theory FP64 80 %, L1 50 % - no theory for FP32, DRAM\n"
        "  verdict   valid: peak and bandwidths are known to 4 %\n"
        "  to do     nothing: these ceilings can be used\n"
        "files       out/node/: ceilings.json, samples.json, roofline.svg\n"
        "next        ert show out/node/ceilings.json (every ceiling), roofline plot "
        "out/node/ceilings.json --out roofline.html\n");
    unmake(&rig);
}

static void peaks_are_of_fma_where_there_is_one(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_device_ceilings *cpu = &rig.ceilings.devices[0];
    add_compute(cpu, "fp64", "add", "avx2", 300e9, 0);
    add_compute(cpu, "fp32", "fma", "sse2", 900e9, 0)->is_roof = false;
    add_compute(cpu, "fp64", "sqrt", "avx2", 8e9, 0);
    says(&rig, "  peak      FP64 100.0 GFLOP/s, FP32 200.0 GFLOP/s");
    snprintf(compute_at(cpu, 0)->key.op, sizeof compute_at(cpu, 0)->key.op, "mul");
    says(&rig, "  peak      FP64 300.0 GFLOP/s, FP32 200.0 GFLOP/s");
    compute_at(cpu, 0)->is_roof = compute_at(cpu, 2)->is_roof = false;
    says(&rig, "  peak      FP64 not measured, FP32 200.0 GFLOP/s");
    says(&rig, "  ridge     FP32: L1 0.5, DRAM 10 FLOP/byte (of loads)");
    says(&rig, "  of theory L1 50 % - no theory for FP32, DRAM");
    compute_at(cpu, 1)->is_roof = false;
    says(&rig, "  peak      FP64 not measured, FP32 not measured");
    says(&rig, "  ridge     unknown: requires a peak and a bandwidth");
    unmake(&rig);
}

static void tensor_cores_have_peaks_of_their_own(void **state)
{
    struct rig rig;
    empty_rig(&rig);
    struct ert_device_ceilings *gpu = add_device(&rig, "gpu0", ERT_DEVICE_GPU, "Some GPU");
    add_level(&rig, 0, "HBM", ERT_LEVEL_MEMORY);
    add_compute(gpu, "fp64", "fma", "core", 30e12, 0);
    add_compute(gpu, "fp64", "mma", "tensor", 60e12, 0);
    add_compute(gpu, "bf16", "mma", "tensor", 600e12, 0);
    add_compute(gpu, "bf16", "wgmma", "tensor", 900e12, 0);
    add_memory(gpu, "HBM", "load", 4e12, 1.02)->is_roof = true;
    says(&rig, "gpu0: Some GPU\n"
               "  peak      FP64 30.00 TFLOP/s, FP32 not measured, FP64 tensor 60.00 "
               "TFLOP/s, BF16 tensor 900.0 TFLOP/s\n"
               "  bandwidth HBM 4000 / 4000 GB/s (load / best pattern)\n"
               "  ridge     FP64: HBM 7.5 FLOP/byte (of loads)\n"
               "  of theory HBM 102 % - no theory for FP64");
    struct ert_device *device = &rig.ceilings.machine->devices[0];
    snprintf(device->name, sizeof device->name, "NVIDIA H200"); /* one of models.def */
    assert_contains(answer(&rig), "\n  its model of the median of ");
    assert_contains(answer(&rig), " runs (they): fp64-fma ");
    unmake(&rig);
}

static void levels_that_were_not_measured_are_named(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_device_ceilings *cpu = &rig.ceilings.devices[0];
    add_level(&rig, 0, "CXL", ERT_LEVEL_MEMORY);
    says(&rig, "  bandwidth L1 400.0 / 600.0 GB/s, DRAM 20.00 / 25.00 GB/s, CXL not "
               "measured (load / best pattern)");
    says(&rig, "  ridge     FP64: L1 0.25, DRAM 5 FLOP/byte (of loads)");
    /* the units differ; what has no loads is judged by the best pattern */
    memory_at(cpu, 1)->value = 12e12;
    keep_ceilings(cpu, ERT_CEILING_MEMORY, 3);
    says(&rig, "  bandwidth L1 400.0 GB/s / 12.00 TB/s, DRAM 25.00 / 25.00 GB/s, CXL not "
               "measured");
    says(&rig, "  ridge     FP64: L1 0.25, DRAM 4 FLOP/byte (of loads)");
    keep_ceilings(cpu, ERT_CEILING_MEMORY, 0);
    says(&rig, "  bandwidth L1 not measured, DRAM not measured, CXL not measured");
    says(&rig, "  ridge     unknown: requires a peak and a bandwidth");
    unmake(&rig);
}

static void what_the_user_states_of_dram_is_said(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_cpu *cpu = &rig.ceilings.machine->devices[0].cpu;
    snprintf(cpu->dram_stated, sizeof cpu->dram_stated, "1xDDR5-4800");
    struct ert_ceiling *load = memory_at(&rig.ceilings.devices[0], 3);
    load->theory = 38.4e9;
    load->fraction_of_theory = 20 / 38.4;
    says(&rig, "  of theory FP64 80 %, L1 50 %, DRAM 52 % of the stated 38.40 GB/s - no "
               "theory for FP32");
    unmake(&rig);
}

static void verdicts_say_why(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_device_ceilings *cpu = &rig.ceilings.devices[0];
    compute_at(cpu, 1)->evidence->n_samples = 1;
    says(&rig, "  verdict   valid: peak and bandwidths are known to 4 %; 1 of 6 ceilings "
               "not settled (ert show)");
    struct ert_ceiling *dram = memory_at(cpu, 2);
    const struct ert_ceiling settled = *dram;
    dram->high = 1.3 * dram->value;
    assert_contains(
        answer(&rig),
        "  verdict   usable but for DRAM-copy (31 % wide), not settled; the other");
    assert_contains(rig.text,
                    "  to do     use what is settled; for the rest measure again");
    *dram = settled;
    cpu->valid = false;
    says(&rig, "  verdict   NOT VALID: no reason recorded; 1 of 6 ceilings not settled "
               "(ert show)");
    snprintf(cpu->warnings, sizeof cpu->warnings, "the clock fell");
    snprintf(rig.ceilings.status, sizeof rig.ceilings.status, "interrupted");
    says(&rig, "  verdict   INCOMPLETE (interrupted); NOT VALID: the clock fell; 1 of 6 "
               "ceilings not settled (ert show)");
    assert_contains(rig.text, "  to do     measure again and let the run finish");
    cpu->valid = true;
    says(&rig, "  to do     measure again and let the run finish");
    snprintf(rig.ceilings.status, sizeof rig.ceilings.status, "budget");
    says(&rig, "  to do     nothing: these ceilings can be used");
    memory_at(cpu, 0)->evidence->launch.threads = 1;
    says(&rig, "cpu: Some CPU, 1 thread");
    keep_ceilings(cpu, ERT_CEILING_COMPUTE, 0);
    keep_ceilings(cpu, ERT_CEILING_MEMORY, 0);
    says(&rig, "cpu: Some CPU\n"
               "  verdict   nothing was measured: see the notes above\n"
               "files       out/node/: ceilings.json, samples.json, roofline.svg");
    unmake(&rig);
}

/* Of a busy host the verdict has what others had, and the advice is of the bad conditions. */
static void busy_hosts_are_told_what_to_do(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_device_ceilings *cpu = &rig.ceilings.devices[0];
    cpu->activity = (struct ert_activity){
        .elapsed_s = 10, .n_cpus = 4, .own = 0.9, .foreign = 0.05, .steal = 0.03};
    says(&rig, "  verdict   valid: peak and bandwidths are known to 4 %; shared node: "
               "other programs had 5.0 % of the time of our 4 CPUs; shared node: other "
               "guests of this host had 3.0 % of the time of our 4 CPUs");
    says(&rig, "  to do     nothing: these ceilings can be used");
    cpu->activity.foreign = 0.5;
    cpu->activity.steal = 0.4;
    cpu->valid = false;
    snprintf(cpu->warnings, sizeof cpu->warnings, "busy");
    says(&rig, "  verdict   NOT VALID: busy");
    says(&rig, "  to do     stop the other programs (`top` shows them) or reserve the "
               "whole node (sbatch --exclusive); other guests use this host: measure at a "
               "quieter time, or on a dedicated host; then measure again");
    /* the planted machine does not mind */
    snprintf(rig.ceilings.machine->devices[0].backend, 16, "fake");
    says(&rig, "  to do     measure again with more time (--budget 120) or on a quiet "
               "machine; --repeat 3 shows how far runs differ");
    unmake(&rig);
}

/* Of an older file the load alone is known. The quota is of the samples' threads. */
static void samples_of_the_device_are_looked_at(void **state)
{
    struct rig rig;
    make(&rig);
    struct ert_machine *machine = rig.ceilings.machine;
    rig.ceilings.devices[0].valid = false;
    rig.ceilings.devices[0].activity = (struct ert_activity){10, 4, 0.4, 0.5, 0, ""};
    says(&rig, "  to do     stop the other programs (`top` shows them) or reserve the "
               "whole node (sbatch --exclusive); then measure again");
    rig.ceilings.devices[0].activity.n_cpus = 0; /* no /proc */
    rig.ceilings.devices[0].valid = true;
    assert_contains(answer(&rig), "it is unknown who else used the CPUs");
    rig.ceilings.devices[0].valid = false;
    machine->devices[0].cpu.cpus_quota = 2;
    struct ert_point points[2] = {{.work.threads = 8}, {.work.threads = 4}};
    rig.samples = calloc(1, sizeof *rig.samples);
    assert_non_null(rig.samples);
    rig.samples->n_devices = 2;
    rig.samples->devices[0].points = points;
    rig.samples->devices[0].n_points = 1;
    snprintf(rig.samples->devices[0].device, 16, "gpu0");
    snprintf(rig.samples->devices[1].device, 16, "cpu");
    says(&rig, "  to do     measure again with more time (--budget 120) or on a quiet "
               "machine; --repeat 3 shows how far runs differ");
    rig.samples->devices[1].points = points + 1;
    rig.samples->devices[1].n_points = 1;
    says(&rig, "  to do     request as many CPUs as threads, or give --threads; then "
               "measure again");
    unmake(&rig);
}

static void gpus_are_told_what_to_do(void **state)
{
    struct rig rig;
    empty_rig(&rig);
    struct ert_device_ceilings *gpu = add_device(&rig, "gpu0", ERT_DEVICE_GPU, "Some GPU");
    add_memory(gpu, "HBM", "load", 4e12, 0)->is_roof = true;
    gpu->valid = false;
    struct ert_sample throttled = {.throttle = 0x40};
    struct ert_point point = {.samples = &throttled, .n_samples = 1};
    rig.samples = calloc(1, sizeof *rig.samples);
    assert_non_null(rig.samples);
    rig.samples->n_devices = 1;
    rig.samples->devices[0].points = &point;
    rig.samples->devices[0].n_points = 1;
    snprintf(rig.samples->devices[0].device, 16, "gpu0");
    rig.ceilings.machine->devices[0].gpu.utilization_percent = 50;
    says(&rig,
         "  to do     end the other processes on the GPU (`nvidia-smi` shows them); check "
         "power and cooling (`nvidia-smi -q -d PERFORMANCE`); then measure again");
    unmake(&rig);
}

/* Devices of one name within 2 % are said once; each that differs is said. */
static void devices_that_are_alike_are_said_once(void **state)
{
    struct rig rig;
    empty_rig(&rig);
    for (int i = 0; i < 3; i++) {
        char id[16];
        snprintf(id, sizeof id, "gpu%d", i);
        struct ert_device_ceilings *gpu = add_device(&rig, id, ERT_DEVICE_GPU, "Some GPU");
        add_level(&rig, (uint32_t)i, "HBM", ERT_LEVEL_MEMORY);
        add_compute(gpu, "fp64", "fma", "core", 30e12 * (1 + 0.01 * i), 0);
        add_compute(gpu, "fp32", "fma", "core", 60e12, 0);
        add_memory(gpu, "HBM", "load", 4e12 / (1 + 0.0095 * i), 0)->is_roof = true;
    }
    struct ert_device_ceilings *last = &rig.ceilings.devices[2];
    says(&rig, "  to do     nothing: these ceilings can be used\n"
               "gpu1, gpu2: same as gpu0, within 2 %\n"
               "files       out/node/: ceilings.json, samples.json, roofline.svg");
    static const char alone[] = "gpu1: same as gpu0, within 2 %\ngpu2: Some GPU";
    compute_at(last, 0)->value = 30.7e12;
    says(&rig, alone);
    compute_at(last, 0)->value = 30e12;
    memory_at(last, 0)->value = 3.9e12;
    says(&rig, alone);
    memory_at(last, 0)->value = 4e12;
    last->valid = false;
    says(&rig, alone);
    last->valid = true;
    /* the third is like both, which are not like each other */
    compute_at(&rig.ceilings.devices[1], 0)->value = 31e12;
    compute_at(last, 0)->value = 30.5e12;
    says(&rig, "gpu2: same as gpu0, within 2 %\ngpu1: Some GPU");
    assert_null(strstr(rig.text, "as gpu1"));
    unmake(&rig);
}

static void files_have_their_names(void **state)
{
    struct rig rig;
    make(&rig);
    snprintf(rig.results.out, sizeof rig.results.out, "out");
    snprintf(rig.results.plots.plots[1].file, sizeof rig.results.plots.plots[1].file,
             "out/node/roofline-gpu0.svg");
    rig.ceilings.devices[0].valid = false;
    says(
        &rig,
        "files       out/node/: ceilings.json, samples.json, roofline.svg, "
        "roofline-gpu0.svg (out/latest: an earlier, valid run)\n"
        "next        ert run --full (all numbers so far: ert show out/node/ceilings.json)");
    rig.results.has_samples = false;
    rig.results.plots.n_plots = 0;
    rig.results.is_latest = rig.ceilings.devices[0].valid = true;
    says(&rig, "files       out/node/: ceilings.json\n"
               "next        ert show out/ceilings.json (every ceiling), roofline plot "
               "out/ceilings.json --out roofline.html");
    unmake(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(peaks_are_of_fma_where_there_is_one),
        cmocka_unit_test(tensor_cores_have_peaks_of_their_own),
        cmocka_unit_test(levels_that_were_not_measured_are_named),
        cmocka_unit_test(what_the_user_states_of_dram_is_said),
        cmocka_unit_test(verdicts_say_why),
        cmocka_unit_test(busy_hosts_are_told_what_to_do),
        cmocka_unit_test(samples_of_the_device_are_looked_at),
        cmocka_unit_test(gpus_are_told_what_to_do),
        cmocka_unit_test(devices_that_are_alike_are_said_once),
        cmocka_unit_test(files_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
