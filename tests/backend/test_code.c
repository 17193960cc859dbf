/*
 * code: the kernels of this very program hold what claims.def says: every instruction set of the
 * build on the CPU side, every row of the CUDA backend. Nothing is run. Sanitizers and builds without
 * optimization put other things into the loops.
 */
#include "tests/unit/test.h"

#include "ert/validate/code.h"
#include "ert/validate/tool.h"

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
static const bool is_optimized = true;
#else
static const bool is_optimized = false;
#endif

enum { MAX_REPLAYS = 1024 };

static struct ert_replay replays[MAX_REPLAYS];
static struct ert_ceiling ceilings[MAX_REPLAYS];

static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};

/* Every variant of every kernel on every path. */
static size_t list_all(const struct ert_backend *backend, const struct ert_device *device)
{
    size_t n = 0;
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (int path = 0; path < ERT_N_PATHS; path++) {
            struct ert_variant variants[ERT_MAX_VARIANTS];
            char reason[192];
            size_t n_variants = backend->variants(device, &options, k, path, variants,
                                                  reason, sizeof reason);
            for (uint32_t v = 0; v < n_variants && n < MAX_REPLAYS; v++, n++) {
                ceilings[n] = (struct ert_ceiling){.launch = variants[v]};
                snprintf(ceilings[n].name, sizeof ceilings[n].name, "%s",
                         ert_kernel_row(k)->name);
                replays[n] =
                    (struct ert_replay){.ceiling = &ceilings[n], .backend = backend};
                replays[n].case_ = (struct ert_case){
                    .kernel = k, .path = path, .variant = v, .flops_per_element = 1};
            }
        }
    return n;
}

static void check(const struct ert_backend *backend, const struct ert_device *device)
{
    size_t n = list_all(backend, device), n_agree = 0;
    ert_code_prove(device, replays, n);
    for (size_t i = 0; i < n; i++) {
        const struct ert_proof *proof = &ceilings[i].proof;
        if (strcmp(proof->code, ERT_DIFFERS) == 0)
            fail_msg("%s, %s: %s", ceilings[i].name, ceilings[i].launch.name,
                     proof->code_text);
        n_agree += strcmp(proof->code, ERT_AGREES) == 0;
        if (strcmp(proof->code, ERT_AGREES) != 0)
            assert_contains(proof->code_text, "no claim for this kernel");
    }
    assert_true(n_agree >= n / 2);
}

static bool has_tool(const char *name)
{
    static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", NULL};
    char path[256];
    return ert_tool_find(name, folders, path, sizeof path, NULL) == ERT_OK;
}

static struct ert_device cpu = {.id = "cpu", .kind = ERT_DEVICE_CPU};
static struct ert_device gpu = {
    .id = "gpu0",
    .kind = ERT_DEVICE_GPU,
    .gpu = {.n_sms = 132, .max_threads_per_sm = 2048, .cc_major = 9}
};

static void kernels_of_the_cpu_hold_their_claims(void **state)
{
    (void)state;
    memset(&cpu.cpu.isa, 1, sizeof cpu.cpu.isa); /* all that this build has */
    cpu.cpu.isa.neon = cpu.cpu.isa.sve = false;
    check(&ert_backend_cpu, &cpu);
}

static void kernels_of_the_gpu_hold_their_claims(void **state)
{
    (void)state;
    check(&ert_backend_cuda, &gpu);
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
    bool has_gpu = list_all(&ert_backend_cuda, &gpu) > 0 && has_tool("cuobjdump");
    if (has_cpu && has_gpu)
        return cmocka_run_group_tests(all_tests, NULL, NULL);
    if (has_cpu)
        return cmocka_run_group_tests(cpu_tests, NULL, NULL);
    if (has_gpu)
        return cmocka_run_group_tests(gpu_tests, NULL, NULL);
    printf("1..0 # SKIP no objdump and no cuobjdump with CUDA, or a build not optimized\n");
    return 0;
}
