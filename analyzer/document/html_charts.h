// SPDX-License-Identifier: Apache-2.0
// The charts of the HTML report, as SVG. They look as those of the desktop program: the same parts in the
// same colours, which people with colour blindness can tell apart. The page's style defines the colours.
#pragma once
#include "document/document.h"

#include <string>
#include <string_view>

namespace ringside::document {

/// Returns a bar for each rank. Waiting is hatched. More than HeatMap::kMostRows ranks share so many bars.
[[nodiscard]] std::string barsSvg(const BarChart& chart);
[[nodiscard]] std::string heatSvg(const HeatMap& map);
/// Boxes and arrows. Their texts come from traces and are escaped. `label` is for screen readers.
[[nodiscard]] std::string boxesSvg(const BoxPicture& picture, std::string_view label);
/// Escapes a text for HTML and SVG.
[[nodiscard]] std::string escapedHtml(std::string_view text);
/// Returns what a row of both charts stands for if ranks share rows. Empty if each rank has its own.
[[nodiscard]] std::string sharedRowsText(const BarChart& chart);

} // namespace ringside::document
