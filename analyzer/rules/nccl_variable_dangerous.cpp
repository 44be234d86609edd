// SPDX-License-Identifier: Apache-2.0
// Finds values of variables that can corrupt data, make collectives fail or disable a fast path.
#include "words/nccl_variable_dangerous.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_dangerous {
namespace {

namespace text = words::nccl_variable_dangerous;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Dangerous);
}

} // namespace

RINGSIDE_RULE(nccl_variable_dangerous, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_variable_dangerous
