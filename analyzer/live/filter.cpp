// SPDX-License-Identifier: Apache-2.0
#include "live/filter.h"

#include "values/parse_number.h"

#include <algorithm>

namespace ringside::live {
namespace {

/// "7" or "0-7"; null: neither.
std::optional<bool> isInRange(std::int64_t rank, std::string_view range)
{
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = values::parseNumber<std::int64_t>(range.substr(0, dash));
    const auto last =
        dash == range.size() ? first : values::parseNumber<std::int64_t>(range.substr(dash + 1));
    return first && last ? std::optional(rank >= *first && rank <= *last) : std::nullopt;
}

/// Null: the text has other words than numbers and ranges.
std::optional<bool> isInList(std::int64_t rank, std::string_view list)
{
    bool found = false;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        const auto inRange = isInRange(rank, list.substr(0, end));
        if (!inRange) {
            return std::nullopt;
        }
        found = found || *inRange;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return found;
}

} // namespace

bool matches(const RankView& rank, std::string_view filter)
{
    if (filter.empty()) {
        return true;
    }
    if (const auto listed = isInList(rank.rank, filter)) {
        return *listed;
    }
    return stateName(rank.state) == filter || rank.host.find(filter) != std::string::npos;
}

} // namespace ringside::live
