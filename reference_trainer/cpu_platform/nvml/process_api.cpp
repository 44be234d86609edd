// SPDX-License-Identifier: Apache-2.0
// Processes with memory on a device: those of the script, else this process if it uses the device.
#include "session.h"

#include <unistd.h>

using namespace ringside::nvml;

namespace {

std::optional<std::vector<ProcessEntry>> processesNow(nvmlDevice_t device)
{
    auto said = Script::get().processes(device->index, now());
    const std::optional<DeviceMemory> own = allocatedHere(device);
    if (said.has_value() || !own.has_value())
        return said;
    return std::vector<ProcessEntry>{{static_cast<unsigned>(getpid()), own->used}};
}

} // namespace

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* processes)
{
    return callOn(
        device,
        [&] {
            const auto present = processesNow(device);
            if (!present.has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            const unsigned room = *count;
            *count = static_cast<unsigned>(present->size());
            if (room < present->size())
                return NVML_ERROR_INSUFFICIENT_SIZE;
            if (!present->empty() && processes == nullptr)
                return NVML_ERROR_INVALID_ARGUMENT;
            constexpr unsigned kNoInstance = 0xFFFFFFFF;
            for (std::size_t i = 0; i < present->size(); ++i)
                processes[i] = {(*present)[i].pid, (*present)[i].bytes, kNoInstance, kNoInstance};
            return NVML_SUCCESS;
        },
        count);
}
