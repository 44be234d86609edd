// SPDX-License-Identifier: Apache-2.0
// A comparison as text for a terminal or as Markdown: first one sentence, then the figures.
#include "compare/comparison.h"
#include "document/table.h"
#include "rules/shared/support.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::compare {
namespace {

using document::Cell;

constexpr std::size_t kMostItems = 10;
constexpr std::size_t kLongestName = 44;

Cell valueCell(const Metric& metric, const Summary& summary)
{
    if (summary.count == 0) {
        return Cell::absent("not measured");
    }
    const auto spread = [](double mad, int decimals) { return fmt::format(" +-{:.{}f}", mad, decimals); };
    if (metric.centre == Centre::Mean) {
        return Cell(summary.mean, Unit::Ns, {.digits = 2, .divisor = 1e6, .suffix = " ms"});
    }
    if (metric.unit == Unit::Ns) {
        return Cell(summary.median, Unit::Ns, {.digits = 2, .divisor = 1e6, .suffix = " ms"})
            .with(spread(summary.mad / 1e6, 2));
    }
    if (metric.unit == Unit::Share) {
        return document::shareCell(summary.median).with(spread(100 * summary.mad, 1));
    }
    return document::ratioCell(summary.median).with(spread(summary.mad, 2));
}

Cell changeCell(const Metric& metric)
{
    if (!metric.change) {
        return Cell::absent("not comparable");
    }
    const Change& change = *metric.change;
    const double factor = metric.unit == Unit::Ratio ? 1 : 100;
    const char* const unit = metric.unit == Unit::Ns ? " %" : metric.unit == Unit::Share ? " points" : "";
    return Cell(change.value, metric.unit == Unit::Ratio ? Unit::Ratio : Unit::Share,
                {.digits = 2, .divisor = 1 / factor, .sign = true, .suffix = unit})
        .with(fmt::format(" ({:+.2f} to {:+.2f})", factor * change.low, factor * change.high));
}

/// Turns "exposed_communication_ns" into "exposed communication".
std::string wordsOf(std::string name)
{
    if (name.ends_with("_ns")) {
        name.resize(name.size() - 3);
    }
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

class Writer final {
public:
    Writer(bool markdown, std::size_t width) : m_markdown(markdown), m_width(width) {}

    void heading(std::string_view words)
    {
        m_text += m_markdown ? fmt::format("\n## {}\n\n", words) : "\n" + document::wrap(words, m_width, "");
    }
    void line(const std::string& words)
    {
        m_text += m_markdown ? fmt::format("- {}\n", document::markdownText(words))
                             : document::wrap(words, m_width, "  ");
    }
    void first(const std::string& words)
    {
        m_text += m_markdown ? fmt::format("{}\n", document::markdownText(words))
                             : document::wrap(words, m_width, "");
    }
    void table(const document::Table& table)
    {
        m_text += m_markdown ? document::markdownTable(table) : document::plainTable(table, "  ");
    }
    void items(std::string_view title, const std::vector<Item>& items)
    {
        if (!items.empty()) {
            heading(title);
            table(itemTable(items, {kMostItems, kLongestName}));
        }
        if (items.size() > kMostItems) {
            line(fmt::format("and {} more; --format json lists all", items.size() - kMostItems));
        }
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    bool m_markdown;
    std::size_t m_width;
    std::string m_text;
};

} // namespace

document::Table metricTable(const Comparison& comparison)
{
    document::Table table{{"of a step", "base", "new", "change (95 %)", "verdict"}, {}};
    for (const Metric& metric : comparison.metrics) {
        table.rows.push_back({wordsOf(metric.name), valueCell(metric, metric.base),
                              valueCell(metric, metric.now), changeCell(metric),
                              metric.change ? Cell(verdictName(metric.verdict)) : Cell()});
    }
    return table;
}

document::Table itemTable(const std::vector<Item>& items, const ItemLimits& limits)
{
    constexpr int kDecimals = 3;
    const auto ms = [](const std::optional<double>& ns) { return document::millisecondsCell(ns, kDecimals); };
    const auto count = [](const std::optional<double>& value) {
        return Cell(value, Unit::Count, {.kind = document::NumberStyle::Kind::Significant, .digits = 4});
    };
    document::Table table{{"name", "", "base ms", "new ms", "difference", "base calls", "new calls"}, {}};
    for (std::size_t i = 0; i < std::min(limits.rows, items.size()); ++i) {
        const Item& item = items[i];
        table.rows.push_back(
            {item.name.size() > limits.name ? item.name.substr(0, limits.name - 3) + "..." : item.name,
             kindName(item.kind), ms(item.baseNs), ms(item.nowNs),
             Cell(item.differenceNs(), Unit::Ns, {.digits = kDecimals, .divisor = 1e6, .sign = true}),
             count(item.baseCount), count(item.nowCount)});
    }
    return table;
}

namespace {

std::string whyNotComparable(const Metric& step)
{
    const bool both = step.base.count == 0 && step.now.count == 0;
    return fmt::format("Not comparable: no step was found in {}. If steps are marked by an NVTX range of the "
                       "program, name it with --steps-by.",
                       both                   ? "either run"
                       : step.base.count == 0 ? "the base"
                                              : "the new run");
}

/// Returns for example "the base has 1 step".
std::string stepsText(std::string_view whose, std::size_t count)
{
    return fmt::format("{} has {} step{}", whose, count, count == 1 ? "" : "s");
}

/// Explains what an inconclusive comparison lacks.
std::string missingEvidence(const Metric& step, const std::string& tolerance)
{
    const Summary& fewer = step.base.count <= step.now.count ? step.base : step.now;
    const char* const whose = &fewer == &step.base ? "the base" : "the new run";
    if (fewer.count < kFewestValues) {
        return fmt::format("{}, but at least {} of each run are needed to know how much steps vary",
                           stepsText(whose, fewer.count), kFewestValues);
    }
    if (!step.stepsNeeded) {
        return fmt::format(
            "the change is so close to the tolerance of {} that more steps hardly help: use another "
            "--tolerance",
            tolerance);
    }
    return fmt::format(
        "the interval includes both no change and changes above the tolerance of {}. If the runs "
        "continue like this, about {} steps of each run would be conclusive; {}",
        tolerance, *step.stepsNeeded, stepsText(whose, fewer.count));
}

} // namespace

std::string sentenceOf(const Comparison& comparison)
{
    const Metric& step = comparison.metrics.front();
    if (!step.change) {
        return whyNotComparable(step);
    }
    if (const Metric* const mean = comparison.slowerInTheMean()) {
        return fmt::format("Worse: a step takes {:.2f} ms instead of {:.2f} ms in the mean ({:+.2f} %, 95 % "
                           "interval {:+.2f} to {:+.2f} %). Some steps are much longer: the median is {:.2f} "
                           "ms instead of {:.2f} ms.",
                           mean->now.mean / 1e6, mean->base.mean / 1e6, 100 * mean->change->value,
                           100 * mean->change->low, 100 * mean->change->high, step.now.median / 1e6,
                           step.base.median / 1e6);
    }
    const std::string figures = fmt::format(
        "the step takes {:.2f} ms instead of {:.2f} ms ({:+.2f} %, 95 % interval {:+.2f} to {:+.2f} %)",
        step.now.median / 1e6, step.base.median / 1e6, 100 * step.change->value, 100 * step.change->low,
        100 * step.change->high);
    const std::string tolerance = fmt::format("{:.3g} %", 100 * comparison.tolerance);
    switch (comparison.verdict()) {
    case Verdict::Better:
        return fmt::format("Better: {}.", figures);
    case Verdict::Worse:
        return fmt::format("Worse: {}.", figures);
    case Verdict::Same:
        return fmt::format("The same within {}: {}.", tolerance, figures);
    case Verdict::Inconclusive:
        break;
    }
    return fmt::format("Inconclusive: {}; {}.", figures, missingEvidence(step, tolerance));
}

std::string textOf(const Comparison& comparison, bool markdown, std::size_t width)
{
    Writer out(markdown, width);
    out.first(sentenceOf(comparison));
    out.heading(kMetricTitle);
    out.table(metricTable(comparison));
    out.items("Kernels whose time a step changed, mean of a rank", comparison.kernels);
    out.items("Collectives whose transfer time a step changed", comparison.collectives);
    if (!comparison.newFindings.empty() || !comparison.goneFindings.empty()) {
        out.heading("Findings");
        out.line(fmt::format("new: {}", comparison.newFindings.empty()
                                            ? "none"
                                            : fmt::format("{}", fmt::join(comparison.newFindings, ", "))));
        out.line(fmt::format("gone: {}", comparison.goneFindings.empty()
                                             ? "none"
                                             : fmt::format("{}", fmt::join(comparison.goneFindings, ", "))));
    }
    if (!comparison.predictions.empty()) {
        out.heading("Predictions (mean step, from end to end of the ranks' work)");
        for (const HeldPrediction& prediction : comparison.predictions) {
            out.line(prediction.sentence());
        }
    }
    if (!comparison.remarks.empty()) {
        out.heading("Comparability");
        for (const std::string& remark : comparison.remarks) {
            out.line(remark);
        }
    }
    return out.text();
}

} // namespace ringside::compare
