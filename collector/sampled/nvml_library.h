// SPDX-License-Identifier: Apache-2.0
// NVML, found at run time: it comes with the driver, so no program links it.
#pragma once
#include "abi/nvml.h"

#include <string>

namespace ringside::collector::sampled {

struct NvmlLibrary {
    /// False, with `reason`, when the library or what cannot be done without is missing.
    bool load();
    [[nodiscard]] std::string text(nvml::Result result) const;

    std::string reason;
    const char* (*errorString)(nvml::Result) = nullptr;
// Null where this driver has no such function.
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_NVML(member, name, older, parameters) nvml::Result(*member) parameters = nullptr;
    RINGSIDE_NVML_FUNCTIONS(RS_NVML)
#undef RS_NVML
    // NOLINTEND(bugprone-macro-parentheses)
};

/// Calls a function, which this driver may not have.
template <class... Parameters, class... Arguments>
nvml::Result callIfThere(nvml::Result (*function)(Parameters...), Arguments... arguments)
{
    return function != nullptr ? function(arguments...) : nvml::kFunctionNotFound;
}

} // namespace ringside::collector::sampled
