// SPDX-License-Identifier: Apache-2.0
// How a process ended that did not close its trace. As `ringside record` saw it from outside: HOST-PID.gone
// beside its database; FORMAT.md, "Ends seen from outside", has the form. And as it said itself, in the
// header of its ring. Both become settings, so that older readers open such a trace, too.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace ringside::trace {

struct SeenEnd {
    std::int64_t goneNs = 0;       ///< when it was seen to be gone, CLOCK_MONOTONIC of its host
    std::optional<int> waitStatus; ///< how it ended, as wait(2) gives it; null: the kernel did not tell
    bool operator==(const SeenEnd&) const = default;
};

/// The file that belongs to a process file: NAME.gone beside NAME.db.
[[nodiscard]] std::filesystem::path goneFileOf(const std::filesystem::path& processFile);

/// Null when there is no such file, or it holds anything else.
[[nodiscard]] std::optional<SeenEnd> readGone(const std::filesystem::path& file);

/// The same of a process that was read.
[[nodiscard]] std::optional<SeenEnd> seenEnd(const ProcessTrace& process);

/// The settings that it becomes.
[[nodiscard]] std::vector<SettingRow> goneSettings(const SeenEnd& end);

/// Puts the file in place as a whole. False where it cannot: then nobody saw.
[[nodiscard]] bool writeGone(const std::filesystem::path& file, const SeenEnd& end);

/// What a process said when it ended itself.
struct ToldEnd {
    bool becameAnother = false; ///< program, by exec: then there is no exit code
    int exitCode = 0;
    bool operator==(const ToldEnd&) const = default;
};

/// The settings that RingHeader::toldEnd becomes; none: it said nothing.
[[nodiscard]] std::vector<SettingRow> toldEndSettings(std::uint32_t toldEnd);

/// Null: it said nothing.
[[nodiscard]] std::optional<ToldEnd> toldEnd(const ProcessTrace& process);

} // namespace ringside::trace
