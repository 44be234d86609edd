// SPDX-License-Identifier: Apache-2.0
// A view of a running job as text and as JSON (ringside-top-1.schema.json).
#pragma once
#include "live/view.h"

#include <cstddef>
#include <string>

namespace ringside::live {

struct TextOptions {
    std::size_t mostRanks = 32; ///< that are listed
    bool strips = true;         ///< sparklines of the latest steps; false for screen readers and ASCII
};

[[nodiscard]] std::string formatText(const JobView& view, const TextOptions& options = {});
[[nodiscard]] std::string formatJson(const JobView& view);

/// A character a value between the least and the most of all of them; the latest `width` values.
[[nodiscard]] std::string sparkline(const std::vector<std::int64_t>& values, std::size_t width);

} // namespace ringside::live
