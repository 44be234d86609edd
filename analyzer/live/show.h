// SPDX-License-Identifier: Apache-2.0
// A view of a running job as text and as JSON (ringside-top-1.schema.json).
#pragma once
#include "live/view.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::live {

struct TextOptions {
    std::size_t mostRanks = 32; ///< that are listed
    bool strips = true;         ///< bars of the latest steps; false for screen readers and ASCII
    std::size_t width = 0;      ///< characters of a line; 0: as wide as needed
    std::string filter = {};    ///< which ranks to list (live/filter.h)
};

[[nodiscard]] std::string formatText(const JobView& view, const TextOptions& options = {});
[[nodiscard]] std::string formatJson(const JobView& view);
/// What the view says, in words, with what to do next: paragraphs, not yet broken into lines.
[[nodiscard]] std::vector<std::string> explanationOf(const JobView& view);

/// A bar of a height from 0 to 1.
[[nodiscard]] std::string_view bar(double share);
/// A character a value between the least and the most of all of them; the latest `width` values.
[[nodiscard]] std::string sparkline(const std::vector<std::int64_t>& values, std::size_t width);

} // namespace ringside::live
