// SPDX-License-Identifier: Apache-2.0
// Names of the emulated devices. The analyzer recognizes GPUs by their names: the name says whether the
// device has tensor cores, which is the case if its model gives 16-bit matrix products a rate above `flops`.
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
