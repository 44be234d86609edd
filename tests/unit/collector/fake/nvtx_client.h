// SPDX-License-Identifier: Apache-2.0
// What a library that embeds NVTX does, with all functions of the tables: the trainer's client has only those
// that it calls itself, and the toolkit is not everywhere.
#pragma once
#include "abi/nvtx.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

namespace ringside::test {

namespace nvtx = ringside::collector::nvtx;
using Handle = void*;
using Event = const nvtx::EventAttributes*;

inline constexpr std::size_t kSlots = 16;
// Written by the tool; used once it has accepted, as in the original.
inline std::array<nvtx::Function, kSlots> g_clientCore{};
inline std::array<nvtx::Function, kSlots> g_clientCore2{};
inline std::array<std::intptr_t, 63> g_clientPayload{};

class NvtxClient final {
public:
    /// Loads the tool that NVTX_INJECTION64_PATH names; without one every call does nothing.
    static NvtxClient& get()
    {
        static NvtxClient client;
        return client;
    }

    template <class Result, class... Arguments>
    Result core(unsigned id, Arguments... arguments)
    {
        return call<Result>(m_core[id], arguments...);
    }
    template <class Result, class... Arguments>
    Result core2(unsigned id, Arguments... arguments)
    {
        return call<Result>(m_core2[id], arguments...);
    }
    template <class Result, class... Arguments>
    Result payload(unsigned id, Arguments... arguments)
    {
        constexpr std::intptr_t kLargestState = 4; // an empty or disabled slot
        const std::intptr_t slot = g_clientPayload[id];
        return call<Result>(slot > kLargestState ? reinterpret_cast<nvtx::Function>(slot) : nullptr,
                            arguments...);
    }

private:
    NvtxClient()
    {
        const char* const path = std::getenv("NVTX_INJECTION64_PATH");
        void* const tool = path != nullptr ? dlopen(path, RTLD_LAZY) : nullptr;
        if (tool == nullptr) {
            return;
        }
        using Initialize = int (*)(nvtx::GetExportTable);
        // As libnvToolsExt.so.1, a library of its own, which knows no payloads.
        const bool old = std::getenv("FAKE_NVTX_OLD") != nullptr;
        auto* const initialize = reinterpret_cast<Initialize>(
            dlsym(tool, old ? "InitializeInjectionNvtx" : "InitializeInjectionNvtx2"));
        if (initialize == nullptr || initialize(&exportTable) == 0) {
            return;
        }
        m_core = g_clientCore;
        m_core2 = g_clientCore2;
        if (old) {
            return;
        }
        using Extend = int (*)(nvtx::ExtensionModule*);
        auto* const extend = reinterpret_cast<Extend>(dlsym(tool, "InitializeInjectionNvtxExtension"));
        nvtx::ExtensionSegment segment{0, g_clientPayload.size(), g_clientPayload.data()};
        nvtx::ExtensionModule module{
            3,       sizeof module, nvtx::kExtensionPayload, nvtx::kOldestPayloadExtension, 1, &segment,
            nullptr, nullptr};
        if (extend == nullptr || extend(&module) == 0) {
            g_clientPayload = {};
        }
    }

    template <class Result, class... Arguments>
    static Result call(nvtx::Function function, Arguments... arguments)
    {
        if (function == nullptr) {
            return Result();
        }
        return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
    }

    static const void* exportTable(std::uint32_t id)
    {
        static const nvtx::CallbackTable callbacks{sizeof callbacks, &functionTable};
        return id == nvtx::kExportTableCallbacks ? &callbacks : nullptr;
    }
    static int functionTable(std::int32_t module, nvtx::FunctionTable* table, unsigned* size)
    {
        static std::array<nvtx::Function*, kSlots> core;
        static std::array<nvtx::Function*, kSlots> core2;
        if (module != nvtx::kModuleCore && module != nvtx::kModuleCore2) {
            return 0;
        }
        for (std::size_t id = 0; id < kSlots; ++id) {
            core[id] = &g_clientCore[id];
            core2[id] = &g_clientCore2[id];
        }
        *table = module == nvtx::kModuleCore ? core.data() : core2.data();
        *size = kSlots;
        return 1;
    }

    std::array<nvtx::Function, kSlots> m_core{};
    std::array<nvtx::Function, kSlots> m_core2{};
};

} // namespace ringside::test
