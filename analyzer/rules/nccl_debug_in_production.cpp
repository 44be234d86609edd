// SPDX-License-Identifier: Apache-2.0
// Finds NCCL's debug output left on in a production run.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_debug_in_production {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Debug);
}

} // namespace

RINGSIDE_RULE(
    nccl_debug_in_production, .title = "NCCL's debug output is on", .needs = "host", .options = {},
    .run = run,
    .help = "NCCL_DEBUG=INFO or TRACE. The cost is not estimated: it depends on where the output goes.");

} // namespace ringside::rules::rule_nccl_debug_in_production
