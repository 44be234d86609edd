// SPDX-License-Identifier: Apache-2.0
#include "cli/page_output.h"

#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "document/renderer.h"

#include <algorithm>

namespace ringside::cli {

void addPageFormatOption(CLI::App& app, std::string& format)
{
    app.add_option("--format", format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "html", "json"}))
        ->capture_default_str();
}

void printPage(const std::string& format, const std::function<std::string()>& json,
               const std::function<document::Document()>& page)
{
    if (format == "json") {
        printResult(json());
        return;
    }
    const auto renderers = document::renderers();
    const auto renderer = std::ranges::find(renderers, format, &document::Renderer::id);
    printResult((*renderer)->render(page(), {.width = proseWidth()}));
}

} // namespace ringside::cli
