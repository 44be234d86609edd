// SPDX-License-Identifier: Apache-2.0
// Finds numbers outside the range that NCCL accepts.
#include "words/nccl_variable_range.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_range {
namespace {

namespace text = words::nccl_variable_range;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Range);
}

} // namespace

RINGSIDE_RULE(nccl_variable_range, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_variable_range
