// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_round.h"

#include "probe/rdma_message.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::probe {
namespace {

std::optional<Message> ask(ProbedHost& host, const Message& order)
{
    return probe::order(host, order) ? answerOf(host) : std::nullopt;
}

/// Returns an order that holds the address of the other end. The address comes from an agent, so that it is
/// parsed before it is passed on.
Message orderTo(const char* what, const Message& end, const Bounds& bounds)
{
    Message order = toMessage(addressOf(end));
    order["do"] = what;
    order["bytes"] = bounds.bytes;
    order["milliseconds"] = bounds.milliseconds;
    return order;
}

/// Opens a connection at a host and returns its address; null, with the reason in the cell, if it cannot.
std::optional<Message> openAt(ProbedHost& host, std::size_t rail, RdmaResult& cell)
{
    auto end = ask(host, {{"do", "rdma_open"}, {"port", host.rdma.rails[rail].port}});
    if (!end || !end->contains("pair") || !(*end)["pair"].is_number()) {
        cell.reason = fmt::format("{}: {}", host.name, end ? wordOf(*end, "reason") : "no answer");
        return std::nullopt;
    }
    return end;
}

/// Connects both hosts and starts the sender. Returns false, with the reason in the cell, if that fails.
bool begin(ProbedHost& sender, ProbedHost& receiver, const Bounds& bounds, RdmaDirection::Rail& rail)
{
    RdmaResult& cell = rail.result;
    const auto near = openAt(sender, rail.pair.sender, cell);
    const auto far = near ? openAt(receiver, rail.pair.receiver, cell) : std::nullopt;
    if (!far) {
        return false;
    }
    const auto joined = ask(receiver, orderTo("rdma_join", *near, bounds));
    if (!joined || !joined->value("joined", Message()).is_boolean() || !joined->at("joined").get<bool>()) {
        cell.reason = fmt::format("{}: the device refused to connect to {}", receiver.name, sender.name);
        return false;
    }
    cell.reason = "its agent did not answer";
    return order(sender, orderTo("rdma_write", *far, bounds));
}

/// Starts perftest's servers at the receiver and its clients at the sender.
bool beginPerftest(ProbedHost& sender, ProbedHost& receiver, const Bounds& bounds, RdmaDirection::Rail& rail)
{
    constexpr std::uint16_t kLastPort = 65535;
    Message order{{"do", "rdma_serve"},
                  {"port", receiver.rdma.rails[rail.pair.receiver].port},
                  {"address", receiver.address},
                  {"bytes", bounds.bytes},
                  {"milliseconds", bounds.milliseconds}};
    const auto served = ask(receiver, order);
    if (!served || !served->contains("bandwidth_port")) {
        const std::string reason = served ? wordOf(*served, "reason") : "no answer";
        rail.result.reason = fmt::format("{}: {}", receiver.name,
                                         reason.empty() ? "its ringside does not know perftest" : reason);
        return false;
    }
    order["do"] = "rdma_perftest";
    order["port"] = sender.rdma.rails[rail.pair.sender].port;
    order["latency_port"] = numberOf(*served, "latency_port", kLastPort);
    order["bandwidth_port"] = numberOf(*served, "bandwidth_port", kLastPort);
    rail.result.reason = "its agent did not answer";
    return probe::order(sender, order);
}

/// Lists the rails that are to be measured, or the reason why there are none.
RdmaDirection planOf(const ProbedHost& sender, const ProbedHost& receiver)
{
    RdmaDirection plan;
    for (const RailPair& pair : pairRails(sender.rdma, receiver.rdma)) {
        plan.rails.push_back({pair, {}});
    }
    if (plan.rails.empty()) {
        const ProbedHost& without = sender.rdma.rails.empty() ? sender : receiver;
        plan.reason = fmt::format("{}: {}", without.name, without.rdma.reason);
    }
    return plan;
}

/// Measures, in each direction that has it, the rail with this index.
void measureRails(std::vector<ProbedHost>& hosts, const std::vector<Direction>& round, std::size_t index,
                  const Campaign& campaign, Matrix& matrix)
{
    std::vector<std::pair<Direction, bool>> begun;
    for (const Direction& each : round) {
        RdmaDirection& direction = matrix.rdma[each.sender][each.receiver];
        if (index < direction.rails.size()) {
            RdmaDirection::Rail& rail = direction.rails[index];
            rail.result = {};
            const auto start = campaign.perftest ? beginPerftest : begin;
            begun.emplace_back(each, start(hosts[each.sender], hosts[each.receiver], campaign.bounds, rail));
        }
    }
    for (const auto& [each, works] : begun) {
        if (works) {
            matrix.rdma[each.sender][each.receiver].rails[index].result =
                rdmaResultOf(answerOf(hosts[each.sender]));
        }
        static_cast<void>(ask(hosts[each.sender], {{"do", "rdma_close"}}));
        static_cast<void>(ask(hosts[each.receiver], {{"do", "rdma_close"}}));
    }
}

} // namespace

void measureRdmaRound(std::vector<ProbedHost>& hosts, const std::vector<Direction>& round,
                      const Campaign& campaign, Matrix& matrix)
{
    std::size_t most = 0;
    for (const Direction& each : round) {
        RdmaDirection& direction = matrix.rdma[each.sender][each.receiver];
        direction = planOf(hosts[each.sender], hosts[each.receiver]);
        most = std::max(most, direction.rails.size());
    }
    for (std::size_t index = 0; index < most; ++index) {
        measureRails(hosts, round, index, campaign, matrix);
    }
}

void measureRail(std::vector<ProbedHost>& hosts, const Direction& direction, std::size_t rail,
                 const Campaign& campaign, Matrix& matrix)
{
    measureRails(hosts, {direction}, rail, campaign, matrix);
}

} // namespace ringside::probe
