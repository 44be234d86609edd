// SPDX-License-Identifier: Apache-2.0
// What step summaries add to the drain thread: ns a row, of rows as a training step makes them (300 kernels
// on two streams, with their launches; 2 collectives), passed to the summarizer alone and, for comparison, to
// a writer that stores them. Both on one thread, one after the other, several times; medians.
#include "summary/step_summarizer.h"

#include <ringside/trace/writer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace {

using namespace ringside;
using collector::summary::StepSummarizer;

constexpr std::int64_t kSteps = 500;
constexpr std::int64_t kKernels = 300;
constexpr std::int64_t kStepNs = 10'000'000;
constexpr trace::StringId kGemm = 5000;
constexpr trace::StringId kNccl = 5001;

/// Passes the rows of a step on, and returns how many they were.
template <class Sink>
std::int64_t giveStep(Sink& sink, std::int64_t step)
{
    const std::int64_t start = step * kStepNs;
    for (std::int64_t i = 0; i < kKernels; ++i) {
        const std::int64_t ns = start + i * (kStepNs / kKernels);
        const auto id = static_cast<std::uint32_t>(step * kKernels + i);
        const bool communicates = i % 150 == 149;
        trace::ApiCallRow call;
        call.startNs = ns;
        call.endNs = ns + 5000;
        call.api = 1;
        sink(call);
        sink(trace::LaunchRow{ns, ns + 5000, 1, 1, id});
        sink(trace::KernelRow{ns + 20'000, ns + 50'000, communicates ? kNccl : kGemm, 0,
                              communicates ? 8U : 7U, id, 0, 0});
    }
    sink(trace::StepRow{step, start, start + kStepNs, 1});
    return 3 * kKernels + 1;
}

/// ns a row.
template <class Sink, class Pass>
double measure(Sink sink, Pass pass)
{
    const auto begin = std::chrono::steady_clock::now();
    std::int64_t rows = 0;
    for (std::int64_t step = 1; step <= kSteps; ++step) {
        rows += giveStep(sink, step);
        if (step % 25 == 0) { // a pass of the drain thread
            pass(step * kStepNs);
        }
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    return took.count() / static_cast<double>(rows);
}

} // namespace

int main()
{
    constexpr int kRounds = 7;
    std::vector<double> summing;
    std::vector<double> storing;
    std::int64_t measured = 0;
    for (int round = 0; round < kRounds; ++round) {
        StepSummarizer summarizer;
        summarizer.defineString(kGemm, "ampere_sgemm_128x64_nn");
        summarizer.defineString(kNccl, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
        summing.push_back(measure([&](const auto& row) { summarizer.see(row); },
                                  [&](std::int64_t ns) {
                                      for (const auto& step : summarizer.pass(ns, true)) {
                                          measured += step.rows.front().computeNs ? 1 : 0;
                                      }
                                  }));
        const std::filesystem::path file =
            std::filesystem::temp_directory_path() / "ringside-summary-cost.db";
        std::filesystem::remove(file);
        trace::Writer writer(file, trace::Writer::Mode::Create);
        storing.push_back(
            measure([&](const auto& row) { writer.add(row); }, [&](std::int64_t) { writer.commit(); }));
        writer.close();
        std::filesystem::remove(file);
    }
    std::sort(summing.begin(), summing.end());
    std::sort(storing.begin(), storing.end());
    std::printf(
        "summing up: %.1f ns a row (%.1f to %.1f); storing the rows: %.1f ns (%.1f to %.1f); ratio %.2f\n",
        summing[kRounds / 2], summing.front(), summing.back(), storing[kRounds / 2], storing.front(),
        storing.back(), summing[kRounds / 2] / storing[kRounds / 2]);
    std::printf("%lld steps of %lld with device figures\n", static_cast<long long>(measured / kRounds),
                static_cast<long long>(kSteps));
    return measured != 0 ? 0 : 1;
}
