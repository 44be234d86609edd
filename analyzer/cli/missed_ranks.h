// SPDX-License-Identifier: Apache-2.0
// Finds ranks below a running command that do not load the collector: their launcher dropped LD_PRELOAD, or
// they run in a container without the collector's file. It reads /proc so seldom that the cost does not
// matter. It sees descendants of the command on this host that live for a second or longer.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ringside::cli {

class MissedRanks final {
public:
    /// `collector` is the path as it stands in LD_PRELOAD.
    explicit MissedRanks(std::filesystem::path collector);

    /// Checks the processes if it is time to. Call it several times a second. Never throws.
    void check();

    /// Returns a warning about missed ranks and what to do; empty: none was missed.
    [[nodiscard]] std::string text() const;

private:
    enum class Why { NoVariable, NoFile, NotLoaded };
    struct Missed {
        std::string program;
        Why why = Why::NotLoaded;
        int looks = 0;
    };
    void checkProcess(pid_t pid);
    [[nodiscard]] Why whyMissed(pid_t pid, const std::string& environment) const;

    std::filesystem::path m_collector;
    std::string m_fileName; ///< the end of its line in a process's maps
    std::set<pid_t> m_reached;
    std::set<std::int64_t> m_reachedRanks;
    std::map<std::int64_t, Missed> m_missed;
    std::int64_t m_nextNs = 0;
    std::int64_t m_pauseNs = 0;
};

} // namespace ringside::cli
