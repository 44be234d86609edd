// SPDX-License-Identifier: Apache-2.0
// Severities of findings, of the doctor's results, and of a trace's issues.
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

/// Parses a stored word. "error" in older or foreign files means problem; unknown words mean warning.
[[nodiscard]] constexpr Severity severityOf(std::string_view word)
{
    return word == "info"                         ? Severity::Info
           : word == "problem" || word == "error" ? Severity::Problem
                                                  : Severity::Warning;
}

} // namespace ringside::trace
