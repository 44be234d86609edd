// SPDX-License-Identifier: Apache-2.0
// NCCL reads numbers as far as they go: 4M is 4.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_value {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Value);
}

} // namespace

RINGSIDE_RULE(nccl_variable_value, .title = "A variable that is read as something else", .needs = "host",
              .options = {}, .run = run,
              .help = "Numbers with units or no digits, levels that do not exist: NCCL reads something else "
                      "than was meant. The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_value
