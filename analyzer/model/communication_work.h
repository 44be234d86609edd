// SPDX-License-Identifier: Apache-2.0
// Which NCCL call a communication kernel works for: the call or group that launched it, or, in a launch of a
// CUDA graph, the one that was captured. A graph's kernels all carry the launch's correlation id; those of
// communication are told apart by their nodes, which a capture adds in the order of the calls. Where there
// are not exactly as many as captured calls, none of that launch is attributed.
#pragma once
#include <ringside/trace/reader.h>

#include <unordered_map>
#include <vector>

namespace ringside::model {

class KernelClasses;

/// What one kernel (or several, of a group) does.
struct WorkKey {
    std::uint64_t call = 0;        ///< collective_call.id or collective_group.id
    std::uint64_t launch = 0;      ///< of the graph, 0: the call itself ran
    std::int64_t communicator = 0; ///< in a graph: a group is one kernel on each of its communicators
    bool operator==(const WorkKey&) const = default;
};
struct WorkKeyHash {
    std::size_t operator()(const WorkKey& key) const;
};
/// The work of a call that ran (launch 0), or of one launch of a captured one.
[[nodiscard]] WorkKey workOf(const trace::CollectiveCallRow& call, std::uint64_t launch);

struct CommunicationKernel {
    std::uint32_t row = 0; ///< of the kernel columns
    WorkKey work;
};

struct CommunicationWork {
    std::vector<CommunicationKernel> kernels; ///< those whose call is known
    std::int64_t unmatchedLaunches = 0;       ///< of graphs, that had communication of which no call is known
};
[[nodiscard]] CommunicationWork findCommunicationWork(const trace::ProcessTrace& process,
                                                      const KernelClasses& classes);

} // namespace ringside::model
