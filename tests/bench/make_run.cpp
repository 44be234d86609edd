// SPDX-License-Identifier: Apache-2.0
// Writes a run as large as wanted in the native format: several ranks, steps of compute kernels with a few
// all-reduces beside them, each kernel with its launch. For timing a report; the work is regular, so the
// findings mean nothing.
//   make_run NAME.ringside EVENTS RANKS    EVENTS over all ranks: half kernels, half launches
#include <ringside/error.h>
#include <ringside/trace/writer.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

namespace trace = ringside::trace;

constexpr std::int64_t kKernelsAStep = 1250;
constexpr std::int64_t kReductionsAStep = 10;
constexpr std::int64_t kKernelEveryNs = 8000;
constexpr std::int64_t kStepNs = kKernelsAStep * kKernelEveryNs;
constexpr std::int64_t kOriginNs = 1'000'000'000;
constexpr std::int64_t kRealtimeOffsetNs = 1'700'000'000'000'000'000;

struct Names {
    trace::StringId gemm, allReduceKernel, launch, allReduce;
};

void describe(trace::Writer& writer, std::int64_t rank, std::int64_t ranks)
{
    trace::ProcessRow process;
    process.host = "bench";
    process.pid = 1000 + rank;
    process.startNs = kOriginNs;
    process.command = "make_run";
    process.emulated = true;
    writer.setProcess(process);
    writer.setRanks({trace::RankRow{rank, rank, ranks, 0, 0, "RANK"}});
    writer.add(trace::DeviceRow{0, "generated", "GPU-" + std::to_string(rank), "", std::nullopt, true});
    trace::CommunicatorRow communicator;
    communicator.id = 1;
    communicator.hash = 42;
    communicator.size = ranks;
    communicator.rank = rank;
    communicator.device = 0;
    writer.add(communicator);
    writer.add(trace::ThreadRow{1, 1000 + rank, "main"});
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{3'600'000'000'000}}) {
        writer.add(trace::ClockSampleRow{kOriginNs + at, kRealtimeOffsetNs + at, std::nullopt, std::nullopt});
    }
    for (const char* tier : {"host", "device"}) {
        writer.setTier(trace::TierRow{tier, true, "", kOriginNs, std::nullopt});
    }
}

void addReduction(trace::Writer& writer, const Names& names, std::int64_t call, std::int64_t launchNs,
                  std::uint32_t correlation)
{
    trace::CollectiveCallRow row;
    row.id = call;
    row.api = names.allReduce;
    row.communicator = 1;
    row.sequence = call - 1;
    row.count = 1U << 20;
    row.bytes = *row.count * sizeof(float);
    row.datatype = 7;
    row.reduction = 0;
    row.startNs = launchNs - 500;
    row.endNs = launchNs + 1500;
    row.thread = 1;
    writer.add(row);
    writer.add(trace::CallCorrelationRow{correlation, static_cast<std::uint64_t>(call)});
}

/// Ranks differ by some hundred ns, so that arrivals have an order.
void addStep(trace::Writer& writer, const Names& names, std::int64_t rank, std::int64_t step)
{
    const std::int64_t begin = kOriginNs + step * kStepNs;
    writer.add(trace::StepRow{step, begin, begin + kStepNs, 1});
    for (std::int64_t k = 0; k < kKernelsAStep; ++k) {
        const std::int64_t launchNs = begin + 1000 + k * (kKernelEveryNs - 10);
        const auto correlation = static_cast<std::uint32_t>(step * kKernelsAStep + k + 1);
        const bool reduction = k % (kKernelsAStep / kReductionsAStep) == 100;
        const std::int64_t startNs = launchNs + 5000 + rank * 100;
        if (reduction) {
            addReduction(writer, names, step * kReductionsAStep + k / (kKernelsAStep / kReductionsAStep) + 1,
                         launchNs, correlation);
        }
        writer.add(trace::LaunchRow{launchNs, launchNs + 900, names.launch,
                                    static_cast<std::uint32_t>(1000 + rank), correlation});
        writer.add(trace::KernelRow{
            startNs, reduction ? begin + 1000 + k * (kKernelEveryNs - 10) + 45'000 : startNs + 6500,
            reduction ? names.allReduceKernel : names.gemm, 0, reduction ? 13U : 7U, correlation});
    }
}

void writeRank(const std::filesystem::path& run, std::int64_t rank, std::int64_t ranks, std::int64_t steps)
{
    trace::Writer writer(run / ("bench-" + std::to_string(1000 + rank) + ".db"), trace::Writer::Mode::Create);
    describe(writer, rank, ranks);
    const Names names{
        writer.intern("gemm"),
        writer.intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"),
        writer.intern("cudaLaunchKernel"), writer.intern("ncclAllReduce")};
    for (std::int64_t step = 0; step < steps; ++step) {
        addStep(writer, names, rank, step);
        if (step % 20 == 0) {
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
    const std::int64_t steps = std::strtoll(arguments[2], nullptr, 10) / (2 * kKernelsAStep * ranks);
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
