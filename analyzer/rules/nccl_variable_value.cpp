// SPDX-License-Identifier: Apache-2.0
// Finds values that NCCL parses differently than intended: it reads a number up to the first other character,
// so that 4M is 4.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_value {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Value);
}

} // namespace

RINGSIDE_RULE(nccl_variable_value, .title = "A variable's value is misread", .needs = "host", .options = {},
              .run = run,
              .help = "Numbers with units or no digits, levels that do not exist: NCCL reads a value that "
                      "was not intended. The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_value
