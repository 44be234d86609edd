// SPDX-License-Identifier: Apache-2.0
// What is wrong with a running job now, from what its processes say: who is late, who waits for whom, which
// GPU or link is not well, and what the job's time goes into.
#pragma once
#include "live/complaints.h"
#include "live/snapshot.h"
#include "live/waits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::live {

enum class RankState { Running, Hanging, Silent };
[[nodiscard]] std::string_view stateName(RankState state);

/// What lateness was measured by.
enum class LatenessBy {
    Nothing, ///< it was not
    Device,  ///< communication kernels: who comes last waits least, so its kernels are the shortest
    Host,    ///< calls that wait for the device: the host of who is late waits less than the others'
};
[[nodiscard]] std::string_view latenessName(LatenessBy by);

/// Medians over the latest steps that are shared by all ranks. Null: not measured.
struct RankView {
    std::int64_t rank = 0;
    std::string host;
    std::int64_t pid = 0;
    std::optional<std::int64_t> device;
    RankState state = RankState::Running;
    std::int64_t silentMs = 0; ///< since it last spoke
    std::string level;
    std::optional<std::int64_t> step; ///< the latest: the program's number, else its count
    std::optional<std::int64_t> stepNs;
    std::optional<std::int64_t> computeNs;
    std::optional<std::int64_t> communicationNs;
    std::optional<std::int64_t> exposedCommunicationNs;
    std::optional<std::int64_t> idleNs;
    std::optional<std::int64_t> blockingNs;
    std::optional<std::int64_t> loadingNs;
    std::optional<std::int64_t> lateNs;     ///< that the middle one of the others waited for it, a step
    std::vector<std::int64_t> recentStepNs; ///< the latest last
};

struct JobView {
    std::string run;
    std::int64_t readMs = 0;
    bool emulated = false;
    std::optional<std::int64_t> worldSize;
    bool stepsAreMarked = false;
    std::optional<std::int64_t> step; ///< of the slowest rank
    std::optional<double> stepsPerSecond;
    std::optional<double>
        trend; ///< of the step time: newer half over older half of the latest steps, minus 1
    std::optional<double> commComputeRatio;
    std::optional<double> utilization; ///< share of the step in which the GPU does anything; mean of ranks
    std::optional<double> utilizationSpread;
    LatenessBy latenessBy = LatenessBy::Nothing;
    std::vector<RankView> ranks; ///< the latest first, ranks without that by their number
    std::vector<Wait> waits;
    std::vector<Complaint> complaints;
    std::vector<Alarm> alarms;
    std::vector<std::string> notes; ///< what is not known, and why
    std::string verdict;            ///< a sentence
};

[[nodiscard]] JobView viewOf(const RunNow& run);

} // namespace ringside::live
