// SPDX-License-Identifier: Apache-2.0
#include "nvtx/chain.h"

#include "record/message.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ringside::collector::nvtx {
namespace {

using InitializeCore = int (*)(GetExportTable);
using InitializeExtension = int (*)(ExtensionModule*);

struct Other {
    Chain state = Chain::None;
    InitializeCore core = nullptr;
    InitializeCore sharedLibrary = nullptr; ///< either may be missing
    InitializeExtension extension = nullptr;
};

template <class Entry>
Entry entryOf(void* library, const char* name)
{
    return library != nullptr ? reinterpret_cast<Entry>(dlsym(library, name)) : nullptr;
}

// Loaded once a process and never unloaded, because programs hold its functions and handles.
Other load()
{
    const char* const path = std::getenv("RINGSIDE_CHAINED_NVTX");
    if (path == nullptr || *path == '\0') {
        return {};
    }
    const Inside inside;
    void* const library = dlopen(path, RTLD_LAZY);
    auto* const sharedLibrary = entryOf<InitializeCore>(library, "InitializeInjectionNvtx");
    auto* const core = entryOf<InitializeCore>(library, "InitializeInjectionNvtx2");
    if (core == nullptr && sharedLibrary == nullptr) {
        const char* const reason = dlerror();
        say(Talk::Always,
            "the NVTX tool that was there before cannot be used: %s; ringside goes on without it",
            reason != nullptr ? reason : path);
        return {Chain::NotLoaded};
    }
    expectOtherHandles();
    return {Chain::Active, core, sharedLibrary,
            entryOf<InitializeExtension>(library, "InitializeInjectionNvtxExtension")};
}

constinit std::atomic<bool> g_accepted{false};

const Other& other()
{
    static const Other loaded = load();
    return loaded;
}

} // namespace

Chain chainState()
{
    const Chain state = other().state;
    return state == Chain::Active && !g_accepted ? Chain::Declined : state;
}

bool chainCore(Client client, GetExportTable getExportTable)
{
    const Inside inside;
    const InitializeCore initialize = client == Client::SharedLibrary ? other().sharedLibrary : other().core;
    if (initialize == nullptr || initialize(getExportTable) == 0) {
        return false;
    }
    g_accepted = true;
    return true;
}

bool chainExtension(ExtensionModule* module)
{
    const Inside inside;
    return other().extension != nullptr && other().extension(module) != 0;
}

// A string handle of the collector means nothing to the other tool, which gets no message then.
Theirs<const EventAttributes*>::operator const EventAttributes*()
{
    if (value == nullptr || value->messageType != kMessageRegistered || !isOurHandle(value->message)) {
        return value;
    }
    std::memcpy(&copy, value, std::min<std::size_t>(value->size, sizeof copy));
    copy.size = sizeof copy;
    copy.messageType = 0;
    copy.message = nullptr;
    return &copy;
}

} // namespace ringside::collector::nvtx
