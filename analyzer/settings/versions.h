// SPDX-License-Identifier: Apache-2.0
// Versions as libraries say them, in one number, as people write them.
#pragma once
#include <cstdint>
#include <string>

namespace ringside::settings {

/// ncclGetVersion: 22809 is "2.28.9"; before 2.9 in thousands (2708 is "2.7.8").
[[nodiscard]] std::string ncclText(std::int64_t version);
/// cudaRuntimeGetVersion: 13000 is "13.0".
[[nodiscard]] std::string cudaText(std::int64_t version);
/// cudnnGetVersion: 91900 is "9.19.0"; before 9 in thousands (8902 is "8.9.2").
[[nodiscard]] std::string cudnnText(std::int64_t version);

} // namespace ringside::settings
