// SPDX-License-Identifier: Apache-2.0
// What NCCL 2.28's NVTX ranges carry, member for member (src/include/nvtx_payload_schemas.h of its source):
// tools read the bytes by the registered schemas.
#pragma once
#include <nccl.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>
#include <cstdint>

namespace ringside::nccl {

struct InitAllPayload {
    std::uint64_t communicator; ///< here and below: the communicator's hash, 0 for none
    int devices;
};
struct RankPayload {
    std::uint64_t communicator;
    int ranks;
    int rank;
    int device;
};
struct SplitPayload {
    std::uint64_t communicator;
    std::uint64_t parent;
    int ranks; ///< the parent's, as all three
    int rank;
    int device;
    int color;
    int key;
};
struct ShrinkPayload {
    std::uint64_t communicator;
    int ranks;
    int rank;
    int device;
    int excluded;
};
struct CommunicatorPayload {
    std::uint64_t communicator;
};
struct SizePayload {
    std::uint64_t communicator;
    std::size_t bytes; ///< here and below: of the call's own count, a rank's part of an all-gather
};
struct ReductionPayload {
    std::uint64_t communicator;
    std::size_t bytes;
    ncclRedOp_t op;
};
struct RootPayload {
    std::uint64_t communicator;
    std::size_t bytes;
    int root;
};
struct RootReductionPayload {
    std::uint64_t communicator;
    std::size_t bytes;
    int root;
    ncclRedOp_t op;
};
struct PeerPayload {
    std::uint64_t communicator;
    std::size_t bytes;
    int peer;
};

/// How a payload is laid out.
struct NvtxSchema {
    const nvtxPayloadSchemaEntry_t* entries;
    std::size_t count;
    std::size_t bytes;
};
/// The schema of one of the payloads above.
template <class Payload>
[[nodiscard]] NvtxSchema schemaOf();

/// Registers the names of reduction operators, to which ReductionPayload's schema refers.
void registerReductions(nvtxDomainHandle_t domain);

} // namespace ringside::nccl
