// SPDX-License-Identifier: Apache-2.0
// Sums up each step of the process from the rows that the drain thread writes anyway, so that a run that is
// recorded light for days has every step, and a running job can be watched. A step is what the program
// marked, else an NVTX range that is named like a step, else a stretch of one second.
//
// Host work counts to the step in which the call began; what lies between two steps counts to the later one.
// Memory is bounded: by the constants here, of HostShare and of DeviceSteps.
#pragma once
#include "record/nccl_kernels.h"
#include "record/step_counts.h"
#include "summary/device_steps.h"
#include "summary/host_share.h"

#include <ringside/trace/writer.h>

#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::collector::summary {

/// What a step came to: one row a device, or one without a device, and its traffic.
struct Summary {
    std::vector<trace::StepSummaryRow> rows;
    std::vector<trace::StepTrafficRow> traffic;
};

class StepSummarizer final {
public:
    static constexpr std::int64_t kStretchNs = 1'000'000'000;
    /// How long a step waits for its device work, which CUPTI hands over about every second.
    static constexpr std::int64_t kDevicePatienceNs = 4'000'000'000;

    // Rows, in the order in which the drain thread writes them.
    void defineString(trace::StringId id, std::string_view text);
    void see(const trace::CollectiveCallRow& row);
    void see(const trace::GraphLaunchRow& row);
    void see(const trace::StepRow& row);
    void see(const trace::RangeRow& row);
    void see(const trace::ApiCallRow& row);
    void see(const trace::LaunchRow& row);
    void see(const trace::CallCorrelationRow& row);
    void see(const trace::KernelRow& row);
    void see(const trace::CopyRow& row);
    /// A kernel of NCCL's, timed by NCCL.
    void see(const NcclKernel& kernel) { m_kernels.push_back(kernel); }

    /// Call it after each pass of the drain thread, with the time on CLOCK_MONOTONIC. `stepsAreMarked`: a
    /// step has begun, even if no row says so yet. `deviceIsRecorded`: CUPTI may tell of work in steps that
    /// have ended, though it has not told of any yet. `kernelsTimedSinceNs`: since when NCCL times its
    /// kernels without a gap; null: it does not. Returns the steps that are complete.
    [[nodiscard]] std::vector<Summary> pass(std::int64_t nowNs, bool stepsAreMarked,
                                            bool deviceIsRecorded = false,
                                            std::optional<std::int64_t> kernelsTimedSinceNs = std::nullopt);
    /// The steps that are not complete yet, with what is known of them: at the end.
    [[nodiscard]] std::vector<Summary> finish();

private:
    struct Step {
        std::int64_t id = 0;
        std::optional<std::int64_t> number;
        trace::SummarySource source;
        Interval times;
        std::int64_t seenNs = 0;  ///< when the pass ended that saw it; 0: the present one
        bool hasLaunches = false; ///< CUPTI told of launches in it
        std::uint32_t firstLaunch = 0;
        IntervalUnion nccl; ///< NCCL's kernels, of several communicators at once and told of in any order
        HostShare host;
    };
    struct GraphTraffic {
        std::int64_t calls = 0;
        std::optional<std::int64_t> bytes = 0;
    };
    struct NameClass {
        bool loads = false;
        std::uint8_t stepSource = 0; ///< 0: none, else StepSource
        bool communicates = false;
        std::optional<std::int64_t> number = {}; ///< of the step that it names
    };

    void beginsStep(StepSource source, std::int64_t thread, Interval times,
                    std::optional<std::int64_t> number);
    [[nodiscard]] bool isNextStep(StepSource source, std::int64_t thread, const Interval& times) const;
    void addStep(trace::SummarySource source, Interval times, std::optional<std::int64_t> number);
    void addHost(const HostEvent& event);
    void distributeHost();
    void distributeKernels();
    [[nodiscard]] bool awaitsKernels() const;
    [[nodiscard]] std::optional<std::int64_t> ncclTime(const Step& step) const;
    [[nodiscard]] Step* stepAt(std::int64_t ns);
    void addDevice(std::uint32_t device, Interval times, std::uint32_t correlation, values::Class work);
    [[nodiscard]] bool isComplete(const Step& step, std::int64_t nowNs);
    [[nodiscard]] std::unordered_set<std::uint32_t> launchesOfNccl() const;
    [[nodiscard]] const Step* launchesAfter(std::size_t index) const;
    [[nodiscard]] Summary close();
    [[nodiscard]] bool closeDevices(const Step& step, trace::StepSummaryRow row, Summary& summary);

    std::deque<Step> m_steps; ///< ended, and not summed up yet
    Step m_open;              ///< what came after the last of them
    std::int64_t m_lastEndNs = 0;
    std::optional<StepSource> m_source; ///< the best that was seen
    std::int64_t m_thread = 0;          ///< that marks the steps
    std::int64_t m_nextId = 1;
    bool m_formerHasLaunches = false;  ///< the step before the first of m_steps had some
    std::vector<HostEvent> m_events;   ///< of this pass
    std::vector<NcclKernel> m_kernels; ///< of the present step, and those that are new
    std::int64_t m_timedFromNs = 0;    ///< NCCL's kernels are, until the next
    std::int64_t m_timedUntilNs = 0;
    std::int64_t m_latestKernelNs = 0; ///< when it was enqueued
    std::map<std::uint32_t, DeviceSteps> m_devices;
    std::int64_t m_deviceRows = 0; ///< of this pass
    std::int64_t m_lastDeviceNs = 0;
    bool m_deviceIsRecorded = false;
    std::int64_t m_stretchFromNs = 0;                                       ///< where nothing marks steps
    std::map<std::pair<std::int64_t, std::int64_t>, GraphTraffic> m_graphs; ///< by graph and communicator
    std::unordered_map<std::uint32_t, std::uint64_t> m_calls; ///< of NCCL, by the correlation of its launch
    std::set<std::uint64_t> m_graphLaunches;                  ///< their ids in the count of calls
    std::unordered_map<trace::StringId, NameClass> m_names;   ///< that say something
    std::deque<trace::StringId> m_numbered; ///< of them, names of single steps, the oldest first
};

} // namespace ringside::collector::summary
