// SPDX-License-Identifier: Apache-2.0
// Finds values of variables that can corrupt data, make collectives fail or disable a fast path.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_dangerous {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Dangerous);
}

} // namespace

RINGSIDE_RULE(
    nccl_variable_dangerous, .title = "A variable's value is dangerous", .needs = "host", .options = {},
    .run = run,
    .help = "LL128 forced by NCCL_PROTO, NCCL_ALGO without Ring since 2.24, and switches that disable P2P, "
            "shared memory or InfiniBand. The cost is not estimated: try without it and compare.");

} // namespace ringside::rules::rule_nccl_variable_dangerous
