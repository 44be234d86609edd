// SPDX-License-Identifier: Apache-2.0
// Finds numbers outside the range that NCCL accepts.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_range {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Range);
}

} // namespace

RINGSIDE_RULE(nccl_variable_range, .title = "A variable is outside its range", .needs = "host", .options = {},
              .run = run,
              .help = "Numbers outside the range that NCCL's user guide gives, alone or combined (threads "
                      "times sockets at most 64). The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_range
