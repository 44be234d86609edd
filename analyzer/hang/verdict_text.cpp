// SPDX-License-Identifier: Apache-2.0
#include "hang/verdict_text.h"

#include "words/hang_verdict.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside::hang {
namespace {

namespace text = words::hang_verdict;
using words::say;
using Ranks = std::vector<std::int64_t>;

/// Shorter waits would be shown as 0 ms.
constexpr std::int64_t kShortestWaitNs = 1'000'000;

struct StateText {
    Life life;
    const words::Template& is;
    const words::Template& how; ///< where it is known how the processes ended
};
constexpr std::array kFates{StateText{Life::Gone, text::died, text::died_how},
                            StateText{Life::Failed, text::failed, text::failed_how},
                            StateText{Life::Stopped, text::stopped, text::stopped},
                            StateText{Life::Replaced, text::replaced, text::replaced_by},
                            StateText{Life::Closed, text::ended, text::ended}};

/// Returns how all of these ranks ended, or what they run instead, if it is known and the same of all.
std::optional<std::string> commonEnd(const Report& report, const Ranks& ranks)
{
    std::optional<std::string> common;
    for (const std::int64_t rank : ranks) {
        const RankReport* const of = reportOf(report, rank);
        const std::string end = of == nullptr ? "" : of->waitStatus ? howEnded(*of->waitStatus) : of->program;
        if (end.empty() || (common && *common != end)) {
            return std::nullopt;
        }
        common = end;
    }
    return common;
}

words::Text stateText(const Report& report, const StateText& state, const Ranks& ranks)
{
    const auto end = commonEnd(report, ranks);
    return end ? say(state.how, {{"ranks", ranks}, {"how", *end}}) : say(state.is, {{"ranks", ranks}});
}

/// Returns those of the ranks whose state is this one.
Ranks ranksThat(const Report& report, Life life, const Ranks& ranks)
{
    Ranks met;
    std::ranges::copy_if(ranks, std::back_inserter(met), [&](std::int64_t rank) {
        const RankReport* const of = reportOf(report, rank);
        return of != nullptr && of->life == life;
    });
    return met;
}

/// Returns each state of dead or stopped ranks with its ranks; nothing about ranks that live.
words::Text statesOf(const Report& report, const Ranks& ranks)
{
    words::Text all;
    for (const StateText& state : kFates) {
        const Ranks met = ranksThat(report, state.life, ranks);
        if (!met.empty()) {
            all += all.empty() ? words::Text() : words::Text(text::comma);
            all += say(text::state_of, {{"ranks", met}, {"state", stateText(report, state, met)}});
        }
    }
    return all;
}

/// What all of these ranks do with their storage, where they all live and do it. Empty: they do not.
words::Text storageText(const Report& report, const Ranks& ranks)
{
    constexpr std::int64_t kSilentNs = 600'000'000'000; // after which PyTorch gives up what waits for it
    std::optional<StorageActivity> all;
    for (const std::int64_t rank : ranks) {
        const RankReport* const of = reportOf(report, rank);
        if (of == nullptr || of->life != Life::Running || !of->storage) {
            return {};
        }
        all = all.value_or(*of->storage);
        all->use.moves = all->use.moves && of->storage->use.moves;
        all->use.passes = all->use.passes && of->storage->use.passes;
        all->forNs = std::min(all->forNs, of->storage->forNs);
    }
    if (!all) {
        return {};
    }
    return say(all->use.moves           ? text::moves_data
               : all->use.passes        ? text::passes_data
               : all->forNs < kSilentNs ? text::waits_for_storage
                                        : text::storage_silent,
               {{"ranks", ranks}, {"time", all->forNs}});
}

/// Nothing if the trace ends with the call: how long it waited then is unknown.
words::Text beforeText(const words::Template& words, std::int64_t waitedNs)
{
    return waitedNs >= kShortestWaitNs ? say(words, {{"time", waitedNs}}) : words::Text();
}

/// How many ranks wait for the origin, where some of them only wait through others.
words::Text othersText(const Origin& origin)
{
    return origin.chain.size() > 1 ? say(text::others, {{"count", origin.waiting}, {"ranks", origin.ranks}})
                                   : words::Text();
}

words::Text waitText(const words::Template& words, const Report& report, const StuckCollective& stuck,
                     const Origin& origin)
{
    const Ranks& blockers = blockersOf(stuck);
    Ranks arrived;
    std::ranges::copy_if(arrivedRanks(stuck), std::back_inserter(arrived), [&](std::int64_t rank) {
        return std::ranges::find(blockers, rank) == blockers.end();
    });
    words::Text state = stateOf(report, blockers);
    state = state.empty() ? storageText(report, blockers) : state;
    return say(words, {{"call", nameText(stuck)},
                       {"ranks", blockers},
                       {"what", stuck.pointToPoint ? text::counterpart : text::itself},
                       {"state", state.empty() ? words::Text() : say(text::and_state, {{"state", state}})},
                       {"arrived", arrived},
                       {"before", beforeText(text::before, stuck.waitedNs)},
                       {"others", othersText(origin)}});
}

const Arrived& arrivedOf(const StuckCollective& stuck, std::int64_t rank)
{
    return *std::ranges::find(stuck.arrived, rank, &Arrived::rank);
}

words::Text messageText(const StuckCollective& stuck, const std::string& difference)
{
    const Arrived& first = stuck.arrived.front();
    const Arrived& second = stuck.arrived.back();
    if (difference == "function" && stuck.different.size() == 1) {
        return say(text::wrong_peer,
                   {{"call", nameText(stuck)}, {"ranks", stuck.different}, {"arrived", Ranks{first.rank}}});
    }
    return say(text::sizes, {{"call", nameText(stuck)},
                             {"first", Ranks{first.rank}},
                             {"sent", first.call.bytes.value_or(0)},
                             {"second", Ranks{second.rank}},
                             {"expected", second.call.bytes.value_or(0)}});
}

words::Text mismatchText(const StuckCollective& stuck)
{
    const auto odd = std::ranges::find_if(
        stuck.arrived, [&](const Arrived& each) { return !differenceOf(stuck.call(), each.call).empty(); });
    const Arrived& other = odd != stuck.arrived.end() ? *odd : arrivedOf(stuck, stuck.different.front());
    const std::string difference = differenceOf(stuck.call(), other.call);
    if (stuck.pointToPoint) {
        return messageText(stuck, difference);
    }
    const std::vector<words::Slot> filled{{"call", nameText(stuck)},
                                          {"ranks", stuck.different},
                                          {"function", other.call.function},
                                          {"difference", difference}};
    return say(stuck.tied                 ? text::tied
               : difference == "function" ? text::other_function
                                          : text::other_argument,
               filled);
}

words::Text circleText(const Report& report, const Origin& origin)
{
    words::Text waits;
    for (const std::size_t call : origin.chain) {
        const StuckCollective& stuck = report.collectives[call];
        waits += waits.empty() ? words::Text() : words::Text(text::semicolon);
        waits +=
            say(text::wait,
                {{"arrived", arrivedRanks(stuck)}, {"call", nameText(stuck)}, {"ranks", blockersOf(stuck)}});
    }
    return say(text::circle, {{"waits", waits}});
}

} // namespace

words::Text stateOf(const Report& report, const Ranks& ranks)
{
    for (const StateText& state : kFates) {
        if (!ranks.empty() && ranksThat(report, state.life, ranks) == ranks) {
            return stateText(report, state, ranks);
        }
    }
    return {};
}

const RankReport* reportOf(const Report& report, std::int64_t rank)
{
    const auto found = std::ranges::find(report.ranks, rank, &RankReport::rank);
    return found != report.ranks.end() ? &*found : nullptr;
}

Ranks arrivedRanks(const StuckCollective& stuck)
{
    Ranks ranks;
    std::ranges::transform(stuck.arrived, std::back_inserter(ranks),
                           [](const Arrived& each) { return each.rank; });
    return ranks;
}

words::Text nameText(const StuckCollective& stuck)
{
    if (stuck.setup && stuck.communicator == 0) {
        return say(text::new_communicator, {{"function", stuck.call().function}, {"size", stuck.size}});
    }
    return say(stuck.pointToPoint  ? text::message
               : stuck.setup       ? text::of_parent
               : stuck.torchNumber ? text::torch_collective
                                   : text::collective,
               {{"function", stuck.call().function},
                {"order", stuck.order},
                {"number", stuck.torchNumber.value_or(0)},
                {"communicator", communicatorName(stuck)}});
}

words::Text originText(const Report& report, const Origin& origin)
{
    const StuckCollective& last = report.collectives[origin.chain.back()];
    if (origin.circle) {
        return circleText(report, origin);
    }
    if (!last.different.empty()) {
        return mismatchText(last);
    }
    return waitText(!last.missing.empty()  ? text::missing
                    : !last.queued.empty() ? text::queued
                                           : text::no_trace,
                    report, last, origin);
}

words::Text openText(const StuckCollective& stuck)
{
    const std::vector<words::Slot> filled{{"arrived", arrivedRanks(stuck)},
                                          {"call", nameText(stuck)},
                                          {"before", beforeText(text::issued, stuck.waitedNs)},
                                          {"ranks", stuck.lost}};
    return say(stuck.lost.empty()      ? text::open
               : stuck.notRecorded > 0 ? text::counterpart_missing
                                       : text::counterpart_torn,
               filled);
}

words::Text waitingText(const Report& report, const StuckCollective& last,
                        const std::optional<OtherOrder>& other)
{
    const Ranks ranks = arrivedRanks(last);
    const words::Text state = stateOf(report, ranks);
    const words::Text some = state.empty() ? statesOf(report, ranks) : words::Text();
    const words::Text none;
    return say(
        text::waiting,
        {{"state", !state.empty()  ? say(text::did_not_go_on, {{"state", state}})
                   : !some.empty() ? say(text::do_not_go_on_but, {{"states", some}})
                                   : words::Text(text::do_not_go_on)},
         {"call", nameText(last)},
         {"issued", beforeText(text::issued, last.waitedNs)},
         {"lost",
          last.notRecorded > 0 ? say(text::lost, {{"lost", last.notRecorded}, {"size", last.size}}) : none},
         {"other",
          other ? say(text::other_order,
                      {{"before", other->before}, {"call", nameText(other->call)}, {"behind", other->behind}})
                : none}});
}

} // namespace ringside::hang
