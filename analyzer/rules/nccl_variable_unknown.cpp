// SPDX-License-Identifier: Apache-2.0
// Finds NCCL_ variables that the loaded NCCL does not contain: misspelt names, names of another version, or
// errors of a guide.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_unknown {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Unknown);
}

} // namespace

RINGSIDE_RULE(
    nccl_variable_unknown, .title = "NCCL does not know a variable", .needs = "host", .options = {},
    .run = run,
    .help = "NCCL_ variables that are set although the library that was loaded does not contain their names; "
            "variables of PyTorch and of NCCL's plugins are excluded. Unknown variables have no effect.");

} // namespace ringside::rules::rule_nccl_variable_unknown
