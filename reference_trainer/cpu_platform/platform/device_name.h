// SPDX-License-Identifier: Apache-2.0
// What all emulated devices are called. The analyzer knows GPUs by their names: one whose model gives 16-bit
// matrix products a rate above `flops` has what tensor cores are for, and says so.
#pragma once
#include "platform.h"

namespace ringside::platform {

inline const char* deviceName()
{
    const double flops = ringside_platform_model_number("flops", 0);
    return ringside_platform_model_number("half_flops", flops) > flops
               ? "Ringside emulated GPU with tensor cores (CPU platform)"
               : "Ringside emulated GPU (CPU platform)";
}

} // namespace ringside::platform
