// SPDX-License-Identifier: Apache-2.0
// Two runs side by side.
#include "compare/comparison.h"
#include "mcp/arguments.h"
#include "mcp/tool.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::mcp::tool_compare {
namespace {

Json properties()
{
    return {{"base", property("string", "The run that `run` is compared with")}};
}

Answer call(Runs& runs, const Json& arguments)
{
    static_cast<void>(neededText(arguments, "base"));
    const std::shared_ptr<Run> base = runs.open(arguments, "base");
    const std::shared_ptr<Run> now = runs.open(arguments);
    const compare::Comparison comparison =
        compare::compareRuns(base->report(), now->report(), compare::kUsualTolerance);
    return {Json::parse(compare::jsonOf(comparison)),
            fmt::format("ringside diff {} {} --format json", wordOf(base->path()), wordOf(now->path())),
            "Call report for one of the runs."};
}

} // namespace

RINGSIDE_MCP_TOOL(compare, .title = "Two runs side by side",
                  .description = "Whether a run is slower or faster than another one of the same job, beyond "
                                 "the noise of both, and which metrics, kernels and collectives changed.",
                  .properties = properties, .call = call, .required = "base");

} // namespace ringside::mcp::tool_compare
