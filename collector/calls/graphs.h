// SPDX-License-Identifier: Apache-2.0
// Follows CUDA graphs: captures, the graphs made from them, and the launches that run their NCCL calls
// again. record/graphs.h keeps which graph holds which calls. The runtime is asked about a stream only
// while a capture is in progress.
#pragma once
#include "calls/wrapper.h"
#include "device/correlation.h"
#include "record/nccl_kernels.h"

namespace ringside::collector {

/// CUDA's id of the capture that this stream takes part in. 0: none.
std::uint64_t captureOf(cudaStream_t stream);
std::uint32_t addToCapture(cudaStream_t stream, Communicator* communicator);
/// Adds a data call to the graph that its stream is captured into. Returns the graph's id. 0: the call
/// runs.
inline std::uint32_t noteCapture(cudaStream_t stream, Communicator* communicator)
{
    return g_openCaptures.load(std::memory_order_relaxed) == 0 ? 0 : addToCapture(stream, communicator);
}

/// A launch in progress. It reserves the sequence numbers of its collectives before it runs, as a call
/// does.
class LaunchNumbers final {
public:
    explicit LaunchNumbers(cudaGraphExec_t executable);
    [[nodiscard]] std::uint64_t id() const { return m_id; }
    void write(ThreadState& thread, Api api, cudaStream_t stream, const CallTimes& times) const;

private:
    const CapturedGraph* m_graph;
    std::uint64_t m_id;
    std::array<std::uint64_t, CapturedGraph::kMostParts> m_sequences; ///< of each part's first call
};

template <class Handle>
std::uint64_t numberOf(Handle* handle)
{
    return reinterpret_cast<std::uint64_t>(handle);
}

template <class Call>
auto record(ThreadState& thread, Api api, const CaptureBegin&, Call& call)
{
    ncclKernels().leaveOutFromNowOn(); // before NCCL sees the capture
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == cudaSuccess) {
            registry().graphs.beginCapture();
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const CaptureEnd& what, Call& call)
{
    const std::uint64_t capture = captureOf(what.stream); // afterwards it can no longer be queried
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        const bool made = times.result == cudaSuccess && what.graph != nullptr;
        registry().graphs.endCapture(capture, made ? numberOf(*what.graph) : 0);
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const GraphCopy& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == cudaSuccess && what.copy != nullptr) {
            registry().graphs.copyGraph(numberOf(what.graph), numberOf(*what.copy));
        }
        writeIfWanted(thread, api, times);
    });
}

template <class Call>
auto record(ThreadState& thread, Api api, const Instantiation& what, Call& call)
{
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        if (times.result == cudaSuccess && what.executable != nullptr) {
            registry().graphs.instantiate(numberOf(what.graph), numberOf(*what.executable));
        }
        writeIfWanted(thread, api, times);
    });
}

// Both are done before the real call: after it another thread may already have been given the same
// handle.
template <class Call>
auto record(ThreadState& thread, Api api, const EndOfGraph& what, Call& call)
{
    registry().graphs.forgetGraph(numberOf(what.graph));
    return recordIfWanted(thread, api, call);
}
template <class Call>
auto record(ThreadState& thread, Api api, const EndOfExecutable& what, Call& call)
{
    registry().graphs.forgetExecutable(numberOf(what.executable));
    return recordIfWanted(thread, api, call);
}

template <class Call>
auto record(ThreadState& thread, Api api, const GraphLaunch& what, Call& call)
{
    const LaunchNumbers numbers(what.executable);
    const CorrelationScope correlation(numbers.id());
    return timedCall(thread, api, call, [&](const CallTimes& times) {
        numbers.write(thread, api, what.stream, times);
        writeIfWanted(thread, api, times);
    });
}

} // namespace ringside::collector
