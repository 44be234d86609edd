// SPDX-License-Identifier: Apache-2.0
// Writes figures for continuous benchmarking, of which smaller values are better (the format
// customSmallerIsBetter of github-action-benchmark). Figures that were not measured are left out.
#include "output/json_value.h"
#include "report/cost_attribution.h"
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::report::format_benchmark_json {
namespace {

class Figures final {
public:
    explicit Figures(const Report& report)
        : m_extra(report.model.emulated ? "emulated GPU; " : ""), m_list(Json::array())
    {
        m_extra += fmt::format("{} ranks", report.model.worldSize);
    }
    void add(std::string_view name, std::string_view unit, std::optional<double> value)
    {
        if (value) {
            m_list.push_back({{"name", name}, {"unit", unit}, {"value", *value}, {"extra", m_extra}});
        }
    }
    [[nodiscard]] const Json& list() const { return m_list; }

private:
    std::string m_extra;
    Json m_list;
};

template <class T>
std::optional<double> milliseconds(const std::optional<T>& ns)
{
    return ns ? std::optional(static_cast<double>(*ns) / 1e6) : std::nullopt;
}

std::string render(const Report& report)
{
    const metrics::RunMetrics& run = report.metrics;
    Figures figures(report);
    figures.add("step time, median", "ms", milliseconds(run.stepMedianNs));
    figures.add("step time, 99th percentile", "ms", milliseconds(run.stepP99Ns));
    figures.add("communication share of step", "ratio", run.communicationShare);
    if (!run.ranks.empty()) {
        using metrics::Breakdown;
        const auto mean = [&run](std::int64_t Breakdown::*part) {
            return static_cast<double>(run.perStep(part)) / 1e6;
        };
        figures.add("exposed communication a step", "ms", mean(&Breakdown::exposedCommunicationNs));
        figures.add("exposed copies a step", "ms", mean(&Breakdown::exposedCopyNs));
        figures.add("GPU idle a step", "ms", mean(&Breakdown::idleNs));
    }
    figures.add(
        "problems", "findings",
        static_cast<double>(std::ranges::count_if(report.findings, [&](const rules::Finding& finding) {
            return finding.severity == rules::Severity::Problem &&
                   &lossOf(report.findings, finding) == &finding;
        })));
    return figures.list().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

RINGSIDE_REPORT(benchmark_json, .title = "figures for continuous benchmarking", .facts = render);

} // namespace ringside::report::format_benchmark_json
