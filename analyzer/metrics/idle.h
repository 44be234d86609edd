// SPDX-License-Identifier: Apache-2.0
// Why a device was idle: each idle time is divided by what the host was doing until it launched the work that
// ended it. The classes add up to the idle time exactly.
#pragma once
#include "metrics/device_work.h"

#include <array>
#include <memory>
#include <optional>

namespace ringside::metrics {

enum class IdleClass : std::uint8_t {
    DataLoading,     ///< nothing was queued and the host was inside a data loading range
    Synchronization, ///< nothing was queued because the host had waited for the device in a blocking call
    HostBound,       ///< nothing was queued for another reason
    LaunchLatency,   ///< the launch was under way or had just returned
    DependencyWait,  ///< work was queued but waited for something else
    Other,           ///< what ended the idle time has no launch record
};
inline constexpr std::size_t kIdleClasses = 6;
[[nodiscard]] std::string_view idleClassName(IdleClass idle); ///< "data_loading", for programs
[[nodiscard]] std::string_view idleClassText(IdleClass idle); ///< "waiting for data", for people

struct IdleTimes {
    std::array<std::int64_t, kIdleClasses> ns{};
    std::array<Interval, kIdleClasses>
        longest{}; ///< the longest stretch of each class, as evidence; on the rank's clock
    [[nodiscard]] std::int64_t of(IdleClass idle) const { return ns[static_cast<std::size_t>(idle)]; }
    [[nodiscard]] IdleClass biggest() const;
};

/// Divides idle times of a rank. Refers to all it is made from.
class IdleClassifier final {
public:
    IdleClassifier(const model::Model& model, const model::Rank& rank, const DeviceWork& work);
    ~IdleClassifier();
    IdleClassifier(const IdleClassifier&) = delete;
    IdleClassifier& operator=(const IdleClassifier&) = delete;

    /// The next one, as the sweep gives them: they ascend.
    void add(const Interval& gap);
    [[nodiscard]] const IdleTimes& times() const { return m_times; }

private:
    struct Sources;
    std::unique_ptr<Sources> m_sources;
    IdleTimes m_times;
};

[[nodiscard]] bool isDataLoadingRange(std::string_view name);
/// A call of the CUDA runtime that returns only when the device has caught up.
[[nodiscard]] bool isBlockingCall(std::string_view api);

} // namespace ringside::metrics
