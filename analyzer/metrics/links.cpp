// SPDX-License-Identifier: Apache-2.0
#include "metrics/links.h"

#include "trace/vocabulary/link_generation.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace ringside::metrics {
namespace {

/// Returns the gain of a counter. Null if the counter was reset, or the data is damaged.
std::optional<std::int64_t> difference(std::int64_t later, std::int64_t earlier)
{
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
    const auto gain = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
    return gain < kMost ? std::optional(static_cast<std::int64_t>(gain)) : std::nullopt;
}

const std::vector<SampleValue>& valuesOf(const Port& port, const trace::SeriesMetric& metric)
{
    static const std::vector<SampleValue> kNone;
    const auto found = port.values.find(metric);
    return found != port.values.end() ? found->second : kNone;
}

using Key = std::pair<std::pair<std::string, std::string>, std::string>; ///< host and boot, port

struct Place {
    std::optional<std::size_t> rank;
    model::ClockMap clock;
};

Place placeOf(const model::Model& model, const trace::ProcessTrace& process)
{
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessRow& row = model.processOf(model.ranks[i]).process;
        if (row.host == process.process.host && row.bootId == process.process.bootId) {
            return {i, model.ranks[i].clock};
        }
    }
    return {std::nullopt, {process.process.startNs, 0, 0.0}};
}

/// Adds the facts of ports. They are settings whose names contain the port, such as "mlx5_0:1 firmware". The
/// name of a port may contain blanks, that of a fact does not.
void addFacts(const trace::ProcessTrace& process, const trace::SettingSource& source,
              std::map<Key, Port>& ports)
{
    for (const trace::SettingRow& row : process.settings) {
        const std::size_t space = row.name.rfind(' ');
        if (row.source != source || space == std::string::npos) {
            continue;
        }
        const auto port =
            ports.find({{process.process.host, process.process.bootId}, row.name.substr(0, space)});
        if (port != ports.end()) {
            port->second.facts.insert_or_assign(row.name.substr(space + 1), row.value);
        }
    }
}

/// A word for series and for facts of what is sampled alike: "rdma", "network".
struct Source {
    trace::SeriesSource series;
    trace::SettingSource facts;
};

void addProcess(const model::Model& model, const trace::ProcessTrace& process, const Source& source,
                std::map<Key, Port>& ports)
{
    const Place place = placeOf(model, process);
    std::unordered_map<std::uint32_t, std::vector<SampleValue>*> bySeries;
    for (const trace::SeriesRow& row : process.series) {
        if (row.source != source.series) {
            continue;
        }
        Port& port = ports[{{process.process.host, process.process.bootId}, row.entity}];
        if (port.name.empty()) {
            port.name = row.entity;
            port.host = process.process.host;
            port.rank = place.rank;
        }
        bySeries.emplace(static_cast<std::uint32_t>(row.id), &port.values[row.metric]);
        if (row.reason != 0) {
            port.missing.insert_or_assign(row.metric, std::string(process.text(row.reason)));
        }
    }
    if (bySeries.empty()) {
        return;
    }
    addFacts(process, source.facts, ports);
    const trace::SampleColumns& samples = process.samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (const auto found = bySeries.find(samples.series[i]); found != bySeries.end()) {
            found->second->push_back({place.clock.toRun(samples.timeNs[i]), samples.value[i]});
        }
    }
}

/// The queue pairs of a host's processes on a port.
struct QueuePairUse {
    std::int64_t most = 0;
    bool reported = false; ///< by at least one process
    bool unknown = false;  ///< for at least one process
};

/// Returns the queue pairs of one process by port. If there are few readings, all of them 0, queue pairs may
/// have been created later, so the number is unknown.
std::map<std::string, QueuePairUse> queuePairUseOf(const trace::ProcessTrace& process)
{
    constexpr std::size_t kFew = 2;
    struct Readings {
        std::int64_t most = 0;
        std::size_t count = 0;
    };
    std::unordered_map<std::uint32_t, Readings> bySeries;
    for (const trace::SeriesRow& row : process.series) {
        if (row.source == "rdma_use" && row.metric == "queue_pairs") {
            bySeries[static_cast<std::uint32_t>(row.id)];
        }
    }
    for (std::size_t i = 0; !bySeries.empty() && i < process.samples.size(); ++i) {
        if (const auto found = bySeries.find(process.samples.series[i]); found != bySeries.end()) {
            found->second.most = std::max<std::int64_t>(found->second.most, process.samples.value[i]);
            ++found->second.count;
        }
    }
    std::map<std::string, QueuePairUse> uses;
    for (const trace::SeriesRow& row : process.series) {
        if (const auto found = bySeries.find(static_cast<std::uint32_t>(row.id)); found != bySeries.end()) {
            const bool doubtful = row.reason != 0 || found->second.count < kFew;
            uses[row.entity] = {found->second.most, true, found->second.most == 0 && doubtful};
        }
    }
    return uses;
}

void addQueuePairs(const model::Model& model, std::map<Key, Port>& ports)
{
    std::map<Key, QueuePairUse> all;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        if (process.ranks.empty()) {
            continue;
        }
        const std::map<std::string, QueuePairUse> uses = queuePairUseOf(process);
        for (auto& [key, port] : ports) {
            if (key.first != std::pair(process.process.host, process.process.bootId)) {
                continue;
            }
            const auto found = uses.find(key.second);
            const QueuePairUse use = found != uses.end() ? found->second : QueuePairUse{0, false, true};
            QueuePairUse& sum = all[key];
            sum = {model::addCapped(sum.most, use.most), sum.reported || use.reported,
                   sum.unknown || use.unknown};
        }
    }
    for (const auto& [key, use] : all) {
        if (use.most > 0 || (use.reported && !use.unknown)) {
            ports.at(key).queuePairs = use.most;
        }
    }
}

double dataShare(std::string_view generation)
{
    const trace::LinkGeneration* const found = trace::findLinkGeneration(generation);
    return found != nullptr ? found->dataShare : 1.0;
}

std::vector<Port> sampledBy(const model::Model& model, const Source& source)
{
    std::map<Key, Port> ports;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        addProcess(model, process, source, ports);
    }
    addQueuePairs(model, ports);
    std::vector<Port> result;
    for (auto& [key, port] : ports) {
        for (auto& [metric, all] : port.values) {
            std::stable_sort(all.begin(), all.end(),
                             [](const SampleValue& a, const SampleValue& b) { return a.timeNs < b.timeNs; });
        }
        result.push_back(std::move(port));
    }
    return result;
}

} // namespace

std::string_view Port::fact(const trace::PortFact& what) const
{
    const auto found = facts.find(what.text());
    return found != facts.end() ? std::string_view(found->second) : std::string_view();
}

std::vector<Gain> Port::gains(const trace::SeriesMetric& metric) const
{
    std::vector<Gain> result;
    const std::vector<SampleValue>& all = valuesOf(*this, metric);
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (const auto gain = difference(all[i].value, all[i - 1].value)) {
            result.push_back({{all[i - 1].timeNs, all[i].timeNs}, *gain});
        }
    }
    return result;
}

std::optional<std::int64_t> Port::gain(const trace::SeriesMetric& metric) const
{
    std::optional<std::int64_t> sum;
    for (const Gain& each : gains(metric)) {
        sum = model::addCapped(sum.value_or(0), each.gain);
    }
    return sum;
}

bool Port::gainedAtLeast(const trace::SeriesMetric& metric) const
{
    return missing.contains(metric) && gain(metric).value_or(0) > 0;
}

std::vector<std::int64_t> Port::momentsOf(PortEvent event) const
{
    std::vector<std::int64_t> moments;
    for (const SampleValue& each : valuesOf(*this, "async_event")) {
        if (each.value == static_cast<std::int64_t>(event)) {
            moments.push_back(each.timeNs);
        }
    }
    return moments;
}

std::optional<std::int64_t> Port::first(const trace::SeriesMetric& metric) const
{
    const std::vector<SampleValue>& all = valuesOf(*this, metric);
    return all.empty() ? std::nullopt : std::optional(all.front().value);
}

std::optional<std::int64_t> Port::last(const trace::SeriesMetric& metric) const
{
    const std::vector<SampleValue>& all = valuesOf(*this, metric);
    return all.empty() ? std::nullopt : std::optional(all.back().value);
}

std::optional<double> Port::bitsPerNs() const
{
    const auto mbps = last("rate_mbps");
    constexpr double kNsAUs = 1000.0;
    return mbps && *mbps > 0
               ? std::optional(static_cast<double>(*mbps) / kNsAUs * dataShare(fact("generation")))
               : std::nullopt;
}

std::optional<bool> Port::carried() const
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

std::optional<double> Port::utilization(const trace::SeriesMetric& metric, const model::Interval& span) const
{
    constexpr double kBits = 8.0;
    const auto rate = bitsPerNs();
    const auto bytes = rate ? GainsOverTime(gains(metric)).perNs(span) : std::nullopt;
    return bytes ? std::optional(*bytes * kBits / *rate) : std::nullopt;
}

model::Interval Port::sampled() const
{
    model::Interval span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    for (const auto& [metric, all] : values) {
        if (!all.empty()) {
            span = {std::min(span.start, all.front().timeNs), std::max(span.end, all.back().timeNs)};
        }
    }
    return span.start <= span.end ? span : model::Interval{};
}

std::vector<Port> portsOf(const model::Model& model)
{
    return sampledBy(model, {"rdma", "rdma"});
}

std::vector<Port> interfacesOf(const model::Model& model)
{
    return sampledBy(model, {"network", "network"});
}

bool isState(const trace::SeriesMetric& metric)
{
    static const std::array<trace::SeriesMetric, 8> kStates{"state",     "physical_state", "rate_mbps",
                                                            "lanes",     "mtu_bytes",      "mtu_max_bytes",
                                                            "pcie_mbps", "async_event"};
    return std::ranges::find(kStates, metric) != kStates.end();
}

bool isTraffic(const trace::SeriesMetric& metric)
{
    return !isState(metric) && (metric.text().ends_with("_bytes") || metric.text().ends_with("_packets"));
}

} // namespace ringside::metrics
