// SPDX-License-Identifier: Apache-2.0
// Another NVTX tool that was there before us (RINGSIDE_CHAINED_NVTX): it installs its functions first, ours
// call them and return what they returned, so that it sees and gives what it would without us. What we do not
// hook stays its own. Clients of NVTX (one a library) share the tool's functions: it has no context of theirs
// to tell them apart either.
#pragma once
#include "abi/nvtx.h"
#include "nvtx/names.h"
#include "record/session.h"

#include <optional>

namespace ringside::collector::nvtx {

/// Why there is or is no other tool.
enum class Chain { None, Active, Declined, NotLoaded };
Chain chainState();

/// Who asks for a tool: a library that has NVTX 3 in itself, or libnvToolsExt.so.1 of before.
enum class Client { Embedded, SharedLibrary };
/// Lets the other tool install itself. False without one, or when it refused.
bool chainCore(Client client, GetExportTable getExportTable);
bool chainExtension(ExtensionModule* module);

/// What it installed for a function; null where it takes no such events.
struct Next {
    std::atomic<Function> function{nullptr};
};

/// Its own view of an argument: it does not know what only we gave out.
template <class Argument>
struct Theirs {
    Argument value;
    operator Argument() const { return value; }
};
template <>
struct Theirs<Handle> {
    Handle value;
    operator Handle() const { return isOurHandle(value) ? nullptr : value; }
};
template <>
struct Theirs<const EventAttributes*> {
    const EventAttributes* value = nullptr;
    EventAttributes copy{};
    operator const EventAttributes*();
};

/// Calls the other tool's function; nothing without one. What it does meanwhile is not the program's doing.
template <class Result, class... Arguments>
std::optional<Result> passOn(const Next& next, Arguments... arguments)
{
    const Function function = next.function.load(std::memory_order_acquire);
    if (function == nullptr) [[likely]] {
        return std::nullopt;
    }
    const Inside inside;
    return reinterpret_cast<Result (*)(Arguments...)>(function)(Theirs<Arguments>{arguments}...);
}
template <class... Arguments>
void tell(const Next& next, Arguments... arguments)
{
    const Function function = next.function.load(std::memory_order_acquire);
    if (function != nullptr) [[unlikely]] {
        const Inside inside;
        reinterpret_cast<void (*)(Arguments...)>(function)(Theirs<Arguments>{arguments}...);
    }
}

} // namespace ringside::collector::nvtx
