// SPDX-License-Identifier: Apache-2.0
// A trace in the words of the domain, for unit, golden and GUI tests:
//
//     // 4 ranks, one process each, on one host
//     TraceBuilder trace(4);
//     trace.steps(10, [](StepBuilder& step) {
//         step.everyRank().compute(3ms);
//         step.rank(2).compute(2ms);             // rank 2 is late
//         // ends together, 1 ms after the last arrival
//         step.allReduce(4_MiB, {.takes = 1ms});
//     });
//     RunTrace run = trace.run();                // or trace.write("x.ringside")
//
// Every rank has a host cursor and, on the device, a compute and a communication cursor. Host calls launch
// device work, which starts when its stream is free and its launch has arrived. A step ends with the host
// waiting for the device. What it cannot say is edited in the rows directly: process(rank).
#pragma once
#include <ringside/trace/reader.h>
#include <ringside/trace/writer.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test {

using std::chrono::nanoseconds;
using namespace std::chrono_literals; // NOLINT(google-global-names-in-headers): tests write 3ms

consteval std::uint64_t operator""_KiB(unsigned long long n)
{
    return n << 10U;
}
consteval std::uint64_t operator""_MiB(unsigned long long n)
{
    return n << 20U;
}

struct CollectiveOptions {
    nanoseconds takes = 1ms;    ///< from the last arrival to the common end
    bool overlapped = false;    ///< compute goes on meanwhile; else later compute waits for it
    bool blocksHost = false;    ///< the host call returns only when the collective is done
    nanoseconds queueing = 0ns; ///< between the launch and the earliest start, on every rank
};

struct ComputeOptions {
    std::string_view kernel = "ampere_sgemm_128x64_nn";
    int launches = 1; ///< split into so many kernels of equal length
};

class TraceBuilder;

/// One or all ranks, inside a step. All times are of the emulated machine; order of calls is order in time.
class RankBuilder final {
public:
    RankBuilder& compute(nanoseconds duration, const ComputeOptions& options = {});
    /// A copy on the compute stream. `kind` as cudaMemcpyKind: 1 to the device, 2 to the host, 3 on the
    /// device.
    RankBuilder& copy(std::uint64_t bytes, nanoseconds duration, std::uint32_t kind = 1);
    /// The host is busy inside an NVTX range of that name and launches nothing ("data", "forward"...).
    RankBuilder& host(nanoseconds duration, std::string_view range);
    /// The host launches nothing and nobody says why.
    RankBuilder& hostIdle(nanoseconds duration);
    /// cudaDeviceSynchronize: the host waits for all device work.
    RankBuilder& synchronize();
    /// The device's compute stream waits for the overlapped collectives issued so far.
    RankBuilder& waitForCommunication();

private:
    friend class StepBuilder;
    RankBuilder(TraceBuilder& trace, std::vector<int> ranks) : m_trace(trace), m_ranks(std::move(ranks)) {}
    TraceBuilder& m_trace;
    std::vector<int> m_ranks;
};

class StepBuilder final {
public:
    [[nodiscard]] RankBuilder rank(int rank) { return {m_trace, {rank}}; }
    [[nodiscard]] RankBuilder everyRank();
    [[nodiscard]] std::int64_t number() const { return m_number; }
    void allReduce(std::uint64_t bytes, const CollectiveOptions& options = {});
    void allGather(std::uint64_t bytesARank, const CollectiveOptions& options = {});
    void reduceScatter(std::uint64_t bytesARank, const CollectiveOptions& options = {});
    void broadcast(std::uint64_t bytes, const CollectiveOptions& options = {});

private:
    friend class TraceBuilder;
    StepBuilder(TraceBuilder& trace, std::int64_t number) : m_trace(trace), m_number(number) {}
    TraceBuilder& m_trace;
    std::int64_t m_number;
};

class TraceBuilder final {
public:
    explicit TraceBuilder(int ranks);

    // Before the first step:
    /// Puts a rank on another host than "host0". Clocks of a host run `offset` (at the run's begin) and
    /// `driftPpm` ahead of true time.
    TraceBuilder& host(int rank, const std::string& name, nanoseconds offset = 0ns, double driftPpm = 0);
    TraceBuilder&
    withoutDeviceTier(const std::string& reason); ///< no kernels, copies, launches, correlations
    /// Instead of the device tier: event_time rows around the collectives, nothing else of devices.
    TraceBuilder& withCudaEvents();
    TraceBuilder& withoutStepMarks();   ///< neither step_mark rows nor step ranges
    TraceBuilder& withoutStepEndSync(); ///< hosts run ahead of their devices

    /// Adds `count` steps, each described by `describe`.
    TraceBuilder& steps(int count, const std::function<void(StepBuilder&)>& describe);

    TraceBuilder& setting(const ringside::trace::SettingSource& source, const std::string& name,
                          const std::string& value);
    /// One value; the series is added where it is new, its id is given here.
    TraceBuilder& sample(int rank, const ringside::trace::SeriesRow& series, std::int64_t timeNs,
                         std::int64_t value);

    [[nodiscard]] int ranks() const { return static_cast<int>(m_ranks.size()); }
    /// The rows of one rank, to edit what the words above cannot say.
    [[nodiscard]] ringside::trace::ProcessTrace& process(int rank);
    /// The id of a text in one rank's string table, added if it is new.
    trace::StringId text(int rank, std::string_view text);

    /// The run as the reader would give it.
    [[nodiscard]] ringside::trace::RunTrace run() const;
    /// Writes HOST-PID.db files into `directory`, which is made.
    void write(const std::filesystem::path& directory) const;

private:
    friend class RankBuilder;
    friend class StepBuilder;
    struct Rank {
        ringside::trace::ProcessTrace trace;
        std::map<std::string, trace::StringId, std::less<>> strings;
        std::int64_t host = 0; ///< cursors, true ns since the run's begin
        std::int64_t compute = 0;
        std::int64_t communication = 0;
        std::uint32_t correlation = 0;
        std::int64_t calls = 0;
        std::int64_t collectives = 0;
        nanoseconds offset{};
        double driftPpm = 0;
    };
    struct Collective {
        std::string_view api;
        std::string_view kernel;
        std::uint64_t bytes;
        bool rooted;
    };
    void collective(const Collective& what, const CollectiveOptions& options);
    void endStep(Rank& rank, std::int64_t number, std::int64_t start);
    std::int64_t launch(Rank& rank, std::string_view api);
    void kernel(Rank& rank, std::string_view name, std::uint32_t stream, std::int64_t start,
                std::int64_t end);
    void range(Rank& rank, std::string_view name, std::int64_t start, std::int64_t end);
    void synchronize(Rank& rank, std::string_view api);
    trace::StringId text(Rank& rank, std::string_view text);
    [[nodiscard]] static std::int64_t clock(const Rank& rank, std::int64_t trueNs);
    [[nodiscard]] ringside::trace::ProcessTrace finished(const Rank& rank) const;

    std::vector<Rank> m_ranks;
    std::int64_t m_nextStep = 1;
    bool m_deviceTier = true;
    bool m_cudaEvents = false;
    bool m_stepMarks = true;
    bool m_stepEndSync = true;
};

} // namespace ringside::test
