// SPDX-License-Identifier: Apache-2.0
// Finds PyTorch's blocking wait, which keeps the host from launching ahead.
#include "rules/shared/variable_findings.h"

namespace ringside::rules::rule_blocking_wait {
namespace {

Outcome run(const Context& context)
{
    return variableFindings(context, settings::Trouble::BlockingWait);
}

} // namespace

RINGSIDE_RULE(blocking_wait, .title = "The host waits in every collective", .needs = "host", .options = {},
              .run = run,
              .help = "TORCH_NCCL_BLOCKING_WAIT, or its old name NCCL_BLOCKING_WAIT, is 1. The cost is not "
                      "estimated: try without it and compare.");

} // namespace ringside::rules::rule_blocking_wait
