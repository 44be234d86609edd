// SPDX-License-Identifier: Apache-2.0
// Finds NCCL_ variables that the loaded NCCL does not contain: misspelt names, names of another version, or
// errors of a guide.
#include "words/nccl_variable_unknown.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_unknown {
namespace {

namespace text = words::nccl_variable_unknown;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Unknown);
}

} // namespace

RINGSIDE_RULE(nccl_variable_unknown, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_variable_unknown
