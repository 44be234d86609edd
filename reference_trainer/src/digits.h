// SPDX-License-Identifier: Apache-2.0
// The generated data set: digits drawn from small bitmaps, shifted, scaled, rotated and noisy. A sample
// depends only on seed and index, so that every rank and machine draws the same one.
#pragma once
#include <cstdint>
#include <span>

namespace ringside::trainer {

constexpr unsigned kImageSide = 28;
constexpr unsigned kImagePixels = kImageSide * kImageSide;
constexpr unsigned kDigitClasses = 10;
/// Indices from here on are the held-out part: they are never drawn for training.
constexpr std::uint64_t kHeldOutBegin = std::uint64_t{1} << 40;

/// Draws a sample into `pixels` (kImagePixels floats, about 0 to 1) and returns its digit.
int drawDigit(std::uint64_t seed, std::uint64_t index, std::span<float> pixels);

} // namespace ringside::trainer
