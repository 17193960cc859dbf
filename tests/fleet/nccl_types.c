/* SPDX-License-Identifier: BSD-3-Clause */
/* What ert/ext/net/nccl_group.c takes NCCL's functions, numbers and types for is what nccl.h says: else
this does
   not compile. */
#include <nccl.h>

_Static_assert(ncclSuccess == 0 && ncclFloat32 == 7 && ncclSum == 0, "numbers");
_Static_assert(sizeof(ncclResult_t) == sizeof(int) &&
                   sizeof(ncclDataType_t) == sizeof(int) &&
                   sizeof(ncclRedOp_t) == sizeof(int) &&
                   sizeof(ncclComm_t) == sizeof(void *) && sizeof(ncclUniqueId) == 128 &&
                   sizeof(cudaStream_t) == sizeof(void *),
               "types");
typedef ncclResult_t reduction(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t,
                               ncclComm_t, cudaStream_t);
reduction *const all_reduce = ncclAllReduce;
ncclResult_t (*const send)(const void *, size_t, ncclDataType_t, int, ncclComm_t,
                           cudaStream_t) = ncclSend;
ncclResult_t (*const receive)(void *, size_t, ncclDataType_t, int, ncclComm_t,
                              cudaStream_t) = ncclRecv;
ncclResult_t (*const unique_id)(ncclUniqueId *) = ncclGetUniqueId;
ncclResult_t (*const init_rank)(ncclComm_t *, int, ncclUniqueId, int) = ncclCommInitRank;
ncclResult_t (*const groups[])(void) = {ncclGroupStart, ncclGroupEnd};
ncclResult_t (*const version)(int *) = ncclGetVersion;
const char *(*const text)(ncclResult_t) = ncclGetErrorString;
