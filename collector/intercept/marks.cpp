// SPDX-License-Identifier: Apache-2.0
// The C API of ringside/collector.h for steps and pauses, and the list of parts that the drain thread
// calls beside reading rings.
#include "device/device_tier.h"
#include "device/event_tier.h"
#include "device/platform_identity.h"
#include "live/tier.h"
#include "nvtx/tier.h"
#include "profiler/tier.h"
#include "record/levels.h"
#include "record/session.h"
#include "record/steps.h"
#include "sampled/sampled_tier.h"

#include <cstdint>

namespace ringside::collector {
namespace {

void endStep(ThreadState& thread, std::uint64_t endTicks)
{
    if (!thread.inStep) {
        return;
    }
    thread.inStep = false;
    if (!thread.stepWanted) {
        return;
    }
    if (auto* record = thread.ring->reserve<trace::StepRecord>(); record != nullptr) {
        record->startTicks = thread.stepStartTicks;
        record->endTicks = endTicks;
        record->number = thread.stepNumber;
        thread.ring->commit(record, trace::RecordKind::Step);
    }
}

} // namespace

std::vector<Participant*> makeParticipants()
{
    static auto* const identity = new PlatformIdentity;
    static auto* const nvtxTier = new nvtx::Tier;
    static auto* const ncclTier = new profiler::Tier;
    static auto* const deviceTier = new DeviceTier;
    static auto* const eventTier = new EventTier(*deviceTier);
    static auto* const sampledTier = new sampled::Tier(*identity);
    static auto* const liveTier = new live::Tier;
    // The sampler comes first: parts later in this list may need long to begin.
    return {identity, sampledTier, nvtxTier, ncclTier, deviceTier, eventTier, liveTier};
}

} // namespace ringside::collector

extern "C" __attribute__((visibility("default"))) void ringside_step_begin(std::int64_t number)
{
    using namespace ringside::collector;
    if (t_thread.depth != 0) {
        return;
    }
    ThreadState* thread = recordingThread();
    if (thread == nullptr) {
        return;
    }
    const Inside inside;
    const std::uint64_t now = ticks();
    endStep(*thread, now);
    thread->inStep = true;
    thread->stepNumber = number;
    thread->stepStartTicks = now;
    noteStep(thread->steps, kMarkedSteps);
    thread->stepWanted = !isPaused();
}

extern "C" __attribute__((visibility("default"))) void ringside_step_end()
{
    using namespace ringside::collector;
    if (t_thread.depth != 0 || !g_gate.isRecording() || t_thread.state == nullptr) {
        return;
    }
    const Inside inside;
    endStep(*t_thread.state, ticks());
}

extern "C" __attribute__((visibility("default"))) void ringside_pause()
{
    ringside::collector::pauseByProgram(true);
}

extern "C" __attribute__((visibility("default"))) void ringside_resume()
{
    ringside::collector::pauseByProgram(false);
}
