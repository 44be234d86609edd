// SPDX-License-Identifier: Apache-2.0
#include "values/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ringside::values {
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before;
    std::vector<std::size_t> above(b.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t> row(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = std::exchange(above, std::move(row));
    }
    return above.back();
}

std::string nearestName(std::string_view word, const std::vector<std::string>& names)
{
    constexpr std::size_t kLongest = 64; // limits the cost, which grows with the product of the lengths
    std::string nearest;
    std::size_t least = word.size() / 3 + 1;
    for (const std::string& name : names) {
        constexpr std::size_t kTelling = 3; // letters of a prefix, "--" included
        const bool begins = word.size() >= kTelling && name.starts_with(word);
        const std::size_t distance = begins ? 0 : word.size() > kLongest ? least : editDistance(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

} // namespace ringside::values
