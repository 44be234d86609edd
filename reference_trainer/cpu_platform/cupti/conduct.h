// SPDX-License-Identifier: Apache-2.0
// Behaviour of this CUPTI for tests of its clients: another CUDA version, short of buffers, held by another
// tool, without a driver, without times. Read once from RINGSIDE_PLATFORM_CUPTI (values: README.md).
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
    bool systemThreadIds = false;          ///< another tool has selected gettid()
    bool hangsAfterExit = false;           ///< after the driver's exit handler, no call returns
    bool zeroTimes = false;                ///< device work is recorded without its times
    std::optional<std::size_t> deviceRoom; ///< records of device work that fit between two flushes
    std::string error;                     ///< the error in the variable, empty if there is none

    /// Parses the words; `error` names the first unknown one.
    explicit Conduct(const std::string& words);
    /// Returns the process's settings. Prints an error in the variable once on stderr.
    static const Conduct& get();
    /// Returns the error of all calls: without a driver, or with an invalid variable; CUPTI_SUCCESS
    /// otherwise.
    [[nodiscard]] CUptiResult refusal() const;

private:
    void read(const std::string& word);
};

} // namespace ringside::cupti
