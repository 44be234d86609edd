// SPDX-License-Identifier: Apache-2.0
#include "values/quantile.h"
#include "whatif/plan.h"

#include <map>
#include <numeric>

namespace ringside::whatif {
namespace {

/// The host's times from its first blocking call before a launch to the return of the last one.
struct BlockedTimes {
    double hostBeforeNs = 0; ///< outside of the calls, before the end of the awaited work
    double hostAfterNs = 0;  ///< outside of the calls, after it
    double wakeNs = 0;       ///< inside of the calls, after it
};

/// Splits the times of calls that wait for work ending at `end`. A call that began later waits for nothing.
BlockedTimes splitAt(std::int64_t end, const std::vector<Block>& blocks)
{
    const auto ns = [](std::int64_t from, std::int64_t to) {
        return static_cast<double>(std::max<std::int64_t>(0, to - from));
    };
    BlockedTimes times;
    std::int64_t free = blocks.front().start;
    for (const Block& block : blocks) {
        times.hostBeforeNs += ns(free, std::min(block.start, end));
        times.hostAfterNs += ns(std::max(free, end), block.start);
        times.wakeNs += ns(std::max(block.start, end), block.end);
        free = std::max(free, block.end);
    }
    return times;
}

/// Fits the costs of one rank's operations.
class RankFitter final {
public:
    RankFitter(const Program& program, const RankProgram& rank, std::span<const std::size_t> steps)
        : m_program(program), m_rank(rank), m_steps(steps), m_previous(previousOnLane(rank))
    {}
    PlannedRank fit(std::int64_t number);

private:
    [[nodiscard]] double launchLatency() const;
    void fitOp(std::size_t op);
    void fitBlocks(std::size_t op, PlannedOp& planned) const;
    void fitDelay(std::size_t op, PlannedOp& planned) const;
    /// Returns the delay after the launch or after the waits; null if it may have waited for something before
    /// the recording.
    [[nodiscard]] std::optional<std::pair<double Delay::*, double>> delay(std::size_t step,
                                                                          std::size_t op) const;
    [[nodiscard]] std::optional<std::int64_t> endOf(const Wait& wait, std::size_t step) const;
    /// Returns null if there is no wait, or one lies before the recording.
    [[nodiscard]] std::optional<std::int64_t> latestEnd(const std::vector<Wait>& waits,
                                                        std::size_t step) const;
    /// Returns the typical value of a figure over all steps.
    template <typename Figure>
    [[nodiscard]] double over(std::size_t op, const Figure& figure) const;

    const Program& m_program;
    const RankProgram& m_rank;
    std::span<const std::size_t> m_steps;
    std::vector<Wait> m_previous;
    PlannedRank m_planned;
};

template <typename Figure>
double RankFitter::over(std::size_t op, const Figure& figure) const
{
    std::vector<double> values;
    for (const std::size_t step : m_steps) {
        if (const auto value = figure(step, m_rank.steps[step][op])) {
            values.push_back(static_cast<double>(*value));
        }
    }
    return typical(values);
}

/// Returns the shortest latency: other launches waited for something. If the host is always ahead, all
/// launches waited, so that the result is limited to the latency of GPUs (3 to 10 us) with a margin.
double RankFitter::launchLatency() const
{
    constexpr std::int64_t kLongest = 20'000;
    std::int64_t shortest = kLongest;
    for (const std::size_t step : m_steps) {
        for (const Observed& seen : m_rank.steps[step]) {
            shortest = std::min(shortest, seen.start - seen.launchStart);
        }
    }
    return static_cast<double>(std::max<std::int64_t>(0, shortest));
}

std::optional<std::int64_t> RankFitter::endOf(const Wait& wait, std::size_t step) const
{
    if (wait.stepsBack > 0 && !m_program.follows(step, wait.stepsBack)) {
        return std::nullopt;
    }
    return m_rank.steps[step - wait.stepsBack][wait.op].end;
}

std::optional<std::int64_t> RankFitter::latestEnd(const std::vector<Wait>& waits, std::size_t step) const
{
    std::optional<std::int64_t> latest;
    for (const Wait& wait : waits) {
        const auto end = endOf(wait, step);
        if (!end) {
            return std::nullopt;
        }
        latest = std::max(latest.value_or(*end), *end);
    }
    return latest;
}

std::optional<std::pair<double Delay::*, double>> RankFitter::delay(std::size_t step, std::size_t op) const
{
    const Observed& seen = m_rank.steps[step][op];
    std::vector<Wait> waits = m_rank.ops[op].after;
    waits.push_back(m_previous[op]);
    const auto latest = latestEnd(waits, step);
    if (!latest) {
        return std::nullopt;
    }
    const double launched = static_cast<double>(seen.launchStart) + m_planned.latencyNs;
    const double waited = static_cast<double>(*latest);
    return std::pair(waited > launched ? &Delay::afterWaitsNs : &Delay::afterLaunchNs,
                     std::max(0.0, static_cast<double>(seen.start) - std::max(launched, waited)));
}

/// Keeps delays by step, and rare ones in full: a rank that stops now and then makes others wait. A kind of
/// delay that a step did not show is set to its typical value if most steps showed it. The replay begins at
/// the later of both, so that with few steps one late begin would delay all of them.
void RankFitter::fitDelay(std::size_t op, PlannedOp& planned) const
{
    Delay usual;
    for (double Delay::*const kind : {&Delay::afterLaunchNs, &Delay::afterWaitsNs}) {
        std::vector<double> known;
        for (const std::size_t step : m_steps) {
            if (const auto found = delay(step, op); found && found->first == kind) {
                known.push_back(found->second);
            }
        }
        usual.*kind = known.size() * 2 > m_steps.size() ? typical(known) : 0;
    }
    for (const std::size_t step : m_steps) {
        Delay& of = planned.delays.emplace_back(usual);
        if (const auto found = delay(step, op)) {
            of.*found->first = found->second;
            of.seenNs = found->second;
        }
    }
}

/// If the awaited work is unknown, the calls' time is unknown, and the host's time between them is its own.
void RankFitter::fitBlocks(std::size_t op, PlannedOp& planned) const
{
    std::vector<double> before;
    std::vector<double> between;
    std::vector<double> wake;
    for (const std::size_t step : m_steps) {
        const std::vector<Block>& blocks = m_rank.steps[step][op].blocks;
        if (blocks.empty()) {
            continue;
        }
        const std::vector<Wait>& waits = m_rank.ops[op].hostAfter;
        const auto end = waits.empty() ? std::optional(blocks.back().end) : latestEnd(waits, step);
        if (end) {
            const BlockedTimes times = splitAt(*end, blocks);
            before.push_back(times.hostBeforeNs);
            between.push_back(times.hostAfterNs);
            wake.push_back(times.wakeNs);
        }
    }
    planned.hostNs += typical(before);
    planned.betweenNs = typical(between);
    planned.wakeNs = typical(wake);
    planned.afterBlockNs = over(op, [](std::size_t, const Observed& seen) -> std::optional<std::int64_t> {
        return seen.blocks.empty()
                   ? std::nullopt
                   : std::optional(std::max<std::int64_t>(0, seen.launchStart - seen.blocks.back().end));
    });
}

void RankFitter::fitOp(std::size_t op)
{
    using Ns = std::optional<std::int64_t>;
    PlannedOp planned;
    planned.op = m_rank.ops[op];
    const auto before = [&](std::size_t step) -> Ns {
        if (op == 0 && !m_program.follows(step)) {
            return std::nullopt;
        }
        return op == 0 ? m_rank.steps[step - 1].back().launchEnd : m_rank.steps[step][op - 1].launchEnd;
    };
    planned.ns = over(op, [](std::size_t, const Observed& seen) -> Ns { return seen.end - seen.start; });
    fitDelay(op, planned);
    planned.callNs = planned.op.blocksHost ? 0 : over(op, [](std::size_t, const Observed& seen) -> Ns {
        return seen.launchEnd - seen.launchStart;
    });
    planned.returnNs = !planned.op.blocksHost ? 0 : over(op, [](std::size_t, const Observed& seen) -> Ns {
        return std::max<std::int64_t>(0, seen.launchEnd - seen.end);
    });
    const bool blocked = planned.op.blockedBefore;
    planned.hostNs = over(op, [&](std::size_t step, const Observed& seen) -> Ns {
        const Ns from = before(step);
        if (!from || (blocked && seen.blocks.empty())) {
            return std::nullopt;
        }
        const std::int64_t until = blocked ? seen.blocks.front().start : seen.launchStart;
        return std::max<std::int64_t>(0, until - *from);
    });
    if (blocked) {
        fitBlocks(op, planned);
    }
    m_planned.ops.push_back(std::move(planned));
}

PlannedRank RankFitter::fit(std::int64_t number)
{
    m_planned.rank = number;
    m_planned.lanes = m_rank.lanes;
    m_planned.latencyNs = launchLatency();
    double usual = 0;
    for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
        fitOp(op);
        usual += m_rank.ops[op].slot ? 0 : m_planned.ops[op].ns;
    }
    for (const std::size_t step : m_steps) {
        double took = 0;
        for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
            const Observed& seen = m_rank.steps[step][op];
            took += m_rank.ops[op].slot ? 0 : static_cast<double>(seen.end - seen.start);
        }
        m_planned.pace.push_back(usual > 0 ? took / usual : 1.0);
    }
    fitGates(m_program, m_rank, m_steps, m_planned);
    return std::move(m_planned);
}

PlannedSlot fitSlot(const Slot& slot, std::span<const std::size_t> steps)
{
    PlannedSlot planned;
    planned.slot = slot;
    planned.slot.transferNs.clear();
    std::vector<double> seen;
    for (const std::size_t step : steps) {
        if (slot.transferNs[step]) {
            seen.push_back(static_cast<double>(*slot.transferNs[step]));
        }
    }
    planned.ns = typical(seen);
    for (const std::size_t step : steps) {
        const auto& transfer = slot.transferNs[step];
        planned.factor.push_back(transfer && planned.ns > 0 ? static_cast<double>(*transfer) / planned.ns
                                                            : 1.0);
    }
    return planned;
}

void fitLines(std::vector<PlannedSlot>& slots)
{
    std::map<std::pair<std::uint64_t, model::CollectiveKind>, std::vector<SizedTime>> groups;
    for (const PlannedSlot& slot : slots) {
        if (slot.slot.bytes) {
            groups[{slot.slot.communicator, slot.slot.kind}].push_back(
                {static_cast<double>(*slot.slot.bytes), slot.ns});
        }
    }
    for (PlannedSlot& slot : slots) {
        if (slot.slot.bytes) {
            slot.line = fitLine(groups[{slot.slot.communicator, slot.slot.kind}]);
        }
    }
}

} // namespace

double typical(const std::vector<double>& values)
{
    constexpr double kTail = 0.05;
    if (values.empty()) {
        return 0;
    }
    const double low = values::quantile(values, kTail);
    const double high = values::quantile(values, 1 - kTail);
    double sum = 0;
    for (const double value : values) {
        sum += std::clamp(value, low, high);
    }
    return sum / static_cast<double>(values.size());
}

std::optional<CostLine> fitLine(std::vector<SizedTime> points)
{
    constexpr double kLeastSpread = 1.25; // largest size divided by smallest
    constexpr std::size_t kMostPoints = 512;
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    if (points.empty() || points.front().bytes <= 0 ||
        points.back().bytes < kLeastSpread * points.front().bytes) {
        return std::nullopt;
    }
    const std::size_t stride = points.size() / kMostPoints + 1; // the number of pairs is quadratic
    std::vector<double> slopes;
    for (std::size_t i = 0; i < points.size(); i += stride) {
        for (std::size_t j = i + stride; j < points.size(); j += stride) {
            if (points[j].bytes >= kLeastSpread * points[i].bytes) {
                slopes.push_back((points[j].ns - points[i].ns) / (points[j].bytes - points[i].bytes));
            }
        }
    }
    CostLine line{.leastBytes = points.front().bytes, .mostBytes = points.back().bytes};
    line.nsPerByte = model::median(slopes);
    std::vector<double> rests;
    for (const SizedTime& point : points) {
        rests.push_back(point.ns - point.bytes * line.nsPerByte);
    }
    line.latencyNs = std::max(0.0, model::median(rests));
    constexpr double kMostPointsOfTen = 0.9;
    for (double& rest : rests) {
        rest = std::abs(rest - line.latencyNs);
    }
    line.residualNs = values::quantile(rests, kMostPointsOfTen);
    return line.nsPerByte > 0 ? std::optional(line) : std::nullopt;
}

Plan fitPlan(const Program& program, const model::Model& model, std::span<const std::size_t> steps)
{
    Plan plan;
    plan.worldSize = model.worldSize;
    plan.samples = steps.size();
    plan.inferredWaits = program.inferredWaits;
    plan.apart =
        std::none_of(steps.begin(), steps.end(), [&](std::size_t step) { return program.follows(step); });
    for (const RankProgram& rank : program.ranks) {
        for (const auto& step : rank.steps) {
            plan.dataRanges =
                plan.dataRanges ||
                std::any_of(step.begin(), step.end(), [](const Observed& seen) { return seen.dataNs > 0; });
        }
        plan.ranks.push_back(RankFitter(program, rank, steps).fit(model.ranks[rank.rank].rank));
    }
    for (const Slot& slot : program.slotTable) {
        plan.slotTable.push_back(fitSlot(slot, steps));
    }
    fitLines(plan.slotTable);
    return plan;
}

double measuredStepNs(const Program& program, std::span<const std::size_t> steps)
{
    double sum = 0;
    std::size_t count = 0;
    for (const std::size_t step : steps) {
        for (const RankProgram& rank : program.ranks) {
            if (program.follows(step)) {
                sum += static_cast<double>(rank.steps[step].back().end - rank.steps[step - 1].back().end);
                ++count;
            }
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

} // namespace ringside::whatif
