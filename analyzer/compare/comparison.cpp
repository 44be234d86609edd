// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.h"

#include "compare/series.h"
#include "metrics/step_times.h"
#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace ringside::compare {
namespace {

using metrics::Breakdown;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
/// share of the base's step: smaller changes of kernels are not listed
constexpr double kSmallestShare = 0.001;
constexpr const char* kMeanStep = "mean_step_ns";

class Comparer final {
public:
    Comparer(const report::Report& base, const report::Report& now, double tolerance)
        : m_base(base), m_now(now)
    {
        m_result.tolerance = tolerance;
    }

    Comparison compare()
    {
        compareSteps();
        compareParts();
        compareShares();
        m_result.kernels = items(kernelLoads(m_base), kernelLoads(m_now));
        m_result.collectives = items(collectiveLoads(m_base), collectiveLoads(m_now));
        compareFindings();
        remark();
        return std::move(m_result);
    }

private:
    void add(const char* name, Unit unit, bool smallerIsBetter, const std::vector<double>& base,
             const std::vector<double>& now, Centre centre = Centre::Median)
    {
        Metric metric{name,           unit,         smallerIsBetter,       summarize(base),
                      summarize(now), std::nullopt, Verdict::Inconclusive, std::nullopt,
                      centre};
        const double scale = unit != Unit::Ns ? 1 : centre == Centre::Median ? m_stepNs : metric.base.mean;
        if (!base.empty() && !now.empty() && scale > 0) {
            metric.change = changeOf(base, now, scale, centre);
            const std::size_t fewest = std::min(base.size(), now.size());
            metric.verdict = judge(*metric.change, fewest, m_result.tolerance, smallerIsBetter);
            if (metric.verdict == Verdict::Inconclusive) {
                metric.stepsNeeded = fewest < kFewestValues
                                         ? std::optional(kFewestValues)
                                         : stepsForVerdict(*metric.change, fewest, m_result.tolerance);
            }
        }
        m_result.metrics.push_back(std::move(metric));
    }

    void compareSteps()
    {
        const std::vector<double> base = metrics::stepTimes(m_base.model, m_base.metrics);
        m_stepNs = summarize(base).median;
        const std::vector<double> now = metrics::stepTimes(m_now.model, m_now.metrics);
        add("step_ns", Unit::Ns, true, base, now);
        add(kMeanStep, Unit::Ns, true, base, now, Centre::Mean); // what decides how long the job takes
    }

    void addPart(const char* name, std::int64_t Breakdown::*part)
    {
        const auto figure = [part](const Breakdown& step) { return static_cast<double>(step.*part); };
        add(name, Unit::Ns, true, stepSeries(m_base, figure), stepSeries(m_now, figure));
    }

    void compareParts()
    {
        addPart("compute_ns", &Breakdown::computeNs);
        addPart("communication_ns", &Breakdown::communicationNs);
        addPart("exposed_communication_ns", &Breakdown::exposedCommunicationNs);
        addPart("exposed_copy_ns", &Breakdown::exposedCopyNs);
        addPart("idle_ns", &Breakdown::idleNs);
        if (m_base.metrics.waitsKnown() && m_now.metrics.waitsKnown()) {
            addPart("wait_ns", &Breakdown::waitNs);
            addPart("transfer_ns", &Breakdown::transferNs);
        }
    }

    void addShare(const char* name, Unit unit, bool smallerIsBetter, const StepFigure& figure)
    {
        add(name, unit, smallerIsBetter, stepSeries(m_base, figure), stepSeries(m_now, figure));
    }

    void compareShares()
    {
        addShare("comm_compute_ratio", Unit::Ratio, true,
                 [](const Breakdown& step) { return step.ratio().value_or(kAbsent); });
        addShare("communication_share", Unit::Share, true,
                 [](const Breakdown& step) { return step.share(step.communicationNs); });
        addShare("gpu_utilization", Unit::Share, false,
                 [](const Breakdown& step) { return step.utilization(); });
        if (m_base.metrics.usefulMeasured() && m_now.metrics.usefulMeasured()) {
            addShare("useful_utilization", Unit::Share, false,
                     [](const Breakdown& step) { return step.usefulUtilization(); });
        }
    }

    [[nodiscard]] std::vector<Item> items(const std::map<std::string, Load>& base,
                                          const std::map<std::string, Load>& now) const
    {
        std::map<std::string, Item> all;
        for (const auto& [name, load] : base) {
            all[name] = {name, Kind::Removed, load.ns, std::nullopt, load.count, std::nullopt};
        }
        for (const auto& [name, load] : now) {
            Item& item = all.try_emplace(name, Item{name, Kind::Added, {}, {}, {}, {}}).first->second;
            item.nowNs = load.ns;
            item.nowCount = load.count;
            if (item.baseNs) {
                item.kind = *item.nowNs > *item.baseNs ? Kind::Slower : Kind::Faster;
            }
        }
        std::vector<Item> list;
        for (auto& [name, item] : all) {
            const bool inBoth = item.baseNs && item.nowNs;
            if (std::abs(item.differenceNs()) >= kSmallestShare * m_stepNs &&
                (!inBoth || differ(base.at(name).stepNs, now.at(name).stepNs))) {
                list.push_back(std::move(item));
            }
        }
        std::stable_sort(list.begin(), list.end(), [](const Item& a, const Item& b) {
            return std::abs(a.differenceNs()) > std::abs(b.differenceNs());
        });
        return list;
    }

    static std::set<std::string> rulesOf(const report::Report& report)
    {
        std::set<std::string> rules;
        for (const rules::Finding& finding : report.findings) {
            rules.insert(finding.rule);
        }
        return rules;
    }

    void compareFindings()
    {
        const std::set<std::string> base = rulesOf(m_base);
        const std::set<std::string> now = rulesOf(m_now);
        std::set_difference(now.begin(), now.end(), base.begin(), base.end(),
                            std::back_inserter(m_result.newFindings));
        std::set_difference(base.begin(), base.end(), now.begin(), now.end(),
                            std::back_inserter(m_result.goneFindings));
    }

    void remark()
    {
        const auto say = [this](bool differs, std::string words) {
            if (differs) {
                m_result.remarks.push_back(std::move(words));
            }
        };
        say(m_base.model.worldSize != m_now.model.worldSize,
            fmt::format("The base has {} ranks, the new run {}: compare such runs with `ringside scaling`.",
                        m_base.model.worldSize, m_now.model.worldSize));
        say(m_base.model.emulated != m_now.model.emulated,
            "One of the two runs was emulated: their times are not comparable.");
        say(m_base.model.emulated && m_now.model.emulated, report::kAllEmulated);
        for (const auto& [run, whose] : {std::pair(&m_base, "base"), std::pair(&m_now, "new run")}) {
            say(run->stepsWithRows.has_value(),
                fmt::format(
                    "The {} was read in stretches: its kernels and collectives are those of its last {} "
                    "analyzed steps.",
                    whose, run->stepsWithRows.value_or(0)));
            say(run->model.stepsGuessed() || run->model.recordingIsStep(),
                report::guessedRemark(run->model, whose));
        }
        say(m_base.metrics.ranks.empty() != m_now.metrics.ranks.empty(),
            "Only one of the two runs recorded device work: at most their step times are comparable.");
        remarkIssues();
    }

    /// Reports an issue of both runs once.
    void remarkIssues()
    {
        std::map<std::string, std::string> whose; // runs by message
        std::vector<std::string> messages;
        for (const auto* const report : {&m_base, &m_now}) {
            for (const trace::IssueRow& issue : report->issues) {
                const char* const name = report == &m_base ? "Base" : "New run";
                if (issue.severity == trace::Severity::Info) {
                    continue;
                }
                const auto [entry, fresh] = whose.try_emplace(issue.message, name);
                if (fresh) {
                    messages.push_back(issue.message);
                } else if (entry->second != name) {
                    entry->second = "Both runs";
                }
            }
        }
        for (const std::string& message : messages) {
            m_result.remarks.push_back(fmt::format("{}: {}", whose.at(message), message));
        }
    }

    const report::Report& m_base;
    const report::Report& m_now;
    Comparison m_result;
    double m_stepNs = 0;
};

} // namespace

Comparison compareRuns(const report::Report& base, const report::Report& now, double tolerance)
{
    return Comparer(base, now, tolerance).compare();
}

const Metric* Comparison::slowerInTheMean() const
{
    const auto mean = std::ranges::find(metrics, kMeanStep, &Metric::name);
    const bool worse = mean != metrics.end() && mean->verdict == Verdict::Worse;
    return worse && metrics.front().verdict != Verdict::Worse ? &*mean : nullptr;
}

std::string_view verdictName(Verdict verdict)
{
    constexpr std::string_view kNames[] = {"better", "same", "worse", "inconclusive"};
    return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view kindName(Kind kind)
{
    constexpr std::string_view kNames[] = {"added", "removed", "slower", "faster"};
    return kNames[static_cast<std::size_t>(kind)];
}

} // namespace ringside::compare
