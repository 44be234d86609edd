// SPDX-License-Identifier: Apache-2.0
#include "live/waits.h"

#include <algorithm>
#include <map>

namespace ringside::live {
namespace {

struct Member {
    std::int64_t rank = 0; ///< of the job
    std::int64_t sequence = -1;
    std::int64_t issuedMs = 0;
    std::string api; ///< that it is in, with this communicator
};

struct Group {
    std::int64_t size = 0;
    std::vector<Member> members;
};

/// A call that a thread is in has no record yet, so that the latest recorded one is the call before it.
Member memberOf(const Process& process, const Communicator& communicator)
{
    Member member{process.ranks.front().rank,
                  communicator.sequence.value_or(-1),
                  communicator.issuedMs.value_or(0),
                  {}};
    for (const Call& call : process.calls) {
        if (call.communicator != communicator.hash) {
            continue;
        }
        member.api = member.api.empty() ? call.api : member.api;
        if (call.sequence.value_or(-1) > member.sequence) {
            member = {member.rank, *call.sequence, call.sinceMs, call.api};
        }
    }
    return member;
}

/// A process with several ranks does not say which of them is which member: it is left out.
std::map<std::string, Group> groupsOf(const RunNow& run)
{
    std::map<std::string, Group> groups;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            for (const Communicator& each : process.communicators) {
                if (process.ranks.size() != 1 || each.hash.empty()) {
                    continue;
                }
                Group& group = groups[each.hash];
                group.size = std::max(group.size, each.size.value_or(0));
                group.members.push_back(memberOf(process, each));
            }
        }
    }
    return groups;
}

} // namespace

std::vector<Wait> findWaits(const RunNow& run)
{
    std::vector<Wait> waits;
    for (const auto& [hash, group] : groupsOf(run)) {
        const auto furthest =
            std::max_element(group.members.begin(), group.members.end(),
                             [](const Member& a, const Member& b) { return a.sequence < b.sequence; });
        Wait wait;
        wait.communicator = hash;
        wait.sequence = furthest->sequence;
        wait.sinceMs = furthest->issuedMs;
        for (const Member& member : group.members) {
            const bool there = member.sequence == wait.sequence;
            (there ? wait.waiting : wait.missing).push_back(member.rank);
            wait.api = there && wait.api.empty() ? member.api : wait.api;
            wait.sinceMs = there ? std::min(wait.sinceMs, member.issuedMs) : wait.sinceMs;
        }
        wait.notSeen =
            std::max<std::int64_t>(group.size - static_cast<std::int64_t>(group.members.size()), 0);
        if (!wait.missing.empty() && wait.sequence >= 0 && run.readMs - wait.sinceMs >= kLongWaitMs) {
            waits.push_back(std::move(wait));
        }
    }
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.sinceMs < b.sinceMs; });
    return waits;
}

} // namespace ringside::live
