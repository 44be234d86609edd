// SPDX-License-Identifier: Apache-2.0
// Names that the NCCL that was loaded does not contain: misspelt, from another version, or from a guide that
// is wrong.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_unknown {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Unknown);
}

} // namespace

RINGSIDE_RULE(
    nccl_variable_unknown, .title = "A variable that NCCL does not know", .needs = "host", .options = {},
    .run = run,
    .help = "NCCL_ variables that are set although the library that was loaded does not contain their names; "
            "variables of PyTorch and of NCCL's plugins are left alone. They have no effect.");

} // namespace ringside::rules::rule_nccl_variable_unknown
