// SPDX-License-Identifier: Apache-2.0
// NVML, loaded at run time. It is part of the driver, so no program can link it.
#pragma once
#include "host/nvml/abi.h"

#include <string>

namespace ringside::host::nvml {

struct Library {
    /// Returns false, with `reason`, if the library or a required function is missing.
    bool load();
    [[nodiscard]] std::string text(Result result) const;

    std::string reason;
    const char* (*errorString)(Result) = nullptr;
// null if this driver lacks the function
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_NVML(member, name, older, parameters) Result(*member) parameters = nullptr;
    RINGSIDE_NVML_FUNCTIONS(RS_NVML)
#undef RS_NVML
    // NOLINTEND(bugprone-macro-parentheses)
};

/// Calls a function that this driver may lack.
template <class... Parameters, class... Arguments>
Result callIfThere(Result (*function)(Parameters...), Arguments... arguments)
{
    return function != nullptr ? function(arguments...) : kFunctionNotFound;
}

} // namespace ringside::host::nvml
