// SPDX-License-Identifier: Apache-2.0
// The alarms that a run had while it was recorded: RUN/alarms.jsonl (ringside-alarm-1.schema.json), written
// by `ringside record`. Whoever can write into the directory can put anything there: a line that is no alarm
// is skipped.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::live {

inline constexpr const char* kAlarmSchema = "ringside-alarm/1";
inline constexpr const char* kAlarmLog = "alarms.jsonl";
inline constexpr std::size_t kMostAlarmLogBytes = std::size_t{4} << 20; ///< `record` writes no more, either

/// Milliseconds since 1970.
struct AlarmSpan {
    std::string kind;
    std::string message; ///< of its beginning
    std::optional<std::int64_t> rank;
    std::string subject;
    std::int64_t beganMs = 0;
    std::optional<std::int64_t> endedMs; ///< null: it was in force when the recording ended
};

/// By their beginning. An end without a beginning is skipped.
[[nodiscard]] std::vector<AlarmSpan> parseAlarmLog(std::string_view text);

/// Empty where there is no such file, as in a run without alarms.
[[nodiscard]] std::vector<AlarmSpan> readAlarmLog(const std::filesystem::path& runDirectory);

} // namespace ringside::live
