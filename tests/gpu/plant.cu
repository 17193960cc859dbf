/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/gpu/plant.h"

#include "ert/ext/cuda/session.h"
#include "ert/ext/cuda/tensor.cuh"

bool plant_flip(struct ert_session *session, enum plant_where where, uint64_t offset_bytes,
                uint8_t mask)
{
    uint8_t *const places[] = {(uint8_t *)session->target, session->tiles->a,
                               session->tiles->b};
    uint8_t *place = places[where] + offset_bytes, byte = 0;
    if (cudaMemcpy(&byte, place, 1, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    byte ^= mask;
    return cudaMemcpy(place, &byte, 1, cudaMemcpyHostToDevice) == cudaSuccess;
}
