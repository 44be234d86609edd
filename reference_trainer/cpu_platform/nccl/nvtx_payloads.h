// SPDX-License-Identifier: Apache-2.0
// Payloads of the NVTX ranges of NCCL 2.28, member for member (src/include/nvtx_payload_schemas.h of its
// source): tools decode the bytes by the registered schemas.
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
    int ranks; ///< of the parent, like all three members
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
    std::size_t bytes; ///< here and below: size of the call's own count; for an all-gather, one rank's part
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

/// The layout of a payload.
struct NvtxSchema {
    const nvtxPayloadSchemaEntry_t* entries;
    std::size_t count;
    std::size_t bytes;
};
/// Returns the schema of one of the payloads above.
template <class Payload>
[[nodiscard]] NvtxSchema schemaOf();

/// Registers the names of reduction operators, to which ReductionPayload's schema refers.
void registerReductions(nvtxDomainHandle_t domain);

} // namespace ringside::nccl
