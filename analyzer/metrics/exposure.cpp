// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposure.h"

namespace ringside::metrics {

std::vector<OperationExposure> operationsIn(const model::Model& model, std::size_t rank,
                                            std::span<const Interval> windows)
{
    std::vector<OperationExposure> result;
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        const model::Participant* const part = model.operations[i].participant(rank);
        if (part == nullptr || !part->device) {
            continue;
        }
        if (const auto step = values::indexAt(windows, part->device->start)) {
            OperationExposure exposure;
            exposure.operation = i;
            exposure.step = *step;
            exposure.device = *part->device;
            result.push_back(exposure);
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.device.start < b.device.start; });
    return result;
}

std::vector<Interval> spansOf(std::span<const OperationExposure> operations,
                              std::span<const Interval> windows)
{
    std::vector<Interval> spans;
    std::int64_t reached = windows.empty() ? 0 : windows.front().start;
    for (const OperationExposure& each : operations) {
        const std::int64_t from = std::max(reached, windows[each.step].start);
        const std::int64_t start = std::max(from, each.device.start);
        spans.push_back({from, start});
        spans.push_back({start, std::max(start, each.device.end)});
        reached = spans.back().end;
    }
    return spans;
}

void addExposures(std::span<OperationExposure> operations, std::span<const Coverage> swept)
{
    std::int64_t compute = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        OperationExposure& operation = operations[i];
        const Coverage& during = swept[2 * i + 1];
        compute = i > 0 && operation.step == operations[i - 1].step ? compute : 0;
        compute += swept[2 * i].time(bit(kCompute));
        operation.computeBeforeNs = compute;
        compute += during.time(bit(kCompute));
        operation.exposedNs = during.time(bit(kCommunication), bit(kCompute));
        operation.exposedWaitNs = during.time(bit(kCommunication), bit(kCompute) | bit(kTransfer));
    }
}

std::vector<std::int64_t> exposedIn(const Lanes& lanes, std::span<const Interval> spans)
{
    std::vector<std::int64_t> result;
    for (const Coverage& coverage : sweep(lanes, spans)) {
        result.push_back(coverage.time(bit(kCommunication), bit(kCompute)));
    }
    return result;
}

} // namespace ringside::metrics
