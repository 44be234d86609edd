// SPDX-License-Identifier: Apache-2.0
// Names of the settings that state how a process ended itself.
#pragma once
#include <string_view>

namespace ringside::trace::own_end {

inline constexpr char kSource[] = "process";
inline constexpr std::string_view kExitCode = "exit_code";
inline constexpr std::string_view kBecame = "became";

} // namespace ringside::trace::own_end
