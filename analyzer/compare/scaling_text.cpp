// SPDX-License-Identifier: Apache-2.0
// A scaling study as text and as ringside-scaling/1.
#include "compare/scaling.h"
#include "document/table.h"
#include "output/json_value.h"

#include <fmt/format.h>

namespace ringside::compare {
namespace {

std::string sentence(const Scaling& scaling, double fewest)
{
    const ScalingPoint& first = scaling.points.front();
    const ScalingPoint& last = scaling.points.back();
    std::string text =
        fmt::format("{} ranks are {:.2f} times as fast as {} ({:.0f} % efficiency, {} {:.0f} %).", last.ranks,
                    last.speedUp, first.ranks, 100 * last.efficiency,
                    scaling.low(fewest) ? "below" : "not below", 100 * fewest);
    if (scaling.biggestLoss) {
        text += fmt::format(" Largest growth: {}, by {:.2f} ms per step.", *scaling.biggestLoss,
                            scaling.biggestLossNs / 1e6);
    }
    return text;
}

document::Table tableOf(const Scaling& scaling)
{
    document::Table table{{"ranks", "run", "step ms", "speed-up", "efficiency", "compute ms",
                           "exposed comm ms", "exposed copy ms", "idle ms"},
                          {}};
    for (const ScalingPoint& point : scaling.points) {
        table.rows.push_back({point.ranks, point.run, document::millisecondsCell(point.stepNs.median),
                              document::ratioCell(point.speedUp), document::shareCell(point.efficiency, 0),
                              document::millisecondsCell(point.parts.compute),
                              document::millisecondsCell(point.parts.exposedCommunication),
                              document::millisecondsCell(point.parts.exposedCopy),
                              document::millisecondsCell(point.parts.idle)});
    }
    return table;
}

} // namespace

std::string textOf(const Scaling& scaling, double fewest, bool markdown, std::size_t width)
{
    const std::string assumed =
        scaling.work == Work::PerRank
            ? "Assumption: each rank has the same work on any number of ranks (give --shared-work if not)."
            : "Assumption: all ranks together have the same work in each run.";
    if (markdown) {
        std::string text = document::markdownText(sentence(scaling, fewest)) + "\n\n" +
                           document::markdownTable(tableOf(scaling)) + "\n" + assumed + "\n";
        for (const std::string& remark : scaling.remarks) {
            text += "\n- " + document::markdownText(remark);
        }
        return text + "\n";
    }
    std::string text = document::wrap(sentence(scaling, fewest), width, "") + "\n" +
                       document::plainTable(tableOf(scaling), "  ") + "\n" +
                       document::wrap(assumed, width, "");
    for (const std::string& remark : scaling.remarks) {
        text += document::wrap(remark, width, "");
    }
    return text;
}

std::string jsonOf(const Scaling& scaling)
{
    Json points = Json::array();
    for (const ScalingPoint& point : scaling.points) {
        points.push_back({{"run", point.run},
                          {"ranks", point.ranks},
                          {"steps", point.stepNs.count},
                          {"step_ns", point.stepNs.median},
                          {"speed_up", point.speedUp},
                          {"efficiency", point.efficiency},
                          {"compute_ns", orNull(point.parts.compute)},
                          {"exposed_communication_ns", orNull(point.parts.exposedCommunication)},
                          {"exposed_copy_ns", orNull(point.parts.exposedCopy)},
                          {"idle_ns", orNull(point.parts.idle)}});
    }
    const Json json = {{"schema", "ringside-scaling/1"},
                       {"work", scaling.work == Work::PerRank ? "per_rank" : "shared"},
                       {"points", points},
                       {"biggest_loss", scaling.biggestLoss ? Json(*scaling.biggestLoss) : Json(nullptr)},
                       {"biggest_loss_ns", scaling.biggestLoss ? Json(scaling.biggestLossNs) : Json(nullptr)},
                       {"remarks", scaling.remarks}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::compare
