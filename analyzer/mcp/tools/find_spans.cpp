// SPDX-License-Identifier: Apache-2.0
// Spans of the timeline by name: kernels, calls, ranges, steps.
#include "mcp/arguments.h"
#include "mcp/tool.h"
#include "timeline/search.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace ringside::mcp::tool_find_spans {
namespace {

constexpr std::int64_t kMostSpans = 500;

Json properties()
{
    return {{"name", property("string", "A part of the name, in upper or lower case")},
            {"rank", property("integer", "Only this rank")},
            {"from_ns", property("integer", "Only spans that end after this time, ns after the run's start")},
            {"to_ns", property("integer", "Only spans that start before this time")},
            {"longest_first", property("boolean", "By duration; without it, by start")},
            {"offset", property("integer", "Matches to skip")},
            {"limit", property("integer", "At most this many spans, 1 to 500; default 50")}};
}

/// Returns the place in Model::ranks; null for all ranks.
std::optional<std::size_t> rankIn(const Json& arguments, const model::Model& model)
{
    const auto wanted = numberIn(arguments, "rank", 0, INT32_MAX);
    if (!wanted) {
        return std::nullopt;
    }
    const auto found = std::ranges::find(model.ranks, *wanted, &model::Rank::rank);
    if (found == model.ranks.end()) {
        throw Error(ErrorCode::Usage, fmt::format("rank {} was not recorded", *wanted));
    }
    return static_cast<std::size_t>(found - model.ranks.begin());
}

using Found = std::vector<timeline::SpanId>;

/// Returns the matches in the order that is asked for.
Found matches(const Json& arguments, const timeline::Timeline& timeline, const timeline::Hits& hits)
{
    const model::Interval asked{numberIn(arguments, "from_ns", INT64_MIN, INT64_MAX).value_or(INT64_MIN),
                                numberIn(arguments, "to_ns", INT64_MIN, INT64_MAX).value_or(INT64_MAX)};
    Found found;
    for (const std::size_t hit : hits.byTime) {
        const model::Interval& time = timeline.span(hits.spans[hit]).time;
        if (time.end > asked.start && time.start < asked.end) {
            found.push_back(hits.spans[hit]);
        }
    }
    if (isSet(arguments, "longest_first")) {
        std::ranges::stable_sort(found, std::greater(), [&](const timeline::SpanId& id) {
            const model::Interval& time = timeline.span(id).time;
            return time.end - time.start;
        });
    }
    return found;
}

Json spanJson(const model::Model& model, const timeline::Timeline& timeline, const timeline::SpanId& id)
{
    const timeline::Track& track = timeline.tracks[id.track];
    const timeline::Span span = timeline.span(id);
    return {{"name", timeline::nameOf(model, track, span)},
            {"kind", timeline::kindText(span.kind)},
            {"rank", model.ranks[track.rank].rank},
            {"track", track.name},
            {"start_ns", span.time.start},
            {"end_ns", span.time.end},
            {"cite", fmt::format("span {}.{}.{}", id.track, id.lane, id.index)}};
}

std::string noteOn(const report::Report& report, const timeline::Hits& hits)
{
    if (report.stepsWithRows) {
        return fmt::format("Only the rows of the last {} analyzed steps are in memory; older spans are not "
                           "searched: the tool sql reads all.",
                           *report.stepsWithRows);
    }
    return hits.count > timeline::Hits::kMost ? fmt::format("Only the first {} of {} matches are searched.",
                                                            timeline::Hits::kMost, hits.count)
                                              : std::string();
}

Answer call(Runs& runs, const Json& arguments)
{
    const std::string name = neededText(arguments, "name");
    const auto offset = static_cast<std::size_t>(numberIn(arguments, "offset", 0, INT32_MAX).value_or(0));
    const auto limit = static_cast<std::size_t>(numberIn(arguments, "limit", 1, kMostSpans).value_or(50));
    const std::shared_ptr<Run> run = runs.open(arguments);
    const model::Model& model = run->report().model;
    const timeline::Timeline& timeline = run->timeline();
    const timeline::Hits hits = timeline::search(model, timeline, {name, {}, rankIn(arguments, model)});
    const Found found = matches(arguments, timeline, hits);
    Json spans = Json::array();
    for (std::size_t i = offset; i < std::min(found.size(), offset + limit); ++i) {
        spans.push_back(spanJson(model, timeline, found[i]));
    }
    return {{{"matches", found.size()}, {"offset", offset}, {"spans", spans}},
            "",
            "Call find_spans with offset, a rank, or from_ns and to_ns.",
            noteOn(run->report(), hits)};
}

} // namespace

RINGSIDE_MCP_TOOL(find_spans, .title = "Spans by name",
                  .description = "Kernels, calls, ranges and steps of a run whose names contain a text, with "
                                 "rank, track and times.",
                  .properties = properties, .call = call, .required = "name");

} // namespace ringside::mcp::tool_find_spans
