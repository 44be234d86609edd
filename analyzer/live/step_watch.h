// SPDX-License-Identifier: Apache-2.0
// Alarms from steps, one step of all ranks at a time: the job got slower, a rank holds the others up, now
// this and now that rank does, the ranks' GPUs are busy to very different degrees.
#pragma once
#include "live/shift_test.h"
#include "live/snapshot.h"
#include "trace/vocabulary/alarm_kind.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringside::live {

/// One rank's part of a step. Null: not measured.
struct RankFigures {
    std::int64_t rank = 0;
    double stepNs = 0;
    std::optional<double> communicationNs; ///< in communication kernels
    std::optional<double> blockingNs;      ///< in calls that wait for the device
    std::optional<double> busyShare;       ///< of the step, the GPU; waiting in collectives does not count
};

struct AlarmChange {
    trace::AlarmKind kind;
    bool began = true;
    std::optional<std::int64_t> rank;
    std::string message;
    std::string subject = {}; ///< of which thing, where there may be several; empty: the job, or `rank`
    std::optional<std::int64_t> step = {}; ///< that brought it; null: it comes from no step
};

class StepWatch final {
public:
    // Shifts that matter, as shares of a step.
    static constexpr double kSlower = 0.10;
    static constexpr double kSlowerLog = 0.0953; ///< ln(1 + kSlower): steps are compared by their ratio
    static constexpr double kLate = 0.10;
    static constexpr double kLost = 0.06; ///< by whoever is the latest
    static constexpr double kSpread = 0.15;

    /// The ranks of a step, in the same order each time. Where the number of ranks changes, it begins anew.
    [[nodiscard]] std::vector<AlarmChange> add(const std::vector<RankFigures>& step);

private:
    /// What lateness is measured by: communication kernels, else calls that wait for the device.
    enum class Way : std::uint8_t { Device, Host };
    struct Lateness {
        std::vector<ShiftTest> ranks;
        ShiftTest lost{kLost}; ///< what the latest rank of each step costs, whoever it is
        bool rotates = false;
        std::deque<std::size_t> latest; ///< who was the latest in the last steps
    };
    void watchSpeed(double stepNs, std::vector<AlarmChange>& changes);
    void watchLateness(const std::vector<RankFigures>& step, double stepNs,
                       std::vector<AlarmChange>& changes);
    void watchRotation(const std::vector<RankFigures>& step, Lateness& lateness, double share,
                       std::vector<AlarmChange>& changes);
    void watchSpread(const std::vector<RankFigures>& step, std::vector<AlarmChange>& changes);

    std::size_t m_ranks = 0;
    ShiftTest m_speed{kSlowerLog};
    std::map<Way, Lateness> m_lateness;
    ShiftTest m_spread{kSpread};
};

} // namespace ringside::live
