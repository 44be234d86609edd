// SPDX-License-Identifier: Apache-2.0
#include "nvtx_payloads.h"

#include <array>

namespace ringside::nccl {
namespace {

/// NCCL's id for its enumeration of reduction operators.
constexpr std::uint64_t kReductions = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 20;

constexpr const char* kCommunicator = "NCCL communicator ID";
constexpr const char* kBytes = "Message size [bytes]";
constexpr const char* kRanks = "No. of ranks";
constexpr const char* kRank = "Rank";
constexpr const char* kDevice = "CUDA device";
constexpr const char* kRoot = "Root";
constexpr const char* kReduction = "Reduction operation";

constexpr nvtxPayloadSchemaEntry_t entry(std::uint64_t type, const char* name, std::size_t offset)
{
    nvtxPayloadSchemaEntry_t result{};
    result.type = type;
    result.name = name;
    result.offset = offset;
    return result;
}
constexpr nvtxPayloadSchemaEntry_t number(const char* name, std::size_t offset)
{
    return entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, name, offset);
}
constexpr nvtxPayloadSchemaEntry_t hash(const char* name, std::size_t offset)
{
    return entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, name, offset);
}
constexpr nvtxPayloadSchemaEntry_t bytes(std::size_t offset)
{
    return entry(NVTX_PAYLOAD_ENTRY_TYPE_SIZE, kBytes, offset);
}
constexpr nvtxPayloadSchemaEntry_t reduction(std::size_t offset)
{
    return entry(kReductions, kReduction, offset);
}

constexpr std::array kInitAll = {hash(kCommunicator, 0),
                                 number("No. of devices", offsetof(InitAllPayload, devices))};
constexpr std::array kRankEntries = {hash(kCommunicator, 0), number(kRanks, offsetof(RankPayload, ranks)),
                                     number(kRank, offsetof(RankPayload, rank)),
                                     number(kDevice, offsetof(RankPayload, device))};
constexpr std::array kSplit = {hash(kCommunicator, 0),
                               hash("Parent NCCL communicator ID", offsetof(SplitPayload, parent)),
                               number(kRanks, offsetof(SplitPayload, ranks)),
                               number(kRank, offsetof(SplitPayload, rank)),
                               number(kDevice, offsetof(SplitPayload, device)),
                               number("Color", offsetof(SplitPayload, color)),
                               number("Key", offsetof(SplitPayload, key))};
constexpr std::array kShrink = {hash(kCommunicator, 0), number(kRanks, offsetof(ShrinkPayload, ranks)),
                                number(kRank, offsetof(ShrinkPayload, rank)),
                                number(kDevice, offsetof(ShrinkPayload, device)),
                                number("num_exclude", offsetof(ShrinkPayload, excluded))};
constexpr std::array kCommunicatorOnly = {hash(kCommunicator, 0)};
constexpr std::array kSize = {hash(kCommunicator, 0), bytes(offsetof(SizePayload, bytes))};
constexpr std::array kReductionEntries = {hash(kCommunicator, 0), bytes(offsetof(ReductionPayload, bytes)),
                                          reduction(offsetof(ReductionPayload, op))};
constexpr std::array kRootEntries = {hash(kCommunicator, 0), bytes(offsetof(RootPayload, bytes)),
                                     number(kRoot, offsetof(RootPayload, root))};
constexpr std::array kRootReduction = {hash(kCommunicator, 0), bytes(offsetof(RootReductionPayload, bytes)),
                                       number(kRoot, offsetof(RootReductionPayload, root)),
                                       reduction(offsetof(RootReductionPayload, op))};
constexpr std::array kPeer = {hash(kCommunicator, 0), bytes(offsetof(PeerPayload, bytes)),
                              number("Peer rank", offsetof(PeerPayload, peer))};

template <class Payload, std::size_t Count>
NvtxSchema schema(const std::array<nvtxPayloadSchemaEntry_t, Count>& entries)
{
    return {.entries = entries.data(), .count = Count, .bytes = sizeof(Payload)};
}

nvtxPayloadEnum_t value(const char* name, ncclRedOp_t op)
{
    nvtxPayloadEnum_t result{};
    result.name = name;
    result.value = static_cast<std::uint64_t>(op);
    return result;
}

} // namespace

template <>
NvtxSchema schemaOf<InitAllPayload>()
{
    return schema<InitAllPayload>(kInitAll);
}
template <>
NvtxSchema schemaOf<RankPayload>()
{
    return schema<RankPayload>(kRankEntries);
}
template <>
NvtxSchema schemaOf<SplitPayload>()
{
    return schema<SplitPayload>(kSplit);
}
template <>
NvtxSchema schemaOf<ShrinkPayload>()
{
    return schema<ShrinkPayload>(kShrink);
}
template <>
NvtxSchema schemaOf<CommunicatorPayload>()
{
    return schema<CommunicatorPayload>(kCommunicatorOnly);
}
template <>
NvtxSchema schemaOf<SizePayload>()
{
    return schema<SizePayload>(kSize);
}
template <>
NvtxSchema schemaOf<ReductionPayload>()
{
    return schema<ReductionPayload>(kReductionEntries);
}
template <>
NvtxSchema schemaOf<RootPayload>()
{
    return schema<RootPayload>(kRootEntries);
}
template <>
NvtxSchema schemaOf<RootReductionPayload>()
{
    return schema<RootReductionPayload>(kRootReduction);
}
template <>
NvtxSchema schemaOf<PeerPayload>()
{
    return schema<PeerPayload>(kPeer);
}

void registerReductions(nvtxDomainHandle_t domain)
{
    const std::array values = {value("Sum", ncclSum), value("Product", ncclProd), value("Max", ncclMax),
                               value("Min", ncclMin), value("Avg", ncclAvg)};
    nvtxPayloadEnumAttr_t attributes{};
    attributes.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                           NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID;
    attributes.entries = values.data();
    attributes.numEntries = values.size();
    attributes.sizeOfEnum = sizeof(ncclRedOp_t);
    attributes.schemaId = kReductions;
    nvtxPayloadEnumRegister(domain, &attributes);
}

} // namespace ringside::nccl
