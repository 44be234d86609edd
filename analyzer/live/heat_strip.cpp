// SPDX-License-Identifier: Apache-2.0
#include "live/heat_strip.h"

#include "live/show.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::live {
namespace {

/// The worst of the ranks that share a character.
std::string_view characterOf(const std::vector<const RankView*>& ranks, std::int64_t mostNs)
{
    std::int64_t late = -1;
    bool isSilent = false;
    for (const RankView* rank : ranks) {
        if (rank->state == RankState::Hanging) {
            return "H";
        }
        isSilent = isSilent || rank->state == RankState::Silent;
        late = std::max(late, rank->lateNs.value_or(-1));
    }
    if (isSilent) {
        return "?";
    }
    return late < 0 ? std::string_view(".")
                    : bar(mostNs > 0 ? static_cast<double>(late) / static_cast<double>(mostNs) : 0.0);
}

} // namespace

std::vector<std::string> heatStrip(const std::vector<RankView>& ranks, std::size_t width,
                                   std::size_t mostLines)
{
    constexpr std::size_t kNumberWidth = 6;
    std::vector<const RankView*> byNumber;
    std::int64_t most = 0;
    for (const RankView& rank : ranks) {
        byNumber.push_back(&rank);
        most = std::max(most, rank.lateNs.value_or(0));
    }
    std::ranges::sort(byNumber, {}, &RankView::rank);
    const std::size_t columns = std::max(width, kNumberWidth + 2) - kNumberWidth;
    const std::size_t room = std::max<std::size_t>(columns * mostLines, 1);
    const std::size_t each = std::max<std::size_t>((byNumber.size() + room - 1) / room, 1);
    std::vector<std::string> lines;
    std::size_t used = columns;
    for (std::size_t i = 0; i < byNumber.size(); i += each) {
        if (used == columns) {
            lines.push_back(fmt::format("{:>5} ", byNumber[i]->rank));
            used = 0;
        }
        const auto first = byNumber.begin() + static_cast<std::ptrdiff_t>(i);
        const auto count = static_cast<std::ptrdiff_t>(std::min(each, byNumber.size() - i));
        lines.back() += characterOf({first, first + count}, most);
        ++used;
    }
    return lines;
}

} // namespace ringside::live
