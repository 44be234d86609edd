// SPDX-License-Identifier: Apache-2.0
// Finds out why a device was idle. Each idle time is divided by what the host did until it launched the work
// that ended the idle time. The sum of the classes is exactly the idle time.
#pragma once
#include "metrics/device_work.h"
#include "trace/vocabulary/host_words.h"

#include <array>
#include <memory>
#include <optional>

namespace ringside::metrics {

enum class IdleClass : std::uint8_t {
    DataLoading,     ///< nothing was queued and the host was inside a data loading range
    Synchronization, ///< nothing was queued because the host had waited for the device in a blocking call
    HostBound,       ///< nothing was queued for another reason
    LaunchLatency,   ///< the launch call was running or had just returned
    BetweenKernels,  ///< work was queued; the device took a few us from the end of one kernel to the next
    DependencyWait,  ///< work was queued and due, but waited for something that is not in the trace
    Other,           ///< the work that ended the idle time has no launch record
};
inline constexpr std::size_t kIdleClasses = 7;
/// Returns the machine-readable name, such as "data_loading".
[[nodiscard]] std::string_view idleClassName(IdleClass idle);

struct IdleTimes {
    std::array<std::int64_t, kIdleClasses> ns{};
    /// The longest idle time of each class as evidence, on the rank's clock.
    std::array<Interval, kIdleClasses> longest{};
    [[nodiscard]] std::int64_t of(IdleClass idle) const { return ns[static_cast<std::size_t>(idle)]; }
    /// Returns the class with the most time.
    [[nodiscard]] IdleClass biggest() const;
};

/// Divides the idle times of a rank into classes. Keeps references to the constructor's arguments.
class IdleClassifier final {
public:
    IdleClassifier(const model::Model& model, const model::Rank& rank, const DeviceWork& work);
    ~IdleClassifier();
    IdleClassifier(const IdleClassifier&) = delete;
    IdleClassifier& operator=(const IdleClassifier&) = delete;

    /// Adds the next idle time. Idle times must ascend, as the sweep reports them.
    void add(const Interval& gap);
    [[nodiscard]] const IdleTimes& times() const { return m_times; }

private:
    struct Sources;
    std::unique_ptr<Sources> m_sources;
    IdleTimes m_times;
};

using trace::isBlockingCall;
using trace::isDataLoadingRange;

} // namespace ringside::metrics
