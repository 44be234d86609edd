// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/devices.h"

#include "import/nsys/scan.h"
#include "import/text.h"

#include <algorithm>

namespace ringside::importers::nsys {

Devices::Devices(ExportFile& file)
{
    for (Scan scan(
             file, "TARGET_INFO_GPU",
             {"id", "name", "uuid", "busLocation", "totalMemory", "computeMajor", "computeMinor", "smCount"});
         scan.next();) {
        trace::DeviceRow row;
        row.name = cleanText(scan.text(1));
        row.uuid = cleanText(scan.text(2));
        row.pciBusId = cleanText(scan.text(3));
        const auto memory = scan.integer(4);
        row.memoryBytes = memory && *memory > 0 ? memory : std::nullopt;
        row.computeMajor = scan.integer(5);
        row.computeMinor = scan.integer(6);
        row.multiprocessors = scan.integer(7);
        m_gpus.emplace(scan.integer(0).value_or(-1), std::move(row));
    }
    for (Scan scan(file, "TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}); scan.next();) {
        const auto ordinal = scan.integer(1);
        const auto gpu = scan.integer(2);
        if (ordinal && gpu) {
            m_ofProcess.emplace(std::pair(scan.integer(0).value_or(0), *ordinal), *gpu);
        }
    }
}

trace::DeviceRow Devices::of(std::int64_t pid, std::uint32_t ordinal) const
{
    trace::DeviceRow row;
    const auto own = m_ofProcess.find({pid, ordinal});
    const auto gpu = own != m_ofProcess.end() ? m_gpus.find(own->second) : m_gpus.end();
    if (gpu != m_gpus.end()) {
        row = gpu->second;
    } else if (!m_gpus.empty() && std::ranges::all_of(m_gpus, [&](const auto& entry) {
                   return entry.second.name == m_gpus.begin()->second.name;
               })) {
        const trace::DeviceRow& first = m_gpus.begin()->second; // all GPUs have its name, so are of its kind
        row.name = first.name;
        row.computeMajor = first.computeMajor;
        row.computeMinor = first.computeMinor;
        row.multiprocessors = first.multiprocessors;
    }
    row.ordinal = ordinal;
    return row;
}

} // namespace ringside::importers::nsys
