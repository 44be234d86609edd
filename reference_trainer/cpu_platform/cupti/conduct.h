// SPDX-License-Identifier: Apache-2.0
// How this CUPTI shall behave, for tests of its clients: as another CUDA's, short of buffers, held by another
// tool, without a driver, without times. Read once from RINGSIDE_PLATFORM_CUPTI (words: README.md).
#pragma once
#include "layouts.h"

#include <cupti.h>

#include <cstddef>
#include <optional>
#include <string>

namespace ringside::cupti {

struct Conduct {
    const Layouts* layouts = nullptr; ///< never null
    bool held = false;                ///< another tool is the subscriber
    bool noDriver = false;
    bool systemThreadIds = false;          ///< another tool has chosen gettid()
    bool hangsAfterExit = false;           ///< once the driver's exit handler has run, no call comes back
    bool zeroTimes = false;                ///< device work is recorded without its times
    std::optional<std::size_t> deviceRoom; ///< records of device work that find room between two flushes
    std::string error;                     ///< what is wrong with the variable, empty if nothing is

    /// Reads the words; the first one it does not know ends in `error`.
    explicit Conduct(const std::string& words);
    /// The process's. Says on stderr, once, what is wrong with the variable.
    static const Conduct& get();
    /// Why calls fail: without a driver, or with a bad variable. CUPTI_SUCCESS otherwise.
    [[nodiscard]] CUptiResult refusal() const;

private:
    void read(const std::string& word);
};

} // namespace ringside::cupti
