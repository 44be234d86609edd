// SPDX-License-Identifier: Apache-2.0
// Watches the processes that record into the run directory, beside a running command. If one ends without
// closing its trace, it writes the time, and how the process ended if the kernel tells, into HOST-PID.gone: a
// process cannot record its own end, and these times show which process died first. It sees only processes of
// this host, and none in another time namespace. Processes that cannot be watched are skipped without a
// message.
#pragma once
#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace ringside::cli {

class ProcessEnds final {
public:
    /// Starts a thread that blocks all signals.
    explicit ProcessEnds(std::filesystem::path runDirectory);
    /// Checks once more, then ends the thread.
    ~ProcessEnds();
    ProcessEnds(const ProcessEnds&) = delete;
    ProcessEnds& operator=(const ProcessEnds&) = delete;

private:
    struct Watched {
        std::filesystem::path announcement; ///< HOST-PID.rings
        std::uint32_t pid = 0;              ///< as seen by this process
        std::uint64_t startTicks = 0;
    };
    void watch();
    bool findNew();
    bool begin(const std::filesystem::path& announcement);
    void noteEnds(int timeoutMs);

    std::filesystem::path m_directory;
    int m_stop; ///< eventfd that stops the thread; all other members belong to the thread while it runs
    std::map<std::string, int> m_looks; ///< remaining attempts by announcement
    std::vector<pollfd> m_polled;       ///< [0]: m_stop; then one pidfd for each process
    std::vector<Watched> m_watched{{}}; ///< in the order of m_polled
    std::thread m_thread;
};

} // namespace ringside::cli
