// SPDX-License-Identifier: Apache-2.0
#include "live/figures.h"
#include "live/metrics.h"
#include "output/json_value.h"

namespace ringside::live {
namespace {

Json textAttribute(std::string_view key, std::string_view value)
{
    return {{"key", key}, {"value", {{"stringValue", value}}}};
}

/// 64-bit integers are texts in this encoding.
Json resourceOf(const JobView& view)
{
    Json attributes =
        Json::array({textAttribute("service.name", "ringside"), textAttribute("ringside.run", view.run)});
    attributes.push_back({{"key", "ringside.emulated"}, {"value", {{"boolValue", view.emulated}}}});
    if (view.worldSize) {
        attributes.push_back(
            {{"key", "ringside.world_size"}, {"value", {{"intValue", std::to_string(*view.worldSize)}}}});
    }
    return {{"attributes", attributes}};
}

Json pointOf(const Figure& figure, const JobView& view)
{
    Json attributes = Json::array();
    for (const auto& [name, value] : figure.labels) {
        attributes.push_back(textAttribute(name, value));
    }
    return {{"attributes", attributes},
            {"timeUnixNano", std::to_string(view.readMs) + "000000"},
            {"asDouble", figure.value}};
}

} // namespace

std::string formatOtlp(const JobView& view)
{
    Json metrics = Json::array();
    for (const Figure& figure : figuresOf(view)) {
        const std::string name = "ringside." + std::string(figure.name);
        if (metrics.empty() || metrics.back()["name"] != name) {
            metrics.push_back({{"name", name},
                               {"unit", figure.unit},
                               {"description", figure.description},
                               {"gauge", {{"dataPoints", Json::array()}}}});
        }
        metrics.back()["gauge"]["dataPoints"].push_back(pointOf(figure, view));
    }
    const Json scope = {{"scope", {{"name", "ringside"}}}, {"metrics", metrics}};
    const Json resource = {{"resource", resourceOf(view)}, {"scopeMetrics", Json::array({scope})}};
    return Json{{"resourceMetrics", Json::array({resource})}}.dump();
}

} // namespace ringside::live
