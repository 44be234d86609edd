// SPDX-License-Identifier: Apache-2.0
// The report: the verdict and its findings in short, or one part of the JSON report.
#include "mcp/answer.h"
#include "mcp/arguments.h"
#include "mcp/tool.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::mcp::tool_report {
namespace {

Json properties()
{
    return {{"section", property("string", "A member of the JSON report, such as ranks, steps, collectives, "
                                           "links, not_applicable or issues; without it, the verdict, the "
                                           "summary and the titles of the findings")},
            {"offset", property("integer", "The first element of the section that is returned")}};
}

/// A finding without its evidence and advice, which the tool `finding` gives.
Json briefOf(const Json& finding)
{
    Json brief = Json::object();
    for (const char* const key :
         {"rule", "severity", "title", "ranks", "cost_ns_per_step", "part_of", "kind"}) {
        brief[key] = finding.at(key);
    }
    return brief;
}

Json overviewOf(const Json& document)
{
    Json findings = Json::array();
    for (const Json& finding : document.at("findings")) {
        findings.push_back(briefOf(finding));
    }
    Json sections = Json::array();
    for (const auto& [name, value] : document.items()) {
        sections.push_back(name);
    }
    return {{"run", document.at("run")},
            {"verdict", document.at("verdict")},
            {"summary", document.at("summary")},
            {"findings", findings},
            {"sections", sections}};
}

Json sectionOf(const Json& document, const std::string& name, std::size_t offset)
{
    const auto found = document.find(name);
    if (found == document.end()) {
        throw Error(ErrorCode::Usage, fmt::format("the report has no section '{}'", name),
                    "Call report without a section: it lists them.");
    }
    Json section = *found;
    addCites(section, "/" + name);
    if (section.is_array()) {
        section.erase(section.begin(),
                      section.begin() + static_cast<std::ptrdiff_t>(std::min(offset, section.size())));
    }
    return {{name, section}, {"elements", found->is_array() ? Json(found->size()) : Json(nullptr)}};
}

Answer call(Runs& runs, const Json& arguments)
{
    const std::shared_ptr<Run> run = runs.open(arguments);
    const auto section = textIn(arguments, "section");
    const auto offset = numberIn(arguments, "offset", 0, INT32_MAX).value_or(0);
    return {section ? sectionOf(run->document(), *section, static_cast<std::size_t>(offset))
                    : overviewOf(run->document()),
            fmt::format("ringside report {} --format json", wordOf(run->path())),
            "Call report with section and offset."};
}

} // namespace

RINGSIDE_MCP_TOOL(report, .title = "What limits a run",
                  .description =
                      "What limits a recorded training run, with the figures: verdict, confidence, "
                      "findings by cost, and the sections of the report.",
                  .properties = properties, .call = call);

} // namespace ringside::mcp::tool_report
