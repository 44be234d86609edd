// SPDX-License-Identifier: Apache-2.0
// The array behind one column of a table: a std::vector whose new elements are zero without being written.
// Big columns are pages of the kernel's that are cleared at their first use; clearing them beforehand cost a
// third of the time of loading a trace, and columns that hold nothing need no memory at all.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside::trace {

/// Hands out memory that is zero, and leaves elements made without a value as they are.
template <class T>
class ZeroedAllocator {
public:
    static_assert(std::is_arithmetic_v<T>, "zero bytes must be the value that T() is");
    using value_type = T;

    ZeroedAllocator() = default;
    template <class U>
    ZeroedAllocator(const ZeroedAllocator<U>& /*other*/) // NOLINT(*-explicit-*): allocators convert
    {}
    [[nodiscard]] T* allocate(std::size_t count)
    {
        void* const memory = std::calloc(count, sizeof(T)); // checks the product
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }
    template <class U>
    void construct(U* /*place*/)
    {}
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments)
    {
        std::construct_at(place, std::forward<Arguments>(arguments)...);
    }
    friend bool operator==(const ZeroedAllocator& /*a*/, const ZeroedAllocator& /*b*/) { return true; }
};

/// resize() of a column that never held more gives zeros; after clear() or erase() it would show what was
/// there before, so a column is only ever filled once.
template <class T>
using Column = std::vector<T, ZeroedAllocator<T>>;

} // namespace ringside::trace
