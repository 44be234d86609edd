// SPDX-License-Identifier: Apache-2.0
// The collectives and point-to-point transfers. They run to their end on the calling (stream's) thread, and
// throw if a peer fails or the communicator is aborted. The mesh has at least two ranks.
#pragma once
#include "mesh.h"
#include "operation.h"

#include <vector>

namespace ringside::nccl {

void allReduce(Mesh& mesh, const Operation& operation);     // ring_collectives.cpp
void treeAllReduce(Mesh& mesh, const Operation& operation); // tree_collectives.cpp
void allGather(Mesh& mesh, const Operation& operation);     // ring_collectives.cpp
void reduceScatter(Mesh& mesh, const Operation& operation); // ring_collectives.cpp
void broadcast(Mesh& mesh, const Operation& operation);     // chain_collectives.cpp
void reduce(Mesh& mesh, const Operation& operation);        // chain_collectives.cpp

/// Returns the parent of a rank in an all-reduce's tree; rank 0 is the root and has none.
[[nodiscard]] int treeParent(int rank);

/// All sends and receives of one launch, which progress in parallel. There are two steps, so that time can be
/// counted from the arrival of all peers.
class PointToPoint final {
public:
    PointToPoint(Mesh& mesh, const std::vector<const Operation*>& operations);
    void meet();     ///< returns when each peer has reached its side of each operation
    void transfer(); ///< moves the data

private:
    Mesh& m_mesh;
    std::vector<const Operation*> m_operations; ///< with another rank
    std::vector<const Operation*> m_local;      ///< with this rank itself
};

/// Copies the k-th send to this rank into its k-th receive; their numbers are equal. Throws
/// Failure(ncclInvalidUsage) if they differ in size.
void copyOwnTransfers(const std::vector<const Operation*>& operations);
/// Executes a collective of a communicator with one rank.
void copyLocally(const Operation& operation);

} // namespace ringside::nccl
