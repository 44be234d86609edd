// SPDX-License-Identifier: Apache-2.0
#include "model/steps_by.h"

#include "values/parse_number.h"

#include <ringside/error.h>

#include <fmt/format.h>

namespace ringside::model {

StepsBy parseStepsBy(std::string_view text)
{
    constexpr std::string_view kPeriod = "period=";
    constexpr std::string_view kRange = "range="; // for ranges that are called as something else here
    StepsBy stepsBy;
    if (text == "none") {
        stepsBy.nothing = true;
    } else if (text.starts_with(kPeriod)) {
        const std::string_view number = text.substr(kPeriod.size());
        stepsBy.calls = values::parseNumber<decltype(stepsBy.calls)>(number).value_or(0);
        if (stepsBy.calls == 0) {
            throw Error(ErrorCode::Usage, fmt::format("'{}' is not a number of calls", number),
                        "Write period=N, where a step makes N collectives, sends and receives on one rank.");
        }
    } else if (text.starts_with(kRange)) {
        stepsBy.range = text.substr(kRange.size());
    } else {
        stepsBy.range = text;
    }
    if (!stepsBy.nothing && stepsBy.calls == 0 && stepsBy.range.empty()) {
        throw Error(ErrorCode::Usage, "nothing is named that steps are known by",
                    "Write the name of NVTX ranges, period=N or none.");
    }
    return stepsBy;
}

} // namespace ringside::model
