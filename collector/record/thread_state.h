// SPDX-License-Identifier: Apache-2.0
// What a thread of the program has under way, and whether it is inside the collector's own code.
#pragma once
#include "record/nccl_thread.h"
#include "record/registry.h"
#include "record/ring.h"
#include "record/step_counts.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace ringside::collector {

/// State of one recording thread. Created at its first event, freed when the thread ends.
struct ThreadState {
    Ring* ring = nullptr;
    std::uint32_t threadId = 0;
    bool deviceNoted = false;
    // The open NCCL group of the thread.
    int groupDepth = 0;
    bool groupWanted = true; ///< recording was not paused when it began
    std::uint64_t groupId = 0;
    std::uint64_t groupCalls = 0;
    std::uint64_t groupStartTicks = 0;
    GroupStreams groupStreams;
    NcclThread nccl;
    // The step that the thread marked.
    bool inStep = false;
    bool stepWanted = true; ///< recording was not paused when it began
    std::int64_t stepNumber = 0;
    std::uint64_t stepStartTicks = 0;
    StepCounts steps{};
    // Open NVTX push/pop ranges; deeper ones are only counted.
    struct OpenRange {
        std::uint64_t startTicks;
        const void* domain;
        StringId name;
        std::uint32_t category;
        std::uint8_t nccl; ///< nvtx::NcclFunction: what it stands for, 0: a range like any other
        bool silent; ///< has no row: it lies inside of another function of NCCL's, or another one tells it
        bool wanted; ///< recording was not paused when it began
    };
    std::array<OpenRange, 64> ranges{};
    std::uint32_t rangeDepth = 0;
    std::uint32_t rangesBeyond = 0;

    [[nodiscard]] trace::InFlight& inFlight() const { return ring->header().inFlight[0]; }
};

/// Initial-exec TLS: it is used in every call and must not allocate.
struct ThreadLocal {
    ThreadState* state;
    int depth;          ///< > 0: inside a hook; what NCCL and CUDA call themselves is not recorded again
    bool refused;       ///< there was no room for this thread's ring: not asked for again
    const void* frame;  ///< of the outermost hook that the thread is in, or was last
    const void* caller; ///< where in the program the last call was made that is recorded, or is the first
};
// constinit here too: without it every access first checks for an initializer function.
extern constinit thread_local ThreadLocal t_thread __attribute__((tls_model("initial-exec")));
/// Number of calls that were left by a jump.
extern std::atomic<std::uint64_t> g_leftCalls;

/// Marks the thread as inside the collector's code, so that signal handlers record nothing.
class Inside final {
public:
    Inside()
    {
        if (t_thread.depth++ == 0) {
            t_thread.frame = this;
        }
    }
    ~Inside()
    {
        if (t_thread.depth > 0) { // a jump left this hook (session.h), and a fiber resumes it
            --t_thread.depth;
        }
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// The same for a thread that is in no hook, where that is known: it stores without a test.
class Outermost final {
public:
    Outermost()
    {
        t_thread.depth = 1;
        t_thread.frame = this;
    }
    ~Outermost() { t_thread.depth = 0; }
    Outermost(const Outermost&) = delete;
    Outermost& operator=(const Outermost&) = delete;
};

} // namespace ringside::collector
