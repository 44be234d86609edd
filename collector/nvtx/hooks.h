// SPDX-License-Identifier: Apache-2.0
// The functions that the collector installs in NVTX's tables, by table and number.
#pragma once
#include "abi/nvtx.h"
#include "nvtx/chain.h"

#include <span>

namespace ringside::collector::nvtx {

struct Hook {
    unsigned id;       ///< in its table
    Function function; ///< ours
    Next* next;        ///< where the chained tool's is kept
};
std::span<const Hook> coreHooks();    ///< of module kModuleCore
std::span<const Hook> core2Hooks();   ///< of module kModuleCore2
std::span<const Hook> payloadHooks(); ///< of the payload extension

} // namespace ringside::collector::nvtx
