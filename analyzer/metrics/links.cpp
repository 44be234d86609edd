// SPDX-License-Identifier: Apache-2.0
#include "metrics/links.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace ringside::metrics {
namespace {

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

/// What ethtool counts of a port's interface belongs to the port.
void addCards(const model::Model& model, std::map<Key, Port>& ports)
{
    std::map<Key, Port> cards;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        addProcess(model, process, {"ethtool", "network"}, cards);
    }
    for (auto& [key, port] : ports) {
        const auto card = cards.find({key.first, std::string(port.fact("netdev"))});
        if (card == cards.end()) {
            continue;
        }
        port.values.insert(card->second.values.begin(), card->second.values.end());
        if (const auto pfc = card->second.facts.find("pfc_priorities"); pfc != card->second.facts.end()) {
            port.facts.insert(*pfc);
        }
    }
}

Port inOrder(Port port)
{
    for (auto& [metric, all] : port.values) {
        std::ranges::stable_sort(all, {}, &SampleValue::timeNs);
    }
    return port;
}

std::vector<Port> sampledBy(const model::Model& model, const Source& source)
{
    std::map<Key, Port> ports;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        addProcess(model, process, source, ports);
    }
    addQueuePairs(model, ports);
    addCards(model, ports);
    std::vector<Port> result;
    for (auto& [key, port] : ports) {
        result.push_back(inOrder(std::move(port)));
    }
    return result;
}

} // namespace

std::vector<Port> portsOf(const model::Model& model)
{
    return sampledBy(model, {"rdma", "rdma"});
}

std::vector<conditions::Subject> gpusOf(const model::Model& model)
{
    std::map<const trace::ProcessTrace*, std::map<Key, Port>> sampled;
    for (const trace::ProcessTrace& process : model.trace.processes) {
        addProcess(model, process, {"nvml", "device"}, sampled[&process]);
    }
    std::vector<Port> gpus;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[i]);
        const auto& own = sampled.at(&process);
        const auto gpu =
            own.find({{process.process.host, process.process.bootId}, gpuName(model, model.ranks[i])});
        if (gpu != own.end()) {
            gpus.push_back(inOrder(gpu->second));
            gpus.back().rank = i;
        }
    }
    for (const auto& [process, own] : sampled) {
        for (auto gpu = own.begin(); process->ranks.empty() && gpu != own.end(); ++gpu) {
            gpus.push_back(inOrder(gpu->second));
            gpus.back().rank.reset();
        }
    }
    return gpus;
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
