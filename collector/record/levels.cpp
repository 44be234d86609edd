// SPDX-License-Identifier: Apache-2.0
#include "record/levels.h"

#include "record/clock.h"
#include "record/step_counts.h"
#include "record/thread_state.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

namespace ringside::collector {

constinit Gate g_gate;

namespace {

constexpr int kNobody = -1;
constexpr std::uint64_t kLevelBits = 4;

// An order by step fits into one word, so that a thread that begins a step reads it atomically.
std::uint64_t pack(const LevelOrder& order)
{
    return order.fromStep << kLevelBits | static_cast<std::uint64_t>(order.level);
}
Level levelOf(std::uint64_t packed)
{
    return static_cast<Level>(packed & ((1U << kLevelBits) - 1));
}

struct State {
    Plan plan;
    std::array<WindowReason, kReasons> reasons{}; ///< in words, so that a change allocates nothing
    Registry* registry = nullptr;
    std::int64_t startNs = 0;
    std::atomic<bool> started{false};
    std::atomic<bool> pausedByProgram{false};
    std::atomic<bool> full{false};
    std::atomic<bool> deviceTaken{false};
    std::atomic<std::int64_t> steadySinceNs{0}; ///< 0: not yet
    std::atomic<int> inForce{kNobody};          ///< a Level that was ordered
    std::atomic<std::uint64_t> dueAtStep{0};    ///< packed; 0: none
    std::optional<LevelOrder> dueAtTime;        ///< of the drain thread
    std::atomic<std::uint32_t> applied{0};      ///< packed Wanted, so that a new reason counts as a change
    std::atomic<bool> written{true};            ///< what is applied stands in the ring
    std::int64_t appliedNs = 0;                 ///< since when (CLOCK_MONOTONIC)
    std::mutex changing;                        ///< of all three
};

constinit State g_state; // no destructor: threads outlive it

std::uint32_t pack(const Wanted& wanted)
{
    return static_cast<std::uint32_t>(wanted.level) << 8U | static_cast<std::uint32_t>(wanted.reason);
}
Wanted unpack(std::uint32_t packed)
{
    return {static_cast<Level>(packed >> 8U), static_cast<Reason>(packed & 0xFFU)};
}

Moment momentNow(const State& now)
{
    Moment moment;
    moment.steps = stepsNoted();
    moment.sinceStartNs = readClockNs(CLOCK_MONOTONIC) - now.startNs;
    moment.pausedByProgram = now.pausedByProgram.load();
    moment.full = now.full.load();
    if (const std::int64_t since = now.steadySinceNs.load(); since != 0) {
        moment.steadySinceNs = since - now.startNs;
    }
    moment.deviceTaken = now.deviceTaken.load();
    if (const std::uint64_t due = now.dueAtStep.load(); due != 0 && moment.steps >= due >> kLevelBits) {
        moment.ordered = levelOf(due);
    } else if (const int level = now.inForce.load(); level != kNobody) {
        moment.ordered = static_cast<Level>(level);
    }
    return moment;
}

// A due order comes into force, so that the next order can be stored.
void promote(State& now)
{
    if (const std::uint64_t due = now.dueAtStep.load(); due != 0 && stepsNoted() >= due >> kLevelBits) {
        now.inForce.store(static_cast<int>(levelOf(due)));
        now.dueAtStep.store(0);
    }
    if (now.dueAtTime && readClockNs(CLOCK_MONOTONIC) >= now.dueAtTime->fromNs) {
        now.inForce.store(static_cast<int>(now.dueAtTime->level));
        now.dueAtTime.reset();
    }
}

void writeApplied(State& now, std::uint64_t steps)
{
    const Wanted applied = unpack(now.applied.load());
    now.written.store(now.registry->recordWindow(now.appliedNs, steps, nameOf(applied.level),
                                                 now.reasons[static_cast<std::size_t>(applied.reason)]));
}

bool isDone(const State& now, const Wanted& wanted)
{
    return now.applied.load() == pack(wanted) && now.written.load();
}

} // namespace

void startLevels(const Plan& plan, std::int64_t startNs, Registry& registry)
{
    State& now = g_state;
    now.plan = plan;
    for (std::size_t reason = 0; reason < kReasons; ++reason) {
        const std::string words = inWords(plan, static_cast<Reason>(reason));
        std::copy_n(words.data(), std::min(words.size(), now.reasons[reason].size()),
                    now.reasons[reason].begin());
    }
    now.registry = &registry;
    now.startNs = startNs;
    const Moment moment = momentNow(now);
    const Wanted first = wantedAt(plan, moment);
    now.applied.store(pack(first));
    now.appliedNs = startNs + moment.sinceStartNs;
    g_gate.setLevel(first.level);
    writeApplied(now, moment.steps);
    now.started.store(true);
}

const Plan& plan()
{
    return g_state.plan;
}

Wanted appliedLevel()
{
    return unpack(g_state.applied.load());
}

bool isDeviceWindowAhead()
{
    if (g_state.plan.windows.firstStep == 0) {
        return false;
    }
    Moment moment = momentNow(g_state);
    moment.steps += kReadyAheadSteps;
    return wantedAt(g_state.plan, moment).level >= Level::Standard;
}

bool applyLevel()
{
    State& now = g_state;
    // In a forked child the lock may be held by a thread that does not exist there.
    if (!now.started.load() || g_gate.isOver() || isDone(now, wantedAt(now.plan, momentNow(now)))) {
        return false;
    }
    bool changed = false;
    const std::scoped_lock lock(now.changing);
    // Repeated until nothing changed meanwhile. A thread may have changed the inputs while an older
    // level was being stored; it saw the level that it wanted and returned.
    for (;;) {
        const Moment moment = momentNow(now);
        const Wanted wanted = wantedAt(now.plan, moment);
        if (isDone(now, wanted)) {
            return changed;
        }
        const bool fresh = now.applied.load() != pack(wanted);
        changed = changed || fresh;
        now.applied.store(pack(wanted));
        // The window's row is timed and written before the level falls and after it rises. So a process
        // that is killed in between has recorded everything that its windows state.
        const bool less = wanted.level < level();
        if (!less) {
            g_gate.setLevel(wanted.level);
        }
        if (fresh) {
            now.appliedNs = readClockNs(CLOCK_MONOTONIC);
        }
        writeApplied(now, moment.steps);
        if (less) {
            g_gate.setLevel(wanted.level);
        }
        if (!now.written.load()) { // no room: at the next pass
            return changed;
        }
    }
}

void pauseByProgram(bool pause)
{
    g_state.pausedByProgram.store(pause);
    if (t_thread.depth == 0) {
        const Inside inside;
        if (!applyLevel()) {
            return;
        }
    }
    requestDrain();
}

void noteDeviceTaken(bool taken)
{
    g_state.deviceTaken.store(taken);
    applyLevel();
}

void noteSteadySince(std::optional<std::int64_t> ns)
{
    g_state.steadySinceNs.store(ns.value_or(0));
}

std::int64_t startedNs()
{
    return g_state.startNs;
}

void pauseForGood()
{
    g_state.full.store(true);
    applyLevel();
}

void order(const LevelOrder& order)
{
    State& now = g_state;
    promote(now);
    now.dueAtStep.store(order.fromStep != 0 ? pack(order) : 0);
    now.dueAtTime = order.fromStep == 0 ? std::optional(order) : std::nullopt;
    promote(now);
}

bool isOrderInForce()
{
    State& now = g_state;
    promote(now);
    return now.dueAtStep.load() == 0 && !now.dueAtTime;
}

std::optional<std::int64_t> nextLevelChangeNs()
{
    const State& now = g_state;
    auto next = nextTimedChange(now.plan, momentNow(now));
    if (next) {
        next = *next + now.startNs;
    }
    if (now.dueAtTime) {
        next = std::min(next.value_or(now.dueAtTime->fromNs), now.dueAtTime->fromNs);
    }
    return next;
}

} // namespace ringside::collector
