// SPDX-License-Identifier: Apache-2.0
#include "model/message_match.h"

#include "model/communicator_calls.h"
#include "model/work_times.h"

#include <map>
#include <tuple>

namespace ringside::model {
namespace {

/// A send or a receive, and what it carries.
struct IssuedEnd {
    MessageEnd end;
    std::optional<std::uint64_t> bytes;
};
using PairKey = std::tuple<CommunicatorKey, std::size_t, std::size_t>; ///< communicator, sender, receiver
struct IssuedPair {
    std::vector<IssuedEnd> sends;
    std::vector<IssuedEnd> receives;
};
using KernelKey = std::pair<std::size_t, WorkKey>; ///< rank, work

struct KernelKeyHash {
    std::size_t operator()(const KernelKey& key) const { return WorkKeyHash()(key.second) * 31 + key.first; }
};

class MessageMatcher final {
public:
    MessageMatcher(const trace::RunTrace& run, const std::vector<Rank>& ranks) : m_run(run), m_ranks(ranks)
    {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            for (const auto& [key, row] : communicatorsOf(ranks[i], process(i))) {
                if (row->rank >= 0) {
                    m_members.emplace(std::pair(key, row->rank), i);
                }
            }
        }
    }
    void addRank(std::size_t index, const CommunicationWork& communication);
    std::vector<Message> finish(UnequalEnds unequal);

private:
    [[nodiscard]] const trace::ProcessTrace& process(std::size_t rank) const
    {
        return m_run.processes[m_ranks[rank].process];
    }
    [[nodiscard]] KernelKey kernelOf(const MessageEnd& end) const
    {
        return {end.rank, workOf(process(end.rank).collectiveCalls[end.call], end.launch)};
    }
    [[nodiscard]] std::int64_t runStart(const MessageEnd& end) const
    {
        return m_ranks[end.rank].clock.toRun(end.device->start);
    }
    [[nodiscard]] std::int64_t runEnd(const MessageEnd& end) const
    {
        return m_ranks[end.rank].clock.toRun(end.device->end);
    }
    [[nodiscard]] bool overlap(const IssuedEnd& send, const IssuedEnd& receive) const;
    [[nodiscard]] std::ptrdiff_t shiftOf(const IssuedPair& pair) const;
    void join(const PairKey& key, const IssuedPair& pair, std::vector<Message>& messages);

    const trace::RunTrace& m_run;
    const std::vector<Rank>& m_ranks;
    std::map<std::pair<CommunicatorKey, std::int64_t>, std::size_t>
        m_members; ///< index into m_ranks by communicator and rank in it
    std::map<PairKey, IssuedPair> m_pairs;
    std::unordered_map<KernelKey, std::size_t, KernelKeyHash> m_open; ///< calls whose other end is not known
};

void MessageMatcher::addRank(std::size_t index, const CommunicationWork& communication)
{
    const trace::ProcessTrace& trace = process(index);
    const WorkTimes times = workTimesOf(m_ranks[index], trace, communication);
    const std::set<std::int64_t> exchanges = exchangesOf(trace);
    auto runs = runsOf(trace);
    for (const auto& [key, row] : communicatorsOf(m_ranks[index], trace)) {
        std::vector<Run>& own = runs[row->id];
        std::stable_sort(own.begin(), own.end(),
                         [](const Run& a, const Run& b) { return a.sequence < b.sequence; });
        for (const Run& run : own) {
            const trace::CollectiveCallRow& call = trace.collectiveCalls[run.call];
            const CollectiveKind kind = collectiveKind(trace.text(call.api));
            const bool sends = kind == CollectiveKind::Send;
            if ((!sends && kind != CollectiveKind::Receive) || exchanges.contains(call.groupId)) {
                continue;
            }
            const IssuedEnd issued{{index, run.call, run.launch, timeOf(times, call, run.launch)},
                                   call.bytes};
            const auto peer = m_members.find({key, call.peer.value_or(-1)});
            if (peer == m_members.end()) {
                ++m_open[kernelOf(issued.end)];
            } else if (sends) {
                m_pairs[{key, index, peer->second}].sends.push_back(issued);
            } else {
                m_pairs[{key, peer->second, index}].receives.push_back(issued);
            }
        }
    }
}

bool MessageMatcher::overlap(const IssuedEnd& send, const IssuedEnd& receive) const
{
    const bool sameSize = !send.bytes || !receive.bytes || *send.bytes == *receive.bytes;
    return sameSize && send.end.device && receive.end.device && runStart(send.end) < runEnd(receive.end) &&
           runStart(receive.end) < runEnd(send.end);
}

/// Returns by how many places receives are shifted against sends. 0 if equally many of both were recorded,
/// otherwise the shift at which most pairs overlap in time.
std::ptrdiff_t MessageMatcher::shiftOf(const IssuedPair& pair) const
{
    constexpr std::ptrdiff_t kMostShift = 256;
    constexpr std::ptrdiff_t kLookedAt = 512;
    const auto sends = static_cast<std::ptrdiff_t>(pair.sends.size());
    const auto receives = static_cast<std::ptrdiff_t>(pair.receives.size());
    std::ptrdiff_t best = 0;
    std::ptrdiff_t most = 0;
    const std::ptrdiff_t reach = sends == receives ? 0 : std::min(kMostShift, std::max(sends, receives));
    for (std::ptrdiff_t shift = -reach; shift <= reach; ++shift) {
        std::ptrdiff_t fit = 0;
        const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, -shift);
        for (std::ptrdiff_t i = first; i < std::min({sends, receives - shift, first + kLookedAt}); ++i) {
            fit += overlap(pair.sends[static_cast<std::size_t>(i)],
                           pair.receives[static_cast<std::size_t>(i + shift)])
                       ? 1
                       : 0;
        }
        if (fit > most) {
            most = fit;
            best = shift;
        }
    }
    return best;
}

void MessageMatcher::join(const PairKey& key, const IssuedPair& pair, std::vector<Message>& messages)
{
    const auto sends = static_cast<std::ptrdiff_t>(pair.sends.size());
    const auto receives = static_cast<std::ptrdiff_t>(pair.receives.size());
    const std::ptrdiff_t shift = shiftOf(pair);
    for (std::ptrdiff_t i = std::min<std::ptrdiff_t>(0, -shift); i < sends || i + shift < receives; ++i) {
        const bool sent = i >= 0 && i < sends;
        const bool received = i + shift >= 0 && i + shift < receives;
        if (sent && received) {
            const IssuedEnd& send = pair.sends[static_cast<std::size_t>(i)];
            const IssuedEnd& receive = pair.receives[static_cast<std::size_t>(i + shift)];
            messages.push_back(
                {std::get<0>(key).first, send.bytes ? send.bytes : receive.bytes, send.end, receive.end});
        } else if (sent) {
            ++m_open[kernelOf(pair.sends[static_cast<std::size_t>(i)].end)];
        } else if (received) {
            ++m_open[kernelOf(pair.receives[static_cast<std::size_t>(i + shift)].end)];
        }
    }
}

std::vector<Message> MessageMatcher::finish(UnequalEnds unequal)
{
    std::vector<Message> messages;
    for (const auto& [key, pair] : m_pairs) {
        if (unequal == UnequalEnds::ByTime || pair.sends.size() == pair.receives.size()) {
            join(key, pair, messages);
        }
    }
    for (Message& message : messages) {
        message.sender.whole = !m_open.contains(kernelOf(message.sender));
        message.receiver.whole = !m_open.contains(kernelOf(message.receiver));
    }
    return messages;
}

} // namespace

std::set<std::int64_t> exchangesOf(const trace::ProcessTrace& process)
{
    constexpr std::size_t kMostNeighbours = 2;
    using Key = std::pair<std::int64_t, std::int64_t>; // group of calls, communicator
    std::map<Key, std::set<std::int64_t>> partners;
    for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
        if (call.groupId != 0 && call.peer &&
            collectiveKind(process.text(call.api)) == CollectiveKind::Send) {
            partners[{call.groupId, call.communicator}].insert(*call.peer);
        }
    }
    std::map<std::int64_t, std::int64_t> ownRank;
    for (const trace::CommunicatorRow& row : process.communicators) {
        ownRank.emplace(row.id, row.rank);
    }
    std::set<std::int64_t> exchanges;
    for (const auto& [key, peers] : partners) {
        const auto own = ownRank.find(key.second);
        const bool withItself = own != ownRank.end() && peers.contains(own->second);
        if (withItself || peers.size() > kMostNeighbours) {
            exchanges.insert(key.first);
        }
    }
    return exchanges;
}

std::vector<Message> matchMessages(const trace::RunTrace& trace, const std::vector<Rank>& ranks,
                                   const std::vector<CommunicationWork>& communication, UnequalEnds unequal)
{
    MessageMatcher matcher(trace, ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        matcher.addRank(i, communication[ranks[i].process]);
    }
    return matcher.finish(unequal);
}

std::vector<Swap> findSwaps(const std::vector<Message>& messages)
{
    using Kernel = std::pair<std::size_t, std::int64_t>; // rank, begin
    std::map<std::pair<Kernel, Kernel>, const Message*> sent;
    std::vector<Swap> swaps;
    for (const Message& message : messages) {
        if (!message.sender.device || !message.receiver.device) {
            continue;
        }
        const Kernel from(message.sender.rank, message.sender.device->start);
        const Kernel to(message.receiver.rank, message.receiver.device->start);
        sent.emplace(std::pair(from, to), &message);
        if (sent.contains({to, from})) {
            swaps.push_back({message.sender, message.receiver});
        }
    }
    return swaps;
}

} // namespace ringside::model
