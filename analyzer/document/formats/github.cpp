// SPDX-License-Identifier: Apache-2.0
// Annotations of a GitHub workflow run, one line for each loss
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). For the job's summary
// page, append the Markdown report to $GITHUB_STEP_SUMMARY.
#include "document/renderer.h"
#include "trace/utf8.h"

#include <fmt/format.h>

namespace ringside::document::renderer_github {
namespace {

/// Encodes line breaks and percent signs, and in a property also the separators.
std::string encoded(std::string_view text, std::string_view separators)
{
    std::string result;
    for (const char c : trace::shownText(text, ' ', "\r\n")) {
        const bool special = c == '%' || c == '\r' || c == '\n' || separators.find(c) != std::string::npos;
        result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return result;
}

std::string annotation(std::string_view command, std::string_view title, std::string_view message)
{
    return fmt::format("::{} title={}::{}\n", command, encoded(title, ":,"), encoded(message, ""));
}

std::string render(const Document& document, const TextStyle& /*style*/)
{
    constexpr std::string_view kCommands[] = {"notice", "warning", "error"};
    std::string text;
    for (const Finding* finding : document.findings()) {
        text += annotation(
            kCommands[static_cast<std::size_t>(finding->severity)], fmt::format("Ringside {}", finding->rule),
            fmt::format("{}. Cost: {}. Try: {}", finding->title, finding->cost, finding->advice));
    }
    return text + annotation("notice", "Ringside", document.summary);
}

} // namespace

RINGSIDE_RENDERER(github, .title = "annotations of a GitHub workflow", .render = render);

} // namespace ringside::document::renderer_github
