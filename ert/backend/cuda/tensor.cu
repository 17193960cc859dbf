#include "ert/backend/cuda/tensor.h"

#include "ert/base/config.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ert_cuda_tensor_rows *const tables[] = {&ert_cuda_mma, &ert_cuda_wgmma};

const struct ert_cuda_shape *ert_cuda_shape_of(const struct ert_cuda_row *row)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (size_t i = 0; i < tables[t]->rows->n_rows; i++)
            if (row == &tables[t]->rows->rows[i])
                return &tables[t]->shapes[i];
    return NULL;
}

/*
 * The architecture, 10 * major + minor, whose code a GPU of `cc` runs out of a build for the
 * architectures in the words of `built` ("80 90"): machine code of its major version, else the last
 * one's PTX; 0: none.
 */
static uint32_t code_for(const char *built, uint32_t cc)
{
    uint32_t best = 0, last = 0;
    for (char *end; *built; built = end) {
        uint32_t arch = (uint32_t)strtoul(built, &end, 10);
        if (end == built)
            break;
        last = arch;
        if (arch / 10 == cc / 10 && arch <= cc && arch > best)
            best = arch;
    }
    return best != 0 ? best : last <= cc ? last : 0;
}

bool ert_cuda_tensor_runs(const struct ert_gpu *gpu, const struct ert_cuda_row *row,
                          char *reason, size_t size)
{
    const struct ert_cuda_shape *shape = ert_cuda_shape_of(row);
    if (!shape)
        return true;
    uint32_t cc = (uint32_t)(gpu->cc_major * 10 + gpu->cc_minor);
    uint32_t least = shape->cc_least;
    if (shape->is_cc_only ? cc != least : cc < least) {
        snprintf(reason, size, "needs compute capability %u.%u%s, this GPU has %u.%u",
                 least / 10, least % 10, shape->is_cc_only ? " exactly" : " at least",
                 cc / 10, cc % 10);
        return false;
    }
    if (!row->function && !shape->is_cc_only) {
        snprintf(reason, size,
                 "the CUDA compiler of this build, " ERT_BUILD_NVCC
                 ", does not know the instruction");
        return false;
    }
    if (!row->function) {
        snprintf(reason, size,
                 "this build has no code for sm_90a: nvcc does not know it, or it was not "
                 "in --with-cuda-arch=\"%s\"",
                 ERT_CUDA_ARCH);
        return false;
    }
    uint32_t code = code_for(ERT_CUDA_ARCH, cc);
    if (!shape->is_cc_only && code < least) {
        snprintf(reason, size,
                 "needs code for sm_%u to sm_%u, this build has \"%s\" (--with-cuda-arch)",
                 least, cc, ERT_CUDA_ARCH);
        return false;
    }
    return true;
}
