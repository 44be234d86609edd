// SPDX-License-Identifier: Apache-2.0
// The generated data set: digits drawn from small bitmaps, shifted, scaled, turned and covered with noise.
// A sample depends on seed and index only, so every rank and every machine draws the same.
#pragma once
#include <cstdint>
#include <span>

namespace ringside::trainer {

constexpr unsigned kImageSide = 28;
constexpr unsigned kImagePixels = kImageSide * kImageSide;
constexpr unsigned kDigitClasses = 10;
/// Indices from here on are never drawn for training: the held-out part.
constexpr std::uint64_t kHeldOutBegin = std::uint64_t{1} << 40;

/// Draws a sample into `pixels` (kImagePixels floats, about 0 to 1) and returns its digit.
int drawDigit(std::uint64_t seed, std::uint64_t index, std::span<float> pixels);

} // namespace ringside::trainer
