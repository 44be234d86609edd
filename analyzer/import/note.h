// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <string>
#include <utility>

namespace ringside::importers {

/// Says what an importer left out or could not tell; nothing where that never happened (count 0).
inline void note(trace::ProcessTrace& process, trace::Issue issue, std::int64_t count, std::string message)
{
    if (count > 0) {
        process.issues.push_back({issue, count, std::move(message)});
    }
}

} // namespace ringside::importers
