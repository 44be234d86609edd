// SPDX-License-Identifier: Apache-2.0
// What the environment asks for. Read once, when recording starts.
#pragma once
#include <cstddef>
#include <string>

namespace ringside::collector {

enum class Profile {
    Auto,     ///< light, and the device tier for steps 10 to 60
    Light,    ///< no device tier
    Standard, ///< the device tier all the time
    Off,
};

struct Options {
    std::string directory;           ///< RINGSIDE_DIR; empty: do not record
    Profile profile = Profile::Auto; ///< RINGSIDE_PROFILE
    /// RINGSIDE_RING_BYTES, rounded up to a power of two. The default holds 0.4 s of 100,000 NCCL calls a
    /// second: as long as a busy machine may keep the drain thread waiting, and longer than it takes to
    /// begin.
    std::size_t ringBytes = std::size_t{4} << 20;
};

Options readOptions();

} // namespace ringside::collector
