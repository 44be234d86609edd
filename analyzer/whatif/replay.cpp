// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay.h"

#include <ringside/error.h>

#include <array>
#include <cmath>

namespace ringside::whatif {
namespace {

/// number of steps whose ends are kept: as many as a wait may reach back, and one
constexpr std::size_t kHistory = 5;
constexpr std::size_t kFewestSteps = 8;
constexpr double kOpen = std::numeric_limits<double>::quiet_NaN(); ///< not known yet

struct Meeting {
    std::size_t members = 0;
    std::size_t arrived = 0;
    double lastArrival = 0;
    std::vector<std::pair<std::size_t, std::size_t>> places; ///< rank, operation
};

struct RankState {
    std::size_t next = 0;
    double host = 0;
    std::optional<std::size_t> blockedOn; ///< the launch that returns when its operation is done
    std::array<std::vector<double>, kHistory> ends;
    std::vector<Wait> previous; ///< on the same lane
    std::vector<bool> skipped;  ///< in a step that only accumulates
};

class Replayer final {
public:
    explicit Replayer(const Plan& plan);
    [[nodiscard]] double run();

private:
    void prepare(std::size_t rank);
    void markSkipped(std::size_t rank);
    void runStep(std::size_t sample, bool accumulatesOnly);
    bool advance(std::size_t rank);
    bool place(std::size_t rank, std::size_t op);
    void meet(std::size_t rank, std::size_t op, double arrival);
    [[nodiscard]] double launchTime(std::size_t rank, const PlannedOp& op) const;
    [[nodiscard]] double endOf(std::size_t rank, const Wait& wait) const;
    [[nodiscard]] double latest(std::size_t rank, double from, const std::vector<Wait>& waits) const;
    [[nodiscard]] double meanEnd() const;

    const Plan& m_plan;
    std::vector<RankState> m_ranks;
    std::vector<Meeting> m_meetings;
    std::size_t m_step = 0;
    std::size_t m_sample = 0;
    bool m_accumulatesOnly = false;
};

Replayer::Replayer(const Plan& plan)
    : m_plan(plan), m_ranks(plan.ranks.size()), m_meetings(plan.slotTable.size())
{
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        prepare(rank);
    }
}

void Replayer::prepare(std::size_t rank)
{
    const PlannedRank& planned = m_plan.ranks[rank];
    RankState& state = m_ranks[rank];
    for (auto& ends : state.ends) {
        ends.assign(planned.ops.size(), 0.0);
    }
    std::vector<Wait> last(planned.lanes);
    for (std::size_t op = 0; op < planned.ops.size(); ++op) {
        last[planned.ops[op].op.lane] = {static_cast<std::uint32_t>(op), 1};
    }
    for (std::size_t op = 0; op < planned.ops.size(); ++op) {
        state.previous.push_back(last[planned.ops[op].op.lane]);
        last[planned.ops[op].op.lane] = {static_cast<std::uint32_t>(op), 0};
        if (const auto slot = planned.ops[op].op.slot) {
            ++m_meetings[*slot].members;
            m_meetings[*slot].places.emplace_back(rank, op);
        }
    }
    markSkipped(rank);
}

/// Marks gradient messages, and the work after the last of them that waits for one.
void Replayer::markSkipped(std::size_t rank)
{
    const std::vector<PlannedOp>& ops = m_plan.ranks[rank].ops;
    RankState& state = m_ranks[rank];
    state.skipped.assign(ops.size(), false);
    std::size_t last = ops.size();
    for (std::size_t op = 0; op < ops.size(); ++op) {
        if (ops[op].op.slot && m_plan.slotTable[*ops[op].op.slot].slot.gradient) {
            state.skipped[op] = true;
            last = op;
        }
    }
    for (std::size_t op = last; op < ops.size(); ++op) {
        const auto needs = [&](const Wait& wait) { return wait.stepsBack == 0 && state.skipped[wait.op]; };
        state.skipped[op] = state.skipped[op] || needs(state.previous[op]) ||
                            std::any_of(ops[op].op.after.begin(), ops[op].op.after.end(), needs);
    }
}

double Replayer::endOf(std::size_t rank, const Wait& wait) const
{
    if (wait.stepsBack > m_step || wait.stepsBack >= kHistory) {
        return 0;
    }
    return m_ranks[rank].ends[(m_step - wait.stepsBack) % kHistory][wait.op];
}

/// Open if one of the ends is open.
double Replayer::latest(std::size_t rank, double from, const std::vector<Wait>& waits) const
{
    for (const Wait& wait : waits) {
        const double end = endOf(rank, wait);
        if (std::isnan(end)) {
            return kOpen;
        }
        from = std::max(from, end);
    }
    return from;
}

double Replayer::launchTime(std::size_t rank, const PlannedOp& op) const
{
    const RankState& state = m_ranks[rank];
    double ready = state.host;
    if (op.op.blockedBefore) {
        ready = latest(rank, ready + op.hostNs, op.op.hostAfter) + op.wakeNs;
    }
    ready += op.betweenNs;
    if (!op.gate) {
        return ready + (op.op.blockedBefore ? op.afterBlockNs : op.hostNs);
    }
    const double extra = op.gate->extraNs[m_sample];
    if (!op.gate->anchor) {
        return ready + extra;
    }
    const double anchor = endOf(rank, *op.gate->anchor);
    return std::isnan(anchor) || std::isnan(ready) ? kOpen : std::max(ready, anchor + extra);
}

void Replayer::meet(std::size_t rank, std::size_t op, double arrival)
{
    const std::uint32_t slot = *m_plan.ranks[rank].ops[op].op.slot;
    Meeting& meeting = m_meetings[slot];
    m_ranks[rank].ends[m_step % kHistory][op] = kOpen;
    meeting.lastArrival = meeting.arrived == 0 ? arrival : std::max(meeting.lastArrival, arrival);
    if (++meeting.arrived < meeting.members) {
        return;
    }
    const PlannedSlot& planned = m_plan.slotTable[slot];
    const double end = meeting.lastArrival + planned.ns * planned.factor[m_sample];
    for (const auto& [member, place] : meeting.places) {
        m_ranks[member].ends[m_step % kHistory][place] = end;
    }
    meeting.arrived = 0;
}

/// Returns false if something that it waits for has no end yet.
bool Replayer::place(std::size_t rank, std::size_t op)
{
    const PlannedRank& planned = m_plan.ranks[rank];
    const PlannedOp& what = planned.ops[op];
    RankState& state = m_ranks[rank];
    if (state.blockedOn) {
        const double end =
            endOf(rank, {static_cast<std::uint32_t>(*state.blockedOn), *state.blockedOn < op ? 0U : 1U});
        if (std::isnan(end)) {
            return false;
        }
        state.host = std::max(state.host, end + planned.ops[*state.blockedOn].returnNs);
        state.blockedOn.reset();
    }
    double& own = state.ends[m_step % kHistory][op];
    const bool skipped = m_accumulatesOnly && state.skipped[op];
    const double launch = skipped ? state.host : launchTime(rank, what);
    const double previous = endOf(rank, state.previous[op]);
    const double waits = std::isnan(previous) ? kOpen : latest(rank, previous, what.op.after);
    if (std::isnan(launch) || std::isnan(waits)) {
        return false;
    }
    if (skipped) {
        own = std::max(launch, waits);
        return true;
    }
    const Delay& delay = what.delays[m_sample];
    const double start =
        std::max(launch + planned.latencyNs + delay.afterLaunchNs, waits + delay.afterWaitsNs);
    state.host = launch + what.callNs;
    state.blockedOn = what.op.blocksHost ? std::optional(op) : std::nullopt;
    if (what.op.slot) {
        meet(rank, op, start);
    } else {
        own = start + what.ns * planned.pace[m_sample];
    }
    return true;
}

bool Replayer::advance(std::size_t rank)
{
    RankState& state = m_ranks[rank];
    const std::size_t from = state.next;
    while (state.next < m_plan.ranks[rank].ops.size() && place(rank, state.next)) {
        ++state.next;
    }
    return state.next > from;
}

void Replayer::runStep(std::size_t sample, bool accumulatesOnly)
{
    m_sample = sample;
    m_accumulatesOnly = accumulatesOnly;
    std::size_t open = 0;
    for (RankState& state : m_ranks) {
        state.next = 0;
        if (m_plan.apart && m_step > 0) {
            const auto& ends = state.ends[(m_step - 1) % kHistory];
            state.host = std::max(state.host, *std::max_element(ends.begin(), ends.end()));
        }
    }
    do {
        bool moved = false;
        open = 0;
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
            moved = advance(rank) || moved;
            open += m_ranks[rank].next < m_plan.ranks[rank].ops.size() ? 1U : 0U;
        }
        if (open > 0 && !moved) {
            throw Error(ErrorCode::Unusable,
                        "the recorded dependencies form a circle: ranks wait for each other's collectives, "
                        "so that the step cannot be replayed",
                        "Record again with `--profile standard`; `ringside hang` shows collectives that do "
                        "not match.");
        }
    } while (open > 0);
    ++m_step;
}

/// Returns the mean end of the ranks' last operations in the step just replayed.
double Replayer::meanEnd() const
{
    double sum = 0;
    for (const RankState& state : m_ranks) {
        sum += state.ends[(m_step - 1) % kHistory].back();
    }
    return sum / static_cast<double>(m_ranks.size());
}

double Replayer::run()
{
    const std::size_t rounds = (kFewestSteps + m_plan.samples - 1) / m_plan.samples;
    const std::size_t steps = rounds * m_plan.samples * m_plan.accumulate;
    double begin = 0;
    for (std::size_t i = 0; i < 2 * steps; ++i) {
        runStep(i % m_plan.samples, (i + 1) % m_plan.accumulate != 0);
        begin = i + 1 == steps ? meanEnd() : begin;
    }
    return (meanEnd() - begin) / static_cast<double>(steps);
}

} // namespace

double replayStepNs(const Plan& plan)
{
    return Replayer(plan).run();
}

} // namespace ringside::whatif
