// SPDX-License-Identifier: Apache-2.0
// Finds device memory that is allocated and freed in every step. cudaFree waits for the device, and both
// calls take the driver's lock. A caching allocator avoids both.
#include "words/allocation_churn.h"

#include "metrics/host_threads.h"
#include "rules/shared/support.h"
#include "trace/vocabulary/api_name.h"

namespace ringside::rules::rule_allocation_churn {
namespace {

namespace text = words::allocation_churn;

constexpr Option kOptions[] = {
    {"calls_per_step", 1, "warn from this number of allocations and frees per step"},
};

bool isAllocation(std::string_view api)
{
    for (const std::string_view name :
         {"cudaMalloc", "cudaFree", "cudaMallocPitch", "cudaMalloc3D", "cudaMallocManaged", "cudaMallocHost",
          "cudaHostAlloc", "cudaFreeHost"}) {
        if (trace::inCudasWords(api) == name) {
            return true;
        }
    }
    return false; // cudaMallocAsync and cudaFreeAsync are ordered in the stream and do not wait
}

struct Churn {
    std::vector<model::Interval> calls; ///< of several threads, so they may overlap
    model::Interval longest;
};

Churn churnOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const trace::ProcessTrace& process = context.run.processOf(rank);
    const metrics::HostThreads threads(context.run, rank);
    const model::Interval span = analyzedHostSpan(context, metrics);
    std::unordered_map<trace::StringId, bool> known;
    Churn churn;
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        const model::Interval call{process.apiCalls.startNs[i], process.apiCalls.endNs[i]};
        const auto [entry, fresh] = known.try_emplace(process.apiCalls.api[i], false);
        if (fresh) {
            entry->second = isAllocation(process.text(process.apiCalls.api[i]));
        }
        if (entry->second && call.start >= span.start && call.start < span.end &&
            threads.concern(process.apiCalls.thread[i])) {
            churn.calls.push_back(call);
            churn.longest = call.length() > churn.longest.length() ? call : churn.longest;
        }
    }
    return churn;
}

Outcome run(const Context& context)
{
    Finding finding;
    double most = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const Churn churn = churnOf(context, rank);
        const double calls = static_cast<double>(churn.calls.size()) / rank.periods;
        if (churn.calls.empty() || calls < context.option("calls_per_step")) {
            continue;
        }
        most = std::max(most, calls);
        // While the GPU has work, the host's time costs nothing.
        const std::int64_t cost =
            ofAStep(context, rank, std::min(model::lengthOfUnion(churn.calls), rank.total.idleNs));
        finding.costNsPerStep = std::max(finding.costNsPerStep.value_or(0), cost);
        finding.ranks.push_back(context.rankOf(rank).rank);
        finding.evidence.push_back(evidence(context.rankOf(rank), churn.longest, text::longest));
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    finding.limit = Limit::Memory;
    finding.title = say(text::title, {{"calls", most}});
    finding.settings = {"PYTORCH_CUDA_ALLOC_CONF"};
    finding.figures = {{"calls", Unit::Count, most, context.option("calls_per_step"), PerPeriod::Yes}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(allocation_churn, .title = text::heading, .needs = {{"host", "device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help,
              .partOf = {"gpu_utilization_low", "host_bound"});

} // namespace ringside::rules::rule_allocation_churn
