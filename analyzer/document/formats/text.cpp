// SPDX-License-Identifier: Apache-2.0
// The document for a terminal. Charts are left out: the tables have their figures. Waits are lines.
#include "document/renderer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::document::renderer_text {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::string_view kHang = "           ";

std::string coloured(const TextStyle& style, std::string_view code, std::string_view text)
{
    return style.colour == Colour::Ansi ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string joined(const std::vector<Figure>& figures)
{
    std::vector<std::string> texts;
    for (const Figure& figure : figures) {
        texts.push_back(figure.text);
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// A line for each sentence, one for all figures.
std::vector<std::string> sameLossLines(const Finding& finding)
{
    std::vector<std::string> lines;
    std::vector<std::string> figures;
    for (const SameLoss& same : finding.sameLoss) {
        std::string text = fmt::format("{} [{}]", same.text, same.rule);
        if (same.isFigure) {
            figures.push_back(std::move(text));
        } else {
            lines.push_back("the same loss: " + text);
        }
    }
    if (!figures.empty()) {
        lines.push_back(fmt::format("the same loss: {}", fmt::join(figures, ", ")));
    }
    return lines;
}

std::string findingText(const Finding& finding, const TextStyle& style)
{
    constexpr std::string_view kCodes[] = {"36", "33", "1;31"}; // cyan, yellow, bold red
    const std::string_view severity = trace::severityName(finding.severity);
    const std::string head = wrap(fmt::format("{} [{}]", finding.title, finding.rule), style.width, kHang);
    std::string text =
        fmt::format("  {}{}", coloured(style, kCodes[static_cast<std::size_t>(finding.severity)], severity),
                    std::string_view(head).substr(kIndent.size() + severity.size()));
    const auto line = [&](const std::string& words) { text += wrap(words, style.width, kHang); };
    line(fmt::format("cost: {}; ranks: {}", finding.cost, finding.ranks));
    if (!finding.figures.empty()) {
        line("figures: " + joined(finding.figures));
    }
    for (const std::string& same : sameLossLines(finding)) {
        line(same);
    }
    if (!finding.places.empty()) {
        std::vector<std::string> places;
        for (const Place& place : finding.places) {
            places.push_back(place.text);
        }
        line(fmt::format("see {}", fmt::join(places, "; ")));
    }
    if (!finding.advice.empty()) {
        line("try: " + finding.advice);
    }
    return text;
}

std::string blockText(const Block& block, const TextStyle& style, std::string_view indent)
{
    return std::visit(
        Visitor{[&](const Paragraph& paragraph) { return wrap(paragraph.text, style.width, indent); },
                [&](const Items& items) {
                    std::string text;
                    for (const std::string& each : items.texts) {
                        text += wrap(each, style.width, indent);
                    }
                    return text;
                },
                [&](const Finding& finding) { return findingText(finding, style); },
                [&](const Table& table) { return plainTable(table, indent); },
                [&](const WaitChain& chain) {
                    std::string text;
                    for (const std::string& line : waitLines(chain)) {
                        text += wrap(line, style.width, indent);
                    }
                    return text;
                },
                [](const auto& /*chart*/) { return std::string(); }},
        block);
}

std::string render(const Document& document, const TextStyle& style)
{
    const std::string head = wrap(fmt::format("Ringside: {} - {}{}", document.name, document.verdict,
                                              document.emulated ? " [emulated]" : ""),
                                  std::string::npos, "");
    std::string text = coloured(style, "1", head) + "\n" + wrap(document.summary, style.width, "");
    std::string_view indent;
    for (const Section& section : document.sections) {
        indent = section.title.empty() ? indent : kIndent;
        std::string body;
        for (const Block& block : section.blocks) {
            body += blockText(block, style, indent);
        }
        if (!body.empty() && !section.title.empty()) {
            text += fmt::format("\n{}\n", coloured(style, "1", section.title));
        }
        text += body;
    }
    return text;
}

} // namespace

RINGSIDE_RENDERER(text, .title = "for a terminal", .render = render, .forScreen = true);

} // namespace ringside::document::renderer_text
