// SPDX-License-Identifier: Apache-2.0
// What the rules about runs that are wrong or do not go on share. They ask the same questions as
// `ringside hang` and take its answers, so that the two never contradict each other.
#pragma once
#include "hang/hang.h"
#include "rules/support.h"
#include "trace/vocabulary/datatype.h"

namespace ringside::rules {

inline const NotApplicable kNeedsCollectives{
    "needs recorded collectives of at least two ranks: preload the collector in every rank"};

/// Whether ranks can be compared: two of them called something on a communicator they share.
[[nodiscard]] inline bool collectivesOfSeveralRanks(const Context& context)
{
    return std::any_of(context.run.operations.begin(), context.run.operations.end(),
                       [](const model::Operation& each) { return each.participants.size() >= 2; });
}

/// Asking in detail costs a pass over all calls: only where something looks odd.
[[nodiscard]] inline std::vector<hang::StuckCollective> stuckCollectives(const Context& context,
                                                                         const hang::Options& options = {})
{
    const bool odd =
        std::any_of(context.run.operations.begin(), context.run.operations.end(),
                    [](const model::Operation& each) { return each.mismatched || !each.complete(); }) ||
        std::any_of(context.run.trace.processes.begin(), context.run.trace.processes.end(),
                    [](const trace::ProcessTrace& each) { return !each.inFlight.empty(); });
    return odd ? hang::stuckCollectives(context.run, options) : std::vector<hang::StuckCollective>();
}

[[nodiscard]] inline std::int64_t droppedRecords(const Context& context)
{
    std::int64_t sum = 0;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::DropRow& row : process.drops) {
            sum = model::addCapped(sum, row.records);
        }
    }
    return sum;
}

/// "ncclAllReduce #20 of communicator world"
[[nodiscard]] inline std::string nameOf(const hang::StuckCollective& stuck)
{
    return fmt::format("{} #{} of communicator {}", stuck.call().function, stuck.order,
                       stuck.name.empty() ? fmt::format("{:016x}", stuck.communicator) : stuck.name);
}

/// "ncclBroadcast of 4096 elements (16.0 KiB)"
[[nodiscard]] inline std::string callText(const hang::Signature& call)
{
    std::string text = call.function;
    text += call.count ? fmt::format(" of {} elements", *call.count) : std::string();
    text += call.datatype ? " of " + trace::datatypeName(*call.datatype) : std::string();
    return call.bytes ? text + fmt::format(" ({})", byteText(static_cast<double>(*call.bytes))) : text;
}

/// Where a rank issued its part, as far as it is known to have waited in it.
[[nodiscard]] inline Evidence evidence(const hang::Arrived& part)
{
    return {part.rank, part.startNs, model::addCapped(part.startNs, part.forNs),
            fmt::format("issued {}{}", callText(part.call), part.inCall ? ", has not returned" : "")};
}

} // namespace ringside::rules
