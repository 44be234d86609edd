// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics.h"

#include "metrics/wait_delay.h"

#include <cmath>
#include <map>
#include <tuple>

namespace ringside::metrics {
namespace {

constexpr std::int64_t Breakdown::*kFigures[] = {
    &Breakdown::stepNs,        &Breakdown::computeNs,   &Breakdown::communicationNs,
    &Breakdown::copyNs,        &Breakdown::overlapNs,   &Breakdown::exposedCommunicationNs,
    &Breakdown::exposedCopyNs, &Breakdown::idleNs,      &Breakdown::waitNs,
    &Breakdown::exposedWaitNs, &Breakdown::waitDelayNs, &Breakdown::transferNs,
    &Breakdown::usefulNs};

Breakdown breakDown(const Interval& window, const Coverage& coverage)
{
    constexpr unsigned c = bit(kCompute);
    constexpr unsigned m = bit(kCommunication);
    constexpr unsigned k = bit(kCopy);
    constexpr unsigned t = bit(kTransfer);
    Breakdown result;
    result.stepNs = window.length();
    result.computeNs = coverage.time(c);
    result.communicationNs = coverage.time(m);
    result.copyNs = coverage.time(k);
    result.overlapNs = coverage.together(c | m);
    result.exposedCommunicationNs = coverage.time(m, c);
    result.exposedCopyNs = coverage.time(k, c | m);
    result.idleNs = coverage.ns[0];
    result.waitNs = coverage.time(m, t);
    result.exposedWaitNs = coverage.time(m, t | c);
    result.transferNs = coverage.time(t);
    result.usefulNs = coverage.time(c | k | t);
    return result;
}

Breakdown medianOf(const std::vector<Breakdown>& steps)
{
    Breakdown result;
    for (const auto figure : kFigures) {
        std::vector<std::int64_t> values;
        for (const Breakdown& step : steps) {
            values.push_back(step.*figure);
        }
        result.*figure = model::median(std::move(values));
    }
    return result;
}

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

BlockingCalls blockingCalls(const trace::ProcessTrace& process, const std::vector<const model::Step*>& steps)
{
    BlockingCalls result;
    std::unordered_map<trace::StringId, std::int64_t> counts; // -1: does not block
    for (std::size_t i = 0; i < process.apiCalls.size(); ++i) {
        const trace::StringId api = process.apiCalls.api[i];
        const auto [entry, fresh] = counts.try_emplace(api, 0);
        if (fresh && !isBlockingCall(process.text(api))) {
            entry->second = -1;
        }
        const Interval time{process.apiCalls.startNs[i], process.apiCalls.endNs[i]};
        const auto inside = [&](const model::Step* step) {
            return step->host.start <= time.start && time.start < step->host.end;
        };
        if (entry->second < 0 || std::none_of(steps.begin(), steps.end(), inside)) {
            continue;
        }
        ++entry->second;
        ++result.count;
        result.ns += time.length();
        result.longest = time.length() > result.longest.length() ? time : result.longest;
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (result.count > 0) {
        result.commonest = process.text(most->first);
    }
    return result;
}

/// Position in Model::analyzedSteps whose device window on that rank holds a moment of run time.
std::optional<std::size_t> stepAt(const model::Model& model, const model::Rank& rank, std::int64_t runTime)
{
    for (const model::Step& step : rank.steps) {
        if (!step.device || rank.clock.toRun(step.device->start) > runTime ||
            rank.clock.toRun(step.device->end) <= runTime) {
            continue;
        }
        const auto found =
            std::lower_bound(model.analyzedSteps.begin(), model.analyzedSteps.end(), step.number);
        if (found != model.analyzedSteps.end() && *found == step.number) {
            return static_cast<std::size_t>(found - model.analyzedSteps.begin());
        }
    }
    return std::nullopt;
}

std::vector<ArrivedOperation> arrivedOperations(const model::Model& model)
{
    std::vector<ArrivedOperation> result;
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
        const auto times = model::arrivals(model.operations[i], model.ranks);
        if (!times) {
            continue;
        }
        if (const auto step = stepAt(model, model.ranks[times->lastRank], times->lastArrivalNs)) {
            result.push_back({i, *step, *times});
        }
    }
    return result;
}

/// Last arrival of every measured operation by the rank's kernels' correlation ids, on the rank's clock.
std::unordered_map<std::uint32_t, std::int64_t> lastArrivalsOf(const model::Model& model,
                                                               std::size_t rankIndex)
{
    const model::Rank& rank = model.ranks[rankIndex];
    const trace::ProcessTrace& process = model.processOf(rank);
    std::unordered_map<std::uint64_t, std::int64_t> byCall;
    for (const model::Operation& operation : model.operations) {
        const auto times = model::arrivals(operation, model.ranks);
        if (!times) {
            continue;
        }
        for (const model::Participant& part : operation.participants) {
            if (part.rank == rankIndex) {
                const trace::CollectiveCallRow& call = process.collectiveCalls[part.call];
                const std::int64_t wait = times->lastArrivalNs - rank.clock.toRun(part.device->start);
                byCall[static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id)] =
                    part.device->start + wait;
            }
        }
    }
    std::unordered_map<std::uint32_t, std::int64_t> result;
    for (std::size_t i = 0; i < process.callCorrelations.size(); ++i) {
        if (const auto found = byCall.find(process.callCorrelations.call[i]); found != byCall.end()) {
            result.emplace(process.callCorrelations.correlation[i], found->second);
        }
    }
    return result;
}

std::optional<RankMetrics> measureRank(const model::Model& model, std::size_t index)
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
    DeviceWork work(model, rank);
    work.setLastArrivals(lastArrivalsOf(model, index));
    const SweepResult swept = sweep(work.lanes(), result.windows);
    const std::vector<std::int64_t> delays = delayByWaiting(work.lanes(), result.windows);
    for (std::size_t i = 0; i < swept.windows.size(); ++i) {
        result.steps.push_back(breakDown(result.windows[i], swept.windows[i]));
        result.steps.back().waitDelayNs = delays[i];
        result.total += result.steps.back();
    }
    result.median = medianOf(result.steps);
    result.idle = classifyIdle(model, rank, work, swept.idle);
    result.blocking = blockingCalls(model.processOf(rank), steps);
    return result;
}

using GroupKey = std::tuple<std::uint64_t, model::CollectiveKind, std::uint64_t>;

struct GroupTimes {
    std::vector<std::int64_t> transfer;
    std::vector<std::int64_t> kernel;
};

void addBandwidths(CollectiveGroup& group, const GroupTimes& times)
{
    group.transferNs = model::median(times.transfer);
    group.kernelNs = model::median(times.kernel);
    const double bytes = algorithmBytes(group.kind, group.bytes, group.ranks);
    const double factor = busFactor(group.kind, group.ranks);
    if (*group.transferNs > 0) {
        group.transferAlgorithmGBs = bytes / static_cast<double>(*group.transferNs);
        group.transferBusGBs = *group.transferAlgorithmGBs * factor;
    }
    if (*group.kernelNs > 0) {
        group.kernelBusGBs = bytes / static_cast<double>(*group.kernelNs) * factor;
    }
}

std::vector<CollectiveGroup> groupCollectives(const model::Model& model,
                                              const std::vector<ArrivedOperation>& arrived)
{
    std::map<GroupKey, CollectiveGroup> groups;
    std::map<GroupKey, GroupTimes> times;
    const auto keyOf = [](const model::Operation& o) { return GroupKey(o.communicator, o.kind, o.bytes); };
    for (const model::Operation& operation : model.operations) {
        CollectiveGroup& group = groups[keyOf(operation)];
        group.communicator = operation.communicator;
        group.kind = operation.kind;
        group.bytes = operation.bytes;
        group.ranks = operation.size;
        ++group.count;
    }
    for (const ArrivedOperation& entry : arrived) {
        GroupTimes& group = times[keyOf(model.operations[entry.operation])];
        group.transfer.push_back(entry.times.transferNs());
        group.kernel.push_back(entry.times.endNs - entry.times.firstArrivalNs);
    }
    std::vector<CollectiveGroup> result;
    for (auto& [key, group] : groups) {
        if (const auto found = times.find(key); found != times.end()) {
            addBandwidths(group, found->second);
        }
        result.push_back(group);
    }
    return result;
}

/// The run's own curve: medians of transfer time by size, over the all-reduces of the largest communicator.
std::optional<LatencyFit> fitAllReduces(const model::Model& model,
                                        const std::vector<ArrivedOperation>& arrived)
{
    std::map<std::uint64_t, std::vector<std::int64_t>> bySize;
    for (const ArrivedOperation& entry : arrived) {
        const model::Operation& operation = model.operations[entry.operation];
        if (operation.kind == model::CollectiveKind::AllReduce && operation.size == model.worldSize) {
            bySize[operation.bytes].push_back(entry.times.transferNs());
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
    double deviation = 0;
    for (const RankMetrics& rank : run.ranks) {
        values.push_back((rank.total.*share)());
        double squares = 0;
        for (const Breakdown& step : rank.steps) {
            const double distance = (step.*share)() - values.back();
            squares += distance * distance;
        }
        deviation = std::max(deviation, std::sqrt(squares / static_cast<double>(rank.steps.size())));
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
    result.timeStddev = deviation;
    return result;
}

/// Device steps; where no device was recorded the host's, without the first and the last.
void addStepTimes(const model::Model& model, RunMetrics& run)
{
    std::vector<std::int64_t> times;
    for (const RankMetrics& rank : run.ranks) {
        for (const Breakdown& step : rank.steps) {
            times.push_back(step.stepNs);
        }
    }
    for (std::size_t r = 0; r < model.ranks.size() && run.ranks.empty(); ++r) {
        const auto& steps = model.ranks[r].steps;
        for (std::size_t i = 1; i + 1 < steps.size(); ++i) {
            times.push_back(steps[i].host.length());
        }
    }
    if (!times.empty()) {
        run.stepMedianNs = model::median(times);
        run.stepP99Ns = model::percentile(times, 0.99);
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
    run.usefulUtilization = spreadOf(run, &Breakdown::usefulUtilization);
}

void addLateness(RunMetrics& run)
{
    for (const ArrivedOperation& entry : run.arrived) {
        for (RankMetrics& rank : run.ranks) {
            if (rank.rank == entry.times.lastRank) {
                ++rank.lastArrivals;
                rank.lostNs += entry.times.lostNs();
            }
        }
    }
}

} // namespace

double Breakdown::share(std::int64_t part) const
{
    return stepNs > 0 ? static_cast<double>(part) / static_cast<double>(stepNs) : 0.0;
}

std::optional<double> Breakdown::ratio() const
{
    return computeNs > 0
               ? std::optional(static_cast<double>(communicationNs) / static_cast<double>(computeNs))
               : std::nullopt;
}

Breakdown& Breakdown::operator+=(const Breakdown& other)
{
    for (const auto figure : kFigures) {
        this->*figure += other.*figure;
    }
    return *this;
}

Breakdown RunMetrics::total() const
{
    Breakdown sum;
    for (const RankMetrics& rank : ranks) {
        sum += rank.total;
    }
    return sum;
}

std::int64_t RunMetrics::perStep(std::int64_t Breakdown::*figure) const
{
    std::int64_t steps = 0;
    for (const RankMetrics& rank : ranks) {
        steps += static_cast<std::int64_t>(rank.steps.size());
    }
    return steps == 0 ? 0 : total().*figure / steps;
}

RunMetrics computeMetrics(const model::Model& model)
{
    RunMetrics run;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        if (auto rank = measureRank(model, i)) {
            run.ranks.push_back(std::move(*rank));
        }
    }
    run.arrived = arrivedOperations(model);
    run.collectives = groupCollectives(model, run.arrived);
    run.allReduceFit = fitAllReduces(model, run.arrived);
    addStepTimes(model, run);
    addSummary(run);
    addLateness(run);
    return run;
}

} // namespace ringside::metrics
