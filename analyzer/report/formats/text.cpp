// SPDX-License-Identifier: Apache-2.0
// The report for a terminal: first the one paragraph that matters, then what it rests on.
#include "report/format.h"
#include "report/sentences.h"
#include "report/table.h"
#include "rules/support.h"

namespace ringside::report::format_text {
namespace {

constexpr std::string_view kHang = "           ";
constexpr std::size_t kPlaces = 2; ///< of a finding's evidence

struct Paint {
    const Look& look;
    [[nodiscard]] std::string operator()(std::string_view code, std::string_view text) const
    {
        return look.colour == Colour::Ansi ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
    }
    [[nodiscard]] std::string heading(std::string_view text) const
    {
        return fmt::format("\n{}\n", (*this)("1", text));
    }
    [[nodiscard]] std::string prose(std::string_view text, std::string_view indent) const
    {
        return wrap(text, look.width, indent);
    }
};

std::string_view colourOf(rules::Severity severity)
{
    constexpr std::string_view kCodes[] = {"36", "33", "1;31"}; // cyan, yellow, bold red
    return kCodes[static_cast<std::size_t>(severity)];
}

std::string findingText(const rules::Finding& finding, const Paint& paint)
{
    const std::string_view severity = rules::severityName(finding.severity);
    const std::string head = paint.prose(fmt::format("{} [{}]", finding.title, finding.rule), kHang);
    std::string text = fmt::format("  {}{}", paint(colourOf(finding.severity), severity),
                                   std::string_view(head).substr(2 + severity.size()));
    const auto line = [&](const std::string& words) { text += paint.prose(words, kHang); };
    line(fmt::format("cost: {}; ranks: {}", costText(finding), rankList(finding.ranks)));
    std::vector<std::string> figures;
    for (const rules::Figure& figure : finding.figures) {
        figures.push_back(figureText(figure));
    }
    line(fmt::format("figures: {}", fmt::join(figures, ", ")));
    for (std::size_t i = 0; i < std::min(kPlaces, finding.evidence.size()); ++i) {
        line(fmt::format("see {}", evidenceText(finding.evidence[i])));
    }
    line(fmt::format("try: {}", finding.advice));
    return text;
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
        for (const std::string& line : notJudgedLines(report)) {
            text += paint.prose(line, "  ");
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
        text +=
            paint.prose("compute + exposed communication + exposed copy + idle = step. useful: busy and not "
                        "only waiting in a collective. wait: for later ranks, also where compute hides it.",
                        "  ");
        text += paint.heading("Idle time of a step by its cause, ms");
        text += plainTable(idleTable(report), "  ");
    }
    if (!report.metrics.timed.arrived.empty()) {
        text += paint.heading("Communication of a step by CUDA events, mean");
        text += plainTable(timedTable(report), "  ");
    }
    if (!report.metrics.collectives.empty()) {
        text += paint.heading(collectivesTitle(report));
        text += plainTable(collectiveTable(report), "  ");
    }
    if (const Table messages = messageTable(report); !messages.rows.empty()) {
        text += paint.heading(kMessagesTitle);
        text += plainTable(messages, "  ");
    }
    return text;
}

std::string coverage(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("What this rests on");
    for (const std::string& line : coverageLines(report)) {
        text += paint.prose(line, "  ");
    }
    for (const Tier& tier : report.tiers) {
        text += paint.prose(fmt::format("Tier {}: {}.", tier.name, tierText(tier)), "  ");
    }
    for (const trace::IssueRow& issue : report.issues) {
        text += paint.prose(
            fmt::format("{} {} ({}x): {}", issue.severity, issue.id, issue.count, issue.message), "  ");
    }
    return text;
}

std::string keyFigures(const Report& report, const Paint& paint)
{
    std::string text;
    for (const std::string& line : keyLines(report)) {
        text += paint.prose(line, "  ");
    }
    return text.empty() ? text : paint.heading("Key figures") + text;
}

std::string render(const Report& report, const Look& look)
{
    const Paint paint{look};
    const std::string head =
        wrap(fmt::format("Ringside: {} - {}{}", report.model.trace.path.filename().string(),
                         verdictText(report.verdict), report.model.emulated ? " [emulated]" : ""),
             std::string::npos, "");
    return paint("1", head) + "\n" + paint.prose(report.verdict.summary, "") + keyFigures(report, paint) +
           findings(report, paint) + tables(report, paint) + coverage(report, paint);
}

} // namespace

RINGSIDE_REPORT(text, .title = "for a terminal", .render = render);

} // namespace ringside::report::format_text
