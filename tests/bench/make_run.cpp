// SPDX-License-Identifier: Apache-2.0
// Writes a run as large as wanted in the native format, as irregular as real ones: kernels of many names
// whose durations are log-normal, on several streams, launched by two threads; copies; all-reduces and
// all-gathers of varying sizes in which ranks arrive apart. For timing a report: what it finds means nothing.
//   make_run NAME.ringside EVENTS RANKS    EVENTS over all ranks: half device work, half launches
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
#include <vector>

namespace {

namespace trace = ringside::trace;

constexpr std::int64_t kWorksAStep = 1250;
constexpr std::int64_t kMessageEvery = 60;
constexpr std::int64_t kCopyEvery = 97;
constexpr std::int64_t kOriginNs = 1'000'000'000;
constexpr std::int64_t kRealtimeOffsetNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::uint32_t kMainStream = 7;
constexpr std::uint32_t kSideStream = 20;
constexpr std::uint32_t kCopyStream = 14;
constexpr std::uint32_t kMessageStream = 13;

enum class Kind : std::uint8_t { Compute, Copy, AllReduce, AllGather };

/// What a step does at one place, the same in every step and on every rank; times are medians.
struct Work {
    Kind kind = Kind::Compute;
    std::string kernel;
    std::uint32_t stream = kMainStream;
    double ns = 0;
    std::uint64_t bytes = 0;
};

double draw(std::mt19937_64& random, double median, double sigma)
{
    return std::lognormal_distribution<double>(std::log(median), sigma)(random);
}

/// As PyTorch, cuBLAS, CUTLASS and FlashAttention call theirs.
std::vector<std::string> kernelNames()
{
    std::vector<std::string> names;
    for (const char* type : {"float", "c10::BFloat16", "c10::Half"}) {
        for (const char* functor : {"AddFunctor", "MulFunctor", "sigmoid", "tanh", "gelu", "silu", "exp",
                                    "rsqrt", "CompareEqFunctor", "BUnaryFunctor"}) {
            names.push_back(std::string("void at::native::vectorized_elementwise_kernel<4, at::native::") +
                            functor + "<" + type + ">, at::detail::Array<char*, 3> >(int, at::native::" +
                            functor + "<" + type + ">, at::detail::Array<char*, 3>)");
            names.push_back(std::string("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<") +
                            type + ", at::native::func_wrapper_t<" + type + ", " + functor +
                            "> > >(at::native::ReduceOp<" + type + ">)");
        }
    }
    for (const char* tile : {"64x64", "128x64", "128x128", "256x128", "192x192"}) {
        for (const char* layout : {"nn", "nt", "tn"}) {
            names.push_back(std::string("ampere_bf16_s16816gemm_bf16_") + tile + "_ldg8_f2f_stages_32x6_" +
                            layout);
            names.push_back(std::string("nvjet_tst_") + tile + "_64x4_2x1_v_bz_coopB_bias_" + layout);
        }
    }
    names.emplace_back(
        "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false> >");
    names.emplace_back(
        "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128> >");
    names.emplace_back(
        "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctorMaster<c10::BFloat16> >");
    return names;
}

Work workAt(std::int64_t place, const std::vector<std::string>& names, std::mt19937_64& random)
{
    constexpr double kMebibyte = 1048576.0;
    Work work;
    if (place % kMessageEvery == kMessageEvery - 1) {
        work.kind = place % (3 * kMessageEvery) == kMessageEvery - 1 ? Kind::AllGather : Kind::AllReduce;
        work.kernel = work.kind == Kind::AllGather
                          ? "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                          : "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
        work.stream = kMessageStream;
        work.bytes = static_cast<std::uint64_t>(draw(random, 8 * kMebibyte, 1.0)) / 1024 * 1024 + 1024;
        work.ns = 15'000 + static_cast<double>(work.bytes) / 100;
    } else if (place % kCopyEvery == 0) {
        work.kind = Kind::Copy;
        work.stream = kCopyStream;
        work.bytes = static_cast<std::uint64_t>(draw(random, kMebibyte, 2.0));
        work.ns = 2'000 + static_cast<double>(work.bytes) / 20;
    } else {
        work.kernel = names[random() % names.size()];
        work.stream = random() % 10 == 0 ? kSideStream : kMainStream;
        work.ns = draw(random, 6'000, 1.0);
    }
    return work;
}

std::vector<Work> planStep()
{
    std::mt19937_64 random(1);
    const std::vector<std::string> names = kernelNames();
    std::vector<Work> plan;
    for (std::int64_t place = 0; place < kWorksAStep; ++place) {
        plan.push_back(workAt(place, names, random));
    }
    return plan;
}

/// Times of a step that all ranks share: when each work is launched, how long it takes, when it is over.
struct Times {
    std::int64_t launchNs = 0;
    std::int64_t takesNs = 0;
};
struct StepTimes {
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0;
    std::vector<Times> works;
};

StepTimes timesOf(const std::vector<Work>& plan, std::int64_t step, std::int64_t beginNs)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(step) + 2);
    StepTimes times{beginNs, 0, {}};
    std::int64_t at = beginNs + 1000;
    for (const Work& work : plan) {
        const auto takes = static_cast<std::int64_t>(draw(random, work.ns, 0.3));
        times.works.push_back({at, takes});
        at += work.stream == kMainStream ? takes + static_cast<std::int64_t>(draw(random, 900, 0.6)) : 3000;
    }
    times.endNs = at + 2'000'000;
    return times;
}

/// Writes one rank, step after step.
class RankWriter final {
public:
    RankWriter(const std::filesystem::path& run, std::int64_t rank, std::int64_t ranks,
               const std::vector<Work>& plan)
        : m_writer(run / ("bench-" + std::to_string(1000 + rank) + ".db"), trace::Writer::Mode::Create)
        , m_rank(rank)
        , m_ranks(ranks)
        , m_plan(plan)
        , m_random(static_cast<std::uint64_t>(rank) + 1'000'000)
        , m_launch(m_writer.intern("cudaLaunchKernel"))
        , m_copy(m_writer.intern("cudaMemcpyAsync"))
    {
        describe();
        for (const Work& work : plan) {
            m_names.push_back(m_writer.intern(work.kernel));
        }
    }
    void addStep(std::int64_t step, const StepTimes& times);
    void commit() { m_writer.commit(); }
    void close() { m_writer.close(); }

private:
    void describe();
    void addMessage(const Work& work, std::int64_t launchNs);
    void addWork(std::size_t place, const Times& times);
    [[nodiscard]] std::uint32_t tid(std::size_t place) const;

    trace::Writer m_writer;
    std::int64_t m_rank;
    std::int64_t m_ranks;
    const std::vector<Work>& m_plan;
    std::mt19937_64 m_random;
    trace::StringId m_launch, m_copy;
    std::vector<trace::StringId> m_names;
    std::map<std::uint32_t, std::int64_t> m_streamEndNs;
    std::uint32_t m_correlation = 0;
    std::int64_t m_calls = 0;
};

void RankWriter::describe()
{
    trace::ProcessRow process;
    process.host = "bench";
    process.pid = 1000 + m_rank;
    process.startNs = kOriginNs;
    process.command = "make_run";
    process.collectorVersion = "bench";
    process.emulated = true;
    m_writer.setProcess(process);
    m_writer.setRanks({trace::RankRow{m_rank, m_rank, m_ranks, 0, 0, "RANK"}});
    m_writer.add(trace::DeviceRow{
        0, "generated", "GPU-" + std::to_string(m_rank), "", std::nullopt, true, {}, {}, {}});
    trace::CommunicatorRow communicator;
    communicator.id = 1;
    communicator.hash = 42;
    communicator.size = m_ranks;
    communicator.rank = m_rank;
    communicator.device = 0;
    m_writer.add(communicator);
    m_writer.add(trace::ThreadRow{1, 1000 + m_rank, "main"});
    m_writer.add(trace::ThreadRow{2, 2000 + m_rank, "pt_autograd_0"});
    for (const std::int64_t at : {std::int64_t{0}, kHour}) {
        m_writer.add(
            trace::ClockSampleRow{kOriginNs + at, kRealtimeOffsetNs + at, std::nullopt, std::nullopt});
    }
    for (const trace::TierName& tier : std::array<trace::TierName, 2>{"host", "device"}) {
        m_writer.setTier(trace::TierRow{tier, true, "", kOriginNs, std::nullopt});
    }
}

/// Backward is the autograd thread's.
std::uint32_t RankWriter::tid(std::size_t place) const
{
    const bool backward = place > m_plan.size() / 3 && place < m_plan.size() * 9 / 10;
    return static_cast<std::uint32_t>((backward ? 2000 : 1000) + m_rank);
}

void RankWriter::addMessage(const Work& work, std::int64_t launchNs)
{
    trace::CollectiveCallRow row;
    row.id = ++m_calls;
    row.api = m_writer.intern(work.kind == Kind::AllGather ? "ncclAllGather" : "ncclAllReduce");
    row.communicator = 1;
    row.sequence = m_calls - 1;
    row.count = work.bytes / 2;
    row.bytes = work.bytes;
    row.datatype = 9;
    row.reduction = 0;
    row.startNs = launchNs - 500;
    row.endNs = launchNs + 1500;
    row.thread = 2;
    m_writer.add(row);
    m_writer.add(trace::CallCorrelationRow{m_correlation, static_cast<std::uint64_t>(m_calls)});
}

void RankWriter::addWork(std::size_t place, const Times& times)
{
    constexpr std::int64_t kLastArrivalNs = 40'000; // a message begins on the last rank by then
    const Work& work = m_plan[place];
    const bool message = work.kind == Kind::AllReduce || work.kind == Kind::AllGather;
    ++m_correlation;
    const auto call = static_cast<std::int64_t>(draw(m_random, 3500, 0.5));
    m_writer.add(trace::LaunchRow{times.launchNs, times.launchNs + call,
                                  work.kind == Kind::Copy ? m_copy : m_launch, tid(place), m_correlation});
    if (message) {
        addMessage(work, times.launchNs);
    }
    std::int64_t& streamEnd = m_streamEndNs[work.stream];
    const std::int64_t late = static_cast<std::int64_t>(draw(m_random, message ? 8000 : 2500, 0.5));
    const std::int64_t start = std::max(times.launchNs + std::min(late, kLastArrivalNs), streamEnd + 300);
    const auto own = static_cast<std::int64_t>(static_cast<double>(times.takesNs) * draw(m_random, 1, 0.05));
    const std::int64_t end = message
                                 ? std::max(times.launchNs + kLastArrivalNs, streamEnd + 300) + times.takesNs
                                 : start + std::max<std::int64_t>(own, 800);
    streamEnd = end;
    if (work.kind == Kind::Copy) {
        m_writer.add(trace::CopyRow{start, end, work.bytes, 0, work.stream, m_correlation, 1});
    } else {
        m_writer.add(trace::KernelRow{start, end, m_names[place], 0, work.stream, m_correlation});
    }
}

void RankWriter::addStep(std::int64_t step, const StepTimes& times)
{
    m_writer.add(trace::StepRow{step, times.beginNs, times.endNs, 1});
    m_streamEndNs.clear();
    for (std::size_t place = 0; place < m_plan.size(); ++place) {
        addWork(place, times.works[place]);
    }
}

void writeRank(const std::filesystem::path& run, std::int64_t rank, std::int64_t ranks, std::int64_t steps)
{
    constexpr std::int64_t kCommitEvery = 20;
    const std::vector<Work> plan = planStep();
    RankWriter writer(run, rank, ranks, plan);
    std::int64_t beginNs = kOriginNs;
    for (std::int64_t step = 0; step < steps; ++step) {
        const StepTimes times = timesOf(plan, step, beginNs);
        writer.addStep(step, times);
        beginNs = times.endNs;
        if (step % kCommitEvery == 0) {
            writer.commit();
        }
    }
    writer.close();
}

} // namespace

int main(int count, char** arguments)
{
    const std::int64_t ranks = count == 4 ? std::strtoll(arguments[3], nullptr, 10) : 0;
    if (ranks <= 0) {
        std::fprintf(stderr, "usage: make_run NAME.ringside EVENTS RANKS\n");
        return 2;
    }
    const std::int64_t steps = std::strtoll(arguments[2], nullptr, 10) / (2 * kWorksAStep * ranks);
    try {
        std::filesystem::create_directories(arguments[1]);
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            writeRank(arguments[1], rank, ranks, steps);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_run: %s\n", error.what());
        return 1;
    }
    return 0;
}
