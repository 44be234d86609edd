// SPDX-License-Identifier: Apache-2.0
#include "sampled_rows.h"

#include <cmath>

namespace ringside::test {
namespace {

constexpr int kSamples = 48;

/// The run of a rank's device, on its clock.
std::pair<std::int64_t, std::int64_t> deviceTime(const trace::ProcessTrace& process)
{
    const auto& kernels = process.kernels;
    return kernels.size() == 0 ? std::pair(process.steps.front().startNs, process.steps.back().endNs)
                               : std::pair(kernels.startNs[0], kernels.endNs[kernels.size() - 1]);
}

} // namespace

Edit sampled(const trace::SeriesSource& source, const char* entity, const trace::SeriesMetric& metric,
             const trace::SeriesKindName& kind, const Values& values)
{
    return [=](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            const auto [start, end] = deviceTime(trace.process(rank));
            for (int i = 0; i < kSamples; ++i) {
                const double place = i / static_cast<double>(kSamples - 1);
                trace.sample(rank, {0, source, entity, metric, kind},
                             start + std::llround(place * static_cast<double>(end - start)),
                             values(rank, place));
            }
        }
    };
}

Edit gauge(const trace::SeriesMetric& metric, const Values& values)
{
    return sampled("nvml", "gpu0", metric, "gauge", values);
}

Edit counter(const trace::SeriesMetric& metric, const Values& values)
{
    return sampled("nvml", "gpu0", metric, "counter", values);
}

Edit port(const trace::SeriesMetric& metric, const trace::SeriesKindName& kind, const PortValues& values,
          const char* name)
{
    return [=](TraceBuilder& trace) {
        const auto [start, end] = deviceTime(trace.process(0));
        for (int i = 0; i < kSamples; ++i) {
            const double place = i / static_cast<double>(kSamples - 1);
            trace.sample(0, {0, "rdma", name, metric, kind},
                         start + std::llround(place * static_cast<double>(end - start)), values(place));
        }
    };
}

Edit activePort(std::int64_t gigabytes, const char* name, const PortValues& state)
{
    constexpr double kGigabyte = 1e9;
    constexpr double kPacket = 4096;
    const double bytes = static_cast<double>(gigabytes) * kGigabyte;
    const auto growing = [](double total) {
        return [total](double place) { return std::llround(total * place); };
    };
    return all({port("state", "gauge", state, name),
                port(
                    "physical_state", "gauge", [](double) { return 5; }, name),
                port(
                    "rate_mbps", "gauge", [](double) { return 200'000; }, name),
                port(
                    "lanes", "gauge", [](double) { return 4; }, name),
                port("tx_bytes", "counter", growing(bytes), name),
                port("rx_bytes", "counter", growing(bytes), name),
                port("tx_packets", "counter", growing(bytes / kPacket), name),
                port("rx_packets", "counter", growing(bytes / kPacket), name),
                portFact("generation", "HDR", name), portFact("link_layer", "InfiniBand", name)});
}

Edit portCounts(const trace::SeriesMetric& metric, std::int64_t gain, const char* name)
{
    constexpr std::int64_t kHistory = 1000; // of earlier jobs: says nothing
    constexpr double kMiddle = 0.5;
    return port(
        metric, "counter", [gain](double place) { return kHistory + (place > kMiddle ? gain : 0); }, name);
}

Edit portFact(const char* fact, const char* value, const char* name)
{
    return [=](TraceBuilder& trace) {
        trace.process(0).settings.push_back({"rdma", std::string(name) + " " + fact, value});
    };
}

Edit xid(std::int64_t number)
{
    return [number](TraceBuilder& trace) {
        const auto [start, end] = deviceTime(trace.process(1));
        trace.sample(1, {0, "nvml", "gpu0", "xid", "event"}, start + (end - start) / 2, number);
    };
}

Edit all(std::vector<Edit> edits)
{
    return [edits = std::move(edits)](TraceBuilder& trace) {
        for (const Edit& edit : edits) {
            edit(trace);
        }
    };
}

Edit algorithms(std::int64_t every)
{
    return [every](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
                std::int64_t step = 0;
                for (const trace::StepRow& row : process.steps) {
                    step = row.startNs <= call.startNs ? row.number : step;
                }
                trace::NcclOperationRow row;
                row.id = call.id;
                row.call = call.id;
                row.communicator = call.communicator;
                row.algorithm = trace.text(rank, step % every == 0 ? "TREE" : "RING");
                row.protocol = trace.text(rank, "SIMPLE");
                process.ncclOperations.push_back(row);
            }
        }
    };
}

Edit proxyMessages(double part)
{
    return [part](TraceBuilder& trace) {
        constexpr std::uint64_t kBytes = 1U << 20U;
        constexpr double kBytesPerNs = 10;
        constexpr int kMessages = 24;
        constexpr int kSlow = 2;
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            trace::NcclOperationRow operation;
            operation.id = 1;
            operation.communicator = 1;
            process.ncclOperations.push_back(operation);
            trace::ProxyStepColumns& steps = process.proxySteps;
            for (int i = 0; i < kMessages; ++i) {
                const double rate = kBytesPerNs * (rank == kSlow ? part : 1.0);
                const std::int64_t ns = std::llround(static_cast<double>(kBytes) / rate);
                const std::int64_t start = process.steps[static_cast<std::size_t>(i)].startNs;
                steps.startNs.push_back(start);
                steps.endNs.push_back(start + ns);
                steps.operation.push_back(1);
                steps.bytes.push_back(kBytes);
                steps.channel.push_back(0);
                steps.peer.push_back(static_cast<std::uint32_t>((rank + 1) % trace.ranks()));
                steps.step.push_back(static_cast<std::uint32_t>(i));
                steps.isSend.push_back(1);
                steps.gpuWaitNs.push_back(0);
                steps.peerWaitNs.push_back(0);
                steps.networkWaitNs.push_back(ns);
                steps.flushWaitNs.push_back(0);
            }
        }
    };
}

Edit frees(std::int64_t every)
{
    return [every](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            for (const trace::StepRow& step : process.steps) {
                if (step.number % every != 0) {
                    continue;
                }
                trace::ApiCallColumns& calls = process.apiCalls;
                calls.startNs.push_back(step.startNs);
                calls.endNs.push_back(step.startNs + 200'000);
                calls.api.push_back(trace.text(rank, "cudaFree"));
                calls.thread.push_back(1);
                calls.stream.push_back(0);
                calls.copyKind.push_back(0xFFFFFFFF);
                calls.bytes.push_back(0);
                calls.result.push_back(0);
            }
        }
    };
}

Edit windowUntil(std::size_t last)
{
    return [last](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            const std::int64_t end = process.steps[last].startNs;
            process.windows.push_back({"standard", process.process.startNs, end, ""});
            process.windows.push_back({"light", end, std::nullopt, ""});
        }
    };
}

void holdCopies(TraceBuilder& trace)
{
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace::ProcessTrace& process = trace.process(rank);
        for (std::size_t i = 0; i < process.launches.size(); ++i) {
            if (process.launches.api[i] == trace.text(rank, "cudaMemcpyAsync")) {
                process.launches.endNs.set(i, process.launches.startNs[i] + 500'000);
            }
        }
    }
}

Edit renamed(const char* part, const char* whole)
{
    return [=](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            for (auto& [id, text] : trace.process(rank).strings) {
                text = text.find(part) == std::string::npos ? text : whole;
            }
        }
    };
}

Edit onGpu(const char* name)
{
    return [name](TraceBuilder& trace) {
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace.process(rank).devices.front().name = name;
            trace.process(rank).devices.front().emulated = false;
        }
    };
}

} // namespace ringside::test
