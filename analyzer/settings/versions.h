// SPDX-License-Identifier: Apache-2.0
// Converts version numbers as libraries return them to the usual text, and back.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::settings {

/// Converts the result of ncclGetVersion: 22809 is "2.28.9". Before 2.9 the major version counts thousands
/// (2708 is "2.7.8").
[[nodiscard]] std::string ncclText(std::int64_t version);
/// Converts the result of cudaRuntimeGetVersion: 13000 is "13.0".
[[nodiscard]] std::string cudaText(std::int64_t version);
/// Converts the result of cudnnGetVersion: 91900 is "9.19.0". Before 9 the major version counts thousands
/// (8902 is "8.9.2").
[[nodiscard]] std::string cudnnText(std::int64_t version);

using Version = std::array<std::int64_t, 3>; ///< major, minor, patch
/// Reads "2.14", "2.28.9" or "2.28.9+cuda13.0". Null if major and minor are not there.
[[nodiscard]] std::optional<Version> versionIn(std::string_view text);

/// Adds a library's version as the table of conditions reads it: NAME, with the minor version as hundredths
/// ("2.14", "11.08"), and NAME_text, the text itself. Adds nothing if the text is no version.
void addVersion(const std::string& name, std::string_view text,
                std::map<std::string, std::string, std::less<>>& facts);

} // namespace ringside::settings
