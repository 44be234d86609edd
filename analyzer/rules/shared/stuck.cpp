// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/stuck.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::rules {

bool collectivesOfSeveralRanks(const Context& context)
{
    return std::any_of(context.run.operations.begin(), context.run.operations.end(),
                       [](const model::Operation& each) { return each.participants.size() >= 2; });
}

std::int64_t droppedRecords(const Context& context)
{
    std::int64_t sum = 0;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::DropRow& row : process.drops) {
            sum = model::addCapped(sum, row.records);
        }
    }
    return sum;
}

std::string nameOf(const hang::StuckCollective& stuck)
{
    return fmt::format("{} #{} of communicator {}", stuck.call().function, stuck.order,
                       stuck.name.empty() ? fmt::format("{:016x}", stuck.communicator) : stuck.name);
}

std::string callText(const hang::Signature& call)
{
    std::string text = call.function;
    text += call.count ? fmt::format(" of {} elements", *call.count) : std::string();
    text += call.datatype ? " of " + trace::datatypeName(*call.datatype) : std::string();
    return call.bytes ? text + fmt::format(" ({})", byteText(static_cast<double>(*call.bytes))) : text;
}

Evidence evidence(const hang::Arrived& part)
{
    return {part.rank, part.startNs, model::addCapped(part.startNs, part.forNs),
            fmt::format("issued {}{}", callText(part.call), part.inCall ? ", has not returned" : "")};
}

} // namespace ringside::rules
