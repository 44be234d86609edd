// SPDX-License-Identifier: Apache-2.0
#include "timeline/collective_lanes.h"

#include <algorithm>
#include <array>
#include <set>

namespace ringside::timeline {
namespace {

using document::Shade;
using Piece = CollectiveLane::Piece;

/// A rank may have several parts where calls were fused.
std::vector<Part> partsByArrival(const Timeline& timeline, const MatchedCollective& collective)
{
    const auto first = timeline.parts.begin() + static_cast<std::ptrdiff_t>(collective.firstPart);
    std::vector<Part> parts(first, first + static_cast<std::ptrdiff_t>(collective.parts));
    std::ranges::stable_sort(parts, std::greater(), [](const Part& part) { return part.time.start; });
    return parts;
}

std::vector<Piece> waitAndTransfer(const Part& part, std::int64_t lastArrivalNs)
{
    const std::int64_t last = std::clamp(lastArrivalNs, part.time.start, part.time.end);
    std::vector<Piece> pieces;
    if (last > part.time.start) {
        pieces.push_back({{part.time.start, last}, Shade::Wait});
    }
    if (last < part.time.end) {
        pieces.push_back({{last, part.time.end}, Shade::Communication});
    }
    return pieces;
}

/// The operations that NCCL's profiler plugin told of a rank's calls.
std::set<std::uint64_t> ncclOperationsOf(const model::Model& model, const model::Operation& operation,
                                         std::size_t rank)
{
    const trace::ProcessTrace& process = model.processOf(model.ranks[rank]);
    std::set<std::optional<std::int64_t>> calls;
    for (const model::Participant& part : operation.participants) {
        if (part.rank == rank) {
            calls.insert(process.collectiveCalls[part.call].id);
        }
    }
    std::set<std::uint64_t> ids;
    for (const trace::NcclOperationRow& row : process.ncclOperations) {
        if (row.call && calls.contains(row.call)) {
            ids.insert(static_cast<std::uint64_t>(row.id));
        }
    }
    return ids;
}

std::vector<Piece> phasesOf(const model::Model& model, const model::Operation& operation, std::size_t rank)
{
    const model::Rank& owner = model.ranks[rank];
    const trace::KernelPhaseColumns& phases = model.processOf(owner).kernelPhases;
    if (phases.size() == 0) {
        return {};
    }
    const std::set<std::uint64_t> ids = ncclOperationsOf(model, operation, rank);
    constexpr std::array kShades{Shade::Wait, Shade::Communication, Shade::Idle}; // by NCCL's number
    std::array<std::vector<Interval>, kShades.size()> times;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (phases.phase[i] < kShades.size() && ids.contains(phases.operation[i])) {
            times[phases.phase[i]].push_back(
                {owner.clock.toRun(phases.startNs[i]), owner.clock.toRun(phases.endNs[i])});
        }
    }
    std::vector<Piece> pieces;
    for (const std::size_t phase : {std::size_t{0}, std::size_t{2}, std::size_t{1}}) { // transfer on top
        for (const Interval& time : values::unite(std::move(times[phase]))) {
            pieces.push_back({time, kShades[phase]});
        }
    }
    return pieces;
}

std::vector<Piece> copiesOf(const Timeline& timeline, std::size_t rank, const Interval& time)
{
    std::vector<Piece> pieces;
    for (const Track& track : timeline.tracksOf(rank)) {
        for (const Lane& lane : track.lanes) {
            for (std::size_t i = lane.firstEndingAfter(time.start);
                 track.kind == TrackKind::Stream && i < lane.size() && lane.span(i).time.start < time.end;
                 ++i) {
                if (const Span span = lane.span(i); span.kind == SpanKind::Copy) {
                    pieces.push_back({span.time, Shade::Copy});
                }
            }
        }
    }
    return pieces;
}

} // namespace

CollectiveLanes lanesOf(const model::Model& model, const Timeline& timeline, std::size_t collective)
{
    const MatchedCollective& matched = timeline.collectives[collective];
    CollectiveLanes result{{matched.firstArrivalNs, matched.endNs}, matched.lastArrivalNs, {}};
    std::set<std::size_t> seen;
    for (const Part& part : partsByArrival(timeline, matched)) {
        result.lanes.push_back(
            {part.rank, CollectiveLane::Kind::Rank, waitAndTransfer(part, matched.lastArrivalNs)});
        if (!seen.insert(part.rank).second) {
            continue;
        }
        auto phases = phasesOf(model, model.operations[matched.operation], part.rank);
        auto copies = copiesOf(timeline, part.rank, result.time);
        if (!phases.empty()) {
            result.lanes.push_back({part.rank, CollectiveLane::Kind::Phases, std::move(phases)});
        }
        if (!copies.empty()) {
            result.lanes.push_back({part.rank, CollectiveLane::Kind::Copies, std::move(copies)});
        }
    }
    return result;
}

} // namespace ringside::timeline
