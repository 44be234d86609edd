// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_member.h"

#include "host/process.h"
#include "trace/read/process_state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ringside::cli {
namespace {

using MemberJson = nlohmann::json;

/// Of a launch without an id, a host that begins later than this belongs to another launch.
constexpr std::int64_t kLongestStartS = 600;

bool haveCommonId(const Member& mine, const Member& other)
{
    const std::string token = std::string(kLaunchVariable) + "=" + other.token;
    return std::ranges::any_of(mine.launch.ids, [&](const std::string& id) {
        return id == token || std::ranges::find(other.launch.ids, id) != other.launch.ids.end();
    });
}

std::string shown(const Launch& launch)
{
    if (!launch.ids.empty()) {
        return launch.ids.front();
    }
    return launch.world.empty() ? "a launch without an id" : launch.world;
}

bool isOver(const Member& member)
{
    return member.exitCode || !mayRun(member);
}

/// Returns whether `mine` is the rank of `other`, started again.
bool isRestart(const Member& mine, const Member& other)
{
    const bool failed = isOver(other) && other.exitCode.value_or(-1) != 0;
    return mine.launch.attempt > other.launch.attempt || (mine.launch.restarts && failed);
}

std::string whyRankRefused(const Member& mine, const std::vector<Member>& others)
{
    for (const Member& other : others) {
        if (other.launch.rank == mine.launch.rank && !isRestart(mine, other)) {
            return mine.launch.rank + (isOver(other) ? " has recorded there" : " is recording there");
        }
    }
    return {};
}

std::string whyNamelessRefused(const Member& mine, const std::vector<Member>& others)
{
    const bool goesOn = std::ranges::any_of(others, [](const Member& other) { return !isOver(other); });
    const bool failed =
        std::ranges::any_of(others, [](const Member& other) { return other.exitCode.value_or(0) != 0; });
    return goesOn || (failed && mine.launch.restarts) ? "" : "its launch has ended";
}

/// Only the time separates the hosts of one launch from those of another.
std::string whyHostRefused(const Member& mine, const std::vector<Member>& others)
{
    for (const Member& other : others) {
        if (other.host == mine.host || isOver(other) || mine.beganS - other.beganS > kLongestStartS) {
            return "it belongs to another launch";
        }
    }
    return {};
}

std::string freshToken(const Member& member)
{
    return member.host + "-" + std::to_string(member.pid) + "-" + std::to_string(member.beganS);
}

} // namespace

Member thisMember(Launch launch)
{
    Member member;
    member.launch = std::move(launch);
    member.host = host::hostName();
    member.bootId = host::bootId();
    member.pid = static_cast<std::uint32_t>(getpid());
    member.startTicks = host::ownStartTicks();
    member.beganS = std::time(nullptr);
    const char* const given = std::getenv(kLaunchVariable);
    member.token = given != nullptr && *given != '\0' ? given : freshToken(member);
    return member;
}

Member sharingToken(Member member, const Member& earlier)
{
    const char* const given = std::getenv(kLaunchVariable);
    if (given == nullptr || *given == '\0') {
        member.token = earlier.token;
    }
    return member;
}

std::string toText(const Member& member)
{
    const Launch& launch = member.launch;
    const MemberJson json{{"ids", launch.ids},
                          {"rank", launch.rank},
                          {"world", launch.world},
                          {"attempt", launch.attempt},
                          {"token", member.token},
                          {"host", member.host},
                          {"boot_id", member.bootId},
                          {"pid", member.pid},
                          {"start_ticks", member.startTicks},
                          {"began_s", member.beganS},
                          {"exit_code", member.exitCode ? MemberJson(*member.exitCode) : MemberJson()}};
    return json.dump(-1, ' ', true, MemberJson::error_handler_t::replace) + "\n";
}

std::optional<Member> memberFromText(const std::string& text)
{
    try {
        const MemberJson json = MemberJson::parse(text);
        Member member;
        json.at("ids").get_to(member.launch.ids);
        json.at("rank").get_to(member.launch.rank);
        json.at("world").get_to(member.launch.world);
        json.at("attempt").get_to(member.launch.attempt);
        json.at("token").get_to(member.token);
        json.at("host").get_to(member.host);
        json.at("boot_id").get_to(member.bootId);
        json.at("pid").get_to(member.pid);
        json.at("start_ticks").get_to(member.startTicks);
        json.at("began_s").get_to(member.beganS);
        if (const MemberJson& code = json.at("exit_code"); !code.is_null()) {
            member.exitCode = code.get<int>();
        }
        return member;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

bool mayRun(const Member& member)
{
    return member.host != host::hostName() || member.bootId != host::bootId() ||
           trace::pidHere(member.pid, member.startTicks).has_value();
}

std::string whyRefused(const Member& mine, const std::vector<Member>& others)
{
    const bool same =
        std::ranges::any_of(others, [&](const Member& other) { return haveCommonId(mine, other); });
    const bool namesItself = !mine.launch.ids.empty() && !others.front().launch.ids.empty();
    if (!same && (namesItself || mine.launch.world != others.front().launch.world)) {
        return "it belongs to another launch (" + shown(others.front().launch) +
               "; this one: " + shown(mine.launch) + ")";
    }
    const bool hasRank = !mine.launch.rank.empty();
    if (hasRank && (same || !others.front().launch.rank.empty())) {
        return whyRankRefused(mine, others);
    }
    return same ? whyNamelessRefused(mine, others) : whyHostRefused(mine, others);
}

} // namespace ringside::cli
