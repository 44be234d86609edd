// SPDX-License-Identifier: Apache-2.0
// Which ranks below a running command the collector does not reach: their launcher dropped LD_PRELOAD, or
// they run in a container where the collector's file is not. Looks into /proc seldom enough to cost nothing;
// sees this host's descendants of the command that live a second or longer.
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
    /// `collector` as it stands in LD_PRELOAD.
    explicit MissedRanks(std::filesystem::path collector);

    /// Looks where it is time to; to be called some times a second. Never throws.
    void look();

    /// What to say of them, with what to do; empty: none was missed.
    [[nodiscard]] std::string text() const;

private:
    enum class Why { NoVariable, NoFile, NotLoaded };
    struct Missed {
        std::string program;
        Why why = Why::NotLoaded;
        int looks = 0;
    };
    void lookAt(pid_t pid);
    [[nodiscard]] Why whyMissed(pid_t pid, const std::string& environment) const;

    std::filesystem::path m_collector;
    std::string m_fileName; ///< as a process's maps end its line
    std::set<pid_t> m_reached;
    std::set<std::int64_t> m_reachedRanks;
    std::map<std::int64_t, Missed> m_missed;
    std::int64_t m_nextNs = 0;
    std::int64_t m_pauseNs = 0;
};

} // namespace ringside::cli
