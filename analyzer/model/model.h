// SPDX-License-Identifier: Apache-2.0
// What a run was, in the words of the domain: ranks on one common clock, their steps, and the collectives
// they met in. Built once from a trace and then only read; metrics, rules and the GUI stand on it. Holds no
// figures of its own.
#pragma once
#include "model/collective_match.h"
#include "model/kernel_class.h"
#include "model/launch_index.h"
#include "model/message_match.h"
#include "model/model_options.h"
#include "model/parallel_layout.h"
#include "model/step_pattern.h"
#include "model/steps.h"
#include "model/time.h"
#include "model/workload.h"

#include <ringside/trace/reader.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ringside::model {

struct Host {
    std::string name; ///< empty: the trace does not tell, this is the host of one rank
    std::string bootId;
    std::int64_t offsetNs = 0; ///< its clock minus the reference host's, at the first match
    double drift = 0.0;        ///< ratio
    std::optional<std::int64_t>
        residualNs; ///< 95th percentile of how far matched ends lie apart after alignment
    std::optional<std::int64_t> boundNs; ///< the true error is not larger; null: no collective met this host
};

/// One rank. Times inside are CLOCK_MONOTONIC ns of its host; `clock` turns them into run time.
struct Rank {
    std::int64_t rank = 0;
    std::size_t process = 0; ///< of trace.processes
    std::optional<std::uint32_t>
        device;           ///< set when the process holds several ranks: only this device is the rank's
    std::size_t host = 0; ///< of Model::hosts
    ClockMap clock;
    bool clockAligned = true; ///< false: its host's clock can only be compared with that of the same host
    bool deviceTier = false;  ///< device work was recorded
    bool eventTimes = false;  ///< it was not, but CUDA events timed NCCL's calls
    StepSource stepSource = StepSource::None;
    std::vector<Step> steps;

    [[nodiscard]] bool owns(std::uint32_t deviceOrdinal) const { return !device || *device == deviceOrdinal; }
};

/// Which steps the figures stand on. found == withoutDevice + notEverywhere + boundary + warmUp + analyzed
/// ones.
struct StepCoverage {
    std::size_t found = 0;         ///< step numbers that any rank knows
    std::size_t withoutDevice = 0; ///< no rank recorded device work of it
    std::size_t notEverywhere = 0; ///< not every rank with device data recorded it
    std::size_t boundary = 0;      ///< left out because it may be only partly recorded
    std::size_t warmUp = 0;        ///< left out because the run was warming up
};

struct Model {
    trace::RunTrace trace;
    std::vector<Host> hosts;                      ///< [0] is the reference
    std::vector<Rank> ranks;                      ///< by rank number
    std::vector<KernelClasses> classes;           ///< one a process
    std::vector<LaunchIndex> launches;            ///< one a process
    std::vector<CommunicationWork> communication; ///< one a process
    std::vector<Operation> operations;            ///< matched collectives, by first arrival or call
    std::vector<Message> messages;                ///< sends with the receives that take them
    ParallelLayout layout;                        ///< stages, replicas and the like
    std::vector<trace::IssueRow> issues;          ///< of the trace, its processes, and of matching
    std::int64_t worldSize = 0;
    std::optional<std::int64_t> startedRealtimeNs; ///< epoch ns of run time 0
    bool emulated = false;
    Workload workload = Workload::Unknown;
    bool imported = false;         ///< another tool recorded it (some of it)
    std::int64_t eventErrorNs = 0; ///< of the difference of two ranks' arrivals where CUDA events tell them
    std::vector<std::int64_t>
        analyzedSteps; ///< step numbers that every rank with device data measured, steady if enough
    StepCoverage stepCoverage;
    StepsBy stepsBy;                               ///< what the user says
    std::vector<std::string> communicationKernels; ///< names that the user says, in lower case
    std::optional<PeriodFound> stepPeriod;         ///< of steps that nobody marked, by the rhythm of calls
    std::size_t graphLaunches = 0;                 ///< of CUDA graphs, by all ranks
    bool analyzedWhole = false; ///< fewer than 4 steps: all of them are analyzed, with low confidence

    [[nodiscard]] const trace::ProcessTrace& processOf(const Rank& rank) const
    {
        return trace.processes[rank.process];
    }
    /// Whether moments of these two can be told apart.
    [[nodiscard]] bool clocksComparable(std::size_t rank, std::size_t other) const
    {
        return ranks[rank].host == ranks[other].host ||
               (ranks[rank].clockAligned && ranks[other].clockAligned);
    }
    /// How exact the difference of two ranks' arrivals is, by the residuals and by how exact CUDA events are:
    /// 0 for kernels on one host, null when a host could not be aligned. Hosts are aligned to the reference,
    /// so two others may be off by both.
    [[nodiscard]] std::optional<std::int64_t> clockErrorNs() const;
    /// The same by causality: the difference cannot be further off.
    [[nodiscard]] std::optional<std::int64_t> clockBoundNs() const;
    /// The printed residual: the largest of all hosts, null when nothing matched.
    [[nodiscard]] std::optional<std::int64_t> clockResidualNs() const;
    /// By nobody's mark or word: from the rhythm of collectives.
    [[nodiscard]] bool stepsGuessed() const { return stepPeriod && !stepsBy.isTold(); }
    /// Nobody's mark, and no rhythm: figures are of the recording as a whole.
    [[nodiscard]] bool recordingIsStep() const
    {
        return std::ranges::any_of(ranks,
                                   [](const Rank& rank) { return rank.stepSource == StepSource::Recording; });
    }
    [[nodiscard]] bool hasDeviceData() const;
    [[nodiscard]] bool hasEventTimes() const; ///< of a rank without device work
};

/// Throws ringside::Error (Usage) where the trace has no steps as `options` say, or is no job of such
/// sizes.
[[nodiscard]] Model buildModel(trace::RunTrace trace, const ModelOptions& options = {});

} // namespace ringside::model
