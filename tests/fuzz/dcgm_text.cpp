// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the text of NVIDIA's dcgm-exporter, and as what a child process answered of GPUs.
#include "attach/dcgm_text.h"

#include "attach/gpu.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ringside;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const attach::DcgmGpu& gpu : attach::parseDcgmText(text)) {
        if (gpu.smActive && (*gpu.smActive < 0 || *gpu.smActive > 1)) {
            std::abort();
        }
    }
    const attach::Gpus gpus = attach::parseGpus(text); // what was read can be written and read again
    if (attach::parseGpus(attach::formatGpus(gpus)).gpus.size() != gpus.gpus.size()) {
        std::abort();
    }
    return 0;
}
