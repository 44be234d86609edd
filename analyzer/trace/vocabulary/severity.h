// SPDX-License-Identifier: Apache-2.0
// How bad something is: of findings, of what the doctor says, and of a trace's issues.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

enum class Severity : std::uint8_t { Info, Warning, Problem };

/// "info", "warning", "problem": in the trace, in reports and in options.
[[nodiscard]] constexpr std::string_view severityName(Severity severity)
{
    constexpr std::array<std::string_view, 3> kNames{"info", "warning", "problem"};
    return kNames[static_cast<std::size_t>(severity)];
}

/// Of a stored word. What an older or foreign file calls "error" is a problem, what is no word a warning.
[[nodiscard]] constexpr Severity severityOf(std::string_view word)
{
    return word == "info"                         ? Severity::Info
           : word == "problem" || word == "error" ? Severity::Problem
                                                  : Severity::Warning;
}

} // namespace ringside::trace
