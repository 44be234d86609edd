// SPDX-License-Identifier: Apache-2.0
// For each rule: a run in which it reports a finding, one in which it does not, one in which it is not
// applicable, and options that turn the first two into each other.
#pragma once
#include "training_run.h"

#include <ostream>
#include <string>
#include <vector>

namespace ringside::test {

struct RuleCase {
    std::string rule;
    TrainingRun positive;
    TrainingRun negative;
    std::vector<std::string> silence; ///< "rule.option=value": the positive run gives nothing any more
    std::vector<std::string> provoke; ///< the negative run gives a finding
    std::function<void(TrainingRun&)> takeAway = [](TrainingRun& run) {
        run.deviceTier = false;
    }; ///< of the positive run, what the rule needs
};

[[nodiscard]] std::vector<RuleCase> timeCases();          ///< where a step's time goes
[[nodiscard]] std::vector<RuleCase> communicationCases(); ///< messages, links, ranks that do not match
[[nodiscard]] std::vector<RuleCase> deviceCases();        ///< GPUs, memory, hosts
[[nodiscard]] std::vector<RuleCase> linkCases();          ///< RDMA ports
[[nodiscard]] std::vector<RuleCase>
parallelCases();                                 ///< pipelines, experts, replicas with many kernels a step
[[nodiscard]] std::vector<RuleCase> ruleCases(); ///< all of them

/// How a failing test names its case.
inline void PrintTo(const RuleCase& each, std::ostream* stream)
{
    *stream << each.rule;
}

} // namespace ringside::test
