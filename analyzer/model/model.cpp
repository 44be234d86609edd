// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

namespace ringside::model {
namespace {

/// Returns the sum of the two largest errors of all hosts other than the reference. Returns null if a host
/// has no bound, which means that it was not aligned.
std::optional<std::int64_t> sumOfTwoLargest(const std::vector<Host>& hosts,
                                            std::optional<std::int64_t> Host::*error)
{
    std::int64_t largest = 0;
    std::int64_t second = 0;
    for (std::size_t i = 1; i < hosts.size(); ++i) {
        if (!hosts[i].boundNs) {
            return std::nullopt;
        }
        const std::int64_t ns = (hosts[i].*error).value_or(0);
        second = std::max(second, std::min(largest, ns));
        largest = std::max(largest, ns);
    }
    return largest + second;
}

} // namespace

std::optional<std::int64_t> Model::clockErrorNs() const
{
    const auto residual = sumOfTwoLargest(hosts, &Host::residualNs);
    return residual ? std::optional(addCapped(*residual, eventErrorNs)) : std::nullopt;
}

std::optional<std::int64_t> Model::clockBoundNs() const
{
    return sumOfTwoLargest(hosts, &Host::boundNs);
}

std::optional<std::int64_t> Model::clockResidualNs() const
{
    std::optional<std::int64_t> largest;
    for (const Host& host : hosts) {
        if (host.residualNs) {
            largest = std::max(largest.value_or(0), *host.residualNs);
        }
    }
    return largest;
}

bool Model::isOfStretch(const Operation& operation) const
{
    return operation.participants.empty() ||
           stretchTimes.holds(ranks[operation.participants.front().rank].process, operation.calledNs);
}

std::unordered_map<std::uint32_t, std::size_t> operationsOfKernels(const Model& model, std::size_t rank)
{
    const std::size_t process = model.ranks[rank].process;
    const auto& calls = model.trace.processes[process].collectiveCalls;
    std::unordered_map<WorkKey, std::size_t, WorkKeyHash> byWork;
    byWork.reserve(model.operations.size());
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        const Participant* const part = model.operations[i].participant(rank);
        if (part != nullptr && part->call < calls.size()) {
            byWork.emplace(workOf(calls[part->call], part->launch), i);
        }
    }
    std::unordered_map<std::uint32_t, std::size_t> result;
    result.reserve(model.communication[process].kernels.size());
    for (const CommunicationKernel& kernel : model.communication[process].kernels) {
        if (const auto found = byWork.find(kernel.work); found != byWork.end()) {
            result.emplace(kernel.row, found->second);
        }
    }
    return result;
}

bool Model::hasDeviceData() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.deviceTier; });
}

bool Model::hasEventTimes() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.eventTimes; });
}

} // namespace ringside::model
