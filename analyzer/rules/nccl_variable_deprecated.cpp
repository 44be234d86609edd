// SPDX-License-Identifier: Apache-2.0
// Finds deprecated names of variables, and settings that newer versions choose better themselves.
#include "words/nccl_variable_deprecated.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_nccl_variable_deprecated {
namespace {

namespace text = words::nccl_variable_deprecated;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::Deprecated);
}

} // namespace

RINGSIDE_RULE(nccl_variable_deprecated, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_nccl_variable_deprecated
