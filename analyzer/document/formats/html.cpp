// SPDX-License-Identifier: Apache-2.0
// The document as one self-contained page: no script, no other file, no network access. It is readable
// in light and dark mode and in print. Charts are inline SVG; a table repeats their figures.
#include "document/html_charts.h"
#include "document/renderer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ringside::document::renderer_html {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1d2330; --dim: #5b6475; --paper: #fff; --card: #f4f6f9; --line: #d5dae3;
  --compute: #0072b2; --wait: #f6c89f; --communication: #d55e00; --copy: #009e73; --idle: #c3c9d2; --problem: #b3261e; --warning: #8a5a00; --info: #23609c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --dim: #9aa4b5; --paper: #14171d; --card: #1d222b; --line: #343c4a;
  --compute: #3a9bdc; --wait: #7a4a22; --communication: #f07b2a; --copy: #1fb88b; --idle: #4b5361; --problem: #ff8a80; --warning: #f0b95a; --info: #7db7f0; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
.verdict { font-size: 1.1rem; background: var(--card); border-left: 4px solid var(--communication); padding: .8rem 1rem; }
.finding { background: var(--card); padding: .6rem 1rem; margin: .8rem 0; break-inside: avoid; }
.finding h3 { font-size: 1rem; margin: 0 0 .3rem; } .finding p { margin: .2rem 0; }
.problem b { color: var(--problem); } .warning b { color: var(--warning); } .info b { color: var(--info); }
.dim { color: var(--dim); font-size: .9rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
th.words, td.words { text-align: left; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
summary { cursor: pointer; font-size: 1.1rem; margin-top: 2rem; }
.compute { fill: var(--compute); } .wait { fill: url(#waiting); } .wait-paper { fill: var(--wait); }
.rank-box { fill: var(--card); stroke: var(--line); stroke-width: 1.5; } .rank-box.origin { stroke: var(--communication); stroke-width: 2.5; }
svg .who { font-weight: 600; } .waits { fill: none; stroke: var(--dim); stroke-width: 1.8; } .head { fill: var(--dim); }
.hatch { stroke: var(--communication); } .communication { fill: var(--communication); } .copy { fill: var(--copy); } .idle { fill: var(--idle); }
@media print { body { max-width: none; margin: 0; } .scroll { overflow: visible; } table { font-size: .7rem; } th, td { padding: .1rem .3rem; } svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .finding, .verdict { border: 1px solid var(--line); } }
)css";

/// Escapes a text. Text between back quotes is shown as code.
std::string prose(std::string_view text)
{
    std::string result;
    bool code = false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('`', begin), text.size());
        const std::string part = escapedHtml(text.substr(begin, end - begin));
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
        text += fmt::format("<th{}>{}</th>", words(i), escapedHtml(title));
    }
    text += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string why =
                row[i].reason().empty() ? "" : fmt::format(" title=\"{}\"", escapedHtml(row[i].reason()));
            text += fmt::format("<td{}{}>{}</td>", words(i), why, escapedHtml(cellText(row[i])));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

std::string findingHtml(const Finding& finding)
{
    std::vector<std::string> figures;
    for (const Figure& figure : finding.figures) {
        figures.push_back(figure.text);
    }
    std::string text = fmt::format("<div class=\"finding {0}\"><h3><b>{0}</b> {1}</h3>\n",
                                   trace::severityName(finding.severity), prose(finding.title));
    text += fmt::format("<p><strong>Try:</strong> {}</p>\n", prose(finding.advice));
    text += fmt::format("<p>Cost: {}; ranks: {}; rule <code>{}</code></p>\n", escapedHtml(finding.cost),
                        escapedHtml(finding.ranks), escapedHtml(finding.rule));
    if (!figures.empty()) {
        text += fmt::format("<p class=\"dim\">{}</p>\n",
                            escapedHtml(fmt::format("{}", fmt::join(figures, "; "))));
    }
    for (const SameLoss& same : finding.sameLoss) {
        text += fmt::format("<p>The same loss: {} (<code>{}</code>)</p>\n", prose(same.text),
                            escapedHtml(same.rule));
    }
    for (const Place& place : finding.places) {
        text += fmt::format("<p class=\"dim\">See {}</p>\n", escapedHtml(place.text));
    }
    return text + "</div>\n";
}

std::string blockHtml(const Block& block)
{
    return std::visit(
        Visitor{[](const Paragraph& paragraph) { return element("p", paragraph.text); },
                [](const Items& items) {
                    std::string text;
                    for (const std::string& each : items.texts) {
                        text += element("p", each);
                    }
                    return text;
                },
                [](const Finding& finding) { return findingHtml(finding); },
                [](const Table& table) { return htmlTable(table); },
                [](const BarChart& chart) {
                    const std::string rows = sharedRowsText(chart);
                    return (rows.empty() ? rows : element("p", rows)) + barsSvg(chart);
                },
                [](const HeatMap& map) { return heatSvg(map); },
                [](const WaitChain& chain) {
                    return boxesSvg(pictureOf(chain), "Who waits for whom") +
                           (chain.note.empty() ? "" : element("p", chain.note));
                },
                [](const WhyGraph& graph) { return boxesSvg(pictureOf(graph), "Why this verdict"); }},
        block);
}

std::string sectionHtml(const Section& section)
{
    std::string text;
    if (section.folded) {
        text = fmt::format("<details><summary>{}</summary>\n", prose(section.title));
    } else if (!section.title.empty()) {
        text = element("h2", section.title);
    }
    for (const Block& block : section.blocks) {
        text += blockHtml(block);
    }
    return text + (section.folded ? "</details>\n" : "");
}

std::string render(const Document& document, const TextStyle& /*style*/)
{
    std::string text = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                                   "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}{2}</h1>\n",
                                   escapedHtml("Ringside: " + document.name), kStyle,
                                   document.emulated ? " [emulated]" : "");
    text += fmt::format("<p class=\"verdict\">{}</p>\n", prose(document.summary));
    text += element("p", fmt::format("Verdict: {}.", document.verdict));
    for (const Section& section : document.sections) {
        text += sectionHtml(section);
    }
    return text + "</body></html>\n";
}

} // namespace

RINGSIDE_RENDERER(html, .title = "one self-contained page", .render = render);

} // namespace ringside::document::renderer_html
