// SPDX-License-Identifier: Apache-2.0
// Initialisation and shutdown, versions, and names of errors.
#include "session.h"

#include <array>
#include <utility>

using namespace ringside::nvml;

namespace {

constexpr const char* kDriverVersion = "580.0-emulated"; // the driver branch of CUDA 13.0
constexpr const char* kLibraryVersion = "13.580.0-emulated";
constexpr int kCudaVersion = 13000;

constexpr std::array<std::pair<nvmlReturn_t, const char*>, 15> kErrors = {
    {{NVML_SUCCESS, "Success"},
     {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
     {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
     {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
     {NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
     {NVML_ERROR_NOT_FOUND, "Not Found"},
     {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
     {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"},
     {NVML_ERROR_TIMEOUT, "Timeout"},
     {NVML_ERROR_LIBRARY_NOT_FOUND, "Library Not Found"},
     {NVML_ERROR_FUNCTION_NOT_FOUND, "Function Not Found"},
     {NVML_ERROR_GPU_IS_LOST, "GPU is lost"},
     {NVML_ERROR_MEMORY, "Insufficient Memory"},
     {NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "Argument version mismatch"},
     {NVML_ERROR_UNKNOWN, "Unknown Error"}}};

} // namespace

nvmlReturn_t nvmlInit_v2()
{
    return begin();
}

nvmlReturn_t nvmlInitWithFlags(unsigned)
{
    return begin();
}

nvmlReturn_t nvmlShutdown()
{
    return end();
}

const char* nvmlErrorString(nvmlReturn_t result)
{
    for (const auto& [error, text] : kErrors)
        if (error == result)
            return text;
    return "Unknown Error";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length)
{
    return call([&] { return copyText(version, length, kDriverVersion); }, version);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned length)
{
    return call([&] { return copyText(version, length, kLibraryVersion); }, version);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version)
{
    return call(
        [&] {
            *version = kCudaVersion;
            return NVML_SUCCESS;
        },
        version);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}
