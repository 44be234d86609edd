// SPDX-License-Identifier: Apache-2.0
// State of a thread's NCCL calls that the wrappers, NCCL's profiler plugin and NVTX share. Plain values:
// only the thread itself reads and writes them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::collector {

struct Communicator;

/// A call that passed no wrapper (calls/foreign_call.h).
struct ForeignCall {
    std::uint32_t api = 0;                ///< string id of its name
    Communicator* communicator = nullptr; ///< null: not known
    std::uint64_t callId = 0;             ///< nextCallId()
    std::uint64_t groupId = 0;            ///< 0: in no group
    std::uint64_t sequence = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t endTicks = 0;
    std::uint64_t count = 0;
    void* stream = nullptr;
    std::uint32_t graph = 0;          ///< into which it is captured, 0: it runs
    std::int32_t peer = -1;           ///< root or peer, -1: none or not known
    std::uint16_t datatype = 0;       ///< ncclDataType_t
    std::uint16_t reduction = 0xFFFF; ///< not known
};

/// A call in a group. Needed for versions of NCCL that do not report which call an operation belongs to
/// (profiler API 3 and 4).
struct GroupedCall {
    std::uint64_t callId; ///< 0: already found its operation
    Communicator* communicator;
    std::uint64_t count;
    std::uint32_t api; ///< string id of its name
    std::int32_t peer;
    std::uint32_t datatype; ///< ncclDataType_t
};

/// The streams on which a group's calls run, while CUDA events time them (device/event_timing.h).
struct GroupStreams {
    static constexpr std::size_t kMost = 16;
    struct One {
        void* stream;
        std::int32_t device;
    };
    std::array<One, kMost> all{};
    std::size_t count = 0;
};

/// The open group of calls that passed no wrapper. NCCL makes a group for a single call too.
struct OpenGroup {
    std::uint64_t groupId = 0; ///< 0: none
    std::uint64_t event = 0;   ///< the handle of NCCL's event of it
    std::uint64_t startTicks = 0;
    std::uint64_t endCallTicks = 0; ///< begin of what launches it; 0: not yet
    std::uint64_t calls = 0;
    bool asked = false;      ///< the program asked for it
    bool correlated = false; ///< its launches are being tied to it
    ForeignCall last;        ///< not written yet: only the group's end tells whether it stands alone
};

/// What NCCL's NVTX ranges report of the function that the thread is in (nvtx/nccl_calls.h).
struct ReportedByRanges {
    bool inside = false;     ///< t_thread.depth counts it
    bool correlated = false; ///< its launches are being tied to it
    bool wanted = true;      ///< recording was not paused when the call began, or its group
    std::uint64_t groupEndTicks = 0;
    ForeignCall call; ///< callId 0: it is no data call
};

struct NcclThread {
    // Set by the wrappers, around the real call only: no record is half written then, so the plugin may
    // write its own.
    bool inside = false;
    std::uint64_t callId = 0; ///< of a data call, 0: another call
    Communicator* communicator = nullptr;
    std::array<GroupedCall, 64> grouped{}; ///< further ones are not linked
    std::size_t groupedCalls = 0;
    // Set by the plugin.
    bool inPlugin = false;
    const void* launchContext = nullptr; ///< whose launch was seen last
    std::uint64_t launchStartTicks = 0;
    std::uint64_t launchEndTicks = 0;
    bool launchTied = false; ///< the launch under way is tied to its call here, on NCCL's own thread
    OpenGroup foreign;
    // Set by NVTX.
    ReportedByRanges reported;
};

/// Marks the thread as inside the real function of an NCCL call.
class InsideNccl final {
public:
    InsideNccl(NcclThread& thread, std::uint64_t callId, Communicator* communicator) : m_thread(thread)
    {
        thread.callId = callId;
        thread.communicator = communicator;
        thread.inside = true;
    }
    ~InsideNccl()
    {
        m_thread.inside = false;
        m_thread.callId = 0;
    }
    InsideNccl(const InsideNccl&) = delete;
    InsideNccl& operator=(const InsideNccl&) = delete;

private:
    NcclThread& m_thread;
};

} // namespace ringside::collector
