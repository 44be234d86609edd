// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/stuck.h"

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

words::Text nameOf(const hang::StuckCollective& stuck)
{
    return say(words::stuck::collective, {{"function", stuck.call().function},
                                          {"order", stuck.order},
                                          {"communicator", hang::communicatorName(stuck)}});
}

words::Text callText(const hang::Signature& call)
{
    const words::Text none;
    return say(
        words::stuck::call,
        {{"function", call.function},
         {"elements", call.count ? say(words::stuck::elements, {{"elements", *call.count}}) : none},
         {"type",
          call.datatype ? say(words::stuck::type, {{"type", trace::datatypeName(*call.datatype)}}) : none},
         {"size",
          call.bytes ? say(words::stuck::size, {{"bytes", static_cast<double>(*call.bytes)}}) : none}});
}

Evidence evidence(const hang::Arrived& part)
{
    return {part.rank, part.startNs, model::addCapped(part.startNs, part.forNs),
            say(words::stuck::issued, {{"call", callText(part.call)},
                                       {"state", part.inCall ? words::stuck::not_returned : words::Text()}})};
}

} // namespace ringside::rules
