// SPDX-License-Identifier: Apache-2.0
// ringside-diff/1: within version 1, members are only added. Values that were not measured are null.
#include "compare/comparison.h"
#include "output/json_value.h"

namespace ringside::compare {
namespace {

Json summaryJson(const Summary& summary)
{
    return summary.count == 0 ? Json(nullptr)
                              : Json{{"median", summary.median},
                                     {"mad", summary.mad},
                                     {"mean", summary.mean},
                                     {"steps", summary.count}};
}

Json metricJson(const Metric& metric)
{
    Json json = {{"name", metric.name},
                 {"better", metric.smallerIsBetter ? "smaller" : "larger"},
                 {"base", summaryJson(metric.base)},
                 {"new", summaryJson(metric.now)},
                 {"of", metric.centre == Centre::Mean ? "means" : "medians"},
                 {"change", nullptr},
                 {"verdict", verdictName(metric.verdict)},
                 {"steps_needed", orNull(metric.stepsNeeded)}};
    if (metric.change) {
        json["change"] = {
            {"value", metric.change->value}, {"low", metric.change->low}, {"high", metric.change->high}};
    }
    return json;
}

Json itemsJson(const std::vector<Item>& items)
{
    Json list = Json::array();
    for (const Item& item : items) {
        list.push_back({{"name", item.name},
                        {"kind", kindName(item.kind)},
                        {"base_ns_per_step", orNull(item.baseNs)},
                        {"new_ns_per_step", orNull(item.nowNs)},
                        {"base_calls_per_step", orNull(item.baseCount)},
                        {"new_calls_per_step", orNull(item.nowCount)}});
    }
    return list;
}

Json predictionsJson(const std::vector<HeldPrediction>& predictions)
{
    Json list = Json::array();
    for (const HeldPrediction& each : predictions) {
        list.push_back({{"changes", each.changes},
                        {"measured_ns", each.measuredNs},
                        {"predicted_ns", each.predictedNs},
                        {"predicted_least_ns", each.leastNs},
                        {"predicted_most_ns", each.mostNs},
                        {"real_ns", each.realNs},
                        {"error", each.error()},
                        {"within_bounds", each.isWithinBounds()}});
    }
    return list;
}

} // namespace

std::string jsonOf(const Comparison& comparison)
{
    Json metrics = Json::array();
    for (const Metric& metric : comparison.metrics) {
        metrics.push_back(metricJson(metric));
    }
    const Json json = {{"schema", "ringside-diff/1"},
                       {"verdict", verdictName(comparison.verdict())},
                       {"tolerance", comparison.tolerance},
                       {"metrics", metrics},
                       {"kernels", itemsJson(comparison.kernels)},
                       {"collectives", itemsJson(comparison.collectives)},
                       {"new_findings", comparison.newFindings},
                       {"gone_findings", comparison.goneFindings},
                       {"predictions", predictionsJson(comparison.predictions)},
                       {"remarks", comparison.remarks}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::compare
