// SPDX-License-Identifier: Apache-2.0
// Finds NCCL's debug output left on in a production run.
#include "words/nccl_debug_in_production.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_debug_in_production {
namespace {

namespace text = words::nccl_debug_in_production;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Debug);
}

} // namespace

RINGSIDE_RULE(nccl_debug_in_production, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_debug_in_production
