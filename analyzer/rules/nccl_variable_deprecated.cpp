// SPDX-License-Identifier: Apache-2.0
// Finds deprecated names of variables, and settings that newer versions choose better themselves.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_deprecated {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Deprecated);
}

} // namespace

RINGSIDE_RULE(nccl_variable_deprecated, .title = "A variable's name is deprecated", .needs = "host",
              .options = {}, .run = run,
              .help = "Variables that NCCL or PyTorch renamed, and NCCL_IB_GID_INDEX, which NCCL detects for "
                      "each port since 2.21. The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_deprecated
