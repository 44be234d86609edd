// SPDX-License-Identifier: Apache-2.0
// Watches, beside a running command, the processes that record into the run directory, and writes down when
// one was gone without having closed its trace (HOST-PID.gone), and how it ended where the kernel tells: a
// process cannot record its own end, and with these times it can be told who died first. Sees this host's
// processes only, and not those whose clock is another (a time namespace). What cannot be watched is left out
// without a word.
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
    /// Looks a last time, and ends the thread.
    ~ProcessEnds();
    ProcessEnds(const ProcessEnds&) = delete;
    ProcessEnds& operator=(const ProcessEnds&) = delete;

private:
    struct Watched {
        std::filesystem::path announcement; ///< HOST-PID.rings
        std::uint32_t pid = 0;              ///< as we call it
        std::uint64_t startTicks = 0;
    };
    void watch();
    bool findNew();
    bool begin(const std::filesystem::path& announcement);
    void noteEnds(int timeoutMs);

    std::filesystem::path m_directory;
    int m_stop; ///< an eventfd that tells the thread to end; all but this is the thread's own while it runs
    std::map<std::string, int> m_looks; ///< by announcement: how often it is still to be looked at
    std::vector<pollfd> m_polled;       ///< [0]: m_stop; then a pidfd each
    std::vector<Watched> m_watched{{}}; ///< in the same order
    std::thread m_thread;
};

} // namespace ringside::cli
