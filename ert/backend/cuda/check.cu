#include "ert/backend/cuda/check.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * Errors of one call, after which the context still works. All others stick to the context.
 */
static const cudaError_t harmless[] = {
    cudaErrorMemoryAllocation,      cudaErrorInvalidValue,
    cudaErrorInvalidConfiguration,  cudaErrorLaunchOutOfResources,
    cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice,
    cudaErrorUnsupportedPtxVersion, cudaErrorInvalidPtx,
};

bool ert_cuda_is_lost(cudaError_t code)
{
    if (code == cudaSuccess)
        return false;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (code == harmless[i])
            return false;
    return true;
}

enum ert_status ert_cuda_fail(struct ert_error *error, cudaError_t code, const char *device,
                              const char *format, ...)
{
    char call[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call, sizeof call, format, arguments);
    va_end(arguments);
    cudaGetLastError(); /* an error of one call must not be reported again by the next */
    return ert_fail(error, ERT_FAILED, "%s: %s: %s (%s)%s", device, call,
                    cudaGetErrorString(code), cudaGetErrorName(code),
                    code == cudaErrorDevicesUnavailable ? ", in use by another process?"
                                                        : "");
}
