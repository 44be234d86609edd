// SPDX-License-Identifier: Apache-2.0
// The figures of a run: unions of intervals, never sums of durations. Computed once; reports, rules and the
// GUI only read them. What was not measured is null, never 0.
#pragma once
#include "metrics/bandwidth.h"
#include "metrics/blocking_calls.h"
#include "metrics/exposure.h"
#include "metrics/idle.h"
#include "metrics/links.h"
#include "metrics/timed_calls.h"
#include "model/model.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

/// Device time of a rank in one step, or summed over several. compute + exposed communication + exposed copy
/// + idle == step.
struct Breakdown {
    std::int64_t stepNs = 0;
    std::int64_t computeNs = 0;
    std::int64_t communicationNs = 0;
    std::int64_t copyNs = 0;
    std::int64_t overlapNs = 0; ///< of communication with compute
    std::int64_t exposedCommunicationNs = 0;
    std::int64_t exposedCopyNs = 0;
    std::int64_t idleNs = 0;
    std::int64_t waitNs = 0;        ///< in communication, nothing transferring: waiting for a late rank
    std::int64_t exposedWaitNs = 0; ///< of it, not hidden by compute
    std::int64_t waitDelayNs = 0;   ///< at most so much earlier the step had ended without waiting
    std::int64_t transferNs = 0;
    std::int64_t usefulNs = 0; ///< busy and not only waiting

    [[nodiscard]] double share(std::int64_t part) const; ///< of the step
    [[nodiscard]] double utilization() const { return share(stepNs - idleNs); }
    [[nodiscard]] double usefulUtilization() const { return share(usefulNs); }
    [[nodiscard]] std::optional<double> ratio() const; ///< communication over compute, null without compute
    Breakdown& operator+=(const Breakdown& other);
};

struct RankMetrics {
    std::size_t rank = 0;          ///< of Model::ranks
    std::vector<Interval> windows; ///< of the analyzed steps, on the rank's clock
    std::vector<Breakdown> steps;  ///< one a window
    double periods =
        0; ///< steps; where the recording stands for a step, its seconds: figures "a step" are a second's
    Breakdown total;
    Breakdown median; ///< each figure's own median over the steps
    IdleTimes idle;
    BlockingCalls blocking;
    std::vector<OperationExposure> exposures; ///< by start
    std::int64_t lastArrivals = 0;            ///< collectives to which it came last
    std::int64_t medianLastArrivals = 0;      ///< of a step
    std::int64_t lostNs = 0;                  ///< last arrival minus second last, summed over those
    double communicationNs = 0;               ///< of the communication kernels of these steps, summed
    double arrivedNs = 0;                     ///< of those in whose collective everybody's arrival is known

    [[nodiscard]] std::int64_t ofAStep(std::int64_t ns) const; ///< a total, divided by `periods`
    [[nodiscard]] Breakdown mean() const; ///< the total, each figure divided by `periods`
    /// Median over the steps of a share, which is not the share of the medians.
    [[nodiscard]] double medianOf(double (Breakdown::*share)() const) const;
    /// Over the steps that have a ratio; null when none has.
    [[nodiscard]] std::optional<double> medianRatio() const;
};

/// Operations of one kind and size on one communicator.
struct CollectiveGroup {
    std::uint64_t communicator = 0;
    model::CollectiveKind kind = model::CollectiveKind::Other;
    std::optional<std::uint64_t> bytes; ///< null: nobody told the size
    std::int64_t ranks = 0;
    std::int64_t count = 0;                                                   ///< matched, in the whole run
    std::optional<std::int64_t> transferNs;                                   ///< medians
    std::optional<std::int64_t> kernelNs;                                     ///< first arrival to end
    std::optional<double> transferBusGBs, transferAlgorithmGBs, kernelBusGBs; ///< 1e9 bytes/s
};

struct Spread {
    double mean = 0, min = 0, max = 0, spread = 0, cv = 0;
    std::optional<double> timeStddev; ///< null: no rank has two steps
};

struct RunMetrics {
    std::vector<RankMetrics> ranks; ///< those with device data and analyzed steps
    TimedCalls timed;               ///< where CUDA events are all that is known of devices
    std::vector<ArrivedOperation> arrived;
    std::vector<CollectiveGroup> collectives;
    bool collectivesOfWholeRun = false;                  ///< their medians; false: of the analyzed steps
    std::vector<Port> ports;                             ///< of RDMA devices
    std::optional<LatencyFit> allReduceFit;              ///< over the run's own all-reduces
    std::optional<std::int64_t> stepMedianNs, stepP99Ns; ///< device steps, else host steps
    std::optional<double> ratio, communicationShare;     ///< over all ranks' totals
    std::optional<Spread> utilization;
    std::optional<Spread> usefulUtilization; ///< null also when nobody knows who waited

    [[nodiscard]] bool arrivalsMeasured() const { return !arrived.empty(); }
    /// Of the time in communication kernels, the share in which waiting can be told from transfer.
    [[nodiscard]] std::optional<double> arrivalShare() const;
    /// Waiting looks busy: without arrivals only runs without communication know their useful time.
    [[nodiscard]] bool usefulMeasured() const { return arrivalsMeasured() || total().communicationNs == 0; }
    [[nodiscard]] Breakdown total() const; ///< over all ranks
    /// Mean of the analyzed steps, or median of those that CUDA events saw on the host; of a recording that
    /// stands for a step one second; 0: there are none.
    [[nodiscard]] std::int64_t stepNs() const
    {
        return ranks.empty() ? timed.stepNs : perStep(&Breakdown::stepNs);
    }
    /// Mean over ranks and steps of one figure, 0 without ranks.
    [[nodiscard]] std::int64_t perStep(std::int64_t Breakdown::*figure) const;
    /// A rank's analyzed steps, or seconds (RankMetrics::periods), for means over them; never 0.
    [[nodiscard]] double periods() const;
    [[nodiscard]] std::size_t stepCount() const { return ranks.empty() ? 0 : ranks.front().steps.size(); }
};

[[nodiscard]] RunMetrics computeMetrics(const model::Model& model);

} // namespace ringside::metrics
