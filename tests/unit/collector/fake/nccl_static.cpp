// SPDX-License-Identifier: Apache-2.0
// An NCCL inside the program, as where it is linked statically: nothing can be intercepted, but its ranges
// are there, with NCCL's schemas (nvtx_payload_schemas.h of its source).
#include "abi/nccl.h"
#include "nvtx_client.h"

#include <cstddef>
#include <cstdint>

namespace {

using namespace ringside::collector::nvtx;
using ringside::test::Event;
using ringside::test::Handle;
using ringside::test::NvtxClient;

constexpr std::uint64_t kHash = 0x1234567890ABCDEF;
constexpr std::uint64_t kFirstSchema = 1 << 24;
constexpr std::uint64_t kInt = 5;
constexpr std::uint64_t kUint64 = 18;
constexpr std::uint64_t kSize = 22;

struct Reduction {
    std::uint64_t communicator;
    std::size_t bytes;
    int op;
};
struct Rank {
    std::uint64_t communicator;
    int ranks, rank, device;
};

SchemaEntry entry(std::uint64_t type, const char* name, std::uint64_t offset)
{
    return {0, type, name, nullptr, 0, offset, nullptr, nullptr};
}

template <std::size_t Count>
void describe(Handle domain, std::uint64_t id, const SchemaEntry (&entries)[Count], std::size_t bytes)
{
    SchemaAttributes schema{};
    schema.fieldMask = kSchemaHasType | kSchemaHasEntries | kSchemaHasCount | kSchemaHasSize | kSchemaHasId;
    schema.type = kSchemaStatic;
    schema.entries = entries;
    schema.entryCount = Count;
    schema.payloadBytes = bytes;
    schema.schemaId = id;
    NvtxClient::get().payload<std::uint64_t>(kPayloadSchemaRegister, domain,
                                             static_cast<const SchemaAttributes*>(&schema));
}

// One a library, as with NCCL.
Handle domain()
{
    static auto* const made = NvtxClient::get().core2<Handle>(kCore2DomainCreateA, "NCCL");
    return made;
}

// Around one function: its name, and what it carries at its begin.
class Range {
public:
    explicit Range(const char* name, const PayloadData& data = {})
    {
        EventAttributes event{};
        event.size = sizeof event;
        event.messageType = kMessageRegistered;
        event.message = NvtxClient::get().core2<Handle>(kCore2RegisterStringA, domain(), name);
        if (data.payload != nullptr) {
            event.payloadType = kPayloadExtension;
            event.reserved0 = 1;
            event.payload = reinterpret_cast<std::uintptr_t>(&data);
        }
        NvtxClient::get().core2<int>(kCore2RangePushEx, domain(), Event(&event));
    }
    ~Range()
    {
        if (!m_ended) {
            NvtxClient::get().core2<int>(kCore2RangePop, domain());
        }
    }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

    /// Where it is ready only at the end.
    void endWith(const PayloadData& data)
    {
        const auto* const first = &data;
        NvtxClient::get().payload<int>(kPayloadRangePop, domain(), first, std::size_t{1});
        m_ended = true;
    }

private:
    bool m_ended = false;
};

} // namespace

// What is linked into a program binds to itself.
extern "C" {
__attribute__((visibility("hidden"))) ncclResult_t ncclCommInitRank(ncclComm_t*, int size, ncclUniqueId,
                                                                    int rank)
{
    const SchemaEntry entries[] = {
        entry(kUint64, "NCCL communicator ID", 0), entry(kInt, "No. of ranks", offsetof(Rank, ranks)),
        entry(kInt, "Rank", offsetof(Rank, rank)), entry(kInt, "CUDA device", offsetof(Rank, device))};
    describe(domain(), kFirstSchema, entries, sizeof(Rank));
    Range range("ncclCommInitRank");
    const Rank payload{kHash, size, rank, 0};
    range.endWith({kFirstSchema, sizeof payload, &payload});
    return ncclSuccess;
}
__attribute__((visibility("hidden"))) ncclResult_t
ncclAllReduce(const void*, void*, size_t count, ncclDataType_t, ncclRedOp_t op, ncclComm_t, cudaStream_t)
{
    const SchemaEntry entries[] = {entry(kUint64, "NCCL communicator ID", 0),
                                   entry(kSize, "Message size [bytes]", offsetof(Reduction, bytes)),
                                   entry(kInt, "Reduction operation", offsetof(Reduction, op))};
    describe(domain(), kFirstSchema + 5, entries, sizeof(Reduction));
    const Reduction payload{kHash, count * sizeof(float), op};
    const Range range("ncclAllReduce", {kFirstSchema + 5, sizeof payload, &payload});
    return ncclSuccess;
}
}
