// SPDX-License-Identifier: Apache-2.0
#include "conditions/subject.h"

#include "trace/vocabulary/link_generation.h"

#include <limits>

namespace ringside::conditions {
namespace {

/// Returns the gain of a counter. Null if the counter was reset, or the data is damaged.
std::optional<std::int64_t> difference(std::int64_t later, std::int64_t earlier)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    const auto gain = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
    return gain < kMost ? std::optional(static_cast<std::int64_t>(gain)) : std::nullopt;
}

double dataShare(std::string_view generation)
{
    const trace::LinkGeneration* const found = trace::findLinkGeneration(generation);
    return found != nullptr ? found->dataShare : 1.0;
}

} // namespace

double minutesOf(const values::Interval& span)
{
    constexpr double kNsAMinute = 60e9;
    return static_cast<double>(span.length()) / kNsAMinute;
}

std::string_view Subject::fact(const trace::PortFact& what) const
{
    return told(what.text());
}

std::string_view Subject::told(std::string_view what) const
{
    const auto found = facts.find(what);
    return found != facts.end() ? std::string_view(found->second) : std::string_view();
}

const std::vector<SampleValue>& Subject::readings(const trace::SeriesMetric& metric) const
{
    static const std::vector<SampleValue> kNone;
    const auto found = values.find(metric);
    return found != values.end() ? found->second : kNone;
}

std::vector<Gain> Subject::gains(const trace::SeriesMetric& metric) const
{
    std::vector<Gain> result;
    const std::vector<SampleValue>& all = readings(metric);
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (const auto gain = difference(all[i].value, all[i - 1].value)) {
            result.push_back({{all[i - 1].timeNs, all[i].timeNs}, *gain});
        }
    }
    return result;
}

std::optional<std::int64_t> Subject::gain(const trace::SeriesMetric& metric) const
{
    std::optional<std::int64_t> sum;
    for (const Gain& each : gains(metric)) {
        sum = values::addCapped(sum.value_or(0), each.gain);
    }
    return sum;
}

bool Subject::gainedAtLeast(const trace::SeriesMetric& metric) const
{
    return missing.contains(metric) && gain(metric).value_or(0) > 0;
}

std::vector<std::int64_t> Subject::momentsOf(PortEvent event) const
{
    std::vector<std::int64_t> moments;
    for (const SampleValue& each : readings("async_event")) {
        if (each.value == static_cast<std::int64_t>(event)) {
            moments.push_back(each.timeNs);
        }
    }
    return moments;
}

std::optional<std::int64_t> Subject::first(const trace::SeriesMetric& metric) const
{
    const std::vector<SampleValue>& all = readings(metric);
    return all.empty() ? std::nullopt : std::optional(all.front().value);
}

std::optional<std::int64_t> Subject::last(const trace::SeriesMetric& metric) const
{
    const std::vector<SampleValue>& all = readings(metric);
    return all.empty() ? std::nullopt : std::optional(all.back().value);
}

std::optional<std::int64_t> Subject::largest(const trace::SeriesMetric& metric) const
{
    const std::vector<SampleValue>& all = readings(metric);
    return all.empty() ? std::nullopt : std::optional(std::ranges::max(all, {}, &SampleValue::value).value);
}

std::optional<double> Subject::bitsPerNs() const
{
    const auto mbps = last("rate_mbps");
    constexpr double kNsAUs = 1000.0;
    return mbps && *mbps > 0
               ? std::optional(static_cast<double>(*mbps) / kNsAUs * dataShare(fact("generation")))
               : std::nullopt;
}

std::optional<bool> Subject::carried() const
{
    constexpr std::int64_t kBytes = 1 << 20; // less traffic than this is management
    constexpr std::int64_t kPackets = 256;
    struct Least {
        trace::SeriesMetric metric;
        std::int64_t most = 0;
    };
    std::optional<bool> result;
    for (const auto& [metric, most] : {Least{"tx_bytes", kBytes}, Least{"rx_bytes", kBytes},
                                       Least{"tx_packets", kPackets}, Least{"rx_packets", kPackets}}) {
        if (const auto gained = gain(metric)) {
            result = result.value_or(false) || *gained >= most;
        }
    }
    return result;
}

std::optional<double> Subject::utilization(const trace::SeriesMetric& metric,
                                           const values::Interval& span) const
{
    constexpr double kBits = 8.0;
    const auto rate = bitsPerNs();
    const auto bytes = rate ? GainsOverTime(gains(metric)).perNs(span) : std::nullopt;
    return bytes ? std::optional(*bytes * kBits / *rate) : std::nullopt;
}

values::Interval Subject::sampled() const
{
    values::Interval span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const auto& [metric, all] : values) {
        if (!all.empty()) {
            span = {std::min(span.start, all.front().timeNs), std::max(span.end, all.back().timeNs)};
        }
    }
    return span.start <= span.end ? span : values::Interval{};
}

bool Subject::isReadOnce() const
{
    return !fact("read_by").empty() && std::ranges::all_of(values, [](const auto& metric) {
        const std::vector<SampleValue>& all = metric.second;
        return all.empty() || all.front().timeNs == all.back().timeNs;
    });
}

} // namespace ringside::conditions
