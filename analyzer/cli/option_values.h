// SPDX-License-Identifier: Apache-2.0
// What options accept that are no names. Each check says it in words, which stand in --help and in the
// refusal of another value, and leaves the value as the parser reads it.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>

namespace ringside::cli {

[[nodiscard]] CLI::Validator wholeNumber(std::int64_t least);
[[nodiscard]] CLI::Validator wholeNumber(std::int64_t least, std::int64_t most);
[[nodiscard]] CLI::Validator number(double least, double most);
/// Percent, with or without the sign.
[[nodiscard]] CLI::Validator percent(double least, double most);
/// A share, or percent with the sign.
[[nodiscard]] CLI::Validator share(double least, double most);
[[nodiscard]] CLI::Validator processNumber();
[[nodiscard]] CLI::Validator duration();
[[nodiscard]] CLI::Validator size(std::int64_t leastBytes);

/// Accepts 0, too.
[[nodiscard]] CLI::Validator orZero(const CLI::Validator& check);

} // namespace ringside::cli
