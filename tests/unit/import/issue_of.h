// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ringside/trace/reader.h>

#include <algorithm>
#include <string>

namespace ringside::importers {

/// The issue of that id, null: none.
inline const trace::IssueRow* issueOf(const trace::ProcessTrace& process, const std::string& id)
{
    const auto found = std::ranges::find(process.issues, id, &trace::IssueRow::id);
    return found != process.issues.end() ? &*found : nullptr;
}

} // namespace ringside::importers
