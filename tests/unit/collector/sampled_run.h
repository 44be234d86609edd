// SPDX-License-Identifier: Apache-2.0
// What one process of a recorded run sampled.
#pragma once
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ringside::test {

using Values = std::vector<std::int64_t>;

/// What one process sampled.
struct Sampled {
    explicit Sampled(const std::filesystem::path& file) : rows(trace::readProcess(file))
    {
        for (std::size_t i = 0; i < rows.samples.size(); ++i) {
            bySeries[rows.samples.series[i]].push_back(rows.samples.value[i]);
        }
    }
    explicit Sampled(const RecordedRun& run) : Sampled(run.filesEndingIn(".db").at(0)) {}

    [[nodiscard]] const trace::SeriesRow* series(const std::string& entity, const std::string& metric) const
    {
        const auto found = std::ranges::find_if(rows.series, [&](const auto& row) {
            return row.entity == entity && row.metric.text() == metric;
        });
        return found != rows.series.end() ? &*found : nullptr;
    }
    [[nodiscard]] Values values(const std::string& entity, const std::string& metric) const
    {
        const auto* row = series(entity, metric);
        const auto found =
            row != nullptr ? bySeries.find(static_cast<std::uint32_t>(row->id)) : bySeries.end();
        return found != bySeries.end() ? found->second : Values{};
    }
    [[nodiscard]] std::string reason(const std::string& entity, const std::string& metric) const
    {
        const auto* row = series(entity, metric);
        return row != nullptr ? std::string(rows.text(row->reason)) : "no such series";
    }
    [[nodiscard]] std::set<std::string> sources() const
    {
        std::set<std::string> names;
        for (const auto& row : rows.series) {
            if (bySeries.contains(static_cast<std::uint32_t>(row.id))) {
                names.emplace(row.source.text());
            }
        }
        return names;
    }
    [[nodiscard]] trace::TierRow tier() const
    {
        const auto found = std::ranges::find(rows.tiers, trace::TierName("sampled"), &trace::TierRow::tier);
        return found != rows.tiers.end() ? *found : trace::TierRow{};
    }
    [[nodiscard]] const trace::IssueRow* issue(const std::string& id) const
    {
        const auto found = std::ranges::find(rows.issues, id, &trace::IssueRow::id);
        return found != rows.issues.end() ? &*found : nullptr;
    }

    trace::ProcessTrace rows;
    std::map<std::uint32_t, Values> bySeries;
};

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

inline const RecordedRun::Environment kFast{"RINGSIDE_SAMPLE_MS=10", "LD_LIBRARY_PATH=" RINGSIDE_FAKES};

} // namespace ringside::test
