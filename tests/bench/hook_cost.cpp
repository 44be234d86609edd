// SPDX-License-Identifier: Apache-2.0
// Measures one call through the PLT, hooked or not as the environment decides, beside the bare loop. Prints
// one JSON object; hook_cost.py runs it in its modes and makes the ratios. Batches of both kinds alternate,
// so that a change of the clock rate meets both.
//
//     hook_cost CALLS [THREADS]       ns a call: median of batches, percentiles of single calls
//     hook_cost CALLS bare|call|copy  only that loop: for counting instructions
#include "fake_cudart.h"

#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kBatch = 1000;

struct Figures {
    std::vector<double> batchNs;
    std::vector<std::uint64_t> singleTicks;
};

double ticksPerNs()
{
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t ticks = __rdtsc();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
    return static_cast<double>(__rdtsc() - ticks) / passed.count();
}

// Two loops with direct calls: a function pointer would not go through the PLT.
__attribute__((noinline)) void bareLoop(long calls)
{
    for (long call = 0; call < calls; ++call) {
        benchBareRecord(nullptr);
    }
}

__attribute__((noinline)) void callLoop(long calls)
{
    for (long call = 0; call < calls; ++call) {
        cudaEventRecord(nullptr, nullptr);
    }
}

// A call with a size and a stream that is known by its handle: the longest of the common records.
__attribute__((noinline)) void copyLoop(long calls)
{
    static int stream;
    for (long call = 0; call < calls; ++call) {
        cudaMemcpyAsync(nullptr, nullptr, sizeof stream, 1, &stream);
    }
}

void batch(Figures& figures, void (*loop)(long), double rate)
{
    const std::uint64_t start = __rdtsc();
    loop(kBatch);
    figures.batchNs.push_back(static_cast<double>(__rdtsc() - start) / rate / kBatch);
}

void singles(Figures& figures, void (*loop)(long))
{
    std::uint64_t before = __rdtsc();
    for (int call = 0; call < kBatch; ++call) {
        loop(1);
        const std::uint64_t now = __rdtsc();
        figures.singleTicks.push_back(now - before);
        before = now;
    }
}

/// Both loops in turn, `calls` of each in batches and singly.
void alternate(Figures& bare, Figures& call, long calls, double rate)
{
    for (long done = 0; done < calls; done += kBatch) {
        batch(bare, bareLoop, rate);
        batch(call, callLoop, rate);
        singles(bare, bareLoop);
        singles(call, callLoop);
    }
}

void append(Figures& all, const Figures& one)
{
    all.batchNs.insert(all.batchNs.end(), one.batchNs.begin(), one.batchNs.end());
    all.singleTicks.insert(all.singleTicks.end(), one.singleTicks.begin(), one.singleTicks.end());
}

void print(const char* name, Figures& figures, double rate)
{
    std::sort(figures.batchNs.begin(), figures.batchNs.end());
    std::sort(figures.singleTicks.begin(), figures.singleTicks.end());
    const auto percentile = [&](double part) {
        const auto last = static_cast<double>(figures.singleTicks.size() - 1);
        return static_cast<double>(figures.singleTicks[static_cast<std::size_t>(part * last)]) / rate;
    };
    std::printf("\"%s\": {\"ns\": %.2f, \"p50\": %.1f, \"p99\": %.1f, \"p99.99\": %.1f}", name,
                figures.batchNs[figures.batchNs.size() / 2], percentile(0.5), percentile(0.99),
                percentile(0.9999));
}

} // namespace

int main(int count, char** arguments)
{
    const long calls = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 1'000'000;
    const std::string what = count > 2 ? arguments[2] : "1";
    callLoop(10); // the first call starts the recording
    bareLoop(10);
    if (what == "bare" || what == "call" || what == "copy") {
        (what == "bare" ? bareLoop : what == "call" ? callLoop : copyLoop)(calls);
        return 0;
    }
    const double rate = ticksPerNs();
    const auto threadCount = static_cast<std::size_t>(std::strtol(what.c_str(), nullptr, 10));
    std::vector<Figures> bare(threadCount);
    std::vector<Figures> call(threadCount);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threadCount; ++i) {
        threads.emplace_back([&, i] { alternate(bare[i], call[i], calls, rate); });
    }
    Figures allBare;
    Figures allCall;
    for (std::size_t i = 0; i < threadCount; ++i) {
        threads[i].join();
        append(allBare, bare[i]);
        append(allCall, call[i]);
    }
    std::printf("{");
    print("bare", allBare, rate);
    std::printf(", ");
    print("call", allCall, rate);
    std::printf("}\n");
    return 0;
}
