// SPDX-License-Identifier: Apache-2.0
#include "metrics/probed.h"

#include "metrics/gigabytes.h"
#include "values/parse_number.h"
#include "values/quantile.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace ringside::metrics {
namespace {

constexpr char kProbe[] = "probe";
constexpr std::string_view kArrow = " > ";
constexpr std::string_view kAllReduce = "all_reduce ";

/// Returns the last value of each series, which is the median or the best value that the probe kept.
std::unordered_map<std::uint32_t, std::int64_t> lastValues(const trace::ProcessTrace& process)
{
    std::unordered_map<std::uint32_t, std::int64_t> last;
    const trace::SampleColumns& samples = process.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        last.insert_or_assign(samples.series[i], samples.value[i]);
    }
    return last;
}

/// Adds a figure of a link. Links of hosts that are not in the run are left out.
void addLink(const model::Model& model, const trace::SeriesRow& row, std::size_t arrow, std::int64_t value,
             Probed& probed)
{
    const std::string sender = row.entity.substr(0, arrow);
    const std::string receiver = row.entity.substr(arrow + kArrow.size());
    if (std::ranges::count(model.hosts, sender, &model::Host::name) == 0 ||
        std::ranges::count(model.hosts, receiver, &model::Host::name) == 0) {
        return;
    }
    ProbedLink& link = probed.links[{sender, receiver}];
    if (row.metric == "tcp_bytes_per_s") {
        link.gbs = static_cast<double>(value) / kBytesPerGigabyte;
    } else if (row.metric == "round_trip_ns") {
        link.roundTripNs = value;
    } else if (row.metric == "rdma_bytes_per_s") {
        link.rdmaGBs = static_cast<double>(value) / kBytesPerGigabyte;
    } else if (row.metric == "rdma_write_ns") {
        link.rdmaWriteNs = value;
    }
}

void addAllReduce(const trace::SeriesRow& row, std::int64_t value, Probed& probed)
{
    const std::string_view text = std::string_view(row.entity).substr(kAllReduce.size());
    const auto bytes = values::parseNumber<std::uint64_t>(text);
    if (!bytes) {
        return;
    }
    if (row.metric == "time_ns") {
        probed.allReduces[*bytes].ns = value;
    } else if (row.metric == "bus_bytes_per_s") {
        probed.allReduces[*bytes].busGBs = static_cast<double>(value) / kBytesPerGigabyte;
    } else if (row.metric == "ranks") {
        probed.allReduceRanks = value;
    }
}

void addProbe(const model::Model& model, const trace::ProcessTrace& process, Probed& probed)
{
    const auto last = lastValues(process);
    for (const trace::SeriesRow& row : process.series) {
        const auto value = last.find(static_cast<std::uint32_t>(row.id));
        if (row.source != kProbe || value == last.end() || value->second <= 0) {
            continue;
        }
        if (row.entity.starts_with(kAllReduce)) {
            addAllReduce(row, value->second, probed);
        } else if (const std::size_t arrow = row.entity.find(kArrow); arrow != std::string::npos) {
            addLink(model, row, arrow, value->second, probed);
        }
    }
}

bool isProbe(const trace::ProcessTrace& process)
{
    return std::ranges::any_of(process.series,
                               [](const trace::SeriesRow& row) { return row.source == kProbe; });
}

constexpr double kMiddle = 0.5;
constexpr double kUpper = 0.75;

/// Returns a quantile over the directions in which the figure was measured. Null if there are none.
template <class Number>
std::optional<Number> percentileOf(const decltype(Probed::links)& links, double share,
                                   std::optional<Number> ProbedLink::*figure)
{
    std::vector<Number> all;
    for (const auto& [ends, link] : links) {
        if (link.*figure) {
            all.push_back(*(link.*figure));
        }
    }
    return all.empty() ? std::nullopt : std::optional(values::quantile(std::move(all), share));
}

} // namespace

std::optional<double> Probed::busGBs(std::uint64_t bytes) const
{
    const auto above = allReduces.lower_bound(bytes);
    if (above == allReduces.end() || (above->first != bytes && above == allReduces.begin())) {
        return std::nullopt;
    }
    if (above->first == bytes) {
        return above->second.busGBs;
    }
    const auto below = std::prev(above);
    const double place = std::log(static_cast<double>(bytes) / static_cast<double>(below->first)) /
                         std::log(static_cast<double>(above->first) / static_cast<double>(below->first));
    return below->second.busGBs + place * (above->second.busGBs - below->second.busGBs);
}

std::optional<double> Probed::usualLinkGBs() const
{
    return percentileOf(links, kUpper, &ProbedLink::gbs);
}

std::optional<std::int64_t> Probed::medianRoundTripNs() const
{
    return percentileOf(links, kMiddle, &ProbedLink::roundTripNs);
}

std::optional<double> Probed::usualRdmaGBs() const
{
    return percentileOf(links, kUpper, &ProbedLink::rdmaGBs);
}

std::optional<std::int64_t> Probed::medianRdmaWriteNs() const
{
    return percentileOf(links, kMiddle, &ProbedLink::rdmaWriteNs);
}

Probed probedOf(const model::Model& model)
{
    std::vector<const trace::ProcessTrace*> probes;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        if (isProbe(process)) {
            probes.push_back(&process);
        }
    }
    const auto realtime = [](const trace::ProcessTrace* probe) {
        return probe->clockSamples.empty() ? 0 : probe->clockSamples.front().realtimeNs;
    };
    std::ranges::stable_sort(probes, {}, realtime);
    Probed probed;
    for (const trace::ProcessTrace* const probe : probes) {
        addProbe(model, *probe, probed);
        probed.realtimeNs = realtime(probe);
    }
    return probed;
}

} // namespace ringside::metrics
