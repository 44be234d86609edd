// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix.h"
#include "report/json_value.h"
#include "report/table.h"

#include <fmt/format.h>

#include <array>

namespace ringside::probe {
namespace {

std::string tableOf(const Matrix& matrix, double Measurement::*figure, const char* format)
{
    report::Table table{{"from \\ to"}, {}};
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        table.header.push_back(matrix.hosts[sender]);
        std::vector<std::string> row{matrix.hosts[sender]};
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            const auto& measured = matrix.directions[sender][receiver];
            row.push_back(sender == receiver ? ""
                          : measured         ? fmt::format(fmt::runtime(format), (*measured).*figure)
                                             : "none");
        }
        table.rows.push_back(std::move(row));
    }
    return report::plainTable(table, "  ");
}

std::string_view nameOf(Cause cause)
{
    constexpr std::array<std::string_view, 6> kNames{"bandwidth",   "loss",    "receive_buffer",
                                                     "send_buffer", "latency", "unreachable"};
    return kNames[static_cast<std::size_t>(cause)];
}

} // namespace

std::string textOf(const Matrix& matrix, const Verdict& verdict)
{
    std::string text;
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        text += fmt::format("{}: {}\n", matrix.hosts[i], matrix.interfaces[i]);
    }
    text += "\nTCP bandwidth of one connection, Gb/s\n" + tableOf(matrix, &Measurement::gbps, "{:.2f}");
    text +=
        "\nRound trip of 8 bytes, median, us\n" + tableOf(matrix, &Measurement::roundTripUs, "{:.0f}") + "\n";
    for (const std::size_t host : verdict.hosts) {
        text += fmt::format("Look at {} first: most of its directions are slow.\n", matrix.hosts[host]);
    }
    for (const Outlier& each : verdict.outliers) {
        text += report::wrap(each.what, 110, "  ");
    }
    return verdict.outliers.empty() ? text + "No direction stands out.\n" : text;
}

std::string jsonOf(const Matrix& matrix, const Verdict& verdict)
{
    Json json;
    json["schema"] = "ringside-probe/1";
    json["hosts"] = Json::array();
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        json["hosts"].push_back({{"name", matrix.hosts[i]}, {"interface", matrix.interfaces[i]}});
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
            row["round_trip_us"] = measured ? Json(measured->roundTripUs) : Json(nullptr);
            row["round_trip_p99_us"] = measured ? Json(measured->roundTripP99Us) : Json(nullptr);
            row["retransmits"] = measured ? Json(measured->retransmits) : Json(nullptr);
            row["receiver_limited_share"] = measured ? Json(measured->receiverShare) : Json(nullptr);
            row["sender_limited_share"] = measured ? Json(measured->senderShare) : Json(nullptr);
            json["directions"].push_back(std::move(row));
        }
    }
    json["median_gbps"] = verdict.medianGbps;
    json["outliers"] = Json::array();
    for (const Outlier& each : verdict.outliers) {
        json["outliers"].push_back({{"sender", matrix.hosts[each.sender]},
                                    {"receiver", matrix.hosts[each.receiver]},
                                    {"cause", nameOf(each.cause)},
                                    {"what", each.what}});
    }
    json["look_at"] = Json::array();
    for (const std::size_t host : verdict.hosts) {
        json["look_at"].push_back(matrix.hosts[host]);
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::probe
