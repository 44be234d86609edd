// SPDX-License-Identifier: Apache-2.0
// The user's launchers, which start agents on the hosts: started side by side, watched while agents are
// awaited, and ended after a limited time.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ringside::probe {

class Launchers final {
public:
    /// Starts `command` by the shell and returns at once. `launcher` is the part of it that the user gave.
    /// Throws ringside::Error (Io) if no shell can be started.
    void start(const std::string& launcher, const std::string& command);
    Launchers() = default;
    Launchers(const Launchers&) = delete;
    Launchers& operator=(const Launchers&) = delete;
    /// Waits until all have ended; those that have not after 10 s are sent SIGTERM, then SIGKILL.
    ~Launchers();

    [[nodiscard]] std::size_t size() const { return m_children.size(); }
    [[nodiscard]] const std::string& launcher(std::size_t index) const { return m_children[index].launcher; }
    /// Returns how a launcher failed, such as "ended with code 255"; null while it runs, or if it ended well
    /// (that of a queue may end before its hosts start).
    [[nodiscard]] std::optional<std::string> failure(std::size_t index) const;

private:
    struct Child {
        pid_t pid;
        std::string launcher;
    };
    void signalAll(int signal) const;
    [[nodiscard]] bool reapAll(int milliseconds);

    std::vector<Child> m_children;
};

} // namespace ringside::probe
