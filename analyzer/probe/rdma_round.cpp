// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_round.h"

#include "probe/rdma_message.h"

#include <fmt/format.h>

namespace ringside::probe {
namespace {

std::optional<Message> ask(Player& player, const Message& order)
{
    return sayMessage(player.voice, order) ? hearMessage(player.voice) : std::nullopt;
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
std::optional<Message> openAt(Player& player, RdmaResult& cell)
{
    if (player.rdma.port.empty()) {
        cell.reason = fmt::format("{}: {}", player.name, player.rdma.reason);
        return std::nullopt;
    }
    auto end = ask(player, {{"do", "rdma_open"}});
    if (!end || !end->contains("pair") || !(*end)["pair"].is_number()) {
        cell.reason = fmt::format("{}: {}", player.name, end ? wordOf(*end, "reason") : "no answer");
        return std::nullopt;
    }
    return end;
}

/// Connects both hosts and starts the sender. Returns false, with the reason in the cell, if that fails.
bool begin(Player& sender, Player& receiver, const Bounds& bounds, RdmaResult& cell)
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
    return sayMessage(sender.voice, orderTo("rdma_write", *far, bounds));
}

void close(Player& player)
{
    if (!player.rdma.port.empty()) {
        static_cast<void>(ask(player, {{"do", "rdma_close"}}));
    }
}

} // namespace

void playRdma(std::vector<Player>& players, const std::vector<Direction>& round, const Bounds& bounds,
              Matrix& matrix)
{
    std::vector<bool> begun;
    for (const Direction& each : round) {
        RdmaResult& cell = matrix.rdma[each.sender][each.receiver];
        cell = {};
        begun.push_back(begin(players[each.sender], players[each.receiver], bounds, cell));
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
        if (begun[i]) {
            matrix.rdma[round[i].sender][round[i].receiver] =
                rdmaResultOf(hearMessage(players[round[i].sender].voice));
        }
        close(players[round[i].sender]);
        close(players[round[i].receiver]);
    }
}

} // namespace ringside::probe
