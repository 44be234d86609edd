// SPDX-License-Identifier: Apache-2.0
#include "tool_output/host_trace.h"

#include "trace/vocabulary/kernel_event.h"

#include <algorithm>

namespace ringside::tool_output {

HostClock clockOf(const trace::RunTrace& run, const std::string& host)
{
    HostClock clock;
    bool found = false;
    bool ended = true;
    for (const trace::ProcessTrace& process : run.processes) {
        const trace::ProcessRow& row = process.process;
        if (row.host != host || (found && row.bootId != clock.bootId)) {
            continue;
        }
        clock.bootId = row.bootId;
        clock.startNs = found ? std::min(clock.startNs, row.startNs) : row.startNs;
        ended = ended && row.endNs.has_value();
        clock.endNs = std::max(clock.endNs.value_or(row.startNs), row.endNs.value_or(row.startNs));
        found = true;
        if (!clock.toMonotonicNs && !process.clockSamples.empty()) {
            const trace::ClockSampleRow& sample = process.clockSamples.front();
            std::int64_t offset = 0;
            if (!__builtin_sub_overflow(sample.monotonicNs, sample.realtimeNs, &offset)) {
                clock.toMonotonicNs = offset;
            }
        }
    }
    clock.endNs = ended ? clock.endNs : std::nullopt;
    return clock;
}

HostTrace::HostTrace(const std::string& host, HostClock clock) : m_clock(std::move(clock))
{
    m_trace.process.host = host;
    m_trace.process.bootId = m_clock.bootId;
}

void HostTrace::addFact(trace::SettingRow row)
{
    if (!row.value.empty()) {
        m_trace.settings.push_back(std::move(row));
    }
}

std::uint32_t HostTrace::add(trace::SeriesRow row)
{
    row.id = static_cast<std::int64_t>(m_trace.series.size()) + 1;
    m_trace.series.push_back(std::move(row));
    return static_cast<std::uint32_t>(m_trace.series.back().id);
}

std::uint32_t HostTrace::series(trace::SeriesName name, const std::string& entity)
{
    const trace::SeriesEntry& entry = trace::entryOf(name);
    const auto [found, fresh] =
        m_series.try_emplace({entity, std::string(entry.source) + " " + std::string(entry.metric)}, 0);
    if (fresh) {
        found->second = add(trace::seriesRow(name, 0, entity));
    }
    return found->second;
}

std::uint32_t HostTrace::kernelSeries(std::string_view metric, const std::string& entity)
{
    const auto [found, fresh] =
        m_series.try_emplace({entity, std::string(trace::kKernelLog) + " " + std::string(metric)}, 0);
    if (fresh) {
        found->second =
            add({0, trace::SeriesSource::stored(std::string(trace::kKernelLog)), entity,
                 trace::SeriesMetric::stored(std::string(metric)),
                 trace::SeriesKindName::of(trace::entryOf(trace::SeriesKind::Event)), trace::StringId{0}});
    }
    return found->second;
}

void HostTrace::setReason(std::uint32_t series, const std::string& reason)
{
    m_trace.series[series - 1].reason = text(reason);
}

void HostTrace::addSample(std::uint32_t series, std::int64_t timeNs, std::int64_t value)
{
    m_trace.samples.timeNs.push_back(timeNs);
    m_trace.samples.series.push_back(series);
    m_trace.samples.value.push_back(value);
}

trace::StringId HostTrace::text(const std::string& text)
{
    const auto [found, fresh] = m_texts.try_emplace(text, static_cast<trace::StringId>(m_texts.size() + 1));
    if (fresh) {
        m_trace.strings[found->second] = text;
    }
    return found->second;
}

trace::ProcessTrace HostTrace::take()
{
    m_trace.process.startNs = m_clock.startNs;
    if (!m_clock.toMonotonicNs && !m_trace.samples.timeNs.empty()) {
        const auto& times = m_trace.samples.timeNs;
        m_trace.process.startNs = *std::min_element(times.begin(), times.end());
    }
    return std::move(m_trace);
}

} // namespace ringside::tool_output
