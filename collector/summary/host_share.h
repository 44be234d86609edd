// SPDX-License-Identifier: Apache-2.0
// What the host did in one step: counts, and unions of the times in calls that wait and in ranges that load
// data. Bounded: a step with more waits or communicators than fit is summed up more coarsely.
#pragma once
#include "summary/interval_union.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::collector::summary {

enum class HostWork : std::uint8_t { Launch, Collective, Blocking, Loading };

struct HostEvent {
    Interval times;
    HostWork work = HostWork::Launch;
    std::uint32_t communicator = 0;
    std::int64_t calls = 0; ///< of a collective
    std::optional<std::int64_t> bytes = {};
};

struct Traffic {
    std::int64_t communicator = 0; ///< 0: of all that did not fit
    std::int64_t calls = 0;
    std::optional<std::int64_t> bytes = 0;
};

class HostShare final {
public:
    static constexpr std::size_t kMostCommunicators = 32; ///< and one more for all others

    void add(const HostEvent& event);
    [[nodiscard]] std::int64_t launches() const { return m_launches; }
    [[nodiscard]] std::int64_t collectives() const;
    [[nodiscard]] std::int64_t blockingNs() const { return m_blockingNs + m_blocking.length(); }
    [[nodiscard]] std::int64_t loadingNs() const { return m_loadingNs + m_loading.length(); }
    [[nodiscard]] const std::vector<Traffic>& traffic() const { return m_traffic; }

private:
    void addTraffic(const HostEvent& event);
    [[nodiscard]] Traffic& trafficOf(std::int64_t communicator);

    std::int64_t m_launches = 0;
    IntervalUnion m_blocking;
    IntervalUnion m_loading;
    std::int64_t m_blockingNs = 0; ///< of intervals that were summed up already
    std::int64_t m_loadingNs = 0;
    std::vector<Traffic> m_traffic;
};

} // namespace ringside::collector::summary
