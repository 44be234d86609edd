// SPDX-License-Identifier: Apache-2.0
#include "live/complaints.h"

#include "trace/vocabulary/clock_reasons.h"
#include "trace/vocabulary/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ringside::live {
namespace {

using trace::SeriesName;

bool is(const Sample& sample, SeriesName name)
{
    return sample.source == trace::entryOf(name).source && sample.metric == trace::entryOf(name).metric;
}

// Retransmissions and the like happen on healthy machines, too: they are no complaint without a comparison.
constexpr std::array kErrors{
    SeriesName::EccUncorrectedErrors,    SeriesName::NvlinkCrcDataErrors,
    SeriesName::NvlinkRecoveries,        SeriesName::Nvlink5FailedRecoveries,
    SeriesName::NetworkRxErrors,         SeriesName::NetworkTxErrors,
    SeriesName::RdmaLinkDowned,          SeriesName::RdmaSymbolErrors,
    SeriesName::RdmaLinkErrorRecoveries, SeriesName::RdmaRxErrors,
    SeriesName::RdmaTxDiscards,          SeriesName::RdmaLinkIntegrityErrors,
    SeriesName::RdmaRetriesExceeded,     SeriesName::RdmaRxCorrupt,
};

} // namespace

bool countsErrors(const Sample& sample)
{
    return std::ranges::any_of(kErrors, [&](SeriesName name) { return is(sample, name); });
}

bool isThrottled(const Sample& sample)
{
    return is(sample, SeriesName::ClockEventReasons) && (sample.value & trace::clock_reasons::kTrouble) != 0;
}

std::string wrongWith(const Sample& sample)
{
    constexpr std::int64_t kActive = 4; // IB_PORT_ACTIVE
    if (isThrottled(sample)) {
        return fmt::format("{} holds the clocks down", trace::clock_reasons::troubleIn(sample.value));
    }
    if (countsErrors(sample) && sample.value > sample.first) {
        return fmt::format("{} +{} since the recording began", sample.metric, sample.value - sample.first);
    }
    if (is(sample, SeriesName::RdmaState) && sample.value != kActive) {
        return fmt::format("the port is not active (state {})", sample.value);
    }
    if (is(sample, SeriesName::RdmaRate) && sample.value < sample.first) {
        return fmt::format("the rate fell from {} to {} Mb/s", sample.first, sample.value);
    }
    if (is(sample, SeriesName::NvlinkLinksDown) && sample.value > sample.first) {
        return fmt::format("{} NVLink links are down, {} at the start", sample.value, sample.first);
    }
    if (is(sample, SeriesName::Xid)) {
        return fmt::format("XID {}", sample.value);
    }
    return {};
}

std::vector<Complaint> findComplaints(const RunNow& run)
{
    std::vector<Complaint> complaints;
    std::set<std::pair<std::string, std::string>> said;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            for (const Sample& sample : process.samples) {
                std::string what = wrongWith(sample);
                if (!what.empty() && said.emplace(host.host, sample.entity + what).second) {
                    complaints.push_back({host.host, sample.entity, std::move(what)});
                }
            }
        }
    }
    return complaints;
}

} // namespace ringside::live
