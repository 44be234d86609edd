// SPDX-License-Identifier: Apache-2.0
// NVML, found at run time: it comes with the driver, so no program links it.
#pragma once
#include "host/nvml/abi.h"

#include <string>

namespace ringside::host::nvml {

struct Library {
    /// False, with `reason`, when the library or what cannot be done without is missing.
    bool load();
    [[nodiscard]] std::string text(Result result) const;

    std::string reason;
    const char* (*errorString)(Result) = nullptr;
// Null where this driver has no such function.
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_NVML(member, name, older, parameters) Result(*member) parameters = nullptr;
    RINGSIDE_NVML_FUNCTIONS(RS_NVML)
#undef RS_NVML
    // NOLINTEND(bugprone-macro-parentheses)
};

/// Calls a function, which this driver may not have.
template <class... Parameters, class... Arguments>
Result callIfThere(Result (*function)(Parameters...), Arguments... arguments)
{
    return function != nullptr ? function(arguments...) : kFunctionNotFound;
}

} // namespace ringside::host::nvml
