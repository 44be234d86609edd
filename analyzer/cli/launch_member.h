// SPDX-License-Identifier: Apache-2.0
// The `record`s that share a run directory. Each leaves a note there, HOST-PID.launch, with what it knew of
// its launch and how its command ended; `launch` is the first one's, and made by only one.
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
    std::string token; ///< what its children have as RINGSIDE_LAUNCH
    std::string host;
    std::string bootId;
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::int64_t beganS = 0; ///< realtime
    std::optional<int> exitCode;
};

/// This process, as a part of `launch`. Its token is RINGSIDE_LAUNCH, else a new one.
[[nodiscard]] Member thisMember(Launch launch);
/// With the token of an earlier one: the environment of all ranks is to be the same.
[[nodiscard]] Member sharingToken(Member member, const Member& earlier);

[[nodiscard]] std::string toText(const Member& member);
/// Null where the text is no note.
[[nodiscard]] std::optional<Member> memberFromText(const std::string& text);

/// Whether it still runs, as far as can be told from this host.
[[nodiscard]] bool mayRun(const Member& member);

/// Why `mine` may not record where `others` do or did; empty: it is a part of their launch.
[[nodiscard]] std::string whyRefused(const Member& mine, const std::vector<Member>& others);

} // namespace ringside::cli
