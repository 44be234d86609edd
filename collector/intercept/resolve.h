// SPDX-License-Identifier: Apache-2.0
// Finds the functions that we stand in front of. Resolved at the first call and kept; a
// function that the program's library does not have is answered with "not supported" and said once.
#pragma once
#include <atomic>

namespace ringside::collector {

enum class Library { Nccl, CudaRuntime };

/// RTLD_NEXT, then the library already loaded under any name (Python loads RTLD_LOCAL), then NCCL's profiling
/// twin. Null when there is none.
void* resolve(Library library, const char* name);
void sayMissing(const char* name);

/// The slot of one real function.
template <class Function>
class Real final {
public:
    constexpr Real(Library library, const char* name) : m_library(library), m_name(name) {}
    /// Null until it was looked for and found.
    [[nodiscard]] Function* known() const { return m_function.load(std::memory_order_acquire); }
    /// Null is looked for again: the library may come later.
    Function* find()
    {
        auto* found = reinterpret_cast<Function*>(resolve(m_library, m_name));
        m_function.store(found, std::memory_order_release);
        return found;
    }
    Function* get()
    {
        Function* const function = known();
        return function != nullptr ? function : find();
    }

    /// For the program's own call only: what the collector itself asks for may be missing without a word.
    void sayMissingOnce()
    {
        if (!m_saidMissing.exchange(true)) {
            sayMissing(m_name);
        }
    }

private:
    std::atomic<Function*> m_function{nullptr};
    std::atomic<bool> m_saidMissing{false};
    Library m_library;
    const char* m_name;
};

} // namespace ringside::collector
