// SPDX-License-Identifier: Apache-2.0
#include "model/period_steps.h"

#include "model/model.h"
#include "model/pauses.h"
#include "model/repeated_events.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

namespace ringside::model {
namespace {

constexpr std::uint64_t kFactor = 1'000'003;

/// Of one stretch in which recording was not paused.
using Events = std::span<const RepeatedEvent>;

std::vector<Events> recordedStretches(Events events, const std::vector<Interval>& pauses)
{
    std::vector<Events> stretches;
    for (std::size_t first = 0; first < events.size();) {
        const Interval* pause = firstPauseAfter(pauses, events[first].time.start);
        const std::int64_t until = pause != nullptr ? std::max(pause->start, events[first].time.start + 1)
                                                    : std::numeric_limits<std::int64_t>::max();
        std::size_t end = first + 1;
        while (end < events.size() && events[end].time.start < until) {
            ++end;
        }
        stretches.push_back(events.subspan(first, end - first));
        first = end;
    }
    return stretches;
}

/// Where in the pattern a step begins: after the longest pause between calls (optimizer, data, forward).
std::size_t findPhase(Events events, std::size_t period)
{
    std::vector<std::vector<std::int64_t>> pauses(period);
    for (std::size_t i = 1; i < events.size(); ++i) {
        pauses[i % period].push_back(events[i].time.start - events[i - 1].time.end);
    }
    std::size_t best = 0;
    for (std::size_t phase = 1; phase < period; ++phase) {
        if (median(pauses[phase]) > median(pauses[best])) {
            best = phase;
        }
    }
    return best;
}

/// By all that is known of the events, else by the calls alone. A log's order without times holds no step's
/// length.
std::size_t periodOf(Events events)
{
    const auto starts = [](const RepeatedEvent& event) { return event.time.start; };
    const auto [first, last] = std::ranges::minmax_element(events, {}, starts);
    if (events.empty() || starts(*first) == starts(*last)) {
        return 0;
    }
    for (const auto token : {&RepeatedEvent::fullToken, &RepeatedEvent::token}) {
        std::vector<std::uint64_t> tokens(events.size());
        std::transform(events.begin(), events.end(), tokens.begin(),
                       [token](const RepeatedEvent& event) { return event.*token; });
        if (const std::size_t period = findPeriod(tokens); period > 0) {
            return period;
        }
    }
    return 0;
}

/// A step by its first event, and how far its last one's end lies behind.
struct Cut {
    RepeatedEvent first;
    std::int64_t lengthNs = 0;
    std::size_t stretch = 0; ///< cuts of one stretch follow each other
};

std::vector<Cut> cutsOf(const std::vector<RepeatedEvent>& events, std::size_t period,
                        const std::vector<Interval>& pauses)
{
    std::vector<Cut> cuts;
    const std::vector<Events> stretches = recordedStretches(events, pauses);
    for (std::size_t s = 0; s < stretches.size(); ++s) {
        const Events& stretch = stretches[s];
        for (std::size_t i = findPhase(stretch, period); i + period <= stretch.size(); i += period) {
            cuts.push_back({stretch[i], stretch[i + period - 1].time.end - stretch[i].time.start, s});
        }
    }
    return cuts;
}

/// A process's call, or its launch of captured ones, as operations name it.
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

/// What a process says by itself of its steps.
struct Own {
    std::size_t period = 0;             ///< 0: it has none
    std::vector<RepeatedEvent> pattern; ///< of its first step
    std::uint64_t signature = 0;        ///< of the pattern, in words that all ranks understand
};

class PeriodFinder final {
public:
    PeriodFinder(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                 const std::vector<Operation>& operations)
        : m_trace(trace), m_ranks(ranks), m_operations(operations)
    {}

    PeriodSteps find()
    {
        constexpr std::size_t kMostGroups = 64; // each looks through all operations
        m_result.ofProcess.resize(m_trace.processes.size());
        for (const Rank& rank : m_ranks) {
            askProcess(rank.process);
        }
        signPatterns();
        for (std::size_t group = 0; !m_open.empty(); ++group) {
            const std::size_t reference = chooseReference();
            const std::size_t before = m_open.size();
            cutLike(reference, group < kMostGroups);
            if (group > 0) {
                m_result.apart += before - m_open.size();
            }
        }
        return std::move(m_result);
    }

private:
    void askProcess(std::size_t index)
    {
        const trace::ProcessTrace& process = m_trace.processes[index];
        const std::vector<RepeatedEvent> events = repeatedEvents(process);
        Own own;
        own.period = periodOf(events);
        for (const Events& stretch : recordedStretches(events, pausesOf(process))) {
            const std::size_t begin = own.period > 0 ? findPhase(stretch, own.period) : stretch.size();
            if (begin + own.period <= stretch.size() && own.pattern.empty()) {
                const Events pattern = stretch.subspan(begin, own.period);
                own.pattern.assign(pattern.begin(), pattern.end());
            }
        }
        m_open.emplace(index, std::move(own));
    }

    /// The same on two ranks only where they begin their steps with the same collective.
    void signPatterns()
    {
        std::unordered_map<EventKey, std::uint64_t, EventKeyHash> tokens;
        for (const auto& [process, own] : m_open) {
            for (const RepeatedEvent& event : own.pattern) {
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
            for (const RepeatedEvent& event : own.pattern) {
                own.signature = own.signature * kFactor + tokens.at(keyOf(process, event.call, event.launch));
            }
        }
    }

    /// The first process of those that most agree with; of those without a period any, when no other is left.
    [[nodiscard]] std::size_t chooseReference() const
    {
        using Vote = std::pair<std::size_t, std::uint64_t>; // period, signature
        std::map<Vote, std::size_t> votes;
        for (const auto& [process, own] : m_open) {
            votes[{own.period, own.signature}] += own.period > 0 ? 1U : 0U;
        }
        const Vote most = std::ranges::max_element(votes, {}, [](const auto& vote) {
                              return vote.second;
                          })->first; // of equals the shortest
        return std::ranges::find_if(m_open,
                                    [&](const auto& each) {
                                        return Vote{each.second.period, each.second.signature} == most;
                                    })
            ->first;
    }

    /// Cuts a process by its own period and, where `others`, all that are with it where its steps begin.
    void cutLike(std::size_t reference, bool others)
    {
        const trace::ProcessTrace& process = m_trace.processes[reference];
        const std::size_t period = m_open.at(reference).period;
        m_open.erase(reference);
        if (period == 0) {
            return;
        }
        const std::vector<Cut> cuts = cutsOf(repeatedEvents(process), period, pausesOf(process));
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

    using Begins = std::vector<std::optional<std::int64_t>>; ///< a cut

    /// Of the others, when they called what the reference calls first in a step.
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

    /// Where a step is missing, the one before ends with its own events.
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
                before.pausedAfter = last + 1 != i || cuts[last].stretch != cuts[i].stretch ||
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
    std::map<std::size_t, Own> m_open; ///< processes whose steps are not found yet
    std::unordered_map<std::size_t, std::unordered_map<std::uint64_t, std::int64_t>>
        m_launches; ///< of CUDA graphs, their starts by process and number
    PeriodSteps m_result;
};

} // namespace

std::size_t findPeriod(const std::vector<std::uint64_t>& tokens)
{
    constexpr std::size_t kMostTokens = 20'000; // bounds the quadratic search; a pattern shows long before
    constexpr double kLeastMatch = 0.9;
    const std::size_t count = std::min(tokens.size(), kMostTokens);
    // The tail: the head may hold set-up broadcasts that no step repeats.
    const std::uint64_t* const tail = tokens.data() + (tokens.size() - count);
    for (std::size_t period = 1; period * 3 <= count; ++period) {
        std::size_t equal = 0;
        for (std::size_t i = period; i < count; ++i) {
            equal += tail[i] == tail[i - period] ? 1U : 0U;
        }
        if (static_cast<double>(equal) >= kLeastMatch * static_cast<double>(count - period)) {
            return period;
        }
    }
    return 0;
}

PeriodSteps stepsFromPeriod(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                            const std::vector<Operation>& operations)
{
    return PeriodFinder(trace, ranks, operations).find();
}

} // namespace ringside::model
