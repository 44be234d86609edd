// SPDX-License-Identifier: Apache-2.0
#include "metrics/lateness.h"

#include "metrics/contention.h"
#include "metrics/delay_origins.h"
#include "metrics/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace ringside::metrics {
namespace {

struct Gap {
    std::int64_t ns = 0;
    std::size_t late = 0; ///< number of ranks that arrived after it
};

/// Returns the largest gaps after which at most half of the ranks arrived.
std::vector<Gap> largestGaps(const std::vector<Arrival>& arrivals)
{
    constexpr std::size_t kCounted = 3;
    std::vector<Gap> gaps;
    for (std::size_t late = 1; 2 * late <= arrivals.size(); ++late) {
        const std::size_t first = arrivals.size() - late;
        gaps.push_back({arrivals[first].first - arrivals[first - 1].first, late});
    }
    std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.ns > b.ns; });
    gaps.resize(std::min(gaps.size(), kCounted));
    return gaps;
}

/// Identifies a set of ranks by its size and the sum of hashes, so that a large run does not store the set of
/// each collective.
using SetKey = std::pair<std::size_t, std::uint64_t>;

SetKey keyOf(const std::vector<Arrival>& arrivals, std::size_t late)
{
    SetKey key{late, 0};
    for (std::size_t i = arrivals.size() - late; i < arrivals.size(); ++i) {
        std::uint64_t x = arrivals[i].second + 0x9E3779B97F4A7C15ULL; // splitmix64
        x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
        key.second += x ^ (x >> 31U);
    }
    return key;
}

void addGap(LateGroup& group, const Gap& gap, std::size_t block, std::size_t index)
{
    if (group.losses.empty() || gap.ns > group.largestNs) {
        group.largestNs = gap.ns;
        group.worstOperation = index;
    }
    group.losses.push_back(gap.ns);
    std::int64_t& lost = group.lostNs[block];
    lost = model::addCapped(lost, gap.ns);
    group.sumNs = model::addCapped(group.sumNs, gap.ns);
}

struct WorstOfBlock {
    std::int64_t lostNs = 0;
    LateGroup* group = nullptr;
};

/// Counts in how many of the heaviest blocks each group is the worst one. A rank that stops now and then is
/// the worst in few blocks, but in the costly ones. Blocks are chosen by the time lost, not by the group, so
/// that by chance each group is the worst of them with equal probability.
void countHeavyBlocks(std::vector<WorstOfBlock> steps, std::vector<LateGroup*>& groups)
{
    constexpr double kMost = 0.9;
    std::ranges::sort(steps, std::greater<>(), &WorstOfBlock::lostNs);
    double all = 0;
    for (const WorstOfBlock& each : steps) {
        all += static_cast<double>(each.lostNs);
    }
    double held = 0;
    std::size_t heavy = 0;
    for (; heavy < steps.size() && held < kMost * all; ++heavy) {
        held += static_cast<double>(steps[heavy].lostNs);
        ++steps[heavy].group->worstOfHeavyBlocks;
    }
    for (LateGroup* const group : groups) {
        group->heavyBlocks = heavy;
    }
}

/// Counts the blocks in which each group lost most. Groups compete only with groups of the same number in
/// `rivals`.
void countWorstBlocks(std::vector<LateGroup>& groups, const std::vector<std::size_t>& rivals)
{
    std::map<std::size_t, std::map<std::size_t, WorstOfBlock>> worst; // by rivals, by step
    std::map<std::size_t, std::vector<LateGroup*>> byRivals;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        byRivals[rivals[i]].push_back(&groups[i]);
        for (const auto& [step, lost] : groups[i].lostNs) {
            WorstOfBlock& entry = worst[rivals[i]][step];
            if (lost > entry.lostNs) {
                entry = {lost, &groups[i]};
            }
        }
    }
    for (const auto& [number, steps] : worst) {
        std::vector<WorstOfBlock> found;
        for (const auto& [step, entry] : steps) {
            if (entry.group != nullptr) {
                ++entry.group->worstOfBlocks;
                found.push_back(entry);
            }
        }
        countHeavyBlocks(std::move(found), byRivals[number]);
    }
}

LateGroups rankedOrigins(const model::Model& model, const RunMetrics& run)
{
    LateGroups result{findOrigins(model, run), run.stepCount(), false};
    std::vector<std::size_t> stages;
    for (const LateGroup& origin : result.groups) {
        const auto stage =
            model.layout.isKnown() ? model.layout.places[origin.ranks.front()].stage : std::nullopt;
        stages.push_back(static_cast<std::size_t>(stage.value_or(0)));
    }
    countWorstBlocks(result.groups, stages);
    return result;
}

struct Blocks {
    std::vector<std::size_t> ofOperation; ///< by RunMetrics::arrived
    std::size_t count = 0;
    bool withinSteps = false;
};

/// Divides the operations of each step into blocks, in the order of their last arrivals.
Blocks blocksWithinSteps(const RunMetrics& run)
{
    std::map<std::size_t, std::vector<std::size_t>> bySteps;
    for (std::size_t i = 0; i < run.arrived.size(); ++i) {
        bySteps[run.arrived[i].step].push_back(i);
    }
    Blocks blocks{std::vector<std::size_t>(run.arrived.size()), 0, true};
    for (auto& [step, operations] : bySteps) {
        std::ranges::sort(operations, {}, [&](std::size_t i) { return run.arrived[i].times.lastArrivalNs; });
        const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(operations.size())));
        for (std::size_t i = 0; i < operations.size(); ++i) {
            blocks.ofOperation[operations[i]] = blocks.count + i * root / operations.size();
        }
        blocks.count += root;
    }
    return blocks;
}

Blocks blocksOf(const model::Model& model, const RunMetrics& run)
{
    if (!run.ranks.empty() && (model.analyzedWhole || model.recordingIsStep())) {
        return blocksWithinSteps(run);
    }
    Blocks blocks;
    for (const ArrivedOperation& entry : run.arrived) {
        blocks.ofOperation.push_back(entry.step);
    }
    blocks.count = run.ranks.empty() ? run.timed.steps.size() : model.analyzedSteps.size();
    return blocks;
}

std::int64_t hostNs(const IdleTimes& idle)
{
    return idle.of(IdleClass::HostBound) + idle.of(IdleClass::LaunchLatency);
}

constexpr std::size_t kCauses = 5;
constexpr std::array<LateCause, kCauses> kPartCauses = {LateCause::Compute, LateCause::DataLoading,
                                                        LateCause::Synchronization, LateCause::Host,
                                                        LateCause::Copies};

std::array<std::int64_t, kCauses> partsOf(const RankMetrics& rank)
{
    std::array<std::int64_t, kCauses> parts = {
        rank.total.computeNs, rank.idle.of(IdleClass::DataLoading),
        model::addCapped(rank.idle.of(IdleClass::Synchronization), rank.blocking.overlapLostNs),
        hostNs(rank.idle), rank.total.copyNs};
    for (std::int64_t& part : parts) {
        part = rank.ofAStep(part);
    }
    return parts;
}

Interval spanOf(const RankMetrics& rank)
{
    return {rank.windows.front().start, rank.windows.back().end};
}

std::optional<std::int64_t> clockOf(const model::Model& model, const RankMetrics& rank)
{
    const model::Rank& of = model.ranks[rank.rank];
    const std::string gpu = gpuName(model, of);
    std::vector<std::int64_t> clocks;
    for (const SampleValue& sample :
         samplesIn(model.processOf(of), {"nvml", gpu, "sm_clock_mhz"}, spanOf(rank))) {
        clocks.push_back(sample.value);
    }
    return clocks.empty() ? std::nullopt : std::optional(model::median(std::move(clocks)));
}

/// Returns how long per step the rank was withheld a processor, ns. Null if it was not sampled.
std::optional<std::int64_t> withheldOf(const model::Model& model, const RankMetrics& rank)
{
    const Contention contention = contentionOf(model, rank);
    return contention.isMeasured() ? std::optional(rank.ofAStep(contention.waitedNs())) : std::nullopt;
}

/// Returns the medians of a figure over the late ranks and over their peers. Null unless both are known.
template <typename Figure>
std::optional<std::pair<std::int64_t, std::int64_t>> compare(const model::Model& model, const RunMetrics& run,
                                                             const std::vector<std::size_t>& late,
                                                             const Figure& figure)
{
    std::array<std::vector<std::int64_t>, 2> values;
    for (const RankMetrics& rank : run.ranks) {
        const bool own = std::find(late.begin(), late.end(), rank.rank) != late.end();
        if (!own && !model.layout.arePeers(late.front(), rank.rank)) {
            continue;
        }
        if (const std::optional<std::int64_t> value = figure(rank)) {
            values[own ? 0 : 1].push_back(*value);
        }
    }
    if (values[0].empty() || values[1].empty()) {
        return std::nullopt;
    }
    return std::pair(model::median(values[0]), model::median(values[1]));
}

/// Narrows the cause with samples of GPU clocks and of waiting for a CPU.
LateCause refine(const model::Model& model, const RunMetrics& run, const std::vector<std::size_t>& late,
                 const Lateness& found)
{
    constexpr std::int64_t kPercent = 100;
    constexpr std::int64_t kLowerClock = 95; // percent of the others; GPU clocks change in steps of about 1 %
    if (found.cause == LateCause::Compute) {
        const auto clocks =
            compare(model, run, late, [&](const RankMetrics& rank) { return clockOf(model, rank); });
        return clocks && kPercent * clocks->first < kLowerClock * clocks->second ? LateCause::ThrottledClock
                                                                                 : found.cause;
    }
    if (found.cause == LateCause::Host || found.cause == LateCause::Synchronization) {
        const auto delays =
            compare(model, run, late, [&](const RankMetrics& rank) { return withheldOf(model, rank); });
        return delays && 2 * (delays->first - delays->second) >= found.excessNs ? LateCause::CpuContention
                                                                                : found.cause;
    }
    return found.cause;
}

} // namespace

bool isLateInFewBlocks(const LateGroup& group, std::size_t blocks)
{
    constexpr double kMost = 0.75;
    constexpr std::size_t kQuarter = 4;
    std::vector<double> losses;
    double all = 0;
    for (const auto& [block, lostNs] : group.lostNs) {
        losses.push_back(static_cast<double>(lostNs));
        all += losses.back();
    }
    std::ranges::sort(losses, std::ranges::greater{});
    losses.resize(std::min(losses.size(), blocks / kQuarter));
    return std::accumulate(losses.begin(), losses.end(), 0.0) > kMost * all;
}

std::vector<std::vector<std::int64_t>> latenessBySteps(const model::Model& model, const RunMetrics& run)
{
    std::vector<std::vector<std::int64_t>> late;
    std::map<std::size_t, std::size_t> rowOf; // by index into Model::ranks
    for (std::size_t i = 0; run.arrivalsMeasured() && i < run.ranks.size(); ++i) {
        rowOf.emplace(run.ranks[i].rank, i);
        late.emplace_back(run.ranks[i].steps.size());
    }
    for (const ArrivedOperation& entry : run.arrived) {
        const std::vector<Arrival> arrivals = ownArrivals(model, entry);
        const std::int64_t middle = arrivals[(arrivals.size() - 1) / 2].first;
        for (const auto& [time, rank] : arrivals) {
            const auto row = rowOf.find(rank);
            if (row != rowOf.end() && entry.step < late[row->second].size() &&
                time - middle > entry.times.lateFromNs) {
                std::int64_t& sum = late[row->second][entry.step];
                sum = model::addCapped(sum, time - middle);
            }
        }
    }
    return late;
}

LateGroups findLateGroups(const model::Model& model, const RunMetrics& run)
{
    if (!run.ranks.empty() && hasSeveralGroups(model)) {
        return rankedOrigins(model, run);
    }
    const Blocks blocks = blocksOf(model, run);
    LateGroups result;
    result.blocks = blocks.count;
    result.withinSteps = blocks.withinSteps;
    std::map<SetKey, LateGroup> groups;
    for (std::size_t i = 0; i < run.arrived.size(); ++i) {
        const std::vector<Arrival> arrivals = ownArrivals(model, run.arrived[i]);
        const std::vector<Gap> gaps = largestGaps(arrivals);
        for (const Gap& gap : gaps) {
            LateGroup& group = groups[keyOf(arrivals, gap.late)];
            for (std::size_t at = arrivals.size() - gap.late; group.ranks.size() < gap.late; ++at) {
                group.ranks.push_back(arrivals[at].second);
            }
            addGap(group, gap, blocks.ofOperation[i], i);
            group.worstOfOperations += &gap == gaps.data() && gap.ns > 0 ? 1U : 0U;
        }
    }
    std::vector<std::size_t> sizes;
    for (auto& [key, group] : groups) {
        std::sort(group.ranks.begin(), group.ranks.end());
        group.candidates = model.ranks.size();
        result.groups.push_back(std::move(group));
        sizes.push_back(key.first);
    }
    countWorstBlocks(result.groups, sizes);
    std::ranges::stable_sort(result.groups, std::greater<>(), &LateGroup::sumNs);
    return result;
}

std::vector<WaitedFor> findWaitedFor(const model::Model& model, const RunMetrics& run)
{
    std::map<std::size_t, WaitedFor> byRank;
    for (std::size_t i = 0; i < run.arrived.size(); ++i) {
        const std::vector<Arrival> arrivals = ownArrivals(model, run.arrived[i]);
        double waitNs = 0;
        for (const auto& [time, rank] : arrivals) {
            waitNs += static_cast<double>(arrivals.back().first - time);
        }
        WaitedFor& last = byRank[arrivals.back().second];
        last.rank = arrivals.back().second;
        ++last.operations;
        last.waitNs += waitNs;
        if (waitNs >= last.worstWaitNs) {
            last.worstWaitNs = waitNs;
            last.worstOperation = i;
        }
    }
    std::vector<WaitedFor> result;
    for (const auto& [rank, waited] : byRank) {
        result.push_back(waited);
    }
    std::ranges::stable_sort(result, std::greater<>(), &WaitedFor::waitNs);
    return result;
}

std::optional<Lateness> findLateCause(const model::Model& model, const RunMetrics& run,
                                      const std::vector<std::size_t>& ranks)
{
    Lateness found;
    for (std::size_t part = 0; part < kCauses; ++part) {
        const auto times = compare(model, run, ranks, [part](const RankMetrics& rank) {
            return std::optional(partsOf(rank)[part]);
        });
        const std::int64_t excess = times ? std::max<std::int64_t>(0, times->first - times->second) : 0;
        found.allExcessNs = model::addCapped(found.allExcessNs, excess);
        if (excess > found.excessNs) {
            found.excessNs = excess;
            found.cause = kPartCauses[part];
        }
    }
    if (found.excessNs == 0) {
        return std::nullopt;
    }
    found.cause = refine(model, run, ranks, found);
    return found;
}

std::int64_t withheldNs(const model::Model& model, const RunMetrics& run,
                        const std::vector<std::size_t>& ranks)
{
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t number : ranks) {
        const auto rank = std::ranges::find(run.ranks, number, &RankMetrics::rank);
        least = std::min(least, rank == run.ranks.end() ? 0 : withheldOf(model, *rank).value_or(0));
    }
    return ranks.empty() ? 0 : least;
}

} // namespace ringside::metrics
