// SPDX-License-Identifier: Apache-2.0
// Copies the dumps of PyTorch's flight recorder that a running command writes into its run directory, where
// `ringside hang` compares them with the recording. PyTorch writes a dump when a collective times out, and
// ends the job after it; on some systems its folder is gone then.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside::flight_dumps {

/// Folder of the copies in a run directory. Their names are HOST_rank_N.
inline constexpr const char* kFlightDumpFolder = "flight_recorder";

class FlightDumps final {
public:
    /// Files that were last written before this moment belong to earlier jobs.
    explicit FlightDumps(std::filesystem::path run);

    /// Copies the dumps that were completed since. Call it several times a second; it looks seldom, and never
    /// throws.
    void look();
    /// Copies what is left when the command has ended. Never throws.
    void finish();

private:
    enum class When { Stable, Now };
    /// A file as it was when it was last seen, or copied.
    struct Seen {
        std::int64_t writtenNs = 0;
        std::uint64_t bytes = 0;
        bool operator==(const Seen&) const = default;
    };
    void findPlaces();
    void copyAll(When when);
    void visit(const std::filesystem::path& prefix, When when, std::set<std::int64_t>& copied);
    bool copyIfNew(const std::filesystem::path& file, std::int64_t rank, When when);
    bool copy(const std::filesystem::path& file, std::int64_t rank);
    void warn(const std::string& text);

    std::filesystem::path m_run;
    std::string m_host;
    std::int64_t m_startNs;
    std::set<std::string> m_prefixes;
    std::set<std::int64_t> m_ranks; ///< of the command, where its processes tell; empty: not known
    std::map<std::filesystem::path, Seen> m_seen;
    std::map<std::filesystem::path, Seen> m_done;
    std::uint64_t m_copiedBytes = 0;
    std::int64_t m_nextLookNs = 0;
    std::int64_t m_nextPlacesNs = 0;
    std::int64_t m_placesPauseNs;
    bool m_warned = false;
};

} // namespace ringside::flight_dumps
