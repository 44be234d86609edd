// SPDX-License-Identifier: Apache-2.0
// Finds PyTorch's blocking wait, which keeps the host from launching ahead.
#include "words/blocking_wait.h"

#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_blocking_wait {
namespace {

namespace text = words::blocking_wait;

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::BlockingWait);
}

} // namespace

RINGSIDE_RULE(blocking_wait, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_blocking_wait
