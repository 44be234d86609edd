// SPDX-License-Identifier: Apache-2.0
// Reproduces the order of pandas' sort_values. That sort is not stable, and HTA's queue lengths depend on the
// order of a launch and a kernel of the same us.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace ringside::report::hta {

/// Returns the indices of `values` in ascending order. Equal values are ordered as by numpy's plain argsort
/// (its introsort; its vector code for some processors orders them differently). NaN is not allowed.
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
