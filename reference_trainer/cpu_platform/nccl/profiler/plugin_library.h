// SPDX-License-Identifier: Apache-2.0
// Finds the profiler plugin's shared object by NCCL 2.28's rules for NCCL_PROFILER_PLUGIN.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ringside::nccl::profiler {

/// Returns the names to dlopen for a value of NCCL_PROFILER_PLUGIN (null: unset), in this order; empty for
/// "none". A missing name means the program itself (STATIC_PLUGIN, or any prefix of that word).
[[nodiscard]] std::vector<std::optional<std::string>> candidates(const char* setting);

/// An open shared object, closed with the last owner.
class PluginLibrary final {
public:
    /// Opens the first candidate that can be opened, and logs the result. Returns false if there is none.
    [[nodiscard]] bool open();
    PluginLibrary() = default;
    ~PluginLibrary();
    PluginLibrary(const PluginLibrary&) = delete;
    PluginLibrary& operator=(const PluginLibrary&) = delete;

    [[nodiscard]] void* symbol(const char* name) const;
    /// Returns the path it was loaded from; empty for the program itself.
    [[nodiscard]] std::string path() const;

private:
    void* m_handle = nullptr;
};

} // namespace ringside::nccl::profiler
