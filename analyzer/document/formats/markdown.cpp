// SPDX-License-Identifier: Apache-2.0
// The document for a pull request or a wiki page. Charts are left out: the tables have their figures.
// Waits are lines.
#include "document/renderer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::document::renderer_markdown {
namespace {

std::string findingMarkdown(const Finding& finding)
{
    std::string text =
        fmt::format("### {}: {}\n\n", trace::severityName(finding.severity), markdownText(finding.title));
    text += fmt::format("- rule `{}`, cost: {}, ranks: {}\n", finding.rule, finding.cost, finding.ranks);
    std::vector<std::string> figures;
    for (const Figure& figure : finding.figures) {
        figures.push_back(figure.text);
    }
    text += figures.empty() ? "" : fmt::format("- figures: {}\n", fmt::join(figures, ", "));
    for (const SameLoss& same : finding.sameLoss) {
        text += fmt::format("- the same loss: {} (`{}`)\n", markdownText(same.text), same.rule);
    }
    for (const Place& place : finding.places) {
        text += fmt::format("- see {}\n", markdownText(place.text));
    }
    return text + fmt::format("- **try:** {}\n\n", markdownText(finding.advice));
}

std::string blockMarkdown(const Block& block)
{
    return std::visit(
        Visitor{[](const Paragraph& paragraph) { return markdownText(paragraph.text) + "\n\n"; },
                [](const Items& items) {
                    std::string text;
                    for (const std::string& each : items.texts) {
                        text += fmt::format("- {}\n", markdownText(each));
                    }
                    return text + "\n";
                },
                [](const Finding& finding) { return findingMarkdown(finding); },
                [](const Table& table) { return markdownTable(table) + "\n"; },
                [](const WaitChain& chain) {
                    std::string text;
                    for (const std::string& line : waitLines(chain)) {
                        text += fmt::format("- {}\n", markdownText(line));
                    }
                    return text + "\n";
                },
                [](const auto& /*chart*/) { return std::string(); }},
        block);
}

std::string render(const Document& document, const TextStyle& /*style*/)
{
    std::string text = fmt::format("# Ringside: {}{}\n\n**{}**\n\n{}\n\n", markdownText(document.name),
                                   document.emulated ? " (emulated)" : "", markdownText(document.verdict),
                                   markdownText(document.summary));
    for (const Section& section : document.sections) {
        std::string body;
        for (const Block& block : section.blocks) {
            body += blockMarkdown(block);
        }
        if (!body.empty() && !section.title.empty()) {
            text += fmt::format("## {}\n\n", section.title);
        }
        text += body;
    }
    return text.substr(0, text.size() - 1);
}

} // namespace

RINGSIDE_RENDERER(markdown, .title = "for a pull request or a wiki", .render = render);

} // namespace ringside::document::renderer_markdown
