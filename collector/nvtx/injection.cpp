// SPDX-License-Identifier: Apache-2.0
// NVTX injection. Every library that embeds NVTX calls InitializeInjectionNvtx2 once, which installs the
// collector's functions in its tables. libnvToolsExt.so.1, from before NVTX 3, calls
// InitializeInjectionNvtx. Libraries that use payloads also call InitializeInjectionNvtxExtension. A
// tool that was configured before the collector installs its functions first (chain.h).
#include "nvtx/injection.h"

#include "nvtx/chain.h"
#include "nvtx/hooks.h"
#include "record/own_variables.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace ringside::collector::nvtx {
namespace {

std::atomic<bool> g_installed{false};

// The values that NVTX writes into an unused slot: a null pointer, or a number that is no function.
bool isEmpty(Function slot)
{
    return slot == nullptr;
}
bool isEmpty(std::intptr_t slot)
{
    constexpr std::intptr_t kLargestState = 4; // NVTX_EXTENSION_INIT_FN_FAILED
    return slot >= 0 && slot <= kLargestState;
}

// One of a client's tables, and its entries before any tool was installed.
template <class Slot>
struct Slots {
    static constexpr std::size_t kMost = 16;
    std::array<Slot*, kMost> at{};
    std::array<Slot, kMost> before{};

    void add(std::size_t id, Slot* slot)
    {
        if (id < kMost && slot != nullptr) {
            at[id] = slot;
            before[id] = *slot;
        }
    }
    void restore()
    {
        for (std::size_t id = 0; id < kMost; ++id) {
            if (at[id] != nullptr) {
                *at[id] = before[id];
            }
        }
    }
    /// Installs the collector's hooks, and keeps the entries that a tool installed. The hooks may be
    /// installed already: if a tool's older entry point calls its newer one by name, it calls the
    /// collector's, which is preloaded.
    void install(std::span<const Hook> hooks)
    {
        for (const Hook& hook : hooks) {
            Slot* const slot = at[hook.id];
            if (slot == nullptr) {
                continue;
            }
            const auto present = reinterpret_cast<Function>(*slot);
            if (*slot != before[hook.id] && !isEmpty(*slot) && present != hook.function) {
                hook.next->function.store(present, std::memory_order_release);
            }
            *slot = reinterpret_cast<Slot>(hook.function);
        }
    }
};

Slots<Function> slotsOf(const CallbackTable& callbacks, Module module)
{
    Slots<Function> slots;
    FunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks.getModuleFunctionTable(module, &table, &size) != 0 && table != nullptr) {
        for (unsigned id = 0; id < size; ++id) {
            slots.add(id, table[id]);
        }
    }
    return slots;
}

Slots<std::intptr_t> slotsOf(const ExtensionSegment& segment)
{
    Slots<std::intptr_t> slots;
    for (std::size_t id = 0; id < segment.slotCount && segment.slots != nullptr; ++id) {
        slots.add(id, &segment.slots[id]);
    }
    return slots;
}

// The path under which this library was loaded.
const char* ownPath()
{
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(&ownPath), &info) != 0 ? info.dli_fname : nullptr;
}

bool isOwnLibrary(const char* path)
{
    char theirs[4096];
    char ours[4096];
    const char* own = ownPath();
    return own != nullptr && realpath(path, theirs) != nullptr && realpath(own, ours) != nullptr &&
           std::strcmp(theirs, ours) == 0;
}

// NVTX reads the variable at its first event. A tool that it names gets its events through the
// collector.
__attribute__((constructor)) void announce()
{
    constexpr const char* kVariable = "NVTX_INJECTION64_PATH";
    const char* const directory = std::getenv("RINGSIDE_DIR");
    const char* const own = ownPath();
    if (directory == nullptr || *directory == '\0' || own == nullptr) {
        return;
    }
    const char* const other = std::getenv(kVariable);
    const bool named = other != nullptr && *other != '\0';
    if (named && isOwnLibrary(other)) {
        return;
    }
    if (named) {
        changeVariable("RINGSIDE_CHAINED_NVTX", other);
    }
    changeVariable(kVariable, own);
}

int install(Client client, GetExportTable getExportTable)
{
    const auto* callbacks = static_cast<const CallbackTable*>(getExportTable(kExportTableCallbacks));
    if (callbacks == nullptr || callbacks->structSize < sizeof(CallbackTable)) {
        return 0;
    }
    auto core = slotsOf(*callbacks, kModuleCore);
    auto core2 = slotsOf(*callbacks, kModuleCore2);
    if (!chainCore(client, getExportTable)) {
        core.restore();
        core2.restore();
    }
    core.install(coreHooks());
    core2.install(core2Hooks());
    g_installed = true;
    return 1;
}

} // namespace

bool isInstalled()
{
    return g_installed.load(std::memory_order_acquire);
}

} // namespace ringside::collector::nvtx

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(ringside::collector::nvtx::GetExportTable getExportTable)
{
    using namespace ringside::collector::nvtx;
    return install(Client::Embedded, getExportTable);
}

/// Of libnvToolsExt.so.1, whose tables are those of NVTX 3.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx(ringside::collector::nvtx::GetExportTable getExportTable)
{
    using namespace ringside::collector::nvtx;
    return install(Client::SharedLibrary, getExportTable);
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(ringside::collector::nvtx::ExtensionModule* module)
{
    using namespace ringside::collector::nvtx;
    if (module == nullptr) {
        return 0;
    }
    if (module->moduleId != kExtensionPayload || module->compatibilityId < kOldestPayloadExtension ||
        module->segmentCount == 0 || module->segments == nullptr) {
        return chainExtension(module) ? 1 : 0; // none of ours
    }
    auto payload = slotsOf(module->segments[0]);
    if (!chainExtension(module)) {
        payload.restore();
    }
    payload.install(payloadHooks());
    return 1;
}
