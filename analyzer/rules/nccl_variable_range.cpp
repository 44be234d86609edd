// SPDX-License-Identifier: Apache-2.0
// Numbers that NCCL does not take.
#include "settings/variable_findings.h"

namespace ringside::rules {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Range);
}

} // namespace
} // namespace ringside::rules

RINGSIDE_RULE(nccl_variable_range, .title = "A variable outside its range", .needs = "host", .options = {},
              .run = ringside::rules::run,
              .help = "Numbers outside of what NCCL takes by its user guide, alone or together (threads "
                      "times sockets at most 64). The cost is not estimated: try without it and compare.");
