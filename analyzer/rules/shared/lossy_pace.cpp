// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/lossy_pace.h"

#include <algorithm>

namespace ringside::rules {

std::optional<LossyPace> lossyPace(const metrics::Port& port, double few)
{
    constexpr std::size_t kLeast = 3;
    std::map<std::int64_t, std::int64_t> again; // keyed by the end of the interval
    for (const metrics::Gain& each : port.gains("retransmissions")) {
        again[each.between.end] = each.gain;
    }
    std::map<std::int64_t, std::int64_t> bytes;
    for (const metrics::Gain& each : port.gains("tx_bytes")) {
        bytes[each.between.end] = each.gain;
    }
    std::vector<double> lossy;
    std::vector<double> other;
    for (const metrics::Gain& sent : port.gains("tx_packets")) {
        const auto lost = again.find(sent.between.end);
        const auto size = bytes.find(sent.between.end);
        if (sent.gain <= 0 || sent.between.length() <= 0 || lost == again.end() ||
            (size == bytes.end() && !bytes.empty())) {
            continue;
        }
        const auto carried = static_cast<double>(bytes.empty() ? sent.gain : size->second);
        const bool isLossy = static_cast<double>(lost->second) > few * static_cast<double>(sent.gain);
        (isLossy ? lossy : other).push_back(carried / static_cast<double>(sent.between.length()));
    }
    if (lossy.size() < kLeast || other.size() < kLeast) {
        return std::nullopt;
    }
    const LossyPace pace{model::median(std::move(lossy)), model::median(std::move(other))};
    return pace.other > 0 ? std::optional(pace) : std::nullopt;
}

} // namespace ringside::rules
