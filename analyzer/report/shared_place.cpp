// SPDX-License-Identifier: Apache-2.0
#include "report/shared_place.h"

#include "words/shared_place.h"

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
            add(places, std::to_string(*local), rank);
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
                                 const model::Model& model, const words::Template& what,
                                 const words::Template& advice)
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
    const words::Text count =
        words::say(ranks.size() == held ? words::shared_place::all : words::shared_place::part,
                   {{"late", ranks.size()}, {"held", held}});
    return SharedPlace{words::say(what, {{"ranks", count}, {"name", place->first}}), advice, chance};
}

} // namespace

std::optional<SharedPlace> sharedPlace(const model::Model& model, std::span<const std::int64_t> ranks)
{
    const std::set<std::int64_t> late(ranks.begin(), ranks.end());
    if (late.size() < 2 || late.size() >= model.ranks.size()) {
        return std::nullopt;
    }
    auto place =
        judge(hostsOf(model), late, model, words::shared_place::host, words::shared_place::host_advice);
    if (!place) {
        place = judge(switchesOf(model), late, model, words::shared_place::behind_switch,
                      words::shared_place::switch_advice);
    }
    if (!place) {
        place =
            judge(railsOf(model), late, model, words::shared_place::rail, words::shared_place::rail_advice);
    }
    if (!place) {
        place =
            judge(rowsOfHosts(model), late, model, words::shared_place::row, words::shared_place::row_advice);
    }
    return place;
}

} // namespace ringside::report
