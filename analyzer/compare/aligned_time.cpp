// SPDX-License-Identifier: Apache-2.0
#include "compare/aligned_time.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside::compare {
namespace {

using model::Interval;

/// Returns the begin of each step in run time, by number, on the first rank that has steps.
std::map<std::int64_t, std::int64_t> stepBegins(const model::Model& model)
{
    std::map<std::int64_t, std::int64_t> begins;
    const auto rank =
        std::ranges::find_if(model.ranks, [](const model::Rank& each) { return !each.steps.empty(); });
    if (rank != model.ranks.end()) {
        for (const model::Step& step : rank->steps) {
            begins.emplace(step.number, rank->clock.toRun(step.device.value_or(step.host).start));
        }
    }
    return begins;
}

Interval around(const Interval& time, std::int64_t middle)
{
    const std::int64_t start = middle - time.length() / 2;
    return {start, start + time.length()};
}

std::int64_t middleOf(const Interval& time)
{
    return time.start + time.length() / 2;
}

} // namespace

AlignedTime::AlignedTime(const model::Model& base, const model::Model& now)
{
    const auto baseBegins = stepBegins(base);
    const auto nowBegins = stepBegins(now);
    std::vector<Anchor> anchors;
    for (const auto& [number, begin] : baseBegins) {
        const auto other = nowBegins.find(number);
        const bool grows =
            other != nowBegins.end() &&
            (anchors.empty() || (begin > anchors.back().base && other->second > anchors.back().now));
        if (grows) {
            anchors.push_back({begin, other->second});
        }
    }
    if (anchors.empty() && !baseBegins.empty() && !nowBegins.empty()) {
        anchors.push_back({baseBegins.begin()->second, nowBegins.begin()->second});
    }
    if (!anchors.empty()) {
        m_anchors = std::move(anchors);
    }
}

std::int64_t AlignedTime::map(std::int64_t time, std::int64_t Anchor::*from, std::int64_t Anchor::*to) const
{
    const auto after = std::ranges::upper_bound(m_anchors, time, {}, from);
    const Anchor& before = after == m_anchors.begin() ? m_anchors.front() : *std::prev(after);
    const std::int64_t inside = time - before.*from;
    if (after == m_anchors.begin() || after == m_anchors.end()) {
        return before.*to + inside;
    }
    const auto part = static_cast<double>(inside) / static_cast<double>((*after).*from - before.*from);
    return before.*to + std::llround(part * static_cast<double>((*after).*to - before.*to));
}

std::int64_t AlignedTime::toNow(std::int64_t baseNs) const
{
    return map(baseNs, &Anchor::base, &Anchor::now);
}

std::int64_t AlignedTime::toBase(std::int64_t nowNs) const
{
    return map(nowNs, &Anchor::now, &Anchor::base);
}

Interval AlignedTime::toNow(const Interval& time) const
{
    return around(time, toNow(middleOf(time)));
}

Interval AlignedTime::toBase(const Interval& time) const
{
    return around(time, toBase(middleOf(time)));
}

} // namespace ringside::compare
