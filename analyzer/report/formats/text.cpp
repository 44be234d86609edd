// SPDX-License-Identifier: Apache-2.0
// The report for a terminal: first the one paragraph that matters, then what it rests on.
#include "report/alarms.h"
#include "report/communicators.h"
#include "report/format.h"
#include "report/losses.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"

#include <algorithm>
#include <iterator>

namespace ringside::report::format_text {
namespace {

constexpr std::string_view kHang = "           ";
constexpr std::size_t kPlaces = 2; ///< places of evidence of a finding
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

/// On a screen, what restates a loss is only a figure of it.
std::string restatements(const Report& report, const rules::Finding& loss, const Paint& paint)
{
    std::string text;
    std::vector<std::string> figures;
    for (const rules::Finding* finding : restatementsOf(report, loss)) {
        const bool isFigure = !paint.all() && !finding->figures.empty();
        std::string what = report.sentence(finding->title);
        if (isFigure) {
            rules::Figure figure = finding->figures.front();
            figure.threshold.reset();
            what = figureText(figure, report.voice().period);
        }
        what += fmt::format(" [{}]", finding->rule);
        if (isFigure) {
            figures.push_back(std::move(what));
        } else {
            text += paint.prose("the same loss: " + what, kHang);
        }
    }
    return figures.empty()
               ? text
               : text + paint.prose(fmt::format("the same loss: {}", fmt::join(figures, ", ")), kHang);
}

std::string figuresOf(const Report& report, const rules::Finding& finding)
{
    std::vector<std::string> figures;
    for (const rules::Figure& figure : finding.figures) {
        figures.push_back(figureText(figure, report.voice().period));
    }
    return fmt::format("figures: {}", fmt::join(figures, ", "));
}

std::string placesOf(const Report& report, const rules::Finding& finding, std::size_t most)
{
    std::vector<std::string> places;
    for (std::size_t i = 0; i < std::min(most, finding.evidence.size()); ++i) {
        places.push_back(evidenceText(report, finding.evidence[i]));
    }
    return fmt::format("see {}", fmt::join(places, "; "));
}

std::string findingText(const Report& report, const rules::Finding& finding, const Paint& paint)
{
    const std::string_view severity = rules::severityName(finding.severity);
    const std::string head =
        paint.prose(fmt::format("{} [{}]", report.sentence(finding.title), finding.rule), kHang);
    std::string text = fmt::format("  {}{}", paint(colourOf(finding.severity), severity),
                                   std::string_view(head).substr(2 + severity.size()));
    const auto line = [&](const std::string& words) { text += paint.prose(words, kHang); };
    line(fmt::format("cost: {}; ranks: {}", costText(finding), rankList(finding.ranks)));
    if (paint.all()) {
        line(figuresOf(report, finding));
    }
    text += restatements(report, finding, paint);
    if (!finding.evidence.empty()) {
        line(placesOf(report, finding, paint.all() ? kPlaces : 1));
    }
    const std::string advice = report.sentence(finding.advice);
    const bool advised =
        !paint.all() && report.sentence(report.verdict.summary).find(advice) != std::string::npos;
    if (!advised) {
        line(fmt::format("try: {}", advice));
    }
    return text;
}

std::string notApplicable(const Report& report, const Paint& paint)
{
    const std::size_t count = rulesNotJudged(report).size();
    if (count == 0) {
        return {};
    }
    if (!paint.all()) {
        return paint.prose(fmt::format("Not applicable: {} rule{}, for which this run lacks the data ({}).",
                                       count, count == 1 ? "" : "s", kHowToSeeAll),
                           "  ");
    }
    std::string text = paint.heading("Not applicable");
    for (const std::string& line : notApplicableLines(report)) {
        text += paint.prose(line, "  ");
    }
    return text;
}

/// Returns the number of findings up to the last one that is more than information without a cost.
std::size_t leadingLosses(const std::vector<const rules::Finding*>& losses)
{
    constexpr std::int64_t kShownAsNothingNs = 5'000; // in milliseconds with two decimals
    const auto last = std::find_if(losses.rbegin(), losses.rend(), [](const rules::Finding* finding) {
        return finding->severity != rules::Severity::Info || !finding->costNsPerStep ||
               *finding->costNsPerStep >= kShownAsNothingNs;
    });
    return static_cast<std::size_t>(losses.rend() - last);
}

std::string findings(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("Findings: what the verdict names, then by cost");
    const std::vector<const rules::Finding*> losses = lossesOf(report);
    const std::size_t count = losses.size();
    const std::size_t shown = paint.all() ? count : std::min(kMostFindings, leadingLosses(losses));
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
                report.periodWord()),
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
    if (const Table alarms = alarmTable(report); !alarms.rows.empty()) {
        text += paint.heading(kAlarmsTitle);
        text += paint.table(alarms);
    }
    return text;
}

std::string tierLines(const Report& report, const Paint& paint)
{
    std::string text;
    for (const Tier& tier : report.tiers) {
        text += paint.prose(fmt::format("Tier {}: {}.", tier.name, tierText(tier)), "  ");
    }
    return text;
}

/// Returns "Tiers: host, nvtx; device on ranks 0-3 only; not recorded: nccl, sampled."
std::string tiersText(const Report& report)
{
    std::vector<std::string> everywhere;
    std::vector<std::string> somewhere;
    std::vector<std::string> nowhere;
    for (const Tier& tier : report.tiers) {
        if (tier.ranks.empty()) {
            nowhere.push_back(tier.name);
        } else if (tier.ranks.size() == report.model.ranks.size()) {
            everywhere.push_back(tier.name);
        } else {
            somewhere.push_back(fmt::format("{} on {} {} only", tier.name,
                                            tier.ranks.size() == 1 ? "rank" : "ranks", rankList(tier.ranks)));
        }
    }
    std::vector<std::string> parts;
    if (!everywhere.empty()) {
        parts.push_back(fmt::format("{}", fmt::join(everywhere, ", ")));
    }
    std::ranges::move(somewhere, std::back_inserter(parts));
    if (!nowhere.empty()) {
        parts.push_back(fmt::format("not recorded: {}", fmt::join(nowhere, ", ")));
    }
    return fmt::format("Tiers: {}.", fmt::join(parts, "; "));
}

std::string coverage(const Report& report, const Paint& paint)
{
    std::string text = paint.heading("What this rests on");
    for (const std::string& line : coverageLines(report)) {
        text += paint.prose(line, "  ");
    }
    // Why the tool behind an imported trace does not record a tier is nothing that its user can change.
    const bool toTell = !report.model.imported && std::ranges::any_of(report.tiers, [](const Tier& tier) {
        return !tier.reasons.empty();
    });
    text += paint.all() || toTell ? tierLines(report, paint) : paint.prose(tiersText(report), "  ");
    std::vector<std::string_view> notes;
    for (const trace::IssueRow& issue : report.issues) {
        if (!paint.all() && issue.severity == trace::Severity::Info) {
            notes.push_back(issue.id);
            continue;
        }
        text += paint.prose(fmt::format("{} {} ({}x): {}", trace::severityName(issue.severity), issue.id,
                                        issue.count, issue.message),
                            "  ");
    }
    if (!notes.empty()) {
        text += paint.prose(fmt::format("Notes: {} ({}).", fmt::join(notes, ", "), kHowToSeeAll), "  ");
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
                         verdictText(report), report.model.emulated ? " [emulated]" : ""),
             std::string::npos, "");
    return paint("1", head) + "\n" + paint.prose(report.sentence(report.verdict.summary), "") +
           notRead(report, paint) + keyFigures(report, paint) + findings(report, paint) +
           tables(report, paint) + coverage(report, paint);
}

} // namespace

RINGSIDE_REPORT(text, .title = "for a terminal", .render = render);

} // namespace ringside::report::format_text
