// SPDX-License-Identifier: Apache-2.0
// Resolves the real functions behind the wrappers, as the loader would have resolved them for the caller
// without the collector. They are resolved at a caller's first call and kept. For a function that the
// program's library lacks the wrapper returns "not supported", and one line on stderr names it.
#pragma once
#include "record/session.h"
#include "resolve/loaded_objects.h"

#include <atomic>

namespace ringside::collector {

enum class Library { Nccl, CudaRuntime, Cupti };

struct Resolved {
    void* function = nullptr;
    /// Found in the global scope; otherwise, other callers may get another function.
    bool forEveryone = false;
};
/// Searches RTLD_NEXT; then the caller's own object and its dependencies (a statically linked NCCL, or a
/// library that Python loaded RTLD_LOCAL); then any loaded object; then the same function under NCCL's
/// pnccl name. `caller` is an address in the caller's code; null: not known.
Resolved resolve(Library library, const char* name, const void* caller);
/// For callers that can use any of several copies.
void* resolveAny(Library library, const char* name);
void sayMissing(const char* name);

/// The function that callers in one object get.
struct FunctionOfCallers {
    AddressRange callers;
    void* function = nullptr;
    const FunctionOfCallers* next = nullptr;
};

/// A real function: one for all callers, or one for each calling object. Keeps a limited number of
/// objects; callers in later ones get the function that was found first.
class RealFunction {
public:
    static constexpr int kMostCallers = 16;
    constexpr RealFunction(Library library, const char* name) : m_library(library), m_name(name) {}
    /// For calls of the program only: a function that the collector itself needs may be missing without
    /// a message.
    void sayMissingOnce();

protected:
    /// The usual case, which costs one load. Null: the function depends on the caller, or is not
    /// resolved yet.
    [[nodiscard]] void* everyones() const { return m_everyones.load(std::memory_order_acquire); }
    /// A missing function is searched again at the next call: the library may be loaded later.
    [[gnu::noinline]] void* findFor(const void* caller);

private:
    [[nodiscard]] void* known(const void* caller) const;
    void keep(const Resolved& found, const void* caller);

    std::atomic<void*> m_everyones{nullptr};
    std::atomic<const FunctionOfCallers*> m_ofCallers{nullptr};
    std::atomic<void*> m_ofOthers{nullptr}; ///< function for callers beyond the limit
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
    /// The function that the thread's current call goes to (t_thread.caller). The collector's own calls
    /// use the same one.
    Function* get()
    {
        Function* const function = everyones();
        return function != nullptr ? function : of(t_thread.caller);
    }
};

} // namespace ringside::collector
