// SPDX-License-Identifier: Apache-2.0
// The report for a pull request or a wiki page.
#include "report/format.h"
#include "report/table.h"
#include "rules/support.h"

namespace ringside::report {
namespace {

std::string findings(const Report& report)
{
    std::string text = "## Findings\n\n";
    if (report.findings.empty()) {
        return text + "None.\n\n";
    }
    Table table;
    table.header = {"severity", "finding", "ranks", "cost", "try", "rule"};
    for (const rules::Finding& finding : report.findings) {
        table.rows.push_back({std::string(rules::severityName(finding.severity)), finding.title,
                              rankList(finding.ranks), costText(finding), finding.advice,
                              "`" + finding.rule + "`"});
    }
    return text + markdownTable(table) + "\n";
}

std::string notJudged(const Report& report)
{
    std::string text;
    for (const MissingRule& rule : report.notApplicable) {
        text += fmt::format("- `{}` was not judged: {}\n", rule.rule, rule.reason);
    }
    return text.empty() ? text : text + "\n";
}

std::string coverage(const Report& report)
{
    std::string text = "## What this rests on\n\n";
    for (const std::string& line : coverageLines(report)) {
        text += "- " + line + "\n";
    }
    for (const trace::IssueRow& issue : report.issues) {
        text += fmt::format("- {} `{}` ({}x): {}\n", issue.severity, issue.id, issue.count, issue.message);
    }
    return text + "\n" + markdownTable(tierTable(report));
}

std::string render(const Report& report, Colour)
{
    std::string text =
        fmt::format("# Ringside: {}{}\n\nLimited by **{}**, {} confidence.\n\n{}\n\n",
                    report.model.trace.path.filename().string(), report.model.emulated ? " (emulated)" : "",
                    rules::limitName(report.verdict.limitedBy), confidenceName(report.verdict.confidence),
                    report.verdict.summary);
    text += findings(report) + notJudged(report);
    if (!report.metrics.ranks.empty()) {
        text += "## Where a step goes\n\nMean over the analyzed steps.\n\n" +
                markdownTable(breakdownTable(report)) + "\n";
    }
    if (!report.metrics.collectives.empty()) {
        text += "## Collectives\n\nMedians of the analyzed steps.\n\n" +
                markdownTable(collectiveTable(report)) + "\n";
    }
    return text + coverage(report);
}

} // namespace
} // namespace ringside::report

RINGSIDE_REPORT(markdown, .title = "for a pull request or a wiki", .render = ringside::report::render);
