#include "ert/backend/cuda/kinds.h"

const struct ert_cuda_kind *ert_cuda_kind_of(const struct ert_cuda_row *row)
{
    static const struct {
        enum ert_cuda_walk walk;
        const struct ert_cuda_kind *(*kind)(void);
    } kinds[] = {
        {ERT_CUDA_CHASE,          ert_cuda_chase_kind         },
        {ERT_CUDA_STRIDED,        ert_cuda_strided_kind       },
        {ERT_CUDA_STRIDED_SLICES, ert_cuda_strided_slices_kind},
        {ERT_CUDA_RESIDENT,       ert_cuda_resident_kind      },
        {ERT_CUDA_LINK,           ert_cuda_link_kind          },
        {ERT_CUDA_LINK_PAGEABLE,  ert_cuda_pageable_kind      },
        {ERT_CUDA_ERT110,         ert_cuda_ert110_kind        },
    };
    if (row->walk == ERT_CUDA_OWN)
        return ert_cuda_own_of(row->kernel)->kind;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].walk == row->walk)
            return kinds[i].kind();
    return NULL;
}
