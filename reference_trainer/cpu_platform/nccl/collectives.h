// SPDX-License-Identifier: Apache-2.0
// The collectives and point-to-point transfers, executed to the end on the calling (stream's) thread.
// All throw when a peer fails or the communicator is aborted. The mesh has at least two ranks.
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

/// Of any rank but 0, the root, in an all-reduce's tree.
[[nodiscard]] int treeParent(int rank);

/// All sends and receives of one launch, which progress together. Two steps, so that time can be counted from
/// when every peer has arrived.
class PointToPoint final {
public:
    PointToPoint(Mesh& mesh, const std::vector<const Operation*>& operations);
    void meet();     ///< returns when each peer has reached its side of each operation
    void transfer(); ///< moves the data

private:
    Mesh& m_mesh;
    std::vector<const Operation*> m_operations; ///< with another rank
    std::vector<const Operation*> m_local;      ///< with ourselves
};

/// Copies the k-th send to the own rank into the k-th receive from it, of which there are as many.
/// Failure(ncclInvalidUsage) when they differ in size.
void copyOwnTransfers(const std::vector<const Operation*>& operations);
/// What a communicator of one rank does for a collective.
void copyLocally(const Operation& operation);

} // namespace ringside::nccl
