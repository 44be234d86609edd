// SPDX-License-Identifier: Apache-2.0
// Texts of values for users: one format for times, sizes and shares in all rooms.
#pragma once
#include <cstdint>
#include <string>

namespace ringside::values {

[[nodiscard]] std::string percent(double share);     ///< "12.3 %" for 0.123
[[nodiscard]] std::string points(double difference); ///< difference of two shares, "1.2 points"
[[nodiscard]] std::string milliseconds(double ns);   ///< "4.56 ms", whatever the length
[[nodiscard]] std::string
durationText(std::int64_t ns); ///< in a suitable unit: "832 ns", "12.34 us", "1.2345 s"
/// How long somebody waits: "120 ms", "4.2 s", "35 s", "2 min 5 s" or "3 h 0 min".
[[nodiscard]] std::string coarseDuration(std::int64_t ns);
[[nodiscard]] std::string byteText(double bytes); ///< in a suitable unit: "512.0 KiB", "8.00 MiB"

} // namespace ringside::values
