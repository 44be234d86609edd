// SPDX-License-Identifier: Apache-2.0
// Error state, error names and versions. These functions work without a device and in a forked child.
#include "api.h"

namespace {

struct ErrorText {
    cudaError_t error;
    const char* name;
    const char* text;
};

constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError",
     "initialization error (a bad device model, or a process forked after CUDA was in use)"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "the process is exiting"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid grid or block size"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "a row is longer than the pitch"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid direction of a copy"},
    {cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "launch without a configuration"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "no such kernel is registered"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no device (RINGSIDE_PLATFORM_DEVICES is 0)"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device number"},
    {cudaErrorUnsupportedLimit, "cudaErrorUnsupportedLimit", "the device has no such limit"},
    {cudaErrorOperatingSystem, "cudaErrorOperatingSystem", "the operating system refused (threads, memory)"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
     "invalid stream or event, or one of another device"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "not in a state in which this can be done"},
    {cudaErrorNotReady, "cudaErrorNotReady", "not ready"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "access to this peer's memory is enabled already"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled",
     "access to this peer's memory was not enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "memory is registered already"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", "memory is not registered"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "more blocks than the device can hold at a time"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "a kernel failed"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "not supported by the CPU platform"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "not permitted while a stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "the capture failed earlier; end it"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge", "two captures would become one"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "the capture did not begin in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "a stream forked in the capture was not joined again"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "captured work would depend on work that is not captured"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "the legacy stream would depend on a capturing stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent", "the event was last recorded in a capturing stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "the capture was begun by another thread"},
    {cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
     "the graph differs too much from the executable one"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* findError(cudaError_t error)
{
    for (const ErrorText& row : kErrors)
        if (row.error == error)
            return &row;
    return nullptr;
}

constexpr int kVersion = 13000;

} // namespace

const char* cudaGetErrorName(cudaError_t error)
{
    const ErrorText* row = findError(error);
    return row == nullptr ? "unrecognized error code" : row->name;
}

const char* cudaGetErrorString(cudaError_t error)
{
    const ErrorText* row = findError(error);
    return row == nullptr ? "unrecognized error code" : row->text;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = ringside::platform::lastError();
    ringside::platform::setLastError(cudaSuccess);
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return ringside::platform::lastError();
}

cudaError_t cudaDriverGetVersion(int* version)
{
    if (version == nullptr)
        return cudaErrorInvalidValue;
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    return cudaDriverGetVersion(version);
}
