// SPDX-License-Identifier: Apache-2.0
#include "values/number_list.h"

#include "values/parse_number.h"

namespace ringside::values {

std::string numberListText(std::span<const std::int64_t> numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        const std::int64_t step = i + 1 < numbers.size() ? numbers[i + 1] - numbers[i] : 0;
        while (step > 0 && last + 1 < numbers.size() && numbers[last + 1] - numbers[last] == step) {
            ++last;
        }
        text += (text.empty() ? "" : " ") + std::to_string(numbers[i]);
        if (last > i + 1) {
            text += "-" + std::to_string(numbers[last]) + "/" + std::to_string(step);
        } else {
            last = i;
        }
        i = last + 1;
    }
    return text;
}

std::vector<std::int64_t> numbersOfList(std::string_view text)
{
    constexpr std::size_t kMost = 1 << 20;
    constexpr std::int64_t kLargest = std::int64_t{1} << 40;
    std::vector<std::int64_t> numbers;
    while (!text.empty()) {
        const auto first = takeNumber<std::int64_t>(text);
        std::int64_t last = first.value_or(-1);
        std::int64_t step = 1;
        if (first && text.starts_with('-')) {
            text.remove_prefix(1);
            last = takeNumber<std::int64_t>(text).value_or(-1);
            text.remove_prefix(text.starts_with('/') ? 1 : 0);
            step = takeNumber<std::int64_t>(text).value_or(0);
        }
        if (!first || *first < 0 || last < *first || last > kLargest || step < 1 ||
            (!text.empty() && text.front() != ' ')) {
            return {};
        }
        for (std::int64_t number = *first; number <= last; number += step) {
            if (numbers.size() == kMost) {
                return {};
            }
            numbers.push_back(number);
        }
        text.remove_prefix(text.empty() ? 0 : 1);
    }
    return numbers;
}

} // namespace ringside::values
