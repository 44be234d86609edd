// SPDX-License-Identifier: Apache-2.0
#include "rule_cases.h"

#include "settings_cases.h"

#include <algorithm>
#include <iterator>

namespace ringside::test {

std::vector<RuleCase> ruleCases()
{
    std::vector<RuleCase> all;
    for (auto* const family :
         {timeCases, communicationCases, deviceCases, linkCases, parallelCases, settingsCases}) {
        std::ranges::move(family(), std::back_inserter(all));
    }
    return all;
}

} // namespace ringside::test
