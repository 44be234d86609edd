// SPDX-License-Identifier: Apache-2.0
// Times as tests write them: every clock of a trace counts nanoseconds.
#pragma once
#include <cstdint>

namespace ringside::test {

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kSecond = 1'000'000'000;

} // namespace ringside::test
