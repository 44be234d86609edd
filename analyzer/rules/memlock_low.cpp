// SPDX-License-Identifier: Apache-2.0
// Finds limits of locked memory that are too low for RDMA, which pins the memory it sends from. Then
// ibv_reg_mr or ibv_create_qp fails when NCCL starts; it does not become slow.
#include "rules/shared/settings.h"

namespace ringside::rules::rule_memlock_low {
namespace {

/// The default of many systems. NCCL's registrations fail with it (NCCL user guide, troubleshooting).
constexpr double kFailsBytes = 8.0 * 1024 * 1024;

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    double lowest = 0;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        const auto limit = settingOf(process, {"process", "memlock_bytes"});
        known = known || limit.has_value();
        const auto bytes = values::parseNumber<std::int64_t>(limit.value_or("")); // null for "unlimited"
        if (!bytes || settingOf(process, {"machine", "rdma_devices"}).value_or("").empty()) {
            continue; // without an RDMA device nothing is pinned
        }
        lowest = finding.ranks.empty() ? static_cast<double>(*bytes)
                                       : std::min(lowest, static_cast<double>(*bytes));
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(
            evidence(rank, {process.process.startNs, process.process.endNs.value_or(process.process.startNs)},
                     "the whole run of this rank"));
    }
    if (!known) {
        return NotApplicable{"needs the limit of locked memory, which was not recorded in this trace"};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const bool fails = lowest <= kFailsBytes;
    finding.severity = fails ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title =
        fmt::format("Locked memory is limited to {}, and the hosts have RDMA devices", byteText(lowest));
    finding.settings = {"memlock"};
    finding.figures = {{"memlock_bytes", Unit::Bytes, lowest, kFailsBytes}};
    finding.advice = "Set memlock to unlimited: `* - memlock unlimited` in /etc/security/limits.conf, "
                     "LimitMEMLOCK=infinity for the service that starts the job (slurmd, containerd), "
                     "`--ulimit memlock=-1` for a container.";
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(memlock_low, .title = "The limit of locked memory is low", .needs = "host", .options = {},
              .run = run,
              .help = "RLIMIT_MEMLOCK of ranks whose host has RDMA devices. The cost is not estimated: it "
                      "decides whether RDMA works, not how fast.");

} // namespace ringside::rules::rule_memlock_low
