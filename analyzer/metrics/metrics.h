// SPDX-License-Identifier: Apache-2.0
// The metrics of a run. All times are lengths of unions of intervals, never sums of durations. They are
// computed once (compute_metrics.h); reports, rules and the GUI only read them. A value that was not measured
// is null, never 0.
#pragma once
#include "metrics/bandwidth.h"
#include "metrics/blocking_calls.h"
#include "metrics/exposure.h"
#include "metrics/idle.h"
#include "metrics/links.h"
#include "metrics/timed_calls.h"
#include "model/model.h"
#include "values/breakdown.h"

#include <optional>
#include <vector>

namespace ringside::metrics {

using values::Breakdown;

struct RankMetrics {
    std::size_t rank = 0;          ///< index into Model::ranks
    std::vector<Interval> windows; ///< the analyzed steps on the device, on the rank's clock
    std::vector<Breakdown> steps;  ///< one for each window
    /// What totals are divided by: the number of analyzed steps. If the whole recording stands for one step,
    /// the seconds that it lasts, so that figures "per step" are per second.
    double periods = 0;
    Breakdown total;
    Breakdown median; ///< the median over the steps, taken for each figure by itself
    IdleTimes idle;
    BlockingCalls blocking;
    std::vector<OperationExposure> exposures;    ///< ordered by start
    std::int64_t lastArrivals = 0;               ///< collectives to which this rank came late
    std::vector<std::uint32_t> stepLastArrivals; ///< the same of each step
    std::int64_t medianLastArrivals = 0;         ///< median of that number over the steps
    std::int64_t lostNs = 0;                     ///< summed over those collectives
    double communicationNs = 0; ///< summed lengths of the communication kernels in these steps
    double arrivedNs = 0;       ///< the part of that in collectives where the arrivals of all ranks are known

    /// Returns a total divided by `periods`.
    [[nodiscard]] std::int64_t ofAStep(std::int64_t ns) const;
    /// Returns the total with each figure divided by `periods`.
    [[nodiscard]] Breakdown mean() const;
    /// Returns the median of a share over the steps. It differs from the share of the medians.
    [[nodiscard]] double medianOf(double (Breakdown::*share)() const) const;
    /// Returns the median over the steps that have a ratio. Null if none has.
    [[nodiscard]] std::optional<double> medianRatio() const;
};

/// The operations of one kind and size on one communicator.
struct CollectiveGroup {
    std::uint64_t communicator = 0;
    model::CollectiveKind kind = model::CollectiveKind::Other;
    std::optional<std::uint64_t> bytes; ///< null if the size is not known
    std::int64_t ranks = 0;
    std::int64_t count = 0;                 ///< matched operations in the whole run
    std::optional<std::int64_t> transferNs; ///< median time from last arrival to end
    std::optional<std::int64_t> kernelNs;   ///< median time from first arrival to end
    std::optional<double> transferBusGBs, transferAlgorithmGBs, kernelBusGBs; ///< in 1e9 bytes/s
};

/// What the medians of a CollectiveGroup are of, ns.
struct GroupTimes {
    std::vector<std::int64_t> transfer;
    std::vector<std::int64_t> kernel;
};

struct Spread {
    double mean = 0, min = 0, max = 0, spread = 0, cv = 0;
    std::optional<double> timeStddev; ///< over the steps of the rank that varies most; null below two steps
};

struct RunMetrics {
    std::vector<RankMetrics> ranks; ///< the ranks that have device data and analyzed steps, by index
    TimedCalls timed;               ///< filled only if CUDA events are the only device times of the run
    std::vector<ArrivedOperation> arrived;
    bool arrivedBefore =
        false; ///< arrivals were measured in a part of the run that is no longer in `arrived`
    std::vector<CollectiveGroup> collectives;
    std::vector<GroupTimes> collectiveTimes; ///< of each of `collectives`; only of a part of a run
    bool collectivesOfWholeRun = false; ///< whether their medians cover the whole run, or the analyzed steps
    std::vector<Port> ports;            ///< of RDMA devices
    std::vector<conditions::Subject> gpus;
    std::optional<LatencyFit> allReduceFit;              ///< fitted to the run's own all-reduces
    std::optional<std::int64_t> stepMedianNs, stepP99Ns; ///< of device steps, or of host steps if none exist
    std::optional<double> ratio, communicationShare;     ///< of the totals over all ranks
    std::optional<Spread> utilization;
    std::optional<Spread> usefulUtilization; ///< also null if waiting was not measured

    [[nodiscard]] bool arrivalsMeasured() const { return arrivedBefore || !arrived.empty(); }
    /// Whether the arrivals of ranks differ by no more than their clocks' error, or by an unknown error. Then
    /// all may have arrived at the same moment, and nothing that rests on arrivals is judged.
    bool arrivalsBelowError = false;
    /// Whether waiting inside collectives is known.
    [[nodiscard]] bool waitsKnown() const { return arrivalsMeasured() && !arrivalsBelowError; }
    /// Returns the share of the time in communication kernels for which the last arrival is known, so that
    /// waiting can be distinguished from transfer. Null without communication kernels.
    [[nodiscard]] std::optional<double> arrivalShare() const;
    /// Whether useful time is known. A waiting communication kernel looks busy, so useful time needs
    /// arrivals unless the run does not communicate.
    [[nodiscard]] bool usefulMeasured() const { return waitsKnown() || total().communicationNs == 0; }
    /// Returns the sum over all ranks.
    [[nodiscard]] Breakdown total() const;
    /// Returns the mean length of the analyzed steps in ns. If only CUDA events were recorded, the median of
    /// the host steps that they cover. If the recording stands for one step, one second. 0 without steps.
    [[nodiscard]] std::int64_t stepNs() const
    {
        return ranks.empty() ? timed.stepNs : perStep(&Breakdown::stepNs);
    }
    /// Returns the mean of one figure over ranks and steps in ns; 0 without ranks.
    [[nodiscard]] std::int64_t perStep(std::int64_t Breakdown::*figure) const;
    /// Returns what totals of a rank are divided by (RankMetrics::periods). Without ranks, the steps of
    /// `timed`, at least 1.
    [[nodiscard]] double periods() const;
    [[nodiscard]] std::size_t stepCount() const { return ranks.empty() ? 0 : ranks.front().steps.size(); }
};

} // namespace ringside::metrics
