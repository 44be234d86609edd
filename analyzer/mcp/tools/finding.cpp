// SPDX-License-Identifier: Apache-2.0
// One finding with its figures, its evidence, its advice and its place in the verdict's argument.
#include "mcp/answer.h"
#include "mcp/arguments.h"
#include "mcp/tool.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::mcp::tool_finding {
namespace {

Json properties()
{
    return {
        {"index", property("integer", "Which finding, as its cite /findings/N says; the costliest is 0")}};
}

Answer call(Runs& runs, const Json& arguments)
{
    const auto index = static_cast<std::size_t>(numberIn(arguments, "index", 0, INT32_MAX).value_or(0));
    const std::shared_ptr<Run> run = runs.open(arguments);
    const Json& document = run->document();
    const Json& findings = document.at("findings");
    if (index >= findings.size()) {
        throw Error(ErrorCode::Usage,
                    fmt::format("the run has {} findings, and no finding {}", findings.size(), index));
    }
    Json explains = Json::array();
    Json explanations = document.at("verdict").at("argument").at("explanations");
    addCites(explanations, "/verdict/argument/explanations");
    for (const Json& each : explanations) {
        if (each.at("rule") == findings[index].at("rule")) {
            explains.push_back(each);
        }
    }
    Json finding = findings[index];
    addCites(finding, fmt::format("/findings/{}", index));
    finding["cite"] = fmt::format("/findings/{}", index);
    return {{{"finding", finding},
             {"is_the_verdict", document.at("verdict").at("finding") == Json(index)},
             {"explains", explains}},
            fmt::format("ringside report {} --format json", wordOf(run->path())),
            "Call find_spans with the rank and the times of the evidence."};
}

} // namespace

RINGSIDE_MCP_TOOL(finding, .title = "A finding with its evidence",
                  .description = "One finding of a run: figures with their thresholds, the ranks and times "
                                 "that show it (ns after the run's start), the advice, and how much of the "
                                 "lost time it explains.",
                  .properties = properties, .call = call);

} // namespace ringside::mcp::tool_finding
