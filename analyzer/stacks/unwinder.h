// SPDX-License-Identifier: Apache-2.0
// Function names of the stacks that thread_snapshot copied, by libdw. It reads only files that the process
// has mapped; it searches no separate debug information, neither on disk nor over the network.
#pragma once
#include "stacks/thread_snapshot.h"

#include <memory>
#include <string>
#include <vector>

struct Dwfl;

namespace ringside::stacks {

class Unwinder final {
public:
    /// Reads the process's mappings; error() tells whether that failed.
    explicit Unwinder(pid_t pid);

    /// Returns for example "function+0x12 (libc.so.6)", innermost first, at most kMostFrames.
    [[nodiscard]] std::vector<std::string> frames(const ThreadSnapshot& thread);
    [[nodiscard]] const std::string& error() const { return m_error; }

    static constexpr std::size_t kMostFrames = 64;

private:
    struct Access;
    struct End {
        void operator()(Dwfl* dwfl) const;
    };
    [[nodiscard]] std::string describe(std::uint64_t address, bool exact) const;

    pid_t m_pid;
    std::unique_ptr<Dwfl, End> m_dwfl;
    const ThreadSnapshot* m_thread = nullptr; ///< the thread being unwound
    std::vector<std::string> m_frames;        ///< its frames
    std::string m_error;
};

} // namespace ringside::stacks
