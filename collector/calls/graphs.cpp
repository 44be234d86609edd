// SPDX-License-Identifier: Apache-2.0
#include "calls/graphs.h"

namespace ringside::collector {

// The null stream and the legacy stream are never captured, and querying them while another stream is
// captured is an error that the program would see. The function takes three arguments in CUDA 11, six in 12,
// seven in 13; older versions ignore the additional ones.
std::uint64_t captureOf(cudaStream_t stream)
{
    using Query = cudaError_t(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*, cudaGraph_t*,
                              const cudaGraphNode_t**, const cudaGraphEdgeData**, std::size_t*);
    static constinit Real<Query> real(Library::CudaRuntime, "cudaStreamGetCaptureInfo");
    auto* const query = numberOf(stream) > kLegacyStream ? real.get() : nullptr;
    cudaStreamCaptureStatus status{};
    unsigned long long capture = 0;
    const bool known = query != nullptr &&
                       query(stream, &status, &capture, nullptr, nullptr, nullptr, nullptr) == cudaSuccess &&
                       status == cudaStreamCaptureStatusActive;
    return known ? capture : 0;
}

std::uint32_t addToCapture(cudaStream_t stream, Communicator* communicator)
{
    const std::uint64_t capture = captureOf(stream);
    Graphs& graphs = registry().graphs;
    return capture != 0 ? graphs.addCall(graphs.captured(capture), communicator) : 0;
}

LaunchNumbers::LaunchNumbers(cudaGraphExec_t executable)
    : m_graph(registry().graphs.launched(numberOf(executable))), m_id(nextCallId()), m_sequences{}
{
    for (std::uint32_t index = 0; m_graph != nullptr && index < m_graph->partCount; ++index) {
        const CapturedGraph::Part& part = m_graph->parts[index];
        m_sequences[index] = part.communicator->nextSequence.fetch_add(part.calls, std::memory_order_relaxed);
    }
}

void LaunchNumbers::write(ThreadState& thread, Api api, cudaStream_t stream, const CallTimes& times) const
{
    if (!times.wanted) {
        return; // its collectives keep their numbers
    }
    const std::uint32_t on = streamId(thread, stream);
    const std::uint32_t parts = m_graph != nullptr ? m_graph->partCount : 0;
    for (std::uint32_t index = 0; index < parts || index == 0; ++index) {
        auto* record = thread.ring->reserve<trace::GraphLaunchRecord>();
        if (record == nullptr) {
            return;
        }
        fillCall(record->call, api, times);
        record->launchId = m_id;
        record->graph = m_graph != nullptr ? m_graph->id : 0;
        record->stream = on;
        record->sequence = m_sequences[index];
        record->communicator = parts != 0 ? m_graph->parts[index].communicator->id : 0;
        record->calls = parts != 0 ? m_graph->parts[index].calls : 0;
        thread.ring->commit(record, trace::RecordKind::GraphLaunch);
    }
}

} // namespace ringside::collector
