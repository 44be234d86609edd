// SPDX-License-Identifier: Apache-2.0
// Writes cuda_kernel_launch_stats_rN.csv and cuda_kernel_launch_stats_summary.csv: calls with the kernels
// that they launched, and the delay of these kernels.
#include "report/hta/figures.h"
#include "report/hta/joined.h"
#include "report/hta/table.h"

#include <fmt/format.h>

#include <array>

namespace ringside::report::hta::hta_table_cuda_kernel_launch_stats {
namespace {

bool isLaunchName(std::string_view name)
{
    constexpr std::array<std::string_view, 5> kNames{"cudaLaunchKernel", "cudaLaunchKernelExC",
                                                     "cudaMemcpyAsync", "cudaMemsetAsync",
                                                     "runFunction - job_prep_and_submit_for_execution"};
    return std::ranges::find(kNames, name) != kNames.end();
}

struct Launch {
    std::int64_t correlation = 0;
    double cpu = 0.0, gpu = 0.0, delay = 0.0; ///< us
};

/// Joins every call of a correlation that has a launch with every kernel of it.
std::vector<Launch> launchesOf(const Frame& frame)
{
    const ByCorrelation launched(frame.events,
                                 [&](const Event& event) { return isLaunchName(frame.names[event.name]); });
    const ByCorrelation kernels(frame.events, [](const Event& event) { return event.isKernel(); });
    JoinBudget budget(frame);
    std::vector<Launch> launches;
    for (const Event& call : frame.events) {
        if (call.isKernel() || launched.of(call.correlation).empty()) {
            continue;
        }
        const auto those = kernels.of(call.correlation);
        budget.take(those.size());
        for (const std::size_t i : those) {
            const Event& kernel = frame.events[i];
            launches.push_back(
                {call.correlation, call.dur, kernel.dur, std::max(0.0, kernel.ts - call.ts - call.dur)});
        }
    }
    return launches;
}

void writeRank(const std::filesystem::path& path, const std::vector<Launch>& launches)
{
    CsvFile file(path, {"", "correlation", "cpu_duration", "gpu_duration", "launch_delay"});
    std::int64_t index = 0;
    for (const Launch& launch : launches) {
        file.whole(index++).whole(launch.correlation);
        file.number(launch.cpu).number(launch.gpu).number(launch.delay).endRow();
    }
    file.close();
}

void writeSummary(CsvFile& file, std::int64_t index, std::int64_t rank, const std::vector<Launch>& launches)
{
    constexpr double kLongCall = 50.0;
    constexpr double kLongDelay = 100.0;
    file.whole(index).whole(rank).whole(static_cast<std::int64_t>(launches.size()));
    for (const auto member : {&Launch::cpu, &Launch::gpu, &Launch::delay}) {
        std::vector<double> values;
        std::ranges::transform(launches, std::back_inserter(values), member);
        const Description figures = describe(std::move(values));
        file.number(figures.sum).number(figures.most);
    }
    const auto count = [&](const auto& is) { file.whole(std::ranges::count_if(launches, is)); };
    count([](const Launch& launch) { return launch.gpu < launch.cpu && launch.cpu <= kLongCall; });
    count([](const Launch& launch) { return launch.cpu > kLongCall; });
    count([](const Launch& launch) { return launch.delay > kLongDelay; });
    file.endRow();
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    CsvFile summary(folder / "cuda_kernel_launch_stats_summary.csv",
                    {"", "rank", "n", "cpu_duration_sum", "cpu_duration_max", "gpu_duration_sum",
                     "gpu_duration_max", "launch_delay_sum", "launch_delay_max", "short_gpu(gpu<cpu,cpu<=50)",
                     "runtime_outlier(>50)", "launch_delay_outlier(>100)"});
    std::int64_t index = 0;
    for (const Frame& frame : frames) {
        const std::vector<Launch> launches = launchesOf(frame);
        writeRank(folder / fmt::format("cuda_kernel_launch_stats_r{}.csv", frame.rank), launches);
        writeSummary(summary, index++, frame.rank, launches);
    }
    summary.close();
}

} // namespace

RINGSIDE_HTA_TABLE(cuda_kernel_launch_stats, write);

} // namespace ringside::report::hta::hta_table_cuda_kernel_launch_stats
