// SPDX-License-Identifier: Apache-2.0
// Assigns ids to launch configurations, the same id to equal ones. Programs whose shapes vary may use any
// number of them, so there is a limit: it keeps memory small, and the ids of kernels within two bytes.
#pragma once
#include <ringside/trace/rows.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace ringside::trace {

class LaunchConfigurations final {
public:
    static constexpr std::size_t kMost = 65535;

    struct Found {
        std::uint32_t id = 0; ///< 0: the configuration says nothing, or there are too many
        bool isFresh = false; ///< the caller has to store it
    };
    /// Finds a configuration. Its own id is ignored.
    Found idOf(LaunchConfigurationRow row);
    /// The number of kernels whose configuration was refused because there are too many.
    [[nodiscard]] std::int64_t refused() const { return m_refused; }

private:
    struct Hash {
        std::size_t operator()(const LaunchConfigurationRow& row) const;
    };
    std::unordered_map<LaunchConfigurationRow, std::uint32_t, Hash> m_ids; ///< keys have id 0
    std::int64_t m_refused = 0;
};

/// Fills in the size of both kinds of shared memory together, where each is known.
void addSharedBytes(LaunchConfigurationRow& row);
/// A configuration as a tool reported it, without values that no launch can have: those stay unknown.
[[nodiscard]] LaunchConfigurationRow withoutImpossible(LaunchConfigurationRow row);

} // namespace ringside::trace
