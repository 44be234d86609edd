// SPDX-License-Identifier: Apache-2.0
#include "metrics/link_use.h"

#include <algorithm>
#include <map>

namespace ringside::metrics {
namespace {

constexpr double kBitsOfByte = 8.0;

/// A step on a host in run time, from the start on its first rank to the end on its last rank.
struct HostStep {
    std::int64_t number = 0;
    model::Interval span;
};

/// The steps of a host's ranks and their communication.
struct HostTime {
    std::vector<HostStep> steps;      ///< the analyzed steps
    std::int64_t communicationNs = 0; ///< communication in these steps, mean over the ranks
};

HostTime timeOf(const model::Model& model, const std::vector<RankMetrics>& ranks, std::size_t host)
{
    HostTime time;
    std::int64_t members = 0;
    for (const RankMetrics& rank : ranks) {
        const model::Rank& member = model.ranks[rank.rank];
        if (member.host != host || rank.windows.size() != model.analyzedSteps.size()) {
            continue;
        }
        for (std::size_t i = 0; i < rank.windows.size(); ++i) {
            const model::Interval span{member.clock.toRun(rank.windows[i].start),
                                       member.clock.toRun(rank.windows[i].end)};
            if (members == 0) {
                time.steps.push_back({model.analyzedSteps[i], span});
                continue;
            }
            model::Interval& all = time.steps[i].span;
            all = {std::min(all.start, span.start), std::max(all.end, span.end)};
        }
        time.communicationNs = model::addCapped(time.communicationNs, rank.total.communicationNs);
        ++members;
    }
    time.communicationNs /= std::max<std::int64_t>(1, members);
    return time;
}

/// The traffic of a port in both directions, as shares of its rate if that is known.
class PortTraffic {
public:
    explicit PortTraffic(const Port& port)
        : m_rate(port.bitsPerNs()), m_tx(port.gains("tx_bytes")), m_rx(port.gains("rx_bytes"))
    {}
    [[nodiscard]] Use use(const model::Interval& span) const
    {
        return {share(m_tx, span), share(m_rx, span)};
    }
    [[nodiscard]] std::optional<double> sentBitsPerNs(const model::Interval& span) const
    {
        const auto bytes = m_tx.perNs(span);
        return bytes ? std::optional(*bytes * kBitsOfByte) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> rate() const { return m_rate; }

private:
    [[nodiscard]] std::optional<double> share(const GainsOverTime& gains, const model::Interval& span) const
    {
        const auto bytes = m_rate ? gains.perNs(span) : std::nullopt;
        return bytes ? std::optional(*bytes * kBitsOfByte / *m_rate) : std::nullopt;
    }
    std::optional<double> m_rate;
    GainsOverTime m_tx;
    GainsOverTime m_rx;
};

void addCommunication(const PortTraffic& traffic, const HostTime& time, LinkUse& result)
{
    if (time.steps.empty() || time.communicationNs <= 0) {
        return;
    }
    const model::Interval all{time.steps.front().span.start, time.steps.back().span.end};
    if (const auto sent = traffic.sentBitsPerNs(all)) {
        result.communicationBitsPerNs =
            *sent * static_cast<double>(all.length()) / static_cast<double>(time.communicationNs);
        if (traffic.rate()) {
            result.communication = *result.communicationBitsPerNs / *traffic.rate();
        }
    }
}

void addCollectives(const model::Model& model, std::size_t host, const PortTraffic& traffic,
                    const std::vector<ArrivedOperation>& arrived, LinkUse& result)
{
    for (const ArrivedOperation& each : arrived) {
        const auto isHere = [&](const model::Participant& part) {
            return model.ranks[part.rank].host == host;
        };
        if (std::ranges::none_of(model.operations[each.operation].participants, isHere)) {
            continue;
        }
        const Use use = traffic.use({each.times.lastArrivalNs, each.times.endNs});
        if (use.measured()) {
            result.collectives.push_back({each.operation, use});
        }
    }
}

Movement movement(const trace::SeriesMetric& metric, const Gain& gain, const std::vector<HostStep>& steps)
{
    Movement moved{metric, gain, std::nullopt, std::nullopt};
    const auto first = std::ranges::partition_point(
        steps, [&](const HostStep& each) { return each.span.end <= gain.between.start; });
    for (auto step = first; step != steps.end() && step->span.start < gain.between.end; ++step) {
        moved.firstStep = moved.firstStep.value_or(step->number);
        moved.lastStep = step->number;
    }
    return moved;
}

void addMovements(const Port& port, const std::vector<HostStep>& steps, LinkUse& result)
{
    for (const auto& [metric, values] : port.values) {
        for (const Gain& gain :
             !isState(metric) && !isTraffic(metric) ? port.gains(metric) : std::vector<Gain>{}) {
            if (gain.gain > 0) {
                result.moved.push_back(movement(metric, gain, steps));
            }
        }
    }
    std::ranges::stable_sort(result.moved, {}, [](const Movement& each) { return each.gain.between.start; });
    if (result.moved.size() > LinkUse::kMostMovements) {
        result.movedLeftOut = result.moved.size() - LinkUse::kMostMovements;
        result.moved.resize(LinkUse::kMostMovements);
    }
}

void addRails(const std::vector<Port>& ports, std::vector<LinkUse>& uses)
{
    std::map<std::string_view, std::pair<double, int>> hosts; // bytes, ports
    for (const Port& port : ports) {
        if (const auto bytes = port.gain("tx_bytes")) {
            hosts[port.host].first += static_cast<double>(*bytes);
            ++hosts[port.host].second;
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto bytes = ports[i].gain("tx_bytes");
        const auto& [all, count] = hosts[ports[i].host];
        if (bytes && count > 1 && all > 0) {
            uses[i].railShare = static_cast<double>(*bytes) / all;
        }
    }
}

} // namespace

std::vector<LinkUse> linkUsesOf(const model::Model& model, const RunMetrics& run,
                                const std::vector<Port>& ports)
{
    std::map<std::size_t, HostTime> times;
    std::vector<LinkUse> uses(ports.size());
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (!ports[i].rank) {
            continue;
        }
        const std::size_t host = model.ranks[*ports[i].rank].host;
        const auto [time, fresh] = times.try_emplace(host);
        if (fresh) {
            time->second = timeOf(model, run.ranks, host);
        }
        const PortTraffic traffic(ports[i]);
        addCommunication(traffic, time->second, uses[i]);
        for (const HostStep& step : time->second.steps) {
            if (const Use use = traffic.use(step.span); use.measured()) {
                uses[i].steps.push_back({step.number, use});
            }
        }
        addCollectives(model, host, traffic, run.arrived, uses[i]);
        addMovements(ports[i], time->second.steps, uses[i]);
    }
    addRails(ports, uses);
    return uses;
}

} // namespace ringside::metrics
