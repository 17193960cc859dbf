/* rows: one line per version and build; each file vN.cu defines its two. */
#include "gpp/cuda/rows.h"

#include "gpp/cuda/kernel.cuh"

#define VERSION(name)                                                                      \
    extern const struct gpp_cuda_row GPP_CUDA_NAME(name, fma), GPP_CUDA_NAME(name, nofma)

VERSION(v0);
VERSION(v1);
VERSION(v2);
VERSION(v3);
VERSION(v4);
VERSION(v5);
VERSION(v6);
VERSION(v7);
VERSION(v8);
VERSION(v9);
VERSION(v10);
VERSION(v11);
VERSION(v12);
VERSION(v13);
VERSION(v14);
VERSION(v15);
VERSION(v16);

#define PAIR(name)                                                                         \
    {                                                                                      \
        &GPP_CUDA_NAME(name, nofma), &GPP_CUDA_NAME(name, fma)                             \
    }

static const struct gpp_cuda_row *const rows[][2] = {
    PAIR(v0),  PAIR(v1),  PAIR(v2),  PAIR(v3),  PAIR(v4),  PAIR(v5),
    PAIR(v6),  PAIR(v7),  PAIR(v8),  PAIR(v9),  PAIR(v10), PAIR(v11),
    PAIR(v12), PAIR(v13), PAIR(v14), PAIR(v15), PAIR(v16),
};
static_assert(sizeof rows / sizeof rows[0] == GPP_N_VERSIONS - GPP_v0,
              "a version has no row");

const struct gpp_cuda_row *gpp_cuda_row(enum gpp_version_id version, bool has_fma)
{
    return rows[version - GPP_v0][has_fma];
}
