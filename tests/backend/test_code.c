/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: the kernels of this very program hold what kernels.def says: every instruction set of the
 * build on the CPU side, every row of the CUDA backend. Nothing is run. Sanitizers and builds without
 * optimization put other things into the loops.
 */
#include "tests/unit/test.h"

#include "ert/ext/base/tool.h"
#include "ert/ext/cuda/build.h"
#include "ert/ext/validate/code.h"
#include "ert/ext/validate/replay.h"

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
static const bool is_optimized = true;
#else
static const bool is_optimized = false;
#endif

#ifdef __aarch64__
static const bool is_aarch64 = true;
#else
static const bool is_aarch64 = false;
#endif

static struct ert_replay replays[ERT_MAX_REPLAYS];

static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", NULL};

/* cuobjdump names in its help the architectures that it knows. */
static bool is_known_to_cuobjdump(uint32_t arch)
{
    char path[256], word[16];
    struct ert_tool_output output;
    snprintf(word, sizeof word, "'sm_%u'", arch);
    if (ert_tool_find("cuobjdump", folders, path, sizeof path, NULL) != ERT_OK)
        return false;
    const char *const argv[] = {path, "--help", NULL};
    if (ert_tool_run(argv, 60, &output, NULL) != ERT_OK)
        return false;
    bool is_known = strstr(output.out, word);
    ert_tool_free(&output);
    return is_known;
}

static void check(const struct ert_backend *backend, const struct ert_device *device)
{
    struct ert_device_ceilings ceilings = {0};
    size_t n = ert_replay_build(backend, device, replays, &ceilings);
    size_t n_agree = 0, n_differ = 0;
    assert_true(n > 0 && n < ERT_MAX_REPLAYS);
    ert_code_prove(device, replays, n);
    for (size_t i = 0; i < n; i++) {
        const struct ert_ceiling *ceiling = replays[i].ceiling;
        const struct ert_variant *launch = &ceiling->evidence->launch;
        const struct ert_proof *proof = &ceiling->evidence->proof;
        if (strcmp(proof->code.word, ERT_DIFFERS) == 0) {
            n_differ++;
            print_message("%s, %s, %s, %s: %s\n", device->name, ceiling->name, launch->isa,
                          launch->name, proof->code.text);
            continue;
        }
        n_agree += strcmp(proof->code.word, ERT_AGREES) == 0;
        if (strcmp(proof->code.word, ERT_AGREES) == 0 ||
            strstr(proof->code.text, "has no unit for it")) /* V100's on later GPUs */
            continue;
        const struct ert_kernel *row = ert_kernel_row(replays[i].spec.kernel);
        assert_contains(proof->code.text, "no claim for this kernel");
        if (row->kind != ERT_KIND_LINK && row->kind != ERT_KIND_MODE &&
            !(row->limits & ERT_LIBRARY))
            fail_msg("%s, %s: no claim in its row of kernels.def: nothing proves that the "
                     "loop does it",
                     ceiling->name, launch->name);
    }
    assert_int_equal(n_differ, 0);
    assert_true(n_agree >= n / 2);
    ert_device_ceilings_free(&ceilings);
}

static bool has_tool(const char *name)
{
    char path[256];
    return ert_tool_find(name, folders, path, sizeof path, NULL) == ERT_OK;
}

static struct ert_device cpu = {.id = "cpu", .kind = ERT_DEVICE_CPU};

static void kernels_of_the_cpu_hold_their_claims(void **state)
{
    memset(&cpu.cpu.isa, 1, sizeof cpu.cpu.isa); /* all that this build has */
    cpu.cpu.isa.neon = cpu.cpu.isa.sve = is_aarch64;
    check(&ert_backend_cpu, &cpu);
}

static void kernels_of_the_gpu_hold_their_claims(void **state)
{
    static const char archs[] = ERT_CUDA_ARCH;
    for (const char *at = archs; *at; at += strspn(at, " ")) {
        char *end;
        uint32_t arch = (uint32_t)strtoul(at, &end, 10);
        struct ert_device gpu;
        char capability[16];
        snprintf(capability, sizeof capability, "%u.%u", arch / 10, arch % 10);
        assert_int_equal(ert_backend_cuda.model(capability, &gpu, NULL), ERT_OK);
        if (is_known_to_cuobjdump(arch))
            check(&ert_backend_cuda, &gpu);
        else
            printf("# sm_%u: this cuobjdump does not know it\n", arch);
        at = end;
    }
}

/* cmocka 1.1.5 says "not ok # SKIP", which counts as failed: what cannot be tried is left out. */
int main(void)
{
    const struct CMUnitTest cpu_tests[] = {
        cmocka_unit_test(kernels_of_the_cpu_hold_their_claims)};
    const struct CMUnitTest gpu_tests[] = {
        cmocka_unit_test(kernels_of_the_gpu_hold_their_claims)};
    const struct CMUnitTest all_tests[] = {cpu_tests[0], gpu_tests[0]};
    bool has_cpu = is_optimized && has_tool("objdump");
    bool has_gpu = *ERT_CUDA_ARCH && has_tool("cuobjdump");
    if (has_cpu && has_gpu)
        return cmocka_run_group_tests(all_tests, NULL, NULL);
    if (has_cpu)
        return cmocka_run_group_tests(cpu_tests, NULL, NULL);
    if (has_gpu)
        return cmocka_run_group_tests(gpu_tests, NULL, NULL);
    printf("1..0 # SKIP no objdump and no cuobjdump with CUDA, or a build not optimized\n");
    return 0;
}
