// SPDX-License-Identifier: Apache-2.0
// How late each of many ranks is, a character a rank.
#pragma once
#include "live/view.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::live {

/// Lines of at most `width` characters, at most `mostLines` of them, each with the number of its first rank:
/// "   0 ▁▁▁█▁▁". The highest bar is the latest rank, "." is not measured, "H" hangs, "?" is silent. Where
/// the ranks are more than characters, one character stands for several of them, and shows the worst.
[[nodiscard]] std::vector<std::string> heatStrip(const std::vector<RankView>& ranks, std::size_t width,
                                                 std::size_t mostLines);

} // namespace ringside::live
