// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include "random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ringside::trainer {
namespace {

constexpr unsigned kGlyphWidth = 5;
constexpr unsigned kGlyphHeight = 7;

constexpr std::array<std::string_view, kDigitClasses> kGlyphs = {
    " ### #   ##  ### # ###  ##   # ### ", "  #   ##    #    #    #    #   ### ",
    " ### #   #    #   #   #   #   #####", "#####   #   #     #     ##   # ### ",
    "   #   ##  # # #  # #####   #    # ", "######    ####     #    ##   # ### ",
    "  ##  #   #    #### #   ##   # ### ", "#####    #   #   #   #    #    #   ",
    " ### #   ##   # ### #   ##   # ### ", " ### #   ##   # ####    #   #  ##  ",
};

/// Returns a glyph's ink at a cell; outside it is empty, so that edges fade out.
float ink(std::string_view glyph, int column, int row)
{
    if (column < 0 || row < 0 || column >= static_cast<int>(kGlyphWidth) ||
        row >= static_cast<int>(kGlyphHeight))
        return 0.0F;
    return glyph[static_cast<unsigned>(row) * kGlyphWidth + static_cast<unsigned>(column)] == '#' ? 1.0F
                                                                                                  : 0.0F;
}

float bilinear(std::string_view glyph, float x, float y)
{
    const float left = std::floor(x);
    const float top = std::floor(y);
    const int column = static_cast<int>(left);
    const int row = static_cast<int>(top);
    const float fx = x - left;
    const float fy = y - top;
    return (1 - fy) * ((1 - fx) * ink(glyph, column, row) + fx * ink(glyph, column + 1, row)) +
           fy * ((1 - fx) * ink(glyph, column, row + 1) + fx * ink(glyph, column + 1, row + 1));
}

} // namespace

int drawDigit(std::uint64_t seed, std::uint64_t index, std::span<float> pixels)
{
    Random random(seed, index);
    const auto digit = static_cast<unsigned>(random.below(kDigitClasses));
    const float angle = random.uniform(-0.3F, 0.3F);
    const float pixelsPerCell = random.uniform(2.4F, 3.4F);
    const float centreX = kImageSide / 2.0F + random.uniform(-3.0F, 3.0F);
    const float centreY = kImageSide / 2.0F + random.uniform(-3.0F, 3.0F);
    const float contrast = random.uniform(0.6F, 1.0F);
    const float cosine = std::cos(angle) / pixelsPerCell;
    const float sine = std::sin(angle) / pixelsPerCell;
    for (unsigned row = 0; row < kImageSide; ++row) {
        for (unsigned column = 0; column < kImageSide; ++column) {
            const float x = static_cast<float>(column) + 0.5F - centreX;
            const float y = static_cast<float>(row) + 0.5F - centreY;
            const float stroke = bilinear(kGlyphs[digit], cosine * x + sine * y + (kGlyphWidth - 1) / 2.0F,
                                          cosine * y - sine * x + (kGlyphHeight - 1) / 2.0F);
            pixels[row * kImageSide + column] = contrast * stroke + random.uniform(-0.25F, 0.25F);
        }
    }
    return static_cast<int>(digit);
}

} // namespace ringside::trainer
