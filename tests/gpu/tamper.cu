/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/gpu/tamper.h"

#include "ert/ext/cuda/session.h"

bool ert_test_tamper(struct ert_session *session, uint32_t k)
{
    uint64_t *bits = session->arguments.bits;
    bits[k] ^= 1u << 4;
    return cudaMemcpyAsync(session->constants, bits, ERT_CUDA_CONSTANTS * sizeof *bits,
                           cudaMemcpyHostToDevice, session->stream) == cudaSuccess;
}
