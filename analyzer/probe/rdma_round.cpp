// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_round.h"

#include "probe/rdma_message.h"

#include <fmt/format.h>

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
std::optional<Message> openAt(ProbedHost& host, RdmaResult& cell)
{
    if (host.rdma.port.empty()) {
        cell.reason = fmt::format("{}: {}", host.name, host.rdma.reason);
        return std::nullopt;
    }
    auto end = ask(host, {{"do", "rdma_open"}});
    if (!end || !end->contains("pair") || !(*end)["pair"].is_number()) {
        cell.reason = fmt::format("{}: {}", host.name, end ? wordOf(*end, "reason") : "no answer");
        return std::nullopt;
    }
    return end;
}

/// Connects both hosts and starts the sender. Returns false, with the reason in the cell, if that fails.
bool begin(ProbedHost& sender, ProbedHost& receiver, const Bounds& bounds, RdmaResult& cell)
{
    const auto near = openAt(sender, cell);
    const auto far = near ? openAt(receiver, cell) : std::nullopt;
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

void close(ProbedHost& host)
{
    if (!host.rdma.port.empty()) {
        static_cast<void>(ask(host, {{"do", "rdma_close"}}));
    }
}

} // namespace

void measureRdmaRound(std::vector<ProbedHost>& hosts, const std::vector<Direction>& round,
                      const Bounds& bounds, Matrix& matrix)
{
    std::vector<bool> begun;
    for (const Direction& each : round) {
        RdmaResult& cell = matrix.rdma[each.sender][each.receiver];
        cell = {};
        begun.push_back(begin(hosts[each.sender], hosts[each.receiver], bounds, cell));
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
        if (begun[i]) {
            matrix.rdma[round[i].sender][round[i].receiver] = rdmaResultOf(answerOf(hosts[round[i].sender]));
        }
        close(hosts[round[i].sender]);
        close(hosts[round[i].receiver]);
    }
}

} // namespace ringside::probe
