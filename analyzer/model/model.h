// SPDX-License-Identifier: Apache-2.0
// The model of a run: ranks on one common clock, their steps, and the collectives that they took part in. It
// is built once from a trace and only read afterwards. Metrics, rules and the GUI are computed from it; it
// holds no metrics itself.
#pragma once
#include "model/collective_match.h"
#include "model/kernel_class.h"
#include "model/launch_index.h"
#include "model/message_match.h"
#include "model/model_options.h"
#include "model/parallel_layout.h"
#include "model/rank.h"
#include "model/step_pattern.h"
#include "model/steps.h"
#include "model/stretch_times.h"
#include "model/time.h"
#include "model/workload.h"

#include <ringside/trace/reader.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::model {

/// How many steps the metrics are computed from, and why others are left out:
/// found == withoutDevice + notEverywhere + boundary + warmUp + number of analyzed steps.
struct StepCoverage {
    std::size_t found = 0;         ///< step numbers that occur on any rank
    std::size_t withoutDevice = 0; ///< left out because no rank recorded device work in it
    std::size_t notEverywhere = 0; ///< left out because some rank with device data did not record it
    std::size_t boundary = 0;      ///< left out because it may be only partly recorded
    std::size_t warmUp = 0;        ///< left out because the run was warming up
};

struct Model {
    trace::RunTrace trace;
    std::vector<Host> hosts;                      ///< [0] is the reference
    std::vector<Rank> ranks;                      ///< by rank number
    std::vector<KernelClasses> classes;           ///< one for each process
    std::vector<LaunchIndex> launches;            ///< one for each process
    std::vector<CommunicationWork> communication; ///< one for each process
    std::vector<Operation> operations;            ///< matched collectives, by communicator, then in its order
    std::vector<Message> messages;                ///< sends with the receives that take them
    ParallelLayout layout;                        ///< each rank's place among stages, replicas and so on
    std::vector<trace::IssueRow> issues; ///< of the trace, of its processes, and of building the model
    std::int64_t worldSize = 0;
    std::optional<std::int64_t> startedRealtimeNs; ///< epoch ns of run time 0
    bool emulated = false;
    Workload workload = Workload::Unknown;
    bool imported = false;         ///< at least a part was recorded by another tool
    std::int64_t eventErrorNs = 0; ///< error of the difference of two arrivals that CUDA events measured
    /// Numbers of the steps that every rank with device data measured, without edges and warm-up if enough
    /// steps remain.
    std::vector<std::int64_t> analyzedSteps;
    StepCoverage stepCoverage;
    StepsBy stepsBy;                               ///< the user's definition of a step
    std::vector<std::string> communicationKernels; ///< kernel names from the user, in lower case
    std::vector<Switch> switches;                  ///< of the cluster's network, from the user
    std::optional<PeriodFound> stepPeriod;         ///< set if steps were found by the period of calls
    std::size_t graphLaunches = 0;                 ///< launches of CUDA graphs in all processes
    std::optional<StepStretch> stretch; ///< the steps that this model is about; null: all of the run
    StretchTimes stretchTimes;
    bool analyzedWhole = false; ///< too few steps to leave any out: all are analyzed, with low confidence

    [[nodiscard]] const trace::ProcessTrace& processOf(const Rank& rank) const
    {
        return trace.processes[rank.process];
    }
    /// Returns whether times of these two ranks (indices into `ranks`) can be compared.
    [[nodiscard]] bool clocksComparable(std::size_t rank, std::size_t other) const
    {
        return ranks[rank].host == ranks[other].host ||
               (ranks[rank].clockAligned && ranks[other].clockAligned);
    }
    /// The error (ns) of the difference of two ranks' arrivals, from the residuals of clock alignment and the
    /// error of CUDA event times. It is 0 for kernels on one host. Hosts are aligned to the reference, so
    /// that the errors of two other hosts add up. Returns null if a host could not be aligned.
    [[nodiscard]] std::optional<std::int64_t> clockErrorNs() const;
    /// The limit (ns) that causality sets for the error of that difference as far as it comes from the
    /// clocks. Returns null if a host could not be aligned.
    [[nodiscard]] std::optional<std::int64_t> clockBoundNs() const;
    /// The residual that reports print: the largest of all hosts. Returns null if nothing was matched.
    [[nodiscard]] std::optional<std::int64_t> clockResidualNs() const;
    /// Whether steps were found by the period of calls, neither marked in the trace nor defined by the user.
    [[nodiscard]] bool stepsGuessed() const { return stepPeriod && !stepsBy.isGiven(); }
    /// Whether metrics are of the recording as a whole, because no steps were marked or found.
    [[nodiscard]] bool recordingIsStep() const
    {
        return std::ranges::any_of(ranks,
                                   [](const Rank& rank) { return rank.stepSource == StepSource::Recording; });
    }
    /// Whether an operation belongs to the stretch: by the call of its first participant.
    [[nodiscard]] bool isOfStretch(const Operation& operation) const;
    [[nodiscard]] bool hasDeviceData() const;
    /// Whether a rank without device work has times from CUDA events.
    [[nodiscard]] bool hasEventTimes() const;
};

/// Returns the operation (index into Model::operations) of each communication kernel of a rank (index into
/// Model::ranks), by row of the kernel columns.
[[nodiscard]] std::unordered_map<std::uint32_t, std::size_t> operationsOfKernels(const Model& model,
                                                                                 std::size_t rank);

} // namespace ringside::model
