// SPDX-License-Identifier: Apache-2.0
// Old names that still work or no longer do, and settings that newer versions find better themselves.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_deprecated {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Deprecated);
}

} // namespace

RINGSIDE_RULE(nccl_variable_deprecated, .title = "A variable with an old name", .needs = "host",
              .options = {}, .run = run,
              .help = "Variables that NCCL or PyTorch renamed, and NCCL_IB_GID_INDEX, which since NCCL 2.21 "
                      "is found for each port. The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_deprecated
