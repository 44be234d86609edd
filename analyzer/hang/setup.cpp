// SPDX-License-Identifier: Apache-2.0
#include "hang/setup.h"

#include "hang/issued.h"
#include "model/communicator_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace ringside::hang {
namespace {

/// A call of one rank that makes a communicator.
struct Setup {
    std::size_t rank = 0; ///< index into Model::ranks
    trace::InFlightRow row;
    model::CommunicatorKey parent; ///< hash 0: a new communicator, or its parent is not known
};

bool makesFromParent(std::string_view api)
{
    return api == "ncclCommSplit" || api == "ncclCommShrink";
}

model::CommunicatorKey parentOf(const model::Rank& rank, const trace::ProcessTrace& process,
                                std::int64_t communicator)
{
    for (const auto& [key, row] : model::communicatorsOf(rank, process)) {
        if (row->id == communicator) {
            return key;
        }
    }
    return {};
}

std::vector<Setup> setupsOf(const model::Model& model)
{
    std::vector<Setup> setups;
    for (std::size_t i = 0; i < model.ranks.size(); ++i) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[i]);
        for (const trace::InFlightRow& row : lastInFlight(process)) {
            const std::string_view api = process.text(row.api);
            const bool child = makesFromParent(api);
            if (!child && !api.starts_with("ncclCommInitRank")) {
                continue;
            }
            const auto parent =
                child ? parentOf(model.ranks[i], process, row.communicator) : model::CommunicatorKey();
            if (!child || parent.first != 0) {
                setups.push_back({i, row, parent});
            }
        }
    }
    return setups;
}

class Builder final {
public:
    Builder(const model::Model& model, const std::vector<RankTimes>& times) : m_model(model), m_times(times)
    {}

    [[nodiscard]] StuckCollective build(const std::vector<Setup>& setups) const
    {
        StuckCollective stuck;
        stuck.setup = true;
        stuck.waitedNs = std::numeric_limits<std::int64_t>::max();
        stuck.communicator = setups.front().parent.first;
        for (const Setup& setup : setups) {
            add(stuck, setup);
        }
        const bool child = stuck.communicator != 0;
        std::set<std::int64_t> members = child ? membersOf(stuck, setups.front().parent) : allRanks(stuck);
        for (const Arrived& arrived : stuck.arrived) {
            members.erase(arrived.rank);
        }
        for (const std::int64_t rank : members) {
            (isRecorded(rank) ? stuck.missing : stuck.unknown).push_back(rank);
        }
        stuck.notRecorded =
            std::max<std::int64_t>(0, stuck.size - std::ssize(stuck.arrived) - std::ssize(stuck.missing));
        return stuck;
    }

private:
    void add(StuckCollective& stuck, const Setup& setup) const
    {
        const model::Rank& rank = m_model.ranks[setup.rank];
        const std::int64_t forNs = std::max<std::int64_t>(0, m_times[setup.rank].untilNs - setup.row.startNs);
        Signature call;
        call.function = m_model.processOf(rank).text(setup.row.api);
        stuck.arrived.push_back(
            {rank.rank, std::move(call), forNs, true, rank.clock.toRun(setup.row.startNs)});
        stuck.waitedNs = std::min(stuck.waitedNs, forNs);
        if (setup.parent.first == 0) {
            stuck.size = static_cast<std::int64_t>(setup.row.count.value_or(0));
        }
    }
    [[nodiscard]] bool isRecorded(std::int64_t rank) const
    {
        return std::ranges::find(m_model.ranks, rank, &model::Rank::rank) != m_model.ranks.end();
    }
    /// The ranks of a new communicator, if it has all of the job; else empty.
    [[nodiscard]] std::set<std::int64_t> allRanks(const StuckCollective& stuck) const
    {
        std::set<std::int64_t> ranks;
        constexpr std::int64_t kMostMembers = 1 << 20; // a damaged size
        if (stuck.size == m_model.worldSize && stuck.size <= kMostMembers) {
            for (std::int64_t rank = 0; rank < stuck.size; ++rank) {
                ranks.insert(rank);
            }
        }
        return ranks;
    }
    /// The members of the parent that are known. Sets the name and the size.
    std::set<std::int64_t> membersOf(StuckCollective& stuck, const model::CommunicatorKey& parent) const
    {
        std::set<std::int64_t> ranks;
        for (const model::Rank& rank : m_model.ranks) {
            const trace::ProcessTrace& process = m_model.processOf(rank);
            for (const auto& [key, row] : model::communicatorsOf(rank, process)) {
                if (key == parent) {
                    ranks.insert(rank.rank);
                    stuck.size = row->size;
                    stuck.name = process.text(row->name);
                }
            }
        }
        return ranks;
    }

    const model::Model& m_model;
    const std::vector<RankTimes>& m_times;
};

} // namespace

std::vector<StuckCollective> stuckSetups(const model::Model& model, const std::vector<RankTimes>& times,
                                         std::int64_t stuckAfterNs)
{
    std::map<std::pair<model::CommunicatorKey, std::uint64_t>, std::vector<Setup>> together;
    for (Setup& setup : setupsOf(model)) {
        const std::uint64_t size = setup.parent.first == 0 ? setup.row.count.value_or(0) : 0;
        together[{setup.parent, size}].push_back(std::move(setup));
    }
    const Builder builder(model, times);
    std::vector<StuckCollective> stuck;
    for (const auto& [key, setups] : together) {
        StuckCollective call = builder.build(setups);
        const bool noticed = std::ranges::any_of(
            setups, [&](const Setup& each) { return times[each.rank].openHang || times[each.rank].inCall; });
        if (noticed || call.waitedNs >= stuckAfterNs) {
            stuck.push_back(std::move(call));
        }
    }
    return stuck;
}

} // namespace ringside::hang
