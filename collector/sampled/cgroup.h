// SPDX-License-Identifier: Apache-2.0
// How often and how long the control group of this process was stopped because it had used up its CPU quota.
// Of every process, not once a machine: ranks may be in groups of their own. A quota may lie above the
// process's own group: all levels with one are summed up.
#pragma once
#include "host/kept_file.h"
#include "sampled/source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::collector::sampled {

struct Throttling {
    std::uint64_t times = 0;
    std::uint64_t us = 0;
};
/// cpu.stat of either version.
[[nodiscard]] std::optional<Throttling> parseThrottling(std::string_view text);

class Cgroup final : public Source {
public:
    [[nodiscard]] const char* name() const override { return "cgroup"; }
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_reason; }

private:
    std::vector<host::KeptFile> m_levels; ///< cpu.stat of those with a quota, or of the process's own group
    std::string m_reason;
    Series m_times{"cgroup", trace::SeriesName::ThrottledPeriods};
    Series m_us{"cgroup", trace::SeriesName::Throttled};
};

} // namespace ringside::collector::sampled
