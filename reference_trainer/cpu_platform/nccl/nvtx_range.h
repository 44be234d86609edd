// SPDX-License-Identifier: Apache-2.0
// NVTX ranges around the public functions: domain "NCCL", with NCCL 2.28's names, schema ids and payloads.
// There are none with NCCL_NVTX_DISABLE. Without a tool, a call costs a load and a branch. A tool must copy
// entries when they are registered, as the interface requires.
#pragma once
#include "nvtx_payloads.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace ringside::nccl {

/// The functions with ranges. The value of a function with a payload is NCCL's schema number.
enum class NvtxFunction : std::uint8_t {
    CommInitRank = 0,
    CommInitAll = 1,
    CommDestroy = 2,
    CommAbort = 3,
    AllGather = 4,
    AllReduce = 5,
    Broadcast = 6,
    ReduceScatter = 7,
    Reduce = 8,
    Send = 9,
    Recv = 10,
    CommInitRankConfig = 11,
    CommInitRankScalable = 12,
    CommSplit = 13,
    CommFinalize = 14,
    CommShrink = 15,
    AlltoAll = 16,
    Gather = 17,
    Scatter = 18,
    CommRevoke = 19,
    GroupStart = 20,
    GroupEnd = 21,
    GroupSimulateEnd = 22,
    MemAlloc = 23,
    MemFree = 24
};

/// A range of the calling thread, from construction to destruction.
class NvtxRange final {
public:
    explicit NvtxRange(NvtxFunction function);
    /// The payload is created only if a tool is attached, and is sent at the begin of the range.
    template <class MakePayload>
    NvtxRange(NvtxFunction function, MakePayload&& makePayload) : m_function(function)
    {
        if (!listening())
            return;
        const auto payload = makePayload();
        push(schemaOf<std::remove_const_t<decltype(payload)>>(), &payload);
    }
    ~NvtxRange();
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;

    /// The payload is sent at the end, for functions that know it only then. As in NCCL, a tool without this
    /// function of the extension does not see this end.
    template <class MakePayload>
    void endWith(MakePayload&& makePayload)
    {
        if (!m_pushed)
            return;
        const auto payload = makePayload();
        static_assert(std::is_trivially_copyable_v<decltype(payload)> && sizeof payload <= kRoom);
        std::memcpy(m_payload.data(), &payload, sizeof payload);
        setEnd(schemaOf<std::remove_const_t<decltype(payload)>>());
    }

private:
    static constexpr std::size_t kRoom = 40;

    /// Returns false with NCCL_NVTX_DISABLE, and without a tool that supports domains.
    [[nodiscard]] static bool listening();
    void push(const NvtxSchema& schema, const void* payload);
    void setEnd(const NvtxSchema& schema);

    const NvtxFunction m_function;
    bool m_pushed = false;
    nvtxPayloadData_t m_end{};
    alignas(std::uint64_t) std::array<std::byte, kRoom> m_payload{};
};

} // namespace ringside::nccl
