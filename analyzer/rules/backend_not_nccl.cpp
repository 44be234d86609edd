// SPDX-License-Identifier: Apache-2.0
// Finds runs in which several ranks train on GPUs without NCCL: their gradients then go through the host, by
// Gloo or MPI. The rule relies on the absence of communication kernels, so it needs the device tier.
#include "words/backend_not_nccl.h"

#include "rules/shared/settings.h"
#include "words/step.h"

namespace ringside::rules::rule_backend_not_nccl {
namespace {

namespace text = words::backend_not_nccl;

bool hasCommunicator(const Context& context)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::CommunicatorRow& row : process.communicators) {
            if (row.size > 1) {
                return true;
            }
        }
    }
    return false;
}

/// Returns true if PyTorch's profiler reports NCCL as the backend of the process group: "nccl", or
/// "cpu:gloo,cuda:nccl".
bool saysNccl(const Context& context)
{
    return std::ranges::any_of(context.run.trace.processes, [](const trace::ProcessTrace& process) {
        return foreignSettingOf(process, "kineto", "backend").value_or("").find("nccl") !=
               std::string_view::npos;
    });
}

/// Returns whether a rank copies to or from another GPU, as NCCL's copy engine collectives and libraries on
/// peer memory do: then the GPUs exchange data without the host.
bool copiesBetweenGpus(const Context& context)
{
    return std::ranges::any_of(context.run.trace.processes, [](const trace::ProcessTrace& process) {
        constexpr std::uint32_t kPeerToPeer = 10; // CUPTI_ACTIVITY_MEMCPY_KIND_PTOP
        return std::ranges::find(process.copies.kind, kPeerToPeer) != process.copies.kind.end();
    });
}

/// Returns whether a range is named by PyTorch's NCCL process group ("nccl:all_reduce").
bool namesNccl(const Context& context)
{
    return std::ranges::any_of(context.run.trace.processes, [](const trace::ProcessTrace& process) {
        return std::ranges::any_of(process.ranges, [&](const trace::RangeRow& range) {
            return process.text(range.name).starts_with("nccl");
        });
    });
}

/// Returns the time per step in copies between device and host, of the rank with the most.
std::int64_t hostCopiesPerStep(const Context& context)
{
    constexpr std::uint32_t kToDevice = 1;
    constexpr std::uint32_t kToHost = 2;
    std::int64_t most = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const trace::CopyColumns& copies = context.run.processOf(context.rankOf(rank)).copies;
        const model::Interval span = analyzedSpan(rank);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < copies.size(); ++i) {
            if ((copies.kind[i] == kToDevice || copies.kind[i] == kToHost) &&
                copies.startNs[i] >= span.start && copies.startNs[i] < span.end) {
                sum = model::addCapped(sum, copies.endNs[i] - copies.startNs[i]);
            }
        }
        most = std::max(most, ofAStep(context, rank, sum));
    }
    return most;
}

Outcome run(const Context& context)
{
    if (context.run.worldSize < 2) {
        return NotApplicable{text::one_rank};
    }
    if (context.figures.ranks.empty()) {
        return kNeedsDevice;
    }
    const std::size_t recorded = context.figures.ranks.size();
    if (recorded < 2) {
        return NotApplicable{text::others_not_known};
    }
    const metrics::Breakdown total = context.figures.total();
    if (hasCommunicator(context) || total.communicationNs > 0 || saysNccl(context) || namesNccl(context) ||
        copiesBetweenGpus(context)) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    const bool all = static_cast<std::int64_t>(recorded) >= context.run.worldSize;
    finding.title = say(
        text::title, {{"ranks", recorded},
                      {"of_all", all ? words::Text() : say(text::of_all, {{"all", context.run.worldSize}})}});
    finding.settings = {"backend"};
    finding.figures = {
        {"communication_share", Unit::Share, 0.0, {}},
        {"host_copies_ns", Unit::Ns, static_cast<double>(hostCopiesPerStep(context)), {}, PerPeriod::Yes}};
    finding.evidence = worstStep(context, &metrics::Breakdown::idleNs, words::step::idle_time);
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(backend_not_nccl, .title = text::heading, .needs = {{"host", "device"}}, .options = {},
              .run = run, .help = text::help, .ofTraining = true);

} // namespace ringside::rules::rule_backend_not_nccl
