// SPDX-License-Identifier: Apache-2.0
// Values as texts for people. Every room writes a time, a size or a share in the same way.
#pragma once
#include <cstdint>
#include <string>

namespace ringside::values {

[[nodiscard]] std::string percent(double share);     ///< 0.123 is "12.3 %"
[[nodiscard]] std::string points(double difference); ///< of two shares: "1.2 points"
[[nodiscard]] std::string milliseconds(double ns);   ///< "4.56 ms", whatever the length
[[nodiscard]] std::string
durationText(std::int64_t ns);                    ///< in the unit that fits: "832 ns", "12.34 us", "1.2345 s"
[[nodiscard]] std::string byteText(double bytes); ///< in the unit that fits: "512.0 KiB", "8.00 MiB"

} // namespace ringside::values
