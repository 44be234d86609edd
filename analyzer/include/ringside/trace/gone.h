// SPDX-License-Identifier: Apache-2.0
// How a process ended that did not close its trace. There are two sources: `ringside record`, which watches
// from outside and writes HOST-PID.gone beside the database (format: FORMAT.md, "Ends seen from outside"),
// and the process itself, in the header of its ring. Both become settings, so that older readers can open
// such a trace, too.
#pragma once
#include <ringside/trace/reader.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace ringside::trace {

struct SeenEnd {
    std::int64_t goneNs = 0;       ///< when it was found to have ended, CLOCK_MONOTONIC of its host
    std::optional<int> waitStatus; ///< exit status as of wait(2); null if the kernel did not report it
    bool operator==(const SeenEnd&) const = default;
};

/// Returns the path of the file that belongs to a process file: NAME.gone beside NAME.db.
[[nodiscard]] std::filesystem::path goneFileOf(const std::filesystem::path& processFile);

/// Returns null if the file does not exist or has other content.
[[nodiscard]] std::optional<SeenEnd> readGone(const std::filesystem::path& file);

/// Reads the same from a process that was loaded.
[[nodiscard]] std::optional<SeenEnd> seenEnd(const ProcessTrace& process);

/// Returns the settings that it becomes.
[[nodiscard]] std::vector<SettingRow> goneSettings(const SeenEnd& end);

/// Replaces the file as a whole. Returns false if it cannot be written.
[[nodiscard]] bool writeGone(const std::filesystem::path& file, const SeenEnd& end);

/// What a process recorded about its own end.
struct OwnEnd {
    bool becameAnother = false; ///< replaced by another program with exec, so there is no exit code
    int exitCode = 0;
    bool operator==(const OwnEnd&) const = default;
};

/// Returns the settings that RingHeader::ownEnd becomes; none if the process recorded nothing.
[[nodiscard]] std::vector<SettingRow> ownEndSettings(std::uint32_t ownEnd);

/// Returns null if the process recorded nothing.
[[nodiscard]] std::optional<OwnEnd> ownEnd(const ProcessTrace& process);

} // namespace ringside::trace
