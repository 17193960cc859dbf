/* SPDX-License-Identifier: BSD-3-Clause */
/* features: what the kernel's words for processors mean. */
#include "tests/unit/test.h"

#include "ert/core/backend/backend.h"
#include "ert/core/machine/features.h"

#include <sys/stat.h>

static char root[64];

static int set_up(void **state)
{
    char folder[128];
    snprintf(root, sizeof root, "/tmp/ert-features-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(folder, sizeof folder, "%s/proc", root);
    return mkdir(folder, 0700);
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

/* What is read of a /proc/cpuinfo with this line. */
static struct ert_isa read_line(const char *line)
{
    struct ert_features features;
    char file[128], text[512];
    snprintf(file, sizeof file, "%s/proc/cpuinfo", root);
    int length =
        snprintf(text, sizeof text, "processor\t: 0\n%s\nbogomips\t: 4800.00\n", line);
    put_file(file, text, (size_t)length);
    ert_features_read(root, &features);
    return features.isa;
}

/* A Xeon Phi 7210: AVX-512F and none of what came later. */
static const char phi[] = "flags\t\t: fpu sse sse2 fma avx avx2 avx512f avx512pf avx512cd";

static void words_of_x86(void **state)
{
    struct ert_isa isa = read_line(phi);
    assert_true(isa.sse2 && isa.avx && isa.avx2 && isa.fma && isa.avx512f);
    assert_false(isa.avx512vnni || isa.avx512fp16 || isa.avx512bf16 || isa.avxvnni);
    assert_false(isa.amx_tile || isa.amx_bf16 || isa.amx_int8 || isa.neon);
    isa = read_line("flags\t\t: avx_vnni avx512_bf16 avx512_vnni avx512_fp16");
    assert_true(isa.avx512fp16 && isa.avx512vnni && isa.avx512bf16 && isa.avxvnni);
    /* The beginning of another word is no word. */
    assert_false(isa.avx || isa.avx512f || isa.amx_tile);
    isa = read_line("flags\t\t: amx_bf16 amx_tile amx_int8");
    assert_true(isa.amx_tile && isa.amx_bf16 && isa.amx_int8);
}

static void words_of_arm(void **state)
{
    struct ert_isa isa = read_line("Features\t: fp asimd aes asimdhp asimddp");
    assert_true(isa.neon && isa.fma && isa.neonfp16 && isa.neondot);
    assert_false(isa.sve || isa.sve128 || isa.sve256 || isa.sve512 || isa.sse2);
    isa = read_line("Features\t: fp asimd");
    assert_true(isa.neon && !isa.neonfp16 && !isa.neondot);
}

static void without_words(void **state)
{
    static const struct ert_isa none;
    struct ert_isa isa = read_line("model name\t: unknown");
    assert_memory_equal(&isa, &none, sizeof none);
}

#ifdef __x86_64__
/* Its kernels are AVX-512F's, and those of later extensions have a reason why not. */
static void phi_runs_avx512f(void **state)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "";
    struct ert_device device = {.kind = ERT_DEVICE_CPU, .cpu.n_cores_usable = 64};
    struct ert_session_options options = {0};
    device.cpu.isa = read_line(phi);
    static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_fma_fp64,
                                                 ERT_KERNEL_triad};
    for (size_t i = 0; i < ERT_LENGTH(kernels); i++) {
        enum ert_path path = i == 1 ? ERT_PATH_NONE : ERT_PATH_CACHED;
        assert_true(ert_backend_cpu.variants(&device, &options, kernels[i], path, variants,
                                             reason, sizeof reason) > 0);
        assert_string_equal(variants[0].isa, "avx512");
        assert_int_equal(variants[0].threads, 64);
    }
    assert_int_equal(ert_backend_cpu.variants(&device, &options, ERT_KERNEL_fma_fp16,
                                              ERT_PATH_NONE, variants, reason,
                                              sizeof reason),
                     0);
    assert_true(*reason);
}
#endif

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(words_of_x86),
        cmocka_unit_test(words_of_arm),
        cmocka_unit_test(without_words),
#ifdef __x86_64__
        cmocka_unit_test(phi_runs_avx512f),
#endif
    };
    return cmocka_run_group_tests(all, set_up, tear_down);
}
