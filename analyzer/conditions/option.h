// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace ringside::conditions {

/// A threshold or limit that the user may set.
struct Option {
    std::string_view name;
    double value = 0;      ///< default
    std::string_view help; ///< meaning, unit and source of the default
};

} // namespace ringside::conditions
