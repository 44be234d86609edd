// SPDX-License-Identifier: Apache-2.0
// Another NVTX tool that was configured before the collector (RINGSIDE_CHAINED_NVTX). It installs its
// functions first; the collector's functions call them and return their results, so that the tool works
// as without the collector. Functions that the collector does not hook stay the tool's. All clients of
// NVTX (one a library) share the tool's functions, because the tool cannot distinguish clients either.
#pragma once
#include "abi/nvtx.h"
#include "nvtx/names.h"
#include "record/session.h"

#include <optional>

namespace ringside::collector::nvtx {

/// Whether there is another tool, or why there is none.
enum class Chain { None, Active, Declined, NotLoaded };
Chain chainState();

/// The client of NVTX: a library with NVTX 3 headers, or the older libnvToolsExt.so.1.
enum class Client { Embedded, SharedLibrary };
/// Lets the other tool install itself. Returns false if there is none or it refused.
bool chainCore(Client client, GetExportTable getExportTable);
bool chainExtension(ExtensionModule* module);

/// The function that the tool installed. Null: it does not want such events.
struct Next {
    std::atomic<Function> function{nullptr};
};

/// Translates an argument for the tool: it does not know handles that only the collector gave out.
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

/// Calls the other tool's function, if there is one. Calls that the tool makes meanwhile are not
/// recorded as the program's.
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
