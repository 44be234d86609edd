// SPDX-License-Identifier: Apache-2.0
#include "report/shared_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ringside::report {
namespace {

struct Place {
    std::set<std::int64_t> ranks;
    std::set<std::size_t> hosts;
};
using Places = std::map<std::string, Place>; ///< by the name of a host, a number of a GPU, a begin of names

void add(Places& places, const std::string& name, const model::Rank& rank)
{
    Place& place = places[name];
    place.ranks.insert(rank.rank);
    place.hosts.insert(rank.host);
}

Places hostsOf(const model::Model& model)
{
    Places places;
    for (const model::Rank& rank : model.ranks) {
        if (const std::string& name = model.hosts[rank.host].name; !name.empty()) {
            add(places, name, rank);
        }
    }
    return places;
}

/// Returns the number of a rank among those of its host, as its launcher gave it.
std::optional<std::int64_t> localRankOf(const model::Model& model, const model::Rank& rank)
{
    for (const trace::RankRow& row : model.processOf(rank).ranks) {
        if (row.rank == rank.rank) {
            return row.localRank;
        }
    }
    return std::nullopt;
}

/// Returns the ranks with the same number on at least two hosts. In clusters with a network adapter for each
/// GPU, these share a rail.
Places railsOf(const model::Model& model)
{
    Places places;
    for (const model::Rank& rank : model.ranks) {
        if (const auto local = localRankOf(model, rank)) {
            add(places, fmt::to_string(*local), rank);
        }
    }
    std::erase_if(places, [](const auto& place) { return place.second.hosts.size() < 2; });
    return places;
}

/// Returns the ranks of hosts whose names begin alike, up to a separator: "rack7-" of "rack7-node12".
Places rowsOfHosts(const model::Model& model)
{
    constexpr std::string_view kSeparators = "-._";
    constexpr std::size_t kMostLevels = 8; // a name may be hostile
    Places places;
    for (const model::Rank& rank : model.ranks) {
        const std::string& name = model.hosts[rank.host].name;
        std::size_t at = name.find_first_of(kSeparators);
        for (std::size_t level = 0; level < kMostLevels && at != std::string::npos; ++level) {
            add(places, name.substr(0, at + 1), rank);
            at = name.find_first_of(kSeparators, at + 1);
        }
    }
    std::erase_if(places, [&](const auto& place) {
        return place.second.hosts.size() < 2 || place.second.hosts.size() == model.hosts.size();
    });
    return places;
}

/// Returns the ranks behind each switch that the user described. Switches above all hosts of the run are left
/// out.
Places switchesOf(const model::Model& model)
{
    std::map<std::string_view, std::vector<const model::Rank*>> ranksOn; // by short host name
    for (const model::Rank& rank : model.ranks) {
        ranksOn[model::shortHostName(model.hosts[rank.host].name)].push_back(&rank);
    }
    Places places;
    for (const model::Switch& each : model.switches) {
        for (const std::string& host : each.hosts) {
            for (const model::Rank* const rank : ranksOn[host]) {
                add(places, each.name, *rank);
            }
        }
    }
    std::erase_if(places, [&](const auto& place) { return place.second.hosts.size() == model.hosts.size(); });
    return places;
}

/// Returns the probability that all of `drawn` ranks out of `all` are among `held`.
double probabilityOfAll(std::size_t drawn, std::size_t held, std::size_t all)
{
    double probability = held < drawn ? 0 : 1;
    for (std::size_t i = 0; i < drawn && probability > 0; ++i) {
        probability *= static_cast<double>(held - i) / static_cast<double>(all - i);
    }
    return probability;
}

/// Returns the smallest place that holds all of the ranks.
const Places::value_type* smallestHolding(const Places& places, const std::set<std::int64_t>& ranks)
{
    const Places::value_type* smallest = nullptr;
    for (const auto& place : places) {
        const bool smaller = smallest == nullptr || place.second.ranks.size() < smallest->second.ranks.size();
        if (smaller && std::ranges::includes(place.second.ranks, ranks)) {
            smallest = &place;
        }
    }
    return smallest;
}

/// Returns the place, if its share of late ranks and the probability by chance allow to name it.
/// `kinds` is the number of kinds of places that are tried.
std::optional<SharedPlace> judge(const Places& places, const std::set<std::int64_t>& ranks,
                                 const model::Model& model, std::string_view what, std::string_view advice)
{
    const double kinds = model.switches.empty() ? 3 : 4;
    const std::size_t all = model.ranks.size();
    constexpr double kMostChance = 0.01;
    constexpr std::size_t kPart = 4;
    const Places::value_type* const place = smallestHolding(places, ranks);
    if (place == nullptr || places.size() < 2 ||
        kPart * ranks.size() < (kPart - 1) * place->second.ranks.size()) {
        return std::nullopt;
    }
    double chance = 0;
    for (const auto& [name, other] : places) {
        chance += kinds * probabilityOfAll(ranks.size(), other.ranks.size(), all);
    }
    if (chance >= kMostChance) {
        return std::nullopt;
    }
    const std::size_t held = place->second.ranks.size();
    const std::string count =
        ranks.size() == held ? fmt::format("all {}", held) : fmt::format("{} of the {}", ranks.size(), held);
    return SharedPlace{fmt::format(fmt::runtime(what), count, place->first), std::string(advice), chance};
}

} // namespace

std::optional<SharedPlace> sharedPlace(const model::Model& model, std::span<const std::int64_t> ranks)
{
    const std::set<std::int64_t> late(ranks.begin(), ranks.end());
    if (late.size() < 2 || late.size() >= model.ranks.size()) {
        return std::nullopt;
    }
    auto place =
        judge(hostsOf(model), late, model, "{} ranks of host {}",
              "Look at what the ranks of this host share: its CPUs and memory, power and cooling, its "
              "network adapters, other jobs on it.");
    if (!place) {
        place =
            judge(switchesOf(model), late, model, "{} ranks behind switch {}",
                  "Look at this switch and its links: errors, congestion, uplinks that are down, other jobs "
                  "behind it; and at the power and cooling of its rack.");
    }
    if (!place) {
        place =
            judge(railsOf(model), late, model, "{} ranks with local rank {}, on different hosts",
                  "Look at what the same GPU of every host shares: the network adapters and switches of that "
                  "rail, or the same part of the model.");
    }
    if (!place) {
        place = judge(rowsOfHosts(model), late, model, "{} ranks of hosts {}*",
                      "Look at what these hosts share: a switch, power or cooling of a rack.");
    }
    return place;
}

} // namespace ringside::report
