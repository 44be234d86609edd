// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ringside/trace/reader.h>

#include <algorithm>
#include <string>

namespace ringside::importers {

/// The issue of that id, of a process or a model; null: none.
template <typename Holder>
const trace::IssueRow* issueOf(const Holder& holder, const std::string& id)
{
    const auto found = std::ranges::find(holder.issues, id, &trace::IssueRow::id);
    return found != holder.issues.end() ? &*found : nullptr;
}

} // namespace ringside::importers
