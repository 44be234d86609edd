// SPDX-License-Identifier: Apache-2.0
#include "hang/first_to_die.h"

#include "words/hang_verdict.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace ringside::hang {
namespace {

namespace text = words::hang_verdict;
using words::say;

/// The drain thread reads the clocks every 250 ms, so that a process may have lived for this long after its
/// last sign of life.
constexpr std::int64_t kSignOfLifeNs = 500'000'000;
/// The recorder may see the end of a process this long after the process began to die. The process first
/// releases its memory and its connections, which other ranks notice, and only then the recorder is woken.
/// This takes milliseconds, and on a busy machine several time slices.
constexpr std::int64_t kSeenLateNs = 50'000'000;

/// Returns when a process ended. For one that closed its trace this is its last sign of life; for others it
/// is when `ringside record` saw the end, or null if it did not.
std::optional<std::int64_t> endNs(const RankReport& rank)
{
    return rank.life == Life::Failed ? std::optional(rank.lastSignNs) : rank.goneNs;
}

/// Returns whether a signal killed it that neither launchers nor the process itself send because of other
/// ranks.
bool wasKilled(const RankReport& rank)
{
    constexpr std::array kOnAccountOfOthers{SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
    return rank.waitStatus && WIFSIGNALED(*rank.waitStatus) &&
           std::ranges::find(kOnAccountOfOthers, WTERMSIG(*rank.waitStatus)) == kOnAccountOfOthers.end();
}

bool endedItself(const RankReport& rank)
{
    return rank.waitStatus && (WIFEXITED(*rank.waitStatus) || WTERMSIG(*rank.waitStatus) == SIGABRT);
}

class Deaths final {
public:
    Deaths(const model::Model& model, const std::vector<RankReport>& ranks) : m_model(model), m_ranks(ranks)
    {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (isDeath(ranks[i].life)) {
                m_dead.push_back(i);
            } else if (ranks[i].life == Life::NotKnown) {
                m_notKnown.push_back(i);
            }
        }
    }

    [[nodiscard]] std::optional<FirstToDie> first() const
    {
        for (const std::size_t each : m_dead) {
            const auto isLater = [&](std::size_t other) {
                return isSameProcess(each, other) || isBefore(each, other);
            };
            if (std::all_of(m_dead.begin(), m_dead.end(), isLater) &&
                std::all_of(m_notKnown.begin(), m_notKnown.end(), isLater)) {
                return describe(each);
            }
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] bool isSameProcess(std::size_t a, std::size_t b) const
    {
        return m_model.ranks[a].process == m_model.ranks[b].process;
    }
    [[nodiscard]] std::optional<std::int64_t> endNs(std::size_t rank) const
    {
        return hang::endNs(m_ranks[rank]);
    }
    [[nodiscard]] std::int64_t latestNs(std::size_t rank) const
    {
        return endNs(rank).value_or(m_ranks[rank].lastSignNs + kSignOfLifeNs);
    }
    [[nodiscard]] std::int64_t earliestNs(std::size_t rank) const { return earliestEndNs(m_ranks[rank]); }
    [[nodiscard]] bool isBefore(std::size_t a, std::size_t b) const
    {
        const bool sameHost = m_model.ranks[a].host == m_model.ranks[b].host;
        if (sameHost && endNs(a) && endNs(b)) {
            const std::int64_t distanceNs = *endNs(b) - *endNs(a);
            return distanceNs >= kSeenLateNs ||
                   (distanceNs > 0 && wasKilled(m_ranks[a]) && endedItself(m_ranks[b]));
        }
        const auto errorNs = sameHost ? std::optional<std::int64_t>(0) : m_model.clockErrorNs();
        return errorNs && model::addCapped(latestNs(a), *errorNs) <= earliestNs(b);
    }
    [[nodiscard]] FirstToDie describe(std::size_t first) const
    {
        FirstToDie result{first, std::nullopt, true, false};
        bool allSeen = m_ranks[first].goneNs.has_value();
        std::int64_t nextNs = std::numeric_limits<std::int64_t>::max();
        for (const std::size_t other : m_dead) {
            if (!isSameProcess(first, other)) {
                result.alone = false;
                allSeen = allSeen && m_ranks[other].goneNs;
                nextNs = std::min(nextNs, m_ranks[other].goneNs.value_or(nextNs));
            }
        }
        if (allSeen && !result.alone) {
            result.beforeNs = nextNs - *m_ranks[first].goneNs;
        }
        return result;
    }

    const model::Model& m_model;
    const std::vector<RankReport>& m_ranks;
    std::vector<std::size_t> m_dead;
    /// Ranks whose state is not known. They may have died, but not before their last signs of life.
    std::vector<std::size_t> m_notKnown;
};

/// Describes processes that closed their traces; empty if there is none.
words::Text failedText(const std::vector<RankReport>& ranks)
{
    std::vector<std::int64_t> failed;
    std::set<std::string> ends;
    for (const RankReport& rank : ranks) {
        if (rank.life == Life::Failed) {
            failed.push_back(rank.rank);
            ends.insert(rank.waitStatus ? howEnded(*rank.waitStatus) : "");
        }
    }
    if (failed.empty()) {
        return {};
    }
    return ends.size() == 1 ? say(text::ended_alike, {{"ranks", failed}, {"how", *ends.begin()}})
                            : say(text::ended_with_codes, {{"ranks", failed}});
}

/// Returns " (rank 3 by SIGKILL, ranks 0 to 2 with code 1)"; empty if all ended alike.
words::Text endsText(const std::map<std::string, std::vector<std::int64_t>>& ends)
{
    words::Text all;
    for (const auto& [end, ranks] : ends) {
        all += all.empty() ? words::Text() : words::Text(text::comma);
        all += say(text::end_of, {{"ranks", ranks}, {"how", end}});
    }
    return ends.size() > 1 ? say(text::ends_differ, {{"ends", all}}) : words::Text();
}

/// Describes processes that did not close their traces; empty if there is none. `namesEnds`: also how each
/// ended, where that differs.
words::Text goneText(const std::vector<RankReport>& ranks, bool namesEnds)
{
    std::vector<std::int64_t> gone;
    std::map<std::string, std::vector<std::int64_t>> ends;
    bool allKnown = true;
    for (const RankReport& rank : ranks) {
        if (rank.life == Life::Gone) {
            gone.push_back(rank.rank);
            allKnown = allKnown && rank.waitStatus;
            ends[rank.waitStatus ? howEnded(*rank.waitStatus) : "in an unknown way"].push_back(rank.rank);
        }
    }
    const words::Text none;
    return gone.empty()
               ? none
               : say(text::gone, {{"ranks", gone},
                                  {"unknown", allKnown ? none : words::Text(text::killed_or_crashed)},
                                  {"ends", namesEnds ? endsText(ends) : none}});
}

/// Describes how it ended, and the evidence that it was the first.
words::Text evidenceOf(const RankReport& rank, const FirstToDie& first)
{
    words::Text evidence;
    if (rank.waitStatus) {
        evidence += say(text::how, {{"how", howEnded(*rank.waitStatus)}});
    }
    if (first.awaited) {
        evidence += words::Text(text::by_wait);
    } else if (!first.alone) {
        evidence += first.beforeNs ? say(text::before_next, {{"time", *first.beforeNs}})
                                   : words::Text(text::by_signs);
    }
    return evidence;
}

} // namespace

std::int64_t earliestEndNs(const RankReport& rank)
{
    const auto seenNs = endNs(rank);
    return seenNs ? std::max(*seenNs - kSeenLateNs, rank.lastSignNs) : rank.lastSignNs;
}

std::optional<FirstToDie> firstToDie(const model::Model& model, const std::vector<RankReport>& ranks)
{
    return Deaths(model, ranks).first();
}

words::Text diedText(const std::vector<RankReport>& ranks, const std::optional<FirstToDie>& first)
{
    const words::Text failed = failedText(ranks);
    const words::Text gone = goneText(ranks, !first);
    words::Text ends = failed;
    ends += failed.empty() || gone.empty() ? words::Text() : words::Text(text::semicolon);
    ends += gone;
    if (first && !(first->alone && gone.empty())) {
        const RankReport& rank = ranks[first->rank];
        return say(text::first_to_end, {{"ranks", std::vector<std::int64_t>{rank.rank}},
                                        {"evidence", evidenceOf(rank, *first)},
                                        {"ends", ends}});
    }
    const auto died = std::ranges::count_if(ranks, [](const RankReport& rank) { return isDeath(rank.life); });
    return first || died == 1 ? ends : say(text::order_unknown, {{"ends", ends}});
}

} // namespace ringside::hang
