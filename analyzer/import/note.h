// SPDX-License-Identifier: Apache-2.0
// Adds issues to an imported process.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string>
#include <utility>

namespace ringside::importers {

/// Adds an issue about what an importer left out or could not find out. Does nothing if `count` is 0.
inline void note(trace::ProcessTrace& process, trace::Issue issue, std::int64_t count, std::string message)
{
    if (count > 0) {
        process.issues.push_back({issue, count, std::move(message)});
    }
}

} // namespace ringside::importers
