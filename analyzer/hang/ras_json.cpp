// SPDX-License-Identifier: Apache-2.0
// Reads the answer of NCCL 2.28.7 and newer to SET FORMAT json.
#include "hang/ras_answer.h"
#include "output/json_value.h"
#include "values/parse_number.h"

#include <map>

namespace ringside::hang {
namespace {

constexpr std::int64_t kMostNumber = std::int64_t{1} << 53; ///< a JSON number is exact up to here

std::optional<std::int64_t> numberOf(const Json& object, const char* name)
{
    const auto member = object.is_object() ? object.find(name) : object.end();
    if (member == object.end() || !member->is_number_unsigned() ||
        member->get<std::uint64_t>() > static_cast<std::uint64_t>(kMostNumber)) {
        return std::nullopt;
    }
    return member->get<std::int64_t>();
}

const Json& memberOf(const Json& object, const char* name)
{
    static const Json nothing;
    const auto member = object.is_object() ? object.find(name) : object.end();
    return member != object.end() ? *member : nothing;
}

bool isTrue(const Json& object, const char* name)
{
    const Json& member = memberOf(object, name);
    return member.is_boolean() && member.get<bool>();
}

/// Ranks by function and by what they launched.
using Launched = std::map<std::string, std::map<std::uint64_t, std::vector<RasRank>>>;

void addCounts(const Json& entry, const RasRank& rank, Launched& launched)
{
    for (const auto& [function, count] : memberOf(entry, "collective_counts").items()) {
        if (count.is_number_unsigned()) {
            launched[function][count.get<std::uint64_t>()].push_back(rank);
        }
    }
}

std::optional<RasRank> rankOf(const Json& entry)
{
    const auto rank = numberOf(entry, "rank");
    return rank ? std::optional(RasRank{*rank, numberOf(entry, "pid")}) : std::nullopt;
}

void readRanks(const Json& json, RasCommunicator& communicator, RasAnswer& answer)
{
    Launched launched;
    for (const Json& entry : memberOf(json, "ranks")) {
        if (const auto rank = rankOf(entry)) {
            addCounts(entry, *rank, launched);
            answer.pids.push_back(rank->pid.value_or(-1));
        }
    }
    for (auto& [function, groups] : launched) {
        for (auto& [count, ranks] : groups) {
            if (groups.size() > 1) {
                communicator.counts.push_back({function, count, ranks.size(), std::move(ranks)});
            }
        }
    }
    for (const Json& entry : memberOf(json, "missing_ranks")) {
        const auto rank = rankOf(entry);
        const Json& status = memberOf(entry, "status"); // 2.28.7 has none; a missing rank is missing then
        if (rank &&
            (!status.is_object() || isTrue(status, "unresponsive") || isTrue(status, "considered_dead"))) {
            communicator.silent.push_back(*rank);
            answer.pids.push_back(rank->pid.value_or(-1));
        }
    }
}

} // namespace

std::optional<RasAnswer> parseRasJson(std::string_view text)
{
    constexpr int kDeepest = 16;
    const auto isShallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
    const Json json = Json::parse(text, isShallow, false);
    if (!memberOf(json, "nccl_version").is_string() || !memberOf(json, "communicators").is_array()) {
        return std::nullopt;
    }
    RasAnswer answer;
    for (const Json& entry : memberOf(json, "communicators")) {
        RasCommunicator communicator;
        const Json& hash = memberOf(entry, "hash");
        std::string_view digits =
            hash.is_string() ? std::string_view(hash.get_ref<const std::string&>()) : "";
        digits.remove_prefix(digits.starts_with("0x") ? 2 : 0);
        communicator.hash = values::parseNumber<std::uint64_t>(digits, 16).value_or(0);
        readRanks(entry, communicator, answer);
        answer.communicators.push_back(std::move(communicator));
    }
    std::erase(answer.pids, -1);
    return answer;
}

} // namespace ringside::hang
