// SPDX-License-Identifier: Apache-2.0
// Turns CUPTI's activity records into rows. Reads only the prefixes of abi/cupti.h and converts times to
// CLOCK_MONOTONIC ns. A record without times (CUPTI gives 0) is counted in an issue and not stored.
#pragma once
#include "abi/cupti.h"
#include "device/cupti_library.h"
#include "device/device_clock.h"
#include "device/launch_ids.h"
#include "record/thread_ids.h"

#include <ringside/trace/writer.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringside::collector {

class ActivityReader final {
public:
    ActivityReader(const CuptiLibrary& cupti, trace::Writer& writer, const ThreadIds& threads);
    void addClock(const DeviceClockSample& reading);
    /// Whether times can be converted exactly.
    [[nodiscard]] bool isClockReady() const { return m_clock.isReady(); }
    /// Records identify threads by the kernel's thread id, which another tool has chosen; otherwise by
    /// handle.
    void setSystemThreadIds(bool system) { m_systemThreadIds = system; }
    void read(std::uint8_t* buffer, std::size_t validBytes);
    /// Starts to watch for device work that the host launched after `ns`.
    void awaitWorkAfter(std::int64_t ns);
    /// Whether such work has run. Then nearly all work that was launched before has run too: correlation
    /// ids grow with each launch.
    [[nodiscard]] bool hasSeenLaterWork() const { return m_firstLater && *m_firstLater <= m_lastRun; }
    /// Writes the issue for records that could not be stored.
    void reportIssues();

private:
    void readRecord(const cupti::Activity& record);
    void readKernel(const cupti::Kernel& record);
    template <class Record>
    void readCopy(const Record& record, std::uint32_t kind, std::uint32_t hostMemory = 0);
    void readApi(const cupti::Api& record, cupti::CallbackDomain domain);
    [[nodiscard]] bool measured(std::uint64_t start, std::uint64_t end);
    template <class Record>
    [[nodiscard]] std::uint32_t graphId(const Record& record) const
    {
        return m_hasGraphId ? record.graphId : 0;
    }
    [[nodiscard]] std::int64_t toMonotonicNs(std::uint64_t deviceNs) const
    {
        return m_clock.toMonotonicNs(deviceNs);
    }
    trace::StringId kernelName(const char* name);
    std::uint32_t configurationOf(trace::StringId name, const cupti::Shape& shape);
    /// Lets a text be found without a copy of it.
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    /// kQuestion: a call that launches nothing.
    static constexpr trace::StringId kQuestion = 0;
    trace::StringId apiName(cupti::CallbackDomain domain, std::uint32_t cbid);

    const CuptiLibrary& m_cupti;
    trace::Writer& m_writer;
    const ThreadIds& m_threads;
    DeviceClock m_clock;
    std::unordered_map<std::string, trace::StringId, TextHash, std::equal_to<>> m_kernelNames;
    LaunchIds m_launches;
    std::uint32_t m_lastConfiguration = 0;
    std::int64_t m_refusedConfigurations = 0; ///< kernels whose configuration is one too many
    std::unordered_map<std::uint64_t, trace::StringId> m_apiNames;
    std::int64_t m_unmeasured = 0;
    std::optional<std::int64_t> m_awaitedNs;
    std::optional<std::uint32_t> m_firstLater; ///< correlation number of the first launch after m_awaitedNs
    std::uint32_t m_lastRun = 0;               ///< the greatest correlation number of device work
    bool m_systemThreadIds = false;
    bool m_hasGraphId = false; ///< otherwise, records may end before it
};

} // namespace ringside::collector
