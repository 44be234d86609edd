// SPDX-License-Identifier: Apache-2.0
// The `record` commands that share a run directory. Each writes a note there, HOST-PID.launch, with its
// launch and how its command ended. The file `launch` belongs to the first one; only one can create it.
#pragma once
#include "cli/launch.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::cli {

inline constexpr const char* kFirstMember = "launch";
inline constexpr const char* kMemberExtension = ".launch";

struct Member {
    Launch launch;
    std::string token; ///< RINGSIDE_LAUNCH of its children
    std::string host;
    std::string bootId;
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::int64_t beganS = 0; ///< realtime clock
    std::optional<int> exitCode;
};

/// Returns this process as a member of `launch`. Its token is RINGSIDE_LAUNCH, else a new one.
[[nodiscard]] Member thisMember(Launch launch);
/// Returns the member with the token of an earlier one: the environment of all ranks must be equal.
[[nodiscard]] Member sharingToken(Member member, const Member& earlier);

[[nodiscard]] std::string toText(const Member& member);
/// Returns null if the text is no note.
[[nodiscard]] std::optional<Member> memberFromText(const std::string& text);

/// Returns whether the member may still run, as far as this host can tell.
[[nodiscard]] bool mayRun(const Member& member);

/// Returns why `mine` may not record where `others` do or did; empty: it belongs to their launch.
[[nodiscard]] std::string whyRefused(const Member& mine, const std::vector<Member>& others);

} // namespace ringside::cli
