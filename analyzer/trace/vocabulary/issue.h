// SPDX-License-Identifier: Apache-2.0
// Issues: problems while a run was recorded, read or analyzed. issues.def is the list.
#pragma once
#include "trace/vocabulary/severity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::trace {

enum class Issue : std::uint8_t {
#define RINGSIDE_ISSUE(name, id, severity, description) name,
#include "trace/vocabulary/issues.def"
};

struct IssueEntry {
    Issue issue;
    std::string_view id; ///< as stored in traces
    Severity severity;
    std::string_view description;
};
inline constexpr std::array kIssues{
#define RINGSIDE_ISSUE(name, id, severity, description)                                                      \
    IssueEntry{Issue::name, id, Severity::severity, description},
#include "trace/vocabulary/issues.def"
};

[[nodiscard]] constexpr std::string_view issueId(Issue issue)
{
    return kIssues[static_cast<std::size_t>(issue)].id;
}
[[nodiscard]] constexpr Severity severityOf(Issue issue)
{
    return kIssues[static_cast<std::size_t>(issue)].severity;
}

} // namespace ringside::trace
