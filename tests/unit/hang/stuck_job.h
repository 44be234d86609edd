// SPDX-License-Identifier: Apache-2.0
// A job that comes to a halt, described by what its ranks call, and the dumps of PyTorch's flight recorder
// that it leaves. What completes is computed from the calls by NCCL's rules: a collective needs the same call
// of all members, a send its receive, and a rank's GPU runs its calls one after the other. So a test plants a
// fault, and what the other ranks come to follows from it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ringside::test {

/// How dumps are written.
struct DumpStyle {
    bool json = false;
    bool timing = true;        ///< TORCH_NCCL_ENABLE_TIMING: the dump tells when a call started
    std::size_t buffer = 2000; ///< TORCH_FR_BUFFER_SIZE: earlier calls are overwritten
    std::string version = "2.10";
};

class StuckJob final {
public:
    using Ranks = std::vector<std::int64_t>;
    struct Call {
        std::size_t group = 0;
        std::string name;       ///< such as "all_reduce"; "send" and "recv" have a peer
        std::int64_t size = 0;  ///< elements
        std::int64_t peer = -1; ///< rank in the group
        std::int64_t batch = 0; ///< calls of a batch share a number that is not 0
    };

    explicit StuckJob(std::int64_t ranks, std::size_t ahead = 3);

    /// Adds a process group of these ranks and returns its number. Group 0 holds all ranks.
    std::size_t group(const std::string& description, Ranks ranks);
    [[nodiscard]] const Ranks& ranksOf(std::size_t group) const { return m_groups[group].ranks; }

    /// All members call the collective, except those that are halted or listed in `without`.
    void collective(std::size_t group, const std::string& name, std::int64_t size, const Ranks& without = {});
    /// A message between two ranks of the job.
    void message(std::size_t group, std::int64_t from, std::int64_t to, std::int64_t size = 512);
    void send(std::size_t group, std::int64_t from, std::int64_t to, std::int64_t size = 512);
    void receive(std::size_t group, std::int64_t to, std::int64_t from, std::int64_t size = 512);
    /// One batch of calls of a rank: pairs of "send" or "recv" and the peer, or of a collective and its size.
    void batch(std::size_t group, std::int64_t rank,
               const std::vector<std::pair<std::string, std::int64_t>>& parts);
    /// A call of one rank.
    void call(std::int64_t rank, Call call);
    /// The rank makes no further calls: its host is stuck elsewhere, or dead.
    void halt(std::int64_t rank) { m_halted.insert(rank); }
    /// The rank's GPU does not come to calls that it issues from now on.
    void blockGpu(std::int64_t rank) { m_blocked[rank] = m_programs[at(rank)].size(); }
    /// Its dump is of the moment before its last `calls` calls.
    void dumpedEarlier(std::int64_t rank, std::size_t calls) { m_earlier[rank] = calls; }
    void withoutDump(std::int64_t rank) { m_withoutDump.insert(rank); }

    /// Runs the job until nothing goes on, and writes nccl_trace_rank_N into the folder.
    void writeDumps(const std::filesystem::path& folder, const DumpStyle& style);
    /// What PyTorch's watchdogs write: every rank with an open collective says that it timed out. `statuses`:
    /// and how far it came in which group, which the others say of the default group, too.
    [[nodiscard]] std::string watchdogLog(bool statuses);
    /// Whether all calls completed.
    [[nodiscard]] bool wentThrough() const;

private:
    struct Group {
        std::string name, description;
        Ranks ranks;
    };
    /// A call and what became of it.
    struct Run {
        Call call;
        std::int64_t order = 0;     ///< among the collectives of the group, or the messages of the pair
        std::int64_t issuedAt = -1; ///< tick; -1: not issued
        bool done = false;
    };
    using Program = std::vector<Run>;
    static std::size_t at(std::int64_t rank) { return static_cast<std::size_t>(rank); }
    void run();
    bool issue(std::int64_t rank);
    bool complete(std::int64_t rank);
    [[nodiscard]] std::pair<std::size_t, std::size_t> head(std::int64_t rank) const;
    [[nodiscard]] bool isMatched(std::int64_t rank, const Run& run) const;
    [[nodiscard]] bool runsCounterpart(std::int64_t rank, const Run& run, std::int64_t other) const;
    [[nodiscard]] std::int64_t placeIn(std::size_t group, std::int64_t rank) const;
    [[nodiscard]] nlohmann::ordered_json dump(std::int64_t rank, const DumpStyle& style) const;
    [[nodiscard]] nlohmann::ordered_json entries(std::int64_t rank, const DumpStyle& style) const;

    std::size_t m_ahead; ///< calls that a host issues before the first of them has completed
    std::vector<Group> m_groups;
    std::vector<Program> m_programs;
    std::set<std::int64_t> m_halted, m_withoutDump;
    std::map<std::int64_t, std::size_t> m_blocked, m_earlier;
    std::int64_t m_tick = 0;
    std::int64_t m_batches = 0;
};

} // namespace ringside::test
