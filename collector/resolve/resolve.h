// SPDX-License-Identifier: Apache-2.0
// Finds the functions that we stand in front of, as the loader would have found them for the caller without
// us. Resolved at a caller's first call and kept; a function that the program's library does not have is
// answered with "not supported" and said once.
#pragma once
#include "record/session.h"
#include "resolve/loaded_objects.h"

#include <atomic>

namespace ringside::collector {

enum class Library { Nccl, CudaRuntime, Cupti };

struct Resolved {
    void* function = nullptr;
    bool forEveryone = false; ///< it is in the global scope; else another caller may have another one
};
/// RTLD_NEXT; then what the caller's own object brings along (a statically linked NCCL, or a library that
/// Python loaded RTLD_LOCAL); then any loaded object; then NCCL's profiling twin. `caller` is an address in
/// the caller's code, null: not known.
Resolved resolve(Library library, const char* name, const void* caller);
/// For whom it does not matter which of several copies it is.
void* resolveAny(Library library, const char* name);
void sayMissing(const char* name);

/// What the callers in one object get.
struct FunctionOfCallers {
    AddressRange callers;
    void* function = nullptr;
    const FunctionOfCallers* next = nullptr;
};

/// One real function: the same for all, or one for each object that calls it. Keeps up to so many objects;
/// those that come later get what was found first.
class RealFunction {
public:
    static constexpr int kMostCallers = 16;
    constexpr RealFunction(Library library, const char* name) : m_library(library), m_name(name) {}
    /// For the program's own call only: what the collector itself asks for may be missing without a word.
    void sayMissingOnce();

protected:
    /// The usual case, which costs a load. Null: it depends on the caller, or was not looked for yet.
    [[nodiscard]] void* everyones() const { return m_everyones.load(std::memory_order_acquire); }
    /// Null is looked for again: the library may come later.
    [[gnu::noinline]] void* findFor(const void* caller);

private:
    [[nodiscard]] void* known(const void* caller) const;
    void keep(const Resolved& found, const void* caller);

    std::atomic<void*> m_everyones{nullptr};
    std::atomic<const FunctionOfCallers*> m_ofCallers{nullptr};
    std::atomic<void*> m_ofOthers{nullptr}; ///< of callers for whom there was no room
    std::atomic<bool> m_saidMissing{false};
    Library m_library;
    const char* m_name;
};

template <class Function>
class Real final : public RealFunction {
public:
    using RealFunction::RealFunction;
    [[nodiscard]] Function* everyones() const
    {
        return reinterpret_cast<Function*>(RealFunction::everyones());
    }
    /// Null: no library has it.
    Function* of(const void* caller)
    {
        Function* const function = everyones();
        return function != nullptr ? function : reinterpret_cast<Function*>(findFor(caller));
    }
    /// What the thread's present call goes to (t_thread.caller); the collector's own questions go there too.
    Function* get() { return of(t_thread.caller); }
};

} // namespace ringside::collector
