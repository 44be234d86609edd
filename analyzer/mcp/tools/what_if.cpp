// SPDX-License-Identifier: Apache-2.0
// Replays the recorded steps with a change and predicts the step time.
#include "mcp/arguments.h"
#include "mcp/tool.h"
#include "whatif/whatif.h"

#include <fmt/format.h>

namespace ringside::mcp::tool_what_if {
namespace {

struct Flag {
    const char* name;
    bool whatif::Changes::*change;
    const char* description;
};

constexpr std::array kFlags{
    Flag{"no_late_ranks", &whatif::Changes::noLateRanks, "No rank is later than the median rank"},
    Flag{"full_overlap", &whatif::Changes::fullOverlap, "Nothing waits for communication"},
    Flag{"no_data_stalls", &whatif::Changes::noDataStalls, "The next batch is always ready"},
    Flag{"no_blocking_calls", &whatif::Changes::noBlockingCalls, "The host does not wait for its GPU"},
    Flag{"equal_batches", &whatif::Changes::equalBatches, "All ranks have batches of equal length"},
};

constexpr std::int64_t kMostBucketMib = 1 << 20;

Json properties()
{
    Json schema = {
        {"bandwidth", property("string", "xK, intra-host=xK or inter-host=xK: K times the bandwidth")},
        {"latency", property("string", "The same for the latency")},
        {"bucket_mib", property("integer", "Gradient buckets of this size in MiB")},
        {"median_rank", property("integer", "This rank is as fast as the median rank")},
        {"ranks", property("integer", "So many ranks, each with its recorded batch")}};
    for (const Flag& flag : kFlags) {
        schema[flag.name] = property("boolean", flag.description);
    }
    return schema;
}

whatif::Changes changesIn(const Json& arguments)
{
    whatif::Changes changes;
    for (const Flag& flag : kFlags) {
        changes.*flag.change = isSet(arguments, flag.name);
    }
    if (const auto bandwidth = textIn(arguments, "bandwidth")) {
        changes.bandwidth.push_back(whatif::parseLinkChange(*bandwidth));
    }
    if (const auto latency = textIn(arguments, "latency")) {
        changes.latency.push_back(whatif::parseLinkChange(*latency));
    }
    if (const auto mib = numberIn(arguments, "bucket_mib", 1, kMostBucketMib)) {
        changes.bucketBytes = static_cast<std::uint64_t>(*mib) << 20U;
    }
    if (const auto rank = numberIn(arguments, "median_rank", 0, INT32_MAX)) {
        changes.medianRanks.push_back(*rank);
    }
    changes.ranks = numberIn(arguments, "ranks", 2, 65536);
    return changes;
}

Answer call(Runs& runs, const Json& arguments)
{
    const whatif::Changes changes = changesIn(arguments);
    const std::shared_ptr<Run> run = runs.open(arguments);
    const report::Report& report = run->report();
    const whatif::Prediction prediction = whatif::WhatIf(report.model).predict(changes);
    return {Json::parse(whatif::renderJson(prediction)),
            fmt::format("ringside whatif {} --format json, with these changes", wordOf(run->path())),
            {},
            report.stepsWithRows ? fmt::format("Replayed are the last {} analyzed steps, whose rows fit into "
                                               "memory.",
                                               *report.stepsWithRows)
                                 : std::string()};
}

} // namespace

RINGSIDE_MCP_TOOL(what_if, .title = "The step time after a change",
                  .description = "Replays the recorded steps with a change and predicts the step time, with "
                                 "its error, its confidence and its assumptions. Without a change it shows "
                                 "how well the replay meets the recording.",
                  .properties = properties, .call = call);

} // namespace ringside::mcp::tool_what_if
