// SPDX-License-Identifier: Apache-2.0
// Writes the run of a large training job in the native format: thousands of ranks on hosts of eight GPUs,
// with about 200 device operations a step. Kernel times are log-normal; the clock of each host has an offset
// and a drift of its own. A fault can be planted. All draws follow from the place, so that equal arguments
// give equal runs and ranks can be written one after the other.
//   make_job NAME.ringside RANKS STEPS [none|late_rank|slow_host|slow_rail|rotating]
#include <ringside/error.h>
#include <ringside/trace/writer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace trace = ringside::trace;

constexpr std::int64_t kRanksAHost = 8;
constexpr std::size_t kSegments = 8; ///< stretches of compute, each of which a collective ends
constexpr std::size_t kKernelsASegment = 24;
constexpr std::int64_t kOriginNs = 1'000'000'000'000;
constexpr std::int64_t kRealtimeNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kBetweenNs = 2'000; ///< from a collective's end to the next kernel
constexpr std::int64_t kWorld = 1;         ///< ids of communicators
constexpr std::int64_t kRail = 2;
constexpr std::uint32_t kComputeStream = 7;
constexpr std::uint32_t kMessageStream = 13;
constexpr std::uint64_t kBucketBytes = 26'214'400;

enum class Fault : std::uint8_t { None, LateRank, SlowHost, SlowRail, Rotating };
constexpr std::array<std::string_view, 5> kFaults{"none", "late_rank", "slow_host", "slow_rail", "rotating"};

/// Numbers that are drawn at one place of the job.
std::mt19937_64 drawsAt(std::uint64_t what, std::int64_t first, std::int64_t second)
{
    std::seed_seq seed{what, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(second)};
    return std::mt19937_64(seed);
}

double draw(std::mt19937_64& random, double median, double sigma)
{
    return std::lognormal_distribution<double>(std::log(median), sigma)(random);
}

/// When the collectives of a step end, in true time, by rail.
struct StepTimes {
    std::int64_t beginNs = 0;
    std::array<std::array<std::int64_t, kSegments>, kRanksAHost> endNs{};
};

class Job final {
public:
    Job(std::int64_t ranks, std::int64_t steps, Fault fault);

    [[nodiscard]] std::int64_t ranks() const { return m_ranks; }
    [[nodiscard]] std::int64_t steps() const { return m_steps; }
    /// If a rail is slow, each rail has a communicator of its own, and only the last collective of a step is
    /// of all ranks. Otherwise all are.
    [[nodiscard]] bool hasRails() const { return m_fault == Fault::SlowRail; }
    [[nodiscard]] bool isOfRail(std::size_t segment) const { return hasRails() && segment + 1 < kSegments; }
    [[nodiscard]] std::size_t railOf(std::int64_t rank) const
    {
        return hasRails() ? static_cast<std::size_t>(rank % kRanksAHost) : 0;
    }
    [[nodiscard]] const StepTimes& times(std::int64_t step) const
    {
        return m_times[static_cast<std::size_t>(step)];
    }
    [[nodiscard]] const std::vector<double>& kernels() const { return m_kernels; }
    /// By how much the kernels of each segment of a step take longer on a rank.
    [[nodiscard]] std::array<double, kSegments> factors(std::int64_t rank, std::int64_t step) const;
    [[nodiscard]] std::int64_t segmentNs(std::size_t segment, double factor) const;

private:
    [[nodiscard]] double faultFactor(std::int64_t rank, std::int64_t step) const;
    [[nodiscard]] std::int64_t transferNs(std::size_t rail, std::mt19937_64& random) const;
    void addStep(std::int64_t step, std::int64_t beginNs);

    std::int64_t m_ranks, m_steps;
    Fault m_fault;
    std::vector<double> m_kernels; ///< medians, ns
    std::vector<StepTimes> m_times;
};

Job::Job(std::int64_t ranks, std::int64_t steps, Fault fault) : m_ranks(ranks), m_steps(steps), m_fault(fault)
{
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < kSegments * kKernelsASegment; ++i) {
        m_kernels.push_back(draw(random, 30'000, 0.8));
    }
    std::int64_t beginNs = 1'000'000;
    for (std::int64_t step = 0; step < steps; ++step) {
        addStep(step, beginNs);
        for (const auto& rail : m_times.back().endNs) {
            beginNs = std::max(beginNs, rail.back() + kBetweenNs);
        }
    }
}

double Job::faultFactor(std::int64_t rank, std::int64_t step) const
{
    switch (m_fault) {
    case Fault::LateRank:
        return rank == m_ranks / 2 + 3 ? 1.15 : 1.0;
    case Fault::SlowHost:
        return rank / kRanksAHost == m_ranks / kRanksAHost / 3 ? 1.12 : 1.0;
    case Fault::Rotating:
        return rank == step * 37 % m_ranks ? 1.3 : 1.0;
    default:
        return 1.0;
    }
}

std::array<double, kSegments> Job::factors(std::int64_t rank, std::int64_t step) const
{
    auto random = drawsAt(2, rank, step);
    std::array<double, kSegments> result{};
    for (double& factor : result) {
        factor = draw(random, faultFactor(rank, step), 0.01);
    }
    return result;
}

std::int64_t Job::segmentNs(std::size_t segment, double factor) const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kKernelsASegment; ++i) {
        sum += static_cast<std::int64_t>(m_kernels[segment * kKernelsASegment + i] * factor);
    }
    return sum;
}

std::int64_t Job::transferNs(std::size_t rail, std::mt19937_64& random) const
{
    constexpr std::size_t kSlowRail = 5;
    constexpr double kTransferNs = 150'000;
    const double factor = m_fault == Fault::SlowRail && rail == kSlowRail ? 3.0 : 1.0;
    return static_cast<std::int64_t>(draw(random, kTransferNs * factor, 0.05));
}

void Job::addStep(std::int64_t step, std::int64_t beginNs)
{
    StepTimes times;
    times.beginNs = beginNs;
    std::vector<std::array<double, kSegments>> all;
    for (std::int64_t rank = 0; rank < m_ranks; ++rank) {
        all.push_back(factors(rank, step));
    }
    auto random = drawsAt(3, step, 0);
    std::array<std::int64_t, kRanksAHost> at{};
    at.fill(beginNs);
    for (std::size_t segment = 0; segment < kSegments; ++segment) {
        std::array<double, kRanksAHost> slowest{};
        for (std::int64_t rank = 0; rank < m_ranks; ++rank) {
            double& factor = slowest[railOf(rank)];
            factor = std::max(factor, all[static_cast<std::size_t>(rank)][segment]);
        }
        const std::int64_t ownTransfer = transferNs(0, random);
        std::int64_t last = 0;
        for (std::size_t rail = 0; rail < kRanksAHost; ++rail) {
            at[rail] += segmentNs(segment, slowest[rail]);
            last = std::max(last, at[rail]);
        }
        for (std::size_t rail = 0; rail < kRanksAHost; ++rail) {
            times.endNs[rail][segment] =
                isOfRail(segment) ? at[rail] + transferNs(rail, random) : last + ownTransfer;
            at[rail] = times.endNs[rail][segment] + kBetweenNs;
        }
    }
    m_times.push_back(times);
}

/// A host's clock: how it shows true time.
struct HostClock {
    explicit HostClock(std::int64_t host)
    {
        auto random = drawsAt(4, host, 0);
        offsetNs = std::uniform_int_distribution<std::int64_t>(0, 3'000'000'000)(random);
        drift = std::normal_distribution<double>(0, 5e-6)(random);
    }
    [[nodiscard]] std::int64_t at(std::int64_t trueNs) const
    {
        return kOriginNs + offsetNs + trueNs + static_cast<std::int64_t>(static_cast<double>(trueNs) * drift);
    }
    std::int64_t offsetNs = 0;
    double drift = 0;
};

/// Writes one rank, step after step.
class RankWriter final {
public:
    RankWriter(const std::filesystem::path& run, const Job& job, std::int64_t rank);
    void write();

private:
    void describe(std::int64_t host);
    void addStep(std::int64_t step);
    void addKernel(trace::StringId name, std::uint32_t stream, std::int64_t startNs, std::int64_t endNs,
                   std::int64_t launchNs);
    void addCommunicator(std::int64_t id, std::uint64_t hash, std::int64_t size, std::int64_t rank);
    void addCollective(std::int64_t communicator, std::int64_t startNs, std::int64_t endNs,
                       std::int64_t launchNs);

    const Job& m_job;
    std::int64_t m_rank;
    HostClock m_clock;
    trace::Writer m_writer;
    trace::StringId m_launch, m_reduce, m_reduceKernel;
    std::vector<trace::StringId> m_names;
    std::uint32_t m_correlation = 0;
    std::int64_t m_calls = 0;
    std::array<std::int64_t, 3> m_sequences{}; ///< by communicator
};

/// Hosts are named node1000, node1001, ...
std::string hostOf(std::int64_t rank)
{
    return "node" + std::to_string(1000 + rank / kRanksAHost);
}

std::string fileName(std::int64_t rank)
{
    return hostOf(rank) + "-" + std::to_string(100'000 + rank) + ".db";
}

RankWriter::RankWriter(const std::filesystem::path& run, const Job& job, std::int64_t rank)
    : m_job(job)
    , m_rank(rank)
    , m_clock(rank / kRanksAHost)
    , m_writer(run / fileName(rank), trace::Writer::Mode::Create)
    , m_launch(m_writer.intern("cudaLaunchKernel"))
    , m_reduce(m_writer.intern("ncclAllReduce"))
    , m_reduceKernel(
          m_writer.intern("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"))
{
    describe(rank / kRanksAHost);
    constexpr std::size_t kNames = 16;
    for (std::size_t i = 0; i < kNames; ++i) {
        m_names.push_back(m_writer.intern("nvjet_tst_128x" + std::to_string(64 + 8 * i) + "_64x4_bz_coopB"));
    }
}

void RankWriter::addCommunicator(std::int64_t id, std::uint64_t hash, std::int64_t size, std::int64_t rank)
{
    trace::CommunicatorRow row;
    row.id = id;
    row.hash = hash;
    row.size = size;
    row.rank = rank;
    row.device = m_rank % kRanksAHost;
    m_writer.add(row);
}

void RankWriter::describe(std::int64_t host)
{
    trace::ProcessRow process;
    process.host = hostOf(m_rank);
    process.bootId = "boot-" + std::to_string(host);
    process.pid = 100'000 + m_rank;
    process.startNs = m_clock.at(0);
    process.endNs = m_clock.at(m_job.times(m_job.steps() - 1).endNs.front().back() + 1'000'000'000);
    process.command = "train.py";
    process.collectorVersion = "bench";
    m_writer.setProcess(process);
    const std::int64_t local = m_rank % kRanksAHost;
    m_writer.setRanks({trace::RankRow{m_rank, local, m_job.ranks(), local, 0, "RANK"}});
    m_writer.add(trace::DeviceRow{
        local, "generated", "GPU-" + std::to_string(m_rank), "", std::nullopt, false, {}, {}, {}});
    addCommunicator(kWorld, 42, m_job.ranks(), m_rank);
    if (m_job.hasRails()) {
        addCommunicator(kRail, 100 + m_job.railOf(m_rank), m_job.ranks() / kRanksAHost, host);
    }
    m_writer.add(trace::ThreadRow{1, 100'000 + m_rank, "main"});
    for (const std::int64_t at : {std::int64_t{0}, m_job.times(m_job.steps() - 1).beginNs}) {
        m_writer.add(trace::ClockSampleRow{m_clock.at(at), kRealtimeNs + at, std::nullopt, std::nullopt});
    }
    for (const trace::TierName& tier : std::array<trace::TierName, 2>{"host", "device"}) {
        m_writer.setTier(trace::TierRow{tier, true, "", process.startNs, std::nullopt});
    }
}

void RankWriter::addKernel(trace::StringId name, std::uint32_t stream, std::int64_t startNs,
                           std::int64_t endNs, std::int64_t launchNs)
{
    constexpr std::int64_t kCallNs = 3'000;
    const std::int64_t launched = m_clock.at(launchNs);
    ++m_correlation;
    m_writer.add(trace::LaunchRow{launched, launched + kCallNs, m_launch,
                                  static_cast<std::uint32_t>(100'000 + m_rank), m_correlation});
    m_writer.add(trace::KernelRow{m_clock.at(startNs), m_clock.at(endNs), name,
                                  static_cast<std::uint32_t>(m_rank % kRanksAHost), stream, m_correlation});
}

void RankWriter::addCollective(std::int64_t communicator, std::int64_t startNs, std::int64_t endNs,
                               std::int64_t launchNs)
{
    trace::CollectiveCallRow row;
    row.id = ++m_calls;
    row.api = m_reduce;
    row.communicator = communicator;
    row.sequence = m_sequences[static_cast<std::size_t>(communicator)]++;
    row.count = kBucketBytes / 2;
    row.bytes = kBucketBytes;
    row.datatype = 9;
    row.reduction = 0;
    row.startNs = m_clock.at(launchNs - 1'000);
    row.endNs = m_clock.at(launchNs + 4'000);
    row.thread = 1;
    m_writer.add(row);
    addKernel(m_reduceKernel, kMessageStream, startNs, endNs, launchNs);
    m_writer.add(trace::CallCorrelationRow{m_correlation, static_cast<std::uint64_t>(m_calls)});
}

void RankWriter::addStep(std::int64_t step)
{
    constexpr std::int64_t kAheadNs = 40'000; ///< the host runs ahead of the device
    constexpr std::int64_t kEndSpreadNs = 2'000;
    const StepTimes& times = m_job.times(step);
    const std::size_t rail = m_job.railOf(m_rank);
    const auto factors = m_job.factors(m_rank, step);
    auto random = drawsAt(5, m_rank, step);
    const std::int64_t next = times.endNs[rail].back();
    m_writer.add(
        trace::StepRow{step, m_clock.at(times.beginNs - kAheadNs), m_clock.at(next - 2 * kAheadNs), 1});
    std::int64_t at = times.beginNs;
    for (std::size_t segment = 0; segment < kSegments; ++segment) {
        for (std::size_t i = 0; i < kKernelsASegment; ++i) {
            const std::size_t place = segment * kKernelsASegment + i;
            const auto takes = static_cast<std::int64_t>(m_job.kernels()[place] * factors[segment]);
            const auto gap = static_cast<std::int64_t>(random() % 200);
            addKernel(m_names[place % m_names.size()], kComputeStream, at, at + takes - gap,
                      at - kAheadNs + static_cast<std::int64_t>(random() % 4'000));
            at += takes;
        }
        const std::int64_t end =
            times.endNs[rail][segment] - static_cast<std::int64_t>(random() % kEndSpreadNs);
        addCollective(m_job.isOfRail(segment) ? kRail : kWorld, at, end, at - kAheadNs);
        at = times.endNs[rail][segment] + kBetweenNs;
    }
}

void RankWriter::write()
{
    constexpr std::int64_t kCommitEvery = 200;
    for (std::int64_t step = 0; step < m_job.steps(); ++step) {
        addStep(step);
        if (step % kCommitEvery == kCommitEvery - 1) {
            m_writer.commit();
        }
    }
    m_writer.close();
}

int write(const std::filesystem::path& run, const Job& job)
{
    std::filesystem::create_directories(run);
    for (std::int64_t rank = 0; rank < job.ranks(); ++rank) {
        RankWriter(run, job, rank).write();
    }
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    const std::vector<std::string_view> words(arguments, arguments + count);
    const std::int64_t ranks = count > 3 ? std::strtoll(arguments[2], nullptr, 10) : 0;
    const std::int64_t steps = count > 3 ? std::strtoll(arguments[3], nullptr, 10) : 0;
    const auto fault = std::ranges::find(kFaults, count > 4 ? words[4] : kFaults.front());
    if (ranks < kRanksAHost || ranks % kRanksAHost != 0 || steps < 1 || fault == kFaults.end()) {
        std::fprintf(
            stderr,
            "usage: make_job NAME.ringside RANKS STEPS [none|late_rank|slow_host|slow_rail|rotating]\n"
            "RANKS is a multiple of 8.\n");
        return 2;
    }
    try {
        return write(arguments[1], Job(ranks, steps, static_cast<Fault>(fault - kFaults.begin())));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_job: %s\n", error.what());
        return 1;
    }
}
