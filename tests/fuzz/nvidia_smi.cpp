// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what `nvidia-smi -q -x` printed give facts of GPUs and of the driver, counts
// among them that can be, and nothing else.
#include "doctor/nvidia_smi.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ringside::doctor::Facts facts;
    ringside::doctor::addNvidiaSmi({reinterpret_cast<const char*>(data), size}, facts);
    for (const auto& [name, value] : facts.all()) {
        const bool known = name.starts_with("gpu.") || name == "library.nvidia_driver";
        const bool counted = name.ends_with(".ecc_uncorrected") || name.ends_with("_link_width");
        if (!known || value.size() > size ||
            (counted && value.find_first_not_of("0123456789") != value.npos)) {
            std::abort();
        }
    }
    return 0;
}
