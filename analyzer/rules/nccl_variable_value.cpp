// SPDX-License-Identifier: Apache-2.0
// Finds values that NCCL parses differently than intended: it reads a number up to the first other character,
// so that 4M is 4.
#include "words/nccl_variable_value.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_value {
namespace {

namespace text = words::nccl_variable_value;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Value);
}

} // namespace

RINGSIDE_RULE(nccl_variable_value, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_variable_value
