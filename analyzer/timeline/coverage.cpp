// SPDX-License-Identifier: Apache-2.0
#include "timeline/coverage.h"

namespace ringside::timeline {
namespace {

/// Adds times to the columns that they lie in.
class Columns final {
public:
    Columns(const Interval& range, std::size_t count)
        : m_range(range)
        , m_columnNs(static_cast<double>(range.length()) / static_cast<double>(count))
        , m_shares(count)
    {}

    /// Adds `share` of the time of `interval` to one kind.
    void add(const Interval& interval, std::size_t kind, double share)
    {
        const double begin = placeOf(interval.start);
        const double end = placeOf(interval.end);
        for (auto column = static_cast<std::size_t>(begin); static_cast<double>(column) < end; ++column) {
            const auto left = static_cast<double>(column);
            const double covered = std::min(end, left + 1) - std::max(begin, left);
            float& sum = m_shares[column][kind];
            sum = std::min(1.0F, sum + static_cast<float>(covered * share));
        }
    }

    [[nodiscard]] std::vector<ByKind<float>> take() { return std::move(m_shares); }

private:
    [[nodiscard]] double placeOf(std::int64_t timeNs) const
    {
        const auto since = static_cast<double>(timeNs) - static_cast<double>(m_range.start);
        return std::clamp(since / m_columnNs, 0.0, static_cast<double>(m_shares.size()));
    }

    Interval m_range;
    double m_columnNs;
    std::vector<ByKind<float>> m_shares;
};

} // namespace

std::vector<ByKind<float>> coverageOf(const Lane& lane, const std::vector<Bar>& bars, const Interval& range,
                                      std::size_t columns)
{
    if (range.length() == 0 || columns == 0) {
        return std::vector<ByKind<float>>(columns);
    }
    Columns result(range, columns);
    for (const Bar& bar : bars) {
        const std::size_t last = bar.first + bar.count - 1;
        const Span end = lane.span(last);
        result.add(end.time, static_cast<std::size_t>(end.kind), 1);
        const Interval before{bar.time.start, end.time.start};
        if (last == bar.first || before.length() == 0) {
            continue;
        }
        const ByKind<std::int64_t> times = lane.timeOf(bar.first, last);
        for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
            if (times[kind] > 0) {
                result.add(before, kind,
                           static_cast<double>(times[kind]) / static_cast<double>(before.length()));
            }
        }
    }
    return result.take();
}

} // namespace ringside::timeline
