// SPDX-License-Identifier: Apache-2.0
#include "live/metrics.h"

#include "live/figures.h"
#include "output/prometheus_text.h"

#include <algorithm>

namespace ringside::live {
namespace {

using output::label;

/// As OpenTelemetry's own exporter for Prometheus makes it of a name and a unit.
std::string prometheusName(const Figure& figure)
{
    std::string name = "ringside_" + std::string(figure.name);
    std::ranges::replace(name, '.', '_');
    return name + (figure.unit == "s"            ? "_seconds"
                   : figure.unit == "1"          ? "_ratio"
                   : figure.unit.ends_with("/s") ? "_per_second"
                                                 : "");
}

std::string labelsText(const Figure& figure)
{
    std::string text;
    for (const auto& [name, value] : figure.labels) {
        text += (text.empty() ? "" : ",") + label(name, value);
    }
    return text;
}

} // namespace

std::string formatPrometheus(const JobView& view)
{
    output::PrometheusText out(label("run", view.run));
    out.add("ringside_job_info", "The job; always 1.", 1.0,
            label("world_size", view.worldSize ? std::to_string(*view.worldSize) : "") + "," +
                label("emulated", view.emulated ? "true" : "false"));
    out.add("ringside_snapshot_timestamp_seconds", "When the figures were read.",
            static_cast<double>(view.readMs) / 1e3);
    for (const RankView& rank : view.ranks) {
        out.add("ringside_rank_info", "Where a rank is; always 1.", 1.0,
                label("rank", std::to_string(rank.rank)) + "," + label("host", rank.host) + "," +
                    label("device", rank.device ? std::to_string(*rank.device) : ""));
    }
    for (const Figure& figure : figuresOf(view)) {
        out.add(prometheusName(figure), figure.description, figure.value, labelsText(figure));
    }
    return out.text();
}

} // namespace ringside::live
