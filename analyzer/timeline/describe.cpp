// SPDX-License-Identifier: Apache-2.0
// Names and descriptions of spans, and links from one span to another.
#include "model/launch_configuration.h"
#include "rules/shared/support.h"
#include "timeline/python_frames.h"
#include "timeline/timeline.h"
#include "values/text.h"

#include <ringside/trace/reader.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ringside::timeline {
namespace {

std::string dimensionText(const model::Dimensions& size)
{
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

std::string bytes(std::int64_t value)
{
    return values::byteText(static_cast<double>(value));
}

std::string sharedText(const trace::LaunchConfigurationRow& row)
{
    std::string text = bytes(*row.sharedBytes) + " per block";
    if (row.staticSharedBytes && row.dynamicSharedBytes) {
        text += fmt::format(" ({} static, {} dynamic)", bytes(*row.staticSharedBytes),
                            bytes(*row.dynamicSharedBytes));
    }
    return text;
}

std::string occupancyText(const trace::Occupancy& occupancy)
{
    return fmt::format("{:.0f} % ({} of {} warps per multiprocessor, limited by {})", occupancy.percent(),
                       occupancy.warps, occupancy.mostWarps, trace::limitName(occupancy.limit));
}

/// Adds a line for each value that is known: grid, block, registers, shared memory, occupancy.
void addLaunchLines(const trace::ProcessTrace& process, std::size_t kernel,
                    std::vector<std::pair<std::string, std::string>>& lines)
{
    const auto launch = model::launchConfigurationOf(process, kernel);
    if (!launch) {
        return;
    }
    if (launch->grid) {
        lines.emplace_back("grid", dimensionText(*launch->grid) + " blocks");
    }
    if (launch->block) {
        lines.emplace_back("block", dimensionText(*launch->block) + " threads");
    }
    if (launch->row.registersPerThread) {
        lines.emplace_back("registers", fmt::format("{} per thread", *launch->row.registersPerThread));
    }
    if (launch->row.sharedBytes) {
        lines.emplace_back("shared memory", sharedText(launch->row));
    }
    if (launch->blocksPerMultiprocessor) {
        lines.emplace_back("blocks per multiprocessor",
                           fmt::format("{:.3g} of the whole grid", *launch->blocksPerMultiprocessor));
    }
    if (launch->occupancy) {
        lines.emplace_back("theoretical occupancy", occupancyText(*launch->occupancy));
    }
    if (launch->row.estimatedOccupancyPercent) {
        lines.emplace_back("estimated occupancy", fmt::format("{} %, as the PyTorch profiler estimates it",
                                                              *launch->row.estimatedOccupancyPercent));
    }
}

const trace::ProcessTrace& processOf(const model::Model& model, const Track& track)
{
    return model.processOf(model.ranks[track.rank]);
}

/// Returns the text of spans that have one; null for others.
std::optional<trace::StringId> textOf(const trace::ProcessTrace& process, const Track& track,
                                      const Span& span)
{
    if (track.kind == TrackKind::EventTimed) {
        return std::nullopt;
    }
    switch (span.kind) {
    case SpanKind::Compute:
    case SpanKind::Communication:
    case SpanKind::Wait:
    case SpanKind::Transfer:
        return process.kernels.name[span.row];
    case SpanKind::Range:
        return process.ranges[span.row].name;
    case SpanKind::ApiCall:
        return process.apiCalls.api[span.row];
    case SpanKind::NcclCall:
        return process.collectiveCalls[span.row].api;
    case SpanKind::Launch:
        return process.launches.api[span.row];
    case SpanKind::PythonCall:
        return process.pythonCalls.name[span.row];
    case SpanKind::Step:
    case SpanKind::Copy:
    case SpanKind::NcclGroup:
        break;
    }
    return std::nullopt;
}

bool isKernel(const Track& track, const Span& span)
{
    return track.kind != TrackKind::EventTimed &&
           (span.kind == SpanKind::Compute || span.kind == SpanKind::Communication ||
            span.kind == SpanKind::Wait || span.kind == SpanKind::Transfer);
}

/// Returns the correlation id that connects device work with its launch.
std::uint32_t correlationOf(const trace::ProcessTrace& process, const Span& work)
{
    return work.kind == SpanKind::Copy ? process.copies.correlation[work.row]
                                       : process.kernels.correlation[work.row];
}

std::string_view copyName(std::uint32_t kind)
{
    // CUpti_ActivityMemcpyKind of cupti_activity.h
    constexpr std::string_view kNames[] = {"copy",
                                           "copy to device",
                                           "copy to host",
                                           "copy to array",
                                           "copy from array",
                                           "copy array to array",
                                           "copy array to device",
                                           "copy device to array",
                                           "copy on device",
                                           "copy on host",
                                           "copy between devices"};
    return kind == trace::kSetKind ? "set" : kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

using Lines = std::vector<std::pair<std::string, std::string>>;

void describeCollective(const model::Model& model, const MatchedCollective& collective, const SpanId& id,
                        const Timeline& timeline, Lines& lines)
{
    const model::Operation& operation = model.operations[collective.operation];
    lines.emplace_back("collective", fmt::format("{} number {} of communicator {:016x}",
                                                 model::collectiveName(operation.kind), operation.order,
                                                 operation.communicator));
    if (operation.bytes) {
        lines.emplace_back("size", rules::byteText(static_cast<double>(*operation.bytes)));
    }
    const std::size_t rank = timeline.tracks[id.track].rank;
    const std::span<const Part> parts(timeline.parts.data() + collective.firstPart, collective.parts);
    const auto own = std::ranges::find(parts, rank, &Part::rank);
    lines.emplace_back("last arrival",
                       fmt::format("rank {}, {} after the second last", model.ranks[collective.lastRank].rank,
                                   values::durationText(collective.lostNs)));
    if (own != parts.end()) {
        lines.emplace_back("waited here", values::durationText(std::max<std::int64_t>(
                                              0, collective.lastArrivalNs - own->time.start)));
    }
    lines.emplace_back("transfer", values::durationText(collective.endNs - collective.lastArrivalNs));
}

void describeRow(const trace::ProcessTrace& process, const Track& track, const Span& span, Lines& lines)
{
    if (span.kind == SpanKind::Copy) {
        lines.emplace_back("size", rules::byteText(static_cast<double>(process.copies.bytes[span.row])));
    } else if (span.kind == SpanKind::NcclCall && track.kind != TrackKind::EventTimed) {
        const trace::CollectiveCallRow& call = process.collectiveCalls[span.row];
        lines.emplace_back("size",
                           call.bytes ? rules::byteText(static_cast<double>(*call.bytes)) : "not known");
        lines.emplace_back("sequence", fmt::to_string(call.sequence));
        if (call.peer) {
            lines.emplace_back("peer or root", fmt::format("rank {} of the communicator", *call.peer));
        }
    } else if (span.kind == SpanKind::ApiCall && process.apiCalls.bytes[span.row] > 0) {
        lines.emplace_back("size", rules::byteText(static_cast<double>(process.apiCalls.bytes[span.row])));
    } else if (span.kind == SpanKind::Range && !process.text(process.ranges[span.row].domain).empty()) {
        lines.emplace_back("domain", std::string(process.text(process.ranges[span.row].domain)));
    }
}

} // namespace

std::string nameOf(const model::Model& model, const Track& track, const Span& span)
{
    const trace::ProcessTrace& process = processOf(model, track);
    if (track.kind == TrackKind::EventTimed) {
        return std::string(model::collectiveName(model.operations[span.row].kind));
    }
    if (const auto text = textOf(process, track, span)) {
        return std::string(process.text(*text));
    }
    if (span.kind == SpanKind::Step) {
        return fmt::format("step {}", model.ranks[track.rank].steps[span.row].number);
    }
    return span.kind == SpanKind::Copy ? std::string(copyName(process.copies.kind[span.row])) : "NCCL group";
}

std::string_view kindText(SpanKind kind)
{
    constexpr std::string_view kTexts[] = {"step",
                                           "compute kernel",
                                           "communication kernel",
                                           "communication: waiting for the last rank",
                                           "communication: transfer",
                                           "copy",
                                           "range",
                                           "API call",
                                           "NCCL call",
                                           "NCCL group",
                                           "launch",
                                           "Python function"};
    static_assert(std::size(kTexts) == kSpanKinds);
    return kTexts[static_cast<std::size_t>(kind)];
}

std::uint64_t nameKey(const model::Model& model, const Track& track, const Span& span)
{
    constexpr unsigned kKindBits = 32;
    const trace::ProcessTrace& process = processOf(model, track);
    std::uint64_t kind = static_cast<std::uint64_t>(span.kind) + 1;
    if (track.kind == TrackKind::EventTimed) {
        return kind << kKindBits | static_cast<std::uint64_t>(model.operations[span.row].kind);
    }
    if (const auto text = textOf(process, track, span)) {
        // all parts of communication kernels have the names of kernels
        kind = span.kind == SpanKind::Wait || span.kind == SpanKind::Transfer
                   ? static_cast<std::uint64_t>(SpanKind::Communication) + 1
                   : kind;
        return kind << kKindBits ^ static_cast<std::uint64_t>(*text);
    }
    return kind << kKindBits | (span.kind == SpanKind::Step   ? span.row
                                : span.kind == SpanKind::Copy ? process.copies.kind[span.row]
                                                              : 0);
}

Description describe(const model::Model& model, const Timeline& timeline, const SpanId& id)
{
    constexpr double kSecond = 1e9;
    const Track& track = timeline.tracks[id.track];
    const Span span = timeline.span(id);
    Description result{nameOf(model, track, span), {}};
    const bool projected = track.kind == TrackKind::Projected;
    result.lines.emplace_back("what", projected ? "range, projected on the GPU: from the first to the last "
                                                  "device work that was launched in it"
                                                : std::string(kindText(span.kind)));
    result.lines.emplace_back("where", fmt::format("rank {}, {}", model.ranks[track.rank].rank, track.name));
    result.lines.emplace_back("begins at",
                              fmt::format("{:.6f} s", static_cast<double>(span.time.start) / kSecond));
    result.lines.emplace_back("takes", values::durationText(span.time.length()));
    if (projected) {
        const trace::RangeRow& range = processOf(model, track).ranges[span.row];
        const std::int64_t startNs = model.ranks[track.rank].clock.toRun(range.startNs);
        result.lines.emplace_back("on the host",
                                  fmt::format("from {:.6f} s, {}", static_cast<double>(startNs) / kSecond,
                                              values::durationText(range.endNs - range.startNs)));
    }
    describeRow(processOf(model, track), track, span, result.lines);
    if (isKernel(track, span)) {
        addLaunchLines(processOf(model, track), span.row, result.lines);
    }
    if (const auto launch = launchOf(model, timeline, id)) {
        const Span call = timeline.span(*launch);
        result.lines.emplace_back("launched",
                                  fmt::format("by {}, {} before it began",
                                              nameOf(model, timeline.tracks[launch->track], call),
                                              values::durationText(span.time.start - call.time.start)));
    }
    addPythonFrames(model, timeline, id, result);
    if (const auto collective = collectiveOf(timeline, id)) {
        describeCollective(model, timeline.collectives[*collective], id, timeline, result.lines);
    }
    return result;
}

std::optional<SpanId> launchOf(const model::Model& model, const Timeline& timeline, const SpanId& id)
{
    const Track& track = timeline.tracks[id.track];
    const Span span = timeline.span(id);
    if (track.kind != TrackKind::Stream) {
        return std::nullopt;
    }
    const trace::ProcessTrace& process = processOf(model, track);
    const auto row = model.launches[model.ranks[track.rank].process].find(correlationOf(process, span));
    if (!row) {
        return std::nullopt;
    }
    const std::int64_t start = model.ranks[track.rank].clock.toRun(process.launches.startNs[*row]);
    for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
        const Track& launches = timeline.tracks[t];
        if (launches.kind != TrackKind::Launches || launches.rank != track.rank ||
            launches.id != static_cast<std::int64_t>(process.launches.tid[*row])) {
            continue;
        }
        for (std::size_t lane = 0; lane < launches.lanes.size(); ++lane) {
            const std::size_t i = launches.lanes[lane].firstStartingFrom(start);
            if (i < launches.lanes[lane].size() && launches.lanes[lane].span(i).row == *row) {
                return SpanId{t, lane, i};
            }
        }
    }
    return std::nullopt;
}

std::optional<SpanId> workOf(const model::Model& model, const Timeline& timeline, const SpanId& id)
{
    constexpr std::size_t kFarthest = 1'000'000; // spans in a lane: no queue is longer
    const Track& track = timeline.tracks[id.track];
    const Span launch = timeline.span(id);
    if (launch.kind != SpanKind::Launch) {
        return std::nullopt;
    }
    const trace::ProcessTrace& process = processOf(model, track);
    const std::uint32_t wanted = process.launches.correlation[launch.row];
    for (const Track& stream : timeline.tracksOf(track.rank)) {
        for (std::size_t l = 0; l < stream.lanes.size() && stream.kind == TrackKind::Stream; ++l) {
            const Lane& lane = stream.lanes[l];
            const std::size_t from = lane.firstStartingFrom(launch.time.start);
            for (std::size_t i = from; i < std::min(lane.size(), from + kFarthest); ++i) {
                if (correlationOf(process, lane.span(i)) == wanted) {
                    return SpanId{static_cast<std::size_t>(&stream - timeline.tracks.data()), l, i};
                }
            }
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> collectiveOf(const Timeline& timeline, const SpanId& id)
{
    const Span span = timeline.span(id);
    if (span.kind != SpanKind::Wait && span.kind != SpanKind::Transfer) {
        return std::nullopt;
    }
    // Waiting ends and transfer begins at the last arrival, approximately if the clocks of hosts differ.
    constexpr std::int64_t kSlackNs = 1'000'000;
    const std::int64_t arrival = span.kind == SpanKind::Wait ? span.time.end : span.time.start;
    auto collective = std::ranges::lower_bound(timeline.collectives, model::addCapped(arrival, -kSlackNs), {},
                                               &MatchedCollective::lastArrivalNs);
    const std::int64_t until = model::addCapped(arrival, kSlackNs);
    for (; collective != timeline.collectives.end() && collective->lastArrivalNs <= until; ++collective) {
        const std::span<const Part> parts(timeline.parts.data() + collective->firstPart, collective->parts);
        for (const Part& part : parts) {
            if (part.track == id.track && part.lane == id.lane && part.time.start <= span.time.start &&
                span.time.end <= part.time.end) {
                return static_cast<std::size_t>(collective - timeline.collectives.begin());
            }
        }
    }
    return std::nullopt;
}

} // namespace ringside::timeline
