// SPDX-License-Identifier: Apache-2.0
#include "hang/messages.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside::hang {
namespace {

/// The calls of one rank to or from another.
struct Side {
    const Member* member = nullptr; ///< null: it has no trace
    std::int64_t rank = -1;         ///< of the job; -1: not known
    std::vector<const Issued*> calls;

    [[nodiscard]] bool isComplete() const { return member != nullptr && member->complete; }
    [[nodiscard]] bool knowsStates() const { return member != nullptr && member->statesKnown; }
    [[nodiscard]] std::ptrdiff_t size() const { return std::ssize(calls); }
    /// Index of the first call that has not completed.
    [[nodiscard]] std::ptrdiff_t firstOpen() const
    {
        return std::ranges::find_if(calls, [](const Issued* call) { return call->isOpen(); }) - calls.begin();
    }
};

struct Pair {
    Side sender;
    Side receiver;
};

class Messages final {
public:
    Messages(const model::Model& model, const Group& group, const std::vector<RankTimes>& times,
             std::int64_t stuckAfterNs)
        : m_model(model), m_group(group), m_times(times), m_stuckAfterNs(stuckAfterNs)
    {
        for (const Member& member : group.members) {
            m_members.emplace(member.communicatorRank, &member);
        }
        for (const Member& member : group.members) {
            for (const Issued& call : member.pointToPoint) {
                if (call.call.root) {
                    add(member.communicatorRank, *call.call.root, call);
                } else if (member.statesKnown && call.isOpen()) { // its peer is not known
                    m_withoutPeer.push_back({&member, m_model.ranks[member.rank].rank, {&call}});
                }
            }
        }
    }

    std::vector<StuckCollective> find()
    {
        for (const auto& [ends, pair] : m_pairs) {
            compare(pair);
        }
        for (const Side& side : m_withoutPeer) {
            m_found.push_back(describe(side, 0));
        }
        return std::move(m_found);
    }

private:
    [[nodiscard]] Side sideOf(std::int64_t place) const
    {
        Side side;
        const auto member = m_members.find(place);
        side.member = member != m_members.end() ? member->second : nullptr;
        if (side.member != nullptr) {
            side.rank = m_model.ranks[side.member->rank].rank;
        } else if (place >= 0 && place < std::ssize(m_group.ranks)) {
            side.rank = m_group.ranks[static_cast<std::size_t>(place)];
        }
        if (side.rank < 0 && m_group.size == m_model.worldSize) {
            side.rank = place; // the communicator of all
        }
        return side;
    }

    void add(std::int64_t self, std::int64_t peer, const Issued& call)
    {
        const bool sends = call.call.function == "ncclSend";
        const auto ends = sends ? std::pair(self, peer) : std::pair(peer, self);
        const auto [place, fresh] = m_pairs.try_emplace(ends);
        if (fresh) {
            place->second = {sideOf(ends.first), sideOf(ends.second)};
        }
        (sends ? place->second.sender : place->second.receiver).calls.push_back(&call);
    }

    /// Returns by how much the index of a receive is larger than that of its send. Null: not known.
    [[nodiscard]] std::optional<std::ptrdiff_t> shiftOf(const Pair& pair) const
    {
        const bool whole = pair.sender.isComplete() && pair.receiver.isComplete();
        if (whole || (isTorn(pair) && !pair.sender.knowsStates() && !pair.receiver.knowsStates())) {
            return 0; // of a torn log, at least the numbers of calls can be compared
        }
        if (!pair.sender.knowsStates() || !pair.receiver.knowsStates()) {
            return std::nullopt;
        }
        // A message of a batch may have arrived although the batch, and so this side of it, is not complete.
        const std::ptrdiff_t even = pair.receiver.firstOpen() - pair.sender.firstOpen();
        std::vector<std::ptrdiff_t> shifts{even};
        if (waitsInBatch(pair.sender)) {
            shifts.push_back(even - 1);
        }
        if (waitsInBatch(pair.receiver)) {
            shifts.push_back(even + 1);
        }
        return *std::ranges::min_element(shifts, {},
                                         [&](std::ptrdiff_t each) { return apartNs(pair, each); });
    }
    [[nodiscard]] static bool waitsInBatch(const Side& side)
    {
        const std::ptrdiff_t first = side.firstOpen();
        return first < side.size() && side.calls[static_cast<std::size_t>(first)]->batch != 0;
    }
    /// Returns how far apart in time the sides issued the calls that the shift makes one message, in the
    /// mean.
    [[nodiscard]] double apartNs(const Pair& pair, std::ptrdiff_t shift) const
    {
        double sum = 0;
        std::ptrdiff_t count = 0;
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -shift);
             i < pair.sender.size() && i + shift < pair.receiver.size(); ++i, ++count) {
            sum += std::abs(static_cast<double>(startNs(pair.sender, i) - startNs(pair.receiver, i + shift)));
        }
        return count > 0 ? sum / static_cast<double>(count) : 0;
    }
    [[nodiscard]] std::int64_t startNs(const Side& side, std::ptrdiff_t index) const
    {
        return m_model.ranks[side.member->rank].clock.toRun(
            side.calls[static_cast<std::size_t>(index)]->startNs);
    }

    void compare(const Pair& pair)
    {
        if (pair.sender.member == nullptr || pair.receiver.member == nullptr) {
            waitForUnknown(pair);
            return;
        }
        const auto shift = shiftOf(pair);
        if (!shift || (!isTorn(pair) && comparePairs(pair, *shift))) {
            return;
        }
        waitFor(pair.receiver, pair.sender, pair.sender.size() + *shift);
        waitFor(pair.sender, pair.receiver, pair.receiver.size() - *shift);
    }

    /// Whether lines may be calls of this pair: which call belongs to which is not known then.
    [[nodiscard]] static bool isTorn(const Pair& pair)
    {
        return pair.sender.member->torn + pair.receiver.member->torn > 0;
    }

    /// The other side has no trace: the first call that has not completed may wait for it.
    void waitForUnknown(const Pair& pair)
    {
        const bool receives = pair.receiver.member != nullptr;
        const Side& here = receives ? pair.receiver : pair.sender;
        const Side& there = receives ? pair.sender : pair.receiver;
        if (!here.knowsStates()) {
            waitForLost(here, there);
            return;
        }
        const std::ptrdiff_t first = here.firstOpen();
        if (first == here.size() || there.rank < 0) {
            return;
        }
        StuckCollective stuck = describe(here, first);
        stuck.notRecorded = 1;
        stuck.unknown = {there.rank};
        m_found.push_back(std::move(stuck));
    }

    /// The other side has no trace, and it is not known which calls completed: only a message with which the
    /// calls of this side end may wait.
    void waitForLost(const Side& here, const Side& there)
    {
        const std::ptrdiff_t all = std::ssize(here.member->calls) + std::ssize(here.member->pointToPoint);
        const bool last = here.calls.back()->order + 1 >= all;
        if (last && waits(here, here.size() - 1)) {
            StuckCollective& stuck = m_found.emplace_back(describe(here, here.size() - 1));
            stuck.notRecorded = 1;
            stuck.lost = {there.rank};
            std::erase(stuck.lost, -1);
        }
    }

    [[nodiscard]] bool waits(const Side& here, std::ptrdiff_t index) const
    {
        const Issued& call = *here.calls[static_cast<std::size_t>(index)];
        const RankTimes& times = m_times[here.member->rank];
        const bool receives = call.call.function != "ncclSend";
        return here.knowsStates() ? call.isOpen()
               : receives         ? times.openHang || describe(here, index).waitedNs >= m_stuckAfterNs
                                  : times.inCall || times.untimed;
    }

    /// Adds the call of `here` at `index`, if there is one and it waits.
    void waitFor(const Side& here, const Side& there, std::ptrdiff_t index)
    {
        if (index < 0 || index >= here.size()) {
            return;
        }
        if (waits(here, index)) {
            const bool surely = here.size() - index > there.member->torn;
            StuckCollective& stuck = m_found.emplace_back(describe(here, index));
            (surely ? stuck.missing : stuck.lost).push_back(there.rank);
        }
    }

    /// Compares messages that both sides issued and neither is known to have completed: adds the first whose
    /// sizes differ, which is an error however short it waits, or which one side has come to and the other
    /// has not.
    bool comparePairs(const Pair& pair, std::ptrdiff_t shift)
    {
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -shift);
             i < pair.sender.size() && i + shift < pair.receiver.size(); ++i) {
            const Issued& sent = *pair.sender.calls[static_cast<std::size_t>(i)];
            const Issued& received = *pair.receiver.calls[static_cast<std::size_t>(i + shift)];
            if (!sent.isOpen() || !received.isOpen()) {
                continue;
            }
            const auto& a = sent.call.bytes;
            const auto& b = received.call.bytes;
            if (a && b && *a != *b) {
                StuckCollective& stuck = addBoth(pair, i, i + shift);
                stuck.different = {pair.sender.rank, pair.receiver.rank};
                stuck.tied = true;
                return true;
            }
            if (sent.progress == Progress::Running && received.progress == Progress::Queued) {
                addBoth(pair, i, i + shift).queued = {pair.receiver.rank};
            } else if (sent.progress == Progress::Queued && received.progress == Progress::Running) {
                addBoth(pair, i, i + shift).queued = {pair.sender.rank};
            }
            if (sent.progress != Progress::NotKnown && received.progress != Progress::NotKnown) {
                return false;
            }
        }
        return false;
    }
    StuckCollective& addBoth(const Pair& pair, std::ptrdiff_t sent, std::ptrdiff_t received)
    {
        m_found.push_back(describe(pair.sender, sent));
        m_found.back().arrived.push_back(describe(pair.receiver, received).arrived.front());
        return m_found.back();
    }
    [[nodiscard]] StuckCollective describe(const Side& here, std::ptrdiff_t index) const
    {
        const Issued& call = *here.calls[static_cast<std::size_t>(index)];
        const std::size_t rank = here.member->rank;
        StuckCollective stuck;
        stuck.communicator = m_group.hash;
        stuck.name = m_group.name;
        stuck.size = m_group.size;
        stuck.order = here.isComplete() && call.call.root ? index : call.order;
        stuck.pointToPoint = true;
        stuck.waitedNs = std::max<std::int64_t>(0, m_times[rank].untilNs - call.startNs);
        stuck.arrived.push_back({here.rank, call.call, stuck.waitedNs, call.inCall,
                                 m_model.ranks[rank].clock.toRun(call.startNs)});
        return stuck;
    }

    const model::Model& m_model;
    const Group& m_group;
    const std::vector<RankTimes>& m_times;
    std::int64_t m_stuckAfterNs;
    std::map<std::int64_t, const Member*> m_members;               ///< by rank in the communicator
    std::map<std::pair<std::int64_t, std::int64_t>, Pair> m_pairs; ///< by sender and receiver
    std::vector<Side> m_withoutPeer;
    std::vector<StuckCollective> m_found;
};

} // namespace

std::vector<StuckCollective> stuckMessages(const model::Model& model, const Group& group,
                                           const std::vector<RankTimes>& times, std::int64_t stuckAfterNs)
{
    return Messages(model, group, times, stuckAfterNs).find();
}

bool canPairMessages(const Group& group)
{
    return std::ranges::all_of(group.members, [](const Member& member) {
        return member.complete || member.statesKnown || member.torn > 0 || member.pointToPoint.empty();
    });
}

} // namespace ringside::hang
