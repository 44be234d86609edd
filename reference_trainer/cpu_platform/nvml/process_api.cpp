// SPDX-License-Identifier: Apache-2.0
// Who has memory on a device, as the script says.
#include "session.h"

using namespace ringside::nvml;

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* processes)
{
    return callOn(
        device,
        [&] {
            const auto present = Script::get().processes(device->index, now());
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
