/* SPDX-License-Identifier: BSD-3-Clause */
/* plant: wrong bytes in what a session holds on the device, so that a check can be seen to fail. */
#ifndef ERT_TESTS_GPU_PLANT_H
#define ERT_TESTS_GPU_PLANT_H

#include "ert/core/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to spoil. */
enum plant_where {
    PLANT_RESULT, /* of what the kernel wrote */
    PLANT_A,      /* of the operands that it reads */
    PLANT_B
};

/* Turns the bits of `mask` in one byte over; returns whether it could. */
bool plant_flip(struct ert_session *session, enum plant_where where, uint64_t offset_bytes,
                uint8_t mask);

#ifdef __cplusplus
}
#endif
#endif
