// SPDX-License-Identifier: Apache-2.0
#include "document/table.h"
#include "output/json_value.h"
#include "probe/judge.h"
#include "probe/matrix.h"
#include "trace/utf8.h"

#include <fmt/format.h>

#include <array>

namespace ringside::probe {
namespace {

/// `cell` returns the cell of [sender][receiver].
template <class Cell>
std::string tableOf(const Matrix& matrix, const Cell& cell)
{
    document::Table table{{"from \\ to"}, {}};
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        table.header.push_back(matrix.hosts[sender]);
        std::vector<document::Cell> row{matrix.hosts[sender]};
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            row.push_back(sender == receiver ? document::Cell("") : cell(sender, receiver));
        }
        table.rows.push_back(std::move(row));
    }
    return document::plainTable(table, "  ");
}

document::Cell gigabitsCell(double gbps)
{
    return {gbps, values::Unit::GigabitsPerSecond, {.digits = 2}};
}

template <int Decimals>
document::Cell timeCell(double us)
{
    constexpr double kNsAMicrosecond = 1e3;
    return document::microsecondsCell(us * kNsAMicrosecond, Decimals);
}

std::optional<double> railShare(const Matrix& matrix, std::size_t sender, std::size_t receiver,
                                const RdmaDirection::Rail& rail)
{
    const auto expected = expectedGbps(matrix, sender, receiver, rail.pair);
    return expected && rail.result.measured ? std::optional(rail.result.measured->gbps / *expected)
                                            : std::nullopt;
}

/// Returns what a direction reached of the rate of its slower end; over RDMA, its slowest rail.
std::optional<double> shareOf(const Matrix& matrix, Network network, std::size_t sender, std::size_t receiver)
{
    if (network == Network::Rdma) {
        const RdmaDirection::Rail* const rail = matrix.rdma[sender][receiver].slowest();
        return rail != nullptr ? railShare(matrix, sender, receiver, *rail) : std::nullopt;
    }
    const auto& measured = matrix.directions[sender][receiver];
    const auto expected = expectedGbps(matrix, sender, receiver);
    return expected && measured ? std::optional(measured->gbps / *expected) : std::nullopt;
}

/// Returns what each direction reached of the rate of its slower end; empty if no rate is known.
std::string shareTable(const Matrix& matrix, Network network)
{
    bool known = false;
    std::string table = tableOf(matrix, [&](std::size_t sender, std::size_t receiver) {
        const auto share = shareOf(matrix, network, sender, receiver);
        known = known || share;
        return document::shareCell(share);
    });
    return known ? "\nShare of the line rate\n" + table : std::string();
}

/// Returns ", 100 Gb/s"; empty for 0, which is not known.
std::string rateText(double mbps)
{
    constexpr double kMegabits = 1000;
    return mbps > 0 ? fmt::format(", {:g} Gb/s", mbps / kMegabits) : std::string();
}

std::string tcpTable(const Matrix& matrix, double Measurement::*figure, document::Cell (*cellOf)(double))
{
    return tableOf(matrix, [&](std::size_t sender, std::size_t receiver) {
        const auto& measured = matrix.directions[sender][receiver];
        return measured ? cellOf((*measured).*figure) : document::Cell("none");
    });
}

std::string rdmaTable(const Matrix& matrix, double RdmaMeasurement::*figure, document::Cell (*cellOf)(double))
{
    return tableOf(matrix, [&](std::size_t sender, std::size_t receiver) {
        const RdmaDirection::Rail* const rail = matrix.rdma[sender][receiver].slowest();
        return rail != nullptr ? cellOf((*rail->result.measured).*figure) : document::Cell("none");
    });
}

/// Returns the packets that were sent again per GB; null if nothing was sent.
std::optional<double> perGigabyte(const Measurement& measured)
{
    constexpr double kGigabyte = 1e9;
    return measured.bytes > 0 ? std::optional(static_cast<double>(measured.retransmits) * kGigabyte /
                                              static_cast<double>(measured.bytes))
                              : std::nullopt;
}

/// Returns the table of 99.9th percentiles; empty if all agents are of versions without it.
std::string p999Text(const Matrix& matrix)
{
    bool known = false;
    std::string table = tableOf(matrix, [&](std::size_t sender, std::size_t receiver) {
        const auto& measured = matrix.directions[sender][receiver];
        const auto us = measured ? measured->roundTripP999Us : std::nullopt;
        known = known || us;
        return us ? timeCell<0>(*us) : document::Cell("none");
    });
    return known ? "\nRound trip of 8 bytes, 99.9th percentile, us\n" + table : std::string();
}

/// Returns the packets that were sent again per GB, in each direction that had some.
std::string retransmissionsText(const Matrix& matrix)
{
    std::string text;
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            const auto& measured = matrix.directions[sender][receiver];
            const auto often = sender != receiver && measured ? perGigabyte(*measured) : std::nullopt;
            if (often && *often > 0) {
                text += fmt::format("  {} -> {}: {} ({:.0f} per GB)\n", matrix.hosts[sender],
                                    matrix.hosts[receiver], measured->retransmits, *often);
            }
        }
    }
    return text.empty() ? "\nNo packet was sent again over TCP.\n" : "\nPackets sent again over TCP\n" + text;
}

/// Returns "port mlx5_0:1, 400 Gb/s", or "ports mlx5_0:1, 400 Gb/s; mlx5_1:1, 400 Gb/s".
std::string portsText(const RdmaEnd& end)
{
    std::string text = end.rails.size() == 1 ? "port " : "ports ";
    for (const RdmaRail& rail : end.rails) {
        text += (&rail == end.rails.data() ? "" : "; ") + rail.port + rateText(rail.mbps);
    }
    return text;
}

/// Returns tables if anything was measured, and the reason why a host was not.
std::string rdmaText(const Matrix& matrix, const Verdict& verdict)
{
    std::string text;
    bool hasRails = false;
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        const RdmaEnd& end = matrix.rdmaEnds[i];
        hasRails = hasRails || end.rails.size() > 1;
        text += fmt::format("{}: RDMA {}\n", matrix.hosts[i],
                            end.rails.empty() ? "not measured: " + end.reason : portsText(end));
    }
    if (!verdict.medianRdmaGbps) {
        return text;
    }
    const std::string of = hasRails ? ", slowest rail of each direction" : "";
    const char* const latency = matrix.perftest
                                    ? "RDMA write of 8 bytes, half of a round trip between programs"
                                    : "RDMA write of 8 bytes until it is acknowledged";
    return text +
           fmt::format("\nRDMA bandwidth of one connection{}{}, Gb/s\n", of,
                       matrix.perftest ? ", by perftest" : "") +
           rdmaTable(matrix, &RdmaMeasurement::gbps, gigabitsCell) + shareTable(matrix, Network::Rdma) +
           fmt::format("\n{}{}, median, us\n", latency, of) +
           rdmaTable(matrix, &RdmaMeasurement::writeUs, timeCell<1>);
}

Json rdmaJson(const RdmaResult& result)
{
    if (!result.measured) {
        return nullptr;
    }
    const RdmaMeasurement& measured = *result.measured;
    return {{"gbps", measured.gbps},
            {"write_us", measured.writeUs},
            {"write_p99_us", measured.writeP99Us},
            {"packets_sent_again", measured.lost ? Json(*measured.lost) : Json(nullptr)}};
}

Json numberOrNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

/// Adds the slowest rail as "rdma", and all of them as "rails".
void addRdma(const Matrix& matrix, std::size_t sender, std::size_t receiver, Json& row)
{
    const RdmaDirection& direction = matrix.rdma[sender][receiver];
    const RdmaDirection::Rail* const slowest = direction.slowest();
    const std::string reason =
        direction.rails.empty() ? direction.reason : direction.rails.front().result.reason;
    row["rdma"] = slowest != nullptr ? rdmaJson(slowest->result) : Json(nullptr);
    row["rdma_reason"] = slowest != nullptr ? Json(nullptr) : Json(reason);
    row["rails"] = Json::array();
    for (const RdmaDirection::Rail& rail : direction.rails) {
        row["rails"].push_back(
            {{"port", matrix.rdmaEnds[sender].rails[rail.pair.sender].port},
             {"peer_port", matrix.rdmaEnds[receiver].rails[rail.pair.receiver].port},
             {"rdma", rdmaJson(rail.result)},
             {"share_of_line_rate", numberOrNull(railShare(matrix, sender, receiver, rail))},
             {"reason", rail.result.measured ? Json(nullptr) : Json(rail.result.reason)}});
    }
}

/// Adds the ports of a host, the first of them as versions without rails do.
void addPorts(const RdmaEnd& end, Json& host)
{
    constexpr double kMegabits = 1000;
    const auto rateOf = [](const RdmaRail& rail) {
        return rail.mbps > 0 ? Json(rail.mbps / kMegabits) : Json(nullptr);
    };
    const bool none = end.rails.empty();
    host["rdma_gbps"] = none ? Json(nullptr) : rateOf(end.rails.front());
    host["rdma_port"] = none ? Json(nullptr) : Json(end.rails.front().port);
    host["rdma_reason"] = none ? Json(end.reason) : Json(nullptr);
    host["rdma_rails"] = Json::array();
    for (const RdmaRail& rail : end.rails) {
        host["rdma_rails"].push_back({{"port", rail.port}, {"gbps", rateOf(rail)}});
    }
}

std::string_view nameOf(Cause cause)
{
    constexpr std::array<std::string_view, 6> kNames{"bandwidth",   "loss",    "receive_buffer",
                                                     "send_buffer", "latency", "unreachable"};
    return kNames[static_cast<std::size_t>(cause)];
}

} // namespace

std::string textOf(const Matrix& matrix, const Verdict& verdict, std::size_t width)
{
    std::string text;
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        text += fmt::format("{}: {}{}\n", matrix.hosts[i], matrix.interfaces[i],
                            i < matrix.interfaceMbps.size() ? rateText(matrix.interfaceMbps[i]) : "");
    }
    for (const LeftOut& each : matrix.leftOut) {
        text += fmt::format("Left out: {}: {}\n", each.what, each.reason);
    }
    text += "\nTCP bandwidth of one connection, Gb/s\n" + tcpTable(matrix, &Measurement::gbps, gigabitsCell) +
            shareTable(matrix, Network::Tcp);
    text += "\nRound trip of 8 bytes, median, us\n" +
            tcpTable(matrix, &Measurement::roundTripUs, timeCell<0>) +
            "\nRound trip of 8 bytes, 99th percentile, us\n" +
            tcpTable(matrix, &Measurement::roundTripP99Us, timeCell<0>) + p999Text(matrix) +
            retransmissionsText(matrix) + "\n" + rdmaText(matrix, verdict) + "\n";
    for (const std::size_t host : verdict.hosts) {
        text += fmt::format("Check {} first: most of its directions are slow.\n", matrix.hosts[host]);
    }
    for (const std::string& rail : verdict.rails) {
        text +=
            fmt::format("Check rail {} first: it is slow in most directions, its siblings are not.\n", rail);
    }
    for (const Outlier& each : verdict.outliers) {
        text += document::wrap(each.what, width, "  ");
    }
    text += verdict.outliers.empty() ? "No direction is an outlier.\n" : "";
    // names and reasons come from agents, which may send any character
    return trace::shownText(text, ' ', "\n");
}

std::string jsonOf(const Matrix& matrix, const Verdict& verdict)
{
    Json json;
    json["schema"] = "ringside-probe/1";
    json["rdma_tool"] = matrix.perftest ? "perftest" : "ringside";
    json["hosts"] = Json::array();
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        Json host{{"name", matrix.hosts[i]}, {"interface", matrix.interfaces[i]}};
        const double mbps = i < matrix.interfaceMbps.size() ? matrix.interfaceMbps[i] : 0;
        host["interface_gbps"] = mbps > 0 ? Json(mbps / 1000) : Json(nullptr);
        addPorts(matrix.rdmaEnds[i], host);
        json["hosts"].push_back(std::move(host));
    }
    json["left_out"] = Json::array();
    for (const LeftOut& each : matrix.leftOut) {
        json["left_out"].push_back({{"what", each.what}, {"reason", each.reason}});
    }
    json["directions"] = Json::array();
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            const auto& measured = matrix.directions[sender][receiver];
            if (sender == receiver) {
                continue;
            }
            Json row{{"sender", matrix.hosts[sender]}, {"receiver", matrix.hosts[receiver]}};
            row["gbps"] = measured ? Json(measured->gbps) : Json(nullptr);
            row["share_of_line_rate"] = numberOrNull(shareOf(matrix, Network::Tcp, sender, receiver));
            row["rdma_share_of_line_rate"] = numberOrNull(shareOf(matrix, Network::Rdma, sender, receiver));
            row["round_trip_us"] = measured ? Json(measured->roundTripUs) : Json(nullptr);
            row["round_trip_p99_us"] = measured ? Json(measured->roundTripP99Us) : Json(nullptr);
            row["round_trip_p999_us"] = numberOrNull(measured ? measured->roundTripP999Us : std::nullopt);
            row["retransmits"] = measured ? Json(measured->retransmits) : Json(nullptr);
            row["retransmits_per_gb"] = numberOrNull(measured ? perGigabyte(*measured) : std::nullopt);
            const bool counted = measured && measured->pings && measured->pingsLost;
            row["pings"] = counted ? Json(*measured->pings) : Json(nullptr);
            row["pings_lost"] = counted ? Json(*measured->pingsLost) : Json(nullptr);
            row["receiver_limited_share"] = measured ? Json(measured->receiverShare) : Json(nullptr);
            row["sender_limited_share"] = measured ? Json(measured->senderShare) : Json(nullptr);
            addRdma(matrix, sender, receiver, row);
            json["directions"].push_back(std::move(row));
        }
    }
    json["median_gbps"] = verdict.medianGbps;
    json["median_rdma_gbps"] = numberOrNull(verdict.medianRdmaGbps);
    json["median_rdma_write_us"] = numberOrNull(verdict.medianWriteUs);
    json["outliers"] = Json::array();
    for (const Outlier& each : verdict.outliers) {
        json["outliers"].push_back({{"sender", matrix.hosts[each.sender]},
                                    {"receiver", matrix.hosts[each.receiver]},
                                    {"network", each.network == Network::Rdma ? "rdma" : "tcp"},
                                    {"cause", nameOf(each.cause)},
                                    {"what", each.what}});
    }
    json["look_at"] = Json::array();
    for (const std::size_t host : verdict.hosts) {
        json["look_at"].push_back(matrix.hosts[host]);
    }
    json["look_at_rails"] = verdict.rails;
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::probe
