// SPDX-License-Identifier: Apache-2.0
#include "model/period_steps.h"

#include "model/pattern_cuts.h"
#include "model/pauses.h"
#include "model/process_pattern.h"
#include "model/repeated_events.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ringside::model {
namespace {

constexpr std::uint64_t kFactor = 1'000'003;

/// A step on the reference process: its first event and its length.
struct Cut {
    RepeatedEvent first;
    std::int64_t lengthNs = 0; ///< from the begin of its first event to the end of its last
    bool followed = false;     ///< the next step begins where this one ends, or soon after
};

/// Returns whether two copies of a pattern are consecutive steps: there are no calls between them, or what
/// lies between them (a loss that is logged, a checkpoint that is written) takes no longer than a step.
bool follow(const std::vector<RepeatedEvent>& events, const Stretch& one, const Stretch& next)
{
    const std::int64_t between = events[next.first].time.start - events[one.end - 1].time.end;
    const std::int64_t length = events[one.end - 1].time.end - events[one.first].time.start;
    return one.end == next.first || between <= length;
}

std::vector<Cut> cutsOf(const std::vector<RepeatedEvent>& events, const ProcessPattern& pattern)
{
    const std::vector<Stretch> copies = findCopies(tokensOf(events, pattern.kind), pattern.step.tokens);
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const RepeatedEvent& first = events[copies[i].first];
        cuts.push_back({first, events[copies[i].end - 1].time.end - first.time.start,
                        i + 1 < copies.size() && follow(events, copies[i], copies[i + 1])});
    }
    return cuts;
}

/// Identifies a call of a process, or a launch of a CUDA graph with captured calls.
struct EventKey {
    std::size_t process = 0;
    std::uint64_t event = 0;
    bool operator==(const EventKey&) const = default;
};
struct EventKeyHash {
    std::size_t operator()(const EventKey& key) const { return key.process * kFactor + key.event; }
};
EventKey keyOf(std::size_t process, std::size_t call, std::uint64_t launch)
{
    return {process, launch != 0 ? ~launch : std::uint64_t{call}};
}

std::uint64_t tokenOf(const Operation& operation)
{
    std::uint64_t token = operation.communicator;
    token = token * kFactor + static_cast<std::uint64_t>(operation.kind);
    return token * kFactor + operation.bytes.value_or(0);
}

/// The steps that the calls of one process show by themselves.
struct Own {
    ProcessPattern pattern;
    std::vector<RepeatedEvent> firstStep;
    std::uint64_t signature = 0; ///< hash of the first step's operations, comparable between ranks
    [[nodiscard]] std::size_t period() const { return pattern.step.tokens.size(); }
};

class PeriodFinder final {
public:
    PeriodFinder(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                 const std::vector<Operation>& operations, const StepsBy& stepsBy)
        : m_trace(trace), m_ranks(ranks), m_operations(operations), m_patterns(stepsBy.calls)
    {}

    PeriodSteps find()
    {
        constexpr std::size_t kMostGroups = 64; // a limit, as each group searches all operations
        m_result.ofProcess.resize(m_trace.processes.size());
        for (const Rank& rank : m_ranks) {
            askProcess(rank.process);
        }
        signPatterns();
        for (std::size_t group = 0; !m_open.empty(); ++group) {
            const std::size_t reference = chooseReference();
            const std::size_t before = m_open.size();
            const bool repeats = m_open.at(reference).period() > 0;
            cutLike(reference, group < kMostGroups);
            if (group > 0 && repeats) {
                m_result.apart += before - m_open.size();
            }
        }
        return std::move(m_result);
    }

private:
    void askProcess(std::size_t index)
    {
        const std::vector<RepeatedEvent> events = repeatedEvents(m_trace.processes[index]);
        Own own;
        own.pattern = m_patterns.of(events);
        const auto copies = findCopies(tokensOf(events, own.pattern.kind), own.pattern.step.tokens);
        if (!copies.empty()) {
            const auto begin = events.begin() + static_cast<std::ptrdiff_t>(copies.front().first);
            const auto end = events.begin() + static_cast<std::ptrdiff_t>(copies.front().end);
            own.firstStep.assign(begin, end);
        }
        m_open.emplace(index, std::move(own));
    }

    /// Computes the signatures. Two ranks have the same one only if their steps begin with the same
    /// collective.
    void signPatterns()
    {
        std::unordered_map<EventKey, std::uint64_t, EventKeyHash> tokens;
        for (const auto& [process, own] : m_open) {
            for (const RepeatedEvent& event : own.firstStep) {
                tokens.emplace(keyOf(process, event.call, event.launch), 0);
            }
        }
        for (const Operation& operation : m_operations) {
            for (const Participant& part : operation.participants) {
                const auto found = tokens.find(keyOf(m_ranks[part.rank].process, part.call, part.launch));
                if (found != tokens.end()) {
                    found->second += tokenOf(operation);
                }
            }
        }
        for (auto& [process, own] : m_open) {
            for (const RepeatedEvent& event : own.firstStep) {
                own.signature = own.signature * kFactor + tokens.at(keyOf(process, event.call, event.launch));
            }
        }
    }

    /// Returns the first process of those whose period and signature most processes share. Processes without
    /// a period are taken only when no others are left.
    [[nodiscard]] std::size_t chooseReference() const
    {
        using Vote = std::pair<std::size_t, std::uint64_t>; // period, signature
        std::map<Vote, std::size_t> votes;
        for (const auto& [process, own] : m_open) {
            votes[{own.period(), own.signature}] += own.period() > 0 ? 1U : 0U;
        }
        const Vote most = std::ranges::max_element(votes, {}, [](const auto& vote) {
                              return vote.second;
                          })->first; // the shortest period, if several have as many votes
        return std::ranges::find_if(m_open,
                                    [&](const auto& each) {
                                        return Vote{each.second.period(), each.second.signature} == most;
                                    })
            ->first;
    }

    /// Cuts a process into steps by its own period. If `others` is true, also cuts all processes that take
    /// part in the operations with which its steps begin.
    void cutLike(std::size_t reference, bool others)
    {
        const trace::ProcessTrace& process = m_trace.processes[reference];
        const ProcessPattern pattern = std::move(m_open.at(reference).pattern);
        m_open.erase(reference);
        if (pattern.step.tokens.empty()) {
            return;
        }
        note(pattern.step);
        const std::vector<Cut> cuts = cutsOf(repeatedEvents(process), pattern);
        std::map<std::size_t, Begins> begins;
        for (const Cut& cut : cuts) {
            begins[reference].push_back(cut.first.time.start);
        }
        if (others) {
            findBegins(reference, cuts, begins);
        }
        for (const auto& [index, own] : begins) {
            m_result.ofProcess[index] = stepsOf(m_trace.processes[index], cuts, own);
            m_open.erase(index);
        }
    }

    void note(const StepPattern& step)
    {
        PeriodFound& found = m_result.found;
        if (found.calls == 0) {
            found = {step.tokens.size(), step.witnesses, step.confidence};
        }
        found.confidence = std::min(found.confidence, step.confidence);
    }

    using Begins = std::vector<std::optional<std::int64_t>>; ///< begin of each cut; null if not recorded

    /// Finds when the other processes called what the reference calls first in each step.
    void findBegins(std::size_t reference, const std::vector<Cut>& cuts,
                    std::map<std::size_t, Begins>& begins)
    {
        std::unordered_map<EventKey, std::size_t, EventKeyHash> places;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            places.emplace(keyOf(reference, cuts[i].first.call, cuts[i].first.launch), i);
        }
        for (const Operation& operation : m_operations) {
            std::optional<std::size_t> place;
            for (const Participant& part : operation.participants) {
                const auto found = places.find(keyOf(m_ranks[part.rank].process, part.call, part.launch));
                place = found != places.end() ? found->second : place;
            }
            for (const Participant& part : operation.participants) {
                const std::size_t process = m_ranks[part.rank].process;
                if (place && m_open.contains(process)) {
                    Begins& own = begins[process];
                    own.resize(cuts.size());
                    own[*place] = startOf(process, part);
                }
            }
        }
    }

    [[nodiscard]] std::int64_t startOf(std::size_t index, const Participant& part)
    {
        const trace::ProcessTrace& process = m_trace.processes[index];
        if (part.launch == 0) {
            return process.collectiveCalls[part.call].startNs;
        }
        const auto [entry, fresh] = m_launches.try_emplace(index);
        for (std::size_t i = 0; fresh && i < process.graphLaunches.size(); ++i) {
            entry->second.emplace(process.graphLaunches.launch[i], process.graphLaunches.startNs[i]);
        }
        return entry->second.at(part.launch);
    }

    /// Returns the steps of a process. If the next step is missing, a step ends with its own last event.
    static std::vector<Step> stepsOf(const trace::ProcessTrace& process, const std::vector<Cut>& cuts,
                                     const Begins& begins)
    {
        const std::vector<Interval> pauses = pausesOf(process);
        std::vector<Step> steps;
        std::size_t last = 0;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            const std::int64_t begin = begins[i].value_or(0);
            const Interval own{begin, addCapped(begin, cuts[i].lengthNs)};
            if (!begins[i] || !isRecordedWhole(pauses, own) ||
                (!steps.empty() && begin <= steps.back().host.start)) {
                continue;
            }
            if (!steps.empty()) {
                Step& before = steps.back();
                before.pausedAfter = last + 1 != i || !cuts[last].followed ||
                                     !isRecordedWhole(pauses, {before.host.start, begin});
                before.host.end = before.pausedAfter ? std::min(before.host.end, begin) : begin;
            }
            steps.push_back({static_cast<std::int64_t>(i) + 1, own, std::nullopt});
            last = i;
        }
        return steps;
    }

    const trace::RunTrace& m_trace;
    const std::vector<Rank>& m_ranks;
    const std::vector<Operation>& m_operations;
    KnownPatterns m_patterns;
    std::map<std::size_t, Own> m_open; ///< processes whose steps are not found yet
    std::unordered_map<std::size_t, std::unordered_map<std::uint64_t, std::int64_t>>
        m_launches; ///< starts of CUDA graph launches, by process and launch number
    PeriodSteps m_result;
};

} // namespace

PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                            const std::vector<Operation>& operations, const StepsBy& stepsBy)
{
    return PeriodFinder(trace, ranks, operations, stepsBy).find();
}

} // namespace ringside::model
