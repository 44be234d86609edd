// SPDX-License-Identifier: Apache-2.0
// Finds limits of locked memory that are too low for RDMA, which pins the memory it sends from. Then
// ibv_reg_mr or ibv_create_qp fails when NCCL starts; it does not become slow.
#include "words/memlock_low.h"

#include "rules/shared/settings.h"
#include "words/span.h"

namespace ringside::rules::rule_memlock_low {
namespace {

namespace text = words::memlock_low;

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
                     words::span::rank_run));
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    const bool fails = lowest <= kFailsBytes;
    finding.severity = fails ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title = say(text::title, {{"limit", lowest}});
    finding.settings = {"memlock"};
    finding.figures = {{"memlock_bytes", Unit::Bytes, lowest, kFailsBytes}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(memlock_low, .title = text::heading, .needs = "host", .options = {}, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_memlock_low
