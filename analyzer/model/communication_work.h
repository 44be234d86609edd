// SPDX-License-Identifier: Apache-2.0
// Finds the NCCL call that a communication kernel belongs to: the call or group that launched it or, in a
// launch of a CUDA graph, the call that was captured. All kernels of a graph carry the correlation id of the
// launch. Communication kernels among them are distinguished by their graph nodes, which a capture adds in
// the order of the calls. If their number is not that of the captured calls, no kernel of that launch is
// attributed.
#pragma once
#include <ringside/trace/reader.h>

#include <unordered_map>
#include <vector>

namespace ringside::model {

class KernelClasses;

/// Identifies the work of one kernel, or of all kernels of a group.
struct WorkKey {
    std::uint64_t call = 0;        ///< collective_call.id or collective_group.id
    std::uint64_t launch = 0;      ///< launch of the CUDA graph; 0 if the call was not captured
    std::int64_t communicator = 0; ///< only in a graph, where a group is one kernel on each communicator
    bool operator==(const WorkKey&) const = default;
};
struct WorkKeyHash {
    std::size_t operator()(const WorkKey& key) const;
};
/// The work of a call that ran itself (`launch` is 0), or of a captured call in one launch of its graph.
[[nodiscard]] WorkKey workOf(const trace::CollectiveCallRow& call, std::uint64_t launch);

struct CommunicationKernel {
    std::uint32_t row = 0; ///< index into the kernel columns
    WorkKey work;
};

struct CommunicationWork {
    std::vector<CommunicationKernel> kernels;    ///< communication kernels whose call is known
    std::vector<std::int64_t> unmatchedLaunches; ///< when graphs were launched whose kernels match no calls
};
[[nodiscard]] CommunicationWork findCommunicationWork(const trace::ProcessTrace& process,
                                                      const KernelClasses& classes);

} // namespace ringside::model
