// SPDX-License-Identifier: Apache-2.0
// What a running job says of itself, for `ringside top` and others who watch: HOST.live.json in the run
// directory, replaced about every two seconds by a rename, so that it needs no port and works wherever the
// directory is shared. Each process writes its part (HOST-PID.live, an object of JSON) on its own host; one
// process of the host, or its `ringside record`, puts them together.
// analyzer/live/ringside-live-1.schema.json says what stands in the file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringside::trace {

inline constexpr const char* kLiveSchema = "ringside-live/1";
inline constexpr const char* kLivePartExtension = ".live";
inline constexpr const char* kLiveSnapshotEnding = ".live.json";
inline constexpr const char* kLiveLockEnding = ".live.lock"; ///< held by who writes HOST.live.json
inline constexpr std::int64_t kLivePeriodNs = 2'000'000'000;
/// A part, and a snapshot. What is longer is left out, or cut to the first processes.
inline constexpr std::size_t kMostPartBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostSnapshotBytes = std::size_t{4} << 20;

/// Text as a string of JSON, in quotes. Bytes that are no ASCII are kept: the texts of a trace are UTF-8.
[[nodiscard]] std::string jsonText(std::string_view text);

/// Puts the parts of this host's processes together, in the run directory or, where that is on a network file
/// system, in the folders that HOST-PID.rings name. `alarms` is a JSON array. Without any part an older
/// snapshot is removed. Returns false, with errno, where it cannot be written.
bool writeLiveSnapshot(const std::filesystem::path& runDirectory, const std::string& host,
                       const std::string& alarms = "[]");

} // namespace ringside::trace
