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
    std::string directory;                        ///< RINGSIDE_DIR; empty: do not record
    Profile profile = Profile::Auto;              ///< RINGSIDE_PROFILE
    std::size_t ringBytes = std::size_t{2} << 20; ///< RINGSIDE_RING_BYTES, rounded up to a power of two
};

Options readOptions();

} // namespace ringside::collector
