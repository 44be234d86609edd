// SPDX-License-Identifier: Apache-2.0
// Finds ranks below a running command that the collector does not record: their launcher dropped LD_PRELOAD,
// or they run in a container without the collector's file or with another C library. Processes without a
// rank count if they have loaded CUDA or NCCL, and LD_PRELOAD was dropped. It reads /proc so seldom
// that the cost does not matter. It sees descendants of the command on this host that live for a second or
// longer.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace ringside::cli {

class MissedRanks final {
public:
    /// `collector` is the path as it stands in LD_PRELOAD.
    explicit MissedRanks(std::filesystem::path collector);

    /// Checks the processes if it is time to. Call it several times a second. Never throws.
    void check();

    /// Returns a warning about missed ranks and what to do; empty: none was missed. A process of a rank that
    /// recorded into `run` counts for it. So does one that only loaded the collector, unless it started
    /// another one in a container that the collector does not reach: then it was the container's launcher.
    [[nodiscard]] std::string text(const std::filesystem::path& run) const;

private:
    enum class Why { NoVariable, NoFile, NotLoaded, NoGlibc };
    struct Missed {
        std::string program;
        Why why = Why::NotLoaded;
        int looks = 0;
    };
    struct Reached {
        std::int64_t rank = 0;
        int looks = 0;
    };
    void checkProcess(pid_t pid);
    [[nodiscard]] bool namesCollector(const std::string& environment) const;
    [[nodiscard]] Why whyMissed(pid_t pid, const std::string& environment) const;
    [[nodiscard]] bool isReached(std::int64_t rank, const Missed& missed,
                                 const std::filesystem::path& run) const;

    std::filesystem::path m_collector;
    std::string m_fileName;             ///< the end of its line in a process's maps
    std::map<pid_t, Reached> m_reached; ///< the processes that loaded the collector
    std::map<std::int64_t, Missed> m_missed;
    std::map<pid_t, Missed> m_withoutRank;
    std::int64_t m_nextNs = 0;
    std::int64_t m_pauseNs = 0;
};

} // namespace ringside::cli
