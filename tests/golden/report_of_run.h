// SPDX-License-Identifier: Apache-2.0
// The report of a simulated run, as JSON.
#pragma once
#include "golden_json.h"
#include "report/format.h"
#include "training_run.h"

#include <string>
#include <vector>

namespace ringside::test {

/// `settings`: "RULE.OPTION=NUMBER", as of `ringside report --set`.
[[nodiscard]] inline Json reportOf(const TrainingRun& run, const std::vector<std::string>& settings = {})
{
    rules::OptionValues values;
    for (const std::string& setting : settings) {
        report::setOption(values, setting);
    }
    const report::Report report = report::buildReport(simulate(run), values);
    return Json::parse(report::formatNamed("json").render(report));
}

[[nodiscard]] inline Json findingsOf(const Json& report, const std::string& rule)
{
    Json found = Json::array();
    for (const Json& finding : report["findings"]) {
        if (finding["rule"] == rule) {
            found.push_back(finding);
        }
    }
    return found;
}

} // namespace ringside::test
