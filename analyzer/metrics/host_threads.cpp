// SPDX-License-Identifier: Apache-2.0
#include "metrics/host_threads.h"

namespace ringside::metrics {

HostThreads::HostThreads(const model::Model& model, const model::Rank& rank) : m_all(!rank.device)
{
    if (m_all) {
        return;
    }
    const trace::ProcessTrace& process = model.processOf(rank);
    const model::LaunchIndex& launches = model.launches[rank.process];
    std::unordered_set<std::uint32_t> tids;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        if (const auto row = rank.owns(process.kernels.device[i])
                                 ? launches.find(process.kernels.correlation[i])
                                 : std::nullopt) {
            tids.insert(process.launches.tid[*row]);
        }
    }
    for (const trace::ThreadRow& thread : process.threads) {
        if (tids.contains(static_cast<std::uint32_t>(thread.tid))) {
            m_threads.insert(thread.id);
        }
    }
    for (const trace::StreamRow& stream : process.streams) {
        m_streams.emplace(stream.id, rank.owns(static_cast<std::uint32_t>(stream.device)));
    }
}

bool HostThreads::concern(std::int64_t thread, std::int64_t stream) const
{
    if (m_all) {
        return true;
    }
    const auto known = m_streams.find(stream);
    return stream != 0 && known != m_streams.end() ? known->second : m_threads.contains(thread);
}

} // namespace ringside::metrics
