// SPDX-License-Identifier: Apache-2.0
// The figures of a run in Prometheus' text format
// (https://prometheus.io/docs/instrumenting/exposition_formats), for node_exporter's textfile collector or a
// push gateway. A value that was not measured has no line.
#include "export/exporter.h"
#include "output/output_file.h"
#include "output/prometheus_text.h"
#include "report/cost_attribution.h"

#include <fmt/format.h>

#include <map>

namespace ringside::exporting::exporter_prometheus {
namespace {

template <class T>
std::optional<double> seconds(const std::optional<T>& ns)
{
    return ns ? std::optional(static_cast<double>(*ns) / 1e9) : std::nullopt;
}

void addSpread(output::PrometheusText& out, const std::string& name, std::string_view help,
               const std::optional<metrics::Spread>& spread)
{
    if (spread) {
        out.add(name, help, spread->mean, R"(stat="mean")");
        out.add(name, help, spread->min, R"(stat="min")");
        out.add(name, help, spread->max, R"(stat="max")");
        out.add(name, help, spread->spread, R"(stat="spread")");
    }
}

void addRanks(output::PrometheusText& out, const report::Report& report)
{
    using metrics::Breakdown;
    constexpr std::pair<const char*, std::int64_t Breakdown::*> kParts[] = {
        {"compute", &Breakdown::computeNs},
        {"exposed_communication", &Breakdown::exposedCommunicationNs},
        {"exposed_copy", &Breakdown::exposedCopyNs},
        {"idle", &Breakdown::idleNs},
    };
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        const std::string who = fmt::format("rank=\"{}\"", report.model.ranks[rank.rank].rank);
        for (const auto& [part, member] : kParts) {
            out.add("ringside_rank_step_seconds", "Median device time per step, by part of the step.",
                    static_cast<double>(rank.median.*member) / 1e9, fmt::format("{},part=\"{}\"", who, part));
        }
        if (report.metrics.waitsKnown()) {
            out.add("ringside_rank_last_arrivals", "Collectives at which the rank arrived last.",
                    static_cast<double>(rank.lastArrivals), who);
        }
    }
}

void addFindings(output::PrometheusText& out, const report::Report& report)
{
    std::map<std::string, std::pair<int, std::optional<double>>> rules; // a rule may fire several times
    for (const rules::Finding& finding : report.findings) {
        if (&report::lossOf(report.findings, finding) != &finding) {
            continue;
        }
        auto& [count, cost] =
            rules[fmt::format("{},{}", output::label("rule", finding.rule),
                              output::label("severity", rules::severityName(finding.severity)))];
        ++count;
        if (const auto own = seconds(finding.costNsPerStep)) {
            cost = std::max(cost.value_or(0), *own);
        }
    }
    for (const auto& [labels, figures] : rules) {
        out.add("ringside_findings",
                "Losses, by the rule and severity of the finding that restates no other.", figures.first,
                labels);
        out.add("ringside_finding_cost_seconds", "Estimated cost per step of the rule's costliest finding.",
                figures.second, labels);
    }
}

void write(const report::Report& report, const std::filesystem::path& output)
{
    const metrics::RunMetrics& run = report.metrics;
    output::PrometheusText out(fmt::format("{},emulated=\"{}\"",
                                           output::label("run", report.model.trace.path.filename().string()),
                                           report.model.emulated));
    out.add("ringside_step_seconds", "Time of a step.", seconds(run.stepMedianNs), R"(stat="median")");
    out.add("ringside_step_seconds", "Time of a step.", seconds(run.stepP99Ns), R"(stat="p99")");
    out.add("ringside_comm_compute_ratio", "Communication time over computation time.", run.ratio);
    out.add("ringside_communication_share", "Communication time over step time.", run.communicationShare);
    addSpread(out, "ringside_gpu_utilization", "Share of the step in which the GPU is busy, over ranks.",
              run.utilization);
    addSpread(out, "ringside_useful_gpu_utilization",
              "Share of the step in which the GPU is busy, without waiting inside collectives, over ranks.",
              run.usefulUtilization);
    addRanks(out, report);
    addFindings(out, report);
    out.add("ringside_dropped_records", "Records that were dropped while recording.",
            static_cast<double>(report.droppedRecords));
    // The node exporter reads the file as another user. It holds figures only and no names of the job.
    output::OutputFile file(output, output::Existing::Refuse, output::OutputFile::kAsUmaskSays);
    file.write(out.text());
    file.close();
}

} // namespace

RINGSIDE_EXPORTER(prometheus, .title = "figures in Prometheus' text format", .write = write,
                  .forOthers = true);

} // namespace ringside::exporting::exporter_prometheus
