// SPDX-License-Identifier: Apache-2.0
// The order in which pandas' sort_values leaves rows. It is not stable, and HTA's queue lengths depend on
// which of a launch and a kernel of the same us comes first, so its order is made here again.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace ringside::report::hta {

/// Places of `values` in ascending order, equal ones as numpy's plain argsort leaves them (its introsort; its
/// vector code for some processors orders them differently). No NaN.
[[nodiscard]] std::vector<std::size_t> numpyOrder(std::span<const double> values);

/// Sorts `items` by `key` in that order.
template <class Item, class Key>
void sortAsNumpy(std::vector<Item>& items, const Key& key)
{
    std::vector<double> keys;
    keys.reserve(items.size());
    for (const Item& item : items) {
        keys.push_back(key(item));
    }
    std::vector<Item> sorted;
    sorted.reserve(items.size());
    for (const std::size_t place : numpyOrder(keys)) {
        sorted.push_back(std::move(items[place]));
    }
    items = std::move(sorted);
}

} // namespace ringside::report::hta
