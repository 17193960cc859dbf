#include "ert/validate/build.h"

#include <stdio.h>
#include <string.h>

struct ert_device ert_build_gpu(uint32_t cc_major, uint32_t cc_minor)
{
    /* What variants() asks for: an SM that holds every shape (cc 7.0, 8.0 and 9.0 have that many). */
    enum { MOST_THREADS = 2048 };
    struct ert_device device = {
        .id = "gpu0",
        .kind = ERT_DEVICE_GPU,
        .gpu = {.n_sms = 1,
                .max_threads_per_sm = MOST_THREADS,
                .cc_major = cc_major,
                .cc_minor = cc_minor}
    };
    snprintf(device.name, sizeof device.name, "GPU of compute capability %u.%u", cc_major,
             cc_minor);
    return device;
}

/*
 * The variants of one kernel on one path, of ERT's kernels for a flop count, else 0, from index n on. Returns
 * the index behind the last.
 */
static size_t list_variants(const struct ert_backend *backend,
                            const struct ert_device *device, enum ert_kernel_id kernel,
                            enum ert_path path, uint32_t flops, struct ert_replay *replays,
                            struct ert_ceiling *ceilings, size_t n, size_t max)
{
    static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    size_t n_variants =
        backend->variants(device, &options, kernel, path, variants, reason, sizeof reason);
    for (uint32_t v = 0; v < n_variants && n < max; v++, n++) {
        ceilings[n] = (struct ert_ceiling){.launch = variants[v]};
        snprintf(ceilings[n].name, sizeof ceilings[n].name, "%s",
                 ert_kernel_row(kernel)->name);
        size_t used = strlen(ceilings[n].launch.name);
        if (flops > 0)
            snprintf(ceilings[n].launch.name + used, sizeof ceilings[n].launch.name - used,
                     ", %u flops", flops);
        replays[n] = (struct ert_replay){.ceiling = &ceilings[n], .backend = backend};
        replays[n].case_ = (struct ert_case){.kernel = kernel,
                                             .path = path,
                                             .variant = v,
                                             .flops_per_element = flops ? flops : 1};
    }
    return n;
}

size_t ert_build_list(const struct ert_backend *backend, const struct ert_device *device,
                      struct ert_replay *replays, struct ert_ceiling *ceilings, size_t max)
{
    size_t n = 0;
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        for (int path = 0; path < ERT_N_PATHS; path++) {
            bool is_ert110 = ert_kernel_row(kernel)->class_ == ERT_CLASS_ERT110;
            bool is_fp16 = ert_kernel_row(kernel)->type == ERT_FP16; /* not of 1 flop */
            for (int f = is_fp16; is_ert110 && f < ERT_N_MIXED_FLOPS; f++)
                n = list_variants(backend, device, kernel, path, ert_kernel_mixed_flops[f],
                                  replays, ceilings, n, max);
            if (!is_ert110)
                n = list_variants(backend, device, kernel, path, 0, replays, ceilings, n,
                                  max);
        }
    return n;
}
