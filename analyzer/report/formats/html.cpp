// SPDX-License-Identifier: Apache-2.0
// Writes the report as one self-contained page: no script, no other file, no network access. It is readable
// in light and dark mode and in print. Charts are inline SVG; a table repeats their figures.
#include "report/format.h"
#include "report/losses.h"
#include "report/report_tables.h"
#include "report/sentences.h"
#include "rules/shared/support.h"
#include "trace/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::report::format_html {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1d2330; --dim: #5b6475; --paper: #fff; --card: #f4f6f9; --line: #d5dae3;
  --compute: #2f7d4f; --communication: #c8442b; --copy: #b98a1d; --idle: #b9c0cc; --problem: #b3261e; --warning: #8a5a00; --info: #23609c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #9aa4b5; --paper: #14171d; --card: #1d222b; --line: #343c4a;
  --compute: #4fae78; --communication: #ef7159; --copy: #d9ad45; --idle: #4a5262; --problem: #ff8a80; --warning: #f0b95a; --info: #7db7f0; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
.verdict { font-size: 1.1rem; background: var(--card); border-left: 4px solid var(--communication); padding: .8rem 1rem; }
.finding { background: var(--card); padding: .6rem 1rem; margin: .8rem 0; break-inside: avoid; }
.finding h3 { font-size: 1rem; margin: 0 0 .3rem; } .finding p { margin: .2rem 0; }
.problem b { color: var(--problem); } .warning b { color: var(--warning); } .info b { color: var(--info); }
.dim { color: var(--dim); font-size: .9rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th.words, td.words { text-align: left; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.compute { fill: var(--compute); } .communication { fill: var(--communication); } .copy { fill: var(--copy); } .idle { fill: var(--idle); }
@media print { body { max-width: none; margin: 0; } .finding, .verdict { border: 1px solid var(--line); } }
)css";

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : trace::shownText(text, ' ', "\n\t")) {
        result += c == '&'   ? "&amp;"
                  : c == '<' ? "&lt;"
                  : c == '>' ? "&gt;"
                  : c == '"' ? "&quot;"
                             : std::string(1, c);
    }
    return result;
}

/// Escapes a text. Text between back quotes is shown as code.
std::string prose(std::string_view text)
{
    std::string result;
    bool code = false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('`', begin), text.size());
        const std::string part = escaped(text.substr(begin, end - begin));
        const bool closed = code && end < text.size();
        result += closed ? fmt::format("<code>{}</code>", part) : fmt::format("{}{}", code ? "`" : "", part);
        code = !code;
        begin = end + 1;
    }
    return result;
}

std::string element(std::string_view tag, std::string_view text)
{
    return fmt::format("<{0}>{1}</{0}>\n", tag, prose(text));
}

std::string htmlTable(const Table& table)
{
    const std::vector<bool> right = rightAligned(table);
    const auto words = [&right](std::size_t column) { return right[column] ? "" : " class=\"words\""; };
    std::string text = "<div class=\"scroll\"><table><thead><tr>";
    for (std::size_t i = 0; i < table.header.size(); ++i) {
        std::string title = table.header[i];
        std::replace(title.begin(), title.end(), '\n', ' ');
        text += fmt::format("<th{}>{}</th>", words(i), escaped(title));
    }
    text += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string why =
                row[i].reason().empty() ? "" : fmt::format(" title=\"{}\"", escaped(row[i].reason()));
            text += fmt::format("<td{}{}>{}</td>", words(i), why, escaped(cellText(row[i])));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

struct Part {
    const char* style;
    const char* words;
    std::int64_t metrics::Breakdown::*ns;
};
constexpr std::array kParts = {
    Part{"compute", "compute", &metrics::Breakdown::computeNs},
    Part{"communication", "exposed communication", &metrics::Breakdown::exposedCommunicationNs},
    Part{"copy", "exposed copy", &metrics::Breakdown::exposedCopyNs},
    Part{"idle", "idle", &metrics::Breakdown::idleNs},
};

/// One bar per rank, as long as its analyzed steps. With more than 64 ranks the bars are thin and only every
/// 16th is labelled.
class BreakdownChart final {
public:
    explicit BreakdownChart(const Report& report) : m_report(report)
    {
        for (const metrics::RankMetrics& rank : report.metrics.ranks) {
            m_longestNs = std::max(m_longestNs, rank.total.stepNs);
        }
        m_many = report.metrics.ranks.size() > 64;
        m_barHeight = m_many ? 4 : 18;
    }

    [[nodiscard]] std::string svg() const
    {
        const std::size_t ranks = m_report.metrics.ranks.size();
        const auto height = static_cast<int>(ranks) * (m_barHeight + kGap) + kLegend;
        std::string text = fmt::format("<svg role=\"img\" aria-label=\"Device time of each rank\" "
                                       "viewBox=\"0 0 {} {}\" width=\"100%\">\n",
                                       kLeft + kWidth, height);
        text += legend();
        for (std::size_t i = 0; i < ranks; ++i) {
            text += bar(i);
        }
        return text + "</svg>\n";
    }

private:
    static constexpr int kLeft = 70;
    static constexpr int kWidth = 830;
    static constexpr int kGap = 2;
    static constexpr int kLegend = 28;

    static std::string legend()
    {
        constexpr int kStep = 180;
        std::string text;
        int x = kLeft;
        for (const Part& part : kParts) {
            text += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"4\" width=\"12\" height=\"12\"/>"
                                "<text x=\"{}\" y=\"14\">{}</text>\n",
                                part.style, x, x + 17, part.words);
            x += kStep;
        }
        return text;
    }

    [[nodiscard]] std::string bar(std::size_t index) const
    {
        const metrics::RankMetrics& rank = m_report.metrics.ranks[index];
        const std::int64_t number = m_report.model.ranks[rank.rank].rank;
        const int y = kLegend + static_cast<int>(index) * (m_barHeight + kGap);
        std::string text;
        if (!m_many || index % 16 == 0) {
            text += fmt::format("<text x=\"0\" y=\"{}\">rank {}</text>", y + (m_many ? 8 : 14), number);
        }
        double x = kLeft;
        for (const Part& part : kParts) {
            const std::int64_t ns = rank.total.*part.ns;
            const double width =
                m_longestNs > 0 ? kWidth * static_cast<double>(ns) / static_cast<double>(m_longestNs) : 0;
            text += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\">"
                                "<title>rank {}: {} {:.1f} %</title></rect>",
                                part.style, x, y, width, m_barHeight, number, part.words,
                                100 * rank.total.share(ns));
            x += width;
        }
        return text + "\n";
    }

    const Report& m_report;
    std::int64_t m_longestNs = 0;
    bool m_many = false;
    int m_barHeight = 0;
};

std::string findingHtml(const Report& report, const rules::Finding& finding)
{
    const std::string_view severity = rules::severityName(finding.severity);
    std::vector<std::string> figures;
    for (const rules::Figure& figure : finding.figures) {
        figures.push_back(figureText(figure));
    }
    std::string text =
        fmt::format("<div class=\"finding {0}\"><h3><b>{0}</b> {1}</h3>\n", severity, prose(finding.title));
    text += fmt::format("<p><strong>Try:</strong> {}</p>\n", prose(finding.advice));
    text += fmt::format("<p>Cost: {}; ranks: {}; rule <code>{}</code></p>\n", escaped(costText(finding)),
                        escaped(rankList(finding.ranks)), escaped(finding.rule));
    text += fmt::format("<p class=\"dim\">{}</p>\n", escaped(fmt::format("{}", fmt::join(figures, "; "))));
    for (const rules::Finding* same : restatementsOf(report, finding)) {
        text += fmt::format("<p>The same loss: {} (<code>{}</code>)</p>\n", prose(same->title),
                            escaped(same->rule));
    }
    for (const rules::Evidence& place : finding.evidence) {
        text += fmt::format("<p class=\"dim\">See {}</p>\n", escaped(evidenceText(place)));
    }
    return text + "</div>\n";
}

std::string findings(const Report& report)
{
    std::string text = "<h2>Findings: what the verdict names, then by cost</h2>\n";
    for (const rules::Finding* loss : lossesOf(report)) {
        text += findingHtml(report, *loss);
    }
    text += report.findings.empty() ? element("p", "None.") : "";
    if (!report.notApplicable.empty()) {
        text += "<h2>Not applicable</h2>\n";
        for (const std::string& line : notApplicableLines(report)) {
            text += element("p", line);
        }
    }
    return text;
}

std::string chart(const Report& report)
{
    return report.metrics.ranks.empty()
               ? std::string()
               : "<h2>Where the device time of each rank goes</h2>\n" + BreakdownChart(report).svg();
}

std::string tables(const Report& report)
{
    std::string text;
    if (!report.metrics.ranks.empty()) {
        text += element("h2", breakdownTitle(report)) + htmlTable(breakdownTable(report));
        text += element("h2", idleTitle(report)) + htmlTable(idleTable(report));
    }
    if (!report.metrics.timed.arrived.empty()) {
        text += "<h2>Communication of a step by CUDA events, mean</h2>\n" + htmlTable(timedTable(report));
    }
    if (!report.metrics.collectives.empty()) {
        text += element("h2", collectivesTitle(report)) + htmlTable(collectiveTable(report));
    }
    if (const Table messages = messageTable(report); !messages.rows.empty()) {
        text += element("h2", kMessagesTitle) + htmlTable(messages);
    }
    return text;
}

std::string coverage(const Report& report)
{
    std::string text = "<h2>What this rests on</h2>\n";
    for (const std::string& line : coverageLines(report)) {
        text += element("p", line);
    }
    for (const Tier& tier : report.tiers) {
        text += element("p", fmt::format("Tier {}: {}.", tier.name, tierText(tier)));
    }
    for (const trace::IssueRow& issue : report.issues) {
        text += element("p", fmt::format("{} {} ({}x): {}", trace::severityName(issue.severity), issue.id,
                                         issue.count, issue.message));
    }
    return text;
}

std::string render(const Report& report, const TextStyle& /*style*/)
{
    const std::string title = fmt::format("Ringside: {}", report.model.trace.path.filename().string());
    std::string text = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                                   "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}{2}</h1>\n",
                                   escaped(title), kStyle, report.model.emulated ? " [emulated]" : "");
    text += fmt::format("<p class=\"verdict\">{}</p>\n", prose(report.verdict.summary));
    text += element("p", fmt::format("Verdict: {}.", verdictText(report.verdict)));
    for (const std::string& line : keyLines(report)) {
        text += element("p", line);
    }
    return text + chart(report) + findings(report) + tables(report) + coverage(report) + "</body></html>\n";
}

} // namespace

RINGSIDE_REPORT(html, .title = "one self-contained page", .render = render);

} // namespace ringside::report::format_html
