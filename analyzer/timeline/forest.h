// SPDX-License-Identifier: Apache-2.0
// Finds the largest of many values in a range of positions in logarithmic time, so that the cost of a picture
// depends on its pixels, not on the events of the run. It stores only indices (at most a sixteenth of the
// number of values); the caller provides the values.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ringside::timeline {

class Forest final {
public:
    static constexpr std::size_t kFanOut = 16;

    Forest() = default;
    /// Calls `valueOf(i)` for every i below `count`; `count` must fit into 32 bits.
    template <class ValueOf>
    Forest(std::size_t count, const ValueOf& valueOf)
    {
        std::vector<std::uint32_t> level(blocks(count));
        for (std::size_t i = 0; i < level.size(); ++i) {
            const std::size_t begin = i * kFanOut;
            level[i] = static_cast<std::uint32_t>(scan(begin, std::min(count, begin + kFanOut), valueOf));
        }
        while (!level.empty()) {
            m_levels.push_back(std::move(level));
            const std::vector<std::uint32_t>& below = m_levels.back();
            level.assign(below.size() > kFanOut ? blocks(below.size()) : 0, 0);
            for (std::size_t i = 0; i < level.size(); ++i) {
                const auto begin = below.begin() + static_cast<std::ptrdiff_t>(i * kFanOut);
                const auto rest = std::min<std::ptrdiff_t>(below.end() - begin, kFanOut);
                level[i] = *std::max_element(begin, begin + rest, [&](std::uint32_t a, std::uint32_t b) {
                    return valueOf(a) < valueOf(b);
                });
            }
        }
    }

    /// Returns the index of the largest value in [first, last), which must not be empty. Of equal values
    /// compared one by one, it returns the first.
    template <class ValueOf>
    [[nodiscard]] std::size_t largest(std::size_t first, std::size_t last, const ValueOf& valueOf) const
    {
        std::size_t best = first;
        const auto take = [&](std::size_t index) { best = valueOf(index) > valueOf(best) ? index : best; };
        const auto entry = [&](std::size_t level, std::size_t i) {
            return level == 0 ? i : static_cast<std::size_t>(m_levels[level - 1][i]);
        };
        for (std::size_t level = 0; first < last; ++level, first /= kFanOut, last /= kFanOut) {
            const bool top = level == m_levels.size();
            while (first < last && (top || first % kFanOut != 0)) {
                take(entry(level, first++));
            }
            while (first < last && last % kFanOut != 0) {
                take(entry(level, --last));
            }
        }
        return best;
    }

    [[nodiscard]] std::size_t memoryBytes() const
    {
        std::size_t sum = 0;
        for (const auto& level : m_levels) {
            sum += level.capacity() * sizeof(std::uint32_t);
        }
        return sum;
    }

private:
    static std::size_t blocks(std::size_t count) { return (count + kFanOut - 1) / kFanOut; }
    template <class ValueOf>
    static std::size_t scan(std::size_t first, std::size_t last, const ValueOf& valueOf)
    {
        std::size_t best = first;
        for (std::size_t i = first + 1; i < last; ++i) {
            best = valueOf(i) > valueOf(best) ? i : best;
        }
        return best;
    }

    std::vector<std::vector<std::uint32_t>> m_levels; ///< [0]: the largest of each block of values
};

} // namespace ringside::timeline
