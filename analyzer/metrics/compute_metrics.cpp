// SPDX-License-Identifier: Apache-2.0
#include "metrics/compute_metrics.h"

#include "metrics/arrivals.h"
#include "metrics/gpu_siblings.h"
#include "metrics/step_times.h"
#include "metrics/wait_delay.h"
#include "trace/read/parallel.h"
#include "values/quantile.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace ringside::metrics {
namespace {

std::vector<const model::Step*> analyzedSteps(const model::Model& model, const model::Rank& rank)
{
    std::vector<const model::Step*> result;
    for (const model::Step& step : rank.steps) {
        if (step.device &&
            std::binary_search(model.analyzedSteps.begin(), model.analyzedSteps.end(), step.number)) {
            result.push_back(&step);
        }
    }
    return result;
}

/// Adds up the communication of the analyzed steps, and the part of it whose last arrival is known.
void addArrivedTime(RankMetrics& rank, const DeviceWork& work, const LastArrivals& lastArrivals)
{
    const Interval analyzed{rank.windows.front().start, rank.windows.back().end};
    for (const Lane& lane : work.lanes()[kCommunication]) {
        for (std::size_t i = 0; i < lane.count; ++i) {
            const auto ns = static_cast<double>(model::overlapLength(lane.interval(i), analyzed));
            rank.communicationNs += ns;
            const bool arrived =
                work.isOfKernels(lane) && lastArrivals.contains(static_cast<std::uint32_t>(lane.row(i)));
            rank.arrivedNs += arrived ? ns : 0.0;
        }
    }
}

std::optional<RankMetrics> measureRank(const model::Model& model, std::size_t index,
                                       const AllArrivals& arrivals)
{
    const model::Rank& rank = model.ranks[index];
    const auto steps = analyzedSteps(model, rank);
    if (steps.empty()) {
        return std::nullopt;
    }
    RankMetrics result;
    result.rank = index;
    for (const model::Step* step : steps) {
        result.windows.push_back(*step->device);
    }
    const LastArrivals lastArrivals =
        lastArrivalsOf(model, index, arrivals, model::operationsOfKernels(model, index));
    const DeviceWork work(model, rank, lastArrivals);
    addArrivedTime(result, work, lastArrivals);
    IdleClassifier idle(model, rank, work);
    const std::vector<Interval> chains = communicationChains(work.lanes()[kCommunication]);
    result.exposures = operationsIn(model, index, result.windows);
    const std::vector<Interval> spans = spansOf(result.exposures, result.windows);
    const std::array<std::span<const Interval>, 3> sets{result.windows, chains, spans};
    const auto swept = sweepTogether(work.lanes(), sets, [&idle](const Interval& gap) { idle.add(gap); });
    addExposures(result.exposures, swept[2]);
    const std::vector<std::int64_t> delays = delayByWaiting(chains, swept[1], result.windows);
    for (std::size_t i = 0; i < result.windows.size(); ++i) {
        result.steps.push_back(values::breakDown(result.windows[i].length(), swept[0][i]));
        result.steps.back().waitDelayNs = delays[i];
        result.total += result.steps.back();
    }
    result.periods = rank.stepSource == model::StepSource::Recording
                         ? static_cast<double>(result.total.stepNs) / 1e9
                         : static_cast<double>(result.steps.size());
    result.idle = idle.times();
    result.blocking = findBlockingCalls(model, rank, work.lanes(), steps);
    return result;
}

using GroupKey = std::tuple<std::uint64_t, model::CollectiveKind, std::optional<std::uint64_t>>;

/// Adds the times of an operation of which only kernel lengths are known. If every rank depends on every
/// other, the kernels of all ranks end together, so the shortest kernel is that of the last rank and its
/// length is the transfer time.
void addLengths(GroupTimes& times, const model::Operation& operation)
{
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    std::int64_t longest = 0;
    for (const model::Participant& part : operation.participants) {
        if (!part.lengthNs) {
            return;
        }
        shortest = std::min(shortest, *part.lengthNs);
        longest = std::max(longest, *part.lengthNs);
    }
    if (operation.participants.empty() || operation.mismatched) {
        return;
    }
    times.kernel.push_back(longest);
    if (operation.complete() && model::everyRankDependsOnEveryOther(operation.kind)) {
        times.transfer.push_back(shortest);
    }
}

void groupCollectives(const model::Model& model, const std::vector<ArrivedOperation>& arrived,
                      RunMetrics& run)
{
    std::map<GroupKey, CollectiveGroup> groups;
    std::map<GroupKey, GroupTimes> times;
    const auto keyOf = [](const model::Operation& o) { return GroupKey(o.communicator, o.kind, o.bytes); };
    for (const model::Operation& operation : model.operations) {
        if (!model.isOfStretch(operation)) {
            continue;
        }
        CollectiveGroup& group = groups[keyOf(operation)];
        group.communicator = operation.communicator;
        group.kind = operation.kind;
        group.bytes = operation.bytes;
        group.ranks = operation.size;
        ++group.count;
        addLengths(times[keyOf(operation)], operation);
    }
    for (const ArrivedOperation& entry : arrived) {
        GroupTimes& group = times[keyOf(model.operations[entry.operation])];
        group.transfer.push_back(entry.times.transferNs());
        group.kernel.push_back(entry.times.endNs - entry.times.firstArrivalNs);
    }
    for (auto& [key, group] : groups) {
        computeBandwidths(group, times[key]);
        run.collectives.push_back(group);
        if (model.stretch) {
            run.collectiveTimes.push_back(std::move(times[key]));
        }
    }
}

/// Returns the arrived operations of the whole run, for runs without steps such as benchmarks of collectives.
std::vector<ArrivedOperation> arrivedInRun(const AllArrivals& arrivals)
{
    std::vector<ArrivedOperation> result;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        if (arrivals[i]) {
            result.push_back({i, 0, *arrivals[i]});
        }
    }
    return result;
}

/// Fits the median transfer times by size of the all-reduces over all ranks of the run.
std::optional<LatencyFit> fitAllReduces(const model::Model& model,
                                        const std::vector<ArrivedOperation>& arrived)
{
    std::map<std::uint64_t, std::vector<std::int64_t>> bySize;
    for (const ArrivedOperation& entry : arrived) {
        const model::Operation& operation = model.operations[entry.operation];
        if (operation.kind == model::CollectiveKind::AllReduce && operation.size == model.worldSize &&
            operation.bytes) {
            bySize[*operation.bytes].push_back(entry.times.transferNs());
        }
    }
    std::vector<SizeTime> points;
    for (const auto& [bytes, times] : bySize) {
        points.push_back({static_cast<double>(bytes), static_cast<double>(model::median(times)),
                          static_cast<double>(times.size())});
    }
    return fitLatency(points);
}

Spread spreadOf(const RunMetrics& run, double (Breakdown::*share)() const)
{
    Spread result;
    std::vector<double> values;
    for (const RankMetrics& rank : run.ranks) {
        values.push_back((rank.total.*share)());
        double squares = 0;
        for (const Breakdown& step : rank.steps) {
            const double distance = (step.*share)() - values.back();
            squares += distance * distance;
        }
        if (rank.steps.size() > 1) {
            const double deviation = std::sqrt(squares / static_cast<double>(rank.steps.size()));
            result.timeStddev = std::max(result.timeStddev.value_or(0), deviation);
        }
    }
    const auto count = static_cast<double>(values.size());
    double squares = 0;
    for (const double value : values) {
        result.mean += value / count;
    }
    for (const double value : values) {
        squares += (value - result.mean) * (value - result.mean) / count;
    }
    result.min = *std::min_element(values.begin(), values.end());
    result.max = *std::max_element(values.begin(), values.end());
    result.spread = result.max - result.min;
    result.cv = result.mean > 0 ? std::sqrt(squares) / result.mean : 0;
    return result;
}

void setStepTimes(RunMetrics& run, std::vector<double> times)
{
    if (!times.empty()) {
        run.stepMedianNs = std::llround(values::median(times));
        run.stepP99Ns = std::llround(values::quantile(std::move(times), 0.99));
    }
}

void addSummary(RunMetrics& run)
{
    if (run.ranks.empty()) {
        return;
    }
    const Breakdown total = run.total();
    run.ratio = total.ratio();
    run.communicationShare = total.share(total.communicationNs);
    run.utilization = spreadOf(run, &Breakdown::utilization);
    if (run.usefulMeasured()) {
        run.usefulUtilization = spreadOf(run, &Breakdown::usefulUtilization);
    }
}

/// Returns the operations of the analyzed steps. An operation belongs to the step in which its last rank
/// arrived.
std::vector<ArrivedOperation> arrivedInSteps(const model::Model& model, const AllArrivals& arrivals,
                                             const std::vector<RankMetrics>& ranks)
{
    std::vector<const RankMetrics*> byRank(model.ranks.size(), nullptr);
    for (const RankMetrics& rank : ranks) {
        byRank[rank.rank] = &rank;
    }
    std::vector<ArrivedOperation> result;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const RankMetrics* const last = arrivals[i] ? byRank[arrivals[i]->lastRank] : nullptr;
        if (last == nullptr) {
            continue;
        }
        const std::int64_t arrival = model.operations[i].participant(last->rank)->device->start;
        if (const auto step = values::indexAt(last->windows, arrival)) {
            result.push_back({i, *step, *arrivals[i]});
        }
    }
    return result;
}

bool areBelowClockError(const model::Model& model, const std::vector<ArrivedOperation>& arrived)
{
    std::vector<std::int64_t> distances;
    for (const ArrivedOperation& entry : arrived) {
        distances.push_back(entry.times.lastArrivalNs - entry.times.firstArrivalNs);
    }
    // Waiting concentrates in few operations (often the first of a step), so a high quantile is compared, not
    // the median.
    const auto error = model.clockErrorNs();
    return !error || (*error > 0 && values::quantile(std::move(distances), 0.95) <= *error);
}

void addLateness(RunMetrics& run)
{
    for (RankMetrics& rank : run.ranks) {
        rank.stepLastArrivals.assign(rank.steps.size(), 0);
    }
    for (const ArrivedOperation& entry : run.arrived) {
        const auto late = std::ranges::lower_bound(run.ranks, entry.times.lateRank, {}, &RankMetrics::rank);
        if (entry.times.lostNs > 0 && late != run.ranks.end() && late->rank == entry.times.lateRank &&
            entry.step < late->steps.size()) {
            ++late->lastArrivals;
            ++late->stepLastArrivals[entry.step];
            late->lostNs = model::addCapped(late->lostNs, entry.times.lostNs);
        }
    }
    std::ranges::for_each(run.ranks, computeMedians);
}

} // namespace

void computeMedians(RankMetrics& rank)
{
    rank.median = Breakdown::medianOf(rank.steps);
    rank.medianLastArrivals = model::median(rank.stepLastArrivals);
}

void summarizeRanks(RunMetrics& run)
{
    setStepTimes(run, deviceStepTimes(run));
    addSummary(run);
}

void computeBandwidths(CollectiveGroup& group, const GroupTimes& times)
{
    if (!times.transfer.empty()) {
        group.transferNs = model::median(times.transfer);
    }
    if (!times.kernel.empty()) {
        group.kernelNs = model::median(times.kernel);
    }
    if (!group.bytes) {
        return;
    }
    const double bytes = algorithmBytes(group.kind, *group.bytes, group.ranks);
    const double factor = busFactor(group.kind, group.ranks);
    if (group.transferNs.value_or(0) > 0) {
        group.transferAlgorithmGBs = bytes / static_cast<double>(*group.transferNs);
        group.transferBusGBs = *group.transferAlgorithmGBs * factor;
    }
    if (group.kernelNs.value_or(0) > 0) {
        group.kernelBusGBs = bytes / static_cast<double>(*group.kernelNs) * factor;
    }
}

RunMetrics computeMetrics(const model::Model& model)
{
    RunMetrics run;
    const AllArrivals arrivals = findArrivals(model);
    std::vector<std::optional<RankMetrics>> measured(model.ranks.size());
    trace::parallelFor(measured.size(), trace::coreCount(),
                       [&](std::size_t i) { measured[i] = measureRank(model, i, arrivals); });
    for (std::optional<RankMetrics>& rank : measured) {
        if (rank) {
            run.ranks.push_back(std::move(*rank));
        }
    }
    run.timed = measureTimedCalls(model, arrivals);
    run.arrived = run.ranks.empty() ? run.timed.arrived : arrivedInSteps(model, arrivals, run.ranks);
    run.collectivesOfWholeRun = model.recordingIsStep() || (run.ranks.empty() && run.timed.steps.empty());
    groupCollectives(model, run.collectivesOfWholeRun ? arrivedInRun(arrivals) : run.arrived, run);
    run.allReduceFit = fitAllReduces(model, run.arrived);
    run.ports = portsOf(model);
    run.gpus = gpusOf(model);
    compareSiblings(model, run);
    run.arrivalsBelowError = areBelowClockError(model, run.arrived);
    setStepTimes(run, stepTimes(model, run));
    addSummary(run);
    addLateness(run);
    return run;
}

} // namespace ringside::metrics
