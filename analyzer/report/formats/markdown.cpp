// SPDX-License-Identifier: Apache-2.0
// Writes the report for a pull request or a wiki page.
#include "report/alarms.h"
#include "report/format.h"
#include "report/losses.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

namespace ringside::report::format_markdown {
namespace {

std::string findingText(const Report& report, const rules::Finding& finding)
{
    std::string text = fmt::format("### {}: {}\n\n", rules::severityName(finding.severity),
                                   markdownText(report.sentence(finding.title)));
    std::vector<std::string> figures;
    for (const rules::Figure& figure : finding.figures) {
        figures.push_back(figureText(figure, report.voice().period));
    }
    text += fmt::format("- rule `{}`, cost: {}, ranks: {}\n", finding.rule, costText(finding),
                        rankList(finding.ranks));
    text += fmt::format("- figures: {}\n", fmt::join(figures, ", "));
    for (const rules::Finding* same : restatementsOf(report, finding)) {
        text += fmt::format("- the same loss: {} (`{}`)\n", markdownText(report.sentence(same->title)),
                            same->rule);
    }
    for (const rules::Evidence& place : finding.evidence) {
        text += fmt::format("- see {}\n", markdownText(evidenceText(report, place)));
    }
    return text + fmt::format("- **try:** {}\n\n", markdownText(report.sentence(finding.advice)));
}

std::string findings(const Report& report)
{
    std::string text = "## Findings: what the verdict names, then by cost\n\n";
    if (report.findings.empty()) {
        return text + "None.\n\n";
    }
    for (const rules::Finding* loss : lossesOf(report)) {
        text += findingText(report, *loss);
    }
    return text;
}

std::string notApplicable(const Report& report)
{
    std::string text;
    for (const std::string& line : notApplicableLines(report)) {
        text += fmt::format("- {}\n", markdownText(line));
    }
    return text.empty() ? text : "## Not applicable\n\n" + text + "\n";
}

std::string coverage(const Report& report)
{
    std::string text = "## What this rests on\n\n";
    for (const std::string& line : coverageLines(report)) {
        text += fmt::format("- {}\n", markdownText(line));
    }
    for (const trace::IssueRow& issue : report.issues) {
        text += fmt::format("- {} {} ({}x): {}\n", trace::severityName(issue.severity),
                            markdownText(issue.id), issue.count, markdownText(issue.message));
    }
    for (const Tier& tier : report.tiers) {
        text += fmt::format("- tier {}: {}\n", tier.name, markdownText(tierText(tier)));
    }
    return text;
}

std::string render(const Report& report, const TextStyle& /*style*/)
{
    std::string text = fmt::format(
        "# Ringside: {}{}\n\n**{}**\n\n{}\n\n", markdownText(report.model.trace.path.filename().string()),
        report.model.emulated ? " (emulated)" : "", markdownText(verdictText(report)),
        markdownText(report.sentence(report.verdict.summary)));
    for (const std::string& line : keyLines(report)) {
        text += fmt::format("- {}\n", markdownText(line));
    }
    text += "\n" + findings(report) + notApplicable(report);
    if (!report.metrics.ranks.empty()) {
        text += fmt::format("## {}\n\n{}\n## {}\n\n", breakdownTitle(report),
                            markdownTable(breakdownTable(report)), idleTitle(report)) +
                markdownTable(idleTable(report)) + "\n";
    }
    if (!report.metrics.timed.arrived.empty()) {
        text +=
            "## Communication of a step by CUDA events, mean\n\n" + markdownTable(timedTable(report)) + "\n";
    }
    if (!report.metrics.collectives.empty()) {
        text +=
            fmt::format("## {}\n\n{}\n", collectivesTitle(report), markdownTable(collectiveTable(report)));
    }
    if (const Table messages = messageTable(report); !messages.rows.empty()) {
        text += fmt::format("## {}\n\n{}\n", kMessagesTitle, markdownTable(messages));
    }
    if (const Table alarms = alarmTable(report); !alarms.rows.empty()) {
        text += fmt::format("## {}\n\n{}\n", kAlarmsTitle, markdownTable(alarms));
    }
    return text + coverage(report);
}

} // namespace

RINGSIDE_REPORT(markdown, .title = "for a pull request or a wiki", .render = render);

} // namespace ringside::report::format_markdown
