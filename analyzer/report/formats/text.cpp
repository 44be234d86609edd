// SPDX-License-Identifier: Apache-2.0
// The report for a terminal: first the one paragraph that matters, then what it rests on.
#include "report/format.h"
#include "report/table.h"
#include "rules/support.h"

namespace ringside::report {
namespace {

constexpr std::size_t kWidth = 100;

struct Paint {
    Colour colour;
    [[nodiscard]] std::string operator()(std::string_view code, std::string_view text) const
    {
        return colour == Colour::Ansi ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
    }
    [[nodiscard]] std::string heading(std::string_view text) const
    {
        return fmt::format("\n{}\n", (*this)("1", text));
    }
};

std::string_view colourOf(rules::Severity severity)
{
    constexpr std::string_view kCodes[] = {"36", "33", "1;31"}; // cyan, yellow, bold red
    return kCodes[static_cast<std::size_t>(severity)];
}

std::string figureText(const rules::Figure& figure)
{
    return figure.threshold
               ? fmt::format("{} {:.4g} (threshold {:.4g})", figure.name, figure.value, *figure.threshold)
               : fmt::format("{} {:.4g}", figure.name, figure.value);
}

std::string findingText(const rules::Finding& finding, const Paint& paint)
{
    std::string text = fmt::format("  {}  {} [{}]\n",
                                   paint(colourOf(finding.severity), rules::severityName(finding.severity)),
                                   finding.title, finding.rule);
    text += fmt::format("      cost: {}; ranks: {}\n", costText(finding), rankList(finding.ranks));
    std::vector<std::string> figures;
    for (const rules::Figure& figure : finding.figures) {
        figures.push_back(figureText(figure));
    }
    text += wrap(fmt::format("figures: {}", fmt::join(figures, ", ")), kWidth, "      ");
    for (std::size_t i = 0; i < std::min<std::size_t>(2, finding.evidence.size()); ++i) {
        const rules::Evidence& place = finding.evidence[i];
        text += wrap(fmt::format("see rank {} at {:.6f} s for {}: {}", place.rank,
                                 static_cast<double>(place.startNs) / 1e9,
                                 rules::milliseconds(place.endNs - place.startNs), place.what),
                     kWidth, "      ");
    }
    return text + wrap(fmt::format("try: {}", finding.advice), kWidth, "      ");
}

std::string findings(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("Findings, costliest first");
    for (const rules::Finding& finding : report.findings) {
        text += findingText(finding, paint);
    }
    if (report.findings.empty()) {
        text += "  none\n";
    }
    if (!report.notApplicable.empty()) {
        text += paint.heading("Not judged");
        for (const MissingRule& rule : report.notApplicable) {
            text += wrap(fmt::format("{}: {}", rule.rule, rule.reason), kWidth, "  ");
        }
    }
    return text;
}

std::string tables(const Report& report, const Paint& paint)
{
    std::string text;
    if (!report.metrics.ranks.empty()) {
        text += paint.heading("Where a step goes, mean over the analyzed steps");
        text += plainTable(breakdownTable(report), "  ");
        text += "  compute + exposed communication + exposed copy + idle = step. useful: busy and not only "
                "waiting.\n";
    }
    if (!report.metrics.collectives.empty()) {
        text += paint.heading("Collectives, medians of the analyzed steps");
        text += plainTable(collectiveTable(report), "  ");
    }
    return text;
}

std::string coverage(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("What this rests on");
    for (const std::string& line : coverageLines(report)) {
        text += wrap(line, kWidth, "  ");
    }
    text += plainTable(tierTable(report), "  ");
    for (const trace::IssueRow& issue : report.issues) {
        text += wrap(fmt::format("{} {} ({}x): {}", issue.severity, issue.id, issue.count, issue.message),
                     kWidth, "  ");
    }
    return text;
}

std::string render(const Report& report, Colour colour)
{
    const Paint paint{colour};
    const std::string head =
        fmt::format("Ringside: {} - limited by {} ({} confidence){}",
                    report.model.trace.path.filename().string(), rules::limitName(report.verdict.limitedBy),
                    confidenceName(report.verdict.confidence), report.model.emulated ? " [emulated]" : "");
    return paint("1", head) + "\n\n" + wrap(report.verdict.summary, kWidth, "") + findings(report, paint) +
           tables(report, paint) + coverage(report, paint);
}

} // namespace
} // namespace ringside::report

RINGSIDE_REPORT(text, .title = "for a terminal", .render = ringside::report::render);
