// SPDX-License-Identifier: Apache-2.0
// The report for a terminal: first the one paragraph that matters, then what it rests on.
#include "report/communicators.h"
#include "report/format.h"
#include "report/losses.h"
#include "report/per_second.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

namespace ringside::report::format_text {
namespace {

constexpr std::string_view kHang = "           ";
constexpr std::size_t kPlaces = 2; ///< evidence lines of a finding
constexpr std::string_view kHowToSeeAll = "`--all` shows everything";
// Limits of the short report (Extent::Screen):
constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostRows = 16; ///< ranks of a large host: 8 cards with two GPUs each

struct Paint {
    const TextStyle& style;
    [[nodiscard]] std::string operator()(std::string_view code, std::string_view text) const
    {
        return style.colour == Colour::Ansi ? fmt::format("\x1b[{}m{}\x1b[0m", code, text)
                                            : std::string(text);
    }
    [[nodiscard]] std::string heading(std::string_view text) const
    {
        return fmt::format("\n{}\n", (*this)("1", text));
    }
    [[nodiscard]] std::string prose(std::string_view text, std::string_view indent) const
    {
        return wrap(text, style.width, indent);
    }
    [[nodiscard]] bool all() const { return style.extent == Extent::All; }
    /// Returns the first rows, with the number of rows left out.
    [[nodiscard]] std::string table(Table table) const
    {
        const std::size_t rows = table.rows.size();
        const bool cut = !all() && rows > kMostRows;
        table.rows.resize(cut ? kMostRows : rows);
        return plainTable(table, "  ") +
               (cut ? fmt::format("  {} more rows: {}\n", rows - kMostRows, kHowToSeeAll) : "");
    }
};

std::string_view colourOf(rules::Severity severity)
{
    constexpr std::string_view kCodes[] = {"36", "33", "1;31"}; // cyan, yellow, bold red
    return kCodes[static_cast<std::size_t>(severity)];
}

std::string restatements(const Report& report, const rules::Finding& loss, const Paint& paint)
{
    std::string text;
    for (const rules::Finding* finding : restatementsOf(report, loss)) {
        text += paint.prose(fmt::format("the same loss: {} [{}]", finding->title, finding->rule), kHang);
    }
    return text;
}

std::string findingText(const Report& report, const rules::Finding& finding, const Paint& paint)
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
    text += restatements(report, finding, paint);
    for (std::size_t i = 0; i < std::min(kPlaces, finding.evidence.size()); ++i) {
        line(fmt::format("see {}", evidenceText(finding.evidence[i])));
    }
    line(fmt::format("try: {}", finding.advice));
    return text;
}

std::string notApplicable(const Report& report, const Paint& paint)
{
    if (report.notApplicable.empty()) {
        return {};
    }
    if (!paint.all()) {
        return paint.prose(fmt::format("Not applicable: {} rules, for which this run lacks the data ({}).",
                                       report.notApplicable.size(), kHowToSeeAll),
                           "  ");
    }
    std::string text = paint.heading("Not applicable");
    for (const std::string& line : notApplicableLines(report)) {
        text += paint.prose(line, "  ");
    }
    return text;
}

std::string findings(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("Findings: what the verdict names, then by cost");
    const std::vector<const rules::Finding*> losses = lossesOf(report);
    const std::size_t count = losses.size();
    const std::size_t shown = paint.all() ? count : std::min(count, kMostFindings);
    for (std::size_t i = 0; i < shown; ++i) {
        text += findingText(report, *losses[i], paint);
    }
    if (count == 0) {
        text += "  none\n";
    }
    if (shown < count) {
        std::vector<std::string> rest;
        for (std::size_t i = shown; i < count; ++i) {
            rest.push_back(losses[i]->rule);
        }
        text += paint.prose(
            fmt::format("{} that cost less: {} ({})", rest.size(), fmt::join(rest, ", "), kHowToSeeAll),
            "  ");
    }
    return text + notApplicable(report, paint);
}

/// By rank, or by group with the ranks that differ where there are many.
std::string breakdown(const Report& report, const Paint& paint)
{
    constexpr std::size_t kMostOutliers = 8;
    const std::size_t ranks = report.metrics.ranks.size();
    if (paint.all() || ranks <= kMostRows) {
        return paint.table(breakdownTable(report));
    }
    std::string text = paint.table(groupBreakdownTable(report, kMostRows));
    const Table outliers = outlierTable(report, kMostOutliers);
    text +=
        outliers.rows.empty()
            ? std::string("  No rank's compute, copies or idle time differ much from those of its peers.\n")
            : "  Ranks whose compute, copies or idle time differ most from their peers':\n" +
                  paint.table(outliers);
    return text + fmt::format("  All {} ranks: {}\n", ranks, kHowToSeeAll);
}

std::string tables(const Report& report, const Paint& paint)
{
    std::string text;
    if (!report.metrics.ranks.empty()) {
        text += paint.heading(breakdownTitle(report));
        text += breakdown(report, paint);
        text += paint.prose(
            fmt::format(
                "compute + exposed communication + exposed copy + idle = {}. useful: busy without waiting in "
                "collectives. wait: time waiting for later ranks, including time that compute hides.",
                periodWord(report.model)),
            "  ");
        if (paint.all()) {
            text += paint.heading(idleTitle(report));
            text += plainTable(idleTable(report), "  ");
        }
    }
    if (!report.metrics.timed.arrived.empty()) {
        text += paint.heading("Communication of a step by CUDA events, mean");
        text += paint.table(timedTable(report));
    }
    if (!report.metrics.collectives.empty()) {
        text += paint.heading(collectivesTitle(report));
        const bool folded = !paint.all() && report.metrics.collectives.size() > kMostRows &&
                            !communicatorLabels(report).empty();
        text += paint.table(folded ? collectiveKindTable(report) : collectiveTable(report));
    }
    if (const Table messages = messageTable(report); !messages.rows.empty()) {
        text += paint.heading(kMessagesTitle);
        text += paint.table(messages);
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
        text += paint.prose(fmt::format("{} {} ({}x): {}", trace::severityName(issue.severity), issue.id,
                                        issue.count, issue.message),
                            "  ");
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

/// Lists files that could not be read, or only in part, because the report may look complete without them.
std::string notRead(const Report& report, const Paint& paint)
{
    constexpr std::size_t kMost = 3;
    std::vector<std::string> files;
    for (const trace::IssueRow& issue : report.issues) {
        if (issue.id == "unreadable_file") {
            files.push_back("Not read: " + issue.message);
        } else if (issue.id == "truncated_file") {
            files.push_back(issue.count == 1
                                ? "Read in part: " + issue.message
                                : fmt::format("Read in part: {} files. {}", issue.count, issue.message));
        }
    }
    std::string text;
    const std::size_t shown = paint.all() ? files.size() : std::min(files.size(), kMost);
    for (std::size_t i = 0; i < shown; ++i) {
        text += paint.prose(files[i], "");
    }
    return shown < files.size() ? text + fmt::format("Not read, or in part: {} more\n", files.size() - shown)
                                : text;
}

std::string render(const Report& report, const TextStyle& style)
{
    const Paint paint{style};
    const std::string head =
        wrap(fmt::format("Ringside: {} - {}{}", report.model.trace.path.filename().string(),
                         verdictText(report.verdict), report.model.emulated ? " [emulated]" : ""),
             std::string::npos, "");
    return paint("1", head) + "\n" + paint.prose(report.verdict.summary, "") + notRead(report, paint) +
           keyFigures(report, paint) + findings(report, paint) + tables(report, paint) +
           coverage(report, paint);
}

} // namespace

RINGSIDE_REPORT(text, .title = "for a terminal", .render = render);

} // namespace ringside::report::format_text
