// SPDX-License-Identifier: Apache-2.0
#include "hang/storage_activity.h"

#include "trace/vocabulary/storage_use.h"

#include <algorithm>
#include <map>

namespace ringside::hang {
namespace {

/// Readings of a process, the latest first.
class Readings final {
public:
    explicit Readings(const trace::ProcessTrace& process) : m_samples(process.samples), m_at(m_samples.size())
    {
        for (const trace::SeriesRow& row : process.series) {
            if (const auto place = trace::storageSeriesPlace(row.source.text(), row.metric.text())) {
                m_places.emplace(static_cast<std::uint32_t>(row.id), *place);
            }
        }
    }

    std::optional<trace::StorageReading> next()
    {
        std::optional<trace::StorageReading> reading;
        for (; !m_places.empty() && m_at > 0; --m_at) {
            const auto place = m_places.find(m_samples.series[m_at - 1]);
            if (place == m_places.end()) {
                continue;
            }
            if (reading && reading->timeNs != m_samples.timeNs[m_at - 1]) {
                break;
            }
            reading = reading.value_or(trace::StorageReading{m_samples.timeNs[m_at - 1]});
            reading->values[place->second] = m_samples.value[m_at - 1];
        }
        return reading;
    }

private:
    const trace::SampleColumns& m_samples;
    std::size_t m_at;
    std::map<std::uint32_t, std::size_t> m_places;
};

std::int64_t lastCollectiveEnd(const trace::ProcessTrace& process)
{
    std::int64_t endNs = process.process.startNs;
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        endNs = std::max(endNs, call.endNs);
    }
    return endNs;
}

} // namespace

std::optional<StorageActivity> storageActivityOf(const trace::ProcessTrace& process, std::int64_t untilNs)
{
    constexpr std::int64_t kLatestNs = 5'000'000'000; // an older reading tells nothing of the present
    constexpr std::int64_t kPauseNs = 3'000'000'000;  // between two chunks
    constexpr std::int64_t kLeastNs = 3'000'000'000;  // a line of a log may wait for a moment, too
    constexpr std::int64_t kRateNs = 10'000'000'000;
    Readings readings(process);
    const auto last = readings.next();
    if (!last || untilNs - last->timeNs > kLatestNs) {
        return std::nullopt;
    }
    std::int64_t sinceNs = last->timeNs;
    trace::StorageReading recent = *last; // the earliest of the span that the rate is of
    trace::StorageReading after = *last;
    for (auto before = readings.next(); before && sinceNs - after.timeNs < kPauseNs;
         before = readings.next()) {
        sinceNs = trace::storageUseBetween(*before, after).busy() ? before->timeNs : sinceNs;
        recent = last->timeNs - before->timeNs <= kRateNs ? *before : recent;
        after = *before;
    }
    sinceNs = std::max(sinceNs, lastCollectiveEnd(process));
    if (last->timeNs - sinceNs < kLeastNs) {
        return std::nullopt;
    }
    return StorageActivity{trace::storageUseBetween(recent, *last), untilNs - sinceNs};
}

} // namespace ringside::hang
